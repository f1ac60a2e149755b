//! The regions of a board and which of them are adjacent.

/// The most regions of a board.
pub const REGIONS_MAX: usize = 50;

/// A set of regions, one bit per region.
pub(super) type Set = u64;

const _: () = assert!(REGIONS_MAX <= Set::BITS as usize);

/// A board cut into its regions, which are numbered from 0 in the order of their first cells.
#[derive(Debug, Clone)]
pub(super) struct Map {
    /// The region of every cell, row by row.
    pub(super) region_of: Vec<usize>,
    /// The first cell of every region in reading order.
    pub(super) first_cell: Vec<usize>,
    /// The neighbours of every region.
    pub(super) neighbours: Vec<Set>,
}

impl Map {
    /// Cuts a board of so many columns; the error is the cell where one region more than allowed
    /// begins.
    pub(super) fn new(cells: &[u8], columns: usize) -> Result<Self, usize> {
        let (region_of, first_cell) = flooded(cells, |cell| beside(cell, columns, cells.len()));
        if let Some(&one_more) = first_cell.get(REGIONS_MAX) {
            return Err(one_more);
        }
        let neighbours = neighbours(&region_of, columns, first_cell.len());
        Ok(Self {
            region_of,
            first_cell,
            neighbours,
        })
    }

    /// How many steps every region is from this one; every region can be reached.
    pub(super) fn distances_to(&self, target: usize) -> Vec<usize> {
        let mut distances = vec![0; self.first_cell.len()];
        let mut seen: Set = 1 << target;
        let mut frontier = seen;
        for distance in 1.. {
            let mut reached: Set = 0;
            for region in members(frontier) {
                reached |= self.neighbours[region];
            }
            frontier = reached & !seen;
            if frontier == 0 {
                break;
            }
            seen |= frontier;
            for region in members(frontier) {
                distances[region] = distance;
            }
        }
        distances
    }
}

/// The region of every cell, where a cell joins those of its colour that lie beside it: numbers from
/// 0 in the order of first cells, which are the second part.
pub(super) fn flooded<I: IntoIterator<Item = usize>>(
    cells: &[u8],
    beside: impl Fn(usize) -> I,
) -> (Vec<usize>, Vec<usize>) {
    const UNSEEN: usize = usize::MAX;
    let mut region_of = vec![UNSEEN; cells.len()];
    let mut first_cell = Vec::new();
    let mut pending = Vec::new();
    for start in 0..cells.len() {
        if region_of[start] != UNSEEN {
            continue;
        }
        let region = first_cell.len();
        first_cell.push(start);
        region_of[start] = region;
        pending.push(start);
        while let Some(cell) = pending.pop() {
            for next in beside(cell) {
                if region_of[next] == UNSEEN && cells[next] == cells[start] {
                    region_of[next] = region;
                    pending.push(next);
                }
            }
        }
    }
    (region_of, first_cell)
}

/// The neighbours of each of `count` parts of a board.
pub(super) fn neighbours(part_of: &[usize], columns: usize, count: usize) -> Vec<Set> {
    let mut sets = vec![0; count];
    for (cell, &part) in part_of.iter().enumerate() {
        for next in beside(cell, columns, part_of.len()) {
            if part_of[next] != part {
                sets[part] |= 1 << part_of[next];
            }
        }
    }
    sets
}

/// The cells that have a side in common with this one.
pub(super) fn beside(cell: usize, columns: usize, cells: usize) -> impl Iterator<Item = usize> {
    let column = cell % columns;
    let up = cell.checked_sub(columns);
    let left = (column > 0).then(|| cell - 1);
    let right = (column + 1 < columns).then_some(cell + 1);
    let down = (cell + columns < cells).then_some(cell + columns);
    [up, left, right, down].into_iter().flatten()
}

/// The regions of a set in rising order.
pub(super) fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let region = set.trailing_zeros() as usize;
        set &= set - 1;
        Some(region)
    })
}
