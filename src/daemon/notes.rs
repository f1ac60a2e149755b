//! Keeps the notes on rejected files, and the log of them, as the store says; a little later while
//! many files arrive.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::ops::Bound;
use std::time::{Duration, Instant};

use super::shared::{Entries, Shared, file_fault};
use crate::domain::{Fault, Student};
use crate::intake::{Mark, printable};
use crate::store::{Reader, StoreError};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::sync::read;

/// While files arrive, notes are written this often; each time for so many students.
const PAUSE: Duration = Duration::from_secs(1);
const STUDENTS_AT_ONCE: usize = 32;
/// Until it is tried again to write what could not be written.
const RETRY: Duration = Duration::from_secs(10);
/// Rows read from the store at a time.
const PAGE: u32 = 1_000;

/// The notes and the log of rejected files.
pub(super) struct Notes<'a> {
    shared: &'a Shared,
    /// Whose notes are not what they should be.
    due: BTreeSet<Option<Student>>,
    /// Whether the log has something to catch up with.
    log_is_due: bool,
    written: Option<Instant>,
    /// Whose notes were written last: the next ones are those of who comes after.
    last: Option<Student>,
    /// Whose notes could not be written, which is tried again with the log.
    failed: BTreeSet<Option<Student>>,
    /// What could not be done last, and when it is tried again.
    failing: Option<(Fault, Instant)>,
}

/// What somebody is to hear after notes were written.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What does not work, where that was not said before.
    pub failed: Option<Fault>,
    /// Whether it works again.
    pub recovered: bool,
}

impl<'a> Notes<'a> {
    /// Nothing is due yet.
    pub fn new(shared: &'a Shared) -> Self {
        Self {
            shared,
            due: BTreeSet::new(),
            log_is_due: false,
            written: None,
            last: None,
            failed: BTreeSet::new(),
            failing: None,
        }
    }

    /// Forgets the rejected files that went while the daemon was away, or that were taken in the
    /// moment before it ended, and has all notes
    /// looked at. `remembered` is what is known of the files that are there.
    pub fn begin(&mut self, remembered: &[(OsString, Mark)]) -> Result<(), StoreError> {
        let reader = self.shared.store.reader()?;
        let told: HashSet<String> = remembered
            .iter()
            .filter(|(_, mark)| mark.told.is_some())
            .map(|(path, _)| printable(path))
            .collect();
        let mut after = 0;
        loop {
            let page = reader.rejected_paths_after(after, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            after = *last;
            let gone: Vec<(String, Vec<u8>)> = page
                .into_iter()
                .filter(|(_, path)| !told.contains(path))
                .map(|(_, path)| (path.clone(), path.into_bytes()))
                .collect();
            if !gone.is_empty() {
                self.shared.store.writer().release(gone, false, now_ms())?;
            }
        }
        let counts = reader.outstanding_counts()?;
        let students: BTreeSet<Student> = counts
            .into_iter()
            .filter_map(|(student, _)| student)
            .collect();
        if let Err(error) = self.shared.reports.keep_notes_of(&students) {
            // The notes on files that are there matter more than those that are left over, and are
            // tried again.
            tracing::warn!(%error, "notes on files that are gone could not be removed");
        }
        self.due = students.into_iter().map(Some).chain([None]).collect();
        self.log_is_due = true;
        Ok(())
    }

    /// The rejected files of these are others now, and whether the log tells of it.
    pub fn changed(&mut self, whose: BTreeSet<Option<Student>>, is_logged: bool) {
        if !whose.is_empty() {
            // Pages show them, too.
            self.shared.tell_news(0);
        }
        self.due.extend(whose);
        self.log_is_due |= is_logged;
    }

    /// Whether something is to be written now. What could not be written is waited for by nobody.
    pub fn are_due(&self) -> bool {
        let log_is_due = self.log_is_due && self.failing.is_none();
        log_is_due || !self.due.is_empty()
    }

    /// Whether something could not be written.
    pub fn are_failing(&self) -> bool {
        self.failing.is_some()
    }

    /// In how long it is tried again to write what could not be.
    pub fn next_try(&self) -> Option<Duration> {
        let (_, at) = self.failing.as_ref()?;
        Some(at.saturating_duration_since(Instant::now()))
    }

    /// Writes what is due: all of it, or from time to time while more files arrive. What cannot be
    /// written holds up no other student's.
    pub fn write(&mut self, busy: bool) -> Outcome {
        let now = Instant::now();
        let is_retry = self.failing.as_ref().is_some_and(|(_, at)| now >= *at);
        if is_retry {
            self.due.append(&mut self.failed);
        }
        let is_soon = self.written.is_some_and(|written| now - written < PAUSE);
        if !(is_retry || self.are_due()) || (busy && is_soon) {
            return Outcome::default();
        }
        let result = self.write_some(is_retry || self.failing.is_none());
        self.written = Some(Instant::now());
        let before = self.failing.take();
        match result {
            Err(fault) => {
                let is_known = before.is_some_and(|(known, _)| known == fault);
                self.failing = Some((fault.clone(), Instant::now() + RETRY));
                Outcome {
                    failed: (!is_known).then_some(fault),
                    recovered: false,
                }
            }
            Ok(()) if is_retry => Outcome {
                failed: None,
                recovered: self.failed.is_empty(),
            },
            // Others could be written; what could not be is not tried again yet.
            Ok(()) => {
                self.failing = before;
                Outcome::default()
            }
        }
    }

    /// Writes the notes of some students, and the log if that is to be tried; the first failure.
    fn write_some(&mut self, log: bool) -> Result<(), Fault> {
        let reader = match self.shared.store.reader() {
            Ok(reader) => reader,
            Err(error) => {
                self.failed.append(&mut self.due);
                return Err(error.into_fault("write the notes on rejected files"));
            }
        };
        let mut result = Ok(());
        for _ in 0..STUDENTS_AT_ONCE {
            let after = (Bound::Excluded(&self.last), Bound::Unbounded);
            let next = self.due.range(after).next().or_else(|| self.due.first());
            let Some(student) = next.cloned() else { break };
            self.due.remove(&student);
            if let Err(fault) = self.write_notes(&reader, student.as_ref()) {
                self.failed.insert(student.clone());
                result = result.and(Err(fault));
            }
            self.last = student;
            point("note written");
        }
        if self.log_is_due && log {
            match self.shared.catch_up_logs(&reader, &Entries::new()) {
                Ok(()) => self.log_is_due = false,
                Err(error) => result = result.and(Err(error.into_fault("write the logs"))),
            }
        }
        result
    }

    fn write_notes(&self, reader: &Reader, student: Option<&Student>) -> Result<(), Fault> {
        let step = "write the note on a rejected file";
        let outstanding = reader
            .outstanding(student)
            .map_err(|error| error.into_fault(step))?;
        let zone = read(&self.shared.board).grading().zone().clone();
        self.shared
            .reports
            .put_notes(student, &outstanding.named, outstanding.more, &zone)
            .map_err(|error| file_fault(step, &error))
    }
}
