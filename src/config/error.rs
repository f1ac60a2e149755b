//! What is wrong with a configuration, shown with its file, line and column, the line itself with a
//! caret, and the way out.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}{}", file.display(), way_out(source))]
    Read { file: PathBuf, source: io::Error },
    /// The file is not text.
    #[error("{} is not UTF-8: the byte {byte:#04x} in line {line} begins no character; save the file as UTF-8", file.display())]
    NotText {
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The first byte that is wrong.
        byte: u8,
    },
    /// Something in it is wrong.
    #[error("{0}")]
    Content(Box<Mistake>),
}

/// What to do where the file is not there: in an empty folder everybody sees this first.
fn way_out(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::NotFound {
        "; begin a course with `verdictd init DIR`, change to the folder of yours, or name its \
         configuration with --config FILE"
    } else {
        ""
    }
}

impl ConfigError {
    /// The text of a file's bytes.
    pub fn text_of<'b>(bytes: &'b [u8], file: &Path) -> Result<&'b str, Self> {
        std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            Self::NotText {
                file: file.to_owned(),
                line: before.split(|&byte| byte == b'\n').count(),
                byte: bytes[error.valid_up_to()],
            }
        })
    }

    /// A mistake at this place of the text.
    pub fn at(
        file: &Path,
        text: &str,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> Self {
        Self::Content(Box::new(Mistake::new(
            file,
            text,
            span,
            message.into(),
            help,
        )))
    }
}

/// A mistake in the text of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    pub message: String,
    pub help: Option<String>,
    text: String,
    span: Range<usize>,
}

impl Mistake {
    fn new(
        file: &Path,
        text: &str,
        span: Range<usize>,
        message: String,
        help: Option<String>,
    ) -> Self {
        let span = within_one_line(text, span);
        let before = &text[..span.start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message,
            help,
            text: text.to_owned(),
            span,
        }
    }
}

/// A span that lies on character boundaries and ends where its first line ends: a table of twenty
/// lines needs one caret, not twenty.
fn within_one_line(text: &str, span: Range<usize>) -> Range<usize> {
    let boundary = |at: usize| {
        (0..=at.min(text.len()))
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    };
    let start = boundary(span.start);
    let end = boundary(span.end).max(start);
    let length = text[start..end].find(['\r', '\n']).unwrap_or(end - start);
    start..start + length
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display().to_string();
        let snippet = Snippet::source(self.text.as_str())
            .path(file.as_str())
            .annotation(AnnotationKind::Primary.span(self.span.clone()));
        // Whoever shows it says what it is.
        let mut group = Level::ERROR
            .no_name()
            .primary_title(self.message.as_str())
            .element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        f.write_str(&Renderer::plain().render(&[group]))
    }
}
