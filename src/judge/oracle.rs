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
use crate::util::hash::digest;

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
    fn ask(
        &mut self,
        mut helper: Helper,
        program: &PackageProgram,
        bytes: &[&Arc<[u8]>],
        work: impl FnOnce(Helper) -> Work,
    ) -> Said<Reply> {
        let grader = &mut self.grader;
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
            work: work(helper),
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

/// The part of a reply that was asked for.
fn part_of<T>(reply: Result<Reply, Complaint>, part: impl FnOnce(Reply) -> Option<T>) -> Said<T> {
    let silent = || Fault::new("ask a program of the package", "it has not answered");
    match reply {
        Ok(reply) => part(reply).ok_or_else(silent).map(Ok),
        Err(complaint) => Ok(Err(complaint)),
    }
}

impl Oracle for SandboxOracle<'_> {
    fn build(&mut self, program: &PackageProgram) -> Said<()> {
        let helper = self.helper(program, Protocol::Icpc);
        let known = self.grader.archive.build(&helper.program.key)?;
        if known.is_some_and(|build| build.result.is_ok()) {
            return Ok(Ok(()));
        }
        Ok(self.ask(helper, program, &[], Work::Build)?.map(drop))
    }

    fn validate(&mut self, validator: &Validator, bytes: &Arc<[u8]>) -> Said<()> {
        let program = &validator.program;
        let helper = self.helper(program, validator.protocol);
        let input = digest(bytes);
        let sandbox = &self.grader.rules.policy;
        let question = question::validity(&helper.program.key, validator.protocol, &input, sandbox);
        if self.grader.archive.answer(&question)?.is_some() {
            return Ok(Ok(()));
        }
        let work = |validator| Work::Validate { validator, input };
        Ok(self.ask(helper, program, &[bytes], work)?.map(drop))
    }

    fn answer(
        &mut self,
        package: &Package,
        reference: &PackageProgram,
        bytes: &Arc<[u8]>,
    ) -> Said<Arc<[u8]>> {
        let helper = self.helper(reference, Protocol::Icpc);
        let toolchain = self.grader.toolchain;
        let reply = match toolchain.language_of(reference.extension()) {
            // Whoever builds it says what is wrong.
            None => self.ask(helper, reference, &[], Work::Build)?,
            Some(language) => {
                let how = how(package, language, toolchain, &self.grader.rules);
                let input = digest(bytes);
                let question = question::answer(&helper.program.key, &input, &how.policy);
                if let Some(answer) = self.grader.archive.answer(&question)? {
                    return Ok(Ok(answer));
                }
                let work = |reference| Work::Answer {
                    reference,
                    how,
                    input,
                };
                self.ask(helper, reference, &[bytes], work)?
            }
        };
        part_of(reply, |reply| reply.answer)
    }

    fn check(&mut self, checker: &Checker, case: &Case<'_>) -> Said<Compared> {
        let helper = checker_of(self.grader.toolchain, checker);
        let bytes = [case.input, case.answer, case.output];
        let [input, expected, output]: [Digest; 3] = bytes.map(|bytes| digest(bytes));
        let question = question::opinion(&helper.id, &input, &expected, &output);
        if let Some(said) = self.grader.archive.opinion(&question)? {
            return Ok(Ok(said));
        }
        let work = |checker| Work::Check {
            checker,
            input,
            expected,
            output,
        };
        let reply = self.ask(helper, &checker.program, &bytes, work)?;
        part_of(reply, |reply| reply.opinion)
    }

    fn vouch(&mut self, package: &Package, test: &Test) -> Said<Vec<String>> {
        vouch(&mut self.grader, package, test)
    }
}
