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
    let mark = |input: &[u8], expected: &[u8]| match task.answer_bent(input, index) {
        Ok(Some(bent)) => match compare::compare(expected, &bent, &package.mode) {
            Outcome::Same => Mark::Passed,
            Outcome::Layout(_) => Mark::Killed(Verdict::PresentationError),
            Outcome::Different(_) => Mark::Killed(Verdict::WrongAnswer),
        },
        _ => Mark::NotRun,
    };
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
