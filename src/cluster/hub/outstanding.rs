//! Which workers are there and which orders are out with them: pure, so that every sequence of late,
//! repeated and lost messages can be tried.
//!
//! A fact is taken if its order is out with this life of this worker and its number is the next one.
//! Everything else is dropped and counted: a dropped fact costs work, never truth.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::parts::{HELD_BYTES_MAX, Parts, Piece};
use super::seen::Seen;
use crate::cluster::subjects::Name;
use crate::cluster::wire::{About, Beat, Facts, Id, Part};
use crate::domain::Digest;
use crate::fleet::Counts;
use crate::judge::order::Progress;

/// Workers that are known at a time.
pub const WORKERS_MAX: usize = 1_024;
/// Places of a worker that are used.
pub const PLACES_MAX: usize = 256;
/// Envelopes that may be out for each place: one is measured while the facts of the last one are
/// still on their way.
const ENVELOPES_A_PLACE: usize = 2;
/// Earlier lives of a worker that are recognised.
const LIVES_MAX: usize = 4;
/// An order that a worker neither does nor says anything of for this long never reached it.
const UNHEARD: Duration = Duration::from_secs(10);
/// A worker that so many orders in a row never reached gets others only as tries that count.
const UNHEARD_MAX: usize = 3;
/// An envelope of which nothing has come for this long is lost, whatever its worker says that it
/// does: nothing that an order asks for takes so long.
const UNMOVED: Duration = Duration::from_hours(1);

/// Workers and orders; `T` is the way to an order's planner.
pub struct Outstanding<T> {
    silent: Duration,
    workers: BTreeMap<Name, Seen>,
    out: HashMap<Id, Out<T>>,
    envelopes: u64,
    /// When something of an envelope has come last.
    moved: HashMap<u64, Instant>,
    part_bytes: usize,
    part_bytes_max: usize,
}

/// An order that is out.
pub struct Out<T> {
    /// With which worker.
    pub worker: Name,
    /// The way to its planner.
    pub task: T,
    /// Since when.
    pub since: Instant,
    /// How far it is.
    pub progress: Option<Progress>,
    envelope: u64,
    next: u64,
    last: Instant,
    is_taking: bool,
    parts: Parts,
}

/// What a beat brings.
#[derive(Debug, PartialEq, Eq)]
pub struct Here<T> {
    /// Orders that were out with an earlier life.
    pub lost: Vec<T>,
    /// Orders that it never received.
    pub unheard: Vec<T>,
    /// Whether it has to say what it is.
    pub is_unknown: bool,
    /// Whether another process with this name took its place.
    pub is_rival: bool,
    /// Orders that it does in vain.
    pub drop: Vec<Id>,
}

/// What is done with facts.
#[derive(Debug, PartialEq, Eq)]
pub enum Taking<T> {
    /// They go to the planner, but for the first ones, which it has already. Bytes that came before.
    Take {
        task: T,
        skip: usize,
        parts: HashMap<Digest, Arc<[u8]>>,
    },
    /// The planner has all of them already.
    Again,
    /// They are on their way to the planner now: whoever repeats them is answered later.
    Busy,
    /// The order is not out with this worker.
    Stop,
    /// Facts between are missing, so the order ends.
    Gap(T),
}

impl<T: Clone> Outstanding<T> {
    /// Nobody is known. A worker that is silent for so long is gone.
    pub fn new(silent: Duration) -> Self {
        Self {
            silent,
            workers: BTreeMap::new(),
            out: HashMap::new(),
            envelopes: 0,
            moved: HashMap::new(),
            part_bytes: 0,
            part_bytes_max: HELD_BYTES_MAX,
        }
    }

