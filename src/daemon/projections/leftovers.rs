//! Removes what a sudden end left half written.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::daemon::shared::Shared;
use crate::report::{Audience, Reports};
use crate::store::{Reader, StoreError};
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
    after: i64,
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
    for (student, problem) in reader.owners_after(after)? {
        for audience in audiences {
            let folder = reports.student_folder(audience, &student);
            let below = match &problem {
                Some(problem) => reports.attempts_folder(audience, &student, problem),
                None => folder.join("rejected"),
            };
            folders.extend([below, folder]);
        }
    }
    for folder in &folders {
        files::sweep(folder);
    }
    Ok(())
}
