//! Which orders a free place takes. Pure: what waits and who is there in, positions out.
//!
//! The order of the queue counts first. A place takes only what suits it: languages that are the
//! same there, the machine that an order must be measured on, no worker that has failed at it. A
//! program that is built goes to places that have its files; to others only where moving them takes
//! less long than to wait for one of those.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::place::{Place, Present};
use crate::domain::{Digest, LanguageId};
use crate::util::machine;

/// Work that one place is given at a time: long enough that asking for more takes no share of it
/// that is worth counting, short enough that little is lost with a worker.
pub const ENVELOPE_WORK_MAX: Duration = Duration::from_secs(1);
/// What an order is believed to take of which nothing is known: it has to be built, and goes alone.
const UNKNOWN_WORK: Duration = ENVELOPE_WORK_MAX;
/// The least that an order takes, whatever its programs do: entering the sandbox, and the store.
const WORK_MIN: Duration = Duration::from_millis(2);
/// The most that it is believed to take: beyond this it says nothing more, and sums stay in bounds.
const WORK_MAX: Duration = Duration::from_hours(1);
/// What moving files takes, however short they are: to put them on the server and to fetch them.
const MOVE_MIN: Duration = Duration::from_millis(5);
/// Bytes moved in a millisecond: a network of 1 Gbit/s, most of which others leave.
const MOVED_PER_MS: u64 = 100_000;
/// The length of a file of which nothing is known: a C++ program is linked statically.
const UNKNOWN_BYTES: u64 = 2 * 1024 * 1024;

/// Orders of the queue for which it is weighed whether moving their programs is worth it: the first
/// ones.
const WEIGHED_MAX: usize = 32;

/// What an order asks of a place.
#[derive(Debug, Clone)]
pub struct Wants {
    /// The languages of its programs.
    pub languages: BTreeSet<LanguageId>,
    /// The key of the student's program; none where nothing of it is built or run.
    pub build: Option<Digest>,
    /// The files of programs that are built already, and their lengths where they are known.
    pub files: Vec<(Digest, Option<u64>)>,
    /// The only machine on which it may be measured.
    pub machine: Option<Arc<str>>,
    /// The machine on which it may not be measured.
    pub not_machine: Option<Arc<str>>,
    /// Names of workers that lost it or failed at it. They get it again only where nobody else is
    /// there.
    pub avoid: Vec<Arc<str>>,
    /// What it is believed to take, where that is known.
    pub expected: Option<Duration>,
    /// Since when it waits.
    pub since: Instant,
}

impl Wants {
    /// What it is believed to take.
    fn work(&self) -> Duration {
        self.expected
            .map_or(UNKNOWN_WORK, |work| work.clamp(WORK_MIN, WORK_MAX))
    }

    /// Whether the place may do it, were there no other.
    fn may(&self, place: &Place) -> bool {
        let has_all = place
            .languages
            .as_ref()
            .is_none_or(|there| self.languages.is_subset(there));
        let is_wanted = self
            .machine
            .as_ref()
            .is_none_or(|wanted| machine::is_same(wanted, &place.machine));
        has_all && is_wanted && self.not_machine.as_ref() != Some(&place.machine)
    }

    fn avoids(&self, place: &Place) -> bool {
        self.avoid.contains(&place.worker)
    }

    /// Whether it is to go to this place, or to others of its kind.
    fn suits(&self, place: &Place, all: &[Present]) -> bool {
        self.may(place)
            && (!self.avoids(place)
                || !all
                    .iter()
                    .any(|other| self.may(&other.place) && !self.avoids(&other.place)))
    }

    /// Whether it is for one machine, or for all but one.
    pub(super) fn is_particular(&self) -> bool {
        self.machine.is_some() || self.not_machine.is_some()
    }

    /// Whether somebody who is there may do it.
    pub(super) fn is_possible(&self, all: &[Present]) -> bool {
        all.iter().any(|there| self.may(&there.place))
    }

    /// How long it takes to bring its programs to a place.
    fn moving(&self, to: &Present) -> Duration {
        let missing = self.files.iter().filter(|(file, _)| !to.has(file));
        let bytes: Option<u64> = missing
            .map(|(_, bytes)| bytes.unwrap_or(UNKNOWN_BYTES))
            .reduce(u64::saturating_add);
        bytes.map_or(Duration::ZERO, |bytes| {
            MOVE_MIN + Duration::from_millis(bytes / MOVED_PER_MS)
        })
    }
}

/// How much a place takes at once.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// Orders.
    pub orders: usize,
    /// Bytes of all of them as they are sent.
    pub bytes: usize,
}

impl Most {
    /// One order, however long it is.
    pub const ONE: Self = Self {
        orders: 1,
        bytes: 0,
    };
}

/// What a place takes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Positions in the queue.
    pub at: Vec<usize>,
    /// When it would take one that it leaves now, should nobody else have taken it.
    pub again: Option<Instant>,
}

/// What a place takes of what waits. `bytes` says how long an order is as it is sent.
pub(super) fn choose(
    waiting: &[&Wants],
    here: &Present,
    all: &[Present],
    most: Most,
    now: Instant,
    bytes: impl Fn(usize) -> usize,
) -> Chosen {
    let work_max = share(waiting, all);
    let mut chosen = Chosen::default();
    let (mut work, mut len) = (Duration::ZERO, 0);
    // What is believed to be done before an order of the queue.
    let mut ahead = Duration::ZERO;
    let mut weighed = 0;
    for (at, wants) in waiting.iter().enumerate() {
        if chosen.at.len() >= most.orders {
            break;
        }
        let suits = wants.suits(&here.place, all);
        let moving = if suits {
            wants.moving(here)
        } else {
            Duration::ZERO
        };
        if suits && !moving.is_zero() && weighed == WEIGHED_MAX {
            continue;
        }
        weighed += usize::from(!moving.is_zero());
        let then = suits.then(|| wants.since + patience(wants, moving, all, ahead));
        if then.is_none_or(|then| now < then) {
            chosen.again = chosen.again.into_iter().chain(then).min();
            ahead += wants.work();
            continue;
        }
        if most.orders > 1 {
            work += wants.work();
            len += bytes(at);
            // Nothing overtakes what is left for the next place.
            if !chosen.at.is_empty() && (work > work_max || len > most.bytes) {
                break;
            }
        }
        chosen.at.push(at);
    }
    chosen
}

/// Work for one place at a time: others who are free should find some too.
fn share(waiting: &[&Wants], all: &[Present]) -> Duration {
    let work: Duration = waiting.iter().map(|wants| wants.work()).sum();
    let places: usize = all.iter().map(|there| there.places).sum();
    let places = u32::try_from(places.max(1)).unwrap_or(u32::MAX);
    ENVELOPE_WORK_MAX.min(work / places)
}

/// How long an order has to have waited before a place takes it to which its programs have to be
/// moved.
///
/// Places that have its programs would do what is ahead of it first. What they do now is not known;
/// an order that they have left waiting for as long as moving it takes will wait as long again.
fn patience(wants: &Wants, moving: Duration, all: &[Present], ahead: Duration) -> Duration {
    if moving.is_zero() {
        return Duration::ZERO;
    }
    let homes = all
        .iter()
        .filter(|there| wants.suits(&there.place, all) && wants.moving(there).is_zero());
    let homes: usize = homes.map(|there| there.places).sum();
    let homes = u32::try_from(homes).unwrap_or(u32::MAX);
    let ahead = ahead.checked_div(homes);
    // Where nobody has them, nobody is waited for.
    ahead.map_or(Duration::ZERO, |ahead| moving.saturating_sub(ahead))
}
