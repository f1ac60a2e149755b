//! What has happened to a course, read from the store's events a page at a time.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{ProblemSlug, Student};
use crate::store::{BoardEvent, Entry, Reader, StoreError};

/// Rows and events read from the store at a time.
pub(super) const PAGE: u32 = 1_000;

/// What has changed on a scoreboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whose attempts for which problem.
    pub cells: BTreeSet<(Student, ProblemSlug)>,
    /// Problems of which a hack has joined, was judged or was taken back.
    pub hacked: BTreeSet<ProblemSlug>,
    /// Whose rejected files are others; `None` for those that are nobody's.
    pub rejected: BTreeSet<Option<Student>>,
    /// Problems whose packages are broken, or are not any more.
    pub packages: BTreeSet<ProblemSlug>,
}

/// A page of the events of the store.
#[derive(Debug)]
pub(super) struct Next {
    pub(super) entries: Vec<Entry>,
    pub(super) hacked: BTreeSet<ProblemSlug>,
    pub(super) rejected: BTreeMap<Option<Student>, usize>,
    pub(super) packages: BTreeSet<ProblemSlug>,
    /// The broken packages, where an event tells of one.
    pub(super) broken: Option<BTreeMap<ProblemSlug, String>>,
    pub(super) reached: i64,
}

impl Next {
    /// Adds all but whose attempts have changed.
    pub(super) fn add_to(&self, changes: &mut Changes) {
        changes.hacked.extend(self.hacked.iter().cloned());
        changes.rejected.extend(self.rejected.keys().cloned());
        changes.packages.extend(self.packages.iter().cloned());
    }

    /// What has happened after an event; `None` if nothing has.
    pub fn read(reader: &Reader, after: i64) -> Result<Option<Self>, StoreError> {
        let events = reader.board_events_after(after, PAGE)?;
        let Some((reached, _)) = events.last() else {
            return Ok(None);
        };
        let mut next = Self {
            entries: Vec::new(),
            hacked: BTreeSet::new(),
            rejected: BTreeMap::new(),
            packages: BTreeSet::new(),
            broken: None,
            reached: *reached,
        };
        let mut ids = BTreeSet::new();
        for (_, event) in events {
            match event {
                BoardEvent::Submission(id) => {
                    ids.insert(id);
                }
                BoardEvent::Hack(problem) => drop(next.hacked.insert(problem)),
                BoardEvent::Package(problem) => drop(next.packages.insert(problem)),
                BoardEvent::Rejections(student) => {
                    next.rejected.insert(student, 0);
                }
                BoardEvent::Nothing => {}
            }
        }
        if !next.packages.is_empty() {
            next.broken = Some(broken(reader)?);
        }
        for id in ids {
            next.entries.extend(reader.entry(id)?);
        }
        for (student, count) in &mut next.rejected {
            *count = reader.outstanding_count(student.as_ref())?;
        }
        Ok(Some(next))
    }
}

/// The packages that nobody can be judged with, and why.
pub(super) fn broken(reader: &Reader) -> Result<BTreeMap<ProblemSlug, String>, StoreError> {
    let rows = reader.broken_packages()?.into_iter();
    Ok(rows
        .filter_map(|row| Some((row.problem, row.broken?)))
        .collect())
}
