//! Inputs that tell programs apart, the smallest first, and what a program does with them: small
//! inputs of the problem, counterexamples that searches have found, one input of each family, and
//! tests.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::clusters::Observed;
use super::measured::Measured;
use super::search::{Ask as _, Inputs};
use crate::compare::{self, Mode, Outcome};
use crate::domain::{Fault, Verdict};
use crate::package::{Oracle, Package};
use crate::problems::{Task, lines_of};
use crate::util::hash::Key;
use crate::util::text::{tokens, trim_end};

/// Small inputs, where several can be joined to one.
const SMALL_MAX: usize = 1_000;
/// Small inputs that are joined to one, so that a program is run once for them.
const JOINED_MAX: usize = 100;
/// Small inputs, where each is a run.
const ALONE_MAX: usize = 40;
/// Cells up to which small inputs are listed.
const CELLS_MAX: usize = 8;
/// Bytes of a generated input or a counterexample.
const BYTES_MAX: usize = 16 * 1024;
/// Counterexamples beside those inputs, the shortest.
const KNOWN_MAX: usize = 50;
/// Tests beside those inputs.
const TESTS_MAX: usize = 20;
/// Inputs on which a program may run into the time limit before it is not run on the others.
const STOPPED_MAX: usize = 5;

/// An input with its right answer.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The name of the test, if it is one.
    pub test: Option<String>,
    pub input: Arc<[u8]>,
    pub expected: Arc<[u8]>,
}

/// The inputs that every program of a problem is tried on.
#[derive(Debug, Default)]
pub struct Probes {
    pub all: Vec<Probe>,
    /// The first ones, many as one input.
    batches: Vec<Batch>,
}

/// Probes as one input, and which they are.
#[derive(Debug)]
struct Batch {
    joined: Probe,
    of: Range<usize>,
}

/// What a program did with a probe, and what it printed where that was wrong.
#[derive(Debug, Clone)]
pub struct Tried {
    pub did: Observed,
    pub printed: Vec<u8>,
}

const NOT_RUN: Tried = Tried {
    did: Observed::NotRun,
    printed: Vec::new(),
};

impl Probes {
    /// The probes of a problem; `failed` are the names of tests that some program fails, `known` are
    /// inputs on which programs fail.
    pub fn of(
        package: &Package,
        failed: &[String],
        known: Vec<String>,
        oracle: &mut dyn Oracle,
    ) -> Result<Self, Fault> {
        let mut probes = Self::default();
        if let Some(task) = package.task() {
            probes.add_small(task);
        }
        let mut larger = probes.counterexamples(known, &mut Inputs { package, oracle })?;
        if let Some(task) = package.task() {
            let families = task.families().iter();
            let drawn = families.filter_map(|family| task.generate(family.name, 0));
            let drawn = drawn.filter(|input| input.len() <= BYTES_MAX);
            larger.extend(drawn.filter_map(|input| probe(task, input)));
        }
        larger.sort_by_key(|probe| probe.input.len());
        probes.all.extend(larger);
        let is_failed = |name: &String| failed.contains(name);
        let tests = package.tests.iter();
        let mut tests: Vec<_> = tests.filter(|test| is_failed(&test.name.name)).collect();
        tests.sort_by_key(|test| test.input.len_bytes());
        for test in tests.into_iter().take(TESTS_MAX) {
            probes.all.push(Probe {
                test: Some(test.name.name.clone()),
                input: test.input.read()?,
                expected: test.expected.read()?,
            });
        }
        Ok(probes)
    }

    fn add_small(&mut self, task: &dyn Task) {
        let small = (1..=CELLS_MAX).map_while(|cells| task.small(cells));
        let small: Vec<Vec<u8>> = small.flatten().take(SMALL_MAX).collect();
        for inputs in small.chunks(JOINED_MAX) {
            let joined = task.joined(inputs).ok().flatten();
            let Some(joined) = joined.and_then(|joined| probe(task, joined)) else {
                break;
            };
            let start = self.all.len();
            let some = inputs.iter().cloned();
            self.all.extend(some.filter_map(|input| probe(task, input)));
            let of = start..self.all.len();
            self.batches.push(Batch { joined, of });
        }
        if self.batches.is_empty() {
            let some = small.into_iter().take(ALONE_MAX);
            self.all.extend(some.filter_map(|input| probe(task, input)));
        }
    }