    /// A worker is there.
    pub fn here(
        &mut self,
        name: &Name,
        beat: &Beat,
        about: Option<About>,
        now: Instant,
    ) -> Here<T> {
        let mut here = Here {
            lost: Vec::new(),
            unheard: Vec::new(),
            is_unknown: true,
            is_rival: false,
            drop: Vec::new(),
        };
        if !self.workers.contains_key(name) && !self.has_room() {
            here.drop = beat.doing.iter().map(|doing| doing.order.clone()).collect();
            return here;
        }
        let seen = self
            .workers
            .entry(name.clone())
            .or_insert_with(|| Seen::new(beat, now));
        if seen.life != beat.worker {
            if seen.past.contains(&beat.worker) && now < seen.last + self.silent {
                here.is_rival = true;
                here.drop = beat.doing.iter().map(|doing| doing.order.clone()).collect();
                return here;
            }
            seen.past.retain(|life| *life != beat.worker);
            seen.past
                .push_back(std::mem::replace(&mut seen.life, beat.worker.clone()));
            if seen.past.len() > LIVES_MAX {
                seen.past.pop_front();
            }
            seen.about = None;
            here.lost = self.lose(name);
            if !here.lost.is_empty() {
                self.change(name, Seen::falls);
            }
        }
        let seen = self.workers.get_mut(name).expect("it was put there");
        (seen.last, seen.is_gone, seen.shape) = (now, false, beat.shape);
        if let Some(about) = about {
            seen.about = Some(Arc::new(about));
        }
        here.is_unknown = seen.about.is_none();
        let doing: HashSet<&Id> = beat.doing.iter().map(|doing| &doing.order).collect();
        for doing in &beat.doing {
            match self.out.get_mut(&doing.order) {
                Some(out) if out.worker == *name => {
                    out.last = now;
                    out.progress = doing.progress.or(out.progress);
                }
                _ => here.drop.push(doing.order.clone()),
            }
        }
        self.miss(name, &doing, now, &mut here);
        here
    }

    /// Orders that a worker neither does nor says anything of have never reached it.
    fn miss(&mut self, name: &Name, doing: &HashSet<&Id>, now: Instant, here: &mut Here<T>) {
        let unheard = |id: &Id, out: &Out<T>| {
            out.worker == *name && !doing.contains(id) && !out.is_taking && now > out.last + UNHEARD
        };
        let unheard = self.lose_where(unheard);
        let mut is_mute = false;
        self.change(name, |seen| {
            seen.unheard += unheard.len().min(1);
            is_mute = seen.unheard > UNHEARD_MAX;
        });
        if is_mute {
            here.lost.extend(unheard);
        } else {
            here.unheard = unheard;
        }
    }

    fn has_room(&mut self) -> bool {
        if self.workers.len() < WORKERS_MAX {
            return true;
        }
        let gone = self.workers.iter().filter(|(_, seen)| seen.is_gone);
        let oldest = gone.min_by_key(|(_, seen)| seen.last);
        let oldest = oldest.map(|(name, _)| name.clone());
        oldest.is_some_and(|name| self.workers.remove(&name).is_some())
    }

    /// The worker, if this is its life. Whatever it says shows that it is there.
    fn alive(&mut self, name: &Name, life: &Id, now: Instant) -> Option<&mut Seen> {
        let seen = self.workers.get_mut(name)?;
        if seen.life != *life {
            return None;
        }
        (seen.last, seen.is_gone) = (now, false);
        Some(seen)
    }

    /// What a worker is that asks for orders, if one of its places may have some.
    pub fn asks(&mut self, name: &Name, life: &Id, now: Instant) -> Option<Arc<About>> {
        let about = self.alive(name, life, now)?.about.clone()?;
        let out = self.out.values().filter(|out| out.worker == *name);
        let envelopes: HashSet<u64> = out.map(|out| out.envelope).collect();
        let places = about.places.min(PLACES_MAX);
        (envelopes.len() < places * ENVELOPES_A_PLACE).then_some(about)
    }

    /// Orders go out to a worker; gives them back where it is not there any more.
    pub fn give(
        &mut self,
        name: &Name,
        life: &Id,
        orders: Vec<(Id, T)>,
        now: Instant,
    ) -> Result<(), Vec<T>> {
        if self.alive(name, life, now).is_none() {
            return Err(orders.into_iter().map(|(_, task)| task).collect());
        }
        self.envelopes += 1;
        self.moved.insert(self.envelopes, now);
        for (id, task) in orders {
            let out = Out {
                worker: name.clone(),
                task,
                since: now,
                progress: None,
                envelope: self.envelopes,
                next: 1,
                last: now,
                is_taking: false,
                parts: Parts::default(),
            };
            self.out.insert(id, out);
        }
        Ok(())
    }

