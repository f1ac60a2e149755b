//! The oracle of package reading: programs of packages, run in the sandbox; what they said is remembered where facts are kept.

use std::sync::Arc;

use super::execute::Bench;
use super::programs::Programs;
use super::vouch::vouch;
use crate::domain::{Compared, Verdict};
use crate::package::{Case, Checker, Oracle, Package, PackageProgram, Said, Test, Validator};
use crate::util::hash::{Key, digest};

/// Asks the programs of packages.
pub struct SandboxOracle<'a> {
    bench: Bench<'a>,
    programs: Programs,
}

impl<'a> SandboxOracle<'a> {
    /// An oracle that runs programs with these. The runner may be one [on demand](crate::sandbox::OnDemand): it is not touched where everything is known.
    pub fn new(bench: Bench<'a>) -> Self {
        Self {
            bench,
            programs: Programs::default(),
        }
    }
}

impl Oracle for SandboxOracle<'_> {
    fn build(&mut self, program: &PackageProgram) -> Said<()> {
        self.programs.build(&mut self.bench, program)
    }

    fn validate(&mut self, validator: &Validator, input: &Arc<[u8]>) -> Said<()> {
        self.programs.validate(&mut self.bench, validator, input)
    }

    fn answer(
        &mut self,
        package: &Package,
        reference: &PackageProgram,
        input: &Arc<[u8]>,
    ) -> Said<Arc<[u8]>> {
        self.programs
            .answer(&mut self.bench, package, reference, input)
    }

    /// Of what a checker says while packages are read, only that it accepts is remembered: anything else is fixed and asked again.
    fn check(&mut self, checker: &Checker, case: &Case<'_>) -> Said<Compared> {
        let question = Key::new("accepts")
            .part(checker.key().as_bytes())
            .part(&digest(case.input).0)
            .part(&digest(case.answer).0)
            .part(&digest(case.output).0)
            .part(&self.bench.rules.policy.0)
            .finish();
        if self.bench.facts.answer(question)?.is_some() {
            return Ok(Ok(Compared {
                expected: digest(case.answer),
                mode: checker.key(),
                verdict: Verdict::Accepted,
                cause: None,
                difference: None,
                words: None,
                judge_message: None,
            }));
        }
        let said = self.programs.check(&mut self.bench, checker, case)?;
        if said
            .as_ref()
            .is_ok_and(|compared| compared.verdict == Verdict::Accepted)
        {
            self.bench.facts.keep_answer(question, &Arc::from([]))?;
        }
        Ok(said)
    }

    fn vouch(&mut self, package: &Package, test: &Test) -> Said<()> {
        let said = vouch(&mut self.bench, package, test);
        // The examples were run in rooms of their own.
        self.programs.room = None;
        said
    }
}
