//! Whether facts are about the order that they are said to be of. A worker says what it wants; it
//! must not say it about another submission, or another test, and not without end.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::cluster::wire::Wrong;
use crate::domain::bounds::{
    ARTIFACT_BYTES_MAX, ARTIFACT_FILES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX, STDERR_KEPT_BYTES_MAX,
};
use crate::domain::{Build, Digest, Fault, RunFacts};
use crate::judge::keys::{comparison, told_instead};
use crate::judge::order::{Blob, Fact, JudgeWork, Order, OutputCheck, Program, Step, TestStep};
use crate::util::excerpt::visible_line;

/// Longest words of a fault, in characters.
const WORDS_MAX: usize = 2_000;
/// Facts of one step of an order: each measurement of it, and what its output is worth.
const FACTS_A_STEP: usize = 16;
/// Facts of each program of an order.
const FACTS_A_PROGRAM: usize = 8;
/// The longest time that a fact may name: nothing is ever run for that long.
const TIME_MAX: Duration = Duration::from_hours(10_000);
/// The most bytes that a fact may speak of: what the store can count.
const COUNT_MAX: u64 = i64::MAX as u64;

/// Bytes by their digests.
pub type Found = HashMap<Digest, Arc<[u8]>>;

/// What an order's facts may be about. Orders for other work than judging go to no other machine.
pub struct Check<'o> {
    work: Option<&'o JudgeWork>,
    programs: Vec<&'o Program>,
    /// Who says whether an output is right.
    by: Option<Digest>,
    /// Questions that this order or its own runs have raised.
    raised: HashSet<Digest>,
    /// Facts that may still come.
    left: usize,
}

impl<'o> Check<'o> {
    /// For an order that goes out.
    pub fn new(order: &'o Order) -> Self {
        let (work, programs) = (order.work.judge(), order.work.programs());
        let steps = work.map_or(0, |work| work.steps.len());
        let mut check = Self {
            by: work.map(|work| work.spec.check.id()),
            left: programs.len() * FACTS_A_PROGRAM + steps * FACTS_A_STEP,
            work,
            programs,
            raised: HashSet::new(),
        };
        for step in check.steps() {
            if let Step::Ask { test, output } = step {
                check.raise(|_, input| *input == test.input, output);
            }
        }
        check
    }

    fn steps(&self) -> &'o [Step] {
        self.work.map_or(&[], |work| &work.steps)
    }

    /// Whether a fact may be kept, and the bytes that it names.
    pub fn checked(&mut self, fact: &Fact, found: &Found) -> Result<Vec<Blob>, Wrong> {
        self.left = self.left.checked_sub(1).ok_or(Wrong::Many)?;
        if !self.is_of_order(fact) {
            return Err(Wrong::Elsewhere);
        }
        if let Fact::Ran { key, facts } = fact {
            let (run, output) = (&key.input, &facts.output.digest);
            self.raise(|of_run, _| of_run == run, output);
        }
        let mut blobs: Vec<Blob> = Vec::new();
        for digest in fact.named() {
            let blob = found.get(&digest).ok_or(Wrong::Bytes(digest))?;
            blobs.push((digest, Arc::clone(blob)));
        }
        let bytes_max = match fact {
            Fact::Built { .. } => ARTIFACT_BYTES_MAX,
            _ => OUTPUT_KEPT_WHOLE_BYTES_MAX as u64,
        };
        if blobs.iter().map(|(_, blob)| blob.len() as u64).sum::<u64>() > bytes_max {
            return Err(Wrong::TooLong);
        }
        Ok(blobs)
    }

    fn is_of_order(&self, fact: &Fact) -> bool {
        let Some(work) = self.work else {
            return false;
        };
        match fact {
            Fact::Built { key, build } => {
                self.programs.iter().any(|program| program.key == *key) && is_possible(build)
            }
            Fact::Ran { key, facts } => {
                let mut steps = work.steps.iter();
                let program = work.program.as_ref();
                program.is_some_and(|program| program.key == key.build)
                    && key.policy == work.spec.policy
                    && steps.any(|step| run_of(work, step.test()) == key.input)
                    && is_plausible(facts, matches!(work.spec.check, OutputCheck::Talk(..)))
            }
            Fact::Compared { question, .. } => self.raised.contains(question),
            Fact::Lost(digest) => self.names(digest),
            Fact::Answered { .. } | Fact::Called(_) => false,
        }
    }

    /// An output is asked about, on the tests that are meant by their run or their input.
    fn raise(&mut self, is_meant: impl Fn(&Digest, &Digest) -> bool, output: &Digest) {
        let (Some(by), Some(work)) = (&self.by, self.work) else {
            return;
        };
        let tests = work.steps.iter().map(Step::test);
        let tests = tests.filter(|test| is_meant(&run_of(work, test), &test.input));
        self.raised.extend(tests.map(|test| {
            let asked = comparison(by, &test.input, &test.expected, output);
            told_instead(asked, test.told.as_ref())
        }));
    }

    /// Whether the order names these bytes: a worker gets no others.
    pub fn names(&self, wanted: &Digest) -> bool {
        let of_step = |step: &Step| match step {
            Step::Run { test, .. } => [test.input, test.expected].contains(wanted),
            Step::Ask { test, output } => [test.input, test.expected, *output].contains(wanted),
        };
        let of_program = |program: &&Program| {
            let built = program.built.iter().flat_map(|built| &built.files);
            let mut files = program.headers.iter().chain(built);
            program.source == *wanted || files.any(|file| file.digest == *wanted)
        };
        self.steps().iter().any(of_step) || self.programs.iter().any(of_program)
    }
}

