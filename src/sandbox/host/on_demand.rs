//! A runner that is made when it is first needed, and anew after a fault.

use super::retry::retry_shortage;
use super::sandbox::Sandbox;
use crate::domain::{Fault, FaultKind};
use crate::sandbox::cancel::Cancel;
use crate::sandbox::job::{Job, Outcome, Room, Runner};

/// A place for a runner.
pub struct OnDemand<'a> {
    sandbox: &'a Sandbox,
    index: usize,
    runner: Option<Box<dyn Runner>>,
    cancel: Option<Cancel>,
}

impl<'a> OnDemand<'a> {
    /// A runner that will be made as `sandbox.runner(index)` makes it.
    pub fn new(sandbox: &'a Sandbox, index: usize) -> Self {
        Self {
            sandbox,
            index,
            runner: None,
            cancel: None,
        }
    }
}

impl Runner for OnDemand<'_> {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        retry_shortage(|| {
            let mut runner = match self.runner.take() {
                Some(runner) => runner,
                None => self.sandbox.runner(self.index)?,
            };
            runner.heed(self.cancel.as_ref());
            runner.enter(room)?;
            self.runner = Some(runner);
            Ok(())
        })
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let mut runner = self
            .runner
            .take()
            .ok_or_else(|| Fault::new("run a program", "no room was entered"))?;
        let outcome = runner.run(job);
        let is_sound = match &outcome {
            Ok(_) => true,
            Err(fault) => fault.kind == FaultKind::Cancelled,
        };
        self.runner = is_sound.then_some(runner);
        outcome
    }

    fn heed(&mut self, cancel: Option<&Cancel>) {
        self.cancel = cancel.cloned();
    }
}
