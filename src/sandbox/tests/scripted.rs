//! A runner that plays back written outcomes, for tests of the layers above.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::domain::{End, Fault};
use crate::sandbox::job::{Job, Outcome, Room, Runner};

/// Plays back; its clones share one script and one memory of what was asked.
#[derive(Debug, Clone, Default)]
pub struct Scripted {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    outcomes: VecDeque<Result<Outcome, Fault>>,
    rooms: Vec<Room>,
    jobs: Vec<Job>,
}

impl Scripted {
    /// Answers jobs with these, in order; a job too many is a fault.
    pub fn new(outcomes: impl IntoIterator<Item = Result<Outcome, Fault>>) -> Self {
        let scripted = Self::default();
        scripted.push(outcomes);
        scripted
    }

    /// Adds answers to the end.
    pub fn push(&self, outcomes: impl IntoIterator<Item = Result<Outcome, Fault>>) {
        self.state.lock().unwrap().outcomes.extend(outcomes);
    }

    /// The rooms that were entered, in order.
    pub fn rooms(&self) -> Vec<Room> {
        self.state.lock().unwrap().rooms.clone()
    }

    /// The jobs that were run, in order.
    pub fn jobs(&self) -> Vec<Job> {
        self.state.lock().unwrap().jobs.clone()
    }
}

impl Outcome {
    /// A run that exited with 0 after printing this.
    pub fn printed(stdout: impl Into<Vec<u8>>) -> Self {
        Self {
            end: End::Exited(0),
            stop: None,
            memory_exceeded: false,
            cpu: Duration::from_millis(1),
            wall: Duration::from_millis(2),
            waited: Duration::ZERO,
            memory_bytes: 1024 * 1024,
            stdout: stdout.into(),
            stderr: Vec::new(),
            files: Vec::new(),
            collect_overflow: false,
        }
    }
}

impl Runner for Scripted {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        self.state.lock().unwrap().rooms.push(room.clone());
        Ok(())
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let mut state = self.state.lock().unwrap();
        state.jobs.push(job.clone());
        let at_its_end = || Err(Fault::new("play back a run", "the script is at its end"));
        state.outcomes.pop_front().unwrap_or_else(at_its_end)
    }
}
