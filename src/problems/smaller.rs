//! What simpler inputs are made from: lists and boards with something left out, the boldest cuts
//! first. And what every small input is listed from: sizes of boards, pairs of cells, sets of cells.

use std::ops::Range;

/// The most simpler inputs that are offered for one input.
pub const SHRINK_CANDIDATES_MAX: usize = 4096;
/// The most bytes of text that all of them together stand for.
const SHRINK_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Simpler inputs that are offered however large the input is.
const SHRINK_CANDIDATES_MIN: usize = 8;

/// How many simpler inputs of one of so many bytes are offered.
pub fn candidates_max(bytes: usize) -> usize {
    (SHRINK_BYTES_MAX / bytes.max(1)).clamp(SHRINK_CANDIDATES_MIN, SHRINK_CANDIDATES_MAX)
}

/// Ranges to leave out of so many things: halves, quarters and so on down to single ones.
pub fn spans(length: usize) -> impl Iterator<Item = Range<usize>> {
    let sizes = std::iter::successors(Some(length.div_ceil(2)), |&size| {
        (size > 1).then(|| size.div_ceil(2))
    });
    sizes.filter(|&size| size > 0).flat_map(move |size| {
        let starts = (0..length).step_by(size);
        starts.map(move |start| start..length.min(start + size))
    })
}

/// A list without each of the spans.
pub fn shorter<T: Clone>(list: &[T]) -> impl Iterator<Item = Vec<T>> {
    spans(list.len()).map(|gone| [&list[..gone.start], &list[gone.end..]].concat())
}

/// A list with one of its things made simpler.
pub fn simpler_in<T: Clone, I: Iterator<Item = T>>(
    list: &[T],
    simpler: impl Fn(&T) -> I,
) -> impl Iterator<Item = Vec<T>> {
    (0..list.len()).flat_map(move |index| {
        simpler(&list[index]).map(move |one| {
            let mut changed = list.to_vec();
            changed[index] = one;
            changed
        })
    })
}

/// The columns and rows that are left, from 0, of a board without a span of its rows, then of its
/// columns.
pub fn crops(columns: usize, rows: usize) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
    let without =
        |side: usize, gone: Range<usize>| (0..side).filter(|at| !gone.contains(at)).collect();
    let fewer_rows = spans(rows).map(move |gone| ((0..columns).collect(), without(rows, gone)));
    let fewer_columns =
        spans(columns).map(move |gone| (without(columns, gone), (0..rows).collect()));
    fewer_rows.chain(fewer_columns)
}

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
