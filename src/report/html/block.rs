//! Text in numbered lines, as the page shows sources, excerpts and what programs and compilers say.

use crate::report::schema::{ExcerptPart, MarkPart};

/// Lines of one block.
const LINES_MAX: usize = 5_000;
/// The longest extension of a source's file name, in characters.
const EXTENSION_CHARACTERS_MAX: usize = 5;
/// The longest line number that is looked for, in digits.
const DIGITS_MAX: usize = 6;

/// Numbered lines.
#[derive(Default)]
pub(super) struct Block {
    /// What a screen reader calls it.
    pub label: &'static str,
    /// What stands before the mark, beside its colour.
    pub sign: &'static str,
    /// Whether the lines are those of the source, which others point to.
    pub is_source: bool,
    pub first_line: u64,
    pub lines: Vec<Line>,
    pub cut_before: bool,
    pub cut_after: bool,
}

/// One line, in three parts.
#[derive(Default)]
pub(super) struct Line {
    pub number: u64,
    pub before: String,
    /// What differs; empty where the text ends although more was expected.
    pub mark: Option<String>,
    /// What stands in place of an empty mark.
    pub ends: &'static str,
    pub after: String,
    /// Whether a compiler or a traceback names it.
    pub is_told: bool,
    /// The line of the source that it names.
    pub points_to: Option<u64>,
}

impl Block {
    /// The lines of a text.
    pub fn of(text: &str) -> Self {
        let mut block = Self {
            first_line: 1,
            ..Self::default()
        };
        for line in text.lines() {
            block.push(line.to_owned(), None, String::new());
        }
        block
    }

    /// The lines of an excerpt, with what differs marked. In a mark spaces are shown where
    /// `show_blanks` says so.
    pub fn of_excerpt(part: &ExcerptPart, sign: &'static str, show_blanks: bool) -> Self {
        let mut block = Self {
            sign,
            first_line: part.first_line,
            cut_before: part.cut_before,
            cut_after: part.cut_after,
            ..Self::default()
        };
        let Some(mark) = part.mark else {
            for line in part.text.lines() {
                block.push(line.to_owned(), None, String::new());
            }
            return block;
        };
        let [before, marked, after] = parts(&part.text, mark);
        let (whole, open) = match before.rsplit_once('\n') {
            Some((whole, open)) => (Some(whole), open),
            None => (None, before),
        };
        for line in whole.iter().flat_map(|whole| whole.split('\n')) {
            block.push(line.to_owned(), None, String::new());
        }
        let ends = match (open, after.starts_with('\n')) {
            ("", true) => "an empty line",
            (_, true) => "the line ends here",
            (_, false) => "it ends here",
        };
        // The mark stays on its line; that it goes on shows by the sign for the line's end.
        let mut marked = marked.to_owned();
        let feeds = marked.ends_with('\n');
        if show_blanks {
            marked = marked
                .replace('\n', "↵")
                .replace(' ', "·")
                .replace('\t', "⇥");
        } else {
            marked = marked.trim_end_matches('\n').replace('\n', "↵");
        }
        let (rest, below) = if feeds {
            ("", after)
        } else {
            after.split_once('\n').unwrap_or((after, ""))
        };
        block.push(open.to_owned(), Some(marked), rest.to_owned());
        if let Some(line) = block.lines.last_mut() {
            line.ends = ends;
        }
        for line in below.lines() {
            block.push(line.to_owned(), None, String::new());
        }
        block
    }

    fn push(&mut self, before: String, mark: Option<String>, after: String) {
        if self.lines.len() == LINES_MAX {
            self.cut_after = true;
            return;
        }
        self.lines.push(Line {
            number: self.first_line + self.lines.len() as u64,
            before,
            mark,
            after,
            ..Line::default()
        });
    }

    /// Has each line point to the line of the source that it names, and marks that one there.
    pub fn point_to(&mut self, source: &mut Block) {
        for line in &mut self.lines {
            let named = named_line(&line.before);
            let index = named.and_then(|number| usize::try_from(number.checked_sub(1)?).ok());
            if let Some(told) = index.and_then(|index| source.lines.get_mut(index)) {
                told.is_told = true;
                line.points_to = Some(told.number);
            }
        }
    }
}

