//! How often something is found among attempts: verdicts, and tests that fail.

use std::collections::BTreeMap;

use super::{Cell, Counts, Entry};
use crate::domain::Verdict;
use crate::util::order::natural;

/// How often a verdict was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictCount {
    /// Which.
    pub verdict: Verdict,
    /// Among the attempts that count.
    pub counting: usize,
    /// Among all.
    pub attempts: usize,
}

/// The verdicts that occur, in their order.
pub fn verdicts<'a>(cells: impl Iterator<Item = &'a Cell>, counts: Counts) -> Vec<VerdictCount> {
    let mut rows = Verdict::ALL.map(|verdict| VerdictCount {
        verdict,
        counting: 0,
        attempts: 0,
    });
    let mut add = |entry: &Entry, field: fn(&mut VerdictCount) -> &mut usize| {
        let verdict = entry.judged.as_ref().map(|judged| judged.verdict);
        let row = rows.iter_mut().find(|row| Some(row.verdict) == verdict);
        if let Some(row) = row {
            *field(row) += 1;
        }
    };
    for cell in cells {
        if let Some(entry) = cell.counting(counts) {
            add(entry, |row| &mut row.counting);
        }
        for entry in &cell.entries {
            add(entry, |row| &mut row.attempts);
        }
    }
    rows.into_iter().filter(|row| row.attempts > 0).collect()
}

/// The tests on which attempts fail first, and how many do; the most frequent one first.
pub fn failing_tests<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in cells.flat_map(|cell| &cell.entries) {
        let judged = entry.judged.as_ref();
        if let Some(name) = judged.and_then(|judged| judged.first_failing_test.as_deref()) {
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
