//! What is shown of something: one value, which programs read as JSON and people as text.
//!
//! A value says in [`Show`] what it consists of. How that looks is decided in one place, [`Paper`],
//! where whatever could act on a terminal is made visible.

use std::fmt::Write as _;

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};
use serde::{Serialize, Serializer};

use crate::domain::Verdict;
use crate::util::clock::utc_text;
use crate::util::excerpt::{visible, visible_line};

/// A value that is shown; programs read it as it serialises itself.
pub trait Show: Serialize {
    /// Writes down what people read.
    fn show(&self, page: &mut Page);
}

/// A look, named by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As it should be.
    Good,
    /// Not as it should be.
    Bad,
    /// Worth a look.
    Warn,
    /// Less important.
    Dim,
    /// More important.
    Bold,
}

impl Style {
    /// The look of a verdict.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accepted => Self::Good,
            Verdict::Skipped => Self::Dim,
            Verdict::CompileError | Verdict::PresentationError => Self::Warn,
            Verdict::WrongAnswer
            | Verdict::TimeLimit
            | Verdict::MemoryLimit
            | Verdict::OutputLimit
            | Verdict::RuntimeError => Self::Bad,
        }
    }

    /// Words in this style.
    pub fn on(self, text: impl Into<String>) -> Span {
        Span {
            text: text.into(),
            style: Some(self),
        }
    }
}

/// Words in one style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Option<Style>,
}

impl<T: Into<String>> From<T> for Span {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            style: None,
        }
    }
}

/// The code of a verdict, as wide as the longest one.
pub fn code(verdict: Verdict) -> Span {
    Style::of(verdict).on(format!("{verdict:<3}"))
}

/// A part of what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// One line.
    Line(Vec<Span>),
    /// Lines that stand as they are, each behind the same margin.
    Text { margin: &'static str, text: String },
    /// Rows of cells under a header.
    Table {
        header: Vec<&'static str>,
        rows: Vec<Vec<Span>>,
    },
    /// What is no data: a remark about the work.
    Note(String),
}

/// What is shown, from top to bottom.
#[derive(Debug, Default)]
pub struct Page {
    pub sections: Vec<Section>,
}

impl Page {
    /// A line of words.
    pub fn line(&mut self, text: impl Into<String>) {
        self.spans([Span::from(text)]);
    }

    /// A line of words in several styles.
    pub fn spans(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.sections
            .push(Section::Line(spans.into_iter().collect()));
    }

    /// A line that begins with a word in a style.
    pub fn tagged(&mut self, word: Span, text: impl AsRef<str>) {
        let text = format!("  {}", text.as_ref());
        self.spans([word, text.into()]);
    }

    /// A line of each of the texts, which begins with the same word in a style.
    pub fn each<T: AsRef<str>>(&mut self, word: &Span, texts: impl IntoIterator<Item = T>) {
        for text in texts {
            self.tagged(word.clone(), text);
        }
    }

    /// The lines of a text, behind a margin.
    pub fn text(&mut self, margin: &'static str, text: impl Into<String>) {
        let text = text.into();
        self.sections.push(Section::Text { margin, text });
    }

    /// A table without lines; long cells are wrapped where it would not fit.
    pub fn table(&mut self, header: &[&'static str], rows: Vec<Vec<Span>>) {
        let header = header.to_vec();
        self.sections.push(Section::Table { header, rows });
    }

    /// A remark about the work.
    pub fn note(&mut self, text: impl Into<String>) {
        self.sections.push(Section::Note(text.into()));
    }
}

/// A moment in milliseconds since 1970, which programs read as `2026-03-01T12:30:00Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utc(pub i64);

impl Serialize for Utc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&utc_text(self.0))
    }
}

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
            Some(style) if self.is_colored => format!("\x1b[{}m{text}\x1b[0m", ansi(style)),
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

fn ansi(style: Style) -> &'static str {
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
