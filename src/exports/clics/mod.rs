//! `event-feed.ndjson`: everything that has happened, for scoreboards and other tools that know the
//! CLICS specifications.
//!
//! The feed follows the store, as the logs do. What happens with one event of the store is told in
//! one group of lines,
//! and the last of them has the event's number as its token: so the file itself says how far it has
//! come,
//! and after a crash lines behind the last token are dropped and told again. What it tells twice is
//! the same,
//! but for a judgement that was replaced before it was told again: its runs and times are not known
//! any more.
//!
//! A changed verdict is a new judgement, and the one before it is not current any more.

mod file;
mod tell;
mod words;

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{Course, CourseFile, ExportError};
use crate::domain::ProblemSlug;
use crate::overview::Grading;
use crate::report::Follower;
use crate::store::{EventKind, Reader};
use crate::util::crash::point;
use crate::util::files::put_aside;
use file::{Published, Whole};

/// It grows by itself.
pub(super) const FILE: CourseFile = CourseFile {
    name: "event-feed.ndjson",
    title: "CLICS event feed",
    content_type: "application/x-ndjson",
};
/// Events read from the store at a time.
const EVENTS: u32 = 200;

/// The feed, open for appending.
#[derive(Debug)]
pub struct Feed {
    // Nothing waits for the disk: what a power cut takes away is told again.
    file: Follower,
    published: Published,
    /// The last event that was looked at; some have nothing to tell.
    looked: i64,
    /// The course as it was told last, and what is said about it.
    course: Option<(Course, Arc<Grading>)>,
}

impl Feed {
    /// The feed of this folder. Nothing is read before there is something to tell.
    pub fn new(folder: &Path) -> Self {
        Self {
            file: Follower::new(folder.join(FILE.name), false),
            published: Published::default(),
            looked: 0,
            course: None,
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Appends what the store has and the feed has not, a page of it; says whether there may be
    /// more.
    pub fn catch_up(
        &mut self,
        reader: &Reader,
        course: &Course,
        grading: &Arc<Grading>,
    ) -> Result<bool, ExportError> {
        let more = self.append(reader, course, grading);
        if more.is_err() {
            // What was told is known from the file alone.
            self.file.close();
        }
        more
    }

    fn append(
        &mut self,
        reader: &Reader,
        course: &Course,
        grading: &Arc<Grading>,
    ) -> Result<bool, ExportError> {
        if self.file.is_lost()? {
            self.open(reader.last_event()?)?;
        }
        let is_same = |(told, by): &(Course, _)| told == course && Arc::ptr_eq(by, grading);
        if !self.course.as_ref().is_some_and(is_same) {
            self.course = Some((course.clone(), Arc::clone(grading)));
            self.published.has_course = false;
        }
        let events = reader.feed_events_after(self.looked, EVENTS)?;
        let mut text = String::new();
        for event in &events {
            // A verdict is of a problem that had opened.
            let is_received = event.kind == EventKind::Received;
            if is_received && grading.hides(&event.submission.problem) {
                continue;
            }
            let hides = |problem: &ProblemSlug| grading.hides(problem);
            let group = tell::event(event, reader, (course, &hides), &mut self.published)?;
            text += &file::lines(group, event.event);
        }
        self.file.append(&text)?;
        if !text.is_empty() {
            point("feed appended");
        }
        self.looked = events.last().map_or(self.looked, |last| last.event);
        Ok(events.len() == EVENTS as usize)
    }

    /// Reads what the file tells. One that tells of more events than there are is another store's,
    /// and is put aside.
    fn open(&mut self, last_event: i64) -> io::Result<()> {
        let mut whole = Whole::default();
        for _ in 0..2 {
            self.file.open(|file| {
                whole = Whole::read(file)?;
                Ok(whole.end)
            })?;
            if whole.reached <= last_event {
                break;
            }
            put_aside(self.file.path())?;
        }
        (self.published, self.looked) = (whole.published, whole.reached);
        Ok(())
    }
}