    /// The order, if it is out with this life of this worker.
    fn order(&mut self, name: &Name, life: &Id, id: &Id, now: Instant) -> Option<&mut Out<T>> {
        self.alive(name, life, now)?.unheard = 0;
        let out = self.out.get_mut(id).filter(|out| out.worker == *name)?;
        out.last = now;
        Some(out)
    }

    /// The way to an order's planner, if it is out with this worker.
    pub fn task(&mut self, name: &Name, life: &Id, id: &Id, now: Instant) -> Option<T> {
        self.order(name, life, id, now).map(|out| out.task.clone())
    }

    /// Facts have come. Those that are taken are in the planner's hands until [`Self::taken`].
    pub fn facts(&mut self, name: &Name, facts: &Facts, now: Instant) -> Taking<T> {
        let count = facts.list.len() as u64;
        let Some(out) = self.order(name, &facts.worker, &facts.order, now) else {
            self.dropped(name, count.max(1));
            return Taking::Stop;
        };
        if out.is_taking {
            return Taking::Busy;
        }
        if facts.first > out.next || facts.first == 0 {
            self.dropped(name, count.max(1));
            let lost = self.remove(&facts.order);
            return lost.map_or(Taking::Stop, |out| Taking::Gap(out.task));
        }
        out.progress = facts.progress.or(out.progress);
        let known = (out.next - facts.first).min(count);
        if known == count && count > 0 && facts.ended.is_none() {
            self.dropped(name, count);
            return Taking::Again;
        }
        out.next += count - known;
        out.is_taking = true;
        let (task, parts, envelope) = (out.task.clone(), out.parts.whole(), out.envelope);
        if count > known || facts.ended.is_some() {
            self.moved.insert(envelope, now);
        }
        self.dropped(name, known);
        Taking::Take {
            task,
            skip: usize::try_from(known).unwrap_or(usize::MAX),
            parts,
        }
    }

    /// The planner has what was taken, and the bytes that it names.
    pub fn taken(&mut self, id: &Id, named: &[Digest], goes_on: bool) {
        let Some(out) = self.out.get_mut(id) else {
            return;
        };
        out.is_taking = false;
        self.part_bytes -= out.parts.forget(named);
        if !goes_on {
            self.remove(id);
        }
    }

    /// A part of bytes has come; false where it has to come again. Where its order does not go on
    /// although it was out, the way to its planner.
    pub fn part(
        &mut self,
        name: &Name,
        part: &Part,
        bytes: &[u8],
        now: Instant,
    ) -> Result<bool, Option<T>> {
        let held = self.part_bytes;
        let max = self.part_bytes_max;
        // The second half is for those who do not hold much of the first.
        let is_greedy = held > max / 2 && self.held_by(name) > max / 4;
        let room = if is_greedy { 0 } else { max - held };
        let Some(out) = self.order(name, &part.worker, &part.order, now) else {
            self.dropped(name, 1);
            return Err(None);
        };
        let (before, envelope) = (out.parts.held(), out.envelope);
        let parts = &mut out.parts;
        let piece = parts.add(&part.digest, part.at, part.of, bytes, room);
        self.part_bytes = held + out.parts.held() - before;
        match piece {
            Piece::Taken => {
                self.moved.insert(envelope, now);
                Ok(true)
            }
            Piece::Again => {
                self.dropped(name, 1);
                Ok(true)
            }
            Piece::Later if !is_greedy => Ok(false),
            Piece::Later | Piece::Wrong => {
                self.dropped(name, 1);
                Err(self.remove(&part.order).map(|out| out.task))
            }
        }
    }

    /// Bytes of a worker's orders that wait for their facts.
    fn held_by(&self, name: &Name) -> usize {
        let of_worker = self.out.values().filter(|out| out.worker == *name);
        of_worker.map(|out| out.parts.held()).sum()
    }

