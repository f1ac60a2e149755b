//! The oracle of package reading: each question is an order, measured at once; what is answered is
//! remembered where facts
//! are kept.

use std::sync::Arc;

use super::case::{checker_of, helper, how};
use super::grade::{Grader, Near};
use super::order::{Bytes, Fact, Go, Helper, Order, SHAPE, Sink, Work};
use super::question;
use super::vouch::vouch;
use crate::domain::{Compared, Digest, Fault, ProblemSlug};
use crate::package::{
    Case, Checker, Complaint, Oracle, Package, PackageProgram, Protocol, Said, Test, Validator,
};

/// Asks the programs of packages.
pub struct SandboxOracle<'a> {
    grader: Grader<'a>,
}

impl<'a> SandboxOracle<'a> {
    /// An oracle that runs programs with these. The runner may be one [on
    /// demand](crate::sandbox::OnDemand): it is not touched where everything is known.
    pub fn new(grader: Grader<'a>) -> Self {
        Self { grader }
    }

    fn helper(&self, program: &PackageProgram, protocol: Protocol) -> Helper {
        helper(self.grader.toolchain, program, protocol, program.digest)
    }

    /// Gives an order for a program of a package, and takes what it says.
    fn ask(&mut self, work: Work, program: &PackageProgram, bytes: &[&Arc<[u8]>]) -> Said<Reply> {
        let grader = &mut self.grader;
        let mut work = work;
        let helper = match &mut work {
            Work::Build(helper) => helper,
            Work::Validate { validator, .. } => validator,
            Work::Answer { reference, .. } => reference,
            Work::Check { checker, .. } => checker,
            Work::Judge { .. } => return Err(Fault::new("ask a program", "nothing is asked")),
        };
        if let Some(build) = grader.archive.build(&helper.program.key)? {
            helper.program.built = build.result.ok();
        }
        let mut near = Near::new(grader.archive);
        near.add_program(program);
        for bytes in bytes {
            near.add(bytes);
        }
        let order = Order {
            shape: SHAPE,
            problem: ProblemSlug::new("package")
                .map_err(|error| Fault::new("name a package", error))?,
            sandbox: grader.rules.policy,
            build: grader.rules.build.clone(),
            work,
        };
        let mut replies = Replies {
            sink: grader.sink,
            reply: Reply::default(),
            refused: None,
        };
        grader.worker.measure(&order, &near, &mut replies)?;
        Ok(match replies.refused {
            Some(complaint) => Err(complaint),
            None => Ok(replies.reply),
        })
    }
}

/// What a program of a package said.
#[derive(Default)]
struct Reply {
    answer: Option<Arc<[u8]>>,
    opinion: Option<Compared>,
}

struct Replies<'r> {
    sink: &'r mut dyn Sink,
    reply: Reply,
    refused: Option<Complaint>,
}

impl Sink for Replies<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        match fact {
            Fact::Answered { .. } => {
                self.reply.answer = bytes.first().map(|(_, bytes)| Arc::clone(bytes));
            }
            Fact::Opinion { said, .. } => self.reply.opinion = Some(said.clone()),
            Fact::Refused(complaint) => self.refused = Some(complaint.clone()),
            Fact::Built { .. } | Fact::Ran { .. } | Fact::Lost(_) => {}
        }
        self.sink.fact(fact, bytes)
    }
}

fn silent<T>() -> Result<T, Fault> {
    Err(Fault::new(
        "ask a program of the package",
        "it has not answered",
    ))
}

impl Oracle for SandboxOracle<'_> {
    fn build(&mut self, program: &PackageProgram) -> Said<()> {
        let helper = self.helper(program, Protocol::Icpc);
        let known = self.grader.archive.build(&helper.program.key)?;
        if known.is_some_and(|build| build.result.is_ok()) {
            return Ok(Ok(()));
        }
        Ok(self.ask(Work::Build(helper), program, &[])?.map(drop))
    }

    fn validate(&mut self, validator: &Validator, input: &Arc<[u8]>) -> Said<()> {
        let program = &validator.program;
        let helper = self.helper(program, validator.protocol);
        let input_digest = crate::util::hash::digest(input);
        let build = &helper.program.key;
        let sandbox = &self.grader.rules.policy;
        let question = question::validity(build, validator.protocol, &input_digest, sandbox);
        if self.grader.archive.answer(&question)?.is_some() {
            return Ok(Ok(()));
        }
        let work = Work::Validate {
            validator: helper,
            input: input_digest,
        };
        Ok(self.ask(work, program, &[input])?.map(drop))
    }

    fn answer(
        &mut self,
        package: &Package,
        reference: &PackageProgram,
        input: &Arc<[u8]>,
    ) -> Said<Arc<[u8]>> {
        let grader = &self.grader;
        let toolchain = grader.toolchain;
        let helper = self.helper(reference, Protocol::Icpc);
        let input_digest = crate::util::hash::digest(input);
        let language = toolchain.language_of(reference.extension());
        let work = |language| Work::Answer {
            reference: helper.clone(),
            how: how(package, language, toolchain, &grader.rules),
            input: input_digest,
        };
        let Some(language) = language else {
            // Whoever builds it says what is wrong.
            let said = self.ask(Work::Build(helper), reference, &[])?;
            return match said {
                Ok(_) => silent(),
                Err(complaint) => Ok(Err(complaint)),
            };
        };
        let work = work(language);
        let Work::Answer {
            reference: asked,
            how,
            ..
        } = &work
        else {
            return silent();
        };
        let question = question::answer(&asked.program.key, &input_digest, &how.policy);
        if let Some(answer) = grader.archive.answer(&question)? {
            return Ok(Ok(answer));
        }
        match self.ask(work, reference, &[input])? {
            Ok(reply) => reply.answer.map_or_else(silent, |answer| Ok(Ok(answer))),
            Err(complaint) => Ok(Err(complaint)),
        }
    }

    fn check(&mut self, checker: &Checker, case: &Case<'_>) -> Said<Compared> {
        let helper = checker_of(self.grader.toolchain, checker);
        let [input, expected, output]: [Digest; 3] =
            [case.input, case.answer, case.output].map(|bytes| crate::util::hash::digest(bytes));
        let question = question::opinion(&helper.id, &input, &expected, &output);
        if let Some(said) = self.grader.archive.opinion(&question)? {
            return Ok(Ok(said));
        }
        let work = Work::Check {
            checker: helper,
            input,
            expected,
            output,
        };
        let bytes = [case.input, case.answer, case.output];
        match self.ask(work, &checker.program, &bytes)? {
            Ok(reply) => reply.opinion.map_or_else(silent, |said| Ok(Ok(said))),
            Err(complaint) => Ok(Err(complaint)),
        }
    }

    fn vouch(&mut self, package: &Package, test: &Test) -> Said<()> {
        vouch(&mut self.grader, package, test)
    }
}
