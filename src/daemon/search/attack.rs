//! Inputs that may break an accepted program: those that broke others, small ones, generated ones,
//! and tests that were changed. One that does is proposed to the instructor as a hack.

use std::sync::Arc;
use std::time::Duration;

use super::program::{Program, evidence};
use super::turn::Candidate;
use super::{Ended, Searcher};
use crate::daemon::shared::store_fault;
use crate::domain::{Fault, Verdict};
use crate::explain::search::{
    Ask as _, Budget, BuiltIn, Failed, Found, RUNS_MAX, Smallest, Way, smallest,
};
use crate::judge::subject;
use crate::package::Test;
use crate::problems::Task;
use crate::store::NewProposal;
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::digest;

/// Counterexamples of other programs that are tried, the latest ones.
const OTHERS_MAX: u32 = 100;
/// Percent of the budget after which small inputs are no longer listed.
const SMALL_SHARE: u32 = 25;
/// Small inputs that are joined to one.
const JOINED_MAX: usize = 100;
/// Bytes of an input that is tried.
const INPUT_BYTES_MAX: usize = 256 * 1024;
/// Rounds of generated and changed inputs.
const ROUNDS_MAX: u64 = 1_000;
/// How much more CPU time a hit may take to be made smaller, in percent of the budget.
const SMALLER_SHARE: u32 = 100;

/// An input on which the program fails, and where it comes from.
struct Hit {
    input: Arc<[u8]>,
    expected: Arc<[u8]>,
    printed: Arc<[u8]>,
    verdict: Verdict,
    origin: String,
}

impl Searcher<'_> {
    /// Tries to break an accepted program, unless that was tried before.
    pub(super) fn attack(
        &self,
        candidate: &Candidate,
        program: &mut Program<'_>,
    ) -> Result<Ended, Fault> {
        let judged = program.judged()?;
        let subject = subject(&judged, program.about.package);
        if self.is_known(candidate, program, subject)? {
            return Ok(Ended::Done(program.spent));
        }
        if let Some(task) = program.about.package.task()
            && let Some(hit) = first_hit(program, task)?
            && let Some((smallest, verdict)) = smaller(program, task, &hit)?
        {
            point("hack found");
            self.propose(candidate, program, &hit, smallest, verdict)?;
        } else if program.is_stopped && !self.memory.is_last_try(candidate) {
            return Ok(Ended::Stopped(program.spent));
        }
        self.keep(candidate, subject, None)?;
        Ok(Ended::Done(program.spent))
    }

    fn propose(
        &self,
        (submission, _): &Candidate,
        program: &Program<'_>,
        hit: &Hit,
        smallest: Smallest,
        verdict: Verdict,
    ) -> Result<(), Fault> {
        let mut evidence = evidence(&smallest, program.about.package.task());
        if matches!(smallest.found.way, Way::Test | Way::Cut | Way::Prefix) {
            evidence.found_by.clone_from(&hit.origin);
        }
        let input = &smallest.found.input;
        let proposal = NewProposal {
            problem: submission.problem.clone(),
            submission: submission.id,
            digest: digest(input),
            input: input.to_vec(),
            verdict,
            evidence,
            found_ms: now_ms(),
        };
        let proposed = self.shared.store.writer().propose(proposal);
        let proposed = proposed.map_err(store_fault("keep a hack that was found"))?;
        let (student, problem) = (&submission.student, &submission.problem);
        tracing::info!(%student, %problem, proposed, "an input breaks an accepted program");
        point("hack proposed");
        self.shared.look_at_proposals();
        Ok(())
    }
}

/// The first input that breaks the program, twice.
fn first_hit(program: &mut Program<'_>, task: &'static dyn Task) -> Result<Option<Hit>, Fault> {
    let problem = &program.about.submission.problem;
    let others = program.reader.counterexamples(problem, OTHERS_MAX);
    let others = others.map_err(store_fault("read counterexamples"))?;
    for input in others {
        if let Some(hit) = tried(program, task, input.into_bytes(), || {
            "a counterexample of another program".to_owned()
        })? {
            return Ok(Some(hit));
        }
    }
    if let Some(hit) = small(program, task)? {
        return Ok(Some(hit));
    }
    for seed in 0..ROUNDS_MAX {
        for family in task.families() {
            if program.is_over() {
                return Ok(None);
            }
            let generated = task.generate(family.name, seed).unwrap_or_default();
            let by = || format!("family {}", family.name);
            if let Some(hit) = tried(program, task, generated, by)? {
                return Ok(Some(hit));
            }
        }
        let changed = changed(task, &program.about.package.tests, seed);
        let by = || "a test that was changed".to_owned();
        if let Some(hit) = tried(program, task, changed.unwrap_or_default(), by)? {
            return Ok(Some(hit));
        }
    }
    Ok(None)
}

