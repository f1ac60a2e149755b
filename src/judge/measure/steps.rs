//! The tests of a judgement: run once each, or once more near a limit, and compared. Whether a test
//! is measured again is the planner's to say: others may be before it.

use std::sync::Arc;

use super::helper::Asked;
use super::station::{Built, Measuring};
use crate::domain::{Caps, Compared, Digest, Fault, RunFacts, RunKey, Verdict};
use crate::judge::order::{By, Fact, How, Program, Progress, TestStep};
use crate::judge::outcome::{facts_of, job_of, kept_of, room_of};
use crate::judge::question;
use crate::judge::settle::{Standing, compare_bytes, settle};
use crate::judge::timing::{merge, repeat_caps};
use crate::sandbox::Job;
use crate::util::machine;

/// A test of a program that is here.
struct Run<'r> {
    tests: &'r Tests<'r>,
    test: &'r TestStep,
    program: &'r Program,
    built: &'r Built,
}

/// What came of a step.
pub(super) enum Found {
    Verdict(Verdict),
    /// It was measured, and is to be measured again before it counts.
    Near,
    /// Something is gone that it needs, and cannot be made again.
    Gone,
}

/// What the steps of a judgement share.
pub(super) struct Tests<'m> {
    pub program: Option<&'m Program>,
    pub how: &'m How,
    pub repeat_near_limit: bool,
    pub of: usize,
}

impl Measuring<'_, '_> {
    /// Measures a test once, and hands the measurement over.
    pub fn run(
        &mut self,
        tests: &Tests<'_>,
        test: &TestStep,
        before: Option<&RunFacts>,
    ) -> Result<Found, Fault> {
        self.sink.begins(Progress::Running {
            done: test.index,
            of: tests.of,
        });
        let Some(program) = tests.program else {
            return Err(Fault::new("run a test", "the order has no program"));
        };
        let Ok(built) = self.program(program, true)? else {
            return Ok(Found::Gone);
        };
        let limits = &tests.how.limits;
        let run = Run {
            tests,
            test,
            program,
            built: &built,
        };
        // Measurements of two machines say nothing together: it begins anew here.
        let before = before.filter(|facts| machine::is_same(&facts.machine, &self.station.machine));
        let (facts, output) = if let Some(before) = before {
            let (repeat, output) = self.once(&run, repeat_caps(limits, before), true)?;
            let of_repeat = repeat.output.clone();
            let facts = merge(limits, before.clone(), repeat);
            // Where the measurement before counts, its bytes were handed over before.
            let output = (facts.output == of_repeat).then_some(output);
            (facts, output)
        } else {
            let (facts, output) = self.once(&run, Caps::from(limits.clone()), false)?;
            (facts, Some(output))
        };
        let said = self.hand_over(&run, &facts, output.as_ref())?;
        match settle(
            tests.how,
            tests.repeat_near_limit,
            &test.expected,
            Some(&facts),
            said.as_ref(),
        ) {
            Standing::Settled(said) => Ok(Found::Verdict(said.verdict)),
            Standing::Near => Ok(Found::Near),
            Standing::Missing | Standing::Unsaid => {
                Err(Fault::new("judge a run", "its facts do not suffice"))
            }
        }
    }

    /// One run of the program.
    fn once(
        &mut self,
        run: &Run<'_>,
        caps: Caps,
        alone: bool,
    ) -> Result<(RunFacts, Arc<[u8]>), Fault> {
        let (how, built) = (run.tests.how, run.built);
        let language = self.language(run.program)?;
        let toolchain = self.station.toolchain;
        let start = toolchain.start(language, &built.artifact, how.told_memory_bytes)?;
        let input = self.needed(&run.test.input, &run.test.name)?;
        if self.station.room != Some(built.key) {
            self.station.room = None;
            self.station
                .runner
                .enter(&room_of(&built.artifact, &start))?;
            self.station.room = Some(built.key);
        }
        let job = Job {
            alone,
            stack_bytes: start.stack_bytes.or(how.stack_bytes),
            ..job_of(&start, &input, &caps, how.io)
        };
        let outcome = self.station.runner.run(&job)?;
        Ok(facts_of(outcome, how, caps, &start, &self.station.machine))
    }

