//! A strict scanner for test inputs: lines, then numbers separated by single blanks, each fault with line and column.
//!
//! It forgives what editors do (CRLF, blanks at line ends, a missing last newline, empty lines at the end) and notes it.
//! Everything else is the caller's statement to allow.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::RangeInclusive;

use super::{INPUT_BYTES_MAX, InputError, Normalisation, Parsed};

/// The most characters of the input that an error quotes.
const QUOTE_CHARS_MAX: usize = 24;

/// An input cut into lines.
#[derive(Debug)]
pub struct Scanner<'a> {
    lines: Vec<&'a [u8]>,
    next: usize,
    notes: BTreeSet<Normalisation>,
}

impl<'a> Scanner<'a> {
    /// Cuts the input into lines and undoes what an editor does to line ends and to the end of the file.
    pub fn new(input: &'a [u8]) -> Result<Self, InputError> {
        if input.len() > INPUT_BYTES_MAX {
            return Err(fault(
                1,
                1,
                format!("the input is larger than {INPUT_BYTES_MAX} bytes"),
            ));
        }
        let mut notes = BTreeSet::new();
        let mut lines: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
        match lines.last() {
            Some(last) if last.is_empty() => {
                lines.pop();
            }
            _ => {
                notes.insert(Normalisation::MissingFinalNewline);
            }
        }
        for line in &mut lines {
            if let [rest @ .., b'\r'] = line {
                *line = rest;
                notes.insert(Normalisation::CarriageReturns);
            }
        }
        while lines.len() > 1 && lines.last().is_some_and(|line| is_blank(line)) {
            lines.pop();
            notes.insert(Normalisation::EmptyLinesAtEnd);
        }
        Ok(Self {
            lines,
            next: 0,
            notes,
        })
    }

