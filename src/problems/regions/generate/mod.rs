//! Seeded boards: mixed ones, edges of what is allowed, and those that a plausible mistake or a
//! slow search trips over.

mod patches;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use super::map::REGIONS_MAX;
use crate::problems::families::{self, Family, Maker, maker};
use patches::Patches;

/// How many boards are drawn before a family gives up and takes the plainest board.
const ATTEMPTS_MAX: usize = 200;

/// The longest side of a board of the default family.
const RANDOM_SIDE_MAX: usize = 12;

/// The longest side of a board for the brute force and for people.
const SMALL_SIDE_MAX: usize = 4;

/// The most colours that a board has where few colours are the point.
const FEW_COLOURS_MAX: u8 = 3;

/// The most layers of a board, so that its regions are few enough.
const LAYERS_MAX: usize = REGIONS_MAX;

/// The families with their makers, the default one first; a maker may fail.
#[rustfmt::skip]
const MAKERS: [Maker<Option<Board>>; 13] = [
    maker("random", "up to 12 by 12, patches in two to six colours", random),
    maker("small", "up to 4 by 4, every cell drawn for itself", small),
    maker("fifty", "exactly 50 regions, the most allowed", fifty),
    maker("touching", "the two regions touch at the start: 0 moves", touching),
    maker("thin", "one or two rows or columns, up to 50 long: rows and columns mixed up show", thin),
    maker("colours", "two or three colours and many regions: a colour is not a region", colours),
    maker("blocks", "rectangles in rows and columns: a shared corner is not a shared side", blocks),
    maker("winding", "long thin regions: the way through few cells is not the way through few regions", winding),
    maker("giant", "50 by 50, one region almost everywhere: deep recursion overflows", giant),
    maker("worst-layers", "layer behind layer, up to 50 of them: as many moves as there can be", layers),
    maker("worst-bricks", "about 50 bricks: more paths and more games than can be tried one by one", bricks),
    maker("worst-lanes", "two or three lanes of bricks, as long as they can be: more games than can be played", lanes),
    maker("worst-dead-ends", "bricks before a row of strips: more ways into dead ends than can be tried", dead_ends),
];

/// The families, the default one first.
pub(super) const FAMILIES: [Family; MAKERS.len()] = families::families(&MAKERS);

/// A board of a family; `None` for an unknown one.
pub(super) fn generate(family: &str, seed: u64) -> Option<Board> {
    let (make, mut rng) = families::find(&MAKERS, family, seed)?;
    (0..ATTEMPTS_MAX)
        .find_map(|_| make(&mut rng))
        .or_else(|| Board::new(1, 2, vec![1, 2], false))
}

/// Most boards stand without spaces, some with.
fn board(rng: &mut ChaCha8Rng, rows: usize, columns: usize, cells: Vec<u8>) -> Option<Board> {
    let spaced = rng.random_ratio(1, 3);
    Board::new(rows, columns, cells, spaced)
}

fn random(rng: &mut ChaCha8Rng) -> Option<Board> {
    let rows = rng.random_range(1..=RANDOM_SIDE_MAX);
    let columns = rng.random_range(1..=RANDOM_SIDE_MAX);
    let count = rng.random_range(2..=REGIONS_MAX).min(rows * columns);
    let colours = rng.random_range(2..=COLOUR_MAX);
    let winding = rng.random_range(0..=100);
    let cells = Patches::grow(rng, rows, columns, count, winding)?.coloured_at_random(rng, colours);
    board(rng, rows, columns, cells)
}

fn small(rng: &mut ChaCha8Rng) -> Option<Board> {
    let rows = rng.random_range(1..=SMALL_SIDE_MAX);
    let columns = rng.random_range(1..=SMALL_SIDE_MAX);
    let colours = rng.random_range(2..=COLOUR_MAX);
    let cells = (0..rows * columns)
        .map(|_| rng.random_range(1..=colours))
        .collect();
    board(rng, rows, columns, cells)
}

fn fifty(rng: &mut ChaCha8Rng) -> Option<Board> {
    let rows = rng.random_range(8..=SIDE_MAX);
    let columns = rng.random_range(8..=SIDE_MAX);
    let winding = rng.random_range(0..=90);
    let cells = Patches::grow(rng, rows, columns, REGIONS_MAX, winding)?.coloured_apart(rng)?;
    board(rng, rows, columns, cells)
}

