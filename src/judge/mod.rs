//! Judging: facts + limits + expected output → verdicts. What is missing is asked for by the planner and measured by the executor.
//!
//! [`plan`], [`fold`] and [`timing`] are pure; only [`execute`] touches the sandbox and a [`FactStore`].

pub mod bench;
mod execute;
mod facts;
mod fold;
mod keys;
mod oracle;
mod outcome;
mod plan;
mod programs;
mod protocol;
pub mod timing;
mod vouch;

pub use execute::{Bench, Judged, Progress, judge};
pub use facts::{FactStore, KnownBuild, MemoryFacts, RunKey};
pub use keys::{Rules, fold_key, provenance, run_policy};
pub use oracle::SandboxOracle;
