//! The second look at a file that is due: what it is, and its bytes if it is a submission.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::io::Errno;

use super::naming::{self, Reading};
use super::scan::{self, Listing};
use super::snapshot::{self, Snapshot};
use super::stat::{self, Fingerprint, Kind};
use super::{Arrival, Intake};
use crate::domain::Student;
use crate::util::{excerpt, hash};

impl Intake {
    /// The second look at a file that is due, and what it is.
    pub(super) fn examine(
        &self,
        root: BorrowedFd<'_>,
        path: &OsStr,
        expected: Fingerprint,
    ) -> Examined {
        let stat = match stat::look(root, path) {
            Ok(stat) if stat.fingerprint != expected => return Examined::Changed(stat.fingerprint),
            Ok(stat) => stat,
            Err(error) if stat::is_gone(error) => return Examined::Gone,
            Err(error) => return Examined::Failed(error),
        };
        let (folder, name) = stat::split(path);
        if folder.is_none() && stat.kind == Kind::Folder {
            return self.examine_folder(name);
        }
        let reading = naming::read(path, &self.known);
        if let Some(reason) = snapshot::refuse_kind(stat.kind) {
            return match reading {
                Reading::Ignored(_) => Examined::Nothing,
                Reading::Named { student, .. } => refused(Some(student), reason),
                Reading::Refused { student, .. } => refused(student, reason),
            };
        }
        let (student, problem, extension) = match reading {
            Reading::Ignored(_) => return Examined::Nothing,
            Reading::Refused { student, reason } => return Examined::Refused { student, reason },
            Reading::Named {
                student,
                problem,
                extension,
            } => (student, problem, extension),
        };
        match snapshot::take(root, path, expected, self.settings.source_bytes_max) {
            Snapshot::Taken { bytes, digest } => Examined::Arrived(Arrival::Submission {
                student,
                problem,
                extension,
                file_name: name.to_string_lossy().into_owned(),
                path: printable(path),
                bytes,
                digest,
            }),
            Snapshot::Refused(reason) => Examined::Refused {
                student: Some(student),
                reason,
            },
            Snapshot::Unsettled => {
                Examined::Changed(stat::look(root, path).map_or(expected, |stat| stat.fingerprint))
            }
            Snapshot::Gone => Examined::Gone,
            Snapshot::Failed(error) => Examined::Failed(error),
        }
    }

    /// A folder directly below the root, which is there to be examined only if the scan could not list it.
    fn examine_folder(&self, name: &OsStr) -> Examined {
        let student = match naming::student_of_folder(name, &self.known) {
            Ok(student) => student,
            Err(reason) => {
                return Examined::Refused {
                    student: None,
                    reason,
                };
            }
        };
        match self.unlisted.get(name) {
            Some(Listing::Unreadable(_)) => refused(
                Some(student),
                "the grader may not look into this folder; allow it (chmod a+rx)",
            ),
            Some(Listing::TooMany) => Examined::Refused {
                student: Some(student),
                reason: format!(
                    "the folder has more than {} names, and the rest is not looked at; remove what is not a program",
                    scan::FOLDER_ENTRIES_MAX
                ),
            },
            Some(Listing::Whole | Listing::NotEntered) | None => Examined::Nothing,
        }
    }
}

/// What the second look at a file found.
pub(super) enum Examined {
    /// It is a submission.
    Arrived(Arrival),
    /// It is not one.
    Refused {
        /// Whose it probably is.
        student: Option<Student>,
        /// Why.
        reason: String,
    },
    /// It is nobody's, or no longer a matter.
    Nothing,
    /// It is not there any more.
    Gone,
    /// It is not as it was at the first look.
    Changed(Fingerprint),
    /// The machine failed.
    Failed(Errno),
}

fn refused(student: Option<Student>, reason: &str) -> Examined {
    Examined::Refused {
        student,
        reason: reason.into(),
    }
}

/// Tells one rejection from another: the same reason for the same state of a file is not told twice.
pub(super) fn refusal_number(fingerprint: Fingerprint, reason: &str) -> u64 {
    let Fingerprint {
        size,
        mtime_ns,
        ctime_ns,
        inode,
    } = fingerprint;
    let key = [size, mtime_ns, ctime_ns, inode]
        .iter()
        .fold(hash::Key::new("refusal"), |key, number| {
            key.part(&number.to_le_bytes())
        })
        .part(reason.as_bytes())
        .finish();
    key.0[..8]
        .iter()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A path for people: what is not text, or cannot be seen, is written as its number.
pub fn printable(path: &OsStr) -> String {
    let mut shown = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        shown.push_str(&excerpt::visible_line(chunk.valid()));
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}
