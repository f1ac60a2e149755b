//! The pool of places. Whoever has an order borrows a place: the first ticket in line that a free
//! place suits gets it. A submission is in line from the moment it is taken in hand, so that one
//! that is prepared sooner than an earlier one does not go before it.
//!
//! A place does one order at a time, and takes only what suits it: languages that are the same
//! there, the machine that an order must be measured on, no machine that has failed at it. Places
//! of this machine stay in the pool and come back to it ([`Pool::open`]). A place of another
//! machine is there for one order ([`Pool::offer`]) and is offered anew when it can do the next:
//! what becomes of it in between is known to whoever offers it.
//!
//! Searches are for other machines, and only while no submission waits for a place.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;

use super::line::{Files, Free, Held, Known, Place, Ticket, Waiting, Wants, no_machine};
use super::machine::{Link, Machine, OtherMachines};
use crate::domain::{Digest, Fault, FaultKind, LanguageId, Speed, SubmissionId};
use crate::judge::order::Worker;
use crate::sandbox::Cancel;
use crate::util::sync::lock;

/// How often a search that waits for a place looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// The pool, and what is known of the machines that it has places of.
#[derive(Default)]
pub struct Pool {
    held: Mutex<Held>,
    /// For whoever tells other machines that orders wait.
    news: Notify,
}

impl Pool {
    /// This machine has these places from now on; they are numbered from 0.
    pub fn open(&self, machine: Machine, places: Vec<Place>) {
        let machine = Arc::new(machine);
        self.change(|held| {
            let known = Known {
                machine: Arc::clone(&machine),
                files: Files::default(),
            };
            held.machines.insert(Arc::clone(&machine.name), known);
            held.free
                .extend((0..).zip(places).map(|(number, place)| Free {
                    number,
                    machine: Arc::clone(&machine),
                    takes_searches: false,
                    place,
                }));
        });
    }

    /// The other machines are like this now. Places of those that are gone, or have another life,
    /// are gone too; what was borrowed is for whoever offered it to end.
    pub fn set_machines(&self, machines: Vec<Machine>) {
        self.change(|held| {
            let mut before = std::mem::take(&mut held.machines);
            let local = before.extract_if(.., |_, known| known.machine.is_local);
            held.machines.extend(local);
            for machine in machines {
                let known = before.remove(&machine.name);
                let known = known.filter(|known| known.machine.life == machine.life);
                let known = Known {
                    files: known.map(|known| known.files).unwrap_or_default(),
                    machine: Arc::new(machine),
                };
                held.machines.insert(Arc::clone(&known.machine.name), known);
            }
            let free = std::mem::take(&mut held.free);
            let is_there = |free: &Free| {
                let known = held.machine_of(free);
                known.is_some_and(|known| known.machine.is_used())
            };
            held.free = free.into_iter().filter(is_there).collect();
        });
    }

