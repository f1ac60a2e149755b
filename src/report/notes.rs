//! The notes on rejected files, for the student and for the staff: brought in line with the store,
//! so that each goes with its file.
//!
//! Nothing here is brought to the disk at once: where a power cut takes a note away, the next start
//! puts it back.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;

use super::places::{AUDIENCES, MORE_NOTE, Reports, rejection_name};
use super::text;
use crate::domain::{Rejection, Student};
use crate::util::files::{is_same, remove, replace_unsynced};

/// Names of a folder of notes that are looked at: more than we ever write. Older versions have left
/// one for each file that ever was.
const NAMES_MAX: usize = 100_000;

impl Reports {
    /// Has exactly these notes lie in a student's folders of notes, or in that of files that are
    /// nobody's.
    pub fn put_notes(
        &self,
        student: Option<&Student>,
        named: &[Rejection],
        more: usize,
        zone: &TimeZone,
    ) -> io::Result<()> {
        let mut notes: BTreeMap<OsString, String> = named
            .iter()
            .map(|one| {
                (
                    rejection_name(one).into(),
                    text::render_rejection(one, zone),
                )
            })
            .collect();
        if more > 0 {
            notes.insert(MORE_NOTE.into(), text::render_more_rejections(more));
        }
        for folder in self.rejection_folders(student) {
            put(&folder, &notes)?;
        }
        Ok(())
    }

    /// Takes the notes away that lie in no folder of these students; what is nobody's is left
    /// alone.
    pub fn keep_notes_of(&self, students: &BTreeSet<Student>) -> io::Result<()> {
        let kept: BTreeSet<PathBuf> = students
            .iter()
            .map(Some)
            .chain([None])
            .flat_map(|student| self.rejection_folders(student))
            .collect();
        for folder in self.all_rejection_folders()? {
            if !kept.contains(&folder) {
                put(&folder, &BTreeMap::new())?;
            }
        }
        Ok(())
    }

    /// Takes away what a student's rejected files have left beside their notes: a page about
    /// nothing, and folders with nothing in them.
    pub fn forget_student(&self, student: &Student) -> io::Result<()> {
        for audience in AUDIENCES {
            let page = self.student_path(audience, student, "index.html");
            remove(&page)?;
            page.parent().into_iter().for_each(remove_if_empty);
        }
        Ok(())
    }
}

/// Has exactly these notes lie in a folder.
fn put(folder: &Path, notes: &BTreeMap<OsString, String>) -> io::Result<()> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        entries => {
            for entry in entries?.take(NAMES_MAX) {
                let entry = entry?;
                if !notes.contains_key(&entry.file_name()) && !entry.file_type()?.is_dir() {
                    remove(&entry.path())?;
                }
            }
        }
    }
    for (name, text) in notes {
        let path = folder.join(name);
        if !is_same(&path, text.as_bytes()) {
            replace_unsynced(&path, text.as_bytes())?;
        }
    }
    if notes.is_empty() {
        remove_if_empty(folder);
        folder.parent().into_iter().for_each(remove_if_empty);
    }
    Ok(())
}

/// Removes a folder where nothing is in it.
fn remove_if_empty(folder: &Path) {
    // Something is in it, or somebody else was quicker.
    let _ = std::fs::remove_dir(folder);
}
