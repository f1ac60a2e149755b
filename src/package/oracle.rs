//! What a package needs the sandbox for while it is read. This layer only asks; a higher one runs
//! the programs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::contents::{Package, Test};
use super::program::{Checker, PackageProgram, Validator};
use crate::domain::{Compared, Fault};

/// What a program of a package refused, or what is wrong with the program itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// Line and column of the input, from 1, if it says them.
    pub place: Option<(usize, usize)>,
    /// The reason: one printable, bounded line.
    pub reason: String,
}

impl Complaint {
    /// A complaint without a place.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            place: None,
            reason: reason.into(),
        }
    }
}

/// A result, or a complaint that is the package's to fix; a fault is neither's.
pub type Said<T> = Result<Result<T, Complaint>, Fault>;

/// An output that a checker is asked about, and what it needs to know.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub input: &'a Arc<[u8]>,
    /// The answer of the jury.
    pub answer: &'a Arc<[u8]>,
    /// The output in question.
    pub output: &'a Arc<[u8]>,
}

/// Runs the programs of packages. Each of its answers may be remembered: the programs have to be
/// deterministic.
///
/// Without a method of its own, an oracle has no sandbox, which is a fault.
pub trait Oracle {
    /// Builds a program; the complaint has the compiler's words.
    fn build(&mut self, _program: &PackageProgram) -> Said<()> {
        Err(no_sandbox())
    }
    /// Whether an input is valid.
    fn validate(&mut self, _validator: &Validator, _input: &Arc<[u8]>) -> Said<()> {
        Err(no_sandbox())
    }
    /// What the reference of a package prints for an input.
    fn answer(
        &mut self,
        _package: &Package,
        _reference: &PackageProgram,
        _input: &Arc<[u8]>,
    ) -> Said<Arc<[u8]>> {
        Err(no_sandbox())
    }
    /// What a checker says of an output. The complaint: it says nothing, because it failed itself.
    fn check(&mut self, _checker: &Checker, _case: &Case<'_>) -> Said<Compared> {
        Err(no_sandbox())
    }
    /// Whether the package's accepted examples pass a test that is to join; which of them could not
    /// be tried on this machine, each with the reason. The complaint: which of them fails, and how.
    fn vouch(&mut self, _package: &Package, _test: &Test) -> Said<Vec<String>> {
        Err(no_sandbox())
    }
}

fn no_sandbox() -> Fault {
    Fault::new("run a program of the package", "there is no sandbox here")
}

/// The oracle without a sandbox: packages that need none are read as ever.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOracle;

impl Oracle for NoOracle {
    /// Nobody is judged with a package that was read without a sandbox.
    fn vouch(&mut self, _package: &Package, _test: &Test) -> Said<Vec<String>> {
        Ok(Ok(Vec::new()))
    }
}

/// The oracle for what a package says of itself: its title, its limits, its tests. It believes that
/// the package's programs do their work, so nobody may be judged by a package that was read with
/// it; a hack that they would refuse counts as a test.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustingOracle;

impl Oracle for TrustingOracle {
    fn build(&mut self, _program: &PackageProgram) -> Said<()> {
        Ok(Ok(()))
    }

    fn validate(&mut self, _validator: &Validator, _input: &Arc<[u8]>) -> Said<()> {
        Ok(Ok(()))
    }

    fn answer(
        &mut self,
        _package: &Package,
        _reference: &PackageProgram,
        _input: &Arc<[u8]>,
    ) -> Said<Arc<[u8]>> {
        Ok(Ok(Arc::from([])))
    }

    fn check(&mut self, _checker: &Checker, _case: &Case<'_>) -> Said<Compared> {
        Ok(Ok(Compared::accepted()))
    }

    fn vouch(&mut self, _package: &Package, _test: &Test) -> Said<Vec<String>> {
        Ok(Ok(Vec::new()))
    }
}
