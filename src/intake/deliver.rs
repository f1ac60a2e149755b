//! The second look at what is due: the file is taken, refused, or left for later.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::Arc;

use rustix::fs::FileType;

use super::naming::{self, Named, Reading, Refusal};
use super::scan::{self, Fingerprint, ROOT};
use super::settle::{Kept, Queue};
use super::snapshot::{self, NotTaken};
use super::{Arrival, Content, Intake, RETRY_MS, Round, SCAN_GAP_MS, printable};
use crate::domain::{Rejection, SourceFile, Student};
use crate::util::archive::{files_of, is_zip};
use crate::util::excerpt::visible_line;
use crate::util::{clock, hash};

/// Arrivals of one round that look like programs; the rest comes with the next.
const ARRIVALS_MAX: usize = 64;
/// The same of everything else.
pub const OTHERS_MAX: usize = 512;
/// Bytes of one round's arrivals, above which the round ends.
const ROUND_BYTES_MAX: usize = 8 << 20;
/// Files of one queue looked at in one round, arrivals or not.
const LOOKS_MAX: usize = 1_024;

impl Intake {
    /// Delivers what is due, as much as one round may hold. What looks like a program comes first,
    /// and in both lines students take turns: whatever one of them drops, another's program is
    /// looked at in this round.
    pub(super) fn deliver(&mut self, now_ms: u64, round: &mut Round) {
        if !self.settler.is_waiting() || self.trouble.is_some() {
            return;
        }
        // Where it cannot be opened, the next scan says so.
        let Ok(root) = self.scanner.open() else {
            self.scan_wanted = true;
            return;
        };
        if let Err(full) = self.scanner.refuse_full(root.as_fd()) {
            self.trouble = Some(full);
            return;
        }
        for (queue, arrivals_max) in [(Queue::Programs, ARRIVALS_MAX), (Queue::Others, OTHERS_MAX)]
        {
            let before = round.arrivals.len();
            let mut bytes_sum = 0;
            for _ in 0..LOOKS_MAX {
                if round.arrivals.len() - before >= arrivals_max || bytes_sum >= ROUND_BYTES_MAX {
                    break;
                }
                let Some((path, expected)) = self.settler.next(queue, now_ms) else {
                    break;
                };
                bytes_sum += self.deliver_file(root.as_fd(), path, expected, now_ms, round);
            }
        }
    }

    /// Delivers one file; says how many bytes that were.
    fn deliver_file(
        &mut self,
        root: BorrowedFd<'_>,
        path: Arc<OsStr>,
        expected: Fingerprint,
        now_ms: u64,
        round: &mut Round,
    ) -> usize {
        match self.examine(root, &path, expected) {
            Ok(content) => {
                let bytes = match &content {
                    Content::Submission(_, source) => source.bytes.len(),
                    Content::Rejection(_) => 0,
                };
                self.settler.rest(&path);
                round.arrivals.push(Arrival {
                    path,
                    fingerprint: expected,
                    content,
                });
                return bytes;
            }
            Err(NotTaken::Ignored) => self.settler.pass_over(&path),
            Err(NotTaken::Gone) => self.settler.forget(&path),
            // The next scan finds what it is now, and has it settle again; or that its folder may
            // not be looked into any more.
            Err(NotTaken::Unsettled | NotTaken::Refused(_)) => {
                self.settler.again(&path, now_ms + SCAN_GAP_MS);
            }
            Err(NotTaken::Failed(error)) => {
                self.settler.again(&path, now_ms + RETRY_MS);
                let text = format!("{} could not be read: {error}", printable(&path));
                self.notice(round, text);
            }
        }
        0
    }

    /// The second look at a file that is due, and what it is. A refusal is content as well.
    fn examine(
        &self,
        root: BorrowedFd<'_>,
        path: &OsStr,
        expected: Fingerprint,
    ) -> Result<Content, NotTaken> {
        let stat = scan::look(root, path)?;
        if stat.fingerprint != expected {
            return Err(NotTaken::Unsettled);
        }
        let (folder, name) = scan::split(path);
        if folder.is_none() && stat.kind == FileType::Directory {
            return self.examine_folder(name);
        }
        let (student, named) = match naming::read(path, &self.known) {
            Reading::Ignored(_) => return Err(NotTaken::Ignored),
            Reading::Named(named) => (Some(named.student.clone()), Ok(named)),
            Reading::Refused(student, refusal) => (student, Err(refusal)),
        };
        // What it is comes before what it is called.
        let named = match snapshot::refuse_kind(stat.kind).and(named) {
            Ok(named) => named,
            Err(refusal) => return Ok(rejection(path, student, &refusal)),
        };
        if stat.is_linked() && self.is_as_taken(path, expected) {
            // Somebody has given it a second name; whoever handed it in did nothing.
            return Err(NotTaken::Ignored);
        }
        match snapshot::take(root, path, expected, self.settings.source_bytes_max) {
            Ok(bytes) => {
                let name = name.to_string_lossy().into_owned();
                let named = match self.of_files(named, &name, &bytes) {
                    Ok(named) => named,
                    Err(refusal) => return Ok(rejection(path, student, &refusal)),
                };
                let source = SourceFile {
                    name,
                    digest: hash::digest(&bytes),
                    bytes,
                };
                Ok(Content::Submission(named, source))
            }
            Err(NotTaken::Refused(refusal)) => Ok(rejection(path, student, &refusal)),
            Err(other) => Err(other),
        }
    }

    /// What the name of a program means, also of one of several files, which are no larger together
    /// than one may be.
    fn of_files(&self, named: Named, name: &str, bytes: &Arc<[u8]>) -> Result<Named, Refusal<'_>> {
        if !is_zip(name) {
            return Ok(named);
        }
        let files = files_of(name, bytes).map_err(Refusal::Zip)?;
        let bytes = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let most = self.settings.source_bytes_max;
        if bytes > most {
            return Err(Refusal::TooLarge { bytes, most });
        }
        named.of_files(&files, &self.known)
    }

    /// A folder directly below the root, or the root itself, which is there to be examined only if
    /// the scan could not list it.
    fn examine_folder(&self, name: &OsStr) -> Result<Content, NotTaken> {
        let student = match naming::student_of_folder(name, &self.known) {
            _ if name == ROOT => None,
            Ok(student) => Some(student),
            Err(refusal) => return Ok(rejection(name, None, &refusal)),
        };
        let refusal = self.unlisted.get(name).ok_or(NotTaken::Ignored)?;
        Ok(rejection(name, student, refusal))
    }

    /// Whether a file is the one that was last taken, with nothing new about it but the time of its
    /// attributes: the number of its names is one of them.
    fn is_as_taken(&self, path: &OsStr, now: Fingerprint) -> bool {
        let ctime_ns = now.ctime_ns;
        matches!(self.settler.kept(path), Kept::Taken(taken) if Fingerprint { ctime_ns, ..taken } == now)
    }
}

fn rejection(path: &OsStr, student: Option<Student>, refusal: &Refusal<'_>) -> Content {
    Content::Rejection(Rejection {
        student,
        path: printable(path),
        kind: refusal.kind(),
        // It may quote the file's name.
        reason: visible_line(&refusal.to_string()),
        seen_ms: clock::now_ms(),
    })
}
