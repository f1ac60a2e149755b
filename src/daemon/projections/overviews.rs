//! The overviews of the course, what other programs read of it, and its event feed. What the store
//! tells of the course is held as the scoreboard, which others look at too.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;

use super::MAKE;
use super::exports::{CourseSetup, Renewed, write_export};
use super::files::{Files, file_fault};
use crate::course::Rules;
use crate::daemon::notice::Notice;
use crate::daemon::shared::{Setup, Shared};
use crate::domain::{Fault, SubmissionId};
use crate::exports::{EXPORTS, ExportError, Feed};
use crate::overview::pages::{Overview, all_of, files_of, is_gone, paths_of, touched_by};
use crate::overview::{Changes, PAUSE, Schedule, Scoreboard};
use crate::report::Audience;
use crate::store::Reader;
use crate::util::clock::{now_ms, thread_cpu};
use crate::util::crash::point;
use crate::util::sync::{read, write};

/// The names under which the store remembers the last event that all overviews tell of, and how they
/// were made.
const MARK: &str = "overviews";
const MADE_MARK: &str = "overviews made";
/// How often it is looked whether the course's files were changed.
const LOOK: Duration = Duration::from_secs(1);
/// How often it is looked whether a deadline is over.
const DEADLINES_LOOK: Duration = Duration::from_mins(1);
/// The least time between two marks in the store that all overviews are there: each brings them to
/// the disk.
const MARK_PAUSE: Duration = Duration::from_secs(10);
/// Submissions read from the store at a time.
const PAGE: u32 = 1_000;

/// What is made again when something that it shows has changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Made {
    Page(Overview),
    /// By its place among all of them.
    Export(usize),
}

fn pause_of(made: &Made) -> Duration {
    match made {
        Made::Page(_) => PAUSE,
        Made::Export(export) => EXPORTS[*export].pace,
    }
}

/// The overviews, exports and the feed.
pub struct Overviews {
    shared: Arc<Shared>,
    setup: CourseSetup,
    /// What was read of the course at the start, until it is taken in.
    first: Option<Renewed>,
    notices: mpsc::Sender<Notice>,
    feed: Feed,
    /// Whether the scoreboard has been read.
    is_loaded: bool,
    schedule: Schedule<Made>,
    /// What could not be written, until it is.
    behind: BTreeSet<Made>,
    is_feed_behind: bool,
    /// The last event and the digest of the setup, as the store knows them.
    marked: (i64, i64),
    next_mark: Instant,
    /// The rules and the moment by which it was decided last what students see after a deadline.
    decided: Option<(Arc<Rules>, i64)>,
    next_deadlines: Instant,
}

/// How a round is to be done.
pub struct Pace<'a> {
    /// Whether everything is to be written without a rest.
    pub is_draining: bool,
    /// Whether what has failed is tried again.
    pub again: bool,
    /// Whether to end as soon as possible; the next start goes on.
    pub must_end: &'a dyn Fn() -> bool,
}

impl Overviews {
    pub fn new(
        shared: &Arc<Shared>,
        in_force: watch::Receiver<Setup>,
        notices: mpsc::Sender<Notice>,
    ) -> Self {
        let mut setup = CourseSetup::new(in_force, &shared.grading);
        // Before anything is judged, because a report tells its times on the course's clock.
        let first = setup.renew();
        write(&shared.board).set_grading(Arc::clone(setup.grading()));
        Self {
            setup,
            first,
            notices,
            feed: Feed::new(shared.reports.folder(Audience::Staff)),
            shared: Arc::clone(shared),
            is_loaded: false,
            schedule: Schedule::new(pause_of),
            behind: BTreeSet::new(),
            is_feed_behind: false,
            marked: (0, 0),
            next_mark: Instant::now(),
            decided: None,
            next_deadlines: Instant::now(),
        }
    }

    /// Waits until something about the course has changed that no event tells.
    pub async fn changed(&mut self) {
        loop {
            tokio::select! {
                () = self.setup.changed() => return,
                () = sleep(LOOK) => if self.setup.are_files_changed() {
                    return;
                },
            }
        }
    }

    /// Whether something could not be written.
    pub fn is_failing(&self) -> bool {
        self.is_feed_behind || !self.behind.is_empty()
    }

    /// Something that every export shows has changed, or may have.
    pub fn touch_exports(&mut self) {
        (0..EXPORTS.len()).for_each(|export| self.schedule.touch(Made::Export(export)));
    }

