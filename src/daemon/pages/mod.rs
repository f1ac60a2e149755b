//! The pages thread: writes what follows a verdict (pages, the staff's files, what other systems
//! read) and the overviews.
//!
//! No verdict waits for it. What it has to do it reads from the store, so a sudden end leaves work
//! to do and never a page that is missing.
//! What it has read it holds as the scoreboard, for everybody to look at.

mod exports;
mod handle;
mod swept;
mod thread;
mod write;

use super::shared::Shared;
use crate::report::Audience;
use crate::store::{Entry, Reader, StoreError};
use crate::util::files;
pub use handle::PagesHandle;

/// Judgements in whose folders a sudden end may have left half a file, as many as are looked at.
const SWEPT_MAX: u32 = 10_000;

/// Removes what a sudden end left half written where pages were being written. Only while nobody
/// else writes.
pub fn sweep(shared: &Shared, reader: &Reader) -> Result<(), StoreError> {
    for due in reader.pages_due(SWEPT_MAX)? {
        let Some(Entry { submission, .. }) = reader.entry(due.submission)? else {
            continue;
        };
        for audience in [Audience::Student, Audience::Staff] {
            let reports = &shared.reports;
            let page = reports.path(
                audience,
                &submission.student,
                &submission.problem,
                submission.attempt,
                "html",
            );
            page.parent().into_iter().for_each(files::sweep);
        }
    }
    Ok(())
}
