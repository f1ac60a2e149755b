//! The oracle of package reading: each question is a call, made at once; what its outcome means is
//! remembered where facts are kept.

use std::sync::Arc;

use super::case::{checker_of, helper, spec};
use super::grade::{Grader, OrderBlobs};
use super::keys;
use super::order::{
    Bytes, CallEnd, CallOutcome, CallRun, Fact, Flow, Helper, ORDER_VERSION, Order, Sink, Work,
};
use super::protocol::{
    answer, checker_run, compared, ended, reference_run, validator_run, validity,
};
use super::vouch::{prove, vouch};
use crate::domain::bounds::TEST_FILE_BYTES_MAX;
use crate::domain::{Compared, Complaint, Digest, Fault, ProblemSlug, ending};
use crate::package::{
    Case, Checker, Example, Oracle, Package, PackageProgram, Protocol, Test, Trouble, Validator,
};
use crate::toolchain::Unresolved;
use crate::util::hash::digest;

/// Asks the programs of packages.
pub struct SandboxOracle<'a> {
    grader: Grader<'a>,
}

impl<'a> SandboxOracle<'a> {
    /// An oracle that runs programs with these. The runner may be one [on
    /// demand](crate::sandbox::SandboxRunner): it is not touched where everything is known.
    pub fn new(grader: Grader<'a>) -> Self {
        Self { grader }
    }

    /// A program that is told nothing beside its input.
    fn plain(&self, program: &PackageProgram) -> Helper {
        let toolchain = self.grader.toolchain;
        helper(toolchain, program, Protocol::Icpc, program.digest)
    }

    /// Has a program of a package built, and run if there is something to run it on.
    fn call(
        &mut self,
        helper: &Helper,
        program: &PackageProgram,
        bytes: &[&Arc<[u8]>],
        run: Option<CallRun>,
    ) -> Result<CallOutcome, Trouble> {
        if helper.program.language.is_none() {
            let (path, extension) = (&helper.path, ending(&program.name));
            return Err(Complaint::new(
                path,
                format!("`{path}`: no language has the extension `{extension}`; `verdictd doctor` lists those that there are"),
            )
            .into());
        }
        let grader = &mut self.grader;
        let mut helper = helper.clone();
        if let Some(build) = grader.archive.build(&helper.program.key)? {
            helper.program.built = build.result.ok();
        }
        let mut blobs = OrderBlobs::new(grader.archive);
        blobs.add_program(program, grader.toolchain);
        for bytes in bytes {
            blobs.add(bytes);
        }
        let order = Order {
            version: ORDER_VERSION,
            problem: ProblemSlug::new("package")
                .map_err(|error| Fault::new("name a package", error))?,
            sandbox: grader.rules.policy,
            build: grader.rules.build.clone(),
            work: Work::Call { helper, run },
        };
        let mut outcome = Outcome {
            sink: grader.sink,
            outcome: None,
        };
        grader.worker.measure(&order, &blobs, &mut outcome)?;
        let silent = || Fault::new("ask a program of the package", "it has not answered");
        Ok(outcome.outcome.ok_or_else(silent)?)
    }

    /// The same for a program that has to be run.
    fn run(
        &mut self,
        helper: &Helper,
        program: &PackageProgram,
        bytes: &[&Arc<[u8]>],
        run: CallRun,
    ) -> Result<CallEnd, Trouble> {
        Ok(ended(
            helper,
            self.call(helper, program, bytes, Some(run))?,
        )?)
    }
}

impl Grader<'_> {
    /// Remembers what was found out.
    pub(super) fn keep_answer(&mut self, question: Digest, bytes: &Arc<[u8]>) -> Result<(), Fault> {
        let answer = digest(bytes);
        let fact = Fact::Answered { question, answer };
        let bytes = [(answer, Arc::clone(bytes))];
        self.sink.fact(&fact, &bytes).map(drop)
    }
}

/// Waits for the outcome of a call.
struct Outcome<'r> {
    sink: &'r mut dyn Sink,
    outcome: Option<CallOutcome>,
}

impl Sink for Outcome<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        if let Fact::Called(outcome) = fact {
            self.outcome = Some(outcome.clone());
        }
        self.sink.fact(fact, bytes)
    }
}

