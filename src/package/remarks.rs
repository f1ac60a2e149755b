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

/// Remarks about one package, or about the folder of all packages, and those of them that say the
/// same of several files; of more only the number is given.
pub(super) const REMARKS_MAX: usize = 40;
pub(super) const ALIKE_MAX: usize = 10;

/// Remarks, up to a bound.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// Each with the number of those like it that are not kept.
    kept: Vec<(Remark, usize)>,
    more: usize,
}

impl Remarks {
    pub fn add(&mut self, path: &Path, reason: impl Into<String>) {
        let (path, reason) = (path.to_owned(), reason.into());
        let kept = self.kept.iter_mut();
        let mut alike = kept.filter(|(kept, _)| kept.reason == reason);
        if let Some((_, more)) = alike.nth(ALIKE_MAX - 1) {
            *more += 1;
        } else if self.kept.len() < REMARKS_MAX {
            self.kept.push((Remark { path, reason }, 0));
        } else {
            self.more += 1;
        }
    }

    /// All of them, with the numbers of those that were left out.
    pub fn finish(self) -> Vec<Remark> {
        let kept = self.kept.into_iter().map(|(mut remark, more)| {
            if more > 0 {
                remark.reason = format!("{} (and {more} more like these)", remark.reason);
            }
            remark
        });
        let mut kept: Vec<Remark> = kept.collect();
        if let Some(last) = kept.last_mut().filter(|_| self.more > 0) {
            last.reason = format!("{} (and {} more remarks)", last.reason, self.more);
        }
        kept
    }
}
