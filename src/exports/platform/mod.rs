//! Grades back to the platforms: the file that a platform has exported, with one column filled.
//!
//! Each platform says where in its file the grade, the maximum and the students are; [`fill`] does
//! the rest. Nothing is guessed: a header that is not known, a row that may be several students',
//! or a grade above the maximum is refused with its line. A new platform is one file in this folder
//! and its entry in [`PLATFORMS`].

mod blackboard;
mod brightspace;
mod canvas;
mod column;
mod feedback;
mod fill;
mod marks;
mod moodle;
mod sakai;
#[cfg(test)]
mod tests;

pub use feedback::{Feedback, leave_out_repeated, zipped};
pub use fill::{Filled, Platform, Wanted, fill};
pub use marks::{Asked, Marks};

/// Every platform that takes grades back in a file.
pub const PLATFORMS: [Platform; 5] = [
    moodle::PLATFORM,
    canvas::PLATFORM,
    brightspace::PLATFORM,
    blackboard::PLATFORM,
    sakai::PLATFORM,
];
