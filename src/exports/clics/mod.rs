//! `event-feed.ndjson`: everything that has happened, for scoreboards and other tools that know the CLICS specifications.
//!
//! The feed follows the store, as the logs do. What happens with one event of the store is told in one group of lines,
//! and the last of them has the event's number as its token: so the file itself says how far it has come,
//! and after a crash lines behind the last token are dropped and told again. What it tells twice is the same,
//! but for a judgement that was replaced before it was told again: its runs and times are not known any more.
//!
//! A changed verdict is a new judgement, and the one before it is not current any more.

mod file;
mod shape;
mod tell;
mod words;

use std::path::{Path, PathBuf};

use super::{Course, ExportError};
use crate::store::Reader;
use file::{FeedFile, NAME};

/// Events read from the store at a time.
const EVENTS: u32 = 200;

/// The feed, open for appending.
#[derive(Debug)]
pub struct Feed {
    path: PathBuf,
    /// `None` after a failure, so that the next try looks at the file anew.
    file: Option<FeedFile>,
    /// The last event that was looked at; some have nothing to tell.
    looked: i64,
    /// The course as it was told last.
    course: Option<Course>,
}

impl Feed {
    /// The feed of this folder. Nothing is read before there is something to tell.
    pub fn new(folder: &Path) -> Self {
        Self {
            path: folder.join(NAME),
            file: None,
            looked: 0,
            course: None,
        }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends what the store has and the feed has not, a page of it; says whether there may be more.
    pub fn catch_up(&mut self, reader: &Reader, course: &Course) -> Result<bool, ExportError> {
        // A failure leaves the file to be looked at anew.
        let mut file = match self.file.take() {
            Some(file) if !file.was_moved(&self.path)? => file,
            _ => {
                let opened = FeedFile::open(&self.path, reader.last_event()?)?;
                self.looked = opened.reached();
                opened
            }
        };
        if self.course.as_ref() != Some(course) {
            self.course = Some(course.clone());
            file.told().has_course = false;
        }
        let events = reader.feed_events_after(self.looked, EVENTS)?;
        for event in &events {
            let told = tell::event(event, reader, course, file.told())?;
            file.add(told, event.event);
        }
        file.append()?;
        if let Some(last) = events.last() {
            self.looked = last.event;
        }
        self.file = Some(file);
        Ok(events.len() == EVENTS as usize)
    }
}
