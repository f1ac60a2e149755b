//! The course as its instructor has set it up: what overviews and exports are made from beside the
//! store.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;

use crate::daemon::grading::GradingFiles;
use crate::daemon::shared::Setup;
use crate::domain::Complaint;
use crate::exports::{Course, EXPORTS, ExportError, Material};
use crate::overview::{Directory, Grading, Scoreboard};
use crate::report::Reports;
use crate::store::Reader;
use crate::util::files::rewrite;
use crate::util::hash::Key;

/// Follows the course's configuration and its files.
pub struct CourseSetup {
    pub course: Arc<Course>,
    in_force: watch::Receiver<Setup>,
    /// Whether the course as it is now was looked at. The sender may be gone by then, because a
    /// daemon that finds nothing to do ends at once.
    is_renewed: bool,
    files: GradingFiles,
    mistakes: Vec<Complaint>,
    /// What the names of the course mean, which every overview tells.
    pub directory: Arc<Directory>,
}

/// What a change of the course means.
pub struct Renewed {
    /// Whether every page may be another one.
    pub changes_pages: bool,
    /// What is to be said about mistakes that have come or gone.
    pub news: Vec<String>,
}

impl CourseSetup {
    /// Nothing is read yet; `before` is what the files said until now.
    pub fn new(in_force: watch::Receiver<Setup>, before: &Arc<Grading>) -> Self {
        let course = in_force.borrow().course();
        let files = GradingFiles::new(course.source.clone(), before);
        Self {
            course,
            in_force,
            is_renewed: false,
            files,
            mistakes: Vec::new(),
            directory: Arc::default(),
        }
    }

    /// How overviews are made, as a number that the store can remember: where it is another one, all
    /// of them may be others.
    pub fn digest(&self) -> i64 {
        let source = &self.course.source;
        let key = Key::new("overviews")
            .part(env!("CARGO_PKG_VERSION").as_bytes())
            .part(&[source.counts as u8, source.unknown_students as u8])
            .part(&self.files.digest().0)
            .part(&self.directory.digest().0);
        let mut start = [0; 8];
        start.copy_from_slice(&key.finish().0[..8]);
        i64::from_le_bytes(start)
    }

    /// Waits until the course is another one; for ever when the daemon is gone.
    pub async fn changed(&mut self) {
        if self.in_force.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.is_renewed = false;
    }

    /// Takes in what has changed about the course, and reads its files again where they have
    /// changed. A mistake in one is told, and what was read before stays.
    pub fn renew(&mut self) -> Option<Renewed> {
        let is_new = !self.is_renewed || self.in_force.has_changed().unwrap_or(false);
        if is_new {
            self.is_renewed = true;
            self.course = self.in_force.borrow_and_update().course();
        }
        if !is_new && !self.are_files_changed() {
            return None;
        }
        let (is_other, mut mistakes) = self.files.renew();
        let unread = mistakes.len();
        mistakes.extend(self.unknown_problems());
        let news = news(&self.mistakes, (&mistakes, unread));
        self.mistakes = mistakes;
        let directory = self.course.directory(&self.grading().roster);
        let is_renamed = directory != *self.directory;
        if is_renamed {
            self.directory = Arc::new(directory);
        }
        let changes_pages = is_renamed || is_other;
        Some(Renewed {
            changes_pages,
            news,
        })
    }

    fn unknown_problems(&self) -> Vec<Complaint> {
        let setup = self.in_force.borrow();
        let packages = &setup.config.folders.problems;
        let terms = &self.grading().rules.terms;
        terms.unknown_problems(&self.course.source.folder, packages, setup.library.keys())
    }

    /// Whether a file of the course is another one than was read.
    pub fn are_files_changed(&self) -> bool {
        self.files.are_changed()
    }

    /// What the instructor says about the course.
    pub fn grading(&self) -> &Arc<Grading> {
        &self.files.grading
    }
}

/// Writes an export, unless it is there as it should be. One that takes long is given up where the
/// daemon must end.
pub fn write_export(
    number: usize,
    (board, course): (&Scoreboard, &Course),
    reader: &Reader,
    reports: &Reports,
    must_end: &dyn Fn() -> bool,
) -> Result<bool, ExportError> {
    let export = &EXPORTS[number];
    let material = Material {
        board,
        course,
        reader,
        must_end,
    };
    let path = reports.course_path(export.file.name);
    rewrite(&path, |out| (export.make)(&material, out))
}

/// What is to be said where these mistakes have come in the place of those. Because of the first
/// ones, their files could not be read.
fn news(before: &[Complaint], (now, unread): (&[Complaint], usize)) -> Vec<String> {
    let new = now.iter().enumerate();
    let new = new.filter(|(_, mistake)| !before.contains(mistake));
    let told = new.map(|(at, mistake)| {
        let line = mistake.in_one_line();
        if at < unread {
            format!("{line}; until this is corrected, what was read of it before holds")
        } else {
            line
        }
    });
    let is_wrong = |one: &Complaint| now.iter().any(|mistake| mistake.file == one.file);
    let right = before.iter().filter(|mistake| !is_wrong(mistake));
    let right: BTreeSet<&Path> = right.map(|mistake| mistake.file.as_path()).collect();
    let corrected = right.iter();
    let corrected = corrected.map(|file| format!("{} is corrected", file.display()));
    told.chain(corrected).collect()
}
