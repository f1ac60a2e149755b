//! verdictd, an online-judge style grading daemon.
//!
//! > A verdict is a fold over runs. A run is a fact with a key. The store keeps facts. The planner asks only for the facts that are missing.
//!
//! The modules below stand in reading order, one group a layer; a module uses only layers above it on this page.
//! ARCHITECTURE.md is the map.

pub(crate) mod domain;
pub(crate) mod util;

pub mod compare;
pub mod problems;

pub(crate) mod config;
pub(crate) mod sandbox;

pub(crate) mod intake;
pub(crate) mod package;
pub(crate) mod report;
pub(crate) mod store;
pub(crate) mod toolchain;

pub(crate) mod explain;
pub(crate) mod exports;
pub(crate) mod hack;
pub(crate) mod judge;
pub(crate) mod overview;

pub(crate) mod daemon;

pub(crate) mod web;

pub mod cli;

pub use sandbox::reenter;

/// What the benches measure and nothing else may use.
#[doc(hidden)]
pub mod bench {
    use std::path::PathBuf;

    pub use crate::daemon::bench::fill;
    pub use crate::exports::bench::{MadeExport, make_exports};
    pub use crate::judge::bench::{Contest, Pass, Told};
    pub use crate::overview::bench::{AllPages, MadePages, make_pages};

    /// One scan of a submissions folder: how many names it saw.
    pub fn scan_names(root: PathBuf) -> Result<usize, String> {
        crate::intake::scan_names(root).map_err(|error| error.to_string())
    }
}

/// What the benches and the tests' own programs use, and nothing else may.
#[doc(hidden)]
pub mod inside {
    pub use crate::domain::{Caps, End, Fault, Stop};
    pub use crate::sandbox::{AppFile, Collect, Job, Outcome, Room, Runner, Sandbox, Worker};
}
