//! How many columns of a terminal text takes, and text that is brought to some.

use textwrap::{Options, WordSeparator, WordSplitter};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A tab goes to the next multiple of this.
const TAB_COLUMNS: usize = 8;

/// Columns of one character: none for a mark on the one before, two for a wide one.
pub fn columns_of(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// Columns of a text without tabs and line feeds.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Fills up with spaces.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Cuts to a width; what was cut shows an ellipsis.
pub fn clipped(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|character| {
            used += columns_of(*character);
            used < width
        })
        .collect();
    kept + "…"
}

/// Text in exactly this many columns.
pub fn fitted(text: &str, width: usize) -> String {
    padded(&clipped(text, width), width)
}

/// Breaks one line of a quotation at the width, wherever that falls; tabs become spaces.
pub fn broken(line: &str, width: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut used = 0;
    for character in line.chars() {
        let (character, count) = match character {
            '\t' => (' ', TAB_COLUMNS - used % TAB_COLUMNS),
            other => (other, 1),
        };
        for _ in 0..count {
            if used + columns_of(character) > width {
                parts.push(String::new());
                used = 0;
            }
            used += columns_of(character);
            if let Some(part) = parts.last_mut() {
                part.push(character);
            }
        }
    }
    parts
}

/// Breaks prose between words; a word that is too long is broken within.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let options = Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(&words.join(" "), options)
        .into_iter()
        .map(String::from)
        .collect()
}