/// The small inputs of the problem, many joined to one.
fn small(program: &mut Program<'_>, task: &'static dyn Task) -> Result<Option<Hit>, Fault> {
    let share = program.budget * SMALL_SHARE / 100;
    let mut cells = 1;
    while let Some(mut inputs) = task.small(cells) {
        loop {
            let batch: Vec<Vec<u8>> = inputs.by_ref().take(JOINED_MAX).collect();
            if batch.is_empty() {
                break;
            }
            if program.is_over() || program.spent >= share {
                return Ok(None);
            }
            let joined = task.joined(&batch).ok().flatten();
            let by = || "enumeration".to_owned();
            if let Some(hit) = tried(program, task, joined.unwrap_or_default(), by)? {
                return Ok(Some(hit));
            }
        }
        cells += 1;
    }
    Ok(None)
}

/// A test, changed in one step: one of its simpler forms, another one for each seed.
fn changed(task: &dyn Task, tests: &[Test], seed: u64) -> Option<Vec<u8>> {
    let place = |count: usize, seed: u64| usize::try_from(seed % count.max(1) as u64).ok();
    let test = tests.get(place(tests.len(), seed)?)?;
    let mut simpler = task.shrink(&test.input).ok()?;
    let at = place(simpler.len(), seed / tests.len().max(1) as u64)?;
    (at < simpler.len()).then(|| simpler.swap_remove(at))
}

/// Runs the program on an input, and again if it fails: a hit is believed if both runs say the
/// same.
fn tried(
    program: &mut Program<'_>,
    task: &dyn Task,
    input: Vec<u8>,
    origin: impl Fn() -> String,
) -> Result<Option<Hit>, Fault> {
    if program.is_over() || input.len() > INPUT_BYTES_MAX {
        return Ok(None);
    }
    let Ok(expected) = task.answer(&input) else {
        return Ok(None);
    };
    let (input, expected): (Arc<[u8]>, Arc<[u8]>) = (Arc::from(input), Arc::from(expected));
    if program.ask(&input, &expected)?.verdict == Verdict::Accepted {
        return Ok(None);
    }
    let again = program.sure(&input, &expected)?;
    Ok(again.map(|(verdict, printed)| Hit {
        input,
        expected,
        printed,
        verdict,
        origin: origin(),
    }))
}

/// The hit, made smaller, and the verdict on that: believed after one more run as well.
fn smaller(
    program: &mut Program<'_>,
    task: &'static dyn Task,
    hit: &Hit,
) -> Result<Option<(Smallest, Verdict)>, Fault> {
    program.budget += program.budget * SMALLER_SHARE / 100;
    let failed = Failed {
        verdict: hit.verdict,
        input: &hit.input,
        expected: &hit.expected,
        printed: &hit.printed,
        mode: &program.about.package.mode,
    };
    let budget = Budget {
        cpu: program
            .budget
            .saturating_sub(program.spent)
            .max(Duration::from_millis(1)),
        runs: RUNS_MAX,
    };
    let mut found = smallest(&failed, &mut BuiltIn(task), program, budget)?;
    let Found {
        input, expected, ..
    } = found.found.clone();
    if program.is_stopped || found.found.way == Way::Test {
        return Ok(Some((found, hit.verdict)));
    }
    match program.sure(&input, &expected)? {
        Some((verdict, _)) if verdict == hit.verdict => Ok(Some((found, verdict))),
        Some(_) | None => {
            found.found = Found {
                input: Arc::clone(&hit.input),
                expected: Arc::clone(&hit.expected),
                printed: Arc::clone(&hit.printed),
                way: Way::Test,
            };
            Ok(Some((found, hit.verdict)))
        }
    }
}
