//! The oracle that the daemon reads packages with: it remembers in the store.

use std::sync::Arc;

use super::facts::FactSink;
use super::shared::{Languages, Shared};
use crate::config::Config;
use crate::judge::{Grader, Rules, SandboxOracle, Station};
use crate::package::Oracle;
use crate::store::StoreError;

/// What packages are read with.
#[derive(Clone)]
pub struct OracleHost {
    /// The configuration.
    pub config: Arc<Config>,
    /// The languages of the packages' programs.
    pub languages: Arc<Languages>,
    /// The number of the runner that is made where a program has to be run: no worker's.
    pub runner: usize,
}

/// Does something that may need programs of packages to be run.
pub fn with_oracle<T>(
    shared: &Shared,
    host: &OracleHost,
    work: impl FnOnce(&mut dyn Oracle) -> T,
) -> Result<T, StoreError> {
    let reader = shared.store.reader()?;
    let mut sink = FactSink::at_once(shared.store.writer());
    let mut runner = shared.sandbox.runner(host.runner);
    let toolchain = &host.languages.toolchain;
    let mut station = Station::new(&mut runner, toolchain, Arc::clone(&shared.machine));
    let grader = Grader {
        worker: &mut station,
        toolchain,
        archive: &reader,
        sink: &mut sink,
        rules: Rules {
            stop_at_first_failure: false,
            repeat_near_limit: true,
            ..shared.rules(&host.config)
        },
    };
    Ok(work(&mut SandboxOracle::new(grader)))
}
