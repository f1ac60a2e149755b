//! verdictd, an online-judge style grading daemon.
//!
//! > A verdict is a fold over runs. A run is a fact with a key. The store keeps facts. The planner
//! > asks only for the facts that are missing.
//!
//! The modules below stand in reading order, one group a layer; a module uses only layers above it
//! on this page.
//! ARCHITECTURE.md is the map.

mod domain;
mod util;

mod compare;
mod problems;
mod view;

mod config;
mod sandbox;

mod access;
mod intake;
mod package;
mod report;
mod store;
mod toolchain;

mod course;
mod explain;
mod exports;
mod hack;
mod judge;
mod lms;
mod overview;
mod places;

mod cluster;
mod daemon;
mod strength;

mod web;

mod cli;

pub use cli::run;
pub use sandbox::reenter;

/// What the benches and the tests' own programs use, and nothing else may. No promise is made
/// about any of it.
#[doc(hidden)]
pub mod internals {
    pub use crate::config::{Config, load as load_config};
    pub use crate::domain::{
        End, Fault, FaultKind, First, Limits, RunFacts, SourceFile, Speaker, Stop, SubmissionId,
    };
    pub use crate::judge::order::{Bytes, Fact, Flow, Sink};
    pub use crate::judge::{Grader, Memory, Rules, Station, judge};
    pub use crate::package::{NoOracle, Package, load_all};
    pub use crate::problems::Problem;
    pub use crate::problems::curling::Curling;
    pub use crate::problems::regions::Regions;
    pub use crate::problems::thegame::TheGame;
    pub use crate::sandbox::{
        AppFile, Cancel, Collect, Conversed, Job, Outcome, Room, Runner, Sandbox, SandboxRunner,
    };
    pub use crate::toolchain::Toolchain;
    pub use crate::util::cores::Cores;
    pub use crate::util::hash::digest;

    pub mod cluster {
        pub use crate::cluster::about::{Looking, machine_of};
        pub use crate::cluster::access::{Access, Credentials, Role, connect};
        pub use crate::cluster::admission::Admission;
        pub use crate::cluster::blobs::{Blobs, get};
        pub use crate::cluster::hub::{Hub, Setup};
        pub use crate::cluster::subjects::{self, ALL_NEWS, Kind, Name};
        pub use crate::cluster::wire::{About, Id};
        pub use crate::cluster::worker::{Link, Place, join};
        pub use crate::domain::{LanguageId, ProblemSlug, Student, Submission};
        pub use crate::judge::Archive;
        pub use crate::judge::order::{Ended, Order, Source, Worker};
        pub use crate::places::{Borrower, Machine, Pool, Ticket};
        pub use crate::toolchain::FileDigests;
        pub use crate::util::calibrate::Pace;
        pub use crate::util::signals::Signals;
    }
}
