//! What is remarked about a package: files that nothing reads, and what else its author should know.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Something that lies where it is not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Remark {
    /// The file or folder.
    pub path: PathBuf,
    /// Why it is not read, and what to do about it.
    pub reason: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// Remarks about one package, or about the folder of all packages; of more only the number is
/// given.
pub(super) const REMARKS_MAX: usize = 20;

/// Remarks, up to a bound.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    kept: Vec<Remark>,
    more: usize,
}

impl Remarks {
    pub fn add(&mut self, path: &Path, reason: impl Into<String>) {
        if self.kept.len() == REMARKS_MAX {
            self.more += 1;
            return;
        }
        self.kept.push(Remark {
            path: path.to_owned(),
            reason: reason.into(),
        });
    }

    /// All of them, the last one with the number of those that were left out.
    pub fn finish(mut self) -> Vec<Remark> {
        if let Some(last) = self.kept.last_mut()
            && self.more > 0
        {
            last.reason = format!("{} (and {} more like these)", last.reason, self.more);
        }
        self.kept
    }
}
