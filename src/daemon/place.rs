//! A place of this machine: a sandbox, used by one order after the other. It knows no store.

use std::sync::Arc;

use tokio::sync::mpsc::Sender;

use super::notice::Notice;
use super::shared::Shared;
use crate::domain::{Fault, Submission};
use crate::judge::Station;
use crate::judge::order::{Bytes, Ended, Fact, Flow, Order, Progress, Sink, Source, Worker};
use crate::places::{Machine, Place};
use crate::sandbox::{Cancel, SandboxRunner};
use crate::toolchain::Toolchain;

/// Whose runners of the sandbox come after those of the places: each thread that runs programs has
/// its own.
#[derive(Clone, Copy)]
pub enum RunnerOf {
    Packages,
    Languages,
    Identity,
    /// The first of the searchers', of which there are any number.
    Searchers,
}

impl RunnerOf {
    /// The number of the runner where there are so many places of this machine.
    pub fn number(self, places: usize) -> usize {
        places + self as usize
    }
}

/// A place of this machine.
struct LocalPlace {
    number: usize,
    shared: Arc<Shared>,
    toolchain: Arc<Toolchain>,
    notices: Sender<Notice>,
    runner: Option<SandboxRunner>,
    what: String,
}

/// Opens so many places of this machine. They end when the pool is closed.
pub fn open(
    count: usize,
    shared: &Arc<Shared>,
    toolchain: &Arc<Toolchain>,
    notices: &Sender<Notice>,
) {
    let place = |number| -> Place {
        Box::new(LocalPlace {
            number,
            shared: Arc::clone(shared),
            toolchain: Arc::clone(toolchain),
            notices: notices.clone(),
            runner: None,
            what: String::new(),
        })
    };
    if count > 0 {
        let machine = Machine::local(&shared.machine, count);
        shared.pool.open(machine, (0..count).map(place).collect());
    }
}

impl Worker for LocalPlace {
    fn is_for(&mut self, submission: &Submission, toolchain: &Arc<Toolchain>, _: Option<&Cancel>) {
        self.toolchain = Arc::clone(toolchain);
        let speed = &self.shared.speed;
        if speed.is_refusing() {
            speed.measure_if_due(&self.shared.pool);
        }
        self.what = submission.whose();
        self.shared.activity.begin(self.number, submission);
    }

    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        // One submission never stops the others, not even by a bug of ours.
        let ended = Fault::caught("judge", || self.measured(order, source, sink));
        if ended.is_err() {
            // Whatever failed, the next order gets a fresh sandbox.
            self.runner = None;
        }
        self.shared.activity.end(self.number);
        // News may be dropped when nobody keeps up with it.
        let _ = self.notices.try_send(Notice::Idle(self.number));
        ended
    }
}

impl LocalPlace {
    fn measured(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        let Self {
            number,
            shared,
            toolchain,
            notices,
            runner,
            what,
        } = self;
        let runner = match runner {
            Some(runner) => runner,
            none => none.insert(shared.sandbox.runner(*number)),
        };
        let mut station = Station::new(runner, toolchain, Arc::clone(&shared.machine));
        let mut shown = Shown {
            sink,
            number: *number,
            what,
            shared,
            notices,
        };
        station.measure(order, source, &mut shown)
    }
}

/// Shows how far an order is.
struct Shown<'a> {
    sink: &'a mut dyn Sink,
    number: usize,
    what: &'a str,
    shared: &'a Shared,
    notices: &'a Sender<Notice>,
}

impl Sink for Shown<'_> {
    fn begins(&mut self, progress: Progress) {
        self.shared.activity.step(self.number, progress);
        // News may be dropped when nobody keeps up with it.
        let _ = self.notices.try_send(Notice::Progress {
            worker: self.number,
            what: self.what.to_owned(),
            progress,
        });
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        self.sink.fact(fact, bytes)
    }
}
