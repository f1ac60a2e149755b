//! The slots: threads that judge a submission each, from the queue to the commit. There are more of
//! them than places, so that the next order waits already when a place is free, and so that no
//! place waits while a judgement is published.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Sender;

use super::message::Message;
use super::queue::Waiting;
use super::shared::{Setup, Shared};
use super::slot::Slot;
use crate::domain::Fault;
use crate::places::{Pool, Ticket};
use crate::util::sync::lock;

/// Submissions in hand per place that are not measured yet: one is being measured while the next one
/// is prepared.
const IN_HAND: usize = 2;
/// Submissions in hand, however many places there are: each has a thread, and what it waits for in
/// memory.
const IN_HAND_MAX: usize = 512;

/// The slots, and what they take.
pub struct Slots {
    shared: Arc<Shared>,
    messages: Sender<Message>,
    queue: SyncSender<(Waiting, Setup)>,
    taken: Arc<Mutex<SlotQueue>>,
    threads: Vec<JoinHandle<()>>,
}

/// From where the slots take.
struct SlotQueue {
    queue: Receiver<(Waiting, Setup)>,
    /// How many were taken: the turn of the next one.
    count: u64,
}

impl SlotQueue {
    fn next(&mut self, pool: &Pool) -> Option<(Ticket, Waiting, Setup)> {
        let (waiting, setup) = self.queue.recv().ok()?;
        self.count += 1;
        let ticket = Ticket::Submission(self.count);
        pool.comes(ticket);
        Some((ticket, waiting, setup))
    }
}

impl Slots {
    /// Starts those for the places that are there.
    pub fn start(shared: &Arc<Shared>, messages: &Sender<Message>) -> std::io::Result<Self> {
        let (queue, taken) = sync_channel(IN_HAND_MAX);
        let mut slots = Self {
            shared: Arc::clone(shared),
            messages: messages.clone(),
            queue,
            taken: Arc::new(Mutex::new(SlotQueue {
                queue: taken,
                count: 0,
            })),
            threads: Vec::new(),
        };
        slots.start_to(shared.pool.places())?;
        Ok(slots)
    }

    /// Has a submission judged. False where there is no slot any more.
    pub fn judge(&self, waiting: Waiting, setup: Setup) -> bool {
        // There is room for as many as may be in hand.
        self.queue.try_send((waiting, setup)).is_ok()
    }

    /// How many submissions can be in hand that are not measured yet: as many as the places that
    /// are there can keep busy.
    pub fn follow(&mut self) -> usize {
        let places = self.shared.pool.places();
        if let Err(error) = self.start_to(places) {
            tracing::warn!(%error, places, "cannot start slots for all places");
        }
        (places * IN_HAND).min(IN_HAND_MAX)
    }

    /// One slot more for each place than submissions in hand: those that publish need no place.
    fn start_to(&mut self, places: usize) -> std::io::Result<()> {
        let wanted = (places * (IN_HAND + 1)).min(IN_HAND_MAX);
        while self.threads.len() < wanted {
            let number = self.threads.len();
            let mut slot = Slot::new(&self.shared, &self.messages);
            let (taken, shared) = (Arc::clone(&self.taken), Arc::clone(&self.shared));
            let thread = Builder::new().name(format!("slot-{number}"));
            self.threads
                .push(thread.spawn(move || serve(&mut slot, &taken, &shared.pool))?);
        }
        Ok(())
    }

    /// Waits for everything that is in hand to come to its end. Nothing more is judged.
    pub fn join(self) {
        drop(self.queue);
        for thread in self.threads {
            // A thread that failed has said so by the panic's own message.
            let _ = thread.join();
        }
        self.shared.pool.close();
    }
}

/// Judges one submission after the other.
fn serve(slot: &mut Slot, taken: &Mutex<SlotQueue>, pool: &Pool) {
    loop {
        // Held while it waits: whoever is next gets the next one.
        let next = lock(taken).next(pool);
        let Some((ticket, waiting, setup)) = next else {
            return;
        };
        // One submission never stops the others, not even by a bug of ours.
        let result = Fault::caught("judge", || slot.judge(ticket, &waiting, &setup));
        // A closed channel means that the daemon is ending.
        if !slot.is_done(waiting, result) {
            return;
        }
    }
}
