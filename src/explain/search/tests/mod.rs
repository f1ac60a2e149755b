//! The smallest inputs that are found for wrong programs, and how.

mod limits;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::{Ask, Budget, Found, Progress, Reply, Smallest, Trial, smallest};
use crate::compare::{self, Mode};
use crate::domain::{Fault, Strategy, Verdict};
use crate::explain::tests::{built_in, inputs};
use crate::package::NoOracle;
use crate::problems::curling::Curling;
use crate::problems::regions::Regions;
use crate::problems::thegame::TheGame;
use crate::problems::{Problem, Task};
use crate::util::tests::trials::is_soak;

/// A program: what it prints; nothing where it crashes.
type Program<'p> = &'p dyn Fn(&[u8]) -> Option<Vec<u8>>;

struct Wrong<'p> {
    program: Program<'p>,
    /// How often it was asked.
    asked: usize,
    /// What becomes of an input that it has seen before.
    again: Option<Verdict>,
    seen: HashSet<Arc<[u8]>>,
}

impl<'p> Wrong<'p> {
    fn new(program: Program<'p>) -> Self {
        Self {
            program,
            asked: 0,
            again: None,
            seen: HashSet::new(),
        }
    }

    fn reply(&self, input: &[u8], expected: &[u8]) -> Reply {
        let printed = (self.program)(input);
        let verdict = match &printed {
            None => Verdict::RuntimeError,
            Some(text) => match compare::compare(expected, text, &Mode::Tokens) {
                compare::Outcome::Same => Verdict::Accepted,
                _ => Verdict::WrongAnswer,
            },
        };
        Reply {
            verdict,
            printed: Arc::from(printed.unwrap_or_default()),
            cost: Duration::from_millis(2),
        }
    }
}

impl Ask for Wrong<'_> {
    fn ask(
        &mut self,
        (input, expected): (&Arc<[u8]>, &Arc<[u8]>),
        _is_sure: bool,
    ) -> Result<Option<Reply>, Fault> {
        self.asked += 1;
        let reply = self.reply(input, expected);
        let is_new = self.seen.insert(Arc::clone(input));
        let verdict = self.again.filter(|_| !is_new).unwrap_or(reply.verdict);
        Ok(Some(Reply { verdict, ..reply }))
    }
}

/// What a search begins with: an input, what was expected, and what was printed.
fn seed(verdict: Verdict, [input, expected, printed]: [&[u8]; 3]) -> Found {
    Found {
        input: Arc::from(input),
        expected: Arc::from(expected),
        verdict,
        printed: Arc::from(printed),
        strategy: Strategy::Test,
    }
}

/// The first generated input on which a program fails.
fn failing(task: &dyn Task, family: &str, program: &Wrong<'_>) -> Found {
    let inputs = (0..100).map(|seed| task.generate(family, seed).expect("a known family"));
    failing_of(task, inputs, program)
}

fn failing_of(
    task: &dyn Task,
    inputs: impl IntoIterator<Item = Vec<u8>>,
    program: &Wrong<'_>,
) -> Found {
    let failing = inputs.into_iter().find_map(|input| {
        let expected = task.answer(&input).unwrap();
        let reply = program.reply(&input, &expected);
        let found = || seed(reply.verdict, [&input, &expected, &reply.printed]);
        (reply.verdict != Verdict::Accepted).then(found)
    });
    failing.expect("it fails")
}

/// A budget of so many runs.
fn runs(runs: usize) -> Budget {
    Budget {
        runs,
        ..Budget::default()
    }
}

/// What is found from there.
fn searched(
    task: &dyn Task,
    seed: &Found,
    from: Option<Progress>,
    budget: Budget,
    program: &mut dyn Ask,
) -> Smallest {
    let input = str::from_utf8(&seed.input).unwrap();
    let package = built_in(task.slug(), Mode::Tokens, input);
    let mut oracle = NoOracle;
    let mut trial = Trial::new(budget, inputs(&package, &mut oracle), program);
    smallest(&mut trial, seed, from).unwrap()
}

/// What is found for a program.
fn found(task: &dyn Task, family: &str, program: Program<'_>) -> Smallest {
    let mut program = Wrong::new(program);
    let seed = failing(task, family, &program);
    let budget = runs(if is_soak() { 1_500 } else { 600 });
    let found = searched(task, &seed, None, budget, &mut program);
    let again = program.reply(&found.found.input, &found.found.expected);
    assert_eq!(again.verdict, seed.verdict, "it fails on what is found");
    let answer = task.answer(&found.found.input).unwrap();
    assert_eq!(answer, *found.found.expected);
    found
}

