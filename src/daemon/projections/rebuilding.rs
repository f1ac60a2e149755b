//! Writes everything that follows the store again, without a daemon: the same projections, each
//! from the first event on. Their cursors stay as the store knows them.

use std::sync::{Arc, RwLock};

use super::Cursor;
use super::exports::write_export;
use super::files::{Files, file_fault, sweep_after};
use super::logs::{LOGS, Logs};
use super::overviews::export_fault;
use super::reports::{NOTES, Notes, reports_and_pages};
use super::results::{HackResults, RESULTS};
use crate::config::Folders;
use crate::domain::{Fault, FaultKind};
use crate::exports::{Course, EXPORTS, Feed};
use crate::overview::pages::{all_of, files_of};
use crate::overview::{Grading, Scoreboard};
use crate::report::{Audience, Reports, log};
use crate::store::Reader;
use crate::util::crash::point;
use crate::util::disk::full_disks;
use crate::util::files::{make_folder_with, remove};
use crate::util::sync::read;

/// The permissions with which `staff/` is made: it tells everything of everybody, so nobody else is
/// let into it. Whoever runs the daemon may widen them, or give the folder another group.
pub const STAFF_MODE: u32 = 0o750;
/// Overviews that are in memory at a time. One order to the file system for all of them costs about
/// as much as one for one file.
const OVERVIEWS_BATCH: usize = 200;

/// Writes every report, every overview, every export, every note on a rejected file, every result
/// of a hack and both logs again; says how many reports.
pub fn rebuild(
    reader: &Reader,
    folders: &Folders,
    course: &Course,
    grading: Grading,
) -> Result<usize, Fault> {
    rebuild_all(reader, folders, course, Arc::new(grading)).map_err(|fault| {
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
    grading: Arc<Grading>,
) -> Result<usize, Fault> {
    make_folder_with(&folders.staff, STAFF_MODE).map_err(failed)?;
    let reports = &Reports::new(&folders.reports, &folders.staff);
    // What an earlier try left half written: meanwhile nobody else writes.
    sweep_after(0, true, reports, reader)?;
    let mut board = Scoreboard::load(reader)?;
    board.set_directory(Arc::new(course.directory(&grading.roster)));
    board.set_grading(grading);
    let board = RwLock::new(board);
    let mut out = Files::anew(reports, &board);
    follow(reports_and_pages(), reader, &mut out)?;
    rebuild_overviews(reader, &read(&board), course, &mut out)?;
    point("overviews rebuilt");
    // Of those without a rejected file there may be no event.
    let students = reader.outstanding_counts()?.into_iter();
    let students = students.filter_map(|(student, _)| student).collect();
    reports.keep_notes_of(&students).map_err(failed)?;
    follow(Cursor::new(NOTES, Notes), reader, &mut out)?;
    let results = HackResults::new(folders.problems.clone(), None);
    follow(Cursor::new(RESULTS, results), reader, &mut out)?;
    point("notes rebuilt");
    let mut logs = Logs::new(reports);
    logs.is_anew = true;
    follow(Cursor::new(LOGS, logs), reader, &mut out)?;
    log::replace(&folders.staff).map_err(failed)?;
    // The notes and the feed too: whoever is told that it is done may rely on it.
    out.sync()?;
    Ok(reader.documents()?)
}

/// Brings a projection from the first event up to the store. Whatever cannot be written holds up
/// nothing else.
fn follow(mut cursor: Cursor, reader: &Reader, out: &mut Files<'_>) -> Result<(), Fault> {
    let until = reader.last_event()?;
    cursor.begin(reader, 0)?;
    let mut first = None;
    loop {
        let (is_more, fault) = cursor.advance(reader, (until, false), out)?;
        first = first.or(fault);
        if !is_more {
            return first.map_or(Ok(()), Err);
        }
    }
}

fn rebuild_overviews(
    reader: &Reader,
    board: &Scoreboard,
    course: &Course,
    out: &mut Files<'_>,
) -> Result<(), Fault> {
    let reports = out.reports;
    let overviews: Vec<_> = all_of(board).collect();
    for batch in overviews.chunks(OVERVIEWS_BATCH) {
        for overview in batch {
            out.put_all(files_of(overview, reports, board, reader)?);
        }
        out.flush()?;
    }
    for export in 0..EXPORTS.len() {
        let written = write_export(export, (board, course), reader, reports, &|| false);
        written.map_err(|error| export_fault(&error))?;
    }
    let mut feed = Feed::new(reports.folder(Audience::Staff));
    remove(feed.path()).map_err(failed)?;
    point("feed removed");
    while feed
        .catch_up(reader, course, board.grading())
        .map_err(|error| export_fault(&error))?
    {}
    Ok(())
}
