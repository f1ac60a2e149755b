//! A submission's program, ready to be run on further inputs: in sandboxes that are there only for
//! that, or on other machines. What is measured is kept by nobody.

use std::sync::Arc;
use std::time::Duration;

use super::Searcher;
use super::desk::Time;
use crate::daemon::shared::{Setup, store_fault};
use crate::domain::{Fault, Submission};
use crate::explain::{About, Budget, Measured, Place};
use crate::fleet::{self, Workers};
use crate::judge::order::Worker;
use crate::judge::{Above, Grader, Memory, SandboxOracle, Station};
use crate::package::Oracle;
use crate::sandbox::{OnDemand, Runner as _};
use crate::store::Reader;

/// Runs of one search, however short they are.
const RUNS_MAX: usize = 5_000;

/// The program, and what is asked beside it.
pub struct Target<'a> {
    pub submission: &'a Submission,
    pub reader: &'a Reader,
    pub program: Measured<'a>,
    /// Asks the programs of its package.
    pub oracle: &'a mut dyn Oracle,
}

impl Searcher<'_> {
    /// Does something with a submission's program, at this cost; `None` where it cannot be run now.
    pub(super) fn with_target<T>(
        &self,
        submission: &Submission,
        cpu: Duration,
        time: &Time,
        work: impl FnOnce(Target<'_>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let shared = self.shared;
        let Setup {
            library, languages, ..
        } = &time.setup;
        let reader = shared.store.reader();
        let reader = reader.map_err(store_fault("open the store"))?;
        let known = reader.submission(submission.id);
        let known = known.map_err(store_fault("read the submission"))?;
        let package = library.get(&submission.problem);
        let toolchain = &languages.toolchain;
        let language = toolchain.language(&submission.language);
        let version = languages.version(&submission.language);
        let (Some((_, source)), Some(Ok(package)), Some(language), Some(version)) =
            (known, package, language, version)
        else {
            return Ok(None);
        };
        // The package's programs have a sandbox too: otherwise each question would cost a room.
        let make = |number| {
            let mut runner = OnDemand::new(&shared.sandbox, number);
            runner.heed(Some(&time.cancel));
            runner
        };
        let runner = self.common.runner + 2 * self.number;
        let mut runners = [make(runner), make(runner + 1)];
        let stations = runners.each_mut();
        let station = |runner| Station::new(runner, toolchain, Arc::clone(&shared.machine));
        let [mut here, mut packages] = stations.map(|runner| station(runner));
        let what = Arc::from(format!(
            "{}/{} (search)",
            submission.student, submission.problem
        ));
        let about = fleet::About {
            toolchain,
            submission,
            what: &what,
            cancel: Some(&time.cancel),
        };
        let mut elsewhere = Workers::new(&self.common.orders, about, None, None);
        let worker: &mut dyn Worker = if self.number == 0 {
            &mut here
        } else {
            &mut elsewhere
        };
        let rules = time.setup.rules(shared);
        let memory = Memory::default();
        let archive = Above {
            memory: &memory,
            store: Some(&reader),
            recalls_runs: true,
        };
        let mut sink = &memory;
        let mut oracle = SandboxOracle::new(Grader {
            worker: &mut packages,
            toolchain,
            archive: &archive,
            sink: &mut sink,
            rules: rules.clone(),
        });
        let about = About {
            source: &source,
            language,
            version,
            toolchain,
            package,
        };
        let place = Place {
            worker,
            store: Some(&reader),
            rules,
        };
        let budget = Budget {
            cpu,
            runs: RUNS_MAX,
            ..Budget::default()
        };
        let target = Target {
            submission,
            reader: &reader,
            program: Measured::new(about, place, budget, &|| {}),
            oracle: &mut oracle,
        };
        work(target).map(Some)
    }
}
