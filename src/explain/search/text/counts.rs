//! Numbers that count what comes after them: lines, the words of lines, the characters of words.
//! Nothing says so but that it fits; a validator says whether what follows from it is an input.

use std::borrow::Cow;
use std::ops::Range;

use super::layout::{At, Layout, spelled};
use crate::problems::spans;

/// Words of a line that may count something, at most.
const HEADER_WORDS_MAX: usize = 4;
/// Numbers of one text that are looked at.
const NUMBERS_MAX: usize = 64;
/// Lines after a number in which it may count words.
const LINES_MAX: usize = 4_096;
/// Spans of one count that are listed.
const SPANS_MAX: usize = 256;
/// Where the lines may be that a number counts: lines between them and the number, and by how many
/// it is off. A tree has an edge less than nodes.
const PLACES: [(usize, isize); 6] = [(0, 0), (1, 0), (2, 0), (0, -1), (1, -1), (0, 1)];

/// A number and what it counts.
#[derive(Debug, Default)]
pub struct Count {
    pub at: At,
    pub value: usize,
    pub lines: Option<Range<usize>>,
    /// Whether the lines end where something else begins.
    is_certain: bool,
    /// Lines, and the word from which on they have as many.
    rows: Vec<At>,
    /// Lines of one word with as many characters.
    strings: Vec<usize>,
}

/// What there is less of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Lines,
    Columns,
    /// Lines, and the columns of the same numbers.
    Both,
}

/// A simpler text: a count lowered, and what it counts taken away.
#[derive(Debug)]
pub struct Step {
    /// The part that goes, in thousandths.
    pub part: usize,
    count: usize,
    what: What,
    gone: Range<usize>,
}

/// The numbers of a text that count something.
pub fn counts(layout: &Layout<'_>) -> Vec<Count> {
    let mut counts: Vec<Count> = numbers(layout)
        .filter_map(|(at, value)| count(layout, at, value))
        .collect();
    let certain: Vec<usize> = counts
        .iter()
        .filter(|count| count.is_certain)
        .map(|count| count.at.0)
        .collect();
    for count in &mut counts {
        if !count.is_certain && certain.contains(&count.at.0) {
            count.lines = None;
        }
    }
    counts.retain(|count| {
        count.lines.is_some() || !count.rows.is_empty() || !count.strings.is_empty()
    });
    counts
}

/// The numbers that may count something.
pub fn numbers<'l>(layout: &'l Layout<'_>) -> impl Iterator<Item = (At, usize)> + 'l {
    let lines = layout.lines.iter().take(LINES_MAX).enumerate();
    lines
        .flat_map(|(line, of)| {
            let words = of.words.len();
            let last = if words <= HEADER_WORDS_MAX { words } else { 1 };
            (0..last).map(move |word| (line, word))
        })
        .filter_map(|at| Some((at, usize::try_from(layout.number(at)?).ok()?)))
        .filter(|&(_, value)| value > 0)
        .take(NUMBERS_MAX)
}

fn count(layout: &Layout<'_>, at: At, value: usize) -> Option<Count> {
    let mut count = Count {
        at,
        value,
        ..Count::default()
    };
    let own = layout.lines.get(at.0)?;
    if own.words.len() <= HEADER_WORDS_MAX {
        let mut places = PLACES
            .iter()
            .filter_map(|&place| range(layout, at.0, value, place));
        let certain = places.find(|lines| is_end(layout, lines.end));
        count.is_certain = certain.is_some();
        count.lines = certain.or_else(|| range(layout, at.0, value, PLACES[0]));
    }
    if value < 2 {
        return Some(count);
    }
    if own.words.len() == at.1 + 1 + value {
        count.rows.push((at.0, at.1 + 1));
        return Some(count);
    }
    let later = layout.lines.iter().enumerate().skip(at.0 + 1);
    for (index, line) in later.take(LINES_MAX) {
        let is_counted = !count.rows.is_empty() || !count.strings.is_empty();
        let is_like_own = line.words.len() == own.words.len() && line.words.len() != value;
        if line.words.len() == value {
            count.rows.push((index, 0));
        } else if let [word] = line.words[..]
            && word.len() == value
        {
            count.strings.push(index);
        } else if is_counted && is_like_own && line.is_numbers() {
            break;
        }
    }
    Some(count)
}

fn range(
    layout: &Layout<'_>,
    line: usize,
    value: usize,
    (between, off): (usize, isize),
) -> Option<Range<usize>> {
    let start = line + 1 + between;
    let end = start.checked_add(value.checked_add_signed(off)?)?;
    (start < end && end <= layout.lines.len()).then_some(start..end)
}

/// Whether the lines before this one are of another kind than it, or the last.
fn is_end(layout: &Layout<'_>, line: usize) -> bool {
    let words = |line: usize| layout.lines.get(line).map_or(0, |line| line.words.len());
    words(line) != words(line - 1)
}

impl Count {
    /// Every way to less of what it counts. `index` is its place among the counts.
    pub fn steps(&self, index: usize) -> impl Iterator<Item = Step> + use<> {
        let has_columns = !self.rows.is_empty() || !self.strings.is_empty();
        let whats = [
            (self.lines.is_some() && has_columns).then_some(What::Both),
            self.lines.is_some().then_some(What::Lines),
            has_columns.then_some(What::Columns),
        ];
        let value = self.value;
        whats.into_iter().flatten().flat_map(move |what| {
            let spans = spans(value).take(SPANS_MAX);
            spans.map(move |gone| Step {
                part: gone.len() * 1_000 / value,
                count: index,
                what,
                gone,
            })
        })
    }

    /// Whether a word is one that it counts and that goes.
    fn takes(&self, (line, word): At, gone: &Range<usize>) -> bool {
        let row = self.rows.binary_search_by_key(&line, |row| row.0);
        let from = row.map_or(usize::MAX, |row| self.rows[row].1);
        word.checked_sub(from)
            .is_some_and(|index| gone.contains(&index))
    }
}

impl Step {
    /// The text after this step.
    pub fn taken(&self, layout: &Layout<'_>, counts: &[Count]) -> Option<Vec<u8>> {
        let count = counts.get(self.count)?;
        let left = count.value - self.gone.len();
        let lines = count.lines.clone().unwrap_or_default();
        let has_lines = self.what != What::Columns;
        let has_columns = self.what != What::Lines;
        let stays = |line: usize| {
            let is_counted = has_lines && lines.contains(&line);
            !is_counted || !self.gone.contains(&(line - lines.start))
        };
        Some(layout.written(stays, |at, word| {
            if at == count.at {
                return Some(spelled(left));
            }
            if has_columns && count.takes(at, &self.gone) {
                return None;
            }
            if has_columns && count.strings.binary_search(&at.0).is_ok() {
                let kept = [&word[..self.gone.start], &word[self.gone.end..]].concat();
                return Some(kept.into());
            }
            Some(Cow::Borrowed(word))
        }))
    }
}