    /// The next line without the blanks at its end. `what` says what should stand there.
    pub fn line(&mut self, what: &str) -> Result<Line<'a>, InputError> {
        let mut line = self.raw_line(what)?;
        let kept = line.bytes.trim_suffix_blanks();
        if kept.len() < line.bytes.len() {
            self.notes.insert(Normalisation::TrailingBlanks);
            line.bytes = kept;
        }
        Ok(line)
    }

    /// The next line as it stands, blanks at its end included.
    pub fn raw_line(&mut self, what: &str) -> Result<Line<'a>, InputError> {
        let Some(&bytes) = self.lines.get(self.next) else {
            return Err(fault(
                self.lines.len() + 1,
                1,
                format!("the input ends where {what} should stand"),
            ));
        };
        self.next += 1;
        Ok(Line {
            number: self.next,
            bytes,
            at: 0,
        })
    }

    /// Remembers that something was normalised.
    pub fn note(&mut self, note: Normalisation) {
        self.notes.insert(note);
    }

    /// Ends the input: nothing may follow.
    pub fn finish<T>(self, instance: T) -> Result<Parsed<T>, InputError> {
        if let Some(extra) = self.lines.get(self.next) {
            let line = Line {
                number: self.next + 1,
                bytes: extra,
                at: 0,
            };
            return Err(line.error_here(match line.bytes.first() {
                None => "an empty line stands after the end of the input, with more text below it"
                    .into(),
                Some(_) => format!("trailing data after the end of the input: {}", line.quote()),
            }));
        }
        Ok(Parsed {
            instance,
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
    pub fn number(&mut self, what: &str, range: RangeInclusive<u32>) -> Result<u32, InputError> {
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
        let value = text.iter().try_fold(0_u32, |sum, byte| {
            sum.checked_mul(10)?.checked_add(u32::from(byte - b'0'))
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

    /// Reads the one blank that separates what stands before from `what`.
    pub fn blank(&mut self, what: &str) -> Result<(), InputError> {
        match self.rest() {
            [b' ', b' ', ..] => {
                self.at += 1;
                Err(self.error_here(format!(
                    "one blank should stand before {what}, here are more"
                )))
            }
            [b' ', ..] => {
                self.at += 1;
                Ok(())
            }
            [] => Err(self.error_here(format!("the line ends where {what} should stand"))),
            _ => Err(self.unexpected(&format!("a blank before {what}"))),
        }
    }

    /// Reads numbers separated by single blanks up to the end of the line.
    pub fn numbers<const N: usize>(
        &mut self,
        fields: [(&str, RangeInclusive<u32>); N],
    ) -> Result<[u32; N], InputError> {
        let mut values = [0; N];
        for (index, (what, range)) in fields.into_iter().enumerate() {
            if index > 0 {
                self.blank(what)?;
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
        let bad = first_foreign(self.rest());
        Err(self.error_here(match bad {
            Some((0, name)) => format!("the line should end here, not go on with {name}"),
            _ => format!("the line should end here, not go on with {}", self.quote()),
        }))
    }

    /// An error at the place that is read next, about what stands there instead of `what`.
    pub fn unexpected(&self, what: &str) -> InputError {
        let rest = self.rest();
        let reason = match (rest.first(), first_foreign(rest)) {
            (None, _) if self.bytes.is_empty() => {
                format!("the line is empty where {what} should stand")
            }
            (None, _) => format!("the line ends where {what} should stand"),
            (_, Some((0, name))) => format!("{name} where {what} should stand"),
            (Some(b' '), _) => format!("a blank where {what} should stand"),
            (Some(b'-'), _) => format!("a minus sign where {what} should stand"),
            (Some(b'+'), _) => format!("a plus sign where {what} should stand"),
            _ => format!("{} where {what} should stand", self.quote()),
        };
        self.error_here(reason)
    }

    /// An error at the place that is read next.
    pub fn error_here(&self, reason: impl Into<String>) -> InputError {
        self.error_at(self.at, reason)
    }

    /// An error at a byte offset of the line.
    pub fn error_at(&self, offset: usize, reason: impl Into<String>) -> InputError {
        let before = &self.bytes[..offset.min(self.bytes.len())];
        fault(self.number, column_after(before), reason.into())
    }

    /// The word that is read next, printable and bounded, in quotes.
    fn quote(&self) -> String {
        let rest = self.rest();
        let word = rest
            .iter()
            .position(|&byte| byte == b' ')
            .map_or(rest, |end| &rest[..end.max(1)]);
        let text: String = String::from_utf8_lossy(&word[..word.len().min(4 * QUOTE_CHARS_MAX)])
            .chars()
            .take(QUOTE_CHARS_MAX)
            .flat_map(char::escape_debug)
            .collect();
        let cut = if word.len() > text.len() { "…" } else { "" };
        format!("`{text}{cut}`")
    }
}

/// Trims blanks (spaces) at the end of bytes.
trait TrimBlanks {
    fn trim_suffix_blanks(&self) -> &Self;
}

impl TrimBlanks for [u8] {
    fn trim_suffix_blanks(&self) -> &Self {
        let kept = self
            .iter()
            .rposition(|&byte| byte != b' ')
            .map_or(0, |last| last + 1);
        &self[..kept]
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|&byte| byte == b' ')
}

fn fault(line: usize, column: usize, reason: impl Display) -> InputError {
    InputError {
        line,
        column,
        reason: reason.to_string(),
    }
}

/// The column after these bytes, counted in characters; a byte that is not part of UTF-8 counts as one.
fn column_after(before: &[u8]) -> usize {
    1 + String::from_utf8_lossy(before).chars().count()
}

/// The first character that is not printable ASCII: its byte offset and its name for a person.
fn first_foreign(bytes: &[u8]) -> Option<(usize, String)> {
    let offset = bytes
        .iter()
        .position(|byte| !(byte.is_ascii_graphic() || *byte == b' '))?;
    let tail = &bytes[offset..bytes.len().min(offset + 4)];
    Some((offset, name_of(tail)))
}

/// Names the first character of these bytes, the usual suspects by their own names.
fn name_of(bytes: &[u8]) -> String {
    let character = match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().next(),
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()])
            .ok()
            .and_then(|text| text.chars().next()),
    };
    let Some(character) = character else {
        return format!("the byte 0x{:02X}, which is not UTF-8,", bytes[0]);
    };
    let code = u32::from(character);
    let known = match character {
        '\u{FEFF}' => "a byte order mark",
        '\u{A0}' => "a no-break space",
        '\t' => "a tab",
        '\r' => "a carriage return inside the line",
        '\0' => "a NUL character",
        '\u{200B}' => "a zero-width space",
        '\u{2212}' => "a minus sign that is not ASCII",
        '\u{3000}' => "an ideographic space",
        '\u{425}' => "a Cyrillic capital letter Ha, which only looks like X,",
        '\u{445}' => "a Cyrillic small letter ha, which only looks like x,",
        '\u{417}' => "a Cyrillic capital letter Ze, which only looks like 3,",
        '\u{41E}' | '\u{43E}' => "a Cyrillic letter O, which only looks like 0,",
        '\u{3A7}' => "a Greek capital letter Chi, which only looks like X,",
        '\u{FF10}'..='\u{FF19}' => "a full-width digit",
        '\u{400}'..='\u{4FF}' => "a Cyrillic letter",
        _ => "",
    };
    match (known, character.is_control()) {
        ("", true) => format!("the control character U+{code:04X}"),
        ("", false) => format!("the character `{character}` (U+{code:04X})"),
        (known, _) => format!("{known} (U+{code:04X})"),
    }
}
