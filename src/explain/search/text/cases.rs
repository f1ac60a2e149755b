//! Cases that follow each other in a text, and a number before them that says how many there are.

use std::ops::Range;

use super::layout::{At, Layout, spelled};
use crate::problems::spans;

/// Lines of a case, if all have the same number, at most.
const LINES_MAX: usize = 4;
/// Words of the first line of a case, one of which may say how many lines follow.
const WORDS_MAX: usize = 3;
/// Spans of cases that are listed.
const SPANS_MAX: usize = 256;

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
        let spans = spans(all).take(SPANS_MAX);
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
