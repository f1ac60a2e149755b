//! Judging: facts + limits + expected output → verdicts. What is missing is asked for by the planner and measured by the executor.
//!
//! [`plan`] and [`fold`] are pure; only [`execute`] touches the sandbox and a [`FactStore`].

mod execute;
mod facts;
mod fold;
mod keys;
mod oracle;
mod plan;
mod programs;
mod protocol;

pub use execute::{Bench, Judged, Progress, judge};
pub use facts::{FactStore, KnownBuild, MemoryFacts, RunKey};
pub use keys::{Rules, fold_key, provenance, run_policy};
pub use oracle::SandboxOracle;
