//! The second look at what is due: the file is taken, refused, or left for later.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use rustix::fs::FileType;

use super::reason::Reason;
use super::scan::{self, Listing};
use super::settle::{Hint, Mark, Queue};
use super::snapshot::{self, NotTaken};
use super::stat::{self, Fingerprint};
use super::{
    ARRIVALS_MAX, Arrival, Intake, OTHERS_MAX, RETRY_MS, ROOT, Reading, Round, SCAN_GAP_MS, Token,
    UNANSWERED_MAX, naming, printable,
};
use crate::domain::RejectionKind::{TooMany, Unreadable};
use crate::domain::{Rejection, SourceFile, Student};
use crate::util::excerpt::visible_line;
use crate::util::{clock, hash};

/// Bytes of one round's arrivals, above which the round ends.
const ROUND_BYTES_MAX: usize = 8 << 20;
/// Files of one queue looked at in one round, arrivals or not.
const LOOKS_MAX: usize = 1_024;

impl Intake {
    /// Delivers what is due, as much as one round may hold. What looks like a program comes first,
    /// and in both lines students take turns: whatever one of them drops, another's program is
    /// looked at in this round.
    pub(super) fn deliver(&mut self, root: BorrowedFd<'_>, now_ms: u64, round: &mut Round) {
        let known = &self.known;
        self.settler.queue_settled(now_ms, |path| {
            let (is_program, owner) = naming::owner(path, known);
            let queue = if is_program {
                Queue::Programs
            } else {
                Queue::Others
            };
            (queue, Arc::from(owner))
        });
        self.deliver_queue(Queue::Programs, root, now_ms, round);
        self.deliver_queue(Queue::Others, root, now_ms, round);
    }

    fn deliver_queue(
        &mut self,
        queue: Queue,
        root: BorrowedFd<'_>,
        now_ms: u64,
        round: &mut Round,
    ) {
        let arrivals_max = match queue {
            Queue::Programs => ARRIVALS_MAX,
            Queue::Others => OTHERS_MAX,
        };
        let before = round.arrivals.len();
        let mut bytes_sum = 0;
        for _ in 0..LOOKS_MAX {
            if self.unanswered >= UNANSWERED_MAX
                || round.arrivals.len() - before >= arrivals_max
                || bytes_sum >= ROUND_BYTES_MAX
            {
                return;
            }
            let Some((path, expected)) = self.settler.next_due(queue) else {
                return;
            };
            let (arrival, told) = match self.examine(root, &path, expected) {
                Examined::Arrived(arrival) => {
                    if let Arrival::Submission { source, .. } = &arrival {
                        bytes_sum += source.bytes.len();
                    }
                    self.release_if_told(&path);
                    (arrival, None)
                }
                Examined::Refused { student, reason } => {
                    let told = refusal_number(&reason);
                    if self.settler.told(&path) == Some(told) {
                        self.settler.rest(&path, Some(told));
                        continue;
                    }
                    self.released.remove(&*path);
                    let rejection = Rejection {
                        student,
                        path: printable(&path),
                        kind: reason.kind,
                        // It may quote the file's name.
                        reason: visible_line(&reason.words),
                        seen_ms: clock::now_ms(),
                    };
                    (Arrival::Rejection(rejection), Some(told))
                }
                Examined::Nothing => {
                    self.release_if_told(&path);
                    self.settler.rest(&path, None);
                    continue;
                }
                Examined::Gone => {
                    self.forget(&path);
                    continue;
                }
                Examined::Changed(now) => {
                    self.unsettle(&path, expected, now, now_ms);
                    continue;
                }
                Examined::Failed(error) => {
                    self.settler.again(&path, now_ms, now_ms + RETRY_MS);
                    let text = format!("{} could not be read: {error}", printable(&path));
                    self.notice(round, text);
                    continue;
                }
            };
            self.hand_out(path, expected, told, arrival, round);
        }
    }

    fn hand_out(
        &mut self,
        path: Arc<OsStr>,
        fingerprint: Fingerprint,
        told: Option<u64>,
        arrival: Arrival,
        round: &mut Round,
    ) {
        self.next_number += 1;
        self.unanswered += 1;
        self.settler.hand_out(&path, self.next_number);
        let token = Token {
            path,
            mark: Mark { fingerprint, told },
            number: self.next_number,
            reviews: self.reviews,
        };
        round.arrivals.push((token, arrival));
    }

