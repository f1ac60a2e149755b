//! Verdict reports: one document a submission, written as a page, as text and as JSON, and a log
//! with a line a verdict.
//!
//! Everything here is made from what the store keeps, and can be made from it again.
//! A format is one file or folder: it turns a [`Report`] into bytes, and has its line in the table
//! of [`files`].

mod advice;
pub mod document;
pub mod files;
mod follower;
mod gradescope;
mod hints;
mod history;
pub mod html;
pub mod log;
mod log_schema;
pub mod notes;
mod places;
mod redact;
mod schema;
mod shown;
#[cfg(test)]
pub mod tests;
mod text;
mod units;

pub use advice::{how_found, size_of};
pub use document::{Context, Report, document, reported};
pub use files::{Moment, content_type_of};
pub use follower::Follower;
pub use html::STYLE;
pub use log::Logs;
pub use log_schema::{Entry, HackEntry, HackState, LogLine, PackageEntry, PackageState};
pub use places::{Audience, EXPORTS_FOLDER, Reports, folder_name};
pub use schema::{Document, Excerpt, Mark, ShownCase, ShownLine, ShownTalk, TestReport};
pub use shown::{verdict_words, what_went_wrong};
pub use text::hack::{Fallen, HackReport};
pub use text::{render as render_text, render_findings};
