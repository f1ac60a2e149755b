//! The mutants of a built-in problem against the tests, and the smallest input that is missing
//! for one which no test kills. Nothing is run for them. Pure.

use std::iter::empty;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::strong::{Mutant, Subject};
use crate::compare::{self, Mode, Outcome};
use crate::domain::{Fault, Strategy, Verdict};
use crate::explain::{Ask, Budget, Inputs, Reply, Scope, attack};
use crate::package::{NoOracle, Package};
use crate::problems::{Rule, Task};
use crate::util::excerpt::spelled;
use crate::util::sync::side_by_side;

/// Inputs of each family that are tried.
const SEEDS_MAX: u64 = 20;
/// The largest of them that is tried at once, in bytes.
const BYTES_MAX: usize = 4 * 1024;
/// What one search for a missing input may use. The mutant's answers are its runs.
const BUDGET: Budget = Budget {
    cpu: Duration::from_secs(1),
    runs: 1_500,
    own: Duration::from_secs(1),
    wall: Duration::from_secs(4),
};

/// Every mutant of a problem, so many at a time.
pub fn mutants(package: &Package, task: &dyn Task, workers: usize) -> Vec<Mutant> {
    let rules = task.mutants();
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
    let mut mutant = MutantProgram {
        task,
        index,
        mode: package.mode,
    };
    let marks = package.tests.iter();
    let marks = marks.map(|test| {
        let [input, expected] = test.read().ok()?;
        mutant.mark(&input, &expected)
    });
    let subject = Subject::of(rule.name, marks.collect(), tests);
    let missing = (!subject.is_killed()).then(|| missing(package, &mut mutant));
    Mutant {
        missing: missing.flatten().as_deref().map(spelled),
        summary: rule.summary,
        subject,
    }
}

/// A mutant as a program.
struct MutantProgram<'t> {
    task: &'t dyn Task,
    index: usize,
    mode: Mode,
}

impl MutantProgram<'_> {
    /// How it stands on an input.
    fn mark(&self, input: &[u8], expected: &[u8]) -> Option<Verdict> {
        Some(self.tried(input, expected)?.0)
    }

    /// The verdict on an input, and what is printed.
    fn tried(&self, input: &[u8], expected: &[u8]) -> Option<(Verdict, Vec<u8>)> {
        let printed = self.task.answer_mutant(input, self.index).ok()??;
        let verdict = match compare::compare(expected, &printed, &self.mode) {
            Outcome::Same => Verdict::Accepted,
            Outcome::Layout(_) => Verdict::PresentationError,
            Outcome::Different(_) => Verdict::WrongAnswer,
        };
        Some((verdict, printed))
    }
}

impl Ask for MutantProgram<'_> {
    fn ask(
        &mut self,
        (input, expected): (&Arc<[u8]>, &Arc<[u8]>),
        _is_sure: bool,
    ) -> Result<Option<Reply>, Fault> {
        let start = Instant::now();
        let tried = self.tried(input, expected);
        Ok(tried.map(|(verdict, printed)| Reply {
            verdict,
            printed: Arc::from(printed),
            cost: start.elapsed(),
        }))
    }
}

/// The smallest input that is found on which a mutant gives another answer: looked for as for any
/// program, and among the shorter generated ones, because those are made smaller sooner.
fn missing(package: &Package, mutant: &mut MutantProgram<'_>) -> Option<Arc<[u8]>> {
    let task = mutant.task;
    let families = task.families().iter();
    let short = families
        .flat_map(|family| (0..SEEDS_MAX).filter_map(|seed| task.generate(family.name, seed)))
        .filter(|input| input.len() <= BYTES_MAX);
    let mut found = Vec::new();
    // Some families take long to make: one after the other, as long as the budget lasts.
    let firsts: [Box<dyn Iterator<Item = Vec<u8>>>; 2] = [Box::new(empty()), Box::new(short)];
    for first in firsts {
        let inputs = Inputs {
            package,
            oracle: &mut NoOracle,
        };
        let attacked = attack(mutant, inputs, BUDGET, first, Scope::Everything);
        let Some(broken) = attacked.ok().and_then(|attacked| attacked.broken) else {
            continue;
        };
        found.push(broken.input);
        // Of all small inputs, this is the first.
        if broken.evidence.found_by == Strategy::Enumeration {
            break;
        }
    }
    let size = |input: &Arc<[u8]>| (task.cells(input).ok().flatten(), input.len());
    found.into_iter().min_by_key(size)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{MutantProgram, missing};
    use crate::package::{self, NoOracle, Package, Test};
    use crate::problems::{ALL, Task, find};
    use crate::strength::strong::kills;
    use crate::util::samples::{run, slug};

    fn shipped(task: &dyn Task) -> Package {
        let problems = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
        let seen = package::look(&problems, &slug(task.slug()));
        seen.load(&run().caps, &mut NoOracle).unwrap()
    }

    fn mutant<'t>(package: &Package, task: &'t dyn Task, index: usize) -> MutantProgram<'t> {
        MutantProgram {
            task,
            index,
            mode: package.mode,
        }
    }

    #[test]
    fn what_is_missing_is_small() {
        for (slug, name, bytes_max) in [
            ("regions", "distance", 8),
            ("regions", "end-by-number", 13),
            ("regions", "corners-touch", 12),
            // These need a second case.
            ("curling", "best-carried-over", 24),
            ("thegame", "cards-are-taken-away", 38),
        ] {
            let task: &dyn Task = find(slug).unwrap();
            let package = shipped(task);
            let index = task.mutants().iter().position(|rule| rule.name == name);
            let mut mutant = mutant(&package, task, index.unwrap());
            let found = missing(&package, &mut mutant).unwrap();
            assert!(found.len() <= bytes_max, "{name}: {found:?}");
            assert!(task.validate(&found).is_ok());
            let expected = task.answer(&found).unwrap();
            assert!(kills(mutant.mark(&found, &expected)), "{name}");
        }
    }

    #[test]
    fn the_shipped_tests_kill_every_bent_rule() {
        for task in ALL {
            let (slug, package, rules) = (task.slug(), shipped(task), task.mutants());
            let mut tests: Vec<_> = package.tests.iter().collect();
            tests.sort_by_key(|test| test.input.len_bytes());
            assert!(rules.len() >= 15, "{slug}");
            for (index, rule) in rules.iter().enumerate() {
                let mutant = mutant(&package, task, index);
                let is_killed = |test: &&Test| {
                    let [input, expected] = test.read().unwrap();
                    kills(mutant.mark(&input, &expected))
                };
                assert!(tests.iter().any(is_killed), "{slug}: {}", rule.name);
                assert!(rules[..index].iter().all(|other| other.name != rule.name));
            }
        }
    }
}
