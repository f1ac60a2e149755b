//! Files on their way to the disk, and those that a sudden end left half written.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};

use crate::daemon::health::UNWRITABLE;
use crate::daemon::shared::Shared;
use crate::domain::{Fault, FaultKind, Shortage};
use crate::overview::{Grading, Scoreboard};
use crate::report::{Audience, Reports};
use crate::store::{Reader, StoreError};
use crate::util::crash::point;
use crate::util::files::{self, is_no_room, is_same, is_unwritable, replace, replace_unsynced};
use crate::util::sync::read;

/// Files that are brought to the disk one by one. For more of them one order to the file system is
/// quicker, though it may have to wait for what other programs have written there.
const SYNCED_EACH_MAX: usize = 4;

/// Files of the reports' and the staff's folder that are to be written. Each replaces the one before
/// it in one step; one that has its text already stays as it is.
pub struct Files<'a> {
    pub reports: &'a Reports,
    /// It knows what the instructor says about the course.
    board: &'a RwLock<Scoreboard>,
    waiting: Vec<(PathBuf, String)>,
    /// Whether files were written that may not be on the disk.
    pub is_unsynced: bool,
    /// Whether all are written anew, and each is on the disk before it takes its name: for a process
    /// that leaves no cursor behind, nobody would write a torn file again.
    is_anew: bool,
}

impl<'a> Files<'a> {
    pub fn new(reports: &'a Reports, board: &'a RwLock<Scoreboard>) -> Self {
        Self {
            reports,
            board,
            waiting: Vec::new(),
            is_unsynced: false,
            is_anew: false,
        }
    }

    /// For a rebuild, in which all are written anew.
    pub fn anew(reports: &'a Reports, board: &'a RwLock<Scoreboard>) -> Self {
        Self {
            is_anew: true,
            ..Self::new(reports, board)
        }
    }

    /// What the instructor says about the course now.
    pub fn grading(&self) -> Arc<Grading> {
        Arc::clone(read(self.board).grading())
    }

    /// These files are to have these texts.
    pub fn put_all(&mut self, files: impl IntoIterator<Item = (PathBuf, String)>) {
        self.waiting.extend(files);
    }

    /// Something was written or removed in these folders by other means.
    pub fn note_written(&mut self) {
        self.is_unsynced = true;
    }

    /// Forgets what is not written yet.
    pub fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Writes what waits, and brings everything that was written to the disk.
    pub fn flush(&mut self) -> Result<(), Fault> {
        if self.is_anew {
            let files = std::mem::take(&mut self.waiting);
            if files.is_empty() {
                return Ok(());
            }
            let replaced = self.reports.replace_all(&files);
            return replaced.map_err(|error| file_fault("write the reports", &error));
        }
        self.waiting.retain(|(path, text)| !has(path, text));
        if self.waiting.len() <= SYNCED_EACH_MAX && !self.is_unsynced {
            return self.write_each(replace).map(drop);
        }
        self.write_each(replace_unsynced)?;
        self.sync()
    }

    /// Writes what waits; says how many files. They may not be on the disk yet.
    pub fn write(&mut self) -> Result<usize, Fault> {
        self.waiting.retain(|(path, text)| !has(path, text));
        let written = self.write_each(replace_unsynced)?;
        self.is_unsynced |= written > 0;
        Ok(written)
    }

    /// Brings everything that was written to the disk.
    pub fn sync(&mut self) -> Result<(), Fault> {
        let synced = self.reports.sync();
        synced.map_err(|error| file_fault("bring files to the disk", &error))?;
        self.is_unsynced = false;
        Ok(())
    }

    fn write_each(
        &mut self,
        write: fn(&Path, &[u8]) -> std::io::Result<()>,
    ) -> Result<usize, Fault> {
        let files = std::mem::take(&mut self.waiting);
        for (path, text) in &files {
            let written = write(path, text.as_bytes());
            written.map_err(|error| match file_fault("write the report", &error) {
                full if full.kind == FaultKind::NoRoom => full,
                fault => Fault {
                    step: format!("write {}", path.display()),
                    ..fault
                },
            })?;
            point("one format written");
        }
        Ok(files.len())
    }
}

fn has(path: &Path, text: &str) -> bool {
    is_same(path, text.as_bytes())
}

/// What an error of the reports folder means for a piece of work.
pub fn file_fault(step: &str, error: &std::io::Error) -> Fault {
    if is_no_room(error) {
        // Without the file's name: whoever tells of it looks which disk is full, and says it once.
        let reason = "the disk of the reports or of the staff's files is full";
        return Fault::new(step, reason).of_kind(FaultKind::NoRoom);
    }
    if is_unwritable(error) {
        return Fault::new(step, format!("{UNWRITABLE}: {error}")).of_kind(FaultKind::NoRoom);
    }
    let short = Shortage::of(error);
    Fault::new(step, error).short_of(short)
}

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