    /// A place of another machine can do one order. It is in the pool until it is borrowed or the
    /// offer is dropped. Nothing is borrowed of a machine that [`Self::set_machines`] has not told
    /// of, or of another life of it. Whether somebody waited for it is known at once.
    pub fn offer(&self, name: &str, life: &str, place: Place, takes_searches: bool) -> Offer<'_> {
        let number = self.change(|held| {
            held.offers += 1;
            let known = held.machines.get(name);
            let known = known.filter(|known| &*known.machine.life == life);
            if let Some(machine) = known.map(|known| Arc::clone(&known.machine)) {
                held.free.push(Free {
                    number: held.offers,
                    machine,
                    takes_searches,
                    place,
                });
            }
            held.offers
        });
        Offer { pool: self, number }
    }

    /// A submission is taken in hand. It has its place in line from now on, though it has to be
    /// prepared before it asks for a place.
    pub fn comes(&self, ticket: Ticket) {
        lock(&self.held).coming.insert(ticket);
    }

    /// It asks for no place any more.
    pub fn leaves(&self, ticket: Ticket) {
        self.change(|held| held.coming.remove(&ticket));
    }

    /// Waits for a place that suits. Fails with [`FaultKind::NoPlace`] where no machine that is
    /// there can do what only one machine may, or a search; and at the end for everything that no
    /// machine can do. Fails with [`FaultKind::Cancelled`] where another student's program goes
    /// first, or it is not wanted any more.
    pub fn borrow(
        &self,
        ticket: Ticket,
        wants: Wants,
        cancel: Option<&Cancel>,
    ) -> Result<Lent<'_>, Fault> {
        let (answer, answered) = sync_channel(1);
        self.change(|held| {
            if held.is_closed {
                return Err(no_machine());
            }
            held.coming.remove(&ticket);
            held.waiting.insert(ticket, Waiting { wants, answer });
            Ok(())
        })?;
        let free = self.answer(ticket, &answered, cancel)?;
        Ok(Lent {
            pool: self,
            free: Some(free),
        })
    }

    fn answer(
        &self,
        ticket: Ticket,
        answered: &Receiver<Result<Free, Fault>>,
        cancel: Option<&Cancel>,
    ) -> Result<Free, Fault> {
        let gone = || Fault::new("wait for a place", "the pool is gone");
        let Some(cancel) = cancel else {
            return answered.recv().map_err(|_| gone())?;
        };
        loop {
            match answered.recv_timeout(LOOK) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(fault) = cancel.check() {
                let waits = lock(&self.held).waiting.remove(&ticket).is_some();
                // It may have got a place in this moment: then it has to give it back.
                return if waits {
                    Err(fault)
                } else {
                    answered.recv().map_err(|_| gone())?
                };
            }
        }
    }

    /// Has the last one in line of these submissions, or one of which only a rest is left, give way
    /// to another student's.
    pub fn make_room(&self, crowd: &BTreeSet<SubmissionId>) {
        self.change(|held| {
            let gives_way = |waiting: &Waiting| {
                waiting.wants.is_rest || crowd.contains(&waiting.wants.submission)
            };
            let mut last = held.waiting.iter().rev();
            let last = last.find_map(|(ticket, waiting)| match ticket {
                Ticket::Submission(_) if gives_way(waiting) => Some(*ticket),
                _ => None,
            });
            if let Some(ticket) = last {
                let reason = "another student's program is measured first";
                let fault = Fault::new("have it measured", reason);
                held.refuse(ticket, fault.of_kind(FaultKind::Cancelled));
            }
        });
    }

    /// The daemon is ending: from now on nobody waits for a machine that is not there.
    pub fn drain(&self) {
        self.change(|held| held.is_draining = true);
    }

    /// Nothing is borrowed any more; the places of this machine end.
    pub fn close(&self) {
        let free = self.change(|held| {
            (held.is_draining, held.is_closed) = (true, true);
            std::mem::take(&mut held.free)
        });
        // Each may hold whatever it works with, this pool too.
        drop(free);
    }

    /// A machine has these files of built programs, because it has just built them.
    pub fn has(&self, name: &str, files: impl IntoIterator<Item = Digest>) {
        if let Some(known) = lock(&self.held).machines.get_mut(name) {
            known.files.note(files);
        }
    }

    /// Waits until somebody else waits for a place, or a machine has come or gone.
    pub async fn changed(&self) {
        self.news.notified().await;
    }

    fn change<T>(&self, change: impl FnOnce(&mut Held) -> T) -> T {
        let mut held = lock(&self.held);
        let changed = change(&mut held);
        held.refuse_hopeless();
        held.serve();
        drop(held);
        self.news.notify_one();
        changed
    }
}

/// What is known of the machines.
impl Pool {
    /// Submissions that wait for a place.
    pub fn waiting(&self) -> usize {
        let held = lock(&self.held);
        let tickets = held.waiting.keys();
        tickets
            .filter(|ticket| matches!(ticket, Ticket::Submission(_)))
            .count()
    }

