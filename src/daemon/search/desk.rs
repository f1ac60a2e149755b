//! Where the dispatcher and the searchers meet: whether there is time, and with what is searched.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::daemon::shared::Setup;
use crate::domain::Fault;
use crate::fleet::Orders;
use crate::sandbox::Cancel;
use crate::util::sync::lock;

/// How long nothing must have been judged before a search begins: a course that hands in one
/// program after the other is left alone.
const REST: Duration = Duration::from_millis(250);
/// How often it is looked again although nothing has changed: deadlines pass by themselves.
const LOOK: Duration = Duration::from_mins(1);

/// The desk.
pub struct Desk {
    held: Mutex<Held>,
    changed: Condvar,
    /// Where searches have something measured by other machines.
    orders: Arc<Orders>,
}

struct Held {
    setup: Setup,
    /// Since when nothing has to be judged.
    idle: Option<Instant>,
    /// What each searcher does now.
    current: BTreeMap<usize, Cancel>,
    /// Raised whenever something may have changed that there is to do.
    news: u64,
    /// Whether other settings, languages or packages have come into force.
    is_other: bool,
    is_over: bool,
}

/// Time to search.
pub struct Time {
    pub setup: Setup,
    /// Says when it is over.
    pub cancel: Cancel,
    /// Whether other settings, languages or packages have come into force: one searcher hears of it.
    pub is_other: bool,
    /// What was news when it began.
    news: u64,
}

impl Desk {
    /// Nothing is known yet of what has to be judged.
    pub fn new(setup: &Setup, orders: &Arc<Orders>) -> Self {
        Self {
            held: Mutex::new(Held {
                setup: setup.clone(),
                idle: None,
                current: BTreeMap::new(),
                news: 1,
                is_other: true,
                is_over: false,
            }),
            changed: Condvar::new(),
            orders: Arc::clone(orders),
        }
    }

    /// Something has to be judged, or nothing has. What is searched is dropped at once.
    pub fn set_idle(&self, is_idle: bool) {
        let mut held = lock(&self.held);
        if held.idle.is_some() == is_idle {
            return;
        }
        if is_idle {
            held.idle = Some(Instant::now());
            held.news += 1;
            self.changed.notify_all();
        } else {
            held.idle = None;
            self.drop_current(&mut held);
        }
    }

    /// From here on this is in force.
    pub fn know(&self, setup: &Setup) {
        let mut held = lock(&self.held);
        held.setup = setup.clone();
        held.news += 1;
        held.is_other = true;
        self.drop_current(&mut held);
        self.changed.notify_all();
    }

    /// The daemon ends.
    pub fn end(&self) {
        let mut held = lock(&self.held);
        held.is_over = true;
        self.drop_current(&mut held);
        self.changed.notify_all();
    }

    fn drop_current(&self, held: &mut Held) {
        for cancel in std::mem::take(&mut held.current).values() {
            cancel.cancel();
        }
        self.orders.drop_cancelled();
    }

    /// Waits until there is time for this searcher, which has seen so many news; `None` at the end.
    pub fn time(&self, searcher: usize, seen: u64) -> Result<Option<Time>, Fault> {
        let mut held = lock(&self.held);
        loop {
            if held.is_over {
                return Ok(None);
            }
            let is_news = held.news != seen;
            let rest = held.idle.map(|since| REST.saturating_sub(since.elapsed()));
            let pause = match rest {
                Some(rest) if is_news && rest.is_zero() => break,
                Some(rest) if is_news => rest,
                Some(_) | None => LOOK,
            };
            let waited = self.changed.wait_timeout(held, pause);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            held = now;
            held.news += u64::from(timeout.timed_out() && !is_news);
        }
        let cancel = Cancel::new().map_err(|error| Fault::of_call("begin a search", error))?;
        held.current.insert(searcher, cancel.clone());
        Ok(Some(Time {
            setup: held.setup.clone(),
            cancel,
            is_other: std::mem::take(&mut held.is_other),
            news: held.news,
        }))
    }

    /// Nothing is left to do until something changes: the news that this searcher has seen.
    pub fn rest(&self, searcher: usize, time: &Time) -> u64 {
        lock(&self.held).current.remove(&searcher);
        time.news
    }
}
