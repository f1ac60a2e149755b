//! Programs that are too slow, searches that are stopped, and what joining inputs hides.

use std::sync::Arc;
use std::time::Duration;

use super::{Wrong, curling, failing};
use crate::compare::Mode;
use crate::domain::{Fault, FaultKind, Verdict};
use crate::explain::search::{
    Ask, Budget, BuiltIn, Failed, Inputs, Progress, Reply, Smallest, smallest,
};
use crate::problems::curling::Curling;
use crate::problems::curling::player::Mistake;
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
            verdict: if takes > limit {
                Verdict::TimeLimit
            } else {
                Verdict::Accepted
            },
            printed: Arc::clone(expected),
            cost: Duration::from_millis(takes.min(limit)),
        }
    }
}

impl Ask for Slow {
    fn ask(&mut self, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Result<Option<Reply>, Fault> {
        let reply = self.reply(input, expected);
        self.spent_ms += u64::try_from(reply.cost.as_millis()).unwrap();
        Ok(Some(reply))
    }

    fn divide_limit(&mut self, by: u32) {
        self.divisor = by.into();
    }
}

/// The largest of the first inputs of all families, and its answer.
fn largest(task: &'static dyn Task) -> (Arc<[u8]>, Arc<[u8]>) {
    let families = task.families().iter();
    let inputs = families.filter_map(|family| task.generate(family.name, 0));
    let input = inputs
        .max_by_key(|input| task.cells(input).unwrap())
        .unwrap();
    let expected = task.answer(&input).unwrap();
    (Arc::from(input), Arc::from(expected))
}

#[test]
fn a_slow_program_is_shown_on_an_input_just_large_enough() {
    type Takes = fn(u64) -> u64;
    let exponential: Takes = |cells| 1 << cells.min(40);
    let quadratic: Takes = |cells| cells * cells;
    for (takes, least, most) in [(exponential, 10, 12), (quadratic, 32, 40)] {
        let (input, expected) = largest(&Regions);
        let mut program = Slow {
            task: &Regions,
            takes,
            divisor: 1,
            spent_ms: 0,
        };
        let failed = Failed {
            verdict: Verdict::TimeLimit,
            input: &input,
            expected: &expected,
            printed: &expected,
            mode: &Mode::Tokens,
        };
        let budget = Budget {
            cpu: Duration::from_secs(20),
            ..Budget::default()
        };
        let found = smallest(&failed, None, &mut BuiltIn(&Regions), &mut program, budget).unwrap();
        let cells = found.cells.unwrap();
        assert!((least..=most).contains(&cells), "{cells} cells");
        assert_eq!(program.divisor, 1, "the whole limit is given back");
        let again = program.reply(&found.found.input, &found.found.expected);
        assert_eq!(again.verdict, Verdict::TimeLimit);
        assert!(program.spent_ms <= 21_000, "{} ms", program.spent_ms);
    }
}

/// A search for the mistake that boards are not put back, in so many runs.
fn search(from: Option<Progress>, runs: usize) -> (Smallest, usize) {
    let program = curling(Mistake::NotPutBack);
    let mut program = Wrong::new(&program);
    let (input, expected, reply) = failing(&Curling, "random", &program);
    let failed = Failed {
        verdict: reply.verdict,
        input: &input,
        expected: &expected,
        printed: &reply.printed,
        mode: &Mode::Tokens,
    };
    let budget = Budget {
        runs,
        ..Budget::default()
    };
    let found = smallest(&failed, from, &mut BuiltIn(&Curling), &mut program, budget).unwrap();
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
    let right = |input: &[u8]| String::from_utf8(Task::answer(&Curling, input).unwrap()).unwrap();
    let program = |input: &[u8]| {
        let boards = Curling.parse(input).ok()?.input.boards;
        Some(if boards.len() == 1 {
            "77".to_owned()
        } else {
            right(input)
        })
    };
    let random = Task::generate(&Curling, "random", 0).unwrap();
    let one = Curling.case_at(&random, 1).unwrap().unwrap();
    let (input, expected) = (Arc::from(one.input), Arc::from(&b"1\n"[..]));
    let failed = Failed {
        verdict: Verdict::WrongAnswer,
        input: &input,
        expected: &expected,
        printed: &Arc::from(&b"77"[..]),
        mode: &Mode::Tokens,
    };
    let (mut program, budget) = (Wrong::new(&program), Budget::default());
    let found = smallest(&failed, None, &mut BuiltIn(&Curling), &mut program, budget).unwrap();
    assert!(found.cells.unwrap() <= 2, "{:?}", found.cells);
}

/// A package's own programs, whose runs are cancelled after so many.
struct Cancelled {
    left: usize,
}

impl Inputs for Cancelled {
    fn expected(&mut self, _: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        let cancelled = || Fault::new("run", "not wanted").of_kind(FaultKind::Cancelled);
        self.left = self.left.checked_sub(1).ok_or_else(cancelled)?;
        Ok(Some(Arc::from(&b"0"[..])))
    }

    fn simpler(&self, input: &[u8]) -> Vec<Vec<u8>> {
        vec![input[1..].to_vec()]
    }
}

/// Wrong about everything.
#[derive(Default)]
struct Always {
    is_stopped: bool,
}

impl Ask for Always {
    fn ask(&mut self, _: &Arc<[u8]>, _: &Arc<[u8]>) -> Result<Option<Reply>, Fault> {
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
    let texts: [Arc<[u8]>; 3] = [&b"abcdef"[..], b"0", b"1"].map(Arc::from);
    let failed = Failed {
        verdict: Verdict::WrongAnswer,
        input: &texts[0],
        expected: &texts[1],
        printed: &texts[2],
        mode: &Mode::Tokens,
    };
    let (mut inputs, mut program) = (Cancelled { left: 3 }, Always::default());
    let found = smallest(&failed, None, &mut inputs, &mut program, Budget::default()).unwrap();
    assert_eq!(*found.found.input, *b"def");
    assert!(program.is_stopped);
}
