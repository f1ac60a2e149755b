//! The bent rules of a built-in problem against the tests: nothing is run for them. Pure.

use std::sync::Mutex;

use super::matrix::{Mark, Row};
use super::missing::smallest;
use crate::compare::{self, Outcome};
use crate::domain::Verdict;
use crate::package::Package;
use crate::problems::{Rule, Task};
use crate::util::pool::side_by_side;
use crate::util::sync::lock;

/// A bent rule, and what the tests make of it.
#[derive(Debug, Clone)]
pub struct Mutant {
    pub rule: Rule,
    pub row: Row,
    /// For one that no test kills, the smallest input that is found which would.
    pub missing: Option<Vec<u8>>,
}

/// Every bent rule of a problem, so many at a time.
pub fn mutants(package: &Package, task: &dyn Task, workers: usize) -> Vec<Mutant> {
    let rules = task.bent();
    let found = Mutex::new(Vec::new());
    side_by_side(
        workers,
        rules.len(),
        |_| (),
        |(), index| mutant(package, task, rules[index], index),
        |_, mutant| lock(&found).push(mutant),
    );
    found.into_inner().unwrap_or_default()
}

fn mutant(package: &Package, task: &dyn Task, rule: Rule, index: usize) -> Mutant {
    let mark = |input: &[u8], expected: &[u8]| mark(package, task, index, (input, expected));
    let tests = package.tests.iter();
    let row = Row {
        name: rule.name.to_owned(),
        marks: tests
            .map(|test| mark(&test.input, &test.expected))
            .collect(),
    };
    let differs = |input: &[u8]| {
        let expected = task.answer(input);
        expected.is_ok_and(|expected| mark(input, &expected).kills())
    };
    let missing = (!row.is_killed()).then(|| smallest(task, &differs));
    let missing = missing.flatten();
    Mutant { rule, row, missing }
}

/// How a bent rule stands on a test.
fn mark(
    package: &Package,
    task: &dyn Task,
    rule: usize,
    (input, expected): (&[u8], &[u8]),
) -> Mark {
    match task.answer_bent(input, rule) {
        Ok(Some(bent)) => match compare::compare(expected, &bent, &package.mode) {
            Outcome::Same => Mark::Passed,
            Outcome::Layout(_) => Mark::Killed(Verdict::PresentationError),
            Outcome::Different(_) => Mark::Killed(Verdict::WrongAnswer),
        },
        _ => Mark::NotRun,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::mark;
    use crate::config;
    use crate::domain::ProblemSlug;
    use crate::package::{self, NoOracle};
    use crate::problems::ALL;

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
                    .any(|test| mark(&package, task, index, (&test.input, &test.expected)).kills());
                assert!(is_killed, "{slug}: {}", rule.name);
            }
        }
    }
}
