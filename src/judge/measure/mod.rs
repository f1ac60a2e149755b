//! Does an order: the only part of judging that needs a sandbox. It knows no store, so it runs the
//! same in a thread of the daemon, in a command, and in a worker that has neither problems nor
//! submissions.

mod program;
mod steps;
mod talk;

use self::program::{BuildOutcome, Measuring};
use self::steps::Found;
use super::order::{
    Ended, Fact, JudgeWork, ORDER_VERSION, Order, Sink, Source, Step, Work, Worker,
};
use crate::domain::{Failures, Fault, Verdict};
pub use program::Station;

impl Worker for Station<'_> {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        if order.version != ORDER_VERSION {
            let version = order.version;
            return Err(Fault::new(
                "take an order",
                format!("its version is {version}, and {ORDER_VERSION} is known here"),
            ));
        }
        let mut measuring = Measuring {
            order,
            station: self,
            source,
            sink,
            stopped: false,
        };
        let ended = match &order.work {
            Work::Judge(work) => measuring.judge(work),
            Work::Call { helper, run } => measuring
                .call(helper, run.as_ref(), None)
                .and_then(|outcome| measuring.tell(&Fact::Called(outcome), &[]))
                .map(|()| Ended::Done),
        };
        if ended.is_err() {
            (self.room, self.partners_room) = (None, None);
        }
        ended
    }
}

impl Measuring<'_, '_> {
    fn judge(&mut self, work: &JudgeWork) -> Result<Ended, Fault> {
        if let Some(program) = &work.program
            && program.built.is_none()
            && matches!(self.program(program, true)?, BuildOutcome::Failed(..))
        {
            return Ok(Ended::Done);
        }
        let mut failures = Failures::new(&work.groups, work.stop_at_first_failure);
        for step in &work.steps {
            let group = step.test().group;
            if failures.stop(group) {
                continue;
            }
            if self.stopped {
                return Ok(Ended::Stopped);
            }
            let found = match step {
                Step::Run { test, before } => self.run(work, test, before.as_deref())?,
                Step::Ask { test, output } => self.ask(work, test, output)?,
            };
            match found {
                Found::Gone => return Ok(Ended::Lost),
                Found::Verdict(verdict) => failures.note(group, verdict),
                // What its failure would make needless waits until that is certain.
                Found::NearLimit => failures.note(group, Verdict::TimeLimit),
            }
        }
        Ok(Ended::Done)
    }
}
