//! Learning platforms: what they export, as submissions (`verdictd import`), and grades and reports
//! back to them (`verdictd export`).
//!
//! A `Source` lists a zip file or a folder. A platform of [`PLATFORMS`] says of each entry who
//! handed it in and when. [`plan`] finds the student and the problem and reads every program, so
//! that all of it is known to be sound before [`deliver`] writes the first file.
//!
//! Grades go back in the file that a platform has exported, with one column filled: the platform
//! says where in its file the grade, the maximum and the students are; [`fill`] does the rest.
//! Nothing is guessed: a header that is not known, a row that may be several students', or a grade
//! above the maximum is refused with its line.

mod archive;
mod claim;
mod columns;
mod deliver;
mod fill;
mod git;
mod manifest;
mod marks;
mod people;
mod pieces;
mod plan;
mod platform;
mod platforms;
#[cfg(test)]
mod tests;
mod times;

pub use archive::Pattern;
pub use claim::Reading;
pub use columns::Wanted;
pub use deliver::deliver;
pub use fill::{Filled, fill};
pub use manifest::{FILE as MANIFEST_FILE, Line, Manifest, Pen, keep_out};
pub use marks::{Asked, Marks};
pub use people::People;
pub use plan::{HandIn, Plan, Row, Terms, plan};
pub use platform::{Feedback, Platform, leave_out_repeated, zipped};
pub use platforms::{PLATFORMS, Worksheet, recognise};
pub use times::Said;
