//! What other programs read of the course, as the pages thread writes it: each export at its pace,
//! the feed as it grows.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::super::message::Message;
use super::write::guarded;
use super::{Made, Pages, manner};
use crate::domain::Fault;
use crate::exports::{Course, EXPORTS, ExportError, Feed, Material, Roster};
use crate::overview::pages::all_of;
use crate::overview::{Directory, Scoreboard};
use crate::report::{Audience, Reports};
use crate::store::Reader;
use crate::util::files::rewrite;
use crate::util::sync::write;

/// What the exports are made from beside the store, and how far they are.
pub struct Exports {
    /// The course as its instructor has set it up.
    pub course: Arc<Course>,
    updates: watch::Receiver<Arc<Course>>,
    roster: Roster,
    /// What the names of the course mean, which every overview tells.
    pub directory: Arc<Directory>,
    feed: Feed,
    /// Whether the feed could not be written.
    pub is_behind: bool,
}

impl Exports {
    /// Nothing is read yet.
    pub fn new(mut updates: watch::Receiver<Arc<Course>>, reports: &Reports) -> Self {
        // The first look is at what is there now.
        updates.mark_changed();
        let course = Arc::clone(&updates.borrow());
        Self {
            course,
            updates,
            roster: Roster::default(),
            directory: Arc::default(),
            feed: Feed::new(reports.folder(Audience::Staff)),
            is_behind: false,
        }
    }

    /// How overviews are made now, as the store remembers it.
    pub fn manner(&self) -> i64 {
        manner(self.course.counts, &self.directory)
    }

    /// Waits until the course is another one; for ever when the daemon is gone.
    pub async fn course_changed(&mut self) {
        if self.updates.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        // Seen here, looked at in the next round.
        self.updates.mark_changed();
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
            roster: &self.roster,
            reader,
            must_end,
        };
        let path = reports.course_path(export.file.name);
        rewrite(&path, |out| (export.make)(&material, out))
    }
}

impl Pages {
    /// Something that every export shows has changed.
    pub(super) fn touch_exports(&mut self) {
        (0..EXPORTS.len()).for_each(|export| self.schedule.touch(Made::Export(export)));
    }

    /// Takes in what has changed about the course, and reads the roster again. A roster with a
    /// mistake is told, and the one before it stays.
    pub(super) fn look_at_the_course(&mut self) {
        if !self.exports.updates.has_changed().unwrap_or(false) {
            return;
        }
        let fresh = Arc::clone(&self.exports.updates.borrow_and_update());
        let old = std::mem::replace(&mut self.exports.course, fresh);
        match self.exports.course.roster.as_deref().map(Roster::load) {
            None => self.exports.roster = Roster::default(),
            Some(Ok(roster)) => self.exports.roster = roster,
            Some(Err(error)) => {
                tracing::warn!(%error, "roster");
                let fault = Fault::new("read the roster", error);
                // When the dispatcher is gone, nobody needs to hear of it.
                let _ = self.messages.blocking_send(Message::PagesFault(fault));
            }
        }
        self.touch_exports();
        let exports = &mut self.exports;
        let directory = exports.course.directory(&exports.roster);
        let is_renamed = directory != *exports.directory;
        if is_renamed {
            exports.directory = Arc::new(directory);
        }
        if is_renamed || old.counts != self.exports.course.counts {
            let mut board = write(&self.shared.board);
            board.set_directory(Arc::clone(&self.exports.directory));
            all_of(&board).for_each(|page| self.schedule.touch(Made::Page(page)));
        }
    }

    /// Appends to the feed what has happened; says whether there is more.
    pub(super) fn write_feed(&mut self, reader: &Reader) -> Option<Duration> {
        if self.exports.is_behind || self.must_end() {
            return None;
        }
        let exports = &mut self.exports;
        match guarded(|| Ok(exports.feed.catch_up(reader, &exports.course)?)) {
            Ok(true) => Some(Duration::ZERO),
            Ok(false) => None,
            Err(fault) => {
                self.exports.is_behind = true;
                self.try_later(fault);
                None
            }
        }
    }
}
