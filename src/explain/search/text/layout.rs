//! A text as lines of words.

use std::borrow::Cow;

/// The line and the word in it, from 0.
pub type At = (usize, usize);

/// A line: its words, and the white space after each.
pub struct Line<'t> {
    pub words: Vec<&'t [u8]>,
    gaps: Vec<&'t [u8]>,
    /// White space before the first word, which is all of an empty line.
    lead: &'t [u8],
}

/// A text that can be written again with some of it changed.
pub struct Layout<'t> {
    pub lines: Vec<Line<'t>>,
}

impl<'t> Layout<'t> {
    pub fn of(text: &'t [u8]) -> Self {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        Self {
            lines: lines.map(Line::of).collect(),
        }
    }

    /// The text with only the lines that stay, and with other words, or none, in place of its own.
    /// What ends a line still ends it.
    pub fn written(
        &self,
        stays: impl Fn(usize) -> bool,
        word: impl Fn(At, &'t [u8]) -> Option<Cow<'t, [u8]>>,
    ) -> Vec<u8> {
        let mut text = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if !stays(number) {
                continue;
            }
            text.extend_from_slice(line.lead);
            let mut gap: &[u8] = b"";
            for (index, (own, after)) in line.words.iter().zip(&line.gaps).enumerate() {
                if let Some(word) = word((number, index), own) {
                    text.extend_from_slice(gap);
                    text.extend_from_slice(&word);
                    gap = after;
                }
            }
            text.extend_from_slice(line.gaps.last().unwrap_or(&gap));
        }
        text
    }

    /// All words, in their order.
    pub fn words(&self) -> impl Iterator<Item = (At, &'t [u8])> {
        let lines = self.lines.iter().enumerate();
        lines.flat_map(|(line, of)| {
            let words = of.words.iter().enumerate();
            words.map(move |(word, own)| ((line, word), *own))
        })
    }

    /// The number that this word is.
    pub fn number(&self, (line, word): At) -> Option<i64> {
        number(self.lines.get(line)?.words.get(word)?)
    }
}

impl<'t> Line<'t> {
    fn of(line: &'t [u8]) -> Self {
        let lead = line.iter().take_while(|byte| byte.is_ascii_whitespace());
        let (lead, mut rest) = line.split_at(lead.count());
        let (mut words, mut gaps) = (Vec::new(), Vec::new());
        while !rest.is_empty() {
            let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace());
            let (word, after) = rest.split_at(length.count());
            let white = after.iter().take_while(|byte| byte.is_ascii_whitespace());
            let (gap, next) = after.split_at(white.count());
            words.push(word);
            gaps.push(gap);
            rest = next;
        }
        Self { words, gaps, lead }
    }

    /// Whether it has words, and all of them are numbers.
    pub fn is_numbers(&self) -> bool {
        !self.words.is_empty() && self.words.iter().all(|word| number(word).is_some())
    }
}

/// A number as a word.
pub fn spelled<'t, N: Copy + ToString>(number: N) -> Cow<'t, [u8]> {
    number.to_string().into_bytes().into()
}

/// The number that a word is.
pub fn number(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
