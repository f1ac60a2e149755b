//! A program that is asked again and again: built once, and run in one sandbox.

use std::sync::Arc;

use crate::cli::session::{Piece, Session};
use crate::domain::{Cause, Fault, Groups, TestKind, TestRef, TestResult};
use crate::explain::search::{Ask, Inputs, Reply, simpler_texts};
use crate::judge::{Grader, Judged, Memory, Rules, Station, judge};
use crate::package::{Oracle, Package, PackageProgram, Test, Validator};
use crate::sandbox::{Runner, retry_shortage};
use crate::util::hash::digest;

/// A program and its sandbox.
pub struct Measured<'s> {
    session: &'s Session,
    piece: &'s Piece,
    station: Station<'s>,
    known: Memory,
    /// The package without its tests.
    bare: Package,
    /// Told of each run.
    watch: &'s (dyn Fn() + Sync),
}

impl<'s> Measured<'s> {
    pub fn new(
        session: &'s Session,
        piece: &'s Piece,
        runner: &'s mut dyn Runner,
        watch: &'s (dyn Fn() + Sync),
    ) -> Self {
        let machine = Arc::clone(&session.machine);
        let mut bare = Package::clone(&piece.package);
        bare.tests = Vec::new();
        bare.groups = Groups::default();
        Self {
            session,
            piece,
            station: Station::new(runner, &session.toolchain, machine),
            known: Memory::default(),
            bare,
            watch,
        }
    }

    /// Judges the program on all tests of its package.
    pub fn judge(&mut self) -> Result<Judged, Fault> {
        let rules = self.session.rules();
        self.judge_on(&Arc::clone(&self.piece.package), &rules)
    }

    fn judge_on(&mut self, package: &Package, rules: &Rules) -> Result<Judged, Fault> {
        let fault = |why| Fault::new("find the language", why);
        let (language, version) = self.session.language(self.piece).map_err(fault)?;
        retry_shortage(|| {
            let mut grader = Grader {
                worker: &mut self.station,
                toolchain: &self.session.toolchain,
                archive: &self.known,
                sink: &mut &self.known,
                rules: rules.clone(),
            };
            judge(&mut grader, &self.piece.source, language, &version, package)
        })
    }
}

impl Ask for Measured<'_> {
    fn ask(&mut self, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Result<Reply, Fault> {
        let name = TestRef {
            name: "counterexample".to_owned(),
            kind: TestKind::Secret,
            group: None,
            input: digest(input),
            expected: digest(expected),
        };
        let mut package = self.bare.clone();
        package.tests.push(Test {
            name,
            file: package.folder.clone(),
            input: Arc::clone(input),
            expected: Arc::clone(expected),
            notes: Vec::new(),
        });
        let rules = Rules {
            repeat_near_limit: false,
            ..self.session.rules()
        };
        let judged = self.judge_on(&package, &rules)?;
        self.known.forget_runs();
        (self.watch)();
        let charged = |run: &TestResult| match run.cause {
            Some(Cause::Wall | Cause::Idle) => run.wall,
            _ => run.cpu,
        };
        Ok(Reply {
            verdict: judged.judgement.verdict,
            printed: judged.printed.unwrap_or_default(),
            cost: judged.judgement.tests.iter().map(charged).sum(),
        })
    }
}

/// The inputs of a package with a validator and a reference of its own.
pub struct ByPrograms<'p> {
    pub oracle: &'p mut dyn Oracle,
    pub package: &'p Package,
    pub validator: &'p Validator,
    pub reference: &'p PackageProgram,
}

impl Inputs for ByPrograms<'_> {
    fn expected(&mut self, input: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        if self.oracle.validate(self.validator, input)?.is_err() {
            return Ok(None);
        }
        let answer = self.oracle.answer(self.package, self.reference, input)?;
        Ok(answer.ok())
    }

    fn simpler(&self, input: &[u8]) -> Vec<Vec<u8>> {
        simpler_texts(input)
    }
}
