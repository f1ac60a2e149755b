//! Everything between an assignment and what the dispatcher hears of it: planners, workers, those
//! who finish, the publisher.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Sender;

use super::finishing;
use super::message::Message;
use super::planner::{Assignment, Over, Planning};
use super::publisher;
use super::second;
use super::shared::Shared;
use super::worker;
use crate::config::Cluster;
use crate::domain::SubmissionId;
use crate::fleet::{Orders, Twice};
use crate::util::sync::lock;

/// Submissions in hand per place: one is measured while the next one is prepared.
const IN_HAND: usize = 2;
/// Planners, and so submissions in hand, however many places there are: each has a thread, and what
/// it waits for in memory.
const PLANNERS_MAX: usize = 512;
/// Planners that plan at a time where other machines measure too.
const WIDTH_MAX: usize = 4;

/// The threads, and what they are given.
pub struct Judging {
    /// Submissions to judge.
    pub assignments: SyncSender<Assignment>,
    /// How many there may be at first that are not judged yet.
    pub in_hand: usize,
    /// Programs that run at the same time on this machine.
    pub workers: usize,
    /// The planners. They end when nothing more is assigned.
    pub planners: Arc<Planners>,
    /// Workers, those who finish, the publisher: each ends after those before it.
    others: Vec<JoinHandle<()>>,
}

impl Judging {
    /// Starts the threads.
    pub fn start(
        workers: usize,
        cluster: &Cluster,
        shared: &Arc<Shared>,
        messages: &Sender<Message>,
    ) -> std::io::Result<Self> {
        let in_hand = workers * IN_HAND;
        let finishers = if cluster.nats.is_some() {
            workers.max(cores())
        } else {
            workers
        };
        let (drafts, publisher) = publisher::start(shared, messages)?;
        let (measured, finishing) = finishing::start(finishers, shared, &drafts)?;
        let orders = Arc::new(Orders::default());
        let mut others = worker::start(workers, shared, &orders, messages)?;
        others.extend(finishing);
        others.extend(publisher);
        let (assignments, receiver) = sync_channel(PLANNERS_MAX.max(in_hand));
        let twice = match cluster.measure_twice {
            Some(every) if cluster.nats.is_some() => {
                let (seconds, thread) = second::start(shared, &orders, messages)?;
                others.push(thread);
                Some(Twice::new(every, seconds))
            }
            Some(_) | None => None,
        };
        let sinks = (measured, drafts, messages.clone());
        let planners = Arc::new(Planners {
            planning: Planning::new(shared, &orders, receiver, sinks, twice),
            least: in_hand,
            wanted: AtomicUsize::new(in_hand),
            running: AtomicUsize::new(0),
            threads: Mutex::default(),
        });
        planners.start_to(in_hand, false)?;
        Ok(Self {
            assignments,
            in_hand,
            workers,
            planners,
            others,
        })
    }

    /// What the planners want measured.
    pub fn orders(&self) -> &Arc<Orders> {
        &self.planners.planning.orders
    }

    /// Waits for everything that is in hand to come to its end. Nothing more is assigned.
    pub fn join(self) {
        let Self {
            assignments,
            planners,
            others,
            ..
        } = self;
        drop(assignments);
        // A thread that failed has said so by the panic's own message.
        let threads = std::mem::take(&mut *lock(&planners.threads));
        for thread in threads {
            let _ = thread.join();
        }
        planners.planning.orders.close();
        // Those who finish end when no planner has anything for them.
        drop(planners);
        for thread in others {
            let _ = thread.join();
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The planners: two for each place that is there.
pub struct Planners {
    planning: Planning,
    /// Those for the places of this machine.
    least: usize,
    wanted: AtomicUsize,
    running: AtomicUsize,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Planners {
    /// As many planners as the places that are there can keep busy; those that are too many end
    /// when they have judged what they have.
    pub fn follow(self: &Arc<Self>) {
        let places = self.planning.orders.places();
        let wanted = (places * IN_HAND).min(PLANNERS_MAX).max(self.least);
        self.wanted.store(wanted, Ordering::Release);
        let is_alone = places * IN_HAND <= self.least;
        let width = if is_alone { 1 } else { cores().min(WIDTH_MAX) };
        self.planning.turns.widen(width);
        if let Err(error) = self.start_to(wanted, true) {
            tracing::warn!(%error, wanted, "more planners cannot be started");
        }
    }

    /// Whether something waits that nobody who is there can measure.
    pub fn lack_places(&self, waiting: usize) -> bool {
        let orders = &self.planning.orders;
        orders.lacks_places() || (waiting > 0 && orders.places() == 0)
    }

    /// Whether nobody at all is there that measures.
    pub fn has_no_place(&self) -> bool {
        self.planning.orders.places() == 0
    }

    /// Has an order give way to another student's, if one of these or a repeat is not begun.
    pub fn make_room(&self, crowd: &BTreeSet<SubmissionId>) {
        self.planning.orders.make_room(crowd);
    }

    /// At the end: what nobody can measure who is there is not waited for.
    pub fn drain(&self) {
        self.planning.orders.drain();
    }

    fn start_to(self: &Arc<Self>, wanted: usize, is_news: bool) -> std::io::Result<()> {
        let mut threads = lock(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        while self.running.load(Ordering::Acquire) < wanted {
            let number = threads.len();
            let own = Arc::clone(self);
            let thread = Builder::new().name(format!("planner-{number}"));
            let thread = thread.spawn(move || own.work(is_news))?;
            self.running.fetch_add(1, Ordering::AcqRel);
            threads.push(thread);
        }
        Ok(())
    }

    fn work(&self, is_news: bool) {
        let messages = &self.planning.messages;
        if is_news && messages.blocking_send(Message::Ready).is_err() {
            return;
        }
        loop {
            let is_ready = match self.planning.next() {
                Ok(is_ready) => is_ready,
                Err(Over) => return,
            };
            if is_ready && self.retires() {
                return;
            }
            // A closed channel means that the daemon is ending.
            if is_ready && messages.blocking_send(Message::Ready).is_err() {
                return;
            }
        }
    }

    /// Whether there are too many planners: then this one ends, in place of being ready.
    fn retires(&self) -> bool {
        let wanted = self.wanted.load(Ordering::Acquire);
        let fewer = |running: usize| (running > wanted).then(|| running - 1);
        let running = &self.running;
        running
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fewer)
            .is_ok()
    }
}