/// The bytes that follow a fact, each of one of these lengths.
pub fn inline(lengths: &[u64], mut rest: &[u8]) -> Result<Vec<Arc<[u8]>>, Wrong> {
    let mut found = Vec::new();
    for length in lengths {
        let length = usize::try_from(*length).map_err(|_| Wrong::Lengths)?;
        let (bytes, others) = rest.split_at_checked(length).ok_or(Wrong::Lengths)?;
        found.push(Arc::from(bytes));
        rest = others;
    }
    if rest.is_empty() {
        Ok(found)
    } else {
        Err(Wrong::Lengths)
    }
}

/// What a run on a test is a run of.
fn run_of(work: &JudgeWork, test: &TestStep) -> Digest {
    work.spec
        .run_input(&test.input, &test.expected, test.told.as_ref())
}

/// Whether it could have been measured. Of a talk something short is kept, however much the program
/// said. Numbers without bounds would be added to others, and shown.
fn is_plausible(facts: &RunFacts, is_talk: bool) -> bool {
    let (caps, output) = (&facts.caps, &facts.output);
    let times = [facts.cpu, facts.wall, facts.waited, caps.cpu, caps.wall];
    let bytes = [
        facts.memory_bytes,
        output.len_bytes,
        caps.memory_bytes,
        caps.output_bytes,
    ];
    let is_whole = is_talk || output.len_bytes <= OUTPUT_KEPT_WHOLE_BYTES_MAX as u64;
    facts.measurements > 0
        && facts.busy <= facts.measurements
        && times.iter().all(|time| *time <= TIME_MAX)
        && bytes.iter().all(|count| *count <= COUNT_MAX)
        && facts.stderr.len() <= STDERR_KEPT_BYTES_MAX
        && output.kept.is_none_or(|_| output.is_whole() == is_whole)
}

/// The same of a build.
fn is_possible(build: &Build) -> bool {
    let files = build.result.as_ref().map_or(0, |built| built.files.len());
    build.cpu <= TIME_MAX && files <= ARTIFACT_FILES_MAX
}

/// What failed on a worker, as this machine says it. What is short there is not short here.
pub fn foreign(fault: &Fault) -> Fault {
    let visible = |words: &str| -> String { visible_line(words).chars().take(WORDS_MAX).collect() };
    Fault::new(visible(&fault.step), visible(&fault.reason))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
