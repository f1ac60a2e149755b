//! What is shown as text, for a terminal or for a pipe.

use std::fmt::Write as _;

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};

use super::{Section, Span, Style};
use crate::util::excerpt::{visible, visible_line};

/// What text is written on.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    pub is_colored: bool,
    /// Columns that a table has at most.
    pub columns: usize,
}

impl Paper {
    /// A part as lines, the last one ended too.
    pub fn lines(&self, section: &Section) -> String {
        match section {
            Section::Line(spans) => {
                spans.iter().map(|span| self.span(span)).collect::<String>() + "\n"
            }
            Section::Text { margin, text } => {
                let mut lines = String::with_capacity(text.len());
                for line in visible(text).lines() {
                    // Writing to a String cannot fail.
                    let _ = writeln!(lines, "{margin}{line}");
                }
                lines
            }
            Section::Table { header, rows } => self.table(header, rows),
            Section::Note(text) => visible(text) + "\n",
        }
    }

    /// Words in their style.
    pub fn span(&self, span: &Span) -> String {
        let text = visible_line(&span.text);
        match span.style {
            Some(style) if self.is_colored => format!("\x1b[{}m{text}\x1b[0m", code(style)),
            _ => text,
        }
    }

    fn table(&self, header: &[&str], rows: &[Vec<Span>]) -> String {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.columns).unwrap_or(u16::MAX))
            .set_header(header);
        if self.is_colored {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        for row in rows {
            table.add_row(row.iter().map(cell));
        }
        let lines = table.lines();
        lines
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect()
    }
}

fn code(style: Style) -> &'static str {
    match style {
        Style::Good => "32",
        Style::Bad => "31",
        Style::Warn => "33",
        Style::Dim => "2",
        Style::Bold => "1",
    }
}

/// Escape sequences in its text would count as columns.
fn cell(span: &Span) -> Cell {
    let cell = Cell::new(visible(&span.text));
    match span.style {
        None => cell,
        Some(Style::Good) => cell.fg(Color::DarkGreen),
        Some(Style::Bad) => cell.fg(Color::DarkRed),
        Some(Style::Warn) => cell.fg(Color::DarkYellow),
        Some(Style::Dim) => cell.add_attribute(Attribute::Dim),
        Some(Style::Bold) => cell.add_attribute(Attribute::Bold),
    }
}

#[cfg(test)]
mod tests {
    use super::Paper;
    use crate::domain::Verdict;
    use crate::view::{Page, Span, Style, code};

    fn shown(page: &Page, is_colored: bool) -> String {
        let paper = Paper {
            is_colored,
            columns: 40,
        };
        let sections = page.sections.iter();
        sections.map(|section| paper.lines(section)).collect()
    }

    #[test]
    fn only_styles_act_on_a_terminal() {
        let mut page = Page::default();
        page.tagged(code(Verdict::Accepted), "a\x1b[31m\n\u{202e}b");
        page.text("  | ", "one\ttwo\n\x07three");
        page.table(
            &["NAME", ""],
            vec![vec![Span::from("x\x1b"), Style::Bad.on("missing")]],
        );
        let plain = shown(&page, false);
        let wanted = "AC   a\\u{1b}[31m\\n\\u{202e}b\n  | one\ttwo\n  | \\u{7}three\n";
        assert!(plain.starts_with(wanted), "{plain}");
        assert!(
            plain.contains("x\\u{1b}") && !plain.contains('\x1b'),
            "{plain}"
        );
        let colored = shown(&page, true);
        assert!(
            colored.starts_with("\x1b[32mAC \x1b[0m  a\\u{1b}"),
            "{colored}"
        );
    }
}
