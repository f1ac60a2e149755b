//! A cell of a CSV file that a spreadsheet program takes for text, whatever stands in it.
//!
//! A text that such a program would compute (`=…`, `-…`) gets an apostrophe in front, as a person
//! would type it there;
//! [`read`] takes it off again, so that a grade book can be read as a roster.

use crate::util::excerpt::visible_line;

/// Characters of one cell; spreadsheet programs hold no more than 32,767.
const CHARACTERS_MAX: usize = 1_000;

/// Whether a spreadsheet program would compute a text that begins like this. The wide forms are
/// taken for the narrow ones where Chinese or Japanese is typed.
fn is_formula(character: char) -> bool {
    matches!(
        character,
        '=' | '+' | '-' | '@' | '\u{FF1D}' | '\u{FF0B}' | '\u{FF0D}' | '\u{FF20}' | '\u{2212}'
    )
}

fn begins_like_a_formula(text: &str) -> bool {
    text.trim_start().starts_with(is_formula)
}

/// Whether only apostrophes stand before what would be a formula.
fn has_apostrophes(text: &str) -> bool {
    begins_like_a_formula(text.trim_start_matches('\''))
}

/// The text of a cell: one line, harmless, bounded.
pub fn shown(text: &str) -> String {
    let head: String = text.chars().take(CHARACTERS_MAX).collect();
    plain(&visible_line(&head))
}

/// The same for a name that was checked: nothing in it needs to be made visible, and it stays what
/// it is.
pub fn plain(name: &str) -> String {
    if has_apostrophes(name) {
        format!("'{name}")
    } else {
        name.to_owned()
    }
}

/// What [`plain`] was given.
pub fn read(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if has_apostrophes(rest) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{begins_like_a_formula, read, shown};

    #[test]
    fn nothing_is_computed_and_everything_is_read_back() {
        for text in [
            "=1+1",
            "+1",
            "-Иван",
            "@SUM(A1)",
            "＝1",
            "－x",
            "  =1",
            "'=1",
            "''-x",
            "plain",
            "O'Neill",
            "'quoted'",
            "",
            "−5",
        ] {
            let cell = shown(text);
            assert!(!begins_like_a_formula(&cell), "{cell}");
            assert_eq!(read(&cell), text);
        }
        assert_eq!(shown("plain"), "plain");
        assert_eq!(shown("\t=1\r\n\u{202e}"), "\\t=1\\n\\u{202e}");
        assert_eq!(shown(&"x".repeat(10_000)).len(), 1_000);
    }
}
