//! Inputs of every built-in problem: those that are generated, those that are shipped, and simpler
//! ones.

use std::cmp::Reverse;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use crate::problems::curling::Curling;
use crate::problems::curling::board::{Board, Instance};
use crate::problems::regions::Regions;
use crate::problems::smaller::SHRINK_CANDIDATES_MAX;
use crate::problems::thegame::TheGame;
use crate::problems::{ALL, Parsed, Problem, Task, disagreement, find};
use crate::util::tests::trials::{is_soak, seeds};

/// The folder of a built-in problem's package.
pub fn package(task: &dyn Task) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("problems/{}", task.slug()))
}

/// The inputs of this folder of its data, by name.
pub fn shipped(task: &dyn Task, folder: &str) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(package(task).join("data").join(folder)).unwrap();
    let inputs = files.map(|entry| entry.unwrap().path());
    let inputs = inputs.filter(|path| path.extension().is_some_and(|found| found == "in"));
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let inputs = inputs.map(|path| (name(&path), std::fs::read(&path).unwrap()));
    let mut inputs: Vec<(String, Vec<u8>)> = inputs.collect();
    inputs.sort();
    assert!(!inputs.is_empty());
    inputs
}

/// Takes longer than all others together. A shipped test of it is made again below, and the check
/// of the shipped package asks both algorithms.
const DEAR: (&str, &str) = ("curling", "hard");

/// Families give valid inputs, the same for the same seed, and both algorithms answer them alike.
fn families_hold<P: Problem>(problem: &P, many: u64, cases_max: usize) {
    for family in P::FAMILIES {
        if (P::SLUG, family.name) == DEAR && !is_soak() {
            continue;
        }
        let made = |seed| Problem::generate(problem, family.name, seed).unwrap();
        for seed in seeds(many) {
            let what = format!("{} {} {seed}", P::SLUG, family.name);
            let input = made(seed);
            assert_eq!(input, made(seed), "{what}");
            let bytes = problem.render(&input);
            let notes = Vec::new();
            assert_eq!(problem.parse(&bytes), Ok(Parsed { input, notes }), "{what}");
            let few = problem.prefix(&bytes, cases_max).unwrap().unwrap_or(bytes);
            assert_eq!(disagreement(problem, &few), Ok(None), "{what}");
        }
        let first = made(0);
        assert!((1..9).any(|seed| made(seed) != first), "{}", family.name);
    }
    assert_eq!(Problem::generate(problem, "no such family", 0), None);
}

#[test]
fn families_are_valid_and_repeatable_and_both_algorithms_agree_on_them() {
    // A hundred of the worst boards take longer than all others together.
    families_hold(&Curling, 1, if is_soak() { 8 } else { 4 });
    families_hold(&TheGame, 1, usize::MAX);
    families_hold(&Regions, 5, usize::MAX);
    // For ever: what was made once is made again.
    let small = find("regions").unwrap().generate("small", 7).unwrap();
    assert_eq!(small, b"1 3\n2 2 1\n");
}

/// The family and the seed in the name of a test.
fn family_and_seed(task: &dyn Task, test: &str) -> Option<(&'static str, u64)> {
    let test = test.replace("-seed-", "-");
    let mut families: Vec<_> = task.families().iter().map(|family| family.name).collect();
    // `worst-random` is not `random`.
    families.sort_by_key(|family| Reverse(family.len()));
    families.into_iter().find_map(|family| {
        let (_, seed) = test.split_once(&format!("-{family}-"))?;
        Some((family, seed.split('-').next()?.parse().ok()?))
    })
}

#[test]
fn shipped_tests_are_in_normal_form_and_those_of_a_family_and_a_seed_are_made_of_them() {
    for (task, least) in [(ALL[0], 20), (ALL[1], 15), (ALL[2], 14)] {
        let mut remade = 0;
        for (name, input) in shipped(task, "secret") {
            let what = format!("{} {name}", task.slug());
            let valid = task.validate(&input).unwrap();
            assert!(valid.input == input && valid.notes.is_empty(), "{what}");
            if let Some((family, seed)) = family_and_seed(task, &name) {
                assert!(task.generate(family, seed).unwrap() == input, "{what}");
                remade += 1;
            }
        }
        assert!(remade >= least, "{}: only {remade}", task.slug());
    }
}

/// Simpler inputs are valid, and have less of what is measured, compared in order.
fn simpler_ones_hold<P: Problem, M: PartialOrd + Debug>(
    problem: &P,
    measure: impl Fn(&P::Instance) -> M,
) {
    for family in P::FAMILIES {
        let instance = Problem::generate(problem, family.name, 7).unwrap();
        let before = measure(&instance);
        let simpler = (P::EXTRAS.shrink)(&instance);
        assert!(simpler.len() <= SHRINK_CANDIDATES_MAX, "{}", family.name);
        // Of many every so-manieth is looked at, the first always.
        let stride = 1 + simpler.len() / if is_soak() { 100 } else { 40 };
        for input in simpler.into_iter().step_by(stride) {
            let after = measure(&input);
            assert!(after < before, "{}: {after:?}, {before:?}", family.name);
            let parsed = problem.parse(&problem.render(&input));
            assert_eq!(parsed.map(|parsed| parsed.input), Ok(input));
        }
    }
}

#[test]
fn simpler_inputs_are_valid_and_strictly_simpler() {
    simpler_ones_hold(&Curling, |instance: &Instance| {
        let cells = instance.boards.iter().map(|board| board.cells().count());
        let blocks = instance.boards.iter().map(Board::block_count);
        let (cells, blocks): (usize, usize) = (cells.sum(), blocks.sum());
        (instance.boards.len(), cells, blocks)
    });
    simpler_ones_hold(&TheGame, |input| {
        let boards = input.boards.iter();
        let sizes = boards
            .map(|board| 1 + board.cells().count() + board.cards().len() + board.queries.len());
        sizes.sum::<usize>()
    });
    simpler_ones_hold(&Regions, |board| {
        let colours = board.cells().iter().map(|&colour| usize::from(colour));
        let regions = Regions.size(&Regions.render(board), "regions").unwrap();
        let colours = colours.sum::<usize>();
        (board.cells().len(), regions, colours, board.spaced())
    });
    let least = ["0 0\n", "0 0\n", "1 2\n12\n"];
    for (slug, least) in ["curling", "thegame", "regions"].into_iter().zip(least) {
        let simpler = find(slug).unwrap().shrink(least.as_bytes()).unwrap();
        assert!(simpler.is_empty(), "{slug}");
    }
}
