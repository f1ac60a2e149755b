//! Simpler texts, for inputs of which nothing is known: without some lines, without some words,
//! with smaller numbers. A validator says which of them are inputs.
//!
//! Each text that it refuses takes time as well, so those come first that keep what seems to hold
//! in the text: a number counts the lines after it, their words, or cases.

mod cases;
mod counts;
mod layout;
mod names;
mod numbers;

use std::collections::BTreeSet;

use crate::problems::spans;

use cases::{Cases, cases};
use counts::{Count, Step, counts};
use layout::{At, Layout, number, spelled};
use names::{Named, named};

/// The most simpler texts of one text.
const CANDIDATES_MAX: usize = 768;
/// Bytes of all of them; a few are listed however long they are.
const BYTES_MAX: usize = 4 * 1024 * 1024;
const CANDIDATES_MIN: usize = 16;
/// Bytes of a text that is made simpler: of a longer one, a few simpler ones take too much memory.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Spans of lines and of words that go although nothing seems to count them.
const SPANS_MAX: usize = 128;
/// Numbers before some lines that may count them, at most: the nearest, and the first ones.
const NUMBERS_MAX: usize = 3;

/// What may go while everything that counts it is lowered.
enum Part {
    Cases(usize, std::ops::Range<usize>),
    Counted(Step),
    Named(Named),
}

/// Texts one step simpler, the boldest first.
pub fn simpler(text: &[u8]) -> Vec<Vec<u8>> {
    if text.len() > TEXT_BYTES_MAX {
        return Vec::new();
    }
    let layout = Layout::of(text);
    let (cases, counts) = (cases(&layout), counts(&layout));
    let fitting = fitting(&layout, &cases, &counts);
    let counting: BTreeSet<At> = counts.iter().map(|count| count.at).collect();
    let none = BTreeSet::new();
    // What each needs to know is found out only when it is its turn.
    let smaller = std::iter::once_with(|| numbers::smaller(&layout, &counting)).flatten();
    let all = std::iter::once_with(|| numbers::smaller(&layout, &none)).flatten();
    let mut bytes = 0;
    let mut listed = Vec::new();
    // Where nothing seems to count anything, lines may just go.
    let is_counted = !cases.is_empty() || !counts.is_empty();
    let lines = (!is_counted).then(|| fewer_lines(&layout));
    let texts = fitting
        .chain(lines.into_iter().flatten())
        .chain(smaller)
        .chain(numbers::shorter_words(&layout))
        .chain(fewer_lines(&layout))
        .chain(fewer_words(&layout))
        .chain(all)
        // So that making texts simpler comes to an end.
        .filter(|simpler| (simpler.len(), &simpler[..]) < (text.len(), text));
    for text in texts.take(CANDIDATES_MAX) {
        bytes += text.len();
        listed.push(text);
        if bytes > BYTES_MAX && listed.len() >= CANDIDATES_MIN {
            break;
        }
    }
    let mut seen = BTreeSet::new();
    let is_new: Vec<bool> = listed.iter().map(|text| seen.insert(text)).collect();
    let mut is_new = is_new.into_iter();
    listed.retain(|_| is_new.next().unwrap_or_default());
    listed
}

/// Texts in which the numbers still fit that seem to count something.
fn fitting<'l>(
    layout: &'l Layout<'_>,
    cases: &'l [Cases],
    counts: &'l [Count],
) -> impl Iterator<Item = Vec<u8>> + 'l {
    let of_cases = cases.iter().enumerate().flat_map(|(index, cases)| {
        let spans = cases.spans();
        spans.map(move |(part, gone)| (part, Part::Cases(index, gone)))
    });
    let counted = counts.iter().enumerate();
    let counted = counted.flat_map(|(index, count)| count.steps(index));
    let counted = counted.map(|step| (step.part, Part::Counted(step)));
    let named = named(layout).map(|named| (named.part, Part::Named(named)));
    let mut parts: Vec<(usize, Part)> = of_cases.chain(counted).chain(named).collect();
    parts.sort_by_key(|(part, _)| std::cmp::Reverse(*part));
    parts.into_iter().filter_map(move |(_, part)| match part {
        Part::Cases(index, gone) => Some(cases[index].without(layout, &gone)),
        Part::Counted(step) => step.taken(layout, counts),
        Part::Named(named) => Some(named.taken(layout, counts)),
    })
}

/// The text without some lines, alone and with one number before them lowered by as many.
fn fewer_lines<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = Vec<u8>> + 'l {
    let gone = spans(layout.lines.len()).take(SPANS_MAX);
    gone.flat_map(move |gone| {
        let before = layout.words().take_while(|(at, _)| at.0 < gone.start);
        let numbers: Vec<(At, i64)> = before
            .filter_map(|(at, word)| Some((at, number(word)?)))
            .filter(|&(_, value)| usize::try_from(value).is_ok_and(|value| value >= gone.len()))
            .collect();
        let first = numbers.iter().take(NUMBERS_MAX);
        let last = numbers.iter().skip(NUMBERS_MAX).rev().take(NUMBERS_MAX);
        let lowered: Vec<(At, i64)> = first.chain(last).copied().collect();
        let alone = std::iter::once(None);
        let counts = alone.chain(lowered.into_iter().map(Some));
        counts.map(move |count| {
            layout.written(
                |line| !gone.contains(&line),
                |at, word| {
                    let value = count.filter(|(place, _)| *place == at);
                    let left =
                        value.map(|(_, value)| value.saturating_sub_unsigned(gone.len() as u64));
                    Some(left.map_or_else(|| word.into(), spelled))
                },
            )
        })
    })
}

/// The text without some words, alone and with the nearest number before them lowered that may
/// count them: `3` before three words.
fn fewer_words<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = Vec<u8>> + 'l {
    let words: Vec<At> = layout.words().map(|(at, _)| at).collect();
    let gone = spans(words.len()).take(SPANS_MAX);
    gone.flat_map(move |gone| {
        let of = |index: usize| usize::try_from(layout.number(words[index])?).ok();
        let counts = |index: &usize| {
            of(*index).is_some_and(|count| gone.end - index <= count.saturating_add(1))
        };
        let count = (0..gone.start).rev().find(counts);
        let lowered = count.and_then(|index| {
            let left = of(index)?.checked_sub(gone.len())?;
            Some((words[index], left))
        });
        let (first, last) = (words[gone.start], words[gone.end - 1]);
        let alone = std::iter::once(None);
        alone.chain(lowered.map(Some)).map(move |lowered| {
            layout.written(
                |_| true,
                |at, word| {
                    let left = lowered.filter(|(place, _)| *place == at);
                    let stays = !(first..=last).contains(&at);
                    stays.then(|| left.map_or_else(|| word.into(), |(_, left)| spelled(left)))
                },
            )
        })
    })
}

#[cfg(test)]
mod tests;
