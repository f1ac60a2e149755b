//! Whether facts are about the order that they are said to be of. A worker says what it wants; it
//! must not say it about another submission, or another test.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::cluster::wire::Facts;
use crate::domain::bounds::{
    ARTIFACT_BYTES_MAX, ARTIFACT_FILES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX, STDERR_KEPT_BYTES_MAX,
};
use crate::domain::{Build, Caps, Digest, Fault, RunFacts};
use crate::fleet::Task;
use crate::judge::order::{Blob, Fact, Order, Program, Step, Work};
use crate::judge::question::opinion;
use crate::util::excerpt::visible_line;
use crate::util::hash::digest;
use crate::util::sync::lock;

/// Longest words of a fault, in characters.
const WORDS_MAX: usize = 2_000;

/// Opinions of one order that may come before the run that they are about.
const EARLY_MAX: usize = 4;

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

/// Why facts cannot be taken.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Wrong {
    /// It is about something else.
    #[error("a fact that is not about its order")]
    Elsewhere,
    /// Its bytes did not come.
    #[error("a fact without the bytes that it names ({0:?})")]
    Bytes(Digest),
    /// The bytes that follow are not as long as the message says.
    #[error("bytes of another length than a message says")]
    Lengths,
    /// They are more than are kept of one fact.
    #[error("a fact with more bytes than any may have")]
    Long,
    /// There are more of them than the order has things to say.
    #[error("more facts than its order has things to say")]
    Many,
}

/// The bytes that follow facts.
pub fn inline(facts: &Facts, mut rest: &[u8]) -> Result<Found, Wrong> {
    let mut found = Found::new();
    for length in &facts.lengths {
        let length = usize::try_from(*length).map_err(|_| Wrong::Lengths)?;
        let (bytes, others) = rest.split_at_checked(length).ok_or(Wrong::Lengths)?;
        found.insert(digest(bytes), Arc::from(bytes));
        rest = others;
    }
    if rest.is_empty() {
        Ok(found)
    } else {
        Err(Wrong::Lengths)
    }
}

/// An order that is out, and what it may be answered with.
pub struct Ticket {
    /// The order.
    pub task: Task,
    asked: Mutex<Asked>,
}

/// Questions that this order's own runs have raised.
#[derive(Default)]
struct Asked {
    known: HashSet<Digest>,
    /// Opinions whose question nothing has raised yet: that of a long output comes before its run.
    early: Vec<Fact>,
    /// Facts that may still come: whatever a worker says, it says no more than that.
    left: usize,
}

impl Ticket {
    /// For an order that goes out.
    pub fn new(task: Task) -> Self {
        let mut asked = Asked {
            left: task.order.work.programs().len() * FACTS_A_PROGRAM,
            ..Asked::default()
        };
        if let Work::Judge { how, steps, .. } = &task.order.work {
            asked.left += steps.len() * FACTS_A_STEP;
            let by = how.by.id();
            let of_step = |step: &Step| match step {
                Step::Ask { test, output } => {
                    Some(opinion(&by, &test.input, &test.expected, output))
                }
                Step::Run { .. } => None,
            };
            asked.known.extend(steps.iter().filter_map(of_step));
        }
        Self {
            task,
            asked: Mutex::new(asked),
        }
    }

    /// Facts as the planner takes them, with the bytes that they name.
    pub fn checked(
        &self,
        facts: Vec<Fact>,
        found: &Found,
        machine: &Arc<str>,
    ) -> Result<Vec<(Fact, Vec<Blob>)>, Wrong> {
        let about = About::new(&self.task.order);
        let mut asked = lock(&self.asked);
        let mut checked = Vec::with_capacity(facts.len());
        for mut fact in facts {
            if !about.is_of_order(&fact) {
                return Err(Wrong::Elsewhere);
            }
            asked.left = asked.left.checked_sub(1).ok_or(Wrong::Many)?;
            if let Fact::Ran { key, facts } = &mut fact {
                // Reports name the machine by what the worker said once, not in each fact.
                facts.machine = Arc::clone(machine);
                let raised = about.questions(&key.input, &facts.output.digest);
                asked.known.extend(raised);
                let Asked { known, early, .. } = &mut *asked;
                let in_time = early.extract_if(.., |fact| is_among(known, fact));
                checked.extend(in_time.map(|fact| (fact, Vec::new())));
            }
            if matches!(fact, Fact::Opinion { .. }) && !is_among(&asked.known, &fact) {
                asked.early.push(fact);
                if asked.early.len() > EARLY_MAX {
                    return Err(Wrong::Elsewhere);
                }
                continue;
            }
            let bytes = self.bytes_of(&fact, found)?;
            checked.push((fact, bytes));
        }
        Ok(checked)
    }

    fn bytes_of(&self, fact: &Fact, found: &Found) -> Result<Vec<Blob>, Wrong> {
        let of = |digest: Digest| {
            let blob = found.get(&digest).or_else(|| self.task.bytes.get(&digest));
            let blob = blob.ok_or(Wrong::Bytes(digest))?;
            Ok((digest, Arc::clone(blob)))
        };
        let blobs: Vec<Blob> = named(fact).into_iter().map(of).collect::<Result<_, _>>()?;
        let bytes_max = match fact {
            Fact::Built { .. } => ARTIFACT_BYTES_MAX,
            _ => OUTPUT_KEPT_WHOLE_BYTES_MAX as u64,
        };
        let bytes: u64 = blobs.iter().map(|(_, blob)| blob.len() as u64).sum();
        if bytes > bytes_max {
            return Err(Wrong::Long);
        }
        Ok(blobs)
    }
}

