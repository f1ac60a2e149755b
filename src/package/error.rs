//! Why a package, or something about it, cannot be had.

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::domain::{Complaint, Fault};

/// Why something cannot be had: a fault of this machine, for which another try may do, or a file of
/// the package that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error(transparent)]
    Ours(#[from] Fault),
    #[error(transparent)]
    Theirs(#[from] Complaint),
}

impl Trouble {
    /// A fault of a whole file.
    pub(super) fn file(file: &Path, reason: impl Display) -> Self {
        Complaint::new(file, reason).into()
    }

    /// A fault of ours that kept a file from being tried.
    pub(super) fn fault(file: &Path, fault: &Fault) -> Self {
        Self::Ours(Fault {
            step: format!("try {}", file.display()),
            reason: fault.to_string(),
            kind: fault.kind,
        })
    }

    /// A file that cannot be read: the file's own fault if it is not there, too large or no file,
    /// else one of this machine.
    pub(super) fn unread(file: &Path, error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::FileTooLarge
            | ErrorKind::InvalidInput
            | ErrorKind::PermissionDenied => Self::file(file, error),
            _ => Fault::new(format!("read {}", file.display()), error).into(),
        }
    }

    /// Whether it is a fault of this machine.
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::Ours(_))
    }

    /// The file, the place, the reason and the way out in one line; as text it may have several.
    pub fn in_one_line(&self) -> String {
        match self {
            Self::Ours(fault) => fault.to_string(),
            Self::Theirs(complaint) => complaint.in_one_line(),
        }
    }
}
