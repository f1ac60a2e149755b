//! The thread's rounds: what is new is read, what is due is written.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::super::message::{Message, Recovered};
use super::super::shared::{LogError, Shared};
use super::exports::{Exports, Renewed};
use super::swept::Swept;
use crate::domain::{Fault, SubmissionId};
use crate::exports::{Course, EXPORTS};
use crate::overview::pages::{Overview, all_of, paths_of, touched_by};
use crate::overview::{Changes, PAUSE, Schedule, Scoreboard};
use crate::report::Reports;
use crate::store::{Reader, StoreError};
use crate::util::sync;

/// What the thread is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    No,
    /// Write what is left, and end.
    Drain,
    /// End as soon as possible; the next start goes on.
    Now,
}

/// After this time it is tried again to read the store.
const RETRY_STORE: Duration = Duration::from_secs(1);
/// How often it is looked whether the course's files were changed.
const LOOK: Duration = Duration::from_secs(1);
/// The name under which the store remembers the last event that all overviews tell of.
pub(super) const OVERVIEWS_MARK: &str = "overviews";
/// The name under which the store remembers how those overviews were made.
pub(super) const MADE_MARK: &str = "overviews made";

/// What is made again when something that it shows has changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Made {
    Page(Overview),
    /// By its place among all of them.
    Export(usize),
}

/// Whether all files of an overview are there. What is in them is not looked at.
fn is_there(overview: &Overview, reports: &Reports) -> bool {
    paths_of(overview, reports).iter().all(|path| path.exists())
}

/// The least time between two writings.
fn pause_of(made: &Made) -> Duration {
    match made {
        Made::Page(_) => PAUSE,
        Made::Export(export) => EXPORTS[*export].pace,
    }
}

/// What could not be written at the last try.
#[derive(Default)]
pub(super) struct Owed {
    pub pages: bool,
    pub overviews: BTreeSet<Made>,
}

pub(super) struct Pages {
    pub shared: Arc<Shared>,
    pub exports: Exports,
    /// What was read of the course at the start, until it is taken in.
    pub first: Option<Renewed>,
    pub messages: mpsc::Sender<Message>,
    pub events: watch::Receiver<i64>,
    pub stop: watch::Receiver<Stop>,
    pub reader: Option<Reader>,
    /// Whether the scoreboard has been read.
    pub is_loaded: bool,
    pub schedule: Schedule<Made>,
    /// Pages that could not be written, by their judgements.
    pub failed: BTreeMap<SubmissionId, i64>,
    /// Overviews that could not be written.
    pub behind: BTreeSet<Made>,
    /// What of both is being tried again and has not been written since.
    pub owed: Owed,
    /// When both are tried again.
    pub retry: Option<Instant>,
    /// When the next batch of pages may begin.
    pub next_batch: Instant,
    /// The last event that the store knows all overviews to tell of.
    pub remarked: i64,
    pub next_remark: Instant,
    /// How they were made, as the store knows it.
    pub made: i64,
    /// Whether overviews were written that may not be on the disk.
    pub is_unsynced: bool,
    pub swept: Swept,
    /// What does not work now.
    pub trouble: Option<Fault>,
    /// Mistakes in the course's files that were found when the dispatcher was gone.
    pub untold: Vec<Fault>,
}

impl Pages {
    pub fn new(
        shared: Arc<Shared>,
        course: watch::Receiver<Arc<Course>>,
        messages: mpsc::Sender<Message>,
        stop: watch::Receiver<Stop>,
    ) -> Self {
        let now = Instant::now();
        let mut exports = Exports::new(course, &shared.reports);
        // Before anything is judged, because a report tells its times on the course's clock.
        let first = exports.renew();
        sync::write(&shared.board).set_grading(Arc::clone(exports.grading()));
        Self {
            events: shared.news.subscribe(),
            exports,
            first,
            shared,
            messages,
            stop,
            reader: None,
            is_loaded: false,
            schedule: Schedule::new(pause_of),
            failed: BTreeMap::new(),
            behind: BTreeSet::new(),
            owed: Owed::default(),
            retry: None,
            next_batch: now,
            remarked: 0,
            next_remark: now,
            made: 0,
            is_unsynced: false,
            swept: Swept::default(),
            trouble: None,
            untold: Vec::new(),
        }
    }

    pub fn run(&mut self, runtime: &Runtime) {
        let mut was_draining = false;
        loop {
            let stop = *self.stop.borrow_and_update();
            // Before the store is read: what comes after this wakes the thread again.
            self.events.mark_unchanged();
            if stop == Stop::Now {
                return;
            }
            let is_draining = stop == Stop::Drain;
            if is_draining && !was_draining {
                was_draining = true;
                self.drain();
            }
            let pause = match self.round(is_draining) {
                Ok(pause) => pause,
                Err(error) => {
                    self.complain(error.into_fault("write the pages"));
                    self.reader = None;
                    (!is_draining).then_some(RETRY_STORE)
                }
            };
            match pause {
                None if is_draining => return,
                Some(Duration::ZERO) => {}
                pause => {
                    if !runtime.block_on(self.wait(pause)) {
                        return;
                    }
                }
            }
        }
    }

    /// What could not be written is tried once more, and what may not have been told by an event is
    /// looked at again.
    fn drain(&mut self) {
        self.retry = self.retry.map(|_| Instant::now());
        self.touch_exports();
    }

