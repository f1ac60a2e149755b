//! `event-feed.ndjson`: everything that has happened, for scoreboards and other tools that know the
//! CLICS specifications.
//!
//! The feed follows the store, as the logs do. What happens with one event of the store is told in
//! one group of lines, and the last of them has the event's number as its token: so the file itself
//! says how far it has come, and after a crash lines behind the last token are dropped and told
//! again. What it tells twice is the same, but for a judgement that was replaced before it was told
//! again: its runs and times are not known any more.
//!
//! A changed verdict is a new judgement, and the one before it is not current any more.

mod objects;
mod page;
mod told;

use std::io;
use std::path::Path;

use super::{Course, CourseFile, ExportError};
use crate::overview::Grading;
use crate::report::Follower;
use crate::store::Reader;
use crate::util::crash::point;
use crate::util::files::put_aside;
use page::Page;
use told::Told;

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
    told: Told,
    /// The last event that was looked at; some have nothing to tell.
    looked: i64,
}

impl Feed {
    /// The feed of this folder. Nothing is read before there is something to tell.
    pub fn new(folder: &Path) -> Self {
        Self {
            file: Follower::new(folder.join(FILE.name), false),
            told: Told::default(),
            looked: 0,
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
        grading: &Grading,
    ) -> Result<bool, ExportError> {
        if self.file.is_lost()? {
            self.open(reader.last_event()?)?;
        }
        let events = reader.feed_events_after(self.looked, EVENTS)?;
        let mut page = Page {
            reader,
            course,
            grading,
            told: &mut self.told,
            has_course: false,
            lines: Vec::new(),
        };
        for event in &events {
            // After an error what was told is known from the file alone.
            page.event(event).inspect_err(|_| self.file.close())?;
        }
        let mut text = String::new();
        for line in page.lines {
            text += &serde_json::to_string(&line).expect("a line is made of JSON");
            text.push('\n');
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
        for _ in 0..2 {
            self.file.open(|file| {
                let end;
                (self.told, self.looked, end) = Told::read(file)?;
                Ok(end)
            })?;
            if self.looked <= last_event {
                break;
            }
            put_aside(self.file.path())?;
        }
        Ok(())
    }
}
