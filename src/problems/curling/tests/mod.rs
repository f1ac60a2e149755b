//! Tests of solver, witness, families and shrinking, all against the independent brute force.

mod brute;
mod drawing;
mod reading;
mod second;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::board::{Board, Cell, Instance, Square};
use super::player::{self, Mistake};
use super::{generate, smaller, solve};
use crate::problems::find;
use crate::problems::smaller::SHRINK_CANDIDATES_MAX;
use crate::util::tests::trials::seeds;

/// Compares one board with the brute force and has the referee replay the witness.
fn check(board: &Board, what: &str) -> Option<usize> {
    let instance = Instance {
        boards: vec![board.clone()],
    };
    let game = solve::solve(board);
    let shown = || String::from_utf8(instance.render()).unwrap();
    let expected = brute::least_throws(board);
    let got = game.as_ref().map(Vec::len);
    assert_eq!(got, expected, "{what}\n{}", shown());
    replay(board, game.as_deref(), what);
    got
}

/// Has the referee replay a witness, if there is one.
fn replay(board: &Board, game: Option<&[super::solve::Throw]>, what: &str) {
    if let Some(throws) = game {
        let verdict = brute::referee(board, throws);
        assert_eq!(verdict, Ok(()), "{what}\n{board:?}\n{throws:?}");
    }
}

/// A board of at most this size, drawn without the generator's families.
pub(super) fn draw(seed: u64, side_max: usize, percent_max: u32) -> Board {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let width = rng.random_range(2..=side_max);
        let height = rng.random_range(1..=side_max);
        let mut cell = || Cell::new(rng.random_range(0..width), rng.random_range(0..height));
        let (start, goal) = (cell(), cell());
        let Some(mut board) = Board::new(width, height, start, goal) else {
            continue;
        };
        let percent = rng.random_range(0..=percent_max);
        for cell in board.cells() {
            board.set_block(cell, rng.random_range(0..100) < percent);
        }
        return board;
    }
}

