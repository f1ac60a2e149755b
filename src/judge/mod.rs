//! Judging: what is known, what is missing, and what follows from it.
//!
//! [`case::recall`] reads what is known, [`plan::plan`] says what is missing as an
//! [`order::Order`], [`measure::measure`] does the order and hands back facts, [`fold::fold`] makes
//! a judgement of them. Planning, folding, [`timing`] and [`keys`] are pure; only measuring needs a
//! sandbox, and it knows no store.

mod archive;
mod case;
mod fold;
mod given;
mod grade;
pub mod keys;
mod measure;
mod oracle;
pub mod order;
mod outcome;
mod plan;
mod protocol;
mod settle;
pub mod timing;
mod vouch;

pub use archive::{Archive, Layered, Memory, comparison_bytes};
pub use case::parts;
pub use grade::{Grader, Judged, cost_of, judge, provenance, subject};
pub use keys::{Rules, fold_key, run_input};
pub use measure::Station;
pub use oracle::SandboxOracle;
pub use order::{Progress, Worker};
pub use plan::Cost;
pub use vouch::passed_key;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub use tests::samples;
