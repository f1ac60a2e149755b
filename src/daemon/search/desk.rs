//! Where the dispatcher and the searcher meet: whether there is time, and with what is searched.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::daemon::shared::Setup;
use crate::domain::Fault;
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
}

struct Held {
    setup: Setup,
    /// Since when nothing has to be judged.
    idle: Option<Instant>,
    /// What the searcher does now.
    current: Option<Cancel>,
    /// Whether something may have changed since nothing was left to do.
    is_news: bool,
    /// Whether other settings, languages or packages have come into force.
    is_other: bool,
    is_over: bool,
}

/// Time to search.
pub struct Time {
    pub setup: Setup,
    /// Says when it is over.
    pub cancel: Cancel,
    /// Whether other settings, languages or packages have come into force since the last time.
    pub is_other: bool,
}

impl Desk {
    /// Nothing is known yet of what has to be judged.
    pub fn new(setup: &Setup) -> Self {
        Self {
            held: Mutex::new(Held {
                setup: setup.clone(),
                idle: None,
                current: None,
                is_news: true,
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
            held.is_news = true;
            self.changed.notify_all();
        } else {
            held.idle = None;
            held.drop_current();
        }
    }

    /// From here on this is in force.
    pub fn know(&self, setup: &Setup) {
        let mut held = lock(&self.held);
        held.setup = setup.clone();
        (held.is_news, held.is_other) = (true, true);
        held.drop_current();
        self.changed.notify_all();
    }

    /// The daemon ends.
    pub fn end(&self) {
        let mut held = lock(&self.held);
        held.is_over = true;
        held.drop_current();
        self.changed.notify_all();
    }

    /// Waits until there is time; `None` at the end.
    pub fn time(&self) -> Result<Option<Time>, Fault> {
        let mut held = lock(&self.held);
        loop {
            if held.is_over {
                return Ok(None);
            }
            let rest = held.idle.map(|since| REST.saturating_sub(since.elapsed()));
            let pause = match rest {
                Some(rest) if held.is_news && rest.is_zero() => break,
                Some(rest) if held.is_news => rest,
                Some(_) | None => LOOK,
            };
            let waited = self.changed.wait_timeout(held, pause);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            held = now;
            held.is_news |= timeout.timed_out();
        }
        let cancel = Cancel::new().map_err(|error| Fault::of_call("begin a search", error))?;
        held.current = Some(cancel.clone());
        Ok(Some(Time {
            setup: held.setup.clone(),
            cancel,
            is_other: std::mem::take(&mut held.is_other),
        }))
    }

    /// Nothing is left to do until something changes.
    pub fn rest(&self, time: &Time) {
        let mut held = lock(&self.held);
        // What has changed meanwhile is looked at at once.
        if !time.cancel.is_cancelled() {
            held.is_news = false;
            held.current = None;
        }
    }
}

impl Held {
    fn drop_current(&mut self) {
        if let Some(current) = self.current.take() {
            current.cancel();
        }
    }
}
