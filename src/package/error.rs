//! What can be wrong with a package: the file, the line where there is one, the reason and the way out.

use std::path::{Path, PathBuf};

use crate::domain::Fault;

/// A package that nobody can be graded on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {reason}", file.display(), place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default())]
pub struct PackageError {
    /// The file at fault.
    pub file: PathBuf,
    /// Line and column, from 1, where the fault has a place.
    pub place: Option<(usize, usize)>,
    /// Why, and what to do about it.
    pub reason: String,
    /// Whether it is a fault of this machine and not of the package: another try may do.
    pub ours: bool,
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
        }
    }

    /// A fault of ours that kept a file from being tried.
    pub fn fault(file: &Path, fault: Fault) -> Self {
        Self {
            ours: true,
            ..Self::file(file, format!("it could not be tried: {fault}"))
        }
    }

    /// A file that cannot be read: the file's own fault where it is not there, too large or no file, else one of this machine.
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

    /// A fault at a byte offset of a text.
    pub fn at_offset(file: &Path, text: &str, offset: usize, reason: impl ToString) -> Self {
        let before = &text[..text.floor_char_boundary(offset.min(text.len()))];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].chars().count() + 1;
        Self::at(file, (line, column), reason)
    }
}