    /// Waits for something to do; false when the daemon is gone, which could tell it to stop.
    async fn wait(&mut self, pause: Option<Duration>) -> bool {
        let pause = async {
            match pause {
                Some(pause) => sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        let mut pause = pin!(pause);
        loop {
            // The sender of the events is this thread's too.
            return tokio::select! {
                _ = self.events.changed() => true,
                stop = self.stop.changed() => stop.is_ok(),
                () = self.exports.course_changed() => true,
                () = &mut pause => true,
                () = sleep(LOOK) => {
                    if !self.exports.are_files_changed() {
                        continue;
                    }
                    true
                }
            };
        }
    }

    pub fn must_end(&self) -> bool {
        *self.stop.borrow() == Stop::Now
    }

    /// Does what can be done now; says how long nothing more can be, or that nothing is left.
    fn round(&mut self, is_draining: bool) -> Result<Option<Duration>, LogError> {
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => self.shared.store.reader()?,
        };
        self.try_again();
        self.look_at_the_course();
        self.read_news(&reader)?;
        let pages = self.write_pages(&reader, is_draining)?;
        let overviews = self.write_overviews(&reader, is_draining);
        let feed = self.write_feed(&reader);
        let remark = self.remark(is_draining)?;
        self.look_whether_all_is_written();
        self.reader = Some(reader);
        let retry = self.retry.filter(|_| !is_draining);
        let retry = retry.map(|at| at.saturating_duration_since(Instant::now()));
        Ok([pages, overviews, feed, remark, retry]
            .into_iter()
            .flatten()
            .min())
    }

    /// Says once when nothing is left of what could not be written.
    fn look_whether_all_is_written(&mut self) {
        let fails = !self.failed.is_empty() || !self.behind.is_empty() || self.exports.is_behind;
        let owes = self.owed.pages || !self.owed.overviews.is_empty();
        if !fails && !owes && self.trouble.take().is_some() {
            // Where nobody listens any more, the daemon is ending.
            let _ = self.messages.try_send(Message::Recovered(Recovered::Pages));
        }
    }

    fn try_again(&mut self) {
        if self.retry.is_none_or(|at| Instant::now() < at) {
            return;
        }
        self.retry = None;
        self.owed.pages |= !std::mem::take(&mut self.failed).is_empty();
        self.exports.is_behind = false;
        for overview in std::mem::take(&mut self.behind) {
            self.owed.overviews.insert(overview.clone());
            self.schedule.touch(overview);
        }
    }

    /// Something that every export shows has changed.
    fn touch_exports(&mut self) {
        (0..EXPORTS.len()).for_each(|export| self.schedule.touch(Made::Export(export)));
    }

    fn look_at_the_course(&mut self) {
        let Some(renewed) = self.first.take().or_else(|| self.exports.renew()) else {
            return;
        };
        for fault in renewed.faults {
            // When the dispatcher is gone, the end of this thread tells.
            let told = self
                .messages
                .blocking_send(Message::PagesFault(fault.clone()));
            if told.is_err() && !self.untold.contains(&fault) {
                self.untold.push(fault);
            }
        }
        self.touch_exports();
        if renewed.changes_pages {
            let mut board = sync::write(&self.shared.board);
            // Somebody who is taken off the roster may have no page any more.
            all_of(&board).for_each(|page| self.schedule.touch(Made::Page(page)));
            board.set_directory(Arc::clone(&self.exports.directory));
            board.set_grading(Arc::clone(self.exports.grading()));
            all_of(&board).for_each(|page| self.schedule.touch(Made::Page(page)));
        }
    }

    /// Brings the scoreboard up to the store, and plans the overviews that it changes.
    fn read_news(&mut self, reader: &Reader) -> Result<(), StoreError> {
        if !self.is_loaded {
            self.load(reader)?;
        }
        let board = Arc::clone(&self.shared.board);
        Scoreboard::follow(&board, reader, |changes| self.touch_changed(changes))
    }

    /// Reads the scoreboard, and plans the overviews that the store does not know to be up to date.
    fn load(&mut self, reader: &Reader) -> Result<(), StoreError> {
        let mut board = Scoreboard::load(reader)?;
        board.set_directory(Arc::clone(&self.exports.directory));
        board.set_grading(Arc::clone(self.exports.grading()));
        let mark = reader.mark(OVERVIEWS_MARK)?.unwrap_or(0);
        let made = reader.mark(MADE_MARK)?.unwrap_or(0);
        let is_known = mark > 0 && mark <= board.reached() && made == self.exports.manner();
        let missed = if is_known {
            board.changes_after(reader, mark)?
        } else {
            Changes::default()
        };
        if is_known {
            (self.remarked, self.made) = (mark, made);
        }
        all_of(&board)
            .filter(|overview| !is_known || !is_there(overview, &self.shared.reports))
            .for_each(|overview| self.schedule.touch(Made::Page(overview)));
        *sync::write(&self.shared.board) = board;
        self.is_loaded = true;
        self.touch_changed(missed);
        Ok(())
    }

    /// Plans the overviews that show what has changed.
    fn touch_changed(&mut self, mut changes: Changes) {
        // Whoever waits for a problem reads whether it is being fixed.
        let board = sync::read(&self.shared.board);
        for problem in &changes.packages {
            let waiting = board
                .cells_of(problem)
                .filter(|(_, cell)| cell.is_waiting());
            let waiting = waiting.map(|(student, _)| (student.clone(), problem.clone()));
            changes.cells.extend(waiting);
        }
        drop(board);
        if !changes.cells.is_empty() {
            self.touch_exports();
        }
        for overview in touched_by(&changes) {
            self.schedule.touch(Made::Page(overview));
        }
    }
}
