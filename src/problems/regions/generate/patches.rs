//! A board cut into connected patches, and colours for them.

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::problems::regions::board::COLOUR_MAX;
use crate::problems::regions::map::{beside, members, neighbours};

/// A board cut into connected patches.
pub(super) struct Patches {
    columns: usize,
    patch_of: Vec<usize>,
    count: usize,
}

impl Patches {
    /// The patches of a board of so many columns; every cell has its patch's number, numbers may be
    /// left out.
    pub(super) fn new(columns: usize, patch_of: Vec<usize>) -> Self {
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
    pub(super) fn grow(
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
    pub(super) fn coloured_at_random(&self, rng: &mut ChaCha8Rng, colours: u8) -> Vec<u8> {
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
    pub(super) fn coloured_apart(&self, rng: &mut ChaCha8Rng) -> Option<Vec<u8>> {
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
