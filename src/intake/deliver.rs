//! The second look at what is due: the file is taken, refused, or left for later.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;

use super::scan::{self, Listing};
use super::settle::{Hint, Mark};
use super::snapshot::{self, Snapshot};
use super::stat::{self, Fingerprint, Kind};
use super::{
    ARRIVALS_MAX, Arrival, Intake, RETRY_MS, Reading, Round, SCAN_GAP_MS, Token, UNANSWERED_MAX,
    naming, printable,
};
use crate::domain::{Rejection, Student};
use crate::util::{clock, hash};

/// Bytes of one round's arrivals, above which the round ends.
const ROUND_BYTES_MAX: usize = 8 << 20;
/// Files looked at in one round, arrivals or not.
const LOOKS_MAX: usize = 4_096;

impl Intake {
    /// Delivers what is due, as much as one round may hold.
    pub(super) fn deliver(&mut self, root: BorrowedFd<'_>, now_ms: u64, round: &mut Round) {
        let mut bytes_sum = 0;
        for _ in 0..LOOKS_MAX {
            if self.unanswered >= UNANSWERED_MAX
                || round.arrivals.len() >= ARRIVALS_MAX
                || bytes_sum >= ROUND_BYTES_MAX
            {
                return;
            }
            let Some((path, expected)) = self.settler.next_due(now_ms) else {
                return;
            };
            let (arrival, told) = match self.examine(root, &path, expected) {
                Examined::Arrived(arrival) => {
                    if let Arrival::Submission { bytes, .. } = &arrival {
                        bytes_sum += bytes.len();
                    }
                    (arrival, None)
                }
                Examined::Refused { student, reason } => {
                    let told = refusal_number(expected, &reason);
                    if self.settler.told(&path) == Some(told) {
                        self.settler.rest(&path, Some(told));
                        continue;
                    }
                    let rejection = Rejection {
                        student,
                        path: printable(&path),
                        reason,
                        seen_ms: clock::now_ms(),
                    };
                    (Arrival::Rejection(rejection), Some(told))
                }
                Examined::Nothing => {
                    self.settler.rest(&path, None);
                    continue;
                }
                Examined::Gone => {
                    self.settler.forget(&path);
                    continue;
                }
                Examined::Changed(fingerprint) => {
                    self.unsettle(&path, expected, fingerprint, now_ms);
                    continue;
                }
                Examined::Failed(error) => {
                    self.settler.again(&path, now_ms, now_ms + RETRY_MS);
                    let text = format!("{} could not be read: {error}", printable(&path));
                    self.notice(round, text);
                    continue;
                }
            };
            self.next_number += 1;
            self.unanswered += 1;
            self.settler.hand_out(&path, self.next_number);
            let token = Token {
                path,
                mark: Mark {
                    fingerprint: expected,
                    told,
                },
                number: self.next_number,
                reviews: self.reviews,
            };
            round.arrivals.push((token, arrival));
        }
    }

    /// Starts the settle time of a file again.
    fn unsettle(&mut self, path: &OsStr, expected: Fingerprint, now: Fingerprint, now_ms: u64) {
        if now == expected {
            // It changed and changed back, or only its number of names did; either way it is not at rest.
            let settle_ms = u64::try_from(self.settings.settle.as_millis()).unwrap_or(u64::MAX);
            let due_ms = now_ms.saturating_add(settle_ms.max(SCAN_GAP_MS));
            self.settler.again(path, now_ms, due_ms);
        } else {
            self.settler.see(path, now, Hint::None, now_ms);
        }
    }

    /// The second look at a file that is due, and what it is.
    fn examine(&self, root: BorrowedFd<'_>, path: &OsStr, expected: Fingerprint) -> Examined {
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
        if stat.links > 1 && self.settler.is_as_taken(path, expected) {
            // Somebody has given it a second name; whoever handed it in did nothing.
            return Examined::Nothing;
        }
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
enum Examined {
    Arrived(Arrival),
    Refused {
        student: Option<Student>,
        reason: String,
    },
    Nothing,
    Gone,
    Changed(Fingerprint),
    Failed(rustix::io::Errno),
}

fn refused(student: Option<Student>, reason: &str) -> Examined {
    Examined::Refused {
        student,
        reason: reason.into(),
    }
}

/// Tells one rejection from another: the same reason for the same state of a file is not told twice.
fn refusal_number(fingerprint: Fingerprint, reason: &str) -> u64 {
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
