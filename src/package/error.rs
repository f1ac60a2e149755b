//! What can be wrong with a package: the file, the line where there is one, the reason and the way
//! out.

use std::path::{Path, PathBuf};

use crate::config::{ConfigError, Mistake};
use crate::domain::Fault;

/// A package that nobody can be graded on.
///
/// It is shown with the line of problem.toml and a caret, if it is about one;
/// [`PackageError::in_one_line`] is for logs, tables and pages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", shown(self))]
pub struct PackageError {
    /// The file at fault.
    pub file: PathBuf,
    /// Line and column, from 1, if the fault has a place.
    pub place: Option<(usize, usize)>,
    /// Why, and what to do about it.
    pub reason: String,
    /// Whether it is a fault of this machine and not of the package: another try may do.
    pub ours: bool,
    /// The line that is wrong and the way out, if it is a mistake in problem.toml.
    mistake: Option<Box<Mistake>>,
}

fn shown(error: &PackageError) -> String {
    match &error.mistake {
        Some(mistake) => mistake.to_string(),
        None => error.in_one_line(),
    }
}

impl From<ConfigError> for PackageError {
    fn from(error: ConfigError) -> Self {
        match error {
            ConfigError::Content(mistake) => {
                let reason = match &mistake.help {
                    Some(help) => format!("{}; {help}", mistake.message),
                    None => mistake.message.clone(),
                };
                Self {
                    mistake: Some(mistake.clone()),
                    ..Self::at(&mistake.file, (mistake.line, mistake.column), reason)
                }
            }
            ConfigError::Read {
                ref file,
                ref source,
            } => Self::file(file, source),
            ConfigError::NotText {
                ref file,
                byte,
                line,
            } => Self::at(
                file,
                (line, 1),
                format!("the byte {byte:#04x} begins no character; save the file as UTF-8"),
            ),
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers hand over errors that they are done with"
)]
impl PackageError {
    /// A fault of a whole file.
    pub fn file(file: &Path, reason: impl ToString) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            reason: reason.to_string(),
            ours: false,
            mistake: None,
        }
    }

    /// A fault of ours that kept a file from being tried.
    pub fn fault(file: &Path, fault: Fault) -> Self {
        Self {
            ours: true,
            ..Self::file(file, format!("it could not be tried: {fault}"))
        }
    }

    /// A file that cannot be read: the file's own fault if it is not there, too large or no
    /// file, else one of this machine.
    pub fn unread(file: &Path, error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let its_own = matches!(
            error.kind(),
            ErrorKind::NotFound
                | ErrorKind::FileTooLarge
                | ErrorKind::InvalidInput
                | ErrorKind::PermissionDenied
        );
        Self {
            ours: !its_own,
            ..Self::file(file, error)
        }
    }

    /// A fault at a place.
    pub fn at(file: &Path, place: (usize, usize), reason: impl ToString) -> Self {
        Self {
            place: Some(place),
            ..Self::file(file, reason)
        }
    }

    /// The file, the place, the reason and the way out in one line.
    pub fn in_one_line(&self) -> String {
        let place = self.place.map(|(line, column)| format!(":{line}:{column}"));
        let (file, place) = (self.file.display(), place.unwrap_or_default());
        format!("{file}{place}: {}", self.reason)
    }
}
