//! Writes reports and logs from the store.

use std::path::PathBuf;
use std::sync::Arc;

use super::shared::{Entries, LogError, Shared, log_lines};
use crate::config::Folders;
use crate::domain::SubmissionId;
use crate::exports::{Course, EXPORTS, Feed, Material};
use crate::overview::pages::{all_of, files_of};
use crate::overview::{Grading, Scoreboard};
use crate::report::{Audience, Document, Report, Reports, log};
use crate::store::{Reader, StoreError};
use crate::util::crash::point;
use crate::util::files::{make_folder_with, remove, rewrite, sweep};

/// The permissions with which `staff/` is made: it tells everything of everybody, so nobody else is
/// let into it. Whoever runs the daemon may widen them, or give the folder another group.
pub const STAFF_MODE: u32 = 0o750;
/// Judgements read from the store at a time.
const PAGE: u32 = 500;
/// Reports that are in memory at a time while all are rebuilt. One `syncfs` for all of them costs
/// about
/// as much as an `fsync` of one file.
const BATCH: usize = 50;
/// The same of other files.
const FILES_BATCH: usize = 200;

/// Writes the reports of judgements that a sudden end kept from the disk. One that cannot be
/// written holds up no other; the first error is told.
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
    Ok(submission.map_or_else(|| Arc::from([]), |(_, source)| source.bytes))
}

/// Writes every report, every overview, every export, every note on a rejected file and both logs
/// anew; says how many reports.
pub fn rebuild(
    reader: &Reader,
    folders: &Folders,
    course: &Course,
    grading: Grading,
) -> Result<usize, LogError> {
    rebuild_all(reader, folders, course, grading).map_err(|error| error.of_start(folders))
}

fn rebuild_all(
    reader: &Reader,
    folders: &Folders,
    course: &Course,
    grading: Grading,
) -> Result<usize, LogError> {
    make_folder_with(&folders.staff, STAFF_MODE)?;
    let reports = Reports::new(&folders.reports, &folders.staff);
    let mut written = 0;
    let mut after = SubmissionId(0);
    loop {
        let page = reader.judgements_after(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.submission;
        for batch in page.chunks(BATCH) {
            let ids = batch.iter().map(|row| row.submission);
            written += rebuild_reports(reader, &reports, &grading, ids)?;
            point("reports rebuilt");
        }
    }
    let zone = grading.zone().clone();
    rebuild_overviews(reader, &reports, course, grading)?;
    point("overviews rebuilt");
    let rejected = reader.outstanding_counts()?;
    for (student, _) in &rejected {
        let outstanding = reader.outstanding(student.as_ref())?;
        reports.put_notes(
            student.as_ref(),
            &outstanding.named,
            outstanding.more,
            &zone,
        )?;
    }
    reports.keep_notes_of(
        &rejected
            .into_iter()
            .filter_map(|(student, _)| student)
            .collect(),
    )?;
    point("notes rebuilt");
    log::rebuild(&folders.staff, |after| {
        log_lines(reader, after, &Entries::new())
    })?;
    // Whoever is told that it is done may rely on it, so the notes and the feed are brought there
    // too.
    reports.sync()?;
    Ok(written)
}

/// Writes these reports and says how many there were; a submission without a judgement has none.
fn rebuild_reports(
    reader: &Reader,
    reports: &Reports,
    grading: &Grading,
    ids: impl Iterator<Item = SubmissionId>,
) -> Result<usize, LogError> {
    let mut files = Vec::new();
    let mut count = 0;
    for id in ids {
        let Some((_, text)) = reader.document(id)? else {
            continue;
        };
        let mut document = Document::from_json(&text)?;
        // The course's clock as it is now, not as it was when the verdict was reached.
        document.time_zone = grading.zone_name();
        let source = source(reader, id)?;
        let report = Report {
            document: &document,
            source: &source,
        };
        // What an earlier try left half written: while reports are written anew, nobody else
        // writes.
        reports.sweep(&document)?;
        files.extend(reports.render(&report)?.into_files());
        files.extend(reports.render_late(&report)?.into_files());
        count += 1;
    }
    reports.replace_all(&files)?;
    Ok(count)
}

fn rebuild_overviews(
    reader: &Reader,
    reports: &Reports,
    course: &Course,
    grading: Grading,
) -> Result<(), LogError> {
    let mut board = Scoreboard::load(reader)?;
    board.set_directory(Arc::new(course.directory(&grading.roster)));
    let grading = Arc::new(grading);
    board.set_grading(Arc::clone(&grading));
    let mut files = Vec::new();
    for overview in all_of(&board) {
        files.extend(files_of(&overview, reports, &board, reader)?);
        if files.len() >= FILES_BATCH {
            replace_overviews(reports, &mut files)?;
        }
    }
    replace_overviews(reports, &mut files)?;
    let material = Material {
        board: &board,
        course,
        reader,
        must_end: &|| false,
    };
    for export in EXPORTS {
        let path = reports.course_path(export.file.name);
        rewrite(&path, |out| (export.make)(&material, out))?;
    }
    rebuild_feed(reader, reports, course, &grading)
}

fn replace_overviews(
    reports: &Reports,
    files: &mut Vec<(PathBuf, String)>,
) -> Result<(), LogError> {
    for folder in files.iter().filter_map(|(path, _)| path.parent()) {
        sweep(folder);
    }
    reports.replace_all(files)?;
    files.clear();
    Ok(())
}

fn rebuild_feed(
    reader: &Reader,
    reports: &Reports,
    course: &Course,
    grading: &Arc<Grading>,
) -> Result<(), LogError> {
    let mut feed = Feed::new(reports.folder(Audience::Staff));
    remove(feed.path())?;
    point("feed removed");
    while feed.catch_up(reader, course, grading)? {}
    Ok(())
}
