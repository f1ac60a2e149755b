//! Removes what a sudden end left half written.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::PAGE;
use crate::daemon::shared::Shared;
use crate::report::{Audience, Reports};
use crate::store::{Event, EventKind, Reader, StoreError};
use crate::util::files;

/// Folders of students that are looked through after a sudden end.
const STUDENTS_MAX: usize = 100_000;

/// Removes half-written files from the folders in which something was to be written. Only before
/// anything is written.
pub fn sweep(shared: &Shared) -> Result<(), StoreError> {
    let reader = shared.store.reader()?;
    let marks = ["reports", "pages", "notes", "overviews"].map(|mark| reader.mark(mark));
    let marks = marks.into_iter().collect::<Result<Vec<_>, _>>()?;
    let first = marks.into_iter().map(Option::unwrap_or_default).min();
    let after = first.unwrap_or_default();
    sweep_after(
        after,
        shared.store.ended_suddenly(),
        &shared.reports,
        &reader,
    )
}

/// The same where something was to be written after an event, or for `everybody`.
pub fn sweep_after(
    mut after: i64,
    everybody: bool,
    reports: &Reports,
    reader: &Reader,
) -> Result<(), StoreError> {
    let audiences = [Audience::Student, Audience::Staff];
    let mut folders: BTreeSet<PathBuf> = audiences
        .iter()
        .flat_map(|audience| {
            let folder = reports.folder(*audience);
            [folder.to_owned(), folder.join("problems")]
        })
        .collect();
    if everybody {
        // An overview may have been due for longer than the events tell.
        let entries = audiences.map(|audience| fs::read_dir(reports.folder(audience)));
        let entries = entries.into_iter().flatten().flatten().flatten();
        folders.extend(entries.take(STUDENTS_MAX).map(|entry| entry.path()));
    }
    loop {
        let events = reader.events_after(after, EventKind::OF_FILES, PAGE)?;
        let Some(last) = events.last() else { break };
        after = last.id;
        for event in &events {
            let entry = event.submission.map(|id| reader.entry(id)).transpose()?;
            let submission = entry.flatten().map(|entry| entry.submission);
            for audience in audiences {
                if let Some(submission) = &submission {
                    let (student, problem) = (&submission.student, &submission.problem);
                    let page = reports.path(audience, student, problem, submission.attempt, "html");
                    folders.extend(page.ancestors().skip(1).take(2).map(PathBuf::from));
                } else if let Some(student) = Event::student(event) {
                    let folder = reports.student_folder(audience, &student);
                    folders.extend([folder.join("rejected"), folder]);
                }
            }
        }
    }
    for folder in &folders {
        files::sweep(folder);
    }
    Ok(())
}