impl Oracle for SandboxOracle<'_> {
    fn build(&mut self, program: &PackageProgram) -> Result<(), Trouble> {
        let helper = self.plain(program);
        let known = self.grader.archive.build(&helper.program.key)?;
        if known.is_some_and(|build| build.result.is_ok()) {
            return Ok(());
        }
        match self.call(&helper, program, &[], None)? {
            CallOutcome::Built => Ok(()),
            outcome => Ok(ended(&helper, outcome).map(drop)?),
        }
    }

    fn has_language(&mut self, program: &PackageProgram) -> Result<bool, Trouble> {
        let toolchain = self.grader.toolchain;
        let language = toolchain.language_of_program(&program.name, &program.source);
        match language.map(|language| toolchain.identify(language.id())) {
            Some(Ok(_)) => Ok(true),
            None | Some(Err(Unresolved::Missing { .. })) => Ok(false),
            Some(Err(Unresolved::Fault(fault))) => Err(fault.into()),
        }
    }

    fn validate(&mut self, validator: &Validator, bytes: &Arc<[u8]>) -> Result<(), Trouble> {
        let (program, protocol) = (&validator.program, validator.protocol);
        let how = (protocol, validator.arguments.as_slice());
        let helper = helper(self.grader.toolchain, program, protocol, program.digest);
        let input = digest(bytes);
        let sandbox = &self.grader.rules.policy;
        let question = keys::validity(&helper.program.key, how, &input, sandbox);
        if self.grader.archive.answer(&question)?.is_some() {
            return Ok(());
        }
        let end = self.run(
            &helper,
            program,
            &[bytes],
            validator_run(input, &validator.arguments),
        )?;
        validity(&helper, &end)?;
        Ok(self.grader.keep_answer(question, &Arc::from([]))?)
    }

    fn generate(
        &mut self,
        generator: &PackageProgram,
        arguments: &[String],
    ) -> Result<Vec<u8>, Trouble> {
        let helper = self.plain(generator);
        let mut run = validator_run(digest(b""), arguments);
        (run.stdin, run.caps.output_bytes) = (None, TEST_FILE_BYTES_MAX);
        let end = self.run(&helper, generator, &[], run)?;
        Ok(answer(&helper, &end, TEST_FILE_BYTES_MAX)?)
    }

    fn answer(
        &mut self,
        package: &Package,
        reference: &PackageProgram,
        bytes: &Arc<[u8]>,
    ) -> Result<Arc<[u8]>, Trouble> {
        let toolchain = self.grader.toolchain;
        let helper = self.plain(reference);
        let Some(language) = toolchain.language_of_program(&reference.name, &reference.source)
        else {
            return self.build(reference).map(|()| Arc::from([]));
        };
        let spec = spec(package, language, toolchain, &self.grader.rules);
        let input = digest(bytes);
        let question = keys::answer(&helper.program.key, &input, &spec.policy);
        if let Some(answer) = self.grader.archive.answer(&question)? {
            return Ok(answer);
        }
        let run = reference_run(&spec, input);
        let end = self.run(&helper, reference, &[bytes], run)?;
        let answer = Arc::from(answer(&helper, &end, spec.limits.output_bytes)?);
        self.grader.keep_answer(question, &answer)?;
        Ok(answer)
    }

    fn check(&mut self, checker: &Checker, case: &Case<'_>) -> Result<Compared, Trouble> {
        let mut helper = checker_of(self.grader.toolchain, checker);
        if let Some(told) = case.told {
            helper.arguments.clone_from(told);
        }
        let bytes = [case.input, case.answer, case.output];
        let digests: [Digest; 3] = bytes.map(|bytes| digest(bytes));
        let [input, expected, output] = &digests;
        let question = keys::comparison(&helper.id, input, expected, output);
        let question = keys::told_instead(question, case.told);
        if let Some(compared) = self.grader.archive.comparison(&question)? {
            return Ok(compared);
        }
        let run = checker_run(&helper, digests);
        let end = self.run(&helper, &checker.program, &bytes, run)?;
        let compared = compared(&helper, &end, case.output)?;
        let fact = Fact::Compared {
            question,
            compared: compared.clone(),
            is_unique: true,
        };
        self.grader.sink.fact(&fact, &[])?;
        Ok(compared)
    }

    fn prove(&mut self, package: &Package, example: &Example) -> Result<(), Trouble> {
        prove(&mut self.grader, package, example)
    }

    fn vouch(&mut self, package: &Package, test: &Test) -> Result<Vec<String>, Trouble> {
        vouch(&mut self.grader, package, test)
    }
}
