//! The machines that measure for this course, for those who look on.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use crate::domain::{LanguageId, ServerName, Speed};
use crate::judge::order::Progress;
use crate::util::sync::lock;

/// Everything that is known of other machines; whoever looks on takes a copy.
#[derive(Debug, Default)]
pub struct Machines(Mutex<Fleet>);

/// The machines at a moment.
#[derive(Debug, Clone, Default)]
pub struct Fleet {
    /// The connection to the server; none where no server is named.
    pub link: Option<Link>,
    /// How fast the daemon's own machine is, once that was measured.
    pub reference: Option<Speed>,
    /// Orders that were measured on a second machine too.
    pub twice: u64,
    /// Those among them about which the two machines differed.
    pub differed: u64,
    /// The workers on other machines, by their names; those that are gone are kept for a while.
    pub workers: Arc<[Machine]>,
}

/// The connection to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The server's address.
    pub url: Arc<str>,
    /// What this course is called there.
    pub course: ServerName,
    /// Why there is no connection, if there is none.
    pub trouble: Option<Arc<str>>,
    /// Since when it is like that.
    pub since: Instant,
}

/// A worker on another machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Its name on the server.
    pub name: ServerName,
    /// The machine, in words: as reports name it; empty until it has said so.
    pub description: Arc<str>,
    /// The version of its program.
    pub version: Arc<str>,
    /// Orders that it does at a time.
    pub places: usize,
    /// Languages whose orders it gets.
    pub languages: Vec<LanguageId>,
    /// Why it gets no orders, or none of some languages.
    pub why_not: Vec<String>,
    /// How fast and how evenly it measures.
    pub speed: Option<Speed>,
    /// When it was heard last.
    pub last: Instant,
    /// Whether it has been silent for so long that others do its orders.
    pub is_gone: bool,
    /// What it does, the longest first.
    pub doing: Vec<Doing>,
    /// What came of its orders.
    pub counts: Counts,
}

/// An order that a worker on another machine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// What is judged, as messages of this machine name it.
    pub what: Arc<str>,
    /// Since when the worker has it.
    pub since: Instant,
    /// How far it is; none where it waits for a place.
    pub progress: Option<Progress>,
}

/// What came of a worker's orders, since this daemon has known it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Orders that it has done.
    pub done: u64,
    /// Orders that it could not do: something on its machine failed.
    pub failed: u64,
    /// Orders that were given to others, because it was silent, ended, or what it sent made no
    /// sense.
    pub lost: u64,
    /// Facts that came twice or too late.
    pub dropped: u64,
}

impl Machines {
    /// As it is now.
    pub fn now(&self) -> Fleet {
        lock(&self.0).clone()
    }

    /// Something is known of the connection. Whether that is news.
    pub fn set_link(&self, link: Link) -> bool {
        let mut fleet = lock(&self.0);
        let is_news = fleet
            .link
            .as_ref()
            .is_none_or(|old| old.trouble != link.trouble);
        if is_news {
            fleet.link = Some(link);
        }
        is_news
    }

    /// The daemon's own machine was measured.
    pub fn set_reference(&self, reference: Speed) {
        lock(&self.0).reference = Some(reference);
    }

    /// How fast the daemon's own machine is.
    pub fn reference(&self) -> Option<Speed> {
        lock(&self.0).reference
    }

    /// An order was measured on a second machine too.
    pub fn count_second(&self, differs: bool) {
        let mut fleet = lock(&self.0);
        fleet.twice += 1;
        fleet.differed += u64::from(differs);
    }

    /// The workers as they are now.
    pub fn set_workers(&self, workers: Vec<Machine>) {
        lock(&self.0).workers = Arc::from(workers);
    }
}
