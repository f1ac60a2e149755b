//! Files that follow the store: reports, pages, logs, notes, results of hacks, exports.
//!
//! A projection makes files of the store and of the events since its cursor. The cursor is a mark
//! in the store, and it moves only when the files are on the disk: after a sudden end a file may
//! come late, and is never missing. With a cursor at 0 everything is written again
//! ([`rebuilding`]).
//!
//! Two threads do it ([`thread`]). The first one writes what somebody waits for: the students'
//! reports, notes, results of hacks and the logs. A verdict is announced when its report and its
//! line in the logs are on the disk. The second one has the lowest priority and writes the rest:
//! pages, the staff's files, overviews, exports and the feed.

mod exports;
mod files;
mod logs;
mod overviews;
mod rebuilding;
mod reports;
mod results;
mod thread;

use std::collections::BTreeMap;

use self::files::Files;
use crate::domain::{Fault, FaultKind, SubmissionId};
use crate::store::{Event, EventKind, Reader};
use crate::util::crash::point;

pub use files::sweep;
pub use rebuilding::{STAFF_MODE, rebuild};
pub use reports::current_report;
pub use thread::Projections;

/// Events that are applied together.
const PAGE: u32 = 64;
/// Events whose files cannot be written that are remembered; with more of them the projection
/// waits.
const FAILED_MAX: usize = 1_000;

/// What a projection is called, and what it follows.
struct About {
    /// The name of its cursor in the store.
    mark: &'static str,
    /// The events that it follows.
    kinds: &'static [EventKind],
    /// The step of [`point`] at which its files are on the disk.
    step: &'static str,
}

impl About {
    const fn new(mark: &'static str, kinds: &'static [EventKind], step: &'static str) -> Self {
        Self { mark, kinds, step }
    }
}

/// Files that follow the store.
trait Projection: Send {
    /// Where it begins: after the event that the store names, unless its files know better.
    fn begin(&mut self, _reader: &Reader, saved: i64) -> Result<i64, Fault> {
        Ok(saved)
    }

    /// Whether an event that cannot be applied holds up those after it.
    fn is_ordered(&self) -> bool {
        false
    }

    /// Brings its files up to the store as it is now. An event may be applied again.
    fn apply(
        &mut self,
        reader: &Reader,
        events: &[Event],
        out: &mut Files<'_>,
    ) -> Result<(), Fault>;
}

/// How far a projection is.
struct Cursor {
    about: About,
    projection: Box<dyn Projection>,
    is_begun: bool,
    /// Up to here everything was applied, but for `failed`.
    reached: i64,
    /// Events whose files could not be written, in their order.
    failed: Vec<Event>,
    /// While there is more: up to which event the files of each submission are written. They tell
    /// of the store as it is, so that many events of one submission are applied once.
    written: BTreeMap<SubmissionId, i64>,
    /// Whether the last page could not be applied at all.
    is_stuck: bool,
    /// As the store knows it.
    saved: i64,
}

impl Cursor {
    fn new(about: About, projection: impl Projection + 'static) -> Self {
        Self {
            about,
            projection: Box::new(projection),
            is_begun: false,
            reached: 0,
            failed: Vec::new(),
            written: BTreeMap::new(),
            is_stuck: false,
            saved: 0,
        }
    }

    /// Begins after this event.
    fn begin(&mut self, reader: &Reader, saved: i64) -> Result<(), Fault> {
        self.saved = saved;
        self.reached = self.projection.begin(reader, saved)?;
        self.is_begun = true;
        Ok(())
    }

    /// Up to which event all files are on the disk.
    fn done(&self) -> i64 {
        let first = self.failed.first();
        first.map_or(self.reached, |event| event.id - 1)
    }

    /// What the store is to know, where that is something new.
    fn unsaved(&self) -> Option<(&'static str, i64)> {
        let is_new = self.is_begun && self.done() != self.saved;
        is_new.then(|| (self.about.mark, self.done()))
    }

