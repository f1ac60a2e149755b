//! The line of those who wait for a place, and which free place goes to whom: pure.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use super::machine::{Link, Machine};
use crate::domain::{Digest, Fault, FaultKind, LanguageId, Speed, SubmissionId};
use crate::judge::order::Worker;
use crate::util::machine;

/// Files of built programs that a machine is believed to have. Its cache may forget some of them:
/// that costs moving them once more.
const FILES_MAX: usize = 8_192;
/// A place: it does one order at a time.
///
/// [`Worker::is_for`] is called before each [`Worker::measure`]. A place of another machine answers
/// with a fault of the kind [`FaultKind::NoPlace`] where the order never reached its machine: then
/// the order was not begun, nobody has failed at it, and another place is borrowed for it.
/// [`Ended::Left`](crate::judge::order::Ended::Left) says that the machine was lost in the middle,
/// any other fault that it failed.
pub type Place = Box<dyn Worker + Send>;

/// A place in line. It stays the same for all orders of one judgement, so that what is begun is
/// finished before what came later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ticket {
    /// By the submission's turn in the queue.
    Submission(u64),
    /// By the number of the searcher: it waits until no submission does.
    Search(usize),
}

/// What an order asks of a place.
#[derive(Debug, Clone)]
pub struct Wants {
    /// The submission that it is about.
    pub submission: SubmissionId,
    /// Whether that has been measured already, and this is what is left: other students' programs
    /// may go first.
    pub is_rest: bool,
    /// The languages of its programs.
    pub languages: BTreeSet<LanguageId>,
    /// The files of programs that are built already.
    pub files: Vec<Digest>,
    /// The only machine on which it may be measured, as facts name it.
    pub machine: Option<Arc<str>>,
    /// Names of machines that lost it or failed at it. They get it again only where no other is
    /// there.
    pub avoid: Vec<Arc<str>>,
}

impl Wants {
    /// Whether the machine may do it, were there no other.
    pub(super) fn may(&self, there: &Machine) -> bool {
        let has_all = there.is_local || self.languages.is_subset(&there.languages);
        let wanted = self.machine.as_ref();
        let is_wanted = wanted.is_none_or(|wanted| machine::is_same(wanted, &there.measured_as));
        there.is_used() && has_all && is_wanted
    }

    fn avoids(&self, there: &Machine) -> bool {
        self.avoid.contains(&there.name)
    }
}

#[derive(Default)]
pub(super) struct Held {
    /// By their names; those too that get no orders.
    pub machines: BTreeMap<Arc<str>, Known>,
    pub free: Vec<Free>,
    pub waiting: BTreeMap<Ticket, Waiting>,
    /// Of submissions that are being prepared and may still ask for their first place: one is kept
    /// for each of them before anybody behind them is served.
    pub coming: BTreeSet<Ticket>,
    pub offers: u64,
    pub link: Option<Link>,
    /// How fast this machine is.
    pub reference: Option<Speed>,
    pub is_draining: bool,
    pub is_closed: bool,
}

pub(super) struct Known {
    pub machine: Arc<Machine>,
    pub files: Files,
}

/// The latest files of built programs, so many at most.
#[derive(Default)]
pub(super) struct Files {
    pub known: HashSet<Digest>,
    pub in_turn: VecDeque<Digest>,
}

/// A place that nobody has borrowed.
pub(super) struct Free {
    /// Of a local place which it is, of another one which offer.
    pub number: u64,
    pub machine: Arc<Machine>,
    pub takes_searches: bool,
    pub place: Place,
}

pub(super) struct Waiting {
    pub wants: Wants,
    /// Has room for one answer, and gets one.
    pub answer: SyncSender<Result<Free, Fault>>,
}

impl Files {
    pub fn note(&mut self, files: impl IntoIterator<Item = Digest>) {
        for file in files {
            if self.known.insert(file) {
                self.in_turn.push_back(file);
            }
            if self.in_turn.len() > FILES_MAX
                && let Some(oldest) = self.in_turn.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
    }
}

impl Held {
    pub fn machine_of(&self, free: &Free) -> Option<&Known> {
        let known = self.machines.get(&free.machine.name)?;
        (known.machine.life == free.machine.life).then_some(known)
    }

