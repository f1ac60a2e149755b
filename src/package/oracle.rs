//! What a package needs the sandbox for while it is read. This layer only asks; a higher one runs
//! the programs.

use std::sync::Arc;

use super::contents::{Package, Test};
use super::error::Trouble;
use super::program::{Checker, Example, PackageProgram, Validator};
use crate::domain::{Compared, Fault};

/// An output that a checker is asked about, and what it needs to know.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    pub input: &'a Arc<[u8]>,
    /// The answer of the jury.
    pub answer: &'a Arc<[u8]>,
    /// The output in question.
    pub output: &'a Arc<[u8]>,
    /// Arguments of the checker for this test, where they are not those for all.
    pub told: Option<&'a Vec<String>>,
}

/// Runs the programs of packages. Each of its answers may be remembered: the programs have to be
/// deterministic.
///
/// What a program refuses, or what is wrong with the program itself, is a complaint that names the
/// program's file: whoever asks knows which file it was asked about.
/// Without a method of its own, an oracle has no sandbox, which is a fault.
pub trait Oracle {
    /// Builds a program; the complaint has the compiler's words.
    fn build(&mut self, _program: &PackageProgram) -> Result<(), Trouble> {
        Err(no_sandbox())
    }
    /// Whether the language of a program is installed: one that is not needed may be left alone.
    fn has_language(&mut self, _program: &PackageProgram) -> Result<bool, Trouble> {
        Ok(true)
    }
    /// Whether an input is valid.
    fn validate(&mut self, _validator: &Validator, _input: &Arc<[u8]>) -> Result<(), Trouble> {
        Err(no_sandbox())
    }
    /// What a generator of tests prints when it is given these arguments.
    fn generate(
        &mut self,
        _generator: &PackageProgram,
        _arguments: &[String],
    ) -> Result<Vec<u8>, Trouble> {
        Err(no_sandbox())
    }
    /// What the reference of a package prints for an input.
    fn answer(
        &mut self,
        _package: &Package,
        _reference: &PackageProgram,
        _input: &Arc<[u8]>,
    ) -> Result<Arc<[u8]>, Trouble> {
        Err(no_sandbox())
    }
    /// What a checker says of an output. The complaint: it says nothing, because it failed itself.
    fn check(&mut self, _checker: &Checker, _case: &Case<'_>) -> Result<Compared, Trouble> {
        Err(no_sandbox())
    }
    /// Whether an accepted example is right on every test of the package but hacks. The complaint:
    /// how it fails, or that it cannot be told.
    fn prove(&mut self, _package: &Package, _example: &Example) -> Result<(), Trouble> {
        Err(no_sandbox())
    }
    /// Whether the package's accepted examples pass a test that is to join; which of them could not
    /// be tried on this machine, each with the reason. The complaint: which of them fails, and how.
    fn vouch(&mut self, _package: &Package, _test: &Test) -> Result<Vec<String>, Trouble> {
        Err(no_sandbox())
    }
}

fn no_sandbox() -> Trouble {
    Fault::new("run a program of the package", "there is no sandbox here").into()
}

/// The oracle without a sandbox: packages that need none are read as ever.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOracle;

impl Oracle for NoOracle {
    /// Nobody is judged with a package that was read without a sandbox.
    fn vouch(&mut self, _package: &Package, _test: &Test) -> Result<Vec<String>, Trouble> {
        Ok(Vec::new())
    }
}

/// The oracle for what a package says of itself: its title, its limits, its tests. It believes that
/// the package's programs do their work, so nobody may be judged by a package that was read with
/// it; a hack that they would refuse counts as a test.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustingOracle;

impl Oracle for TrustingOracle {
    fn build(&mut self, _program: &PackageProgram) -> Result<(), Trouble> {
        Ok(())
    }

    fn validate(&mut self, _validator: &Validator, _input: &Arc<[u8]>) -> Result<(), Trouble> {
        Ok(())
    }

    fn answer(
        &mut self,
        _package: &Package,
        _reference: &PackageProgram,
        _input: &Arc<[u8]>,
    ) -> Result<Arc<[u8]>, Trouble> {
        Ok(Arc::from([]))
    }

    fn prove(&mut self, _package: &Package, _example: &Example) -> Result<(), Trouble> {
        Ok(())
    }

    fn check(&mut self, _checker: &Checker, _case: &Case<'_>) -> Result<Compared, Trouble> {
        Ok(Compared::accepted())
    }

    fn vouch(&mut self, _package: &Package, _test: &Test) -> Result<Vec<String>, Trouble> {
        Ok(Vec::new())
    }
}
