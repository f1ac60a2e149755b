//! Numbers that name things: the nodes of a graph, by their numbers from 0 or 1. A thing goes with
//! every line that names it, and those after it get smaller names.

use std::ops::Range;

use super::counts::{Count, numbers};
use super::layout::{At, Layout, number, spelled};
use crate::problems::spans;

/// Numbers of one text that may say how many things there are.
const NUMBERS_MAX: usize = 4;
/// Spans of things that are listed of one number.
const SPANS_MAX: usize = 128;
/// Words of a line that may be names: further ones are lengths and costs.
const NAMES_MAX: usize = 2;
/// Words of a line with names, at most.
const WORDS_MAX: usize = 3;

/// Things with names, how many of them, and which of them go.
#[derive(Debug)]
pub struct Named {
    /// The part of all things that goes, in thousandths.
    pub part: usize,
    at: At,
    all: i64,
    gone: Range<i64>,
}

/// Every way to fewer things with names.
pub fn named<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = Named> + 'l {
    let mut found: Vec<(At, i64)> = Vec::new();
    for (at, value) in numbers(layout) {
        let Ok(all) = i64::try_from(value) else {
            continue;
        };
        // A name says nothing about how many there are.
        let is_name = found.iter().any(|&(of, all)| is_of(layout, at.0, of, all));
        if value > 1 && !is_name && has_names(layout, at, all) {
            found.push((at, all));
        }
        if found.len() == NUMBERS_MAX {
            break;
        }
    }
    found.into_iter().flat_map(|(at, all)| {
        let first = first_name(layout, at);
        let name = move |index: usize| i64::try_from(index).ok()?.checked_add(first);
        let spans = spans(usize::try_from(all).unwrap_or_default()).take(SPANS_MAX);
        spans.filter_map(move |gone| {
            let gone = name(gone.start)?..name(gone.end)?;
            Some(Named {
                part: part(gone.end - gone.start, all),
                at,
                all,
                gone,
            })
        })
    })
}

/// A part of all, in thousandths.
fn part(of: i64, all: i64) -> usize {
    let part = i128::from(of) * 1_000 / i128::from(all.max(1));
    usize::try_from(part).unwrap_or_default()
}

/// Whether a line names some of the things of which there are so many by a number before it.
fn is_of(layout: &Layout<'_>, line: usize, count: At, all: i64) -> bool {
    let are_names = names(layout, line).filter(|name| (0..=all).contains(name));
    line > count.0 && are_names.count() == NAMES_MAX
}

/// Whether a line may have names.
fn may_name(layout: &Layout<'_>, line: usize) -> bool {
    let words = layout.lines[line].words.len();
    (NAMES_MAX..=WORDS_MAX).contains(&words)
}

/// The names in a line.
fn names<'l>(layout: &'l Layout<'_>, line: usize) -> impl Iterator<Item = i64> + 'l {
    let words = &layout.lines[line].words;
    let last = if may_name(layout, line) { NAMES_MAX } else { 0 };
    words[..last].iter().filter_map(|word| number(word))
}

/// Whether the first line with names after a number may name as many things.
fn has_names(layout: &Layout<'_>, at: At, all: i64) -> bool {
    let mut lines = at.0 + 1..layout.lines.len();
    let first = lines.find(|&line| names(layout, line).count() == NAMES_MAX);
    first.is_some_and(|line| is_of(layout, line, at, all))
}

/// 0 or 1.
fn first_name(layout: &Layout<'_>, at: At) -> i64 {
    let mut lines = at.0 + 1..layout.lines.len();
    let has_zero = lines.any(|line| names(layout, line).any(|name| name == 0));
    i64::from(!has_zero)
}

impl Named {
    /// The text without what goes.
    pub fn taken(&self, layout: &Layout<'_>, counts: &[Count]) -> Vec<u8> {
        let is_gone = |name| self.gone.contains(&name);
        let stays = |line: usize| line <= self.at.0 || !names(layout, line).any(is_gone);
        let fewer = self.gone.end - self.gone.start;
        layout.written(stays, |at, word| {
            let lowered = self.lowered(layout, counts, at, stays);
            let by = lowered.unwrap_or(if at == self.at { fewer } else { 0 });
            let by = if self.is_later_name(layout, at) {
                fewer
            } else {
                by
            };
            let left = number(word).filter(|_| by > 0).map(|own| own - by);
            Some(left.map_or_else(|| word.into(), spelled))
        })
    }

    /// By how much the number of lines is lowered that this word is.
    fn lowered(
        &self,
        layout: &Layout<'_>,
        counts: &[Count],
        at: At,
        stays: impl Fn(usize) -> bool,
    ) -> Option<i64> {
        let is_name = is_of(layout, at.0, self.at, self.all);
        let mut counts = counts
            .iter()
            .filter(|count| at != self.at && !is_name && count.at == at);
        let lines = counts.next()?.lines.clone()?;
        let gone = lines.filter(|&line| line < layout.lines.len() && !stays(line));
        i64::try_from(gone.count()).ok()
    }

    /// Whether this word is the name of something that comes after what goes.
    fn is_later_name(&self, layout: &Layout<'_>, (line, word): At) -> bool {
        let later = self.gone.end..=self.all;
        let name = layout.number((line, word));
        line > self.at.0
            && word < NAMES_MAX
            && may_name(layout, line)
            && name.is_some_and(|name| later.contains(&name))
    }
}