    /// Searches that wait for a place.
    pub fn searches(&self) -> usize {
        let held = lock(&self.held);
        let tickets = held.waiting.keys();
        tickets
            .filter(|ticket| matches!(ticket, Ticket::Search(_)))
            .count()
    }

    /// Places of machines that get orders.
    pub fn places(&self) -> usize {
        self.sum(|_| true)
    }

    /// The same without those of this machine.
    pub fn places_elsewhere(&self) -> usize {
        self.sum(|machine| !machine.is_local)
    }

    fn sum(&self, counts: impl Fn(&Machine) -> bool) -> usize {
        let held = lock(&self.held);
        let machines = held.machines.values().map(|known| &known.machine);
        let used = machines.filter(|machine| machine.is_used() && counts(machine));
        used.map(|machine| machine.places).sum()
    }

    /// Whether another machine is there that has this language.
    pub fn can_elsewhere(&self, language: &LanguageId) -> bool {
        let held = lock(&self.held);
        let mut machines = held.machines.values().map(|known| &known.machine);
        machines
            .any(|there| !there.is_local && there.is_used() && there.languages.contains(language))
    }

    /// Whether a machine is there that may do what an order wants.
    pub fn can(&self, wants: &Wants) -> bool {
        lock(&self.held).is_possible(wants)
    }

    /// Whether a submission waits that no machine that is there can measure.
    pub fn lacks_places(&self) -> bool {
        let held = lock(&self.held);
        let mut waiting = held.waiting.values();
        waiting.any(|waiting| !held.is_possible(&waiting.wants))
    }

    /// Something is known of the connection to the server. Whether that is news.
    pub fn set_link(&self, link: Link) -> bool {
        let mut held = lock(&self.held);
        let is_news = held.link.as_ref() != Some(&link);
        held.link = Some(link);
        is_news
    }

    /// This machine was measured.
    pub fn set_reference(&self, reference: Speed) {
        lock(&self.held).reference = Some(reference);
    }

    /// How fast this machine is.
    pub fn reference(&self) -> Option<Speed> {
        lock(&self.held).reference
    }

    /// The other machines, for those who look on; none where no server is named.
    pub fn machines(&self) -> Option<OtherMachines> {
        let held = lock(&self.held);
        let machines = held.machines.values().map(|known| &*known.machine);
        let machines = machines.filter(|machine| !machine.is_local);
        Some(OtherMachines::new(
            held.link.as_ref()?,
            machines,
            held.reference,
        ))
    }
}

/// A place that is offered for one order.
pub struct Offer<'p> {
    pool: &'p Pool,
    number: u64,
}

impl Offer<'_> {
    /// Whether it was borrowed: the place is asked to measure in a moment.
    pub fn is_taken(&self) -> bool {
        let held = lock(&self.pool.held);
        !held.free.iter().any(|free| free.is_offer(self.number))
    }
}

impl Drop for Offer<'_> {
    fn drop(&mut self) {
        let mut held = lock(&self.pool.held);
        held.free.retain(|free| !free.is_offer(self.number));
    }
}

impl Free {
    fn is_offer(&self, number: u64) -> bool {
        !self.machine.is_local && self.number == number
    }
}

/// A place that is borrowed. One of this machine goes back when it is dropped.
pub struct Lent<'p> {
    pool: &'p Pool,
    /// Filled until it is dropped.
    free: Option<Free>,
}

impl Lent<'_> {
    /// The machine that it is a place of.
    pub fn machine(&self) -> &Arc<Machine> {
        &self.free().machine
    }

    /// What measures.
    pub fn place(&mut self) -> &mut (dyn Worker + Send) {
        &mut *self
            .free
            .as_mut()
            .expect("it is filled until it is dropped")
            .place
    }

    fn free(&self) -> &Free {
        self.free
            .as_ref()
            .expect("it is filled until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(free) = self.free.take().filter(|free| free.machine.is_local) else {
            return;
        };
        let ended = self.pool.change(|held| {
            if held.is_closed {
                return Some(free);
            }
            held.free.push(free);
            None
        });
        drop(ended);
    }
}
