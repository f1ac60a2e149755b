//! Does an order: the only part of judging that needs a sandbox. It knows no store, so it runs the
//! same in a thread of the
//! daemon, in a command, and in a worker that has neither problems nor submissions.

mod helper;
mod program;
mod station;
mod steps;

use super::order::{Ended, Order, SHAPE, Sink, Source, Step, Work, Worker};
use crate::domain::{Failures, Fault, Verdict};
use station::Measuring;
pub use station::Station;
use steps::{Found, Tests};

impl Worker for Station<'_> {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        measure(order, self, source, sink)
    }
}

/// Does an order, and hands over each fact as soon as it is known.
pub fn measure(
    order: &Order,
    station: &mut Station<'_>,
    source: &dyn Source,
    sink: &mut dyn Sink,
) -> Result<Ended, Fault> {
    if order.shape != SHAPE {
        return Err(Fault::new(
            "take an order",
            format!(
                "it has shape {}, and this version knows {SHAPE}",
                order.shape
            ),
        ));
    }
    let mut measuring = Measuring {
        order,
        station,
        source,
        sink,
        stopped: false,
    };
    let ended = measuring.work();
    if ended.is_err() {
        station.room = None;
    }
    ended
}

impl Measuring<'_, '_> {
    fn work(&mut self) -> Result<Ended, Fault> {
        let order = self.order;
        let Work::Judge {
            program,
            how,
            steps,
            of,
            stop_at_first_failure,
            groups,
            repeat_near_limit,
        } = &order.work
        else {
            return self.help();
        };
        let tests = Tests {
            program: program.as_ref(),
            how,
            repeat_near_limit: *repeat_near_limit,
            of: *of,
        };
        if let Some(program) = program
            && program.built.is_none()
            && self.program(program, true)?.is_err()
        {
            return Ok(Ended::Done);
        }
        let mut failures = Failures::new(groups, *stop_at_first_failure);
        for step in steps {
            let group = step.test().group;
            if failures.stop(group) {
                continue;
            }
            if self.stopped {
                return Ok(Ended::Stopped);
            }
            let found = match step {
                Step::Run { test, before } => self.run(&tests, test, before.as_deref())?,
                Step::Ask { test, output } => self.ask(&tests, test, output)?,
            };
            match found {
                Found::Gone => return Ok(Ended::Lost),
                Found::Verdict(verdict) => failures.note(group, verdict),
                // What its failure would make needless waits until that is certain.
                Found::Near => failures.note(group, Verdict::TimeLimit),
            }
        }
        Ok(Ended::Done)
    }
}
