//! Characters that no test input may hold, named so that a person finds them.

use std::fmt::{self, Display};

use crate::domain::is_invisible;

/// A character that is not printable ASCII, as its name for a person: what ends a sentence, or with
/// `#` what goes on.
pub(super) struct Foreign {
    name: String,
    aside: Option<&'static str>,
}

impl Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.aside {
            None => Ok(()),
            Some(aside) if f.alternate() => write!(f, ", which {aside},"),
            Some(aside) => write!(f, ", which {aside}"),
        }
    }
}

/// The first character that is not printable ASCII, and its byte offset.
pub(super) fn first_foreign(bytes: &[u8]) -> Option<(usize, Foreign)> {
    let offset = bytes
        .iter()
        .position(|byte| !(byte.is_ascii_graphic() || *byte == b' '))?;
    let tail = &bytes[offset..bytes.len().min(offset + 4)];
    Some((offset, name_of(tail)))
}

/// Names the first character of these bytes, the usual suspects by their own names.
fn name_of(bytes: &[u8]) -> Foreign {
    let Some(character) = bytes
        .utf8_chunks()
        .next()
        .and_then(|chunk| chunk.valid().chars().next())
    else {
        return Foreign {
            name: format!("the byte 0x{:02X}", bytes[0]),
            aside: Some("is not UTF-8"),
        };
    };
    let code = u32::from(character);
    let (known, aside) = match character {
        '\u{FEFF}' => ("a byte order mark", None),
        '\u{A0}' => ("a no-break space", None),
        '\t' => ("a tab", None),
        '\r' => ("a carriage return inside the line", None),
        '\0' => ("a NUL character", None),
        '\u{200B}' => ("a zero-width space", None),
        '\u{2212}' => ("a minus sign that is not ASCII", None),
        '\u{3000}' => ("an ideographic space", None),
        '\u{425}' => ("a Cyrillic capital letter Ha", Some("only looks like X")),
        '\u{445}' => ("a Cyrillic small letter ha", Some("only looks like x")),
        '\u{417}' => ("a Cyrillic capital letter Ze", Some("only looks like 3")),
        '\u{41E}' | '\u{43E}' => ("a Cyrillic letter O", Some("only looks like 0")),
        '\u{3A7}' => ("a Greek capital letter Chi", Some("only looks like X")),
        '\u{FF10}'..='\u{FF19}' => ("a full-width digit", None),
        '\u{400}'..='\u{4FF}' => ("a Cyrillic letter", None),
        _ => ("", None),
    };
    let name = if !known.is_empty() {
        format!("{known} (U+{code:04X})")
    } else if character.is_control() {
        format!("the control character U+{code:04X}")
    } else if is_invisible(character) {
        format!("the invisible character U+{code:04X}")
    } else {
        format!("the character `{character}` (U+{code:04X})")
    };
    Foreign { name, aside }
}
