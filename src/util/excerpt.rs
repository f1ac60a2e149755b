//! Untrusted bytes made readable: decoded for display only, bounded, nothing invisible or active
//! left in them.

use std::fmt::Write as _;

use encoding_rs::Encoding;

use crate::domain::is_invisible;

/// Text for display, and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text, with control and bidirectional characters made visible. Line feeds and tabs stay.
    pub text: String,
    /// The encoding that was guessed, where it is not UTF-8.
    pub encoding: Option<&'static str>,
    /// Whether bytes beyond the bound were left out.
    pub cut: bool,
}

/// Decodes at most `bytes_max` bytes for display: UTF-8 where it is that, else the likeliest
/// encoding.
pub fn decode(bytes: &[u8], bytes_max: usize) -> Decoded {
    let cut = bytes.len() > bytes_max;
    let mut head = &bytes[..bytes.len().min(bytes_max)];
    if cut
        && let Err(error) = std::str::from_utf8(head)
        && error.error_len().is_none()
    {
        head = &head[..error.valid_up_to()];
    }
    if let Ok(text) = std::str::from_utf8(head) {
        return Decoded {
            text: visible(text.strip_prefix('\u{FEFF}').unwrap_or(text)),
            encoding: None,
            cut,
        };
    }
    let encoding = guess(head);
    let (text, _, _) = encoding.decode(head);
    Decoded {
        text: visible(&text),
        encoding: Some(encoding.name()),
        cut,
    }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

/// Makes control, bidirectional and other invisible characters visible as `\u{…}`; line feeds and
/// tabs stay, CRLF becomes LF.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            _ if is_invisible(character) => spell(character, &mut shown),
            _ => shown.push(character),
        }
    }
    shown
}

/// Bytes as they are, for what a program printed: nothing is guessed. Bytes that are not UTF-8 are
/// spelt `\xff`, invisible characters as in [`visible`], a carriage return `\r`; line feeds and
/// tabs stay.
pub fn spelled(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' | '\t' => shown.push(character),
                '\r' => shown.push_str("\\r"),
                _ if is_invisible(character) => spell(character, &mut shown),
                _ => shown.push(character),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

fn spell(character: char, shown: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
}

/// As [`visible`] for one line: line feeds and tabs become visible too.
pub fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::{decode, spelled, visible_line};

    #[test]
    fn decodes_what_students_send() {
        assert_eq!(decode("gru\u{df}".as_bytes(), 100).text, "gruß");
        assert_eq!(decode(b"\xEF\xBB\xBFint x;\r\n", 100).text, "int x;\n");
        let cyrillic = b"// \xcf\xf0\xee\xe3\xf0\xe0\xec\xec\xe0 \xed\xe0\xf5\xee\xe4\xe8\xf2";
        let cyrillic = decode(cyrillic, 100);
        assert_eq!(cyrillic.text, "// Программа находит");
        assert!(cyrillic.encoding.is_some());
    }

    #[test]
    fn nothing_invisible_is_left() {
        let line = visible_line("a\0b\u{202e}c\x1b[31m\t\n");
        assert_eq!(line, "a\\u{0}b\\u{202e}c\\u{1b}[31m\\t\\n");
        let text = spelled("a\0\u{202e}\x1b\t\r\né".as_bytes());
        assert_eq!(text, "a\\u{0}\\u{202e}\\u{1b}\t\\r\né");
        assert_eq!(spelled(b"\xcf\xf0 1\xe2\x80"), "\\xcf\\xf0 1\\xe2\\x80");
    }
}
