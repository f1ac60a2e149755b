//! What other programs read of a whole course: the grade book, `results.xml`, and the event feed.
//!
//! All of it lies in the staff's folder, and can be made again from the store.

mod cell;
mod clics;
mod course;
mod gradebook;
mod junit;
mod roster;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use clics::Feed;
pub use course::Course;
pub use roster::Roster;

use crate::overview::Scoreboard;
use crate::store::{Reader, StoreError};

/// A file about the whole course, in the staff's folder.
#[derive(Debug)]
pub struct CourseFile {
    /// Its name there.
    pub name: &'static str,
    /// What it is called on pages.
    pub title: &'static str,
    /// What browsers are told that it is.
    pub content_type: &'static str,
}

/// What exports are made from.
pub struct Material<'a> {
    /// Everybody's attempts.
    pub board: &'a Scoreboard,
    /// The course as its instructor has set it up.
    pub course: &'a Course,
    /// Empty where there is none that can be read.
    pub roster: &'a Roster,
    /// What the scoreboard does not hold.
    pub reader: &'a Reader,
    /// Whether an export that takes long is to be given up.
    pub must_end: &'a dyn Fn() -> bool,
}

/// A file that is made as a whole, again and again.
pub struct Export {
    /// Where it lies.
    pub file: CourseFile,
    /// The least time between two writings while the daemon runs; before it ends it is written in
    /// any case.
    pub pace: Duration,
    /// Its text.
    pub make: fn(&Material<'_>) -> Result<String, ExportError>,
}

/// A new export is one file in this folder and its entry here.
pub const EXPORTS: [Export; 2] = [gradebook::EXPORT, junit::EXPORT];

/// Every file about the whole course.
pub fn course_files() -> impl Iterator<Item = CourseFile> {
    let exports = EXPORTS.into_iter().map(|export| export.file);
    exports.chain([clics::FILE])
}

/// Why an export could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The grade book.
    #[error("the grade book: {0}")]
    GradeBook(#[from] csv::Error),
    /// The results.
    #[error("results.xml: {0}")]
    Results(String),
    /// Whoever asked for it wants it no more.
    #[error("it was given up, because the daemon ends")]
    GivenUp,
}
