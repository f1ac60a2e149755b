//! The smallest inputs that are found for wrong programs, and how.

mod limits;

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::{Ask, Budget, Found, Inputs, Progress, Reply, Smallest, Trial, Way, smallest};
use crate::compare::{self, Mode};
use crate::domain::{Fault, Verdict};
use crate::explain::tests::built_in;
use crate::package::NoOracle;
use crate::problems::curling::Curling;
use crate::problems::curling::player::{self as mistakes, Mistake};
use crate::problems::regions::Regions;
use crate::problems::thegame::TheGame;
use crate::problems::thegame::wrong::{self as traps, wrong_segments};
use crate::problems::{Problem, Task};

/// A program: what it prints; nothing where it crashes.
type Program<'p> = &'p dyn Fn(&[u8]) -> Option<String>;

struct Wrong<'p> {
    program: Program<'p>,
    mode: Mode,
    /// How often it was asked.
    asked: usize,
}

impl<'p> Wrong<'p> {
    fn new(program: Program<'p>) -> Self {
        Self {
            program,
            mode: Mode::Tokens,
            asked: 0,
        }
    }
}

impl Wrong<'_> {
    fn reply(&self, input: &[u8], expected: &[u8]) -> Reply {
        let printed = (self.program)(input);
        let (verdict, printed) = match printed {
            None => (Verdict::RuntimeError, String::new()),
            Some(text) => match compare::compare(expected, text.as_bytes(), &self.mode) {
                compare::Outcome::Same => (Verdict::Accepted, text),
                _ => (Verdict::WrongAnswer, text),
            },
        };
        Reply {
            verdict,
            printed: Arc::from(printed.into_bytes()),
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
        Ok(Some(self.reply(input, expected)))
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
    let mut inputs = inputs.into_iter().map(Arc::<[u8]>::from);
    let failing = inputs.find_map(|input| {
        let expected = Arc::<[u8]>::from(task.answer(&input).unwrap());
        let reply = program.reply(&input, &expected);
        (reply.verdict != Verdict::Accepted).then_some(Found {
            input,
            expected,
            verdict: reply.verdict,
            printed: reply.printed,
            way: Way::Test,
        })
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
    let package = built_in(
        task.slug(),
        Mode::Tokens,
        str::from_utf8(&seed.input).unwrap(),
    );
    let inputs = Inputs {
        package: &package,
        oracle: &mut NoOracle,
    };
    smallest(&mut Trial::new(budget, inputs, program), seed, from).unwrap()
}

/// What is found for a program.
fn found(task: &dyn Task, family: &str, program: Program<'_>) -> Smallest {
    let mut program = Wrong::new(program);
    let seed = failing(task, family, &program);
    let found = searched(task, &seed, None, runs(1_500), &mut program);
    let again = program.reply(&found.found.input, &found.found.expected);
    assert_eq!(again.verdict, seed.verdict, "it fails on what is found");
    assert_eq!(
        task.answer(&found.found.input).unwrap(),
        *found.found.expected
    );
    found
}

fn curling(mistake: Mistake) -> impl Fn(&[u8]) -> Option<String> {
    move |input| {
        let mut text = String::new();
        for board in Curling.parse(input).ok()?.input.boards {
            let answer = mistakes::answer(&board, Some(mistake)).flatten();
            let answer = answer.map_or(-1, |throws| i64::try_from(throws).unwrap());
            writeln!(text, "{answer}").unwrap();
        }
        Some(text)
    }
}

fn the_game(mistake: traps::Mistake) -> impl Fn(&[u8]) -> Option<String> {
    move |input| {
        let mut text = String::new();
        for (number, board) in (1..).zip(TheGame.parse(input).ok()?.input.boards) {
            writeln!(text, "Board #{number}:").unwrap();
            for (number, &query) in (1..).zip(&board.queries) {
                match wrong_segments(&board, query, mistake, 0) {
                    Some(count) => writeln!(text, "Pair {number}: {count} segments.").unwrap(),
                    None => writeln!(text, "Pair {number}: impossible.").unwrap(),
                }
            }
        }
        Some(text)
    }
}

/// Regions numbered row by row; the game ends at the one with the largest number.
fn last_numbered_is_the_end(input: &[u8]) -> Option<String> {
    let board = Regions.parse(input).ok()?.input;
    let (columns, cells) = (board.columns(), board.cells());
    let beside = |at: usize| {
        let left = (!at.is_multiple_of(columns)).then(|| at - 1);
        let right = (!(at + 1).is_multiple_of(columns)).then_some(at + 1);
        let around = [left, right, at.checked_sub(columns), Some(at + columns)];
        around.into_iter().flatten().filter(|&at| at < cells.len())
    };
    let mut region = vec![usize::MAX; cells.len()];
    let mut regions = 0;
    for first in 0..cells.len() {
        let mut stack = vec![first];
        if region[first] != usize::MAX {
            continue;
        }
        while let Some(at) = stack.pop() {
            region[at] = regions;
            let same = |&next: &usize| cells[next] == cells[at] && region[next] == usize::MAX;
            stack.extend(beside(at).filter(same));
        }
        regions += 1;
    }
    let mut steps = vec![None; regions];
    steps[0] = Some(0_i64);
    let mut queue = VecDeque::from([0]);
    while let Some(from) = queue.pop_front() {
        let own = (0..cells.len()).filter(|&at| region[at] == from);
        for to in own.flat_map(beside).map(|at| region[at]) {
            if steps[to].is_none() {
                steps[to] = steps[from].map(|steps| steps + 1);
                queue.push_back(to);
            }
        }
    }
    Some(format!("{}\n", steps[regions - 1]? - 1))
}

#[test]
fn famous_mistakes_are_shown_on_a_handful_of_cells() {
    for (mistake, cells_max) in [
        (Mistake::NotPutBack, 12),
        (Mistake::EdgeStops, 4),
        (Mistake::GoalOnlyAtRest, 2),
        (Mistake::BlocksStay, 12),
        (Mistake::ElevenThrows, 14),
    ] {
        let found = found(&Curling, "random", &curling(mistake));
        assert!(found.cells.unwrap() <= cells_max, "{mistake:?}");
    }
    for mistake in traps::Mistake::ALL {
        let found = found(&TheGame, "trap", &the_game(mistake));
        assert!(found.cells.unwrap() <= 5, "{mistake:?}");
    }
    let found = found(&Regions, "random", &last_numbered_is_the_end);
    assert!(found.cells.unwrap() <= 6);
    assert_eq!(found.found.way, Way::Enumeration);
}

/// What a program answers that keeps a whole board with its ring between two boards, and looks for
/// lines in it.
fn on_kept_cells(input: &[u8], is_cleared: bool, is_taken_away: bool) -> Option<String> {
    let mut text = String::new();
    let mut is_card = [[false; 80]; 80];
    for (number, board) in (1..).zip(TheGame.parse(input).ok()?.input.boards) {
        let (width, height) = (usize::from(board.width()), usize::from(board.height()));
        if is_cleared {
            is_card = [[false; 80]; 80];
        }
        for cell in board.cells() {
            is_card[usize::from(cell.y)][usize::from(cell.x)] = board.has_card(cell);
        }
        writeln!(text, "Board #{number}:").unwrap();
        for (number, query) in (1..).zip(&board.queries) {
            let [from, to] = [query.from, query.to].map(|card| (card.x.into(), card.y.into()));
            match line_count(&is_card, (width + 1, height + 1), from, to) {
                Some(count) => writeln!(text, "Pair {number}: {count} segments.").unwrap(),
                None => writeln!(text, "Pair {number}: impossible.").unwrap(),
            }
            is_card[to.1][to.0] &= !is_taken_away;
        }
    }
    Some(text)
}

/// The lines from one card to another, breadth first.
fn line_count(
    is_card: &[[bool; 80]; 80],
    last: (usize, usize),
    from: (usize, usize),
    to: (usize, usize),
) -> Option<usize> {
    let mut seen = HashSet::from([from]);
    let mut level = vec![from];
    for count in 1.. {
        let mut next = Vec::new();
        for &(x, y) in &level {
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                let (mut x, mut y) = (x, y);
                while let (Some(a), Some(b)) = (x.checked_add_signed(dx), y.checked_add_signed(dy))
                {
                    (x, y) = (a, b);
                    if (x, y) == to {
                        return Some(count);
                    }
                    if x > last.0 || y > last.1 || is_card[y][x] {
                        break;
                    }
                    if seen.insert((x, y)) {
                        next.push((x, y));
                    }
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        level = next;
    }
    None
}

/// Right where no spaces stand between the digits, and a crash otherwise.
fn reads_glued_digits(input: &[u8]) -> Option<String> {
    let board = Regions.parse(input).ok()?.input;
    (!board.spaced()).then(|| String::from_utf8(Problem::answer(&Regions, &board)).unwrap())
}

#[test]
fn inputs_of_every_form_that_the_statement_allows_are_tried() {
    let right = |input: &[u8]| on_kept_cells(input, true, false);
    for seed in 0..5 {
        let input = Task::generate(&TheGame, "many", seed).unwrap();
        let answer = String::from_utf8(Task::answer(&TheGame, &input).unwrap()).unwrap();
        let printed = right(&input).unwrap();
        assert!(
            printed.split_whitespace().eq(answer.split_whitespace()),
            "{seed}"
        );
    }
    let takes_away = |input: &[u8]| on_kept_cells(input, true, true);
    let found_it = found(&TheGame, "many", &takes_away);
    assert_eq!(found_it.cells, Some(3), "two pairs on one board");
    let text = String::from_utf8_lossy(&found_it.found.input).into_owned();
    assert_eq!(text.matches('X').count(), 3, "{text}");
    let keeps_ring = |input: &[u8]| on_kept_cells(input, false, false);
    let found_it = found(&TheGame, "many", &keeps_ring);
    let text = String::from_utf8_lossy(&found_it.found.input).into_owned();
    assert!(found_it.cells <= Some(9), "two boards: {text}");
    // Step by step, this one comes to 13 cells.
    let input = include_bytes!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/problems/thegame/data/secret/030-leaves-the-board-on-each-side.in"
    ));
    let mut program = Wrong::new(&keeps_ring);
    let seed = failing_of(&TheGame, [input.to_vec()], &program);
    let found_it = searched(&TheGame, &seed, None, runs(4_000), &mut program);
    let text = String::from_utf8_lossy(&found_it.found.input).into_owned();
    assert!(found_it.cells <= Some(9), "two boards: {text}");
    let found_it = found(&Regions, "random", &reads_glued_digits);
    assert!(found_it.cells <= Some(3), "with spaces");
}

/// Wrong about the third board, whatever it is.
fn carries(input: &[u8]) -> Option<String> {
    let instance = Curling.parse(input).ok()?.input;
    let answers = Problem::answer(&Curling, &instance);
    let answers = String::from_utf8(answers).ok()?;
    let mut lines: Vec<&str> = answers.lines().collect();
    if lines.len() > 2 {
        lines[2] = "77";
    }
    Some(lines.join("\n"))
}

#[test]
fn a_mistake_that_needs_earlier_cases_keeps_as_many_as_it_takes() {
    let found = found(&Curling, "random", &carries);
    assert_eq!((found.cases, found.cells), (3, Some(6)));
    assert_ne!(found.found.way, Way::Cut, "the case alone passes");
}

#[test]
fn a_crash_that_says_nothing_is_found_among_a_hundred_cases() {
    let program = |input: &[u8]| {
        let instance = Curling.parse(input).ok()?.input;
        let crashes = instance.boards.iter().any(|board| board.width() > 16);
        (!crashes).then(|| String::from_utf8(Problem::answer(&Curling, &instance)).unwrap())
    };
    let found = found(&Curling, "random", &program);
    assert_eq!((found.cases, found.cells), (1, Some(17)));
}

#[test]
fn a_search_ends_with_its_budget_and_still_shows_the_failing_case() {
    let program = curling(Mistake::NotPutBack);
    let mut program = Wrong::new(&program);
    let seed = failing(&Curling, "random", &program);
    for most in [0, 1, 20] {
        program.asked = 0;
        let found = searched(&Curling, &seed, None, runs(most), &mut program);
        assert!(program.asked <= most);
        assert!(found.found.input.len() <= seed.input.len());
    }
}
