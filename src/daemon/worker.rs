//! The workers: a thread and a sandbox each. They do orders, hand back each fact as soon as it is
//! known, and know no store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Sender;

use super::activity::Activity;
use super::message::Message;
use super::shared::Shared;
use crate::domain::{Compared, Digest, Fault};
use crate::fleet::{Orders, Place, Reply, Task};
use crate::judge::Station;
use crate::judge::order::{Bytes, Ended, Fact, Go, Progress, Sink, Source, Worker};
use crate::sandbox::{Runner, Sandbox};

/// Starts the workers. They end when the queue is closed and empty.
pub fn start(
    count: usize,
    shared: &Arc<Shared>,
    orders: &Arc<Orders>,
    messages: &Sender<Message>,
) -> std::io::Result<Vec<JoinHandle<()>>> {
    let place = Place::local(&shared.machine);
    if count > 0 {
        orders.arrives(place.clone(), count);
    }
    let start = |index| {
        let place = place.clone();
        let (shared, orders, messages) = (Arc::clone(shared), Arc::clone(orders), messages.clone());
        let thread = Builder::new().name(format!("worker-{index}"));
        thread.spawn(move || {
            let mut worker = WorkerThread {
                index,
                sandbox: &shared.sandbox,
                machine: &shared.machine,
                activity: &shared.activity,
                place,
                messages: &messages,
                runner: None,
            };
            worker.work(&orders, &shared);
        })
    };
    (0..count).map(start).collect()
}

struct WorkerThread<'a> {
    index: usize,
    sandbox: &'a Sandbox,
    machine: &'a Arc<str>,
    activity: &'a Activity,
    place: Place,
    messages: &'a Sender<Message>,
    runner: Option<Box<dyn Runner>>,
}

impl WorkerThread<'_> {
    fn work(&mut self, orders: &Orders, shared: &Shared) {
        while let Some(task) = orders.next(&self.place) {
            if shared.speed.is_refusing() {
                shared.speed.measure_if_due(&shared.machines);
            }
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
            let _ = task.tell(Reply::Ended(ended));
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

impl Source for Planner<'_> {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.task.blob(digest)
    }

    fn opinion(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        self.task.opinion(question)
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
        let mut task = self.task;
        task.fact(fact, bytes)
    }
}