    /// The store knows how far it is.
    fn mark_saved(&mut self) {
        self.saved = self.done();
    }

    fn is_failing(&self) -> bool {
        self.is_stuck || !self.failed.is_empty()
    }

    /// Applies the next page of events up to `until`, and what has failed before if it is to be
    /// tried `again`. Says whether there are more, and what kept single ones from being applied; an
    /// error where nothing could be applied.
    fn advance(
        &mut self,
        reader: &Reader,
        (until, again): (i64, bool),
        out: &mut Files<'_>,
    ) -> Result<(bool, Option<Fault>), Fault> {
        if self.is_stuck && !again {
            return Ok((false, None));
        }
        let advanced = self.try_to_advance(reader, (until, again), out);
        self.is_stuck = advanced.is_err();
        advanced
    }

    fn try_to_advance(
        &mut self,
        reader: &Reader,
        (until, again): (i64, bool),
        out: &mut Files<'_>,
    ) -> Result<(bool, Option<Fault>), Fault> {
        if !self.is_begun {
            let saved = reader.mark(self.about.mark)?;
            self.begin(reader, saved.unwrap_or(0))?;
        }
        let mut fault = None;
        if again && !self.failed.is_empty() {
            let failed = self.failed.clone();
            fault = self.apply(reader, &failed, out)?;
            self.failed.drain(..failed.len());
            self.failed.sort_by_key(|event| event.id);
        }
        if self.reached >= until || self.failed.len() >= FAILED_MAX {
            return Ok((false, fault));
        }
        let mut events = reader.events_after(self.reached, self.about.kinds, PAGE)?;
        events.retain(|event| event.id <= until);
        let is_full = events.len() == PAGE as usize;
        let last = events.last().filter(|_| is_full);
        let end = last.map_or(until, |last| last.id);
        if !self.projection.is_ordered() {
            let written = |event: &Event| self.written.get(&event.submission?).copied();
            events.retain(|event| written(event) < Some(event.id));
        }
        let failed = self.apply(reader, &events, out)?;
        if is_full {
            let submissions = events.iter().filter_map(|event| event.submission);
            self.written.extend(submissions.map(|id| (id, until)));
        } else {
            self.written.clear();
        }
        let is_saved = self.unsaved().is_none();
        self.reached = end;
        if events.is_empty() && is_saved {
            // Whatever the store knows is as good.
            self.saved = self.done();
        }
        Ok((is_full, fault.or(failed)))
    }

    /// Applies events together, or one by one where that fails: one that cannot be applied is
    /// remembered, and its fault returned.
    fn apply(
        &mut self,
        reader: &Reader,
        events: &[Event],
        out: &mut Files<'_>,
    ) -> Result<Option<Fault>, Fault> {
        if events.is_empty() {
            return Ok(None);
        }
        let Err(fault) = self.written(reader, events, out) else {
            return Ok(None);
        };
        // Where a disk is full or the store is lost, it is so for all of them.
        if self.projection.is_ordered() || fault.kind != FaultKind::Retry {
            return Err(fault);
        }
        let mut first = None;
        for event in events {
            let alone = std::slice::from_ref(event);
            if let Err(fault) = self.written(reader, alone, out) {
                first.get_or_insert(fault);
                self.failed.push(event.clone());
            }
        }
        Ok(first)
    }

    /// Applies events; when this returns without an error, the files are on the disk.
    fn written(
        &mut self,
        reader: &Reader,
        events: &[Event],
        out: &mut Files<'_>,
    ) -> Result<(), Fault> {
        Fault::caught(MAKE, || {
            self.projection.apply(reader, events, out)?;
            out.flush()
        })
        .inspect_err(|_| out.clear())?;
        point(self.about.step);
        Ok(())
    }
}

/// The step of a bug in what makes one file, which is not to keep the others from being made.
const MAKE: &str = "make a page";

#[cfg(test)]
mod tests;
