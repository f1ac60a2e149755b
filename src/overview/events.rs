//! What has happened to a course, read from the store's events a page at a time.

use std::collections::{BTreeMap, BTreeSet};

use super::{Changes, Entry, PAGE};
use crate::domain::{ProblemSlug, Student};
use crate::report;
use crate::store::{BoardEvent, Reader, StoreError};

/// A page of the events of the store.
#[derive(Debug)]
pub struct Next {
    pub(super) entries: Vec<Entry>,
    pub(super) hacked: BTreeSet<ProblemSlug>,
    pub(super) rejected: BTreeMap<Option<Student>, usize>,
    pub(super) packages: BTreeSet<ProblemSlug>,
    /// The broken packages, where an event tells of one.
    pub(super) broken: Option<BTreeMap<ProblemSlug, String>>,
    pub(super) reached: i64,
}

impl Next {
    pub(super) fn add_to(&self, changes: &mut Changes) {
        let cells = self.entries.iter();
        let cells = cells.map(|entry| {
            let submission = &entry.submission;
            (submission.student.clone(), submission.problem.clone())
        });
        changes.cells.extend(cells);
        changes.hacked.extend(self.hacked.iter().cloned());
        changes.rejected.extend(self.rejected.keys().cloned());
        changes.packages.extend(self.packages.iter().cloned());
    }

    /// What has happened after an event; none where nothing has.
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
                BoardEvent::Course(json) => match about(&json) {
                    Some(About::Hack(problem)) => drop(next.hacked.insert(problem)),
                    Some(About::Package(problem)) => drop(next.packages.insert(problem)),
                    None => {}
                },
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

/// What an event without a submission is about.
enum About {
    Hack(ProblemSlug),
    Package(ProblemSlug),
}

/// What an event is about; none where another version has written it.
fn about(json: &str) -> Option<About> {
    match report::Entry::from_json(json).ok()? {
        report::Entry::Hack(hack) => ProblemSlug::new(&hack.problem).ok().map(About::Hack),
        report::Entry::Package(package) => {
            ProblemSlug::new(&package.problem).ok().map(About::Package)
        }
        report::Entry::Verdict(_) | report::Entry::Rejection(_) => None,
    }
}

/// The packages that nobody can be judged with, and why.
pub(super) fn broken(reader: &Reader) -> Result<BTreeMap<ProblemSlug, String>, StoreError> {
    let rows = reader.broken_packages()?.into_iter();
    Ok(rows
        .filter_map(|row| Some((row.problem, row.broken?)))
        .collect())
}
