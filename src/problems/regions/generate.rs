//! Seeded boards: mixed ones, edges of what is allowed, and those that a plausible mistake or a
//! slow search trips over.

use std::ops::RangeInclusive;

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use super::map::{REGIONS_MAX, beside, members, neighbours};
use crate::problems::families::{self, Family, Law, Maker, maker, within};

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
const MAKERS: [Maker<Option<Board>>; 15] = [
    maker("random", "up to 12 by 12, patches in two to six colours", random),
    maker("small", "up to 4 by 4, every cell drawn for itself", small),
    maker("fifty", "exactly 50 regions, the most allowed", |rng| patched(rng, 8..=SIDE_MAX, REGIONS_MAX..=REGIONS_MAX, Colours::Apart, 0..=90)),
    maker("touching", "the two regions touch at the start: 0 moves", touching),
    maker("thin", "one or two rows or columns, up to 50 long: rows and columns mixed up show", thin),
    maker("colours", "two or three colours and many regions: a colour is not a region", |rng| patched(rng, 5..=30, 20..=REGIONS_MAX, Colours::Drawn(2..=FEW_COLOURS_MAX), 30..=30)),
    maker("blocks", "rectangles in rows and columns: a shared corner is not a shared side", blocks),
    maker("winding", "long thin regions: the way through few cells is not the way through few regions", |rng| patched(rng, 10..=SIDE_MAX, 10..=REGIONS_MAX, Colours::Apart, 95..=95)),
    maker("giant", "50 by 50, one region almost everywhere: deep recursion overflows", giant),
    maker("worst-layers", "layer behind layer, up to 50 of them: as many moves as there can be", layers),
    maker("worst-bricks", "about 50 bricks: more paths and more games than can be tried one by one", bricks),
    maker("worst-lanes", "two or three lanes of bricks, as long as they can be: more games than can be played", lanes),
    maker("worst-dead-ends", "bricks before a row of strips: more ways into dead ends than can be tried", dead_ends),
    maker("single-cells", "5 columns of regions of one cell each, from 5 to 50 of them", single_cells).growing("region", Law::Linear),
    maker("quarters", "a square board of any size in four regions", quarters).growing("cell", Law::Linear),
];

/// The families, the default one first.
pub(super) const FAMILIES: [Family; MAKERS.len()] = families::families(&MAKERS);

/// A board of a family; `None` for an unknown one.
pub(super) fn generate(family: &str, seed: u64) -> Option<Board> {
    let (maker, mut rng) = families::find(&MAKERS, family, seed)?;
    (0..ATTEMPTS_MAX)
        .find_map(|_| (maker.make)(&mut rng))
        .or_else(|| Board::new(1, 2, vec![1, 2], false))
}

/// Most boards stand without spaces, some with.
fn board(rng: &mut ChaCha8Rng, rows: usize, columns: usize, cells: Vec<u8>) -> Option<Board> {
    let spaced = rng.random_ratio(1, 3);
    Board::new(rows, columns, cells, spaced)
}

/// Patches of random shapes, either in so many colours at random, or apart from each other.
fn patched(
    rng: &mut ChaCha8Rng,
    sides: RangeInclusive<usize>,
    counts: RangeInclusive<usize>,
    colours: Colours,
    windings: RangeInclusive<u32>,
) -> Option<Board> {
    let [rows, columns] = [0; 2].map(|_| rng.random_range(sides.clone()));
    let count = within(rng, counts).min(rows * columns);
    let colours = match colours {
        Colours::Apart => None,
        Colours::Drawn(colours) => Some(rng.random_range(colours)),
    };
    let winding = within(rng, windings);
    let patches = Patches::grow(rng, rows, columns, count, winding)?;
    let cells = match colours {
        None => patches.coloured_apart(rng)?,
        Some(colours) => patches.coloured_at_random(rng, colours),
    };
    board(rng, rows, columns, cells)
}

