//! The bent rules of a built-in problem against the tests, and the smallest input that is missing
//! for one which no test kills. Nothing is run for them. Pure.

use super::strong::{Mutant, Subject, kills};
use crate::compare::{self, Outcome};
use crate::domain::Verdict;
use crate::package::Package;
use crate::problems::{Rule, Task};
use crate::util::excerpt::spelled;
use crate::util::pool::side_by_side;

/// Small inputs that are tried.
const SMALL_MAX: usize = 30_000;
/// Inputs of each family that are tried.
const SEEDS_MAX: u64 = 20;
/// The largest generated input that is made simpler, in bytes.
const BYTES_MAX: usize = 4 * 1024;
/// Simpler inputs that are tried.
const SIMPLER_MAX: usize = 5_000;
/// Copies of a small input that are put into one, for rules about several cases.
const COPIES: usize = 2;

/// Every bent rule of a problem, so many at a time.
pub fn mutants(package: &Package, task: &dyn Task, workers: usize) -> Vec<Mutant> {
    let rules = task.bent();
    let tests = package.tests.iter().map(|test| test.name.name.clone());
    let tests: Vec<String> = tests.collect();
    let mut found = Vec::new();
    side_by_side(
        workers,
        rules.len(),
        |_| (),
        |(), index| mutant(package, task, (rules[index], index), &tests),
        |_, mutant| found.push(mutant),
    );
    found
}

fn mutant(
    package: &Package,
    task: &dyn Task,
    (rule, index): (Rule, usize),
    tests: &[String],
) -> Mutant {
    let mark = |input: &[u8], expected: &[u8]| mark(package, task, index, (input, expected));
    let marks = package.tests.iter();
    let marks = marks.map(|test| mark(&test.input, &test.expected));
    let subject = Subject::of(rule.name, marks.collect(), tests);
    let differs = |input: &[u8]| {
        let expected = task.answer(input);
        expected.is_ok_and(|expected| kills(mark(input, &expected)))
    };
    let missing = (!subject.is_killed()).then(|| smallest(task, &differs));
    Mutant {
        missing: missing.flatten().as_deref().map(spelled),
        summary: rule.summary,
        subject,
    }
}

/// How a bent rule stands on a test.
fn mark(
    package: &Package,
    task: &dyn Task,
    rule: usize,
    (input, expected): (&[u8], &[u8]),
) -> Option<Verdict> {
    let bent = task.answer_bent(input, rule).ok()??;
    Some(match compare::compare(expected, &bent, &package.mode) {
        Outcome::Same => Verdict::Accepted,
        Outcome::Layout(_) => Verdict::PresentationError,
        Outcome::Different(_) => Verdict::WrongAnswer,
    })
}

/// The smallest input that is found on which `differs` holds.
fn smallest(task: &dyn Task, differs: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    small(task, SMALL_MAX, differs)
        .or_else(|| generated(task, differs).map(|input| simplified(task, input, differs)))
}

/// Among all inputs of few cells, each alone, then several of them together.
fn small(task: &dyn Task, most: usize, differs: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut left = most;
    for cells in 1.. {
        for input in task.small(cells)? {
            left = left.checked_sub(1)?;
            if differs(&input) {
                return Some(input);
            }
            let copies = vec![input; COPIES];
            if let Ok(Some(joined)) = task.joined(&copies)
                && differs(&joined)
            {
                return Some(joined);
            }
        }
    }
    None
}

fn generated(task: &dyn Task, differs: &dyn Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let families = task.families().iter();
    let inputs = families
        .flat_map(|family| (0..SEEDS_MAX).filter_map(|seed| task.generate(family.name, seed)));
    let mut inputs = inputs.filter(|input| input.len() <= BYTES_MAX);
    inputs.find(|input| differs(input))
}

/// Made simpler, step by step.
fn simplified(task: &dyn Task, mut input: Vec<u8>, differs: &dyn Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut left = SIMPLER_MAX;
    while let Ok(simpler) = task.shrink(&input) {
        let next = simpler.into_iter().take(left).find(|simpler| {
            left = left.saturating_sub(1);
            simpler.len() <= input.len() && *simpler != input && differs(simpler)
        });
        match next {
            Some(next) => input = next,
            None => break,
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{kills, mark, small, smallest};
    use crate::config;
    use crate::domain::ProblemSlug;
    use crate::package::{self, NoOracle};
    use crate::problems::{ALL, Task, find};

    /// The smaller tests of a shipped package, the smallest first.
    fn shipped(slug: &str) -> Vec<Vec<u8>> {
        const BYTES_MAX: usize = 16 * 1024;
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("problems/{slug}/data/secret"));
        let files = fs::read_dir(folder).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let inputs = paths.filter(|path| path.extension().is_some_and(|name| name == "in"));
        let mut inputs: Vec<Vec<u8>> = inputs.map(|path| fs::read(path).unwrap()).collect();
        inputs.retain(|input| input.len() <= BYTES_MAX);
        inputs.sort_by_key(Vec::len);
        inputs
    }

    #[test]
    fn every_bent_rule_gives_another_answer_on_some_input() {
        for task in ALL {
            let rules = task.bent();
            assert!(rules.len() >= 15, "{}", task.slug());
            let shipped = shipped(task.slug());
            for (index, rule) in rules.iter().enumerate() {
                let differs = |input: &[u8]| {
                    let bent = task.answer_bent(input, index).unwrap().unwrap();
                    bent != task.answer(input).unwrap()
                };
                let is_small = small(task, 500, &differs).is_some();
                let is_bent = is_small || shipped.iter().any(|input| differs(input));
                assert!(is_bent, "{}: {}", task.slug(), rule.name);
                assert!(rules[..index].iter().all(|other| other.name != rule.name));
            }
        }
    }

    #[test]
    fn what_is_missing_is_small() {
        let task: &dyn Task = find("regions").unwrap();
        let at = |name| {
            task.bent()
                .iter()
                .position(|rule| rule.name == name)
                .unwrap()
        };
        for (name, bytes_max) in [
            ("distance", 8),
            ("end-by-number", 13),
            ("corners-touch", 12),
        ] {
            let differs = |input: &[u8]| {
                task.answer_bent(input, at(name)).ok() != task.answer(input).ok().map(Some)
            };
            let found = smallest(task, &differs).unwrap();
            assert!(found.len() <= bytes_max, "{name}: {found:?}");
            assert!(task.validate(&found).is_ok());
        }
    }

    #[test]
    fn the_shipped_tests_kill_every_bent_rule() {
        let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
        let config = config::parse("", Path::new("config.toml")).unwrap();
        for task in ALL {
            let slug = ProblemSlug::new(task.slug()).unwrap();
            let package = package::load(&problems, &slug, &config.limits, &mut NoOracle).unwrap();
            let mut tests: Vec<_> = package.tests.iter().collect();
            tests.sort_by_key(|test| test.input.len());
            for (index, rule) in task.bent().iter().enumerate() {
                let is_killed = tests
                    .iter()
                    .any(|test| kills(mark(&package, task, index, (&test.input, &test.expected))));
                assert!(is_killed, "{slug}: {}", rule.name);
            }
        }
    }
}
