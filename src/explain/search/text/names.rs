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
    let all = numbers(layout).filter(|&(at, value)| value > 1 && has_names(layout, at, value));
    all.take(NUMBERS_MAX).flat_map(|(at, value)| {
        let first = first_name(layout, at);
        let name = move |index: usize| i64::try_from(index).ok()?.checked_add(first);
        spans(value).take(SPANS_MAX).filter_map(move |gone| {
            Some(Named {
                part: gone.len() * 1_000 / value,
                at,
                all: i64::try_from(value).ok()?,
                gone: name(gone.start)?..name(gone.end)?,
            })
        })
    })
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
fn has_names(layout: &Layout<'_>, at: At, value: usize) -> bool {
    let mut lines = at.0 + 1..layout.lines.len();
    let first = lines.find(|&line| names(layout, line).count() == NAMES_MAX);
    let is_name = |name| usize::try_from(name).is_ok_and(|name| name <= value);
    first.is_some_and(|line| names(layout, line).all(is_name))
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
        let mut counts = counts
            .iter()
            .filter(|count| at != self.at && count.at == at);
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
