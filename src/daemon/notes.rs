//! Keeps the notes on rejected files, and the log of them, as the store says; a little later while
//! many files arrive.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

use super::shared::{LogError, Shared, file_fault};
use crate::domain::{Fault, Student};
use crate::intake::{Mark, printable};
use crate::store::StoreError;
use crate::util::clock::now_ms;
use crate::util::crash::point;

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
    /// What could not be done, and when it is tried again.
    failing: Option<(Fault, Instant)>,
}

/// What somebody is to hear after notes were written.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What does not work, where that was not said before.
    pub failed: Option<Fault>,
    /// Whether it works again.
    pub mended: bool,
}

impl<'a> Notes<'a> {
    /// Nothing is due yet.
    pub fn new(shared: &'a Shared) -> Self {
        Self {
            shared,
            due: BTreeSet::new(),
            log_is_due: false,
            written: None,
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
                self.shared.store.writer().release(gone, now_ms())?;
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
        (self.log_is_due || !self.due.is_empty()) && self.failing.is_none()
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

    /// Writes what is due: all of it, or from time to time while more files arrive.
    pub fn write(&mut self, busy: bool) -> Outcome {
        let now = Instant::now();
        let is_soon = self.written.is_some_and(|written| now - written < PAUSE);
        let waits = match &self.failing {
            Some((_, at)) => now < *at,
            None => busy && is_soon,
        };
        let is_due = self.log_is_due || !self.due.is_empty();
        if waits || !is_due {
            return Outcome::default();
        }
        let result = self.write_some();
        self.written = Some(Instant::now());
        match (result, self.failing.take()) {
            (Ok(()), before) => Outcome {
                failed: None,
                mended: before.is_some(),
            },
            (Err(fault), before) => {
                let is_known = before.is_some_and(|(known, _)| known == fault);
                self.failing = Some((fault.clone(), Instant::now() + RETRY));
                Outcome {
                    failed: (!is_known).then_some(fault),
                    mended: false,
                }
            }
        }
    }

    fn write_some(&mut self) -> Result<(), Fault> {
        let step = "write the note on a rejected file";
        let reader = self.shared.store.reader();
        let reader = reader.map_err(|error| error.into_fault(step))?;
        for _ in 0..STUDENTS_AT_ONCE {
            let Some(student) = self.due.first() else {
                break;
            };
            let outstanding = reader
                .outstanding(student.as_ref())
                .map_err(|error| error.into_fault(step))?;
            self.shared
                .reports
                .put_notes(student.as_ref(), &outstanding.named, outstanding.more)
                .map_err(|error| file_fault(step, &error))?;
            self.due.pop_first();
            point("note written");
        }
        if self.log_is_due {
            let logs = |error: LogError| error.into_fault("write the logs");
            self.shared.catch_up_logs(&reader).map_err(logs)?;
            self.log_is_due = false;
        }
        Ok(())
    }
}