    /// What was said of a file does not hold any more.
    fn release_if_told(&mut self, path: &OsStr) {
        if self.settler.told(path).is_some() {
            self.released.insert(path.to_owned());
        }
    }

    /// The settle time of a file of which something else than its content has changed.
    pub(super) fn settle_ms(&self) -> u64 {
        let settle_ms = u64::try_from(self.settings.settle.as_millis()).unwrap_or(u64::MAX);
        settle_ms.max(SCAN_GAP_MS)
    }

    /// Starts the settle time of a file again.
    fn unsettle(&mut self, path: &OsStr, expected: Fingerprint, now: Fingerprint, now_ms: u64) {
        if now == expected {
            // It changed and changed back, or only its number of names did; either way it is not at
            // rest.
            let due_ms = now_ms.saturating_add(self.settle_ms());
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
        if folder.is_none() && stat.kind == FileType::Directory {
            return self.examine_folder(name);
        }
        let reading = naming::read(path, &self.known);
        if let Err(reason) = snapshot::refuse_kind(stat.kind) {
            let student = match reading {
                Reading::Ignored(_) => return Examined::Nothing,
                Reading::Named { student, .. } => Some(student),
                Reading::Refused { student, .. } => student,
            };
            return Examined::Refused { student, reason };
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
            Ok(bytes) => Examined::Arrived(Arrival::Submission {
                student,
                problem,
                extension,
                path: printable(path),
                source: SourceFile {
                    name: name.to_string_lossy().into_owned(),
                    digest: hash::digest(&bytes),
                    bytes,
                },
            }),
            Err(NotTaken::Refused(reason)) => Examined::Refused {
                student: Some(student),
                reason,
            },
            Err(NotTaken::Unsettled) => {
                Examined::Changed(stat::look(root, path).map_or(expected, |stat| stat.fingerprint))
            }
            Err(NotTaken::Gone) => Examined::Gone,
            Err(NotTaken::Failed(error)) => Examined::Failed(error),
        }
    }

    /// A folder directly below the root, or the root itself, which is there to be examined only if
    /// the scan could not list it.
    fn examine_folder(&self, name: &OsStr) -> Examined {
        if name == ROOT {
            if self.overfull.is_none() {
                return Examined::Nothing;
            }
            let reason = TooMany.because(format!(
                "the submissions folder has more than {} files or {} folders; the rest is not looked at until some are moved away",
                scan::ENTRIES_MAX,
                scan::FOLDERS_MAX
            ));
            return Examined::Refused {
                student: None,
                reason,
            };
        }
        let student = match naming::student_of_folder(name, &self.known) {
            Ok(student) => student,
            Err(reason) => {
                return Examined::Refused {
                    student: None,
                    reason,
                };
            }
        };
        let reason = match self.unlisted.get(name) {
            Some(Listing::Unreadable(_)) => Unreadable
                .because("the grader may not look into this folder; allow it (chmod a+rx)"),
            Some(Listing::TooMany) => TooMany.because(format!(
                "the folder has more than {} names, and the rest is not looked at; remove what is not a program",
                scan::FOLDER_ENTRIES_MAX
            )),
            Some(Listing::Whole | Listing::NotEntered) | None => return Examined::Nothing,
        };
        Examined::Refused {
            student: Some(student),
            reason,
        }
    }
}

/// What the second look at a file found.
enum Examined {
    Arrived(Arrival),
    Refused {
        student: Option<Student>,
        reason: Reason,
    },
    Nothing,
    Gone,
    Changed(Fingerprint),
    Failed(rustix::io::Errno),
}

/// Tells one rejection from another: what was said of a file once is not said again, whatever its
/// time stamps.
fn refusal_number(reason: &Reason) -> u64 {
    let key = hash::Key::new("refusal")
        .part(reason.kind.word().as_bytes())
        .part(reason.words.as_bytes())
        .finish();
    key.0[..8]
        .iter()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}