    /// Writes what can be written now; says how long nothing more can be. The first thing that could
    /// not be done is returned beside it.
    pub fn round(
        &mut self,
        reader: &Reader,
        out: &mut Files<'_>,
        pace: &Pace<'_>,
    ) -> (Option<Duration>, Option<Fault>) {
        if pace.again {
            self.is_feed_behind = false;
            let behind = self.behind.iter().cloned();
            behind.for_each(|made| self.schedule.touch(made));
        }
        let (pages, first) = self.write_due(reader, out, pace);
        let (feed, second) = self.write_feed(reader, pace);
        let (mark, third) = match self.mark(out, pace.is_draining) {
            Ok(pause) => (pause, None),
            Err(fault) => (None, Some(fault)),
        };
        let pause = [pages, feed, mark].into_iter().flatten().min();
        (pause, first.or(second).or(third))
    }

    /// Takes in what has changed, so that the scoreboard is up to the store.
    pub fn look(&mut self, reader: &Reader) -> Result<(), Fault> {
        self.take_in_the_course();
        self.follow(reader)
    }

    fn take_in_the_course(&mut self) {
        let renewed = self.first.take().or_else(|| self.setup.renew());
        let Some(renewed) = renewed else {
            return;
        };
        for line in renewed.news {
            // Where nobody listens any more, the daemon is ending at once.
            let _ = self.notices.blocking_send(Notice::Said(line));
        }
        self.touch_exports();
        if renewed.changes_pages {
            self.next_deadlines = Instant::now();
            let mut board = write(&self.shared.board);
            // Somebody who is taken off the roster may have no page any more.
            all_of(&board).for_each(|page| self.schedule.touch(Made::Page(page)));
            board.set_directory(Arc::clone(&self.setup.directory));
            board.set_grading(Arc::clone(self.setup.grading()));
            all_of(&board).for_each(|page| self.schedule.touch(Made::Page(page)));
        }
    }

    /// Brings the scoreboard up to the store, and plans the overviews that it changes.
    fn follow(&mut self, reader: &Reader) -> Result<(), Fault> {
        if !self.is_loaded {
            self.load(reader)?;
        }
        if self.next_deadlines <= Instant::now() {
            self.pass_deadlines(reader)?;
            self.next_deadlines = Instant::now() + DEADLINES_LOOK;
        }
        let board = Arc::clone(&self.shared.board);
        // What a page of events has changed is planned before the next one is read: a failure loses
        // nothing that the scoreboard shows.
        Scoreboard::follow(&board, reader, |changes| self.touch_changed(changes))?;
        Ok(())
    }

    /// Reads the scoreboard, and plans the overviews that the store does not know to be up to date.
    fn load(&mut self, reader: &Reader) -> Result<(), Fault> {
        let mut board = Scoreboard::load(reader)?;
        board.set_directory(Arc::clone(&self.setup.directory));
        board.set_grading(Arc::clone(self.setup.grading()));
        let reached = reader.mark(MARK)?.unwrap_or(0);
        let made = reader.mark(MADE_MARK)?.unwrap_or(0);
        let is_known = reached > 0 && reached <= board.reached() && made == self.setup.digest();
        let missed = if is_known {
            self.marked = (reached, made);
            board.changes_after(reader, reached)?
        } else {
            Changes::default()
        };
        let reports = &self.shared.reports;
        let is_there = |made: &Overview| paths_of(made, reports).iter().all(|path| path.exists());
        all_of(&board)
            .filter(|overview| !is_known || !is_there(overview))
            .for_each(|overview| self.schedule.touch(Made::Page(overview)));
        *write(&self.shared.board) = board;
        if is_known {
            let before = reader.mark(crate::store::DEADLINES_MARK)?.unwrap_or(0);
            self.decided = Some((Arc::clone(&self.setup.grading().rules), before));
        }
        self.is_loaded = true;
        self.touch_changed(missed);
        Ok(())
    }

