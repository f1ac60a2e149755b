//! What other programs read of the course, as the pages thread writes it: each export at its pace,
//! the feed as it grows.

use std::sync::Arc;

use tokio::sync::watch;

use super::super::grading::GradingFiles;
use crate::domain::Fault;
use crate::exports::{Course, EXPORTS, ExportError, Feed, Material};
use crate::overview::{Directory, Grading, Scoreboard};
use crate::report::{Audience, Reports};
use crate::store::Reader;
use crate::util::files::rewrite;
use crate::util::hash::Key;

/// What the exports are made from beside the store, and how far they are.
pub struct Exports {
    /// The course as its instructor has set it up.
    pub course: Arc<Course>,
    updates: watch::Receiver<Arc<Course>>,
    /// Whether what the course is now was taken in. The sender may be gone by then, because a
    /// daemon that finds nothing to do ends at once.
    is_renewed: bool,
    files: GradingFiles,
    /// What the names of the course mean, which every overview tells.
    pub directory: Arc<Directory>,
    feed: Feed,
    /// Whether the feed could not be written.
    pub is_behind: bool,
}

impl Exports {
    /// Nothing is read yet.
    pub fn new(updates: watch::Receiver<Arc<Course>>, reports: &Reports) -> Self {
        let course = Arc::clone(&updates.borrow());
        Self {
            course,
            updates,
            is_renewed: false,
            files: GradingFiles::default(),
            directory: Arc::default(),
            feed: Feed::new(reports.folder(Audience::Staff)),
            is_behind: false,
        }
    }

    /// What overviews are made from beside the store, as a number that the store can remember: where
    /// it is another one, all of them may be others.
    pub fn manner(&self) -> i64 {
        let key = Key::new("overviews")
            .part(env!("CARGO_PKG_VERSION").as_bytes())
            .part(&[self.course.source.counts as u8])
            .part(&self.files.digest().0)
            .part(&self.directory.digest().0);
        let mut start = [0; 8];
        start.copy_from_slice(&key.finish().0[..8]);
        i64::from_le_bytes(start)
    }

    /// Waits until the course is another one; for ever when the daemon is gone.
    pub async fn course_changed(&mut self) {
        if self.updates.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.is_renewed = false;
    }

    /// Writes an export, unless it is there as it should be. One that takes long is given up where
    /// the thread must end.
    pub fn write(
        &self,
        export: usize,
        board: &Scoreboard,
        reader: &Reader,
        reports: &Reports,
        must_end: &dyn Fn() -> bool,
    ) -> Result<bool, ExportError> {
        let export = &EXPORTS[export];
        let material = Material {
            board,
            course: &self.course,
            reader,
            must_end,
        };
        let path = reports.course_path(export.file.name);
        rewrite(&path, |out| (export.make)(&material, out))
    }

    /// Takes in what has changed about the course, and reads its files again where they have
    /// changed. A mistake in one is told, and what was read before stays.
    pub fn renew(&mut self) -> Option<Renewed> {
        let is_new = !self.is_renewed || self.updates.has_changed().unwrap_or(false);
        if is_new {
            self.is_renewed = true;
            self.course = Arc::clone(&self.updates.borrow_and_update());
        }
        if !is_new && !self.are_files_changed() {
            return None;
        }
        let renewal = self.files.renew(&self.course.source);
        let directory = self.course.directory(&self.grading().roster);
        let is_renamed = directory != *self.directory;
        if is_renamed {
            self.directory = Arc::new(directory);
        }
        Some(Renewed {
            changes_pages: is_renamed || renewal.is_other,
            faults: renewal.wrong.into_iter().map(fault).collect(),
        })
    }

    /// Whether a file of the course is another one than was read.
    pub fn are_files_changed(&self) -> bool {
        self.files.are_changed()
    }

    /// What the instructor says about the course.
    pub fn grading(&self) -> &Arc<Grading> {
        &self.files.grading
    }

    /// Appends to the feed what has happened; says whether there is more.
    pub fn write_feed(&mut self, reader: &Reader) -> Result<bool, ExportError> {
        self.feed.catch_up(reader, &self.course)
    }
}

fn fault(reason: String) -> Fault {
    tracing::warn!(%reason, "what is said about the course");
    Fault::new("read what is said about the course", reason)
}

/// What a change of the course means.
pub struct Renewed {
    /// Whether every page may be another one.
    pub changes_pages: bool,
    /// What could not be read.
    pub faults: Vec<Fault>,
}
