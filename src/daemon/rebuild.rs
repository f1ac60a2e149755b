//! Writes reports and logs from the store.

use std::sync::Arc;

use super::STAFF_MODE;
use super::shared::{LogError, Shared, log_lines};
use crate::config::Folders;
use crate::domain::SubmissionId;
use crate::exports::{Course, Feed, GRADE_BOOK, RESULTS, Roster, grade_book, results};
use crate::overview::Board;
use crate::overview::pages::{View, all_of, files_of};
use crate::report::{Audience, Document, Report, Reports, log};
use crate::store::{Reader, StoreError};
use crate::util::files::{make_folder_with, replace};

/// Judgements and rejections read from the store at a time.
const PAGE: u32 = 500;

/// Writes the reports of judgements that a sudden end kept from the disk. One that cannot be written holds up no other; the first error is told.
/// `sweep` removes what was left half written: only while nobody else writes.
pub fn write_unreported(shared: &Shared, sweep: bool) -> Result<(), LogError> {
    let reader = shared.store.reader()?;
    let mut failed = Ok(());
    let mut after = SubmissionId(0);
    loop {
        let page = reader.unreported_after(after, PAGE)?;
        let Some(last) = page.last() else {
            return failed;
        };
        after = last.submission;
        for row in &page {
            let written = write_one(shared, &reader, row.submission, sweep);
            failed = failed.and(written);
        }
    }
}

fn write_one(
    shared: &Shared,
    reader: &Reader,
    id: SubmissionId,
    sweep: bool,
) -> Result<(), LogError> {
    let Some((fold, text)) = reader.document(id)? else {
        return Ok(());
    };
    let document = Document::from_json(&text)?;
    if sweep {
        shared.reports.sweep(&document)?;
    }
    let source = source(reader, id)?;
    let report = Report {
        document: &document,
        source: &source,
    };
    // Its page is the pages thread's.
    shared.reports.render(&report)?.write()?;
    shared.store.writer().mark_reported(id, fold)?;
    Ok(())
}

/// The source of a submission.
pub fn source(reader: &Reader, id: SubmissionId) -> Result<Arc<[u8]>, StoreError> {
    let submission = reader.submission(id)?;
    // A judgement is always of a submission in the store, and a submission's source is too.
    Ok(submission.map_or_else(|| Arc::from([]), |submission| submission.source))
}

/// Writes every report, every overview, every export, every note on a rejected file and both logs anew; says how many reports.
pub fn rebuild(
    reader: &Reader,
    folders: &Folders,
    course: &Course,
    roster: &Roster,
) -> Result<usize, LogError> {
    make_folder_with(&folders.staff, STAFF_MODE)?;
    let reports = Reports::new(&folders.reports, &folders.staff);
    let mut written = 0;
    let mut after = SubmissionId(0);
    loop {
        let page = reader.judgements_after(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.submission;
        for row in &page {
            if let Some((_, text)) = reader.document(row.submission)? {
                reports.write(&Report {
                    document: &Document::from_json(&text)?,
                    source: &source(reader, row.submission)?,
                })?;
                written += 1;
            }
        }
    }
    rebuild_overviews(reader, &reports, course, roster)?;
    let mut after = 0;
    loop {
        let page = reader.rejections_after(after, PAGE)?;
        let Some((last, _)) = page.last() else { break };
        after = *last;
        for (_, rejection) in &page {
            reports.write_rejection(rejection)?;
        }
    }
    log::rebuild(&folders.staff, |after| log_lines(reader, after))?;
    Ok(written)
}

fn rebuild_overviews(
    reader: &Reader,
    reports: &Reports,
    course: &Course,
    roster: &Roster,
) -> Result<(), LogError> {
    let board = Board::load(reader)?;
    let view = View {
        board: &board,
        reader,
        reports,
        counts: course.counts,
    };
    for overview in all_of(&board) {
        for (path, text) in files_of(&overview, &view)? {
            replace(&path, text.as_bytes())?;
        }
    }
    let book = grade_book(&board, course, roster)?;
    replace(&reports.course_path(GRADE_BOOK), book.as_bytes())?;
    let results = results(&board, course, reader, &|| false)?;
    replace(&reports.course_path(RESULTS), results.as_bytes())?;
    rebuild_feed(reader, reports, course)
}

fn rebuild_feed(reader: &Reader, reports: &Reports, course: &Course) -> Result<(), LogError> {
    let mut feed = Feed::new(reports.folder(Audience::Staff));
    match std::fs::remove_file(feed.path()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    while feed.catch_up(reader, course)? {}
    Ok(())
}
