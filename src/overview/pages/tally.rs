//! What is counted among attempts: verdicts, and tests that fail.

use std::collections::BTreeMap;

use crate::domain::Verdict;
use crate::overview::{Cell, Grading};
use crate::report::html::VerdictView;
use crate::util::order::natural;

/// What is counted of some cells.
#[derive(Default)]
pub(super) struct Tally {
    /// Cells with an accepted attempt.
    pub accepted: usize,
    pub attempts: usize,
    /// Attempts without a verdict.
    pub waiting: usize,
    /// The verdicts that occur, in their order.
    pub rows: Vec<TallyRow>,
}

/// How often one verdict was given.
pub(super) struct TallyRow {
    pub said: VerdictView,
    /// Among the attempts that count.
    pub counting: usize,
    /// Among all.
    pub attempts: usize,
}

impl Tally {
    pub fn of<'a>(cells: impl Iterator<Item = &'a Cell>, grading: &Grading) -> Self {
        let mut tally = Self::default();
        let mut rows = Verdict::ALL.map(|verdict| (verdict, 0, 0));
        for cell in cells {
            let counting = grading.counting(cell).map(|entry| entry.submission.id);
            tally.accepted += usize::from(grading.is_accepted(cell));
            tally.attempts += cell.attempts();
            for entry in &cell.entries {
                let verdict = entry.verdict();
                tally.waiting += usize::from(verdict.is_none());
                let row = rows.iter_mut().find(|row| Some(row.0) == verdict);
                if let Some((_, counts, attempts)) = row {
                    *counts += usize::from(counting == Some(entry.submission.id));
                    *attempts += 1;
                }
            }
        }
        let occurring = rows.into_iter().filter(|(_, _, attempts)| *attempts > 0);
        tally.rows = occurring
            .map(|(verdict, counting, attempts)| TallyRow {
                said: VerdictView::of(verdict),
                counting,
                attempts,
            })
            .collect();
        tally
    }
}

/// The tests on which attempts fail first, and how many do; the most frequent one first.
pub(super) fn failing_tests<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in cells.flat_map(|cell| &cell.entries) {
        if let Some(name) = entry.first_failing_test() {
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut rows: Vec<(&str, usize)> = counts.into_iter().collect();
    rows.sort_by(|(one, count), (other, others)| {
        let by_name = || natural(one.as_bytes(), other.as_bytes());
        others.cmp(count).then_with(by_name)
    });
    rows
}