/// A program that bends this rule.
fn mutant(task: &dyn Task, rule: &str) -> impl Fn(&[u8]) -> Option<Vec<u8>> {
    let index = task.mutants().iter().position(|known| known.name == rule);
    let index = index.expect("a known rule");
    move |input| task.answer_mutant(input, index).ok()?
}

#[test]
fn famous_mistakes_are_shown_on_a_handful_of_cells() {
    for (task, family, rule, cells_max) in [
        (&Curling as &dyn Task, "random", "blocks-not-restored", 12),
        (&Curling, "random", "edge-stops", 4),
        (&Curling, "random", "goal-only-at-rest", 2),
        (&Curling, "random", "blocks-stay", 12),
        (&TheGame, "trap", "cell-once", 5),
        (&TheGame, "trap", "marked-in-the-queue", 5),
        (&TheGame, "trap", "marked-in-the-heap", 5),
        // Two pairs on one board, and two boards.
        (&TheGame, "many", "cards-are-taken-away", 3),
        (&TheGame, "many", "cards-of-earlier-boards", 9),
        (&Regions, "random", "end-by-number", 6),
        // Ten throws in vain on each of a hundred boards take longer than all others together.
        (&Curling, "random", "eleven-throws", 14),
    ] {
        if rule == "eleven-throws" && !is_soak() {
            continue;
        }
        let found = found(task, family, &mutant(task, rule));
        assert!(found.cells.unwrap() <= cells_max, "{rule}: {found:?}");
    }
}

/// Right where no spaces stand between the digits, and a crash otherwise.
fn reads_glued_digits(input: &[u8]) -> Option<Vec<u8>> {
    let board = Regions.parse(input).ok()?.input;
    (!board.spaced()).then(|| Problem::answer(&Regions, &board))
}

#[test]
fn inputs_of_every_form_that_the_statement_allows_are_tried() {
    // Step by step, this one comes to 13 cells.
    let input = include_bytes!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/problems/thegame/data/secret/030-leaves-the-board-on-each-side.in"
    ));
    let program = mutant(&TheGame, "cards-of-earlier-boards");
    let mut program = Wrong::new(&program);
    let seed = failing_of(&TheGame, [input.to_vec()], &program);
    let two_boards = searched(&TheGame, &seed, None, runs(4_000), &mut program);
    assert!(two_boards.cells <= Some(9), "{two_boards:?}");
    let with_spaces = found(&Regions, "random", &reads_glued_digits);
    assert!(with_spaces.cells <= Some(3), "{with_spaces:?}");
}

/// Wrong about the third board, whatever it is.
fn carries(input: &[u8]) -> Option<Vec<u8>> {
    let answers = String::from_utf8(Task::answer(&Curling, input).ok()?).ok()?;
    let mut lines: Vec<&str> = answers.lines().collect();
    if lines.len() > 2 {
        lines[2] = "77";
    }
    Some(lines.join("\n").into_bytes())
}

#[test]
fn a_mistake_that_needs_earlier_cases_keeps_as_many_as_it_takes() {
    let found = found(&Curling, "random", &carries);
    assert_eq!((found.cases, found.cells), (3, Some(6)));
    assert_ne!(found.found.strategy, Strategy::Cut, "the case alone passes");
}

#[test]
fn a_crash_that_says_nothing_is_found_among_a_hundred_cases() {
    let program = |input: &[u8]| {
        let instance = Curling.parse(input).ok()?.input;
        let crashes = instance.boards.iter().any(|board| board.width() > 16);
        (!crashes).then(|| Problem::answer(&Curling, &instance))
    };
    let found = found(&Curling, "random", &program);
    assert_eq!((found.cases, found.cells), (1, Some(17)));
}

#[test]
fn a_search_ends_with_its_budget_and_still_shows_the_failing_case() {
    let program = mutant(&Curling, "blocks-not-restored");
    let mut program = Wrong::new(&program);
    let seed = failing(&Curling, "random", &program);
    for most in [0, 1, 20] {
        program.asked = 0;
        let found = searched(&Curling, &seed, None, runs(most), &mut program);
        assert!(program.asked <= most);
        assert!(found.found.input.len() <= seed.input.len());
    }
}
