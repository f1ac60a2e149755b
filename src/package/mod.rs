//! A problem package: `problems/<slug>/` with its manifest, tests and answers.
//!
//! The answers come from the reference solver. Where a stored answer disagrees with it, the package
//! is broken and says so; nobody is graded on it.

mod contents;
mod difference;
mod error;
mod examples;
mod folder;
mod groups;
mod hacks;
mod inputs;
mod load;
mod manifest;
mod oracle;
mod program;
mod settings;
mod statement;
mod strangers;
mod survey;

pub use contents::{Hack, HackOutcome, Package, Remark, Test};
pub use difference::difference;
pub use error::PackageError;
pub use examples::{Example, accepted_examples};
#[cfg(test)]
pub use folder::EXAMPLE_FOLDERS;
pub use folder::HACKS_FOLDER;
pub use hacks::{FORCE_ENDING, result_file};
pub use inputs::{answer_of, test_files, valid_input};
pub use load::{Library, Loaded, fingerprint, load, load_all, remarks, slugs};
pub use manifest::{Io, Protocol};
pub use oracle::{Case, Complaint, NoOracle, Oracle, Said, TrustingOracle};
pub use program::{Checker, PackageProgram, Reference, Validator};
pub use strangers::strangers;
