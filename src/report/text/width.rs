//! How many columns of a terminal text takes, and lines that stay within some.

/// A tab goes to the next multiple of this.
const TAB_COLUMNS: usize = 8;

/// Columns of one character: none for a mark on the one before, two for a wide one.
pub(super) fn columns_of(character: char) -> usize {
    match u32::from(character) {
        0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x20D0..=0x20FF | 0xFE00..=0xFE0F | 0xFE20..=0xFE2F => {
            0
        }
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1F64F
        | 0x1F680..=0x1F6FF
        | 0x1F900..=0x1F9FF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

/// Columns of a text without tabs and line feeds.
pub(super) fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(columns_of).sum()
}

/// Fills up with blanks.
pub(super) fn padded(text: &str, width: usize) -> String {
    let mut filled = text.to_owned();
    filled.extend(std::iter::repeat_n(
        ' ',
        width.saturating_sub(columns(text)),
    ));
    filled
}

/// Cuts to a width; what was cut shows an ellipsis.
pub(super) fn clipped(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 0;
    for character in text.chars() {
        used += columns_of(character);
        if used >= width {
            break;
        }
        shown.push(character);
    }
    shown.push('…');
    shown
}

/// Breaks one line of a quotation at the width, wherever that falls; tabs become blanks.
pub(super) fn broken(line: &str, width: usize) -> Vec<String> {
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
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    let mut place = |piece: &str, taken: usize| {
        if line.is_empty() {
            used = taken;
        } else if used + 1 + taken <= width {
            line.push(' ');
            used += 1 + taken;
        } else {
            lines.push(std::mem::take(&mut line));
            used = taken;
        }
        line.push_str(piece);
    };
    for word in text.split_whitespace() {
        let taken = columns(word);
        if taken <= width {
            place(word, taken);
        } else {
            for piece in broken(word, width) {
                place(&piece, columns(&piece));
            }
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::{broken, clipped, columns, padded, wrapped};

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(columns("刘思"), 4);
        assert_eq!(columns("Слово"), 5);
        assert_eq!(columns("e\u{301}"), 1);
        assert_eq!(padded("刘", 4), "刘  ");
        assert_eq!(clipped("刘思刘思", 5), "刘思…");
        assert_eq!(clipped("abc", 3), "abc");
    }

    #[test]
    fn lines_are_broken() {
        assert_eq!(broken("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(broken("a\tb", 20), ["a       b"]);
        assert_eq!(broken("", 4), [""]);
        assert_eq!(wrapped("one two  three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
