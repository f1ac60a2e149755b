//! Simpler texts, for inputs of which nothing is known: without some lines, without some words,
//! with smaller numbers. A validator says which of them are inputs.
//!
//! Each text that it refuses takes time as well, so those come first that keep what seems to hold
//! in the text: a number counts the lines after it, their words, or cases.

mod counts;
mod layout;
mod names;
mod numbers;

use std::collections::BTreeSet;
use std::ops::Range;

use self::counts::{Count, Step, counts};
use self::layout::{At, Layout, number, spelled};
use self::names::{Named, named};
use crate::problems::spans;

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

/// Lines of a case, if all have the same number, at most.
const LINES_MAX: usize = 4;
/// Words of the first line of a case, one of which may say how many lines follow.
const WORDS_MAX: usize = 3;
/// Spans of cases that are listed.
const CASE_SPANS_MAX: usize = 256;

/// How long a case is.
#[derive(Debug, Clone, Copy)]
enum Length {
    Lines(usize),
    /// Its first line, as many more as this word of it says, and so many besides.
    Word(usize, usize),
}

/// The cases of a text.
#[derive(Debug)]
pub struct Cases {
    /// The number that counts them; where there is none, the text is nothing but cases.
    count: Option<At>,
    /// Where each begins, and where the last one ends.
    bounds: Vec<usize>,
}

/// Every way to see a text as two or more cases.
pub fn cases(layout: &Layout<'_>) -> Vec<Cases> {
    let lengths = (1..=LINES_MAX)
        .map(Length::Lines)
        .chain((0..WORDS_MAX).flat_map(|word| (0..2).map(move |more| Length::Word(word, more))));
    let mut found: Vec<Cases> = lengths
        .filter_map(|length| counted(layout, length))
        .collect();
    let uncounted = (0..WORDS_MAX).filter_map(|word| uncounted(layout, Length::Word(word, 0)));
    found.extend(uncounted);
    found.dedup_by(|one, other| one.bounds == other.bounds);
    found
}

/// A first line with one number, and as many cases.
fn counted(layout: &Layout<'_>, length: Length) -> Option<Cases> {
    let count = layout.number((0, 0))?;
    let count = usize::try_from(count).ok().filter(|&count| count > 1)?;
    let is_alone = layout.lines.first()?.words.len() == 1;
    let mut bounds = vec![1];
    while is_alone && bounds.len() <= count {
        bounds.push(end(layout, *bounds.last()?, length)?);
    }
    let is_all = bounds.last() == Some(&layout.lines.len());
    is_all.then_some(Cases {
        count: Some((0, 0)),
        bounds,
    })
}

/// Cases up to the end, or up to a last line that is not one.
fn uncounted(layout: &Layout<'_>, length: Length) -> Option<Cases> {
    let mut bounds = vec![0];
    while let Some(end) = end(layout, *bounds.last()?, length) {
        bounds.push(end);
    }
    let is_all = bounds.last()? + 1 >= layout.lines.len();
    (is_all && bounds.len() > 2).then_some(Cases {
        count: None,
        bounds,
    })
}

/// Where the case ends that begins in this line.
fn end(layout: &Layout<'_>, start: usize, length: Length) -> Option<usize> {
    let lines = match length {
        Length::Lines(lines) => lines,
        Length::Word(word, more) => {
            let number = layout.number((start, word))?;
            let lines = usize::try_from(number).ok().filter(|&lines| lines > 0)?;
            lines.checked_add(1 + more)?
        }
    };
    let end = start.checked_add(lines)?;
    (end <= layout.lines.len()).then_some(end)
}

impl Cases {
    fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The spans of cases that may go, each with the part of all that it is, in thousandths.
    pub fn spans(&self) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let all = self.len();
        let spans = spans(all).take(CASE_SPANS_MAX);
        spans.map(move |gone| (gone.len() * 1_000 / all, gone))
    }

    /// The text without some of them.
    pub fn without(&self, layout: &Layout<'_>, gone: &Range<usize>) -> Vec<u8> {
        let lines = self.bounds[gone.start]..self.bounds[gone.end];
        let left = self.len() - gone.len();
        layout.written(
            |line| !lines.contains(&line),
            |at, word| {
                let is_count = self.count == Some(at);
                Some(if is_count { spelled(left) } else { word.into() })
            },
        )
    }
}

#[cfg(test)]
mod tests;
