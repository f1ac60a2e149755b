//! The built-in solvers against their packages' second algorithms, on the hardest input of each
//! family that is made for that.
//!
//! - A row for each such family: an input of it, answered whole.
//! - `slowest board`: the dearest of the hundred hardest boards of curling; no baseline.
//!
//! Both start with the parsed input and end with the answer's bytes; the solvers also find the paths
//! and games that they count. Both must give the same answers.

use verdictd::internals::{Curling, Problem, Regions, TheGame};

use crate::common::{Row, Size, in_turns, median_time, ms};

pub const NAME: &str = "solvers";

/// Number of timings; the median counts.
const RUNS: usize = 5;
/// Boards or queries of an input, where it is only checked.
const CASES_SMALL: usize = 2;
/// The target, in milliseconds.
const SLOWEST_MS_MAX: f64 = 5.0;

pub fn rows(size: Size) -> Vec<Row> {
    let curling = compared(&Curling, size).into_iter();
    let others = [compared(&TheGame, size), compared(&Regions, size)];
    let rows = curling.chain(others.into_iter().flatten());
    rows.chain([slowest(size)]).collect()
}

/// The hard inputs of a problem, by their family.
fn hard<P: Problem>(problem: &P, size: Size) -> Vec<(&'static str, P::Instance)> {
    let hard = P::FAMILIES.iter().map(|family| family.name);
    let hard = hard.filter(|name| name.starts_with("worst"));
    let made = |name| {
        let input = problem.generate(name, 1).expect("an input of the family");
        let few = (P::EXTRAS.prefix)(&input, size.pick(usize::MAX, CASES_SMALL));
        (name, few.unwrap_or(input))
    };
    hard.map(made).collect()
}

fn compared<P: Problem>(problem: &P, size: Size) -> Vec<Row> {
    let second = P::EXTRAS.second_opinion.expect("a second algorithm");
    let row = |(family, input)| {
        let name = format!("{} {family}", P::SLUG);
        let answer = || problem.answer(&input);
        assert!(answer() == second(&input), "the two disagree on {name}");
        let pair = in_turns(size.pick(RUNS, 1), answer, || second(&input));
        Row::times(NAME, name, pair)
    };
    hard(problem, size).into_iter().map(row).collect()
}

fn slowest(size: Size) -> Row {
    let (_, input) = hard(&Curling, size).remove(0);
    let boards = (0..).map_while(|board| (Curling::EXTRAS.cut)(&input, board));
    let times = boards.map(|(_, board)| median_time(size.pick(RUNS, 1), || Curling.answer(&board)));
    let slowest = times.max().expect("there are boards");
    Row::new(NAME, "slowest board", ms(slowest), "ms").at_most(SLOWEST_MS_MAX)
}