/// The regions of a shortest chain but the last are painted in the first one's colour.
fn touching(rng: &mut ChaCha8Rng) -> Option<Board> {
    let start = random(rng)?;
    let solution = super::solve::solve(&start);
    let map = start.map();
    let (_, joined) = solution.chain.split_last()?;
    let is_joined = |region: usize| joined.iter().any(|link| link.region == region);
    let cells = start.cells().iter().zip(&map.region_of);
    let cells = cells.map(|(&colour, &region)| {
        if is_joined(region) {
            start.cells()[0]
        } else {
            colour
        }
    });
    let (rows, columns) = (start.rows(), start.columns());
    Board::new(rows, columns, cells.collect(), start.spaced())
        .filter(|board| super::solve::solve(board).moves.is_empty())
}

fn thin(rng: &mut ChaCha8Rng) -> Option<Board> {
    let short = rng.random_range(1..=2);
    let long = rng.random_range(short + 1..=SIDE_MAX);
    let (rows, columns) = if rng.random() {
        (short, long)
    } else {
        (long, short)
    };
    let count = rng.random_range(2..=REGIONS_MAX).min(rows * columns);
    let cells = Patches::grow(rng, rows, columns, count, 0)?.coloured_apart(rng)?;
    board(rng, rows, columns, cells)
}

fn colours(rng: &mut ChaCha8Rng) -> Option<Board> {
    let rows = rng.random_range(5..=30);
    let columns = rng.random_range(5..=30);
    let count = rng.random_range(20..=REGIONS_MAX).min(rows * columns);
    let colours = rng.random_range(2..=FEW_COLOURS_MAX);
    let cells = Patches::grow(rng, rows, columns, count, 30)?.coloured_at_random(rng, colours);
    board(rng, rows, columns, cells)
}

/// Rectangles of random sizes in rows and columns, neighbours in different colours.
fn blocks(rng: &mut ChaCha8Rng) -> Option<Board> {
    let down = rng.random_range(2..=7);
    let across = rng.random_range(2..=REGIONS_MAX / down);
    let heights: Vec<usize> = (0..down).map(|_| rng.random_range(1..=5)).collect();
    let widths: Vec<usize> = (0..across).map(|_| rng.random_range(1..=3)).collect();
    let rows = heights.iter().sum::<usize>().min(SIDE_MAX);
    let columns = widths.iter().sum::<usize>().min(SIDE_MAX);
    let block_rows = spread(&heights);
    let block_columns = spread(&widths);
    let patch_of = (0..rows * columns)
        .map(|cell| block_rows[cell / columns] * across + block_columns[cell % columns])
        .collect();
    let cells = Patches::new(columns, patch_of).coloured_apart(rng)?;
    board(rng, rows, columns, cells)
}

/// Which of these lengths, laid end to end, every place belongs to.
fn spread(lengths: &[usize]) -> Vec<usize> {
    let lengths = lengths.iter().enumerate();
    lengths
        .flat_map(|(index, &length)| std::iter::repeat_n(index, length))
        .collect()
}

fn winding(rng: &mut ChaCha8Rng) -> Option<Board> {
    let rows = rng.random_range(10..=SIDE_MAX);
    let columns = rng.random_range(10..=SIDE_MAX);
    let count = rng.random_range(10..=REGIONS_MAX);
    let cells = Patches::grow(rng, rows, columns, count, 95)?.coloured_apart(rng)?;
    board(rng, rows, columns, cells)
}

/// A sea around islands of one cell; in half of the boards a strip keeps the last corner apart from
/// it.
fn giant(rng: &mut ChaCha8Rng) -> Option<Board> {
    let sea = rng.random_range(1..=COLOUR_MAX);
    let mut cells = vec![sea; SIDE_MAX * SIDE_MAX];
    let last = SIDE_MAX - 1;
    let mut paint = |row: usize, column: usize, step: u8| {
        cells[row * SIDE_MAX + column] = (sea + step - 1) % COLOUR_MAX + 1;
    };
    let corner = rng.random_range(1..COLOUR_MAX - 1);
    paint(last, last, corner);
    if rng.random() {
        for (row, column) in [(last - 1, last), (last - 1, last - 1), (last, last - 1)] {
            paint(row, column, corner + 1);
        }
    }
    // The sea, the corner and the strip are regions too.
    for _ in 0..rng.random_range(0..=REGIONS_MAX - 3) {
        let row = rng.random_range(1..last - 1);
        let column = rng.random_range(1..last - 1);
        paint(row, column, rng.random_range(1..COLOUR_MAX));
    }
    board(rng, SIDE_MAX, SIDE_MAX, cells)
}

