//! Text in numbered lines, as the page shows sources, excerpts and what programs and compilers say.

use std::sync::LazyLock;

use regex::Regex;

use crate::report::schema::{Excerpt, Mark};

/// Lines of one block.
const LINES_MAX: usize = 5_000;

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
        block.push_all(text.lines());
        block
    }

    /// The lines of an excerpt, with what differs marked. In a mark spaces are shown where
    /// `show_spaces` says so.
    pub fn of_excerpt(
        part: &Excerpt,
        (label, sign): (&'static str, &'static str),
        show_spaces: bool,
    ) -> Self {
        let mut block = Self {
            label,
            sign,
            first_line: part.first_line,
            cut_before: part.cut_before,
            cut_after: part.cut_after,
            ..Self::default()
        };
        let Some(mark) = part.mark else {
            block.push_all(part.text.lines());
            return block;
        };
        let [before, marked, after] = parts(&part.text, mark);
        let (whole, open) = match before.rsplit_once('\n') {
            Some((whole, open)) => (Some(whole), open),
            None => (None, before),
        };
        block.push_all(whole.iter().flat_map(|whole| whole.split('\n')));
        let ends = match (open, after.starts_with('\n')) {
            ("", true) => "an empty line",
            (_, true) => "the line ends here",
            (_, false) => "it ends here",
        };
        // The mark stays on its line; that it goes on shows by the sign for the line's end.
        let (rest, below) = if marked.ends_with('\n') {
            ("", after)
        } else {
            after.split_once('\n').unwrap_or((after, ""))
        };
        let marked = if show_spaces {
            let marked = marked.replace('\n', "↵").replace(' ', "·");
            marked.replace('\t', "⇥")
        } else {
            marked.trim_end_matches('\n').replace('\n', "↵")
        };
        block.push(Line {
            before: open.to_owned(),
            mark: Some(marked),
            ends,
            after: rest.to_owned(),
            ..Line::default()
        });
        block.push_all(below.lines());
        block
    }

    fn push_all<'t>(&mut self, lines: impl Iterator<Item = &'t str>) {
        for line in lines {
            self.push(Line {
                before: line.to_owned(),
                ..Line::default()
            });
        }
    }

    fn push(&mut self, line: Line) {
        if self.lines.len() == LINES_MAX {
            self.cut_after = true;
            return;
        }
        let number = self.first_line + self.lines.len() as u64;
        self.lines.push(Line { number, ..line });
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
fn parts(text: &str, mark: Mark) -> [&str; 3] {
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
    NAMED_LINE.captures(text)?.get(1)?.as_str().parse().ok()
}

/// A file's name with an ending, and a line of it; or a line of Python's tracebacks.
static NAMED_LINE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:", line |\.[A-Za-z][A-Za-z0-9+]{0,4}[:(])([0-9]{1,6})(?:[^0-9]|$)"#)
        .expect("the pattern is well-formed")
});

#[cfg(test)]
mod tests {
    use super::{Block, named_line};
    use crate::report::tests::samples::excerpt;

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

    fn shown(text: &str, start: u64, end: u64, spaces: bool) -> String {
        let part = excerpt(text, 4, Some((start, end)));
        let lines = Block::of_excerpt(&part, ("", ""), spaces).lines;
        let line = |line: super::Line| match line.mark {
            Some(mark) => format!("{} {}[{mark}]{}", line.number, line.before, line.after),
            None => format!("{} {}", line.number, line.before),
        };
        lines.into_iter().map(line).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_mark_stays_on_its_line() {
        for (text, start, end, spaces, lines) in [
            ("a\nbc d\ne\n", 3, 4, false, "4 a, 5 b[c] d, 6 e"),
            ("a\nb", 3, 3, false, "4 a, 5 b[]"),
            ("a\n", 2, 2, false, "4 a, 5 []"),
            ("", 0, 0, false, "4 []"),
            ("\n\nb\n", 2, 3, false, "4 , 5 , 6 [b]"),
            ("a\nb\n", 1, 2, true, "4 a[↵], 5 b"),
            ("a b\nc", 1, 2, true, "4 a[·]b, 5 c"),
            ("刘x\n", 1, 99, false, "4 刘[x]"),
            ("ab", 9, 3, false, "4 ab[]"),
        ] {
            assert_eq!(shown(text, start, end, spaces), lines);
        }
    }
}
