//! Programs that are too slow, searches that are stopped, and what joining inputs hides.

use std::sync::Arc;
use std::time::Duration;

use super::{Wrong, failing, mutant, runs, searched, seed};
use crate::compare::Mode;
use crate::domain::{Fault, Verdict};
use crate::explain::search::{Ask, Budget, Progress, Reply, Smallest, Trial, minimize, smallest};
use crate::explain::tests::{Plain, built_in, inputs, own};
use crate::package::NoOracle;
use crate::problems::curling::Curling;
use crate::problems::regions::Regions;
use crate::problems::{Problem, Task};

/// The time limit, in milliseconds.
const LIMIT_MS: u64 = 1_000;

/// A program that answers rightly and takes its time.
struct Slow {
    task: &'static dyn Task,
    /// What an input of so many cells takes, in milliseconds.
    takes: fn(u64) -> u64,
    divisor: u64,
    spent_ms: u64,
}

impl Slow {
    fn reply(&self, input: &[u8], expected: &Arc<[u8]>) -> Reply {
        let cells = self.task.cells(input).unwrap().unwrap();
        let (takes, limit) = ((self.takes)(cells as u64), LIMIT_MS / self.divisor);
        Reply {
            verdict: [Verdict::Accepted, Verdict::TimeLimit][usize::from(takes > limit)],
            printed: Arc::clone(expected),
            cost: Duration::from_millis(takes.min(limit)),
        }
    }
}

impl Ask for Slow {
    fn ask(
        &mut self,
        (input, expected): (&Arc<[u8]>, &Arc<[u8]>),
        _is_sure: bool,
    ) -> Result<Option<Reply>, Fault> {
        let reply = self.reply(input, expected);
        self.spent_ms += u64::try_from(reply.cost.as_millis()).unwrap();
        Ok(Some(reply))
    }

    fn divide_limit(&mut self, by: u32) {
        self.divisor = by.into();
    }
}

/// The largest of the first inputs of all families, and its answer.
fn largest(task: &'static dyn Task) -> (Vec<u8>, Vec<u8>) {
    let families = task.families().iter();
    let inputs = families.filter_map(|family| task.generate(family.name, 0));
    let input = inputs.max_by_key(|input| task.cells(input).unwrap());
    let input = input.unwrap();
    let expected = task.answer(&input).unwrap();
    (input, expected)
}

#[test]
fn a_slow_program_is_shown_on_an_input_just_large_enough() {
    type Takes = fn(u64) -> u64;
    let exponential: Takes = |cells| 1 << cells.min(40);
    let quadratic: Takes = |cells| cells * cells;
    let (input, expected) = largest(&Regions);
    let seed = seed(Verdict::TimeLimit, [&input, &expected, &expected]);
    for (takes, least, most) in [(exponential, 10, 12), (quadratic, 32, 40)] {
        let mut program = Slow {
            task: &Regions,
            takes,
            divisor: 1,
            spent_ms: 0,
        };
        let budget = Budget {
            cpu: Duration::from_secs(20),
            ..Budget::default()
        };
        let found = searched(&Regions, &seed, None, budget, &mut program);
        let cells = found.cells.unwrap();
        assert!((least..=most).contains(&cells), "{cells} cells");
        assert_eq!(program.divisor, 1, "the whole limit is given back");
        let again = program.reply(&found.found.input, &found.found.expected);
        assert_eq!(again.verdict, Verdict::TimeLimit);
        assert!(program.spent_ms <= 21_000, "{} ms", program.spent_ms);
    }
}

#[test]
fn what_does_not_fail_a_second_time_in_the_same_way_is_not_shown() {
    use Verdict::{Accepted, TimeLimit, WrongAnswer};
    let program = mutant(&Curling, "blocks-not-restored");
    for (again, is_smaller) in [(Accepted, false), (TimeLimit, false), (WrongAnswer, true)] {
        let mut program = Wrong::new(&program);
        program.again = Some(again);
        let seed = failing(&Curling, "random", &program);
        let input = str::from_utf8(&seed.input).unwrap();
        let package = built_in("curling", Mode::Tokens, input);
        let mut oracle = NoOracle;
        let mut trial = Trial::new(runs(200), inputs(&package, &mut oracle), &mut program);
        let found = minimize(&mut trial, &seed, None).unwrap().found;
        assert_eq!(found.verdict, Verdict::WrongAnswer);
        let smaller = found.input.len() < seed.input.len();
        assert_eq!(smaller, is_smaller, "{again:?}");
    }
}

/// A search for the mistake that boards are not put back, in so many runs.
fn search(from: Option<Progress>, most: usize) -> (Smallest, usize) {
    let program = mutant(&Curling, "blocks-not-restored");
    let mut program = Wrong::new(&program);
    let seed = failing(&Curling, "random", &program);
    let found = searched(&Curling, &seed, from, runs(most), &mut program);
    (found, program.asked)
}

#[test]
fn a_search_that_goes_on_begins_with_what_was_found() {
    let (first, _) = search(None, 60);
    assert_eq!(first.progress.fails_alone, Some(true));
    let (mut cells, mut progress) = (first.cells, first.progress);
    for _ in 0..8 {
        let (next, asked) = search(Some(progress), 60);
        assert!(asked <= 60);
        assert!(next.cells <= cells, "{:?} after {cells:?}", next.cells);
        (cells, progress) = (next.cells, next.progress);
    }
    assert!(cells.unwrap() <= 12, "{cells:?}");
    // Nothing is left to be run: what was found stays.
    let (kept, asked) = search(Some(progress), 0);
    assert_eq!((kept.cells, asked), (cells, 0));
}

#[test]
fn what_fails_only_without_others_is_found_although_inputs_are_joined() {
    let program = |input: &[u8]| {
        let is_alone = Curling.parse(input).ok()?.input.boards.len() == 1;
        let wrong = is_alone.then(|| b"77".to_vec());
        wrong.or_else(|| Task::answer(&Curling, input).ok())
    };
    let random = Task::generate(&Curling, "random", 0).unwrap();
    let one = Curling.case_at(&random, 1).unwrap().unwrap();
    let seed = seed(Verdict::WrongAnswer, [&one.input, b"1\n", b"77"]);
    let (mut program, budget) = (Wrong::new(&program), Budget::default());
    let found = searched(&Curling, &seed, None, budget, &mut program);
    assert!(found.cells.unwrap() <= 2, "{:?}", found.cells);
}

/// Wrong about everything.
#[derive(Default)]
struct Always {
    is_stopped: bool,
}

impl Ask for Always {
    fn ask(&mut self, _: (&Arc<[u8]>, &Arc<[u8]>), _is_sure: bool) -> Result<Option<Reply>, Fault> {
        Ok(Some(Reply {
            verdict: Verdict::WrongAnswer,
            printed: Arc::from(&b"1"[..]),
            cost: Duration::ZERO,
        }))
    }

    fn stop(&mut self) {
        self.is_stopped = true;
    }
}

#[test]
fn a_question_to_the_packages_programs_that_is_cancelled_loses_nothing() {
    let seed = seed(Verdict::WrongAnswer, [b"abcdef", b"0", b"1"]);
    let mut program = Always::default();
    let (package, mut cancelled) = (own(true, true), Plain { left: 2 });
    let inputs = inputs(&package, &mut cancelled);
    let mut trial = Trial::new(Budget::default(), inputs, &mut program);
    let found = smallest(&mut trial, &seed, None).unwrap();
    assert_eq!(*found.found.input, *b"def");
    assert!(program.is_stopped);
}