    /// The shortest of these inputs that are valid and not among the probes yet.
    fn counterexamples(
        &self,
        mut known: Vec<String>,
        inputs: &mut Inputs<'_>,
    ) -> Result<Vec<Probe>, Fault> {
        known.retain(|input| input.len() <= BYTES_MAX);
        known.sort_by_key(String::len);
        let mut probes = Vec::new();
        for input in known {
            let input: Arc<[u8]> = Arc::from(input.into_bytes());
            if probes.len() == KNOWN_MAX {
                break;
            }
            if self.all.iter().any(|probe| probe.input == input) {
                continue;
            }
            if let Some(expected) = inputs.expected(&input)? {
                probes.push(Probe {
                    test: None,
                    input,
                    expected,
                });
            }
        }
        Ok(probes)
    }

    /// What a program does with each of them.
    pub fn tried(
        &self,
        task: Option<&dyn Task>,
        program: &mut Measured<'_>,
    ) -> Result<Vec<Tried>, Fault> {
        let mut tried = Vec::with_capacity(self.all.len());
        let mut stopped = 0;
        let mut may_run_each = true;
        for batch in &self.batches {
            let probes = &self.all[batch.of.clone()];
            let apart = match task {
                Some(task) if stopped < STOPPED_MAX => {
                    together(task, program, &batch.joined, probes)?
                }
                _ => Vec::new(),
            };
            if !apart.is_empty() {
                tried.extend(apart);
            } else if std::mem::take(&mut may_run_each) {
                each(program, probes, &mut stopped, &mut tried)?;
            } else {
                // A hundred single runs are enough.
                tried.resize(batch.of.end, NOT_RUN);
            }
        }
        each(program, &self.all[tried.len()..], &mut stopped, &mut tried)?;
        Ok(tried)
    }
}

/// Runs a program on each of these, until it has been too slow too often.
fn each(
    program: &mut Measured<'_>,
    probes: &[Probe],
    stopped: &mut usize,
    tried: &mut Vec<Tried>,
) -> Result<(), Fault> {
    for probe in probes {
        if *stopped == STOPPED_MAX {
            tried.push(NOT_RUN);
            continue;
        }
        let one = alone(program, probe)?;
        *stopped += usize::from(one.did == Observed::Failed(Verdict::TimeLimit));
        tried.push(one);
    }
    Ok(())
}

fn probe(task: &dyn Task, input: Vec<u8>) -> Option<Probe> {
    let expected = task.answer(&input).ok()?;
    Some(Probe {
        test: None,
        input: Arc::from(input),
        expected: Arc::from(expected),
    })
}

fn alone(program: &mut Measured<'_>, probe: &Probe) -> Result<Tried, Fault> {
    let reply = program.ask((&probe.input, &probe.expected), false)?;
    let Some(reply) = reply else {
        return Ok(NOT_RUN);
    };
    Ok(match reply.verdict {
        Verdict::Accepted => right(),
        Verdict::WrongAnswer | Verdict::PresentationError => wrong(&reply.printed),
        other => Tried {
            did: Observed::Failed(other),
            printed: reply.printed.to_vec(),
        },
    })
}

/// What it does with several inputs as one; nothing where that does not tell what it does with each
/// alone.
fn together(
    task: &dyn Task,
    program: &mut Measured<'_>,
    joined: &Probe,
    probes: &[Probe],
) -> Result<Vec<Tried>, Fault> {
    let package = program.about.package;
    let reply = program.ask((&joined.input, &joined.expected), false)?;
    let Some(reply) = reply else {
        return Ok(Vec::new());
    };
    if reply.verdict == Verdict::Accepted {
        return Ok(vec![right(); probes.len()]);
    }
    // A checker says nothing of a part.
    if reply.verdict != Verdict::WrongAnswer || package.checker.is_some() {
        return Ok(Vec::new());
    }
    let apart = apart(task, joined, probes, &reply.printed, &package.mode);
    // What is not reset between two inputs, or counted from the first, shows in a run alone.
    let is_wrong = |tried: &Tried| tried.did != Observed::Right;
    let first = apart.iter().position(is_wrong);
    let last = apart.iter().rposition(is_wrong);
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(Vec::new());
    };
    for at in BTreeSet::from([first, last]) {
        if alone(program, &probes[at])?.did != apart[at].did {
            return Ok(Vec::new());
        }
    }
    Ok(apart)
}

/// What was printed for several inputs as one, apart into what belongs to each; nothing where it
/// does not fall apart.
fn apart(
    task: &dyn Task,
    joined: &Probe,
    probes: &[Probe],
    printed: &[u8],
    mode: &Mode,
) -> Vec<Tried> {
    let cases = task.cases(&joined.input).unwrap_or_default();
    let lines = |text: &[u8]| trim_end(text).split(|&byte| byte == b'\n').count();
    if cases.len() != probes.len() || lines(printed) != lines(&joined.expected) {
        return Vec::new();
    }
    let of_case = |(case, probe): (&Range<usize>, &Probe)| {
        let expected = lines_of(&joined.expected, case);
        let printed = lines_of(printed, case);
        if compare::compare(&expected, &printed, mode) == Outcome::Same {
            return right();
        }
        wrong(&relabelled(&printed, &expected, &probe.expected))
    };
    cases.iter().zip(probes).map(of_case).collect()
}

