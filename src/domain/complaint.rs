//! What is wrong with a file that a person has written.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A file that cannot be used as it is, for its author to put right: a package's, a course's, a
/// configuration. What is ours to put right is a [`Fault`](super::Fault).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub struct Complaint {
    pub file: PathBuf,
    /// Line and column in characters, from 1, where it is about one place; a row of a table has no
    /// column.
    pub place: Option<(usize, Option<usize>)>,
    /// What is wrong: printable, one line.
    pub reason: String,
    /// The way out, where the reason does not say it.
    pub help: Option<String>,
    /// All of it as a terminal shows it, with the line of the file and a caret, where it has those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<String>,
}

impl Complaint {
    /// A complaint about a whole file.
    pub fn new(file: impl AsRef<Path>, reason: impl fmt::Display) -> Self {
        Self {
            file: file.as_ref().to_owned(),
            place: None,
            reason: reason.to_string(),
            help: None,
            excerpt: None,
        }
    }

    /// The same about this line and column.
    #[must_use]
    pub fn at(self, line: usize, column: usize) -> Self {
        let place = Some((line, Some(column)));
        Self { place, ..self }
    }

    /// The same about this line.
    #[must_use]
    pub fn on(self, line: usize) -> Self {
        let place = Some((line, None));
        Self { place, ..self }
    }

    /// The same with a way out.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self { help, ..self }
    }

    /// `problems/a/problem.toml:3:7: unknown key "titel"; did you mean "title"?`
    pub fn in_one_line(&self) -> String {
        let place = match self.place {
            Some((line, Some(column))) => format!(":{line}:{column}"),
            Some((line, None)) => format!(":{line}"),
            None => String::new(),
        };
        format!("{}{place}: {}", self.file.display(), self.words())
    }

    /// The same without the file.
    pub fn words(&self) -> String {
        match &self.help {
            Some(help) => format!("{}; {help}", self.reason),
            None => self.reason.clone(),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.excerpt {
            Some(excerpt) => f.write_str(excerpt),
            None => f.write_str(&self.in_one_line()),
        }
    }
}
