//! Which workers are there, what each may get, and which orders are out with them: pure, so that
//! every sequence of late, repeated and lost messages can be tried.
//!
//! What is said of an order is heard only of the life of the worker that has it. Everything else is
//! dropped and counted: that costs work, never truth.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::out::{Out, Outcome};
use crate::cluster::about::machine_of;
use crate::cluster::admission::{Admission, Admit, Unequal, bounded, other_shape, use_nearest};
use crate::cluster::proof::Proof;
use crate::cluster::subjects::Name;
use crate::cluster::wire::{self, About, Heartbeat, Id};
use crate::domain::Digest;
use crate::places::{Doing, Machine, Standing};
use crate::util::clock::now_ms;

/// Workers that are known at a time.
const WORKERS_MAX: usize = 1_024;
/// Orders that may be out for each place: one is measured while the end of the last one is still on
/// its way.
const ORDERS_A_PLACE: usize = 2;
/// An order that a worker does not name among what it does, and of which nothing has come for this
/// long, is not there any more.
const UNHEARD: Duration = Duration::from_secs(10);
/// An order of which nothing has come for this long is lost, whatever its worker says that it does:
/// nothing that an order asks for takes so long.
const UNMOVED: Duration = Duration::from_hours(1);
/// A worker that orders did not reach so often, with nothing heard of any between, gets others only
/// as tries that count.
const UNHEARD_MAX: usize = 3;
/// Nothing is given out for this long after something has spoken against it.
const REFUSED_PAUSE: Duration = Duration::from_secs(5);
/// Bytes about all orders together that wait to be read.
const HELD_BYTES_MAX: usize = 512 * 1024 * 1024;
/// A worker that was gone so often with orders, and has done none between, gets no more.
const FALLEN_MAX: usize = 3;

/// Workers and orders.
#[derive(Default)]
pub struct State {
    silent: Duration,
    workers: BTreeMap<Name, Seen>,
    out: HashMap<Id, Out>,
    /// Why nothing is given out, and since when.
    refused: Option<(String, Instant)>,
}

/// A worker as it was seen last.
struct Seen {
    /// As people are shown it, but for the orders that it has.
    machine: Machine,
    /// The life before: a process that is still there, and whose place another one took.
    before: Option<Id>,
    shape: u16,
    /// What it said that it is, and the digest of that.
    about: Option<(Digest, About)>,
    proof: Proof,
    /// Where its speed alone keeps it from orders, or would.
    unequal: Option<Unequal>,
    /// Whether it has to prove its speed first.
    has_to_prove: bool,
    last: Instant,
    /// Why it is not used any more, whatever it says.
    distrust: Option<String>,
    /// How often it was gone with orders since it has done one.
    fallen: usize,
    /// How often orders have not reached it since something of one has come.
    unheard: usize,
    /// Held by each place of it that waits for an order.
    waiting: Arc<()>,
}

impl Seen {
    fn new(name: &Name, shape: u16, life: &Id, now: Instant) -> Self {
        let machine = Machine {
            name: Arc::from(name.as_str()),
            life: Arc::from(life.0.as_str()),
            since_ms: now_ms(),
            ..Machine::default()
        };
        Self {
            machine,
            before: None,
            shape,
            about: None,
            proof: Proof::default(),
            unequal: None,
            has_to_prove: false,
            last: now,
            distrust: None,
            fallen: 0,
            unheard: 0,
            waiting: Arc::default(),
        }
    }

    fn is_gone(&self) -> bool {
        self.machine.standing == Standing::Gone
    }

    fn is_used(&self) -> bool {
        !self.machine.languages.is_empty()
    }

    fn lives(&self, life: &Id) -> bool {
        *self.machine.life == *life.0
    }

    fn is_heard(&mut self, now: Instant) {
        if self.is_gone() {
            self.machine.standing = Standing::Idle;
            self.machine.since_ms = now_ms();
        }
        self.last = now;
    }

    /// Another process has taken its name.
    fn begins_anew(&mut self, life: &Id) {
        self.before = Some(Id(self.machine.life.to_string()));
        self.machine.life = Arc::from(life.0.as_str());
        self.machine.since_ms = now_ms();
        self.about = None;
        self.proof = self.proof.of_next_life();
    }

