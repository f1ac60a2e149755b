//! Which problem a misspelt name most likely means.

use super::Known;
use crate::domain::ProblemSlug;
use crate::util::slips::slips as distance;

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
    Some(distance(&from, &to)).filter(|&slips| slips <= allowed)
}
