//! The oracle that the daemon reads packages with: it remembers in the store.

use super::shared::Shared;
use super::store_facts::StoreFacts;
use crate::config::Config;
use crate::judge::{Bench, Rules, SandboxOracle};
use crate::package::Oracle;
use crate::sandbox::OnDemand;
use crate::store::StoreError;
use crate::toolchain::Toolchain;

/// Does something that may need programs of packages to be run. `index` is the runner's, made where it is needed: no worker's.
pub fn with_oracle<T>(
    shared: &Shared,
    toolchain: &Toolchain,
    config: &Config,
    index: usize,
    work: impl FnOnce(&mut dyn Oracle) -> T,
) -> Result<T, StoreError> {
    let reader = shared.store.reader()?;
    let facts = StoreFacts {
        writer: shared.store.writer(),
        reader: &reader,
    };
    let mut runner = OnDemand::new(&shared.sandbox, index);
    let bench = Bench {
        runner: &mut runner,
        toolchain,
        facts: &facts,
        rules: Rules {
            stop_at_first_failure: false,
            policy: shared.sandbox.policy_digest(),
            build: config.build.clone(),
        },
    };
    Ok(work(&mut SandboxOracle::new(bench)))
}
