//! The machines that measure, for people to look at. The record is the store; this is only news.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::Speed;
use crate::judge::order::Progress;
use crate::util::clock::now_ms;
use crate::util::sync::lock;

/// Machines that are shown: those that left first are forgotten first.
const MACHINES_MAX: usize = 1_000;

/// A worker, or the daemon's own places. All moments are in milliseconds since 1970.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The worker's name.
    pub name: Arc<str>,
    /// Processor, cores and kernel, as it says itself.
    pub description: Arc<str>,
    /// Whether it is the daemon's own.
    pub is_local: bool,
    /// Whether it is there.
    pub is_there: bool,
    /// Orders that it does at a time.
    pub places: usize,
    /// How fast and how evenly it measures, where that is known.
    pub speed: Option<Speed>,
    /// Since when it is there, or was for the last time.
    pub since_ms: i64,
    /// When it was last heard.
    pub heard_ms: i64,
    /// What it does now.
    pub doing: Vec<Doing>,
    /// Orders that it did.
    pub done: u64,
    /// Orders that it could not do, for faults of its own or because it was lost.
    pub failed: u64,
    /// Facts of it that were dropped: they came twice or too late.
    pub dropped: u64,
    /// Orders that were measured on a second machine too, this one being the first or the second.
    pub twice: u64,
    /// Those among them that did not give the same verdict there.
    pub differed: u64,
    /// Why it gets no orders, or none of some kind.
    pub why_not: Vec<String>,
}

/// An order that a machine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// Whose submission, in words for people on this machine.
    pub what: Arc<str>,
    /// Since when.
    pub since_ms: i64,
    /// How far it is; none where it has not begun.
    pub progress: Option<Progress>,
}

impl Doing {
    /// It begins now.
    pub fn begun(what: &Arc<str>) -> Self {
        Self {
            what: Arc::clone(what),
            since_ms: now_ms(),
            progress: None,
        }
    }
}

impl Machine {
    /// It does one more order.
    pub fn begins(&mut self, doing: Doing) {
        self.doing.push(doing);
    }

    /// It has done an order, well or not.
    pub fn ends(&mut self, what: &str, well: bool) {
        let doing = self.doing.iter().position(|doing| &*doing.what == what);
        doing.map(|at| self.doing.remove(at));
        *(if well {
            &mut self.done
        } else {
            &mut self.failed
        }) += 1;
    }
}

/// All machines.
#[derive(Debug, Default)]
pub struct Machines {
    known: Mutex<BTreeMap<Arc<str>, Machine>>,
    changes: AtomicU64,
}

impl Machines {
    /// Notes something about a machine. One that was not known, or had left, is there from now on.
    pub fn note(&self, name: &Arc<str>, change: impl FnOnce(&mut Machine)) {
        let mut known = lock(&self.known);
        let machine = known.entry(Arc::clone(name)).or_insert_with(|| Machine {
            name: Arc::clone(name),
            ..Machine::default()
        });
        machine.heard_ms = now_ms();
        if !machine.is_there {
            (machine.is_there, machine.since_ms) = (true, machine.heard_ms);
        }
        change(machine);
        if known.len() > MACHINES_MAX {
            let gone = known.values().filter(|machine| !machine.is_there);
            let oldest = gone.min_by_key(|machine| machine.heard_ms);
            // All are there: then the one that was silent for longest.
            let oldest = oldest.or_else(|| known.values().min_by_key(|machine| machine.heard_ms));
            if let Some(oldest) = oldest.map(|machine| Arc::clone(&machine.name)) {
                known.remove(&oldest);
            }
        }
        self.changed();
    }

    /// Counts something about a machine that need not be there any more.
    pub fn count(&self, name: &str, change: impl FnOnce(&mut Machine)) {
        if let Some(machine) = lock(&self.known).get_mut(name) {
            change(machine);
        }
        self.changed();
    }

    /// A machine is gone. It is still shown.
    #[cfg_attr(not(feature = "cluster"), expect(dead_code))]
    pub fn leaves(&self, name: &str) {
        self.count(name, |machine| {
            machine.is_there = false;
            machine.doing.clear();
        });
    }

    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// A number that is another one after every change.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// All machines by their names, the daemon's own first.
    pub fn all(&self) -> Vec<Machine> {
        let mut all: Vec<Machine> = lock(&self.known).values().cloned().collect();
        all.sort_by_key(|machine| !machine.is_local);
        all
    }
}
