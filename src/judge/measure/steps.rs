//! The tests of a judgement: run once each, or once more near a limit, and compared. Whether a test
//! is measured again is the planner's to say: others may be before it.

use std::sync::Arc;

use super::program::{BuildOutcome, Built, Measuring};
use crate::domain::{Compared, Digest, Fault, Limits, RunFacts, RunKey, Verdict};
use crate::judge::keys;
use crate::judge::order::{
    Fact, Helper, JudgeWork, OutputCheck, Program, Progress, RunSpec, TestStep,
};
use crate::judge::outcome::{facts_of, job_of, kept_of};
use crate::judge::protocol::{checker_run, compared, ended};
use crate::judge::settle::{Standing, compare_bytes, settle};
use crate::judge::timing::{is_repeated_alone, merge, repeat_caps};
use crate::sandbox::Job;
use crate::util::machine;

/// A test of a program that is here.
pub(super) struct Run<'r> {
    pub work: &'r JudgeWork,
    pub test: &'r TestStep,
    pub program: &'r Program,
    pub built: &'r Built,
}

/// What came of a step.
pub(super) enum Found {
    Verdict(Verdict),
    /// It was measured, and is to be measured again before it counts.
    NearLimit,
    /// Something is gone that it needs, and cannot be made again.
    Gone,
}

impl Measuring<'_, '_> {
    /// Measures a test once, and hands the measurement over.
    pub(super) fn run(
        &mut self,
        work: &JudgeWork,
        test: &TestStep,
        before: Option<&RunFacts>,
    ) -> Result<Found, Fault> {
        self.sink.begins(Progress::Running {
            done: test.index,
            of: work.total_tests,
        });
        let Some(program) = &work.program else {
            return Err(Fault::new("run a test", "the order has no program"));
        };
        let BuildOutcome::Built(built) = self.program(program, true)? else {
            return Ok(Found::Gone);
        };
        let limits = &work.spec.limits;
        let run = Run {
            work,
            test,
            program,
            built: &built,
        };
        // Measurements of two machines say nothing together: it begins anew here.
        let before = before.filter(|facts| machine::is_same(&facts.machine, &self.station.machine));
        let (facts, output) = if let Some(before) = before {
            let alone = is_repeated_alone(limits, before);
            let (repeat, output) = self.once(&run, repeat_caps(limits, before), alone)?;
            let of_repeat = repeat.output.clone();
            let facts = merge(limits, before.clone(), repeat);
            // Where the measurement before counts, its bytes were handed over before.
            let output = (facts.output == of_repeat).then_some(output);
            (facts, output)
        } else {
            let (facts, output) = self.once(&run, limits.clone(), false)?;
            (facts, Some(output))
        };
        let compared = self.hand_over(&run, &facts, output.as_ref())?;
        match run.standing(&facts, compared.as_ref()) {
            Standing::Settled(compared) => Ok(Found::Verdict(compared.verdict)),
            Standing::NearLimit => Ok(Found::NearLimit),
            Standing::Missing | Standing::NotCompared => Err(Fault::new(
                format!("judge {} on {}", program.name, test.name),
                "what was measured does not suffice for a verdict",
            )),
        }
    }

    /// One run of the program.
    fn once(
        &mut self,
        run: &Run<'_>,
        caps: Limits,
        alone: bool,
    ) -> Result<(RunFacts, Arc<[u8]>), Fault> {
        let (spec, built) = (&run.work.spec, run.built);
        let language = self.language(run.program)?;
        let toolchain = self.station.toolchain;
        let start = toolchain.start(language, &built.artifact, spec.advertised_memory_bytes)?;
        if let OutputCheck::Talk(with, rounds) = &spec.check {
            let with = &run.test.tell(with);
            return self.talk(run, &start, (with, *rounds), &caps, alone);
        }
        let input = self.needed(&run.test.input, &run.test.name)?;
        self.enter(built, &start)?;
        let job = Job {
            alone,
            stack_bytes: start.stack_bytes.or(spec.stack_bytes),
            ..job_of(&start, &input, &caps, spec.io)
        };
        let outcome = self.station.runner.run(&job)?;
        Ok(facts_of(outcome, spec, caps, &start, &self.station.machine))
    }