    pub fn is_possible(&self, wants: &Wants) -> bool {
        let mut machines = self.machines.values();
        machines.any(|known| wants.may(&known.machine))
    }

    fn is_possible_elsewhere(&self, wants: &Wants) -> bool {
        let mut machines = self.machines.values().map(|known| &known.machine);
        machines.any(|there| !there.is_local && wants.may(there))
    }

    pub fn suits(&self, ticket: Ticket, wants: &Wants, free: &Free) -> bool {
        let Some(known) = self.machine_of(free) else {
            return false;
        };
        let there = &known.machine;
        let is_free_for = matches!(ticket, Ticket::Submission(_)) || free.takes_searches;
        let is_better = |other: &Machine| wants.may(other) && !wants.avoids(other);
        let mut others = self.machines.values();
        is_free_for
            && wants.may(there)
            && (!wants.avoids(there) || !others.any(|other| is_better(&other.machine)))
    }

    /// Whether moving the program there is needless.
    fn has_files(&self, wants: &Wants, free: &Free) -> bool {
        let known = self.machine_of(free).map(|known| &known.files.known);
        let has = |file| known.is_some_and(|known| known.contains(file));
        free.machine.is_local || wants.files.iter().all(has)
    }

    /// The free place for a ticket: one that has the program's files, else the first that suits.
    pub fn choose(&self, ticket: Ticket, wants: &Wants) -> Option<usize> {
        let places = self.free.iter().enumerate();
        let mut suiting = places.filter(|(_, free)| self.suits(ticket, wants, free));
        let (first, free) = suiting.next()?;
        if self.has_files(wants, free) {
            return Some(first);
        }
        let better = suiting.find(|(_, free)| self.has_files(wants, free));
        Some(better.map_or(first, |(at, _)| at))
    }

    /// Gives free places to those who wait, in the order of their tickets, but for as many as
    /// submissions before them may still ask for.
    pub fn serve(&mut self) {
        let mut submission_waits = false;
        let tickets: Vec<Ticket> = self.waiting.keys().copied().collect();
        for ticket in tickets {
            let kept = self.coming.range(..ticket).count();
            if self.free.len() <= kept || matches!(ticket, Ticket::Search(_)) && submission_waits {
                return;
            }
            let Some(at) = self.choose(ticket, &self.waiting[&ticket].wants) else {
                submission_waits = true;
                continue;
            };
            let free = self.free.remove(at);
            if let Some(waiting) = self.waiting.remove(&ticket) {
                if let Some(known) = self.machines.get_mut(&free.machine.name) {
                    known.files.note(waiting.wants.files);
                }
                let _ = waiting.answer.send(Ok(free));
            }
        }
    }

    /// Gives back what no machine that is there can do: where one machine is wanted, a search, and
    /// at the end everything.
    pub fn refuse_hopeless(&mut self) {
        let hopeless = |ticket: &Ticket, waiting: &Waiting| match ticket {
            Ticket::Search(_) => self.is_draining || !self.is_possible_elsewhere(&waiting.wants),
            Ticket::Submission(_) => {
                let is_given_back = self.is_draining || waiting.wants.machine.is_some();
                is_given_back && !self.is_possible(&waiting.wants)
            }
        };
        let waiting = self.waiting.iter();
        let hopeless: Vec<Ticket> = waiting
            .filter(|(ticket, waiting)| hopeless(ticket, waiting))
            .map(|(ticket, _)| *ticket)
            .collect();
        for ticket in hopeless {
            self.refuse(ticket, no_machine());
        }
    }

    pub fn refuse(&mut self, ticket: Ticket, fault: Fault) {
        if let Some(waiting) = self.waiting.remove(&ticket) {
            let _ = waiting.answer.send(Err(fault));
        }
    }
}

/// Why nothing is measured.
pub(super) fn no_machine() -> Fault {
    let reason = "no machine is there that can, and the daemon is ending; it is judged when one is";
    Fault::new("have it measured", reason).of_kind(FaultKind::NoPlace)
}