    /// What it has said of itself.
    fn is(&mut self, digest: Digest, about: About) {
        let about = bounded(about);
        let machine = &mut self.machine;
        machine.measured_as = machine_of(&machine.name, &about.machine);
        machine.machine.clone_from(&about.machine);
        machine.version.clone_from(&about.version);
        machine.places = about.places;
        machine.speed = Some(about.speed);
        self.about = Some((digest, about));
    }

    /// It is gone, and orders with it.
    fn falls(&mut self) {
        self.fallen += 1;
        if self.fallen >= FALLEN_MAX {
            self.distrust = Some(format!(
                "it took orders and was gone before one was done, {FALLEN_MAX} times in a row"
            ));
        }
    }

    /// What it may get by what it has said that it is; nothing where it has said nothing yet.
    fn admission(&self, admit: &Admit) -> Admission {
        let Some((_, about)) = &self.about else {
            return Admission::default();
        };
        if let Some(why) = &self.distrust {
            let why = format!("{why}; it is not used again before the daemon starts again");
            return Admission::refused(why);
        }
        match other_shape(self.shape) {
            Some(why) => Admission::refused(why),
            None => admit(about, &self.proof),
        }
    }

    fn may_get(&mut self, admission: Admission) {
        self.machine.languages = admission.languages;
        self.machine.why_not = admission.why_not;
        self.unequal = admission.unequal;
        self.has_to_prove = admission.has_to_prove;
    }
}

impl State {
    /// Nobody is known. A worker that is silent for so long is gone.
    pub fn new(silent: Duration) -> Self {
        Self {
            silent,
            ..Self::default()
        }
    }

    /// A worker is there. What it hears of it: what it may get, and which orders it does in vain.
    pub fn here(
        &mut self,
        name: &Name,
        beat: Heartbeat,
        admit: &Admit,
        now: Instant,
    ) -> wire::HeartbeatReply {
        let mut standing = wire::HeartbeatReply {
            drop: beat.doing.iter().map(|doing| doing.order.clone()).collect(),
            ..wire::HeartbeatReply::default()
        };
        if !self.workers.contains_key(name) && !self.has_room() {
            return standing;
        }
        let life = &beat.worker;
        let seen = self.workers.entry(name.clone());
        let seen = seen.or_insert_with(|| Seen::new(name, beat.shape, life, now));
        if !seen.lives(life) {
            if seen.before.as_ref() == Some(life) && now < seen.last + self.silent {
                standing.why_not.push(format!(
                    "another worker called `{name}` is there: give each one credentials of its own"
                ));
                return standing;
            }
            seen.begins_anew(life);
            if self.lose(|out| out.worker == *name) > 0 {
                self.change(name, Seen::falls);
            }
        }
        self.change(name, |seen| {
            seen.is_heard(now);
            seen.shape = beat.shape;
            if let Some(about) = beat.about {
                seen.is(beat.is, *about);
            }
            standing.is_unknown = seen.about.as_ref().is_none_or(|(is, _)| *is != beat.is);
        });
        let mut doing = HashSet::new();
        for at in &beat.doing {
            let out = self.out.get_mut(&at.order);
            if let Some(out) = out.filter(|out| out.worker == *name) {
                out.heard = now;
                out.doing.progress = at.progress.or(out.doing.progress);
                doing.insert(&at.order);
            }
        }
        standing.drop.retain(|id| !doing.contains(id));
        self.miss(name, now);
        self.admit(name, admit);
        if let Some(seen) = self.workers.get(name) {
            standing.has_to_prove = seen.has_to_prove;
            standing.is_used = seen.is_used();
            standing.why_not.clone_from(&seen.machine.why_not);
        }
        standing
    }

    /// Orders that a worker neither does nor says anything of are not there. Those that never reached
    /// it are no tries, unless that happens too often.
    fn miss(&mut self, name: &Name, now: Instant) {
        let is_missed = |out: &Out| out.worker == *name && now > out.heard + UNHEARD;
        let unheard = |out: &&Out| is_missed(out) && out.is_unheard();
        if self.out.values().any(|out| unheard(&out)) {
            self.change(name, |seen| seen.unheard += 1);
        }
        let seen = self.workers.get(name);
        if seen.is_some_and(|seen| seen.unheard <= UNHEARD_MAX) {
            for out in self.out.values().filter(unheard) {
                // Nobody may wait for it any more.
                let _ = out.giver.send(None);
            }
        }
        self.lose(is_missed);
    }