    /// Hands over what was measured, and then what its output is worth, where that has to be said
    /// now: a checker that fails costs no run.
    fn hand_over(
        &mut self,
        run: &Run<'_>,
        facts: &RunFacts,
        output: Option<&Arc<[u8]>>,
    ) -> Result<Option<Compared>, Fault> {
        let spec = &run.work.spec;
        let fact = Fact::Ran {
            key: RunKey {
                build: run.program.key,
                input: spec.run_input(&run.test.input, &run.test.expected, run.test.told.as_ref()),
                policy: spec.policy,
            },
            facts: Arc::new(facts.clone()),
        };
        let kept = facts.output.kept.zip(output);
        let bytes = kept.map(|(digest, output)| (digest, kept_of(output)));
        self.tell(&fact, bytes.as_slice())?;
        let is_open = run.standing(facts, None) == Standing::NotCompared;
        let Some(output) = output.filter(|_| is_open) else {
            return Ok(None);
        };
        // Of an output that is not kept whole, only another run could be compared again.
        let is_unique = spec.check.is_checker() || !facts.output.is_whole();
        let compared =
            self.judge_output(spec, run.test, &facts.output.digest, output, is_unique)?;
        Ok(Some(compared))
    }

    /// Has an output compared that is known.
    pub(super) fn ask(
        &mut self,
        work: &JudgeWork,
        test: &TestStep,
        output: &Digest,
    ) -> Result<Found, Fault> {
        let Some(bytes) = self.source.blob(output)? else {
            self.tell(&Fact::Lost(*output), &[])?;
            return Ok(Found::Gone);
        };
        let is_unique = work.spec.check.is_checker();
        let compared = self.judge_output(&work.spec, test, output, &bytes, is_unique)?;
        Ok(Found::Verdict(compared.verdict))
    }

    /// What an output is worth, which was asked before or is asked now, and is handed over.
    fn judge_output(
        &mut self,
        spec: &RunSpec,
        test: &TestStep,
        digest: &Digest,
        output: &Arc<[u8]>,
        is_unique: bool,
    ) -> Result<Compared, Fault> {
        let asked = keys::comparison(&spec.check.id(), &test.input, &test.expected, digest);
        let question = keys::told_instead(asked, test.told.as_ref());
        let known = match &spec.check {
            OutputCheck::Comparison { .. } | OutputCheck::Talk(..) => None,
            OutputCheck::Checker(_) => self.source.comparison(&question)?,
        };
        let is_unique = is_unique && known.is_none();
        let compared = match known {
            Some(compared) => compared,
            None => self.compare(spec, test, digest, output)?,
        };
        let fact = Fact::Compared {
            question,
            compared: compared.clone(),
            is_unique,
        };
        self.tell(&fact, &[])?;
        Ok(compared)
    }

    /// Compares an output. Where a checker says nothing, that is our fault and never the student's.
    fn compare(
        &mut self,
        spec: &RunSpec,
        test: &TestStep,
        digest: &Digest,
        output: &Arc<[u8]>,
    ) -> Result<Compared, Fault> {
        match &spec.check {
            OutputCheck::Comparison { mode, wrong_layout } => {
                let expected = self.needed(&test.expected, &test.name)?;
                Ok(compare_bytes(mode, *wrong_layout, &expected, output))
            }
            OutputCheck::Talk(..) => {
                let said = spec.compare(&[], output);
                said.ok_or_else(|| Fault::new("read what was said", "there is no opinion in it"))
            }
            OutputCheck::Checker(checker) => {
                let checker = &test.tell(checker);
                self.checked(checker, test, (digest, output))
            }
        }
    }

    /// What a checker says of an output.
    pub(super) fn checked(
        &mut self,
        checker: &Helper,
        test: &TestStep,
        (digest, output): (&Digest, &Arc<[u8]>),
    ) -> Result<Compared, Fault> {
        let run = checker_run(checker, [test.input, test.expected, *digest]);
        let outcome = self.call(checker, Some(&run), Some((digest, output)))?;
        ended(checker, outcome)
            .and_then(|end| compared(checker, &end, output))
            .map_err(|complaint| {
                let problem = &self.order.problem;
                let step = format!("ask the checker of {problem} about {}", test.name);
                Fault::new(step, complaint.reason)
            })
    }
}

impl Run<'_> {
    /// What these facts say.
    fn standing(&self, facts: &RunFacts, compared: Option<&Compared>) -> Standing {
        settle(
            &self.work.spec,
            self.work.repeat_near_limit,
            &self.test.expected,
            Some(facts),
            compared,
        )
    }
}