    /// An order ends here without having ended there: its planner is told by the caller.
    pub fn give_up(&mut self, id: &Id) -> Option<T> {
        self.remove(id).map(|out| out.task)
    }

    /// Time has passed: the orders of workers that have been silent for too long, and those of which
    /// nothing comes.
    pub fn tick(&mut self, now: Instant) -> Vec<T> {
        let mut gone = HashSet::new();
        let with: HashSet<&Name> = self.out.values().map(|out| &out.worker).collect();
        for (name, seen) in &mut self.workers {
            seen.is_gone |= now > seen.last + self.silent;
            if seen.is_gone && with.contains(name) {
                seen.falls();
            }
            if seen.is_gone {
                gone.insert(name.clone());
            }
        }
        let mut moved = HashMap::with_capacity(self.moved.len());
        for Out {
            envelope,
            is_taking,
            ..
        } in self.out.values()
        {
            let last = self.moved.get(envelope).filter(|_| !is_taking);
            moved.insert(*envelope, last.map_or(now, |last| *last));
        }
        let is_stuck = |envelope: u64| {
            let last = moved.get(&envelope);
            last.is_some_and(|last| now > *last + UNMOVED)
        };
        let lost = self.lose_where(|_, out| gone.contains(&out.worker) || is_stuck(out.envelope));
        self.moved = moved;
        lost
    }

    /// This process was silent, and heard nobody: everybody is as if heard now.
    pub fn forgive(&mut self, now: Instant) {
        for seen in self.workers.values_mut().filter(|seen| !seen.is_gone) {
            seen.last = now;
        }
        for out in self.out.values_mut() {
            out.last = now;
        }
        self.moved.clear();
    }

    /// All orders that are out, which nobody waits for any more.
    pub fn lose_all(&mut self) -> Vec<T> {
        self.lose_where(|_, _| true)
    }

    fn lose(&mut self, name: &Name) -> Vec<T> {
        self.lose_where(|_, out| out.worker == *name)
    }

    fn lose_where(&mut self, is_lost: impl Fn(&Id, &Out<T>) -> bool) -> Vec<T> {
        let lost = self.out.iter().filter(|(id, out)| is_lost(id, out));
        let lost: Vec<Id> = lost.map(|(id, _)| id.clone()).collect();
        let lost = lost.iter().filter_map(|id| {
            let out = self.remove(id)?;
            self.count(&out.worker, |counts| counts.lost += 1);
            Some(out.task)
        });
        lost.collect()
    }

    fn remove(&mut self, id: &Id) -> Option<Out<T>> {
        let out = self.out.remove(id)?;
        self.part_bytes -= out.parts.held();
        Some(out)
    }

    fn dropped(&mut self, name: &Name, facts: u64) {
        self.count(name, |counts| counts.dropped += facts);
    }

    /// A worker has done an order.
    pub fn did(&mut self, name: &Name) {
        self.change(name, |seen| {
            seen.counts.done += 1;
            seen.fallen = 0;
        });
    }

    /// What a worker has sent makes no sense.
    pub fn distrust(&mut self, name: &Name, why: String) {
        self.change(name, |seen| {
            seen.counts.lost += 1;
            seen.distrust = Some(why);
        });
    }

    fn change(&mut self, name: &Name, change: impl FnOnce(&mut Seen)) {
        if let Some(seen) = self.workers.get_mut(name) {
            change(seen);
        }
    }

    /// Changes a worker's counts.
    pub fn count(&mut self, name: &Name, change: impl FnOnce(&mut Counts)) {
        self.change(name, |seen| change(&mut seen.counts));
    }

    /// Whether there is or was a worker of this name.
    pub fn knows(&self, name: &Name) -> bool {
        self.workers.contains_key(name)
    }

    /// Every worker, and every order that is out with it.
    pub fn workers(&self) -> impl Iterator<Item = (&Name, &Seen)> {
        self.workers.iter()
    }

    /// Every order that is out.
    pub fn orders(&self) -> impl Iterator<Item = &Out<T>> {
        self.out.values()
    }
}

#[cfg(test)]
#[path = "outstanding_tests.rs"]
mod tests;
