//! The slots: threads that bring a submission each to its judgement and publish that. What is known
//! is recalled, what is missing is measured, and all of it is in the store before anybody hears of
//! the verdict.
//!
//! Everything about one submission is local to [`Slot::judge`]. There are more slots than places,
//! so that the next order waits already when a place is free, and so that no place waits while a
//! judgement is published.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Sender;

use super::message::Message;
use super::publication::{FactSink, publication};
use super::queue::Waiting;
use super::shared::{Setup, Shared};
use crate::domain::{Digest, Fault};
use crate::judge::{Grader, Rules, fold_key, judge, parts};
use crate::places::{Borrower, Pool, Ticket};
use crate::store::{FaultRecord, Reader};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::Key;
use crate::util::sync::lock;

/// What one slot keeps from submission to submission.
pub struct Slot {
    shared: Arc<Shared>,
    messages: Sender<Message>,
    /// Gone after a fault.
    reader: Option<Reader>,
    /// As long as something may still be measured of its submission.
    in_line: Cell<Option<Ticket>>,
}

impl Slot {
    /// Judges a submission and publishes that. Says what the judgement was folded from.
    pub fn judge(
        &mut self,
        ticket: Ticket,
        waiting: &Waiting,
        setup: &Setup,
    ) -> Result<Digest, Fault> {
        self.in_line.set(Some(ticket));
        self.shared.activity.taken();
        let shared = &*self.shared;
        let mut opened = self.reader.take();
        let reader = shared.opened(&mut opened)?;
        let submission = &waiting.submission;
        let (_, source) = reader
            .submission(submission.id)?
            .ok_or_else(|| Fault::new("read the submission", "it is not in the store"))?;
        let package = setup.package(&submission.problem)?;
        let (language, version) = setup.language(&submission.language)?;
        let toolchain = &setup.languages.toolchain;
        let rules = Rules {
            waits_for_quiet: true,
            ..setup.rules(shared)
        };
        let fold = fold_key(package, toolchain.judged_by(language, version), &rules);
        let files = parts(&source, language, package)?;
        let program = toolchain.build_key(language, version, &files);
        // With `rejudge --force` the runs of a program are missing, whatever was measured before.
        if reader.is_to_be_measured_again(submission.id)? {
            shared.store.writer().forget_runs(submission.id, program)?;
        }
        let mut facts = FactSink::of_source(shared.store.writer(), source.digest);
        let mut borrower = Borrower::new(&shared.pool, ticket, submission, toolchain);
        let mut grader = Grader {
            worker: &mut borrower,
            toolchain,
            archive: reader,
            sink: &mut facts,
            rules,
        };
        let judged = match judge(&mut grader, &source, language, version, package) {
            Ok(judged) => judged,
            Err(fault) => {
                // What was measured is true all the same: nothing of it is measured again.
                facts.commit()?;
                return Err(fault);
            }
        };
        self.measured();
        let publication = publication(shared, reader, setup, waiting, &source, &judged, fold)?;
        point("folded");
        let writer = shared.store.writer();
        let event = writer.publish(publication, facts.rest())?;
        point("published");
        let (student, problem, took) = (&submission.student, &submission.problem, judged.took);
        tracing::info!(%student, %problem, judged.builds = took.builds, judged.runs = took.runs, "judged a submission");
        // What says the same is no event, and yet a report may have to be written again.
        shared.tell_news(event.unwrap_or(0));
        self.reader = opened;
        Ok(fold)
    }

    /// Nothing more is measured of its submission: another one can be taken in hand.
    fn measured(&self) {
        if let Some(ticket) = self.in_line.take() {
            self.shared.pool.leaves(ticket);
            self.shared.activity.handed_on();
            // A closed channel means that the daemon is ending.
            let _ = self.messages.blocking_send(Message::Measured);
        }
    }

    /// Says how a submission ended. False where nobody hears of it any more.
    pub fn is_done(&self, waiting: Waiting, result: Result<Digest, Fault>) -> bool {
        self.measured();
        let message = Message::Finished { waiting, result };
        self.messages.blocking_send(message).is_ok()
    }
}

/// Keeps a fault where `status` finds it, until the report is there.
pub fn remember_fault(shared: &Shared, waiting: &Waiting, fault: &Fault, pause_ms: Option<i64>) {
    let now_ms = now_ms();
    let record = FaultRecord {
        work: Key::new("judge")
            .part(&waiting.submission.id.0.to_le_bytes())
            .finish(),
        submission: Some(waiting.submission.id),
        fault: fault.clone(),
        next_try_ms: pause_ms.map(|pause_ms| now_ms.saturating_add(pause_ms)),
        last_ms: now_ms,
    };
    if let Err(error) = shared.store.writer().fault(record) {
        // It was announced; that the store cannot keep it changes nothing for the student.
        tracing::warn!(%error, "cannot keep a fault");
    }
    // What is not judged stands in results.xml too.
    shared.tell_news(0);
}

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
            let slot = Slot {
                shared: Arc::clone(&self.shared),
                messages: self.messages.clone(),
                reader: None,
                in_line: Cell::new(None),
            };
            let taken = Arc::clone(&self.taken);
            let thread = Builder::new().name(format!("slot-{number}"));
            self.threads
                .push(thread.spawn(move || serve(slot, &taken))?);
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
fn serve(mut slot: Slot, taken: &Mutex<SlotQueue>) {
    loop {
        // Held while it waits: whoever is next gets the next one.
        let next = lock(taken).next(&slot.shared.pool);
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