/// How patches are coloured.
enum Colours {
    /// Neighbours differ, so that every patch is a region.
    Apart,
    /// Each for itself, in so many colours.
    Drawn(RangeInclusive<u8>),
}

fn random(rng: &mut ChaCha8Rng) -> Option<Board> {
    let colours = Colours::Drawn(2..=COLOUR_MAX);
    patched(rng, 1..=RANDOM_SIDE_MAX, 2..=REGIONS_MAX, colours, 0..=100)
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
    let wall = Wall {
        courses,
        bond,
        strips: 0,
    };
    let height = rng.random_range(1..=SIDE_MAX / courses);
    let length = 2 * rng.random_range(1..=SIDE_MAX / wall.bricks() / 2);
    wall.board(rng, height, length)
}

/// Few long courses: there are many moves to the end, and several of them at every step.
fn lanes(rng: &mut ChaCha8Rng) -> Option<Board> {
    let courses = rng.random_range(2..=3);
    let (bond, strips) = (true, 0);
    Wall {
        courses,
        bond,
        strips,
    }
    .board(rng, 1, 2)
}

/// A wall, then a row of strips: every way around in the wall is shorter than the way to the end.
fn dead_ends(rng: &mut ChaCha8Rng) -> Option<Board> {
    let courses = rng.random_range(5..=6);
    let (bond, strips) = (true, rng.random_range(16..=18));
    Wall {
        courses,
        bond,
        strips,
    }
    .board(rng, 1, 2)
}

/// Courses of bricks, and strips from the top to the bottom on their right.
struct Wall {
    courses: usize,
    /// Whether every second course is moved by half a brick; it has one brick more.
    bond: bool,
    strips: usize,
}

impl Wall {
    /// How many bricks a course has: as many as there may be.
    fn bricks(&self) -> usize {
        let more = if self.bond { self.courses / 2 } else { 0 };
        (REGIONS_MAX - more - self.strips) / self.courses
    }

    /// The wall of bricks of this size.
    fn board(&self, rng: &mut ChaCha8Rng, height: usize, length: usize) -> Option<Board> {
        let rows = self.courses * height;
        // One number more than there are bricks, for a course that is moved.
        let numbers = self.bricks() + 1;
        let wall = self.bricks() * length;
        let columns = wall + self.strips;
        let patch = |cell: usize| {
            let (course, column) = (cell / columns / height, cell % columns);
            if column >= wall {
                return self.courses * numbers + column - wall;
            }
            let is_moved = self.bond && !course.is_multiple_of(2);
            let moved = if is_moved { length / 2 } else { 0 };
            course * numbers + (column + moved) / length
        };
        let patch_of = (0..rows * columns).map(patch).collect();
        let cells = Patches::new(columns, patch_of).coloured_apart(rng)?;
        board(rng, rows, columns, cells)
    }
}

/// A board 5 wide whose regions are single cells.
fn single_cells(rng: &mut ChaCha8Rng) -> Option<Board> {
    const COLUMNS: usize = 5;
    let rows = rng.random_range(1..=REGIONS_MAX / COLUMNS);
    // Neighbours in a row differ by one, neighbours in a column by two.
    let colour = |cell: usize| u8::try_from((cell + cell / COLUMNS * 2) % COLUMNS + 1).ok();
    let mut cells: Vec<u8> = (0..rows * COLUMNS).filter_map(colour).collect();
    *cells.last_mut()? = COLOUR_MAX;
    Board::new(rows, COLUMNS, cells, false)
}

fn quarters(rng: &mut ChaCha8Rng) -> Option<Board> {
    let side = rng.random_range(2..=SIDE_MAX);
    let is_second = |at: usize| u8::from(at >= side / 2);
    let cells =
        (0..side * side).map(|cell| 1 + 2 * is_second(cell / side) + is_second(cell % side));
    Board::new(side, side, cells.collect(), false)
}

/// A board cut into connected patches.
struct Patches {
    columns: usize,
    patch_of: Vec<usize>,
    count: usize,
}

