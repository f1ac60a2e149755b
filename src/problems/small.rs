//! What every small input is listed from: sizes of boards, pairs of cells, sets of cells.

/// Widths and heights of the boards of so many cells, the nearest to a square first.
pub fn shapes(
    cells: usize,
    width_max: usize,
    height_max: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let widths = (1..=cells.min(width_max)).filter(move |width| cells.is_multiple_of(*width));
    let mut shapes: Vec<(usize, usize)> = widths
        .map(|width| (width, cells / width))
        .filter(|&(_, height)| height <= height_max)
        .collect();
    shapes.sort_by_key(|&(width, height)| width + height);
    shapes.into_iter()
}

/// Two different things of so many, in both orders.
pub fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..count).flat_map(move |one| (0..count).map(move |other| (one, other)));
    all.filter(|(one, other)| one != other)
}

/// Every set of so many things as a bit mask, the smallest sets first.
pub fn subsets(count: usize) -> impl Iterator<Item = u32> {
    let masks = move || 0..1_u32 << count;
    let of_size = move |size| masks().filter(move |mask| mask.count_ones() == size);
    (0..=u32::try_from(count).unwrap_or(u32::MAX)).flat_map(of_size)
}

#[cfg(test)]
mod tests {
    use super::{pairs, shapes, subsets};

    #[test]
    fn sizes_pairs_and_sets_are_complete_and_small_ones_come_first() {
        assert_eq!(
            shapes(6, 20, 2).collect::<Vec<_>>(),
            [(3, 2), (6, 1)],
            "2 x 3 and 1 x 6 are too high"
        );
        assert_eq!(pairs(2).collect::<Vec<_>>(), [(0, 1), (1, 0)]);
        assert_eq!(subsets(2).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(subsets(3).collect::<Vec<_>>()[4..], [3, 5, 6, 7]);
    }
}
