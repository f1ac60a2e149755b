//! A problem package: `problems/<slug>/` with its manifest, tests and answers.
//!
//! The answers come from the reference solver. Where a stored answer disagrees with it, the package
//! is broken and says so; nobody is graded on it.

mod bytes;
mod constants;
mod contents;
mod difference;
mod error;
pub mod export;
mod format;
mod groups;
mod hacks;
pub mod import;
mod included;
mod inputs;
mod kattis;
mod load;
mod manifest;
mod oracle;
mod outline;
mod program;
mod remarks;
mod samples;
mod statement;
mod strangers;
mod tree;
mod yaml;
mod zipped;

pub use bytes::TestBytes;
#[cfg(test)]
pub use constants::Constants;
pub use contents::{Hack, HackOutcome, Package, Test};
pub use difference::difference;
pub use error::Trouble;
pub use format::Format;
pub use hacks::{FORCE_ENDING, result_file};
pub use included::DEFAULT_FOLDER;
pub use inputs::{answer_of, refusal, valid_input, validate};
pub use load::{Library, Loaded, load_all, look};
pub use manifest::{Gives, Io, Protocol};
pub use oracle::{Case, NoOracle, Oracle, TrustingOracle};
pub use outline::Found;
pub use program::{Checker, Example, PackageProgram, Reference, Validator, accepted_examples};
pub use remarks::Remark;
pub use strangers::{slugs, strangers, survey};
pub use tree::HACKS_FOLDER;
pub use zipped::{Home, sweep, taken};
