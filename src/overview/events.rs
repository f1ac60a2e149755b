//! What has happened to a course, read from the store's events a page at a time.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{ProblemSlug, Student};
use crate::store::{Entry, EventKind, Reader, StoreError};

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

impl Changes {
    /// Adds others.
    pub fn add(&mut self, others: Self) {
        self.cells.extend(others.cells);
        self.hacked.extend(others.hacked);
        self.rejected.extend(others.rejected);
        self.packages.extend(others.packages);
    }
}

/// A page of the events of the store.
#[derive(Debug, Default)]
pub(super) struct Next {
    pub(super) entries: Vec<Entry>,
    /// All that has changed but for whose attempts, which the entries say.
    pub(super) changes: Changes,
    /// How many rejected files there are now, of those whose are others.
    pub(super) rejected: BTreeMap<Option<Student>, usize>,
    /// The broken packages, where an event tells of one.
    pub(super) broken: Option<BTreeMap<ProblemSlug, String>>,
    pub(super) reached: i64,
}

impl Next {
    /// What has happened after an event; `None` if nothing has.
    pub fn read(reader: &Reader, after: i64) -> Result<Option<Self>, StoreError> {
        let events = reader.events_after(after, EventKind::OF_OVERVIEWS, PAGE)?;
        let Some(last) = events.last() else {
            return Ok(None);
        };
        let mut next = Self {
            reached: last.id,
            ..Self::default()
        };
        let changes = &mut next.changes;
        let mut ids = BTreeSet::new();
        for event in events {
            match event.kind {
                EventKind::Hack => changes.hacked.extend(event.problem()),
                EventKind::Package => changes.packages.extend(event.problem()),
                EventKind::Rejections => drop(changes.rejected.insert(event.student())),
                _ => ids.extend(event.submission),
            }
        }
        if !changes.packages.is_empty() {
            next.broken = Some(broken(reader)?);
        }
        for id in ids {
            next.entries.extend(reader.entry(id)?);
        }
        for student in &changes.rejected {
            let count = reader.outstanding_count(student.as_ref())?;
            next.rejected.insert(student.clone(), count);
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