    /// Plans the overviews that show what has changed.
    fn touch_changed(&mut self, mut changes: Changes) {
        // Students who wait for a problem read whether it is being repaired.
        let board = read(&self.shared.board);
        for problem in &changes.packages {
            let cells = board.cells_of(problem);
            let waiting = cells.filter(|(_, cell)| cell.is_waiting());
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

    /// Has those reports written again in which something is shown only after the deadline, where
    /// that is over since the last look, or is not any more: because of the time, or because
    /// course.toml or an extension says so.
    fn pass_deadlines(&mut self, reader: &Reader) -> Result<(), Fault> {
        let at = now_ms();
        let rules = Arc::clone(&self.setup.grading().rules);
        let moment = |ms| Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MIN);
        let decided = self.decided.clone();
        let was_over = |submission: &crate::domain::Submission| {
            decided.as_ref().is_some_and(|(rules, at)| {
                let window = rules.window(&submission.student, &submission.problem);
                window.is_over(moment(*at))
            })
        };
        let mut passed = Vec::new();
        let mut after = SubmissionId(0);
        loop {
            let page = reader.explained_after(after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            for submission in &page {
                let window = rules.window(&submission.student, &submission.problem);
                if window.is_over(moment(at)) != was_over(submission) {
                    passed.push(submission.id);
                }
            }
        }
        if !passed.is_empty() {
            self.shared.store.writer().tell_deadlines(passed, at)?;
            self.shared.tell_news(0);
        }
        self.decided = Some((rules, at));
        Ok(())
    }

    /// Writes the overviews whose turn it is; says when the next one's is.
    fn write_due(
        &mut self,
        reader: &Reader,
        out: &mut Files<'_>,
        pace: &Pace<'_>,
    ) -> (Option<Duration>, Option<Fault>) {
        let mut first = None;
        while !(pace.must_end)() {
            let now = Instant::now();
            let next = if pace.is_draining {
                self.schedule.next_at_once()
            } else {
                self.schedule.next(now)
            };
            let Some(made) = next else {
                return (self.schedule.pause(now), first);
            };
            let begun = thread_cpu();
            match self.write_one(&made, reader, out, pace) {
                Ok(files) => {
                    self.behind.remove(&made);
                    if files > 0 {
                        tracing::info!(files, "overview written");
                        point("overview written");
                    }
                }
                // It stays due, and the next start makes it.
                Err(_) if (pace.must_end)() => break,
                Err(fault) => {
                    out.clear();
                    self.behind.insert(made.clone());
                    first.get_or_insert(fault);
                }
            }
            let took = thread_cpu().saturating_sub(begun);
            self.schedule.done(made, Instant::now(), took);
        }
        (None, first)
    }

    /// Writes what is not what it should be; says how many files.
    fn write_one(
        &self,
        made: &Made,
        reader: &Reader,
        out: &mut Files<'_>,
        pace: &Pace<'_>,
    ) -> Result<usize, Fault> {
        let reports = &self.shared.reports;
        match made {
            Made::Export(export) => {
                let written = Fault::caught(MAKE, || {
                    let board = read(&self.shared.board);
                    let course = (&*board, &*self.setup.course);
                    write_export(*export, course, reader, reports, pace.must_end)
                        .map_err(|error| export_fault(&error))
                })?;
                if written {
                    out.note_written();
                }
                Ok(usize::from(written))
            }
            Made::Page(overview) => {
                let files = Fault::caught(MAKE, || {
                    let board = read(&self.shared.board);
                    Ok(files_of(overview, reports, &board, reader)?)
                })?;
                if let Overview::Student(student) = overview
                    && is_gone(&read(&self.shared.board), student)
                {
                    let forgotten = reports.forget_student(student);
                    forgotten.map_err(|error| file_fault("remove an overview", &error))?;
                }
                out.put_all(files);
                out.write()
            }
        }
    }

    /// Appends to the feed what has happened; says when there is more.
    fn write_feed(
        &mut self,
        reader: &Reader,
        pace: &Pace<'_>,
    ) -> (Option<Duration>, Option<Fault>) {
        if self.is_feed_behind || (pace.must_end)() {
            return (None, None);
        }
        let (course, grading) = (&self.setup.course, self.setup.grading());
        let appended = Fault::caught(MAKE, || {
            let appended = self.feed.catch_up(reader, course, grading);
            appended.map_err(|error| export_fault(&error))
        });
        match appended {
            Ok(is_more) => (is_more.then_some(Duration::ZERO), None),
            Err(fault) => {
                self.is_feed_behind = true;
                (None, Some(fault))
            }
        }
    }

    /// Has the store know how far the overviews are, from time to time; says when the next time is.
    fn mark(&mut self, out: &mut Files<'_>, is_draining: bool) -> Result<Option<Duration>, Fault> {
        let now = (read(&self.shared.board).reached(), self.setup.digest());
        if !self.schedule.is_empty() || !self.behind.is_empty() || now == self.marked {
            return Ok(None);
        }
        let pause = self.next_mark.saturating_duration_since(Instant::now());
        if !is_draining && !pause.is_zero() {
            return Ok(Some(pause));
        }
        if out.is_unsynced {
            out.sync()?;
        }
        let marks = vec![(MADE_MARK, now.1), (MARK, now.0)];
        self.shared.store.writer().set_marks(marks)?;
        point("overviews marked");
        self.marked = now;
        self.next_mark = Instant::now() + MARK_PAUSE;
        Ok(None)
    }
}

/// What it means for a piece of work that an export could not be made.
pub fn export_fault(error: &ExportError) -> Fault {
    match error {
        ExportError::File(error) => file_fault("write an overview", error),
        ExportError::Store(error) => error.clone().into(),
        other => Fault::new(MAKE, other),
    }
}
