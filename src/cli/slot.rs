//! The workers of a command: each judges programs one after the other, or tries them on further
//! inputs.

use std::sync::Arc;

use super::session::{Piece, Session};
use crate::domain::Fault;
use crate::explain::{About, Measured, Place};
use crate::judge::{Grader, Judged, Layered, Memory, Station, judge};
use crate::sandbox::{SandboxRunner, retry_shortage};
use crate::store::Reader;
use crate::util::sync::side_by_side;

/// What counts as known when a program is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recalled {
    /// What this command has found out.
    OfThisCommand,
    /// What the store has, which stays as it is.
    OfTheStore {
        /// Whether the store's runs count; otherwise everything is measured again.
        runs: bool,
    },
}

impl Session {
    /// Does something for each number below `count`, on as many workers as the course has; the
    /// results come in the order of the numbers.
    pub fn side_by_side<T: Send>(
        &self,
        known: Recalled,
        count: usize,
        work: impl Fn(&mut WorkerSlot<'_>, usize) -> T + Sync,
        done: impl FnMut(usize, T),
    ) {
        let begin = |number| WorkerSlot::new(self, number, known);
        side_by_side(self.config.judge.workers.count(), count, begin, work, done);
    }

    /// Judges programs side by side; each result is handed over in the order of the programs, with
    /// what stands beside its program.
    pub fn judge_all<T: Sync>(
        &self,
        pieces: &[(Piece, T)],
        known: Recalled,
        mut done: impl FnMut(&Piece, &T, Result<Judged, Fault>),
    ) {
        self.side_by_side(
            known,
            pieces.len(),
            |slot, at| slot.judge(&pieces[at].0),
            |at, result| done(&pieces[at].0, &pieces[at].1, result),
        );
    }
}

/// One worker, with a number of its own.
pub struct WorkerSlot<'s> {
    pub session: &'s Session,
    number: usize,
    known: Recalled,
    reader: Option<Reader>,
    runner: SandboxRunner,
    /// What was measured of the latest program.
    pub measured: Memory,
}

impl<'s> WorkerSlot<'s> {
    pub(super) fn new(session: &'s Session, number: usize, known: Recalled) -> Self {
        Self {
            session,
            number,
            known,
            reader: None,
            runner: session.sandbox.runner(number),
            measured: Memory::default(),
        }
    }

    /// Judges a program; a moment in which the machine is short of something is waited out.
    pub fn judge(&mut self, piece: &Piece) -> Result<Judged, Fault> {
        self.measured = Memory::default();
        retry_shortage(|| {
            let judged = self.try_to_judge(piece);
            if judged.is_err() {
                // Whatever failed, the next try gets a fresh sandbox.
                self.runner = self.session.sandbox.runner(self.number);
            }
            judged
        })
    }

    /// The store, where it says what is known.
    pub fn store(&mut self) -> Result<Option<&Reader>, Fault> {
        if self.reader.is_none() && self.known != Recalled::OfThisCommand {
            let reader = Reader::open(&self.session.config.folders.state);
            self.reader = Some(reader.map_err(|error| Fault::new("open the store", error))?);
        }
        Ok(self.reader.as_ref())
    }

    /// Does something with a program that is run again and again; `watch` hears of each run.
    pub fn with_program<T>(
        &mut self,
        piece: &Piece,
        watch: &(dyn Fn() + Sync),
        work: impl FnOnce(&mut Measured<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.store()?;
        let session = self.session;
        let (language, version) = session.language(piece)?;
        // Whatever became of the program before, this one gets a fresh sandbox.
        self.runner = session.sandbox.runner(self.number);
        let machine = Arc::clone(&session.machine);
        let mut station = Station::new(&mut self.runner, &session.toolchain, machine);
        let about = About {
            source: &piece.source,
            language,
            version: &version,
            toolchain: &session.toolchain,
            package: &piece.package,
        };
        let place = Place {
            worker: &mut station,
            store: self.reader.as_ref(),
            rules: session.rules(),
        };
        work(&mut Measured::new(about, place, watch))
    }

    fn try_to_judge(&mut self, piece: &Piece) -> Result<Judged, Fault> {
        self.store()?;
        let session = self.session;
        let (language, version) = session.language(piece)?;
        let (memory, recalls_runs) = match self.known {
            Recalled::OfThisCommand => (&session.facts, true),
            Recalled::OfTheStore { runs } => (&self.measured, runs),
        };
        let archive = Layered {
            memory,
            store: self.reader.as_ref(),
            recalls_runs,
        };
        let toolchain = &session.toolchain;
        let machine = Arc::clone(&session.machine);
        let mut station = Station::new(&mut self.runner, toolchain, machine);
        let mut grader = Grader {
            worker: &mut station,
            toolchain,
            archive: &archive,
            sink: &mut &*memory,
            rules: session.rules(),
        };
        judge(
            &mut grader,
            &piece.source,
            language,
            &version,
            &piece.package,
        )
    }
}