    /// Hands over what was measured, and what its output is worth where that has to be said now.
    /// A checker that fails costs no run: the run goes first. Of an output that is not kept whole
    /// the opinion goes
    /// first: a run without it would have to be made again.
    fn hand_over(
        &mut self,
        run: &Run<'_>,
        facts: &RunFacts,
        output: Option<&Arc<[u8]>>,
    ) -> Result<Option<Compared>, Fault> {
        let Tests {
            how,
            repeat_near_limit,
            ..
        } = run.tests;
        let standing = settle(
            how,
            *repeat_near_limit,
            &run.test.expected,
            Some(facts),
            None,
        );
        let unsaid = output.filter(|_| standing == Standing::Unsaid);
        let is_whole = facts.output.is_whole();
        let mut said = None;
        if let Some(output) = unsaid
            && !is_whole
        {
            said = Some(self.say(how, run.test, &facts.output.digest, output, true)?);
        }
        let fact = Fact::Ran {
            key: RunKey {
                build: run.program.key,
                input: run.test.input,
                policy: how.policy,
            },
            facts: Box::new(facts.clone()),
        };
        let kept = facts.output.kept.zip(output);
        let bytes = kept.map(|(digest, output)| (digest, kept_of(output)));
        self.tell(&fact, bytes.as_slice())?;
        if let Some(output) = unsaid
            && is_whole
        {
            let unique = how.by.is_checker();
            said = Some(self.say(how, run.test, &facts.output.digest, output, unique)?);
        }
        Ok(said)
    }

    /// Has an output compared that is known.
    pub fn ask(
        &mut self,
        tests: &Tests<'_>,
        test: &TestStep,
        output: &Digest,
    ) -> Result<Found, Fault> {
        let Some(bytes) = self.source.blob(output)? else {
            self.tell(&Fact::Lost(*output), &[])?;
            return Ok(Found::Gone);
        };
        let said = self.say(tests.how, test, output, &bytes, tests.how.by.is_checker())?;
        Ok(Found::Verdict(said.verdict))
    }

    /// What an output is worth. Where a checker says nothing, that is our fault and never the
    /// student's.
    fn say(
        &mut self,
        how: &How,
        test: &TestStep,
        digest: &Digest,
        output: &Arc<[u8]>,
        is_unique: bool,
    ) -> Result<Compared, Fault> {
        let question = question::opinion(&how.by.id(), &test.input, &test.expected, digest);
        let known = match &how.by {
            By::Mode { .. } => None,
            By::Checker(_) => self.source.opinion(&question)?,
        };
        let is_unique = is_unique && known.is_none();
        let said = match known {
            Some(said) => said,
            None => self.compare(how, test, output)?,
        };
        let fact = Fact::Opinion {
            question,
            said: said.clone(),
            is_unique,
        };
        self.tell(&fact, &[])?;
        Ok(said)
    }

    fn compare(
        &mut self,
        how: &How,
        test: &TestStep,
        output: &Arc<[u8]>,
    ) -> Result<Compared, Fault> {
        let expected = self.needed(&test.expected, &test.name)?;
        match &how.by {
            By::Mode { mode, wrong_layout } => {
                Ok(compare_bytes(mode, *wrong_layout, &expected, output))
            }
            By::Checker(checker) => {
                let input = self.needed(&test.input, &test.name)?;
                let case = Asked {
                    input: &input,
                    expected: &expected,
                    output,
                };
                self.opinion(checker, &case)?.map_err(|complaint| {
                    let problem = &self.order.problem;
                    let step = format!("ask the checker of {problem} about {}", test.name);
                    Fault::new(step, complaint.reason)
                })
            }
        }
    }
}
