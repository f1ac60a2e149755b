//! The workers: a thread and a sandbox each. They do orders, hand back each fact as soon as it is
//! known, and know no store.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use tokio::sync::mpsc::Sender;

use super::activity::Activity;
use super::inbox::{crew, next};
use super::message::Message;
use super::shared::Shared;
use crate::domain::{Compared, Digest, Fault, Submission};
use crate::judge::Station;
use crate::judge::order::{Blob, Bytes, Ended, Fact, Go, Order, Progress, Sink, Source, Worker};
use crate::sandbox::{Runner, Sandbox};
use crate::toolchain::Toolchain;

/// Facts of one order that may wait to be kept; a worker with one more waits.
const FACTS_MAX: usize = 16;

/// An order on its way to a worker.
pub struct Task {
    order: Order,
    /// The bytes that it needs in any case, so that the worker does not wait for them.
    bytes: HashMap<Digest, Arc<[u8]>>,
    toolchain: Arc<Toolchain>,
    /// For those who look on.
    submission: Submission,
    what: Arc<str>,
    planner: SyncSender<FromWorker>,
}

enum FromWorker {
    Fact(Fact, Vec<Blob>),
    /// These bytes are needed too.
    Blob(Digest, SyncSender<Result<Option<Arc<[u8]>>, Fault>>),
    /// Was this asked before?
    Opinion(Digest, SyncSender<Result<Option<Compared>, Fault>>),
    Ended(Result<Ended, Fault>),
}

/// The workers, for whoever brings a submission to its judgement.
pub struct Workers<'a> {
    /// Orders that wait.
    pub orders: &'a SyncSender<Task>,
    /// The languages that the orders name.
    pub toolchain: &'a Arc<Toolchain>,
    /// What is judged, for those who look on.
    pub submission: &'a Submission,
    /// What it is called in messages.
    pub what: &'a Arc<str>,
    /// Is called as soon as an order waits.
    pub queued: &'a mut dyn FnMut(),
}

impl Worker for Workers<'_> {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        let mut bytes = HashMap::new();
        for digest in order.needs() {
            bytes.extend(source.blob(digest)?.map(|blob| (*digest, blob)));
        }
        let (planner, replies) = sync_channel(FACTS_MAX);
        let task = Task {
            order: order.clone(),
            bytes,
            toolchain: Arc::clone(self.toolchain),
            submission: self.submission.clone(),
            what: Arc::clone(self.what),
            planner,
        };
        self.orders.send(task).map_err(|_| gone())?;
        (self.queued)();
        for reply in replies {
            match reply {
                // Where this returns early, the worker stops at its next fact.
                FromWorker::Fact(fact, bytes) => match sink.fact(&fact, &bytes)? {
                    Go::On => {}
                    Go::Stop => return Ok(Ended::Stopped),
                },
                // A worker that does not wait for the answer has failed, and says so.
                FromWorker::Blob(digest, asked) => drop(asked.send(source.blob(&digest))),
                FromWorker::Opinion(question, asked) => drop(asked.send(source.opinion(&question))),
                FromWorker::Ended(ended) => return ended,
            }
        }
        Err(gone())
    }
}

fn gone() -> Fault {
    Fault::new("measure", "the thread at the other end is gone")
}

/// Starts the workers. They end when nobody can give them orders any more.
pub fn start(
    count: usize,
    shared: &Arc<Shared>,
    messages: &Sender<Message>,
) -> std::io::Result<(SyncSender<Task>, Vec<JoinHandle<()>>)> {
    let (shared, messages) = (Arc::clone(shared), messages.clone());
    crew("worker", count, count, move |index, orders| {
        let mut worker = WorkerThread {
            index,
            sandbox: &shared.sandbox,
            machine: &shared.machine,
            activity: &shared.activity,
            messages: &messages,
            runner: None,
        };
        worker.work(orders);
    })
}

struct WorkerThread<'a> {
    index: usize,
    sandbox: &'a Sandbox,
    machine: &'a Arc<str>,
    activity: &'a Activity,
    messages: &'a Sender<Message>,
    runner: Option<Box<dyn Runner>>,
}

impl WorkerThread<'_> {
    fn work(&mut self, orders: &Mutex<Receiver<Task>>) {
        while let Some(task) = next(orders) {
            self.activity.begin(self.index, &task.submission);
            let measure = AssertUnwindSafe(|| self.measure(&task));
            // One submission never stops the others, not even by a bug of ours.
            let ended = catch_unwind(measure).unwrap_or_else(|_| {
                let reason = "a bug in verdictd; see standard error";
                Err(Fault::new("judge", reason))
            });
            if ended.is_err() {
                // Whatever failed, the next order gets a fresh sandbox.
                self.runner = None;
            }
            self.activity.end(self.index);
            // Whoever wants no more of it does not wait for its end either.
            let _ = task.planner.send(FromWorker::Ended(ended));
            // A closed channel means that the daemon is ending.
            if self
                .messages
                .blocking_send(Message::Idle(self.index))
                .is_err()
            {
                return;
            }
        }
    }

    fn measure(&mut self, task: &Task) -> Result<Ended, Fault> {
        let runner = match &mut self.runner {
            Some(runner) => runner,
            none => none.insert(self.sandbox.runner(self.index)?),
        };
        let machine = Arc::clone(self.machine);
        let mut station = Station::new(runner.as_mut(), &task.toolchain, machine);
        let planner = Planner {
            task,
            index: self.index,
            activity: self.activity,
            messages: self.messages,
        };
        station.measure(&task.order, &planner, &mut &planner)
    }
}

/// Where an order's bytes come from and its facts go, at the worker's end.
struct Planner<'a> {
    task: &'a Task,
    index: usize,
    activity: &'a Activity,
    messages: &'a Sender<Message>,
}

impl Planner<'_> {
    fn ask<T>(&self, question: impl FnOnce(SyncSender<T>) -> FromWorker) -> Result<T, Fault> {
        let (asked, answer) = sync_channel(1);
        let sent = self.task.planner.send(question(asked));
        sent.map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())
    }
}

impl Source for Planner<'_> {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.task.bytes.get(digest) {
            Some(bytes) => Ok(Some(Arc::clone(bytes))),
            None => self.ask(|asked| FromWorker::Blob(*digest, asked))?,
        }
    }

    fn opinion(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        self.ask(|asked| FromWorker::Opinion(*question, asked))?
    }
}

impl Sink for &Planner<'_> {
    fn begins(&mut self, progress: Progress) {
        self.activity.step(self.index, progress);
        // News may be dropped when nobody keeps up with it.
        let _ = self.messages.try_send(Message::Progress {
            worker: self.index,
            what: Arc::clone(&self.task.what),
            progress,
        });
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        let fact = FromWorker::Fact(fact.clone(), bytes.to_vec());
        let is_taken = self.task.planner.send(fact).is_ok();
        Ok(if is_taken { Go::On } else { Go::Stop })
    }
}
