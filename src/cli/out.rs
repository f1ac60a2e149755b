//! Standard output and standard error: colour only where it is wanted, and a reader that goes away
//! is no error.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

use crate::util::excerpt::{visible, visible_line};
pub use crate::view::Style;
use crate::view::{Page, Paper, Section, Show};

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

/// Columns of a table where standard output is no terminal.
const TABLE_COLUMNS: usize = 120;

/// Where a command writes.
pub struct Out {
    stdout: io::BufWriter<io::Stdout>,
    paper: Paper,
    colored_notes: bool,
    /// Whether programs read what is shown.
    is_json: bool,
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
            paper: Paper {
                is_colored: wanted(io::stdout().is_terminal()),
                columns: Self::columns().unwrap_or(TABLE_COLUMNS),
            },
            colored_notes: wanted(io::stderr().is_terminal()),
            is_json: false,
            closed: false,
        }
    }

    /// From now on what is shown is for programs, one JSON object a line, or it is for people.
    pub fn as_json(&mut self, is_json: bool) {
        self.is_json = is_json;
    }

    /// Shows something.
    pub fn show(&mut self, value: &impl Show) {
        self.json(value);
        self.print(|page| value.show(page));
    }

    /// Shows what only people read.
    pub fn print(&mut self, write: impl FnOnce(&mut Page)) {
        let mut page = Page::default();
        write(&mut page);
        self.page(&page);
    }

    /// The same of a page that is there.
    pub fn page(&mut self, page: &Page) {
        if self.is_json {
            return;
        }
        for section in &page.sections {
            match section {
                Section::Note(text) => self.note(&visible_line(text)),
                data => self.data(self.paper.lines(data).as_bytes()),
            }
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

    /// Shows what only programs read: one JSON object, as a line.
    pub fn json(&mut self, value: &impl serde::Serialize) {
        if !self.is_json {
            return;
        }
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
        self.paper.span(&style.on(text))
    }

    /// Writes a line about the work to standard error.
    pub fn note(&mut self, line: &str) {
        self.say(&visible(line));
    }

    fn say(&mut self, line: &str) {
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
        self.say(&format!("{label} {}", visible(message)));
    }
}