#[test]
fn solver_agrees_with_brute_force_on_small_boards() {
    let mut seen = [0_u32; 11];
    for seed in 0..20_000 {
        let answer = check(&draw(seed, 6, 70), &format!("seed {seed}"));
        seen[answer.unwrap_or(0)] += 1;
    }
    // The comparison means little unless short and long games and hopeless boards all occur.
    assert!(seen[..9].iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn solver_agrees_with_brute_force_on_larger_boards() {
    for seed in 0..2_000 {
        check(&draw(seed, 10, 50), &format!("seed {seed}"));
    }
    for seed in 0..300 {
        check(&draw(seed, 20, 30), &format!("seed {seed}"));
    }
}

/// Families whose game trees are too large for the brute force; a plain search checks those.
const LARGE: [&str; 3] = ["slow", "hard", "worst"];

#[test]
fn solver_agrees_with_brute_force_on_every_family() {
    for family in generate::FAMILIES {
        if LARGE.contains(&family.name) {
            continue;
        }
        for seed in 0..4 {
            let instance = generate::generate(family.name, seed).unwrap();
            for (index, board) in instance.boards.iter().enumerate() {
                check(board, &format!("{} seed {seed} board {index}", family.name));
            }
        }
    }
}

#[test]
fn solver_agrees_with_a_plain_search_on_boards_with_large_trees() {
    for seed in seeds(3) {
        let board = &generate::generate("slow", seed).unwrap().boards[0];
        let game = super::solve::solve(board);
        let expected = player::answer(board, None).expect("the tree is small enough");
        assert_eq!(game.as_ref().map(Vec::len), expected, "slow seed {seed}");
        replay(board, game.as_deref(), &format!("slow seed {seed}"));
    }
}

#[test]
fn long_games_near_hard_boards_are_found() {
    // A goal put where the stone can just get in many throws makes the search go deep and still
    // succeed.
    let mut long = 0;
    for seed in seeds(4) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let hard = generate::generate("slow", seed).unwrap().boards.remove(0);
        for _ in 0..20 {
            let goal = Cell::new(rng.random_range(0..20), rng.random_range(0..20));
            let Some(mut board) = Board::new(20, 20, hard.start(), goal) else {
                continue;
            };
            for cell in hard.cells() {
                board.set_block(cell, hard.square(cell) == Square::Block);
            }
            let Some(expected) = player::answer(&board, None) else {
                continue;
            };
            let game = super::solve::solve(&board);
            assert_eq!(
                game.as_ref().map(Vec::len),
                expected,
                "seed {seed}, goal {goal:?}"
            );
            replay(
                &board,
                game.as_deref(),
                &format!("seed {seed}, goal {goal:?}"),
            );
            long += u32::from(expected.is_some_and(|throws| throws >= 6));
        }
    }
    assert!(long >= 3, "only {long} long games");
}

#[test]
fn sample_of_the_source() {
    let input = b"2 1\n3 2\n6 6\n1 0 0 2 1 0\n1 1 0 0 0 0\n0 0 0 0 0 3\n0 0 0 0 0 0\n1 0 0 0 0 1\n0 1 1 1 1 1\n\
        6 1\n1 1 2 1 1 3\n6 1\n1 0 2 1 1 3\n12 1\n2 0 1 1 1 1 1 1 1 1 1 3\n13 1\n2 0 1 1 1 1 1 1 1 1 1 1 3\n0 0\n";
    let task = find("curling").unwrap();
    assert_eq!(task.answer(input).unwrap(), b"1\n4\n-1\n4\n10\n-1\n");
    let witness = task.witness(input).unwrap().unwrap();
    for line in [
        "dataset 1 (2 x 1): 1 throw\n  1. left from row 1, column 2 over 1 cell to the goal at row 1, column 1\n",
        "dataset 3 (6 x 1): no game of at most 10 throws ends on the goal\n",
        "  1. left from row 1, column 3 over 1 cell to row 1, column 2; the block at row 1, column 1 vanishes\n",
    ] {
        assert!(witness.contains(line), "{witness}");
    }
}

#[test]
fn generator_is_valid_repeatable_and_bounded() {
    for family in generate::FAMILIES {
        let made = [0, 1].map(|seed| generate::generate(family.name, seed).unwrap());
        for (seed, instance) in made.iter().enumerate() {
            let what = format!("{} seed {seed}", family.name);
            assert!((1..=100).contains(&instance.boards.len()), "{what}");
            let bytes = instance.render();
            let parsed = Instance::parse(&bytes).unwrap();
            assert_eq!(parsed.input, *instance, "{what}");
            assert_eq!(parsed.notes, [], "{what}");
        }
        let again = generate::generate(family.name, 0);
        assert_eq!(again.as_ref(), Some(&made[0]), "{}", family.name);
        assert!(made[0] != made[1], "{} ignores its seed", family.name);
    }
    assert_eq!(generate::generate("no such family", 0), None);
}

#[test]
fn a_search_without_a_bound_of_ten_throws_does_not_come_to_an_end_where_there_is_no_game() {
    fn slides(board: &mut Board, at: Cell, throws: usize, made: &mut u64) {
        for (dx, dy) in [(0, -1), (1, 0), (0, 1), (-1, 0)] {
            *made += 1;
            let (mut here, mut steps) = (at, 0);
            while throws > 0 && *made < 1_000_000 {
                let (Some(x), Some(y)) =
                    (here.x.checked_add_signed(dx), here.y.checked_add_signed(dy))
                else {
                    break;
                };
                let next = Cell::new(x, y);
                if x >= board.width() || y >= board.height() {
                    break;
                }
                assert_ne!(next, board.goal());
                if board.square(next) == Square::Block {
                    if steps > 0 {
                        board.set_block(next, false);
                        slides(board, here, throws - 1, made);
                        board.set_block(next, true);
                    }
                    break;
                }
                (here, steps) = (next, steps + 1);
            }
        }
    }
    for board in generate::generate("hopeless", 1).unwrap().boards {
        assert_eq!(solve::solve(&board), None);
        assert!(player::tree_slides(&board, 1_000_000) <= 20_000);
        let mut made = 0;
        slides(&mut board.clone(), board.start(), 20, &mut made);
        assert!(made >= 1_000_000, "{made}");
    }
}

/// Families on which a mistake shows.
const MISTAKES: [(&str, Mistake); 13] = [
    ("passing", Mistake::GoalOnlyAtRest),
    ("vanishing", Mistake::BlocksStay),
    ("neighbour", Mistake::HitsNeighbour),
    ("place", Mistake::TakesBlocksPlace),
    ("edge", Mistake::EdgeStops),
    ("start", Mistake::StartStops),
    ("again", Mistake::NeverSameDirection),
    ("back", Mistake::NeverBack),
    ("revisit", Mistake::NeverRestsTwice),
    ("shortest", Mistake::FirstFound),
    ("put-back", Mistake::NotPutBack),
    ("ten", Mistake::NineThrows),
    ("ten", Mistake::ElevenThrows),
];

#[test]
fn families_for_mistakes_show_them() {
    for (family, mistake) in MISTAKES {
        for seed in 0..4 {
            let boards = generate::generate(family, seed).unwrap().boards;
            let shows = boards.iter().any(|board| {
                let right = super::solve::solve(board).map(|throws| throws.len());
                player::answer(board, Some(mistake)).is_some_and(|answer| answer != right)
            });
            assert!(shows, "{family} seed {seed} does not show {mistake:?}");
        }
    }
}

#[test]
fn hardest_boards_are_hard_and_all_there() {
    let boards = generate::hardest();
    assert_eq!(boards.len(), 100);
    for (index, board) in boards.iter().enumerate().step_by(3) {
        let slides = player::tree_slides(board, 300_000);
        assert_eq!(slides, 300_000, "board {index} has a small tree");
    }
}

#[test]
fn shrink_candidates_are_valid_and_simpler() {
    for family in generate::FAMILIES {
        for seed in seeds(1) {
            let instance = generate::generate(family.name, seed).unwrap();
            let what = format!("{} seed {seed}", family.name);
            let candidates = smaller::candidates(&instance);
            assert!(!candidates.is_empty(), "{what}");
            assert!(candidates.len() <= SHRINK_CANDIDATES_MAX, "{what}");
            let before = measure(&instance);
            // Of many candidates every so-manieth is read back, the first always.
            let stride = 1 + candidates.len() / 100;
            for (index, candidate) in candidates.iter().enumerate() {
                let after = measure(candidate);
                assert!(
                    after < before,
                    "{what} candidate {index}: {after:?} {before:?}"
                );
                if index % stride == 0 {
                    let parsed = Instance::parse(&candidate.render()).unwrap();
                    assert_eq!(parsed.input, *candidate, "{what} candidate {index}");
                }
            }
        }
    }
}

#[test]
fn greedy_shrinking_ends_at_a_smallest_input() {
    // Whatever is wrong with blocks that vanish shows on a board with very little on it.
    let mut instance = generate::generate("vanishing", 1).unwrap();
    let shows = |instance: &Instance| {
        instance.boards.iter().any(|board| {
            let right = super::solve::solve(board).map(|throws| throws.len());
            player::answer(board, Some(Mistake::BlocksStay)).is_some_and(|wrong| wrong != right)
        })
    };
    assert!(shows(&instance));
    while let Some(simpler) = smaller::candidates(&instance).into_iter().find(&shows) {
        instance = simpler;
    }
    let (datasets, cells, blocks) = measure(&instance);
    assert_eq!(datasets, 1, "{instance:?}");
    assert!(blocks <= 2 && cells <= 12, "{instance:?}");
    assert_eq!(smaller::candidates(&Instance::default()), []);
}

#[test]
fn secret_tests_are_what_their_family_and_seed_give() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/problems/curling/data/secret");
    let mut remade = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Some((family, seed)) = name[4..].split_once("-seed-") else {
            continue;
        };
        let made = generate::generate(family, seed.parse().unwrap()).unwrap();
        assert_eq!(made.render(), std::fs::read(&path).unwrap(), "{name}");
        remade += 1;
    }
    assert!(remade >= 20, "only {remade} tests name their seed");
}

/// What every candidate makes smaller, compared from left to right: datasets, cells, blocks.
fn measure(instance: &Instance) -> (usize, usize, usize) {
    let cells = |board: &Board| board.width() * board.height();
    (
        instance.boards.len(),
        instance.boards.iter().map(cells).sum(),
        instance.boards.iter().map(Board::block_count).sum(),
    )
}
