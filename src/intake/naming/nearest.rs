//! Which problem a misspelt name most likely means.

use super::Known;
use crate::domain::ProblemSlug;

/// The problem that a spelling most likely means.
pub(super) fn nearest<'known>(spelling: &str, known: &'known Known) -> Option<&'known ProblemSlug> {
    known
        .problems
        .iter()
        .filter_map(|slug| slips(spelling, slug.as_str()).map(|slips| (slips, slug)))
        .min()
        .map(|(_, slug)| slug)
}

/// The same for the end of a flat name.
pub(super) fn nearest_flat<'stem, 'known>(
    stem: &'stem str,
    known: &'known Known,
) -> Option<(&'stem str, &'known ProblemSlug)> {
    stem.match_indices('_')
        .filter(|&(at, _)| at > 0)
        .flat_map(|(at, _)| {
            known.problems.iter().filter_map(move |slug| {
                slips(&stem[at + 1..], slug.as_str()).map(|slips| (slips, at, slug))
            })
        })
        .min()
        .map(|(_, at, slug)| (&stem[..at], slug))
}

/// How many slips (a character too many, missing, other, or swapped with its neighbour) lead from one name to the other;
/// `None` for more than a third of the name, which is another name. Case and separators do not count.
pub(super) fn slips(spelling: &str, slug: &str) -> Option<usize> {
    let fold = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|character| !matches!(character, '-' | '_' | ' '))
            .map(|character| character.to_ascii_lowercase())
            .collect()
    };
    let (from, to) = (fold(spelling), fold(slug));
    let allowed = (to.len() / 3).max(1);
    if from.is_empty() || to.len() < 2 || from.len().abs_diff(to.len()) > allowed {
        return None;
    }
    // Three rows of the table are enough: the one before the previous is needed for swaps.
    let mut before = vec![0; to.len() + 1];
    let mut previous: Vec<usize> = (0..=to.len()).collect();
    for row in 1..=from.len() {
        let mut current = vec![row; to.len() + 1];
        for column in 1..=to.len() {
            let other = usize::from(from[row - 1] != to[column - 1]);
            let mut best = (previous[column - 1] + other)
                .min(previous[column] + 1)
                .min(current[column - 1] + 1);
            if row > 1
                && column > 1
                && from[row - 1] == to[column - 2]
                && from[row - 2] == to[column - 1]
            {
                best = best.min(before[column - 2] + 1);
            }
            current[column] = best;
        }
        before = std::mem::replace(&mut previous, current);
    }
    Some(previous[to.len()]).filter(|&slips| slips <= allowed)
}