fn is_among(known: &HashSet<Digest>, fact: &Fact) -> bool {
    matches!(fact, Fact::Opinion { question, .. } if known.contains(question))
}

/// The bytes that a fact names.
fn named(fact: &Fact) -> Vec<Digest> {
    match fact {
        Fact::Built { build, .. } => build.result.as_ref().map_or_else(
            |_| Vec::new(),
            |manifest| manifest.files.iter().map(|file| file.digest).collect(),
        ),
        Fact::Ran { facts, .. } => facts.output.kept.into_iter().collect(),
        Fact::Answered { answer, .. } => vec![*answer],
        Fact::Opinion { .. } | Fact::Refused(_) | Fact::Lost(_) => Vec::new(),
    }
}

/// What an order's facts may be about.
struct About<'o> {
    order: &'o Order,
    programs: HashSet<Digest>,
    inputs: HashSet<Digest>,
}

impl<'o> About<'o> {
    fn new(order: &'o Order) -> Self {
        let steps = match &order.work {
            Work::Judge { steps, .. } => steps.as_slice(),
            _ => &[],
        };
        Self {
            order,
            programs: order
                .work
                .programs()
                .iter()
                .map(|program| program.key)
                .collect(),
            inputs: steps.iter().map(|step| step.test().input).collect(),
        }
    }

    fn is_of_order(&self, fact: &Fact) -> bool {
        let Work::Judge { program, how, .. } = &self.order.work else {
            return false;
        };
        match fact {
            Fact::Built { key, build } => self.programs.contains(key) && is_possible(build),
            Fact::Ran { key, facts } => {
                let program = program.as_ref().map(|program| program.key);
                program == Some(key.build)
                    && key.policy == how.policy
                    && self.inputs.contains(&key.input)
                    && is_plausible(facts)
            }
            // Whether its question is one of this order's is seen later.
            Fact::Opinion { .. } => true,
            Fact::Lost(digest) => names(self.order, digest),
            Fact::Answered { .. } | Fact::Refused(_) => false,
        }
    }
}

impl About<'_> {
    /// What an output of a run on this input is asked about.
    fn questions(&self, input: &Digest, output: &Digest) -> Vec<Digest> {
        let Work::Judge { how, steps, .. } = &self.order.work else {
            return Vec::new();
        };
        let by = how.by.id();
        let tests = steps.iter().map(Step::test);
        tests
            .filter(|test| test.input == *input)
            .map(|test| opinion(&by, input, &test.expected, output))
            .collect()
    }
}

/// Whether it could have been measured. Numbers without bounds would be added to others, and shown.
fn is_plausible(facts: &RunFacts) -> bool {
    let Caps {
        cpu,
        wall,
        memory_bytes,
        output_bytes,
        ..
    } = facts.caps;
    let times = [facts.cpu, facts.wall, facts.waited, cpu, wall];
    let output = &facts.output;
    let counts = [
        facts.memory_bytes,
        output.len_bytes,
        memory_bytes,
        output_bytes,
    ];
    let is_whole = output.len_bytes <= OUTPUT_KEPT_WHOLE_BYTES_MAX as u64;
    facts.measurements > 0
        && facts.busy <= facts.measurements
        && times.iter().all(|time| *time <= TIME_MAX)
        && counts.iter().all(|count| *count <= COUNT_MAX)
        && facts.stderr.len() <= STDERR_KEPT_BYTES_MAX
        && output.kept.is_none_or(|_| output.is_whole() == is_whole)
}

/// The same of a build.
fn is_possible(build: &Build) -> bool {
    let files = build.result.as_ref();
    build.cpu <= TIME_MAX && files.map_or(0, |built| built.files.len()) <= ARTIFACT_FILES_MAX
}

/// Whether an order names these bytes: a worker gets no others.
pub fn names(order: &Order, wanted: &Digest) -> bool {
    let Work::Judge { steps, .. } = &order.work else {
        return false;
    };
    let of_step = |step: &Step| match step {
        Step::Run { test, .. } => [test.input, test.expected].contains(wanted),
        Step::Ask { test, output } => [test.input, test.expected, *output].contains(wanted),
    };
    let of_program = |program: &&Program| {
        let built = program.built.iter().flat_map(|built| &built.files);
        program.source == *wanted
            || program
                .beside
                .iter()
                .chain(built)
                .any(|file| file.digest == *wanted)
    };
    steps.iter().any(of_step) || order.work.programs().iter().any(of_program)
}

/// The files of a program that was built.
pub fn built_files(fact: &Fact) -> Vec<Digest> {
    match fact {
        Fact::Built { .. } => named(fact),
        _ => Vec::new(),
    }
}

/// What failed on a worker, as this machine says it. What is short there is not short here.
pub fn foreign(fault: &Fault) -> Fault {
    let visible = |words: &str| -> String { visible_line(words).chars().take(WORDS_MAX).collect() };
    Fault::new(visible(&fault.step), visible(&fault.reason))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