/// A text in three: before the mark, the mark, after it.
fn parts(text: &str, mark: MarkPart) -> [&str; 3] {
    // The numbers come from a stored document: whatever they are, this is within the text.
    let offset = |characters: u64| {
        let count = usize::try_from(characters).unwrap_or(usize::MAX);
        text.char_indices()
            .nth(count)
            .map_or(text.len(), |(at, _)| at)
    };
    let start = offset(mark.start);
    let end = offset(mark.end).max(start);
    [&text[..start], &text[start..end], &text[end..]]
}

/// The line of the source that a compiler's message or a line of a traceback names:
/// `main.c:3:5`, `main.pas(3,5)`, `File "/app/main.py", line 3`. Files of the system are not the
/// source.
fn named_line(text: &str) -> Option<u64> {
    if text.contains("/usr/") || text.contains("/lib/") {
        return None;
    }
    let after = |(at, _): (usize, &str)| {
        let (before, rest) = text.split_at(at);
        let extension: usize = before
            .chars()
            .rev()
            .take_while(|last| last.is_ascii_alphanumeric() || *last == '+')
            .count();
        let (stem, extension_text) = before.split_at(before.len() - extension);
        let is_file = (1..=EXTENSION_CHARACTERS_MAX).contains(&extension)
            && stem.ends_with('.')
            && extension_text.starts_with(|first: char| first.is_ascii_alphabetic());
        let number = &rest[1..];
        (is_file && number.starts_with(|first: char| first.is_ascii_digit())).then_some(number)
    };
    let python = text.split_once("\", line ").map(|(_, rest)| rest);
    let number = python.or_else(|| text.match_indices([':', '(']).find_map(after))?;
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    if digits > DIGITS_MAX {
        return None;
    }
    number[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Block, named_line};
    use crate::report::schema::{ExcerptPart, MarkPart};

    #[test]
    fn messages_name_lines() {
        for (text, line) in [
            ("curling.cpp:3:5: error: 'x' was not declared", Some(3)),
            ("curling (1).c++:3:5: error", Some(3)),
            ("  File \"curling (2).py\", line 3", Some(3)),
            ("  --> /app/main.rs:12:9", Some(12)),
            ("main.pas(7,2) Error: Identifier not found", Some(7)),
            ("  File \"/app/main.py\", line 41, in <module>", Some(41)),
            ("\tat Main.main(Main.java:5)", Some(5)),
            ("  File \"/usr/lib/python3/ast.py\", line 50", None),
            ("error: ratio 3.2:5", None),
            ("main.c: In function 'main':", None),
            ("main.c:99999999999999999999: error", None),
            ("é.c:(", None),
            ("", None),
        ] {
            assert_eq!(named_line(text), line, "{text}");
        }
    }

    fn shown(text: &str, start: u64, end: u64, blanks: bool) -> Vec<String> {
        let part = ExcerptPart {
            text: text.to_owned(),
            first_line: 4,
            mark: Some(MarkPart { start, end }),
            cut_before: false,
            cut_after: false,
        };
        let lines = Block::of_excerpt(&part, "", blanks).lines;
        let line = |line: super::Line| match line.mark {
            Some(mark) => format!("{} {}[{mark}]{}", line.number, line.before, line.after),
            None => format!("{} {}", line.number, line.before),
        };
        lines.into_iter().map(line).collect()
    }

    #[test]
    fn the_mark_stays_on_its_line() {
        assert_eq!(
            shown("a\nbc d\ne\n", 3, 4, false),
            ["4 a", "5 b[c] d", "6 e"]
        );
        assert_eq!(shown("a\nb", 3, 3, false), ["4 a", "5 b[]"]);
        assert_eq!(shown("a\n", 2, 2, false), ["4 a", "5 []"]);
        assert_eq!(shown("", 0, 0, false), ["4 []"]);
        assert_eq!(shown("\n\nb\n", 2, 3, false), ["4 ", "5 ", "6 [b]"]);
        assert_eq!(shown("a\nb\n", 1, 2, true), ["4 a[↵]", "5 b"]);
        assert_eq!(shown("a b\nc", 1, 2, true), ["4 a[·]b", "5 c"]);
        assert_eq!(shown("刘x\n", 1, 99, false), ["4 刘[x]"]);
        assert_eq!(shown("ab", 9, 3, false), ["4 ab[]"]);
    }
}
