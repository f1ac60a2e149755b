//! A submission's program, ready to be run on further inputs: in sandboxes that are there only for
//! that, or on other machines. What is measured is kept by nobody.

use std::sync::Arc;
use std::time::Duration;

use super::desk::Time;
use crate::daemon::shared::{Setup, Shared};
use crate::domain::{Fault, SourceFile, Submission};
use crate::explain::{About, Budget, Measured, Place};
use crate::judge::order::Worker;
use crate::judge::{Grader, Layered, Memory, SandboxOracle, Station};
use crate::package::{Oracle, Package};
use crate::places::Borrower;
use crate::sandbox::Runner as _;
use crate::store::Reader;
use crate::toolchain::Language;

/// Wall-clock time of one search on other machines: most of it passes while others use them.
const WALL_ELSEWHERE: Duration = Duration::from_hours(1);

/// The program, and what is asked beside it.
pub struct Target<'a> {
    pub submission: &'a Submission,
    pub reader: &'a Reader,
    pub program: Measured<'a>,
    /// What a search may use.
    pub budget: Budget,
    /// Asks the programs of its package.
    pub oracle: &'a mut dyn Oracle,
}

/// What a searcher has for itself.
pub struct Own {
    /// Its number.
    pub searcher: usize,
    /// The first of its two sandboxes.
    pub runner: usize,
}

/// Whether a searcher has students' programs run on this machine; the others have other machines do
/// so.
pub fn is_here(searcher: usize) -> bool {
    searcher == 0
}

/// Does something with a submission's program, at this cost; `None` where it cannot be run now.
pub fn with_target<T>(
    shared: &Shared,
    own: &Own,
    submission: &Submission,
    cpu: Duration,
    time: &Time,
    work: impl FnOnce(Target<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let reader = shared.store.reader()?;
    let Some((source, (package, language, version))) = known(&reader, submission, &time.setup)?
    else {
        return Ok(None);
    };
    let (toolchain, cancel) = (&time.setup.languages.toolchain, &time.cancel);
    // The package's programs have a sandbox too: otherwise each question would cost a room.
    let mut runners = [own.runner, own.runner + 1].map(|number| {
        let mut runner = shared.sandbox.runner(number);
        runner.set_cancel(Some(cancel));
        runner
    });
    let station = |runner| Station::new(runner, toolchain, Arc::clone(&shared.machine));
    let [mut here, mut packages] = runners.each_mut().map(|runner| station(runner));
    let pool = &shared.pool;
    let mut elsewhere = Borrower::searching(pool, own.searcher, submission, toolchain, cancel);
    let usual = Budget::default();
    let (worker, wall): (&mut dyn Worker, _) = if is_here(own.searcher) {
        (&mut here, usual.wall)
    } else {
        (&mut elsewhere, WALL_ELSEWHERE)
    };
    let rules = time.setup.rules(shared);
    let memory = Memory::default();
    let archive = Layered {
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
    let measured = Place {
        worker,
        store: Some(&reader),
        rules,
    };
    let target = Target {
        submission,
        reader: &reader,
        program: Measured::new(about, measured, &|| {}),
        budget: Budget { cpu, wall, ..usual },
        oracle: &mut oracle,
    };
    work(target).map(Some)
}

/// A submission's package, its language, and that language's version.
type Known<'s> = (&'s Package, &'s Language, &'s str);

/// The submission's program, and what is in force for it; `None` where it cannot be run now.
fn known<'s>(
    reader: &Reader,
    submission: &Submission,
    setup: &'s Setup,
) -> Result<Option<(SourceFile, Known<'s>)>, Fault> {
    let known = reader.submission(submission.id)?;
    let package = setup.package(&submission.problem);
    let language = setup.language(&submission.language);
    let (Some((_, source)), Ok(package), Ok((language, version))) = (known, package, language)
    else {
        return Ok(None);
    };
    Ok(Some((source, (package, language, version))))
}