impl Patches {
    /// The patches of a board of so many columns; every cell has its patch's number, numbers may be
    /// left out.
    fn new(columns: usize, patch_of: Vec<usize>) -> Self {
        let count = patch_of.iter().max().map_or(0, |&last| last + 1);
        Self {
            columns,
            patch_of,
            count,
        }
    }

    /// Grows `count` patches from random cells, the first from the top left and the second from the
    /// bottom right one.
    ///
    /// `winding` is how often, in a hundred, the cell that was reached last grows next: it makes
    /// patches long and thin.
    /// `None` if there are fewer cells than patches, or fewer than two patches.
    fn grow(
        rng: &mut ChaCha8Rng,
        rows: usize,
        columns: usize,
        count: usize,
        winding: u32,
    ) -> Option<Self> {
        const UNSEEN: usize = usize::MAX;
        let cells = rows * columns;
        if count < 2 || count > cells {
            return None;
        }
        let mut between: Vec<usize> = (1..cells - 1).collect();
        let (seeds, _) = between.partial_shuffle(rng, count - 2);
        let mut patch_of = vec![UNSEEN; cells];
        let mut growing: Vec<usize> = [0, cells - 1].iter().chain(&*seeds).copied().collect();
        for (patch, &cell) in growing.iter().enumerate() {
            patch_of[cell] = patch;
        }
        growing.shuffle(rng);
        while !growing.is_empty() {
            let index = if rng.random_ratio(winding, 100) {
                growing.len() - 1
            } else {
                rng.random_range(0..growing.len())
            };
            let cell = growing[index];
            let mut free: Vec<usize> = beside(cell, columns, cells)
                .filter(|&next| patch_of[next] == UNSEEN)
                .collect();
            free.shuffle(rng);
            match free.pop() {
                Some(next) => {
                    patch_of[next] = patch_of[cell];
                    growing.push(next);
                }
                None => {
                    growing.swap_remove(index);
                }
            }
        }
        Some(Self {
            columns,
            patch_of,
            count,
        })
    }

    /// The cells with each patch in one of the first `colours` colours; patches of one colour may
    /// run together.
    fn coloured_at_random(&self, rng: &mut ChaCha8Rng, colours: u8) -> Vec<u8> {
        let palette: Vec<u8> = (0..self.count)
            .map(|_| rng.random_range(1..=colours))
            .collect();
        self.painted(&palette)
    }

    /// The cells with adjacent patches in different colours, so that every patch is a region.
    ///
    /// A patch with the fewest neighbours is set aside again and again, then all are coloured in
    /// the reverse order:
    /// in a flat map each then meets at most five coloured neighbours, so six colours are enough.
    fn coloured_apart(&self, rng: &mut ChaCha8Rng) -> Option<Vec<u8>> {
        let neighbours = neighbours(&self.patch_of, self.columns, self.count);
        let mut left: Vec<usize> = (0..self.count).collect();
        left.shuffle(rng);
        let mut aside = Vec::with_capacity(self.count);
        while !left.is_empty() {
            let set: u64 = left.iter().map(|&patch| 1_u64 << patch).sum();
            let fewest = (0..left.len())
                .min_by_key(|&index| (neighbours[left[index]] & set).count_ones())?;
            aside.push(left.swap_remove(fewest));
        }
        let mut palette = vec![0; self.count];
        for &patch in aside.iter().rev() {
            let mut free: Vec<u8> = (1..=COLOUR_MAX).collect();
            free.retain(|colour| members(neighbours[patch]).all(|next| palette[next] != *colour));
            if free.is_empty() {
                return None;
            }
            palette[patch] = free[rng.random_range(0..free.len())];
        }
        Some(self.painted(&palette))
    }

    fn painted(&self, palette: &[u8]) -> Vec<u8> {
        self.patch_of.iter().map(|&patch| palette[patch]).collect()
    }
}