    fn has_room(&mut self) -> bool {
        if self.workers.len() < WORKERS_MAX {
            return true;
        }
        let gone = self.workers.iter().filter(|(_, seen)| seen.is_gone());
        let oldest = gone.min_by_key(|(_, seen)| seen.last);
        let oldest = oldest.map(|(name, _)| name.clone());
        oldest.is_some_and(|name| self.workers.remove(&name).is_some())
    }

    /// The worker, if this is its life. Whatever it says shows that it is there.
    fn alive(&mut self, name: &Name, life: &Id, now: Instant) -> Option<&mut Seen> {
        let seen = self.workers.get_mut(name)?;
        if !seen.lives(life) {
            return None;
        }
        seen.is_heard(now);
        Some(seen)
    }

    /// What is known of a worker's speed beside its word, if this is its life, and whether it has to
    /// prove it.
    pub fn proving(&mut self, name: &Name, life: &Id, now: Instant) -> Option<(&mut Proof, bool)> {
        let seen = self.alive(name, life, now)?;
        let has_to_prove = seen.has_to_prove;
        Some((&mut seen.proof, has_to_prove))
    }

    /// A place of a worker waits for an order for as long as this is held; none where it may not
    /// have any now.
    pub fn take(&mut self, name: &Name, life: &Id, now: Instant) -> Option<Arc<()>> {
        let out = self.out.values().filter(|out| out.worker == *name).count();
        let seen = self.alive(name, life, now)?;
        let waiting = Arc::strong_count(&seen.waiting) - 1;
        let has_room = out + waiting < seen.machine.places * ORDERS_A_PLACE;
        (seen.is_used() && has_room).then(|| Arc::clone(&seen.waiting))
    }

    /// An order goes out; not to a worker that is not there any more. How facts name the machine.
    pub fn give(&mut self, life: &Id, id: Id, out: Out) -> Option<Arc<str>> {
        let seen = self.alive(&out.worker, life, out.heard)?;
        let machine = Arc::clone(&seen.machine.measured_as);
        // An order for a place that was offered before the refusal does not show that it is over.
        if !self.is_refused(out.heard) {
            self.refused = None;
        }
        self.out.insert(id, out);
        Some(machine)
    }

    /// Something speaks against giving out orders.
    pub fn refuse(&mut self, why: String, now: Instant) {
        self.refused = Some((why, now));
    }

    /// Whether something has spoken against it lately.
    pub fn is_refused(&self, now: Instant) -> bool {
        let since = self.refused.as_ref().map(|(_, since)| *since);
        since.is_some_and(|since| now < since + REFUSED_PAUSE)
    }

    /// What has spoken against it, until an order goes out afterwards.
    pub fn refusal(&self) -> Option<&str> {
        self.refused.as_ref().map(|(why, _)| why.as_str())
    }

    /// The order, if it is out with this life of this worker.
    pub fn order(&mut self, name: &Name, life: &Id, id: &Id, now: Instant) -> Option<&Out> {
        let is_alive = self.alive(name, life, now).is_some();
        let out = self.out.get(id);
        if !is_alive || out.is_none_or(|out| out.worker != *name) {
            self.change(name, |seen| seen.machine.counts.dropped += 1);
            return None;
        }
        self.change(name, |seen| seen.unheard = 0);
        let out = self.out.get_mut(id)?;
        (out.moved, out.heard) = (now, now);
        Some(out)
    }

    /// Where more waits to be read than there is room for, the order that most of it is about is lost.
    pub fn make_room(&mut self) {
        let held = |out: &Out| out.held.load(Ordering::Relaxed);
        if self.out.values().map(held).sum::<usize>() <= HELD_BYTES_MAX {
            return;
        }
        let most = self.out.iter().max_by_key(|(_, out)| held(out));
        if let Some(id) = most.map(|(id, _)| id.clone()) {
            self.end(&id, Outcome::Lost);
        }
    }

