//! Inputs as they are read, valid in a normal form or with the first fault, and the strict scanner
//! that reads them: lines, then numbers separated by single spaces.
//!
//! It forgives what editors do (CRLF, spaces at line ends, a missing last newline, empty lines at
//! the end) and notes it. Everything else is the caller's statement to allow.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::domain::{is_invisible, words};
use crate::util::excerpt::visible_line;
use crate::util::text::place;

/// The largest input that is read at all, in bytes.
pub const INPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The most characters of the input that an error quotes.
const QUOTE_CHARS_MAX: usize = 24;

/// The first fault of an input: where it is and why it is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct InputError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong, as a fragment of a sentence without a period.
    pub reason: String,
}

words! {
    /// What an editor did to a file and the parser undid.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Normalisation by words {
        /// Lines ended in carriage return and line feed.
        CarriageReturns = "CRLF line ends made LF",
        /// Spaces stood at the end of lines where they are not data.
        TrailingSpaces = "spaces at the end of lines removed",
        /// The last line had no line feed.
        MissingFinalNewline = "missing final newline added",
        /// Empty lines followed the last line.
        EmptyLinesAtEnd = "empty lines at the end removed",
        /// Rows had lost spaces at their end that are data.
        LostTrailingSpaces = "spaces that rows had lost at their end restored",
    }
}

/// A valid input, as an instance or as bytes in the normal form, with what had to be normalised to
/// read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<T> {
    pub input: T,
    /// Each kind once, in the enum's order.
    pub notes: Vec<Normalisation>,
}

/// An input read line by line. Nothing is kept of the lines, however many there are.
#[derive(Debug)]
pub struct Scanner<'a> {
    /// What has not been read: lines with line feeds between them; `None` after the last line.
    rest: Option<&'a [u8]>,
    /// How many lines have been read.
    read: usize,
    notes: BTreeSet<Normalisation>,
}

impl<'a> Scanner<'a> {
    /// Undoes what an editor does to line ends and to the end of the file.
    pub fn new(input: &'a [u8]) -> Result<Self, InputError> {
        if input.len() > INPUT_BYTES_MAX {
            return Err(fault(
                1,
                1,
                format!("the input is larger than {INPUT_BYTES_MAX} bytes"),
            ));
        }
        let mut notes = BTreeSet::new();
        if input.ends_with(b"\r") || input.windows(2).any(|pair| pair == b"\r\n") {
            notes.insert(Normalisation::CarriageReturns);
        }
        let mut rest = match input {
            [] => None,
            [lines @ .., b'\n'] => Some(lines),
            lines => {
                notes.insert(Normalisation::MissingFinalNewline);
                Some(lines)
            }
        };
        // The first line stays even if it is space.
        while let Some(lines) = rest
            && let Some(end) = lines.iter().rposition(|&byte| byte == b'\n')
            && without_spaces_at_end(without_carriage_return(&lines[end + 1..])).is_empty()
        {
            rest = Some(&lines[..end]);
            notes.insert(Normalisation::EmptyLinesAtEnd);
        }
        Ok(Self {
            rest,
            read: 0,
            notes,
        })
    }

    /// The next line without the spaces at its end. `what` says what should stand there.
    pub fn line(&mut self, what: &str) -> Result<Line<'a>, InputError> {
        let mut line = self.raw_line(what)?;
        let kept = without_spaces_at_end(line.bytes);
        if kept.len() < line.bytes.len() {
            self.notes.insert(Normalisation::TrailingSpaces);
            line.bytes = kept;
        }
        Ok(line)
    }

    /// The next line as it stands, spaces at its end included.
    pub fn raw_line(&mut self, what: &str) -> Result<Line<'a>, InputError> {
        self.next().ok_or_else(|| {
            fault(
                self.read + 1,
                1,
                format!("the input ends where {what} should stand"),
            )
        })
    }

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let end = rest.iter().position(|&byte| byte == b'\n');
        let bytes = end.map_or(rest, |end| &rest[..end]);
        self.rest = end.map(|end| &rest[end + 1..]);
        self.read += 1;
        Some(Line {
            number: self.read,
            bytes: without_carriage_return(bytes),
            at: 0,
        })
    }

    /// Remembers that something was normalised.
    pub fn note(&mut self, note: Normalisation) {
        self.notes.insert(note);
    }

    /// Ends the input: nothing may follow.
    pub fn finish<T>(mut self, input: T) -> Result<Parsed<T>, InputError> {
        if let Some(line) = self.next() {
            return Err(line.error_here(match line.bytes.first() {
                None => "an empty line stands after the end of the input, with more text below it"
                    .into(),
                Some(_) => format!("trailing data after the end of the input: {}", line.quote()),
            }));
        }
        Ok(Parsed {
            input,
            notes: self.notes.into_iter().collect(),
        })
    }
}

/// One line, read from left to right.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// The line's number, from 1.
    pub number: usize,
    /// The line without its end.
    pub bytes: &'a [u8],
    at: usize,
}

