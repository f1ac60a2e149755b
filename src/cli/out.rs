//! Standard output and standard error: colour only where it is wanted, and a reader that goes away
//! is no error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use comfy_table::{Attribute, Cell, Color as CellColor, ContentArrangement, Table, presets};

use crate::domain::Verdict;
use crate::problems::InputError;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
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

    fn code(self) -> &'static str {
        match self {
            Self::Good => "32",
            Self::Bad => "31",
            Self::Warn => "33",
            Self::Dim => "2",
            Self::Bold => "1",
        }
    }
}

/// A cell in a style. Escape sequences in its text would count as columns.
pub fn cell(style: Style, text: &str) -> Cell {
    let cell = Cell::new(text);
    match style {
        Style::Good => cell.fg(CellColor::DarkGreen),
        Style::Bad => cell.fg(CellColor::DarkRed),
        Style::Warn => cell.fg(CellColor::DarkYellow),
        Style::Dim => cell.add_attribute(Attribute::Dim),
        Style::Bold => cell.add_attribute(Attribute::Bold),
    }
}

/// Columns of a table where standard output is no terminal.
const TABLE_COLUMNS: usize = 120;

/// Where a command writes.
pub struct Out {
    stdout: io::BufWriter<io::Stdout>,
    colored_data: bool,
    colored_notes: bool,
    closed: bool,
}

impl Out {
    /// Decides about colour once.
    pub fn new(color: Color) -> Self {
        let wanted = |terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                terminal
                    && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        };
        Self {
            stdout: io::BufWriter::new(io::stdout()),
            colored_data: wanted(io::stdout().is_terminal()),
            colored_notes: wanted(io::stderr().is_terminal()),
            closed: false,
        }
    }

    /// Whether a person watches standard output.
    pub fn is_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Columns of the terminal that standard output is, if it is one.
    pub fn columns() -> Option<usize> {
        rustix::termios::tcgetwinsize(io::stdout())
            .ok()
            .map(|size| usize::from(size.ws_col))
            .filter(|columns| *columns > 0)
    }

    /// Writes bytes of data.
    pub fn data(&mut self, bytes: &[u8]) {
        if !self.closed && self.stdout.write_all(bytes).is_err() {
            self.closed = true;
        }
    }

    /// Writes a line of data.
    pub fn line(&mut self, line: &str) {
        self.data(line.as_bytes());
        self.data(b"\n");
    }

    /// Writes a line of data that begins with a word in a style.
    pub fn tagged(&mut self, style: Style, word: &str, text: &str) {
        let word = self.styled(style, word);
        self.line(&format!("{word}  {text}"));
    }

    /// Writes one JSON object as a line.
    pub fn json(&mut self, value: &impl serde::Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.line(&text),
            Err(error) => self.error(&error.to_string()),
        }
    }

    /// Hands what was written to the reader.
    pub fn flush(&mut self) {
        if !self.closed && self.stdout.flush().is_err() {
            self.closed = true;
        }
    }

    /// Text in a style, for standard output.
    pub fn styled(&self, style: Style, text: &str) -> String {
        if self.colored_data {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.to_owned()
        }
    }

    /// A table without lines that fits the terminal; long cells are wrapped.
    pub fn table(&self, header: &[&str]) -> Table {
        let columns = Self::columns().unwrap_or(TABLE_COLUMNS);
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(columns).unwrap_or(u16::MAX))
            .set_header(header);
        if self.colored_data {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table
    }

    /// Writes a table as lines of data.
    pub fn write_table(&mut self, table: &Table) {
        for line in table.lines() {
            self.line(line.trim_end());
        }
    }

    /// Writes a line about the work to standard error.
    pub fn note(&mut self, line: &str) {
        self.flush();
        // Without standard error nobody can be told.
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Writes an error to standard error.
    pub fn error(&mut self, message: &str) {
        let label = if self.colored_notes {
            "\x1b[1;31merror:\x1b[0m"
        } else {
            "error:"
        };
        self.note(&format!("{label} {message}"));
    }

    /// Says where an input is wrong, and why.
    pub fn refused(&mut self, name: &str, fault: &InputError) {
        let InputError {
            line,
            column,
            reason,
        } = fault;
        self.error(&format!("{name}:{line}:{column}: {reason}"));
    }
}
