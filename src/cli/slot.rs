//! One of the workers of a command: judges programs one after the other.

use std::sync::Arc;

use super::session::{Piece, Session};
use crate::domain::Fault;
use crate::judge::{Grader, Judged, Layered, Memory, Station, judge};
use crate::sandbox::{SandboxRunner, retry_shortage};
use crate::store::Reader;
use crate::util::pool::side_by_side;

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

/// Judges programs side by side; each result is handed over in the order of the programs, with
/// what stands beside its program.
pub fn judge_all<T: Sync>(
    session: &Session,
    pieces: &[(Piece, T)],
    known: Recalled,
    mut done: impl FnMut(&Piece, &T, Result<Judged, Fault>),
) {
    side_by_side(
        session.config.judge.workers.count(),
        pieces.len(),
        |number| WorkerSlot::new(session, number, known),
        |slot, at| slot.judge(&pieces[at].0),
        |at, result| done(&pieces[at].0, &pieces[at].1, result),
    );
}

/// One worker, with a number of its own.
pub struct WorkerSlot<'s> {
    session: &'s Session,
    number: usize,
    known: Recalled,
    reader: Option<Reader>,
    runner: SandboxRunner,
    /// What was measured of the latest program.
    pub measured: Memory,
}

impl<'s> WorkerSlot<'s> {
    pub fn new(session: &'s Session, number: usize, known: Recalled) -> Self {
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

    fn try_to_judge(&mut self, piece: &Piece) -> Result<Judged, Fault> {
        let session = self.session;
        let (language, version) = session
            .language(piece)
            .map_err(|why| Fault::new("find the language", why))?;
        let (memory, recalls_runs) = match self.known {
            Recalled::OfThisCommand => (&session.facts, true),
            Recalled::OfTheStore { runs } => {
                if self.reader.is_none() {
                    let reader = Reader::open(&session.config.folders.state);
                    self.reader =
                        Some(reader.map_err(|error| Fault::new("open the store", error))?);
                }
                (&self.measured, runs)
            }
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
