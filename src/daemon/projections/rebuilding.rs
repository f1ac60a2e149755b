//! Writes everything that follows the store again: the cursors at 0, without a daemon.

use std::path::PathBuf;
use std::sync::Arc;

use super::exports::write_export;
use super::files::file_fault;
use super::logs::line;
use super::reports::current_report;
use super::results;
use crate::config::Folders;
use crate::domain::{Fault, FaultKind, SubmissionId};
use crate::exports::{Course, EXPORTS, ExportError, Feed};
use crate::overview::pages::{all_of, files_of};
use crate::overview::{Grading, Scoreboard};
use crate::report::{Audience, Moment, Report, Reports, log};
use crate::store::{EventKind, Reader};
use crate::util::crash::point;
use crate::util::disk::full_disks;
use crate::util::files::{make_folder_with, remove, sweep};

/// The permissions with which `staff/` is made: it tells everything of everybody, so nobody else is
/// let into it. Whoever runs the daemon may widen them, or give the folder another group.
pub const STAFF_MODE: u32 = 0o750;
/// Judgements or events read from the store at a time.
const PAGE: u32 = 500;
/// Reports that are in memory at a time. One order to the file system for all of them costs about as
/// much as one for one file.
const BATCH: usize = 50;
/// The same of other files.
const FILES_BATCH: usize = 200;

/// Writes every report, every overview, every export, every note on a rejected file, every result
/// of a
/// hack and both logs again; says how many reports.
pub fn rebuild(
    reader: &Reader,
    folders: &Folders,
    course: &Course,
    grading: Grading,
) -> Result<usize, Fault> {
    rebuild_all(reader, folders, course, &Arc::new(grading)).map_err(|fault| {
        let written = [folders.reports.as_path(), folders.staff.as_path()];
        match full_disks(written).filter(|_| fault.kind == FaultKind::NoRoom) {
            Some(full) => Fault::new(
                fault.step,
                format!("{full}; make room there and start again"),
            ),
            None => fault,
        }
    })
}

/// An error of the reports' folders.
fn failed(error: impl std::borrow::Borrow<std::io::Error>) -> Fault {
    file_fault("write the reports", error.borrow())
}

fn rebuild_all(
    reader: &Reader,
    folders: &Folders,
    course: &Course,
    grading: &Arc<Grading>,
) -> Result<usize, Fault> {
    make_folder_with(&folders.staff, STAFF_MODE).map_err(failed)?;
    let reports = Reports::new(&folders.reports, &folders.staff);
    let mut written = 0;
    let mut after = SubmissionId(0);
    loop {
        let page = reader.judgements_after(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.submission;
        for batch in page.chunks(BATCH) {
            let ids = batch.iter().map(|row| row.submission);
            written += rebuild_reports(reader, &reports, grading, ids)?;
            point("reports rebuilt");
        }
    }
    rebuild_overviews(reader, &reports, course, grading)?;
    point("overviews rebuilt");
    let rejected = reader.outstanding_counts()?;
    for (student, _) in &rejected {
        let outstanding = reader.outstanding(student.as_ref())?;
        let (named, more) = (&outstanding.named, outstanding.more);
        let put = reports.put_notes(student.as_ref(), named, more, grading.zone());
        put.map_err(failed)?;
    }
    let students = rejected.into_iter().filter_map(|(student, _)| student);
    reports.keep_notes_of(&students.collect()).map_err(failed)?;
    results::rebuild(reader, &folders.problems, grading.zone())?;
    point("notes rebuilt");
    log::rebuild(&folders.staff, |after| {
        let events = reader.events_after(after, EventKind::OF_LOGS, PAGE);
        let events = events.map_err(std::io::Error::other)?;
        let lines = events.iter().map(line).collect::<Result<Vec<_>, _>>();
        lines.map_err(std::io::Error::other)
    })
    .map_err(failed)?;
    // The notes and the feed too: whoever is told that it is done may rely on it.
    reports.sync().map_err(failed)?;
    Ok(written)
}

/// Writes these reports and says how many there were; a submission without a document has none.
fn rebuild_reports(
    reader: &Reader,
    reports: &Reports,
    grading: &Grading,
    ids: impl Iterator<Item = SubmissionId>,
) -> Result<usize, Fault> {
    let mut files = Vec::new();
    let mut count = 0;
    for id in ids {
        let Some((document, source)) = current_report(reader, id, grading)? else {
            continue;
        };
        let report = Report {
            document: &document,
            source: &source,
        };
        // What an earlier try left half written: meanwhile nobody else writes.
        reports.sweep(&document);
        for moment in [Moment::AtOnce, Moment::Later] {
            files.extend(reports.render(&report, moment));
        }
        count += 1;
    }
    reports.replace_all(&files).map_err(failed)?;
    Ok(count)
}

fn rebuild_overviews(
    reader: &Reader,
    reports: &Reports,
    course: &Course,
    grading: &Arc<Grading>,
) -> Result<(), Fault> {
    let mut board = Scoreboard::load(reader)?;
    board.set_directory(Arc::new(course.directory(&grading.roster)));
    board.set_grading(Arc::clone(grading));
    let mut files = Vec::new();
    for overview in all_of(&board) {
        files.extend(files_of(&overview, reports, &board, reader)?);
        if files.len() >= FILES_BATCH {
            replace_overviews(reports, &mut files)?;
        }
    }
    replace_overviews(reports, &mut files)?;
    let export_fault = |error: ExportError| match error {
        ExportError::File(error) => failed(error),
        ExportError::Store(error) => error.into(),
        other => Fault::new("make an export", other),
    };
    for export in 0..EXPORTS.len() {
        write_export(export, (&board, course), reader, reports, &|| false).map_err(export_fault)?;
    }
    let mut feed = Feed::new(reports.folder(Audience::Staff));
    remove(feed.path()).map_err(failed)?;
    point("feed removed");
    while feed
        .catch_up(reader, course, grading)
        .map_err(export_fault)?
    {}
    Ok(())
}

fn replace_overviews(reports: &Reports, files: &mut Vec<(PathBuf, String)>) -> Result<(), Fault> {
    for folder in files.iter().filter_map(|(path, _)| path.parent()) {
        sweep(folder);
    }
    reports.replace_all(files).map_err(failed)?;
    files.clear();
    Ok(())
}
