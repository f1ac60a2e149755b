//! Where the dispatcher and the searchers meet: whether there is time, and with what is searched.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::daemon::shared::Setup;
use crate::sandbox::Cancel;
use crate::util::sync::lock;

/// How long nothing must have been judged before a search begins: a course that hands in one
/// program after the other is left alone.
const REST: Duration = Duration::from_millis(250);
/// How often it is looked again although nothing has changed: deadlines pass by themselves.
const LOOK: Duration = Duration::from_mins(1);

/// How long a searcher waits after its time could not begin: there was no file descriptor left.
const PAUSE: Duration = Duration::from_secs(1);

/// The desk. `S` is what is in force.
pub struct Desk<S = Setup> {
    held: Mutex<Held<S>>,
    changed: Condvar,
}

struct Held<S> {
    in_force: watch::Receiver<S>,
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
pub struct Time<S = Setup> {
    pub setup: S,
    /// Says when it is over.
    pub cancel: Cancel,
    /// Whether other settings, languages or packages have come into force: one searcher hears of it.
    pub is_other: bool,
    /// What was news when it began.
    news: u64,
}

impl<S: Clone> Desk<S> {
    /// Nothing is known yet of what has to be judged.
    pub fn new(in_force: watch::Receiver<S>) -> Self {
        Self {
            held: Mutex::new(Held {
                in_force,
                idle: None,
                current: BTreeMap::new(),
                news: 1,
                is_other: true,
                is_over: false,
            }),
            changed: Condvar::new(),
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
            held.drop_current();
        }
    }

    /// Something else is in force.
    pub fn begin_anew(&self) {
        let mut held = lock(&self.held);
        held.news += 1;
        held.is_other = true;
        held.drop_current();
        self.changed.notify_all();
    }

    /// There may be more to do than there was.
    pub fn look_again(&self) {
        lock(&self.held).news += 1;
        self.changed.notify_all();
    }

    /// The daemon ends.
    pub fn end(&self) {
        let mut held = lock(&self.held);
        held.is_over = true;
        held.drop_current();
        self.changed.notify_all();
    }

    /// Waits until there is time for this searcher, which has seen so many news; `None` at the end.
    pub fn time(&self, searcher: usize, seen: u64) -> Option<Time<S>> {
        let mut held = lock(&self.held);
        let mut is_said = false;
        loop {
            if held.is_over {
                return None;
            }
            let is_news = held.news != seen;
            let rest = held.idle.map(|since| REST.saturating_sub(since.elapsed()));
            let pause = match rest {
                Some(rest) if is_news && rest.is_zero() => match Cancel::new() {
                    Ok(cancel) => return Some(held.begun(searcher, cancel)),
                    Err(error) => {
                        if !is_said {
                            tracing::warn!(%error, searcher, "cannot begin a search for now");
                        }
                        is_said = true;
                        PAUSE
                    }
                },
                Some(rest) if is_news => rest,
                Some(_) | None => LOOK,
            };
            let waited = self.changed.wait_timeout(held, pause);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            held = now;
            held.news += u64::from(timeout.timed_out() && !is_news);
        }
    }

    /// Nothing is left to do until something changes: the news that this searcher has seen.
    pub fn rest(&self, searcher: usize, time: &Time<S>) -> u64 {
        lock(&self.held).current.remove(&searcher);
        time.news
    }
}

impl<S: Clone> Held<S> {
    fn drop_current(&mut self) {
        for cancel in std::mem::take(&mut self.current).values() {
            cancel.cancel();
        }
    }

    /// A searcher's time begins.
    fn begun(&mut self, searcher: usize, cancel: Cancel) -> Time<S> {
        self.current.insert(searcher, cancel.clone());
        Time {
            setup: self.in_force.borrow().clone(),
            cancel,
            is_other: std::mem::take(&mut self.is_other),
            news: self.news,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::sync::watch;

    use super::{Desk, LOOK};

    fn desk() -> Desk<()> {
        Desk::new(watch::channel(()).1)
    }

    #[test]
    fn what_comes_takes_the_time_away_and_the_next_one_is_another() {
        let desk = desk();
        desk.set_idle(true);
        let time = desk.time(0, 0).unwrap();
        assert!(time.is_other, "everything is new");
        desk.set_idle(true);
        assert!(!time.cancel.is_cancelled());
        desk.set_idle(false);
        assert!(time.cancel.is_cancelled());
        // What it has seen is no reason to wait for something newer.
        let seen = desk.rest(0, &time);
        desk.set_idle(true);
        let time = desk.time(0, seen).unwrap();
        assert!(!time.cancel.is_cancelled() && !time.is_other);
        desk.end();
        assert!(time.cancel.is_cancelled());
        assert!(desk.time(0, 0).is_none());
    }

    #[test]
    fn who_has_nothing_to_do_looks_again_when_there_may_be_something() {
        let desk = desk();
        desk.set_idle(true);
        let time = desk.time(0, 0).unwrap();
        let seen = desk.rest(0, &time);
        desk.look_again();
        let start = Instant::now();
        let again = desk.time(0, seen).unwrap();
        assert!(start.elapsed() < LOOK, "it looked because it was time");
        assert!(!again.is_other && !again.cancel.is_cancelled());
    }
}