/// Layers across the board, each touching only the one before it and the one behind it.
fn layers(rng: &mut ChaCha8Rng) -> Option<Board> {
    let shape = rng.random_range(0..4);
    let rows = rng.random_range(2..=SIDE_MAX);
    let columns = rng.random_range(2..=SIDE_MAX);
    let depth = |row: usize, column: usize| match shape {
        0 => row,
        1 => column,
        2 => row.midpoint(column),
        _ => row.max(column),
    };
    let thickness = rng.random_range(1..=2);
    let mut colours = vec![rng.random_range(1..=COLOUR_MAX)];
    while colours.len() < LAYERS_MAX {
        let step = rng.random_range(1..COLOUR_MAX);
        let before = colours[colours.len() - 1];
        colours.push((before + step - 1) % COLOUR_MAX + 1);
    }
    let cells = (0..rows * columns)
        .map(|cell| colours[depth(cell / columns, cell % columns) / thickness])
        .collect();
    board(rng, rows, columns, cells)
}

/// Courses of bricks; in half of the boards every second course is moved by half a brick.
fn bricks(rng: &mut ChaCha8Rng) -> Option<Board> {
    let courses = rng.random_range(5..=9);
    let bond = rng.random();
    let bricks = Wall::bricks_max(courses, bond, 0);
    let height = rng.random_range(1..=SIDE_MAX / courses);
    let length = 2 * rng.random_range(1..=SIDE_MAX / bricks / 2);
    Wall {
        courses,
        bond,
        bricks,
        height,
        length,
        strips: 0,
    }
    .board(rng)
}

/// Few long courses: there are many moves to the end, and several of them at every step.
fn lanes(rng: &mut ChaCha8Rng) -> Option<Board> {
    let courses = rng.random_range(2..=3);
    Wall {
        courses,
        bond: true,
        bricks: Wall::bricks_max(courses, true, 0),
        height: 1,
        length: 2,
        strips: 0,
    }
    .board(rng)
}

/// A wall, then a row of strips: every way around in the wall is shorter than the way to the end.
fn dead_ends(rng: &mut ChaCha8Rng) -> Option<Board> {
    let courses = rng.random_range(5..=6);
    let strips = rng.random_range(16..=18);
    Wall {
        courses,
        bond: true,
        bricks: Wall::bricks_max(courses, true, strips),
        height: 1,
        length: 2,
        strips,
    }
    .board(rng)
}

/// Courses of bricks, and strips from the top to the bottom on their right.
struct Wall {
    courses: usize,
    /// Whether every second course is moved by half a brick; it has one brick more.
    bond: bool,
    bricks: usize,
    height: usize,
    length: usize,
    strips: usize,
}

impl Wall {
    /// How many bricks a course may have.
    fn bricks_max(courses: usize, bond: bool, strips: usize) -> usize {
        let more = if bond { courses / 2 } else { 0 };
        (REGIONS_MAX - more - strips) / courses
    }

    fn board(&self, rng: &mut ChaCha8Rng) -> Option<Board> {
        let rows = self.courses * self.height;
        let wall = self.bricks * self.length;
        let columns = wall + self.strips;
        let patch_of = (0..rows * columns)
            .map(|cell| {
                let (course, column) = (cell / columns / self.height, cell % columns);
                if column >= wall {
                    return self.courses * (self.bricks + 1) + column - wall;
                }
                let is_moved = self.bond && !course.is_multiple_of(2);
                let moved = if is_moved { self.length / 2 } else { 0 };
                course * (self.bricks + 1) + (column + moved) / self.length
            })
            .collect();
        let cells = Patches::new(columns, patch_of).coloured_apart(rng)?;
        board(rng, rows, columns, cells)
    }
}
