//! Inputs that tell programs apart, the smallest first, and what a program does with them: small
//! inputs of the problem, one of each of its families, and tests.

use std::sync::Arc;

use super::clusters::Did;
use super::measured::Measured;
use crate::domain::{Fault, Verdict};
use crate::package::Package;
use crate::problems::{Task, lines_of};
use crate::util::hash::Key;

/// Small inputs, where several can be joined to one, so that a program is run once for them.
const JOINED_MAX: usize = 100;
/// Small inputs, where each is a run.
const ALONE_MAX: usize = 40;
/// Cells up to which small inputs are listed.
const CELLS_MAX: usize = 8;
/// Bytes of a generated input or a test.
const BYTES_MAX: usize = 16 * 1024;
/// Tests beside those inputs.
const TESTS_MAX: usize = 20;

/// An input with its right answer.
#[derive(Debug, Clone)]
pub struct Probe {
    pub input: Arc<[u8]>,
    pub expected: Arc<[u8]>,
}

/// The inputs that every program of a problem is tried on.
#[derive(Debug, Default)]
pub struct Probes {
    pub all: Vec<Probe>,
    /// The first ones as one input, and how many they are.
    joined: Option<(Probe, usize)>,
}

/// What a program did with a probe, and what it printed where that was wrong.
#[derive(Debug, Clone)]
pub struct Tried {
    pub did: Did,
    pub printed: Vec<u8>,
}

impl Probes {
    /// The probes of a problem; `failed` are the names of tests that some program fails.
    pub fn of(package: &Package, failed: &[String]) -> Self {
        let mut probes = Self::default();
        if let Some(task) = package.task() {
            probes.add_small(task);
            let families = task.families().iter();
            let drawn = families.filter_map(|family| task.generate(family.name, 0));
            let mut drawn: Vec<Vec<u8>> = drawn.filter(|input| input.len() <= BYTES_MAX).collect();
            drawn.sort_by_key(Vec::len);
            let drawn = drawn.into_iter().filter_map(|input| probe(task, input));
            probes.all.extend(drawn);
        }
        let is_failed = |name: &String| failed.contains(name);
        let tests = package.tests.iter();
        let mut tests: Vec<_> = tests.filter(|test| is_failed(&test.name.name)).collect();
        tests.sort_by_key(|test| test.input.len());
        let of_tests = tests.into_iter().take(TESTS_MAX).map(|test| Probe {
            input: Arc::clone(&test.input),
            expected: Arc::clone(&test.expected),
        });
        probes.all.extend(of_tests);
        probes
    }

    fn add_small(&mut self, task: &dyn Task) {
        let small = (1..=CELLS_MAX).map_while(|cells| task.small(cells));
        let inputs: Vec<Vec<u8>> = small.flatten().take(JOINED_MAX).collect();
        let joined = task.joined(&inputs).ok().flatten();
        let joined = joined.and_then(|joined| probe(task, joined));
        let most = if joined.is_some() {
            JOINED_MAX
        } else {
            ALONE_MAX
        };
        let alone = inputs.into_iter().take(most);
        self.all = alone.filter_map(|input| probe(task, input)).collect();
        self.joined = joined.map(|joined| (joined, self.all.len()));
    }

    /// What a program does with each of them.
    pub fn tried(
        &self,
        task: Option<&dyn Task>,
        program: &mut Measured<'_>,
    ) -> Result<Vec<Tried>, Fault> {
        let mut tried = match (task, &self.joined) {
            (Some(task), Some((joined, count))) => {
                together(task, program, joined, &self.all[..*count])?
            }
            _ => Vec::new(),
        };
        for probe in &self.all[tried.len()..] {
            tried.push(alone(program, probe)?);
        }
        Ok(tried)
    }
}

fn probe(task: &dyn Task, input: Vec<u8>) -> Option<Probe> {
    let expected = task.answer(&input).ok()?;
    Some(Probe {
        input: Arc::from(input),
        expected: Arc::from(expected),
    })
}

fn alone(program: &mut Measured<'_>, probe: &Probe) -> Result<Tried, Fault> {
    let reply = program.run((&probe.input, &probe.expected), false)?;
    Ok(match reply.verdict {
        Verdict::Accepted => right(),
        Verdict::WrongAnswer | Verdict::PresentationError => wrong(&reply.printed),
        other => Tried {
            did: Did::Failed(other),
            printed: reply.printed.to_vec(),
        },
    })
}

/// What it does with several inputs as one; nothing where its output does not fall apart into
/// theirs.
fn together(
    task: &dyn Task,
    program: &mut Measured<'_>,
    joined: &Probe,
    probes: &[Probe],
) -> Result<Vec<Tried>, Fault> {
    let reply = program.run((&joined.input, &joined.expected), false)?;
    if reply.verdict == Verdict::Accepted {
        return Ok(vec![right(); probes.len()]);
    }
    let cases = task.cases(&joined.input).unwrap_or_default();
    let lines = |text: &[u8]| text.split(|&byte| byte == b'\n').count();
    let falls_apart = reply.verdict == Verdict::WrongAnswer
        && cases.len() == probes.len()
        && lines(&reply.printed) == lines(&joined.expected);
    if !falls_apart {
        return Ok(Vec::new());
    }
    let of_case = |case| {
        let printed = lines_of(&reply.printed, case);
        let is_right = printed == lines_of(&joined.expected, case);
        if is_right { right() } else { wrong(&printed) }
    };
    Ok(cases.iter().map(of_case).collect())
}

fn right() -> Tried {
    Tried {
        did: Did::Right,
        printed: Vec::new(),
    }
}

/// Layout makes no difference.
fn wrong(printed: &[u8]) -> Tried {
    let words = printed.split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    let key = words.fold(Key::new("wrong-answer"), Key::part);
    Tried {
        did: Did::Wrong(key.finish()),
        printed: printed.to_vec(),
    }
}
