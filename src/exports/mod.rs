//! What other programs read of a whole course: the grade book, `results.xml`, and the event feed.
//!
//! All of it lies in the staff's folder, and can be made again from the store.

mod clics;
mod export;
mod gradebook;
mod junit;
#[cfg(test)]
mod tests;

pub use clics::Feed;
pub use export::{Course, CourseFile, CourseSource, Export, ExportError, Material};

/// A new export is one file in this folder and its entry here.
pub const EXPORTS: [Export; 2] = [gradebook::EXPORT, junit::EXPORT];

/// Every file about the whole course.
pub fn course_files() -> impl Iterator<Item = CourseFile> {
    let exports = EXPORTS.into_iter().map(|export| export.file);
    exports.chain([clics::FILE])
}