/// What a program printed for one of several inputs as it would have printed it for that input
/// alone: words in which the right answers differ, such as the number of the case, are replaced.
fn relabelled(printed: &[u8], joined: &[u8], alone: &[u8]) -> Vec<u8> {
    let mut labels = tokens(joined).zip(tokens(alone));
    let mut whole = Vec::with_capacity(printed.len());
    let mut end = 0;
    for word in tokens(printed) {
        whole.extend_from_slice(&printed[end..word.start]);
        end = word.end;
        let text = &printed[word];
        let label = labels
            .next()
            .filter(|(label, _)| joined[label.clone()] == *text);
        whole.extend_from_slice(label.map_or(text, |(_, own)| &alone[own]));
    }
    whole.extend_from_slice(&printed[end..]);
    whole
}

fn right() -> Tried {
    Tried {
        did: Observed::Right,
        printed: Vec::new(),
    }
}

/// Layout makes no difference.
fn wrong(printed: &[u8]) -> Tried {
    let words = printed.split(u8::is_ascii_whitespace);
    let words = words.filter(|word| !word.is_empty());
    let key = words.fold(Key::new("wrong-answer"), Key::part);
    Tried {
        did: Observed::Wrong(key.finish()),
        printed: printed.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Probe, Tried, apart, probe, right, wrong};
    use crate::compare::Mode;
    use crate::problems::{Task, find};

    /// Small inputs of a problem, joined and alone.
    fn probes(task: &dyn Task) -> (Probe, Vec<Probe>) {
        let small = (1..).map_while(|cells| task.small(cells)).flatten().take(5);
        let inputs: Vec<Vec<u8>> = small.collect();
        let joined = task.joined(&inputs).unwrap().unwrap();
        let alone = inputs.into_iter().filter_map(|input| probe(task, input));
        (probe(task, joined).unwrap(), alone.collect())
    }

    fn digests(tried: &[Tried]) -> Vec<super::Observed> {
        tried.iter().map(|tried| tried.did).collect()
    }

    #[test]
    fn only_the_inputs_with_wrong_answers_are_wrong() {
        let task = find("curling").unwrap();
        let (joined, probes) = probes(task);
        let expected = String::from_utf8(joined.expected.to_vec()).unwrap();
        // Spaces at the end of each line, the third answer wrong, no line feed at the end.
        let mut lines: Vec<String> = expected.lines().map(|line| format!("{line} ")).collect();
        lines[2] = "77".to_owned();
        let printed = lines.join("\n");
        let apart = |mode| apart(task, &joined, &probes, printed.as_bytes(), &mode);
        let third_wrong = [right(), right(), wrong(b"77"), right(), right()];
        for mode in [Mode::Tokens, Mode::Lines] {
            assert_eq!(digests(&apart(mode)), digests(&third_wrong), "{mode:?}");
        }
        let is_right = |tried: &Tried| tried.did == super::Observed::Right;
        assert!(!apart(Mode::Exact).iter().any(is_right));
        let short = &joined.expected[..joined.expected.len() - 2];
        assert!(super::apart(task, &joined, &probes, short, &Mode::Tokens).is_empty());
    }

    #[test]
    fn numbers_of_cases_make_no_difference() {
        let task = find("thegame").unwrap();
        let (joined, probes) = probes(task);
        let wrong_by = |text: &[u8]| {
            let text = String::from_utf8(text.to_vec()).unwrap();
            text.replace("impossible.", "0 segments.")
                .replace(" segments.", "0 segments.")
        };
        let apart = |printed: &str| apart(task, &joined, &probes, printed.as_bytes(), &Mode::Lines);
        let printed = wrong_by(&joined.expected);
        let tried = apart(&printed);
        let of_alone = probes.iter().map(|probe| wrong_by(&probe.expected));
        let of_alone: Vec<Tried> = of_alone.map(|text| wrong(text.as_bytes())).collect();
        assert_eq!(digests(&tried), digests(&of_alone));
        let is_first = |one: &Tried| one.printed.starts_with(b"Board #1:");
        assert!(tried.iter().all(is_first));
        // A number that is wrong stays as it is.
        let tried = apart(&printed.replace("Board #3:", "Board #2:"));
        assert!(tried[2].printed.starts_with(b"Board #2:"));
    }
}
