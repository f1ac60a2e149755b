//! Verdict reports: one document a submission, written as JSON and as text, and a log with a line a verdict.
//!
//! Everything here is made from what the store keeps, and can be made from it again.
//! A format is one file: it turns a [`Document`] into bytes, and has its line in the table of [`files`].

pub mod document;
pub mod files;
pub mod log;
mod schema;
#[cfg(test)]
mod tests;
mod text;

pub use document::{Context, document};
pub use files::{Rendered, Reports};
pub use log::Logs;
pub use schema::{Document, Entry, HackState, LogLine, ProvenancePart, TestPart};
pub use text::hack::{Fallen, HackReport, LISTED_MAX as HACK_LISTED_MAX};
pub use text::render as render_text;
