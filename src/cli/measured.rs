//! A program that is run again and again, for the commands that try it on further inputs.

use std::sync::Arc;

use super::session::{Piece, Session};
use crate::domain::Fault;
use crate::explain::{About, Measured, Place};
use crate::judge::Station;
use crate::store::Reader;

/// Where it is run.
pub struct Runs<'a> {
    /// The number of a sandbox that nobody else uses meanwhile.
    pub number: usize,
    /// Where builds and runs are looked up that are known already.
    pub store: Option<&'a Reader>,
    /// Hears of each run.
    pub watch: &'a (dyn Fn() + Sync),
}

/// Does something with a program.
pub fn with_program<T>(
    session: &Session,
    piece: &Piece,
    runs: &Runs<'_>,
    work: impl FnOnce(&mut Measured<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let language = session.language(piece);
    let (language, version) = language.map_err(|why| Fault::new("find the language", why))?;
    let mut runner = session.sandbox.runner(runs.number);
    let machine = Arc::clone(&session.machine);
    let mut station = Station::new(&mut runner, &session.toolchain, machine);
    let about = About {
        source: &piece.source,
        language,
        version: &version,
        toolchain: &session.toolchain,
        package: &piece.package,
    };
    let place = Place {
        worker: &mut station,
        store: runs.store,
        rules: session.rules(),
    };
    work(&mut Measured::new(about, place, runs.watch))
}