    /// An order is not out any more.
    pub fn end(&mut self, id: &Id, outcome: Outcome) {
        let Some(out) = self.out.remove(id) else {
            return;
        };
        // A search has thousands of orders, and to give one up is no failure.
        self.change(&out.worker, |seen| match outcome {
            Outcome::Failed => seen.machine.counts.failed += 1,
            Outcome::Done if !out.can_wait => {
                seen.machine.counts.done += 1;
                seen.fallen = 0;
            }
            Outcome::Lost if !out.can_wait => seen.machine.counts.lost += 1,
            _ => {}
        });
    }

    /// What a worker has sent makes no sense.
    pub fn distrust(&mut self, name: &Name, why: String) {
        self.change(name, |seen| {
            seen.machine.counts.lost += 1;
            seen.distrust = Some(why);
        });
    }

    /// Time has passed: the orders of workers that have been silent for too long are lost, and those
    /// of which nothing comes.
    pub fn tick(&mut self, now: Instant) {
        let with: HashSet<Name> = self.out.values().map(|out| out.worker.clone()).collect();
        let mut gone = HashSet::new();
        for (name, seen) in &mut self.workers {
            if seen.is_gone() || now <= seen.last + self.silent {
                continue;
            }
            (seen.machine.standing, seen.machine.since_ms) = (Standing::Gone, now_ms());
            if with.contains(name) {
                seen.falls();
            }
            gone.insert(name.clone());
        }
        self.lose(|out| gone.contains(&out.worker) || now > out.moved + UNMOVED);
    }

    /// No order is out any more.
    pub fn lose_all(&mut self) {
        self.lose(|_| true);
    }

    /// Orders are lost, and whoever has given them hears it; how many.
    fn lose(&mut self, is_lost: impl Fn(&Out) -> bool) -> usize {
        let lost = self.out.extract_if(|_, out| is_lost(out));
        let lost: Vec<Out> = lost.map(|(_, out)| out).collect();
        for out in lost.iter().filter(|out| !out.can_wait) {
            self.change(&out.worker, |seen| seen.machine.counts.lost += 1);
        }
        lost.len()
    }

    fn change(&mut self, name: &Name, change: impl FnOnce(&mut Seen)) {
        if let Some(seen) = self.workers.get_mut(name) {
            change(seen);
        }
    }

    /// What this worker may get may have changed.
    pub fn admit(&mut self, name: &Name, admit: &Admit) {
        self.change(name, |seen| {
            let admission = seen.admission(admit);
            // Whether it is still the nearest is found out with the others.
            let is_nearest = seen.unequal.is_some() && seen.is_used();
            if !is_nearest || admission.unequal.is_none() {
                seen.may_get(admission);
            }
        });
    }

    /// What all workers may get may have changed: this machine's own languages, and their speeds.
    pub fn admit_all(&mut self, admit: &Admit, has_own_places: bool) {
        let there = self.workers.values_mut().filter(|seen| !seen.is_gone());
        let mut all: Vec<_> = there.map(|seen| (seen.admission(admit), seen)).collect();
        if !has_own_places {
            use_nearest(all.iter_mut().map(|(admission, _)| admission));
        }
        for (admission, seen) in all {
            seen.may_get(admission);
        }
    }

    /// Every worker as it is now.
    pub fn machines(&self) -> Vec<Machine> {
        let mut doing: HashMap<&Name, Vec<Doing>> = HashMap::new();
        for out in self.out.values() {
            doing
                .entry(&out.worker)
                .or_default()
                .push(out.doing.clone());
        }
        let machine = |(name, seen): (&Name, &Seen)| {
            let mut doing = doing.remove(name).unwrap_or_default();
            doing.sort_by_key(|doing| doing.since_ms);
            let standing = if seen.is_gone() {
                Standing::Gone
            } else if !seen.is_used() {
                Standing::Unused
            } else if doing.is_empty() {
                Standing::Idle
            } else {
                Standing::Working
            };
            Machine {
                standing,
                out: doing.len(),
                doing,
                ..seen.machine.clone()
            }
        };
        self.workers.iter().map(machine).collect()
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
