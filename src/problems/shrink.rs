//! What simpler inputs are made from: lists and boards with something left out, the boldest cuts
//! first.

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