impl<'a> Line<'a> {
    /// The rest of the line that has not been read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Reads one byte; `None` at the end of the line.
    pub fn byte(&mut self) -> Option<u8> {
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    /// Reads a number without sign or leading zeros and checks its range.
    pub fn number(
        &mut self,
        what: &str,
        range: RangeInclusive<usize>,
    ) -> Result<usize, InputError> {
        let digits = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let text = &self.rest()[..digits];
        if digits == 0 {
            return Err(self.unexpected(what));
        }
        if digits > 1 && text[0] == b'0' {
            return Err(self.error_here(format!("{what} has a leading zero: {}", self.quote())));
        }
        let value = text.iter().try_fold(0_usize, |sum, byte| {
            sum.checked_mul(10)?.checked_add(usize::from(byte - b'0'))
        });
        let value = match value {
            Some(value) if range.contains(&value) => value,
            _ => {
                return Err(self.error_here(format!(
                    "{what} must be from {} to {}, not {}",
                    range.start(),
                    range.end(),
                    self.quote(),
                )));
            }
        };
        self.at += digits;
        Ok(value)
    }

    /// Reads the one space that separates what stands before from `what`.
    pub fn space(&mut self, what: &str) -> Result<(), InputError> {
        match self.rest() {
            [b' ', b' ', ..] => {
                self.at += 1;
                Err(self.error_here(format!(
                    "one space should stand before {what}, here are more"
                )))
            }
            [b' ', ..] => {
                self.at += 1;
                Ok(())
            }
            [] => Err(self.unexpected(what)),
            _ => Err(self.unexpected(&format!("a space before {what}"))),
        }
    }

    /// Reads numbers separated by single spaces up to the end of the line.
    pub fn numbers<const N: usize>(
        &mut self,
        fields: [(&str, RangeInclusive<usize>); N],
    ) -> Result<[usize; N], InputError> {
        let mut values = [0; N];
        for (index, (what, range)) in fields.into_iter().enumerate() {
            if index > 0 {
                self.space(what)?;
            }
            values[index] = self.number(what, range)?;
        }
        self.end()?;
        Ok(values)
    }

    /// Ends the line: nothing may follow.
    pub fn end(&self) -> Result<(), InputError> {
        if self.rest().is_empty() {
            return Ok(());
        }
        let spaces = self.rest().iter().take_while(|&&byte| byte == b' ').count();
        let foreign = first_foreign(self.rest()).filter(|(at, _)| *at == spaces);
        let found = foreign.map_or_else(|| self.quote(), |(_, foreign)| foreign);
        Err(self.error_here(format!("the line should end here, not go on with {found}")))
    }

    /// An error at the place that is read next, about what stands there instead of `what`.
    pub fn unexpected(&self, what: &str) -> InputError {
        let rest = self.rest();
        let found = match (rest.first(), first_foreign(rest)) {
            (None, _) if self.bytes.is_empty() => "the line is empty".to_owned(),
            (None, _) => "the line ends".to_owned(),
            (_, Some((0, foreign))) => foreign,
            (Some(b' '), _) => "a space".to_owned(),
            (Some(b'-'), _) => "a minus sign".to_owned(),
            (Some(b'+'), _) => "a plus sign".to_owned(),
            _ => self.quote(),
        };
        self.error_here(format!("{found} where {what} should stand"))
    }

    /// An error at the place that is read next.
    pub fn error_here(&self, reason: impl Into<String>) -> InputError {
        self.error_at(self.at, reason)
    }

    /// An error at a byte offset of the line.
    pub fn error_at(&self, offset: usize, reason: impl Into<String>) -> InputError {
        let (_, column) = place(self.bytes, offset.min(self.bytes.len()));
        fault(self.number, column, reason.into())
    }

    /// The word that is read next, printable and bounded, in quotes.
    fn quote(&self) -> String {
        let mut words = self.rest().split(|&byte| byte == b' ');
        let Some(word) = words.find(|word| !word.is_empty()) else {
            return "spaces alone".to_owned();
        };
        // So many bytes hold at least as many characters as are shown.
        let head = String::from_utf8_lossy(&word[..word.len().min(4 * QUOTE_CHARS_MAX)]);
        let mut characters = head.chars();
        let shown: String = characters.by_ref().take(QUOTE_CHARS_MAX).collect();
        let is_cut = characters.next().is_some() || word.len() > 4 * QUOTE_CHARS_MAX;
        let cut = if is_cut { "…" } else { "" };
        format!("`{}{cut}`", visible_line(&shown))
    }
}

fn without_spaces_at_end(line: &[u8]) -> &[u8] {
    let last = line.iter().rposition(|&byte| byte != b' ');
    &line[..last.map_or(0, |last| last + 1)]
}

fn without_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn fault(line: usize, column: usize, reason: String) -> InputError {
    InputError {
        line,
        column,
        reason,
    }
}

/// The first character that is not printable ASCII, in words, and its byte offset.
fn first_foreign(bytes: &[u8]) -> Option<(usize, String)> {
    let is_foreign = |byte: &u8| !(byte.is_ascii_graphic() || *byte == b' ');
    let offset = bytes.iter().position(is_foreign)?;
    let tail = &bytes[offset..bytes.len().min(offset + 4)];
    let character = tail
        .utf8_chunks()
        .next()
        .and_then(|chunk| chunk.valid().chars().next());
    let words = match character {
        None => format!("the byte 0x{:02X} (not UTF-8)", tail[0]),
        // What editors put into files.
        Some('\u{FEFF}') => "a byte order mark (U+FEFF)".to_owned(),
        Some('\u{A0}') => "a no-break space (U+00A0)".to_owned(),
        Some('\t') => "a tab (U+0009)".to_owned(),
        Some('\r') => "a carriage return inside the line (U+000D)".to_owned(),
        Some(other) if other.is_control() || is_invisible(other) => {
            format!("the invisible character U+{:04X}", u32::from(other))
        }
        Some(other) => format!("the character `{other}` (U+{:04X})", u32::from(other)),
    };
    Some((offset, words))
}

#[cfg(test)]
mod tests;
