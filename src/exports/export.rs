//! What an export is, what it is made from, and what may keep it from being made.

use std::io::Write;
use std::time::Duration;

use super::Course;
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
    pub board: &'a Scoreboard,
    /// The course as its instructor has set it up.
    pub course: &'a Course,
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
    /// Writes it, piece by piece: that of a large course is not held in memory.
    pub make: fn(&Material<'_>, &mut dyn Write) -> Result<(), ExportError>,
}

/// Why an export could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file.
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("the grade book: {0}")]
    GradeBook(String),
    /// Whoever asked for it wants it no more.
    #[error("it was given up, because the daemon ends")]
    GivenUp,
}

impl From<csv::Error> for ExportError {
    /// What went wrong with the file stays what it is, so that a full disk is known as one.
    fn from(error: csv::Error) -> Self {
        let words = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Self::File(error),
            _ => Self::GradeBook(words),
        }
    }
}
