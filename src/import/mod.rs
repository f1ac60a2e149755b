//! What learning platforms export, as submissions: `verdictd import`.
//!
//! A `Source` lists a zip file or a folder. The platforms of [`PLATFORMS`] say of each entry who
//! handed it in and when. [`plan`] finds the student and the problem and reads every program, so
//! that all of it is known to be sound before [`deliver`] writes the first file.

mod claim;
mod deliver;
mod entry;
mod git;
mod manifest;
mod people;
mod pieces;
mod plan;
mod platform;
mod source;
mod target;
#[cfg(test)]
mod tests;
mod times;
mod worksheet;

pub use claim::{Reading, Stamp, Who};
pub use deliver::deliver;
pub use manifest::{FILE as MANIFEST_FILE, Line, Manifest, ManifestError, Pen, keep_out};
pub use people::{Found, People};
pub use plan::{HandIn, Plan, Row, Terms, plan};
pub use platform::{PLATFORMS, Pattern, recognise};
pub use source::Source;
pub use times::Said;
pub use worksheet::{Worksheet, WorksheetError};
