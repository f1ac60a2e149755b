//! Verdict reports: one document a submission, written as a page, as text and as JSON, and a log
//! with a line a verdict.
//!
//! Everything here is made from what the store keeps, and can be made from it again.
//! A format is one file or folder: it turns a [`Report`] into bytes, and has its line in the table
//! of [`files`].

mod advice;
mod disclose;
pub mod document;
mod entries;
mod explained;
mod explaining;
pub mod files;
mod follower;
mod gradescope;
mod history;
pub mod html;
pub mod log;
mod log_schema;
pub mod notes;
mod package_entry;
mod places;
mod schema;
mod score;
#[cfg(test)]
pub mod tests;
mod text;
mod units;

pub use document::{Context, Report, document};
pub use explained::{CounterexamplePart, ExplanationPart};
pub use files::{Rendered, content_type_of};
pub use follower::Follower;
pub use html::STYLE;
pub use log::Logs;
pub use log_schema::{Entry, HackState, LogLine};
pub use package_entry::{PackageEntry, PackageState};
pub use places::{Audience, EXPORTS_FOLDER, Reports, folder_name};
pub use schema::{CasePart, Document, ExcerptPart, MarkPart, ProvenancePart, TestPart};
pub use score::GroupPart;
pub use text::hack::{Fallen, HackReport, LISTED_MAX as HACK_LISTED_MAX};
pub use text::{render as render_text, render_findings};
pub use units::{verdict_words, what_went_wrong};
