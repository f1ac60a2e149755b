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

use std::collections::BTreeMap;

pub use clics::Feed;
pub use course::Course;
pub use roster::Roster;

use crate::domain::SubmissionId;
use crate::overview::Board;
use crate::report::Document;
use crate::store::{Reader, StoreError};

/// The grade book's file in the staff's folder.
pub const GRADE_BOOK: &str = "gradebook.csv";
/// The results' file in the staff's folder.
pub const RESULTS: &str = "results.xml";
/// Faults that are looked at to say why something was not judged.
const FAULTS_MAX: u32 = 10_000;

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

/// The grade book's text. Without a roster that can be read it has the students who have handed something in.
pub fn grade_book(board: &Board, course: &Course, roster: &Roster) -> Result<String, ExportError> {
    let problems = course.problems.iter().map(|problem| problem.slug.clone());
    Ok(gradebook::render(board, roster, problems, course.counts)?)
}

/// The text of results.xml. It is given up between two reports where `must_end` says so: a large course has many.
pub fn results(
    board: &Board,
    course: &Course,
    reader: &Reader,
    must_end: &dyn Fn() -> bool,
) -> Result<String, ExportError> {
    let faults: BTreeMap<SubmissionId, String> = reader
        .faults(FAULTS_MAX)?
        .into_iter()
        .filter_map(|row| Some((row.record.submission?, row.record.fault.to_string())))
        .collect();
    junit::render(
        board,
        course.counts,
        &faults,
        &mut Kept { reader, must_end },
    )
}

/// The documents that the store keeps.
struct Kept<'a> {
    reader: &'a Reader,
    must_end: &'a dyn Fn() -> bool,
}

impl junit::Source for Kept<'_> {
    fn document(&mut self, id: SubmissionId) -> Result<Option<Document>, ExportError> {
        if (self.must_end)() {
            return Err(ExportError::GivenUp);
        }
        let kept = self.reader.document(id)?;
        // One that another version has written is passed over: its verdict is known all the same.
        Ok(kept.and_then(|(_, text)| Document::from_json(&text).ok()))
    }
}
