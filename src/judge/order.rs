//! What passes between planning and measuring: an order goes to where a sandbox is, facts come back
//! one at a time.
//!
//! An order is self-contained. It names bytes by their digests, knows no store, and names nobody,
//! unless the name of a source file does: no student, no attempt, no path of this machine. Order
//! and facts survive being written as JSON, so a worker may be a thread, another process or another
//! machine.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::keys;
use crate::compare::{Mode, WrongLayout};
use crate::domain::{
    Build, BuildLimits, Cause, Compared, Digest, End, Fault, FileRef, Groups, LanguageId, Limits,
    Manifest, ProblemSlug, Rounds, RunFacts, RunKey, Stop, Submission,
};
use crate::package::{Gives, Io, Protocol};
use crate::sandbox::Cancel;
use crate::toolchain::Toolchain;

/// The version of orders and facts; a worker that does not know it refuses.
pub const ORDER_VERSION: u16 = 8;
/// Steps of one order, so that it stays a message of bounded size; what is missing beyond them is
/// the next order's.
pub const STEPS_MAX: usize = 256;

/// A piece of work for a sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// [`ORDER_VERSION`] of whoever gives it.
    pub version: u16,
    /// The problem, for the words of faults.
    pub problem: ProblemSlug,
    /// Digest of what the sandbox has to enforce where it is measured.
    pub sandbox: Digest,
    /// Limits of a compilation.
    pub build: BuildLimits,
    /// What there is to do.
    pub work: Work,
}

impl Order {
    /// Bytes that it needs in any case; for others it depends on what comes of it.
    pub fn needs(&self) -> Vec<&Digest> {
        let Work::Judge(work) = &self.work else {
            return Vec::new();
        };
        let mut needs = Vec::new();
        if let Some(program) = &work.program {
            let source = program.built.is_none().then_some(&program.source);
            let files = program.built.as_ref();
            let files = files.map_or(&program.headers, |built| &built.files);
            needs.extend(source);
            needs.extend(files.iter().map(|file| &file.digest));
        }
        for step in &work.steps {
            if let Step::Run { test, .. } = step {
                needs.extend([&test.input, &test.expected]);
            }
        }
        needs
    }
}

/// What there is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Runs a program on tests in their order.
    Judge(JudgeWork),
    /// Asks a program of a package; whoever asks reads from its outcome.
    Call {
        helper: Helper,
        /// How it is run once it is built; none where it only has to build.
        run: Option<CallRun>,
    },
}

impl Work {
    /// The tests of a judgement; none for anything else.
    pub fn judge(&self) -> Option<&JudgeWork> {
        match self {
            Self::Judge(work) => Some(work),
            Self::Call { .. } => None,
        }
    }

    /// The programs that may have to be built or run for it.
    pub fn programs(&self) -> Vec<&Program> {
        match self {
            Self::Judge(JudgeWork { program, spec, .. }) => {
                let helpers = spec.check.helpers().map(|helper| &helper.program);
                program.iter().chain(helpers).collect()
            }
            Self::Call { helper, .. } => vec![&helper.program],
        }
    }
}

/// A program and the tests that it is run on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeWork {
    /// The program; none where only a checker has to be asked.
    pub program: Option<Program>,
    /// How it is run and what it is judged by.
    pub spec: RunSpec,
    /// The tests.
    pub steps: Vec<Step>,
    /// How many tests the judgement has, for whoever watches.
    pub total_tests: usize,
    /// Whether a failing test makes others needless, see [`Failures`](crate::domain::Failures).
    pub stop_at_first_failure: bool,
    /// The groups of tests that bring points.
    #[serde(default, skip_serializing_if = "Groups::is_empty")]
    pub groups: Groups,
    /// Whether a run over a time limit is measured again, alone.
    pub repeat_near_limit: bool,
}

/// What a program of a package is given, and what it may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRun {
    /// Its arguments, after its own name.
    pub arguments: Vec<String>,
    /// Digest of its standard input; none for an empty one.
    pub stdin: Option<Digest>,
    /// Files in its working folder.
    pub files: Vec<FileRef>,
    /// Names of files that are collected from there afterwards.
    pub collect: Vec<String>,
    /// The largest of these, in bytes.
    pub collect_bytes_max: u64,
    /// What it may use, beside its run-time system and its files.
    pub caps: Limits,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallOutcome {
    /// It builds, and was not to be run.
    Built,
    /// It cannot be built: the cause, and the compiler's words.
    NotBuilt(Cause, Vec<u8>),
    /// It was run.
    Ran(CallEnd),
}

/// How a program of a package ended, and what it has left behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallEnd {
    /// How its first process ended.
    pub end: End,
    /// Why we ended it, if we did.
    pub stop: Option<Stop>,
    /// Whether its memory reached its cap.
    pub memory_exceeded: bool,
    /// What it printed.
    #[serde(with = "crate::domain::base64")]
    pub stdout: Vec<u8>,
    /// The beginning of its standard error.
    #[serde(with = "crate::domain::base64")]
    pub stderr: Vec<u8>,
    /// The files that were collected, by name.
    pub files: Vec<(String, Vec<u8>)>,
}

/// How programs are run, and what is made of what they print.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// Digest of everything but the program and the input that can change what a run measures.
    pub policy: Digest,
    /// The limits, the language's own share included.
    pub limits: Limits,
    /// The problem's own memory limit, in bytes: what the program is told.
    pub advertised_memory_bytes: u64,
    /// The stack of its first thread, where it is to be another than usual. A language with a stack
    /// of its own keeps that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_bytes: Option<u64>,
    /// How programs read and write.
    pub io: Io,
    /// Who says whether an output is right.
    pub check: OutputCheck,
}

/// Who says whether an output is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OutputCheck {
    /// Our own comparison.
    Comparison {
        /// What counts as the same.
        mode: Mode,
        /// What the right words in the wrong layout are.
        wrong_layout: WrongLayout,
    },
    /// A program of the package.
    Checker(Box<Helper>),
    /// A program of the package that takes part in each run, and says it then.
    Talk(Box<Helper>, Rounds),
}

impl OutputCheck {
    /// Changes when the same output may be judged differently.
    pub fn id(&self) -> Digest {
        match self {
            Self::Comparison { mode, wrong_layout } => keys::mode(mode, *wrong_layout),
            Self::Checker(helper) | Self::Talk(helper, _) => helper.id,
        }
    }

    /// The programs of the package that say it, one after the other.
    pub fn helpers(&self) -> impl Iterator<Item = &Helper> {
        let first = match self {
            Self::Comparison { .. } => None,
            Self::Checker(helper) | Self::Talk(helper, _) => Some(&**helper),
        };
        let judge = first.and_then(|helper| helper.judge.as_deref());
        first.into_iter().chain(judge)
    }

    /// Whether a program of the package says it, once it is asked.
    pub fn is_checker(&self) -> bool {
        matches!(self, Self::Checker(_))
    }
}

/// A program, and how to come by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// The key of its build.
    pub key: Digest,
    /// Its language; none where no language has the extension. Its table never travels: a worker
    /// has its own.
    pub language: Option<LanguageId>,
    /// The first line of what its compiler says of its version; empty where it says none.
    pub version: String,
    /// Digest of the language's commands and version, which have to be the same where it is built
    /// and run.
    pub fingerprint: Digest,
    /// The source's file name.
    pub name: String,
    /// Digest of the source.
    pub source: Digest,
    /// What lies beside it: headers, other sources.
    pub headers: Vec<FileRef>,
    /// Its files, where it is built already. Where one of them is gone, it is built again.
    pub built: Option<Manifest>,
}

/// A program of a package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Helper {
    /// Its path in the package, for the words of faults.
    pub path: String,
    /// How it is asked, and how it says.
    pub protocol: Protocol,
    /// What it is told beside that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// What the number means that it gives to a test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gives: Option<Gives>,
    /// Who judges what it has written, where it accepts a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Box<Self>>,
    /// Digest of its sources and of how it is asked: what its verdicts depend on.
    pub id: Digest,
    pub program: Program,
}

/// One test of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// Runs the program.
    Run {
        test: TestStep,
        /// What was measured before, near a time limit: the order begins with its repeat. On
        /// another machine than that it is measured anew.
        before: Option<Box<RunFacts>>,
    },
    /// Has an output compared that is known. Nothing of the student's is run.
    Ask {
        test: TestStep,
        /// Digest of the output.
        output: Digest,
    },
}

/// A test as an order names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestStep {
    /// Its place among all tests, from 0.
    pub index: usize,
    /// Its name, for the words of faults.
    pub name: String,
    /// The place of its group among the groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
    /// Digest of its input.
    pub input: Digest,
    /// Digest of its expected output.
    pub expected: Digest,
    /// Arguments of the checker for it, where they are not those for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Vec<String>>,
}

impl TestStep {
    /// The checker, as it is asked about this test.
    pub fn tell(&self, checker: &Helper) -> Helper {
        let arguments = self.told.as_ref().unwrap_or(&checker.arguments);
        Helper {
            arguments: arguments.clone(),
            ..checker.clone()
        }
    }
}

impl Step {
    /// Which test it is about.
    pub fn test(&self) -> &TestStep {
        match self {
            Self::Run { test, .. } | Self::Ask { test, .. } => test,
        }
    }
}

/// What came of an order, one thing at a time. A fact is true for good; what was called or is
/// lost is told and forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fact {
    /// A program was built, or could not be.
    Built {
        /// The key of the build.
        key: Digest,
        /// What came of it.
        build: Build,
    },
    /// A run was measured. It takes the place of what was known of this run.
    Ran {
        key: RunKey,
        /// What was measured, all measurements of the order together.
        facts: Arc<RunFacts>,
    },
    /// An output was compared, by us or by a checker.
    Compared {
        /// What was asked, see [`keys::comparison`].
        question: Digest,
        /// What it is worth.
        compared: Compared,
        /// Whether it is new, and cannot be had again from bytes that are kept.
        is_unique: bool,
    },
    /// A program of a package was asked. Only what follows from it is kept.
    Called(CallOutcome),
    /// What was found out from such outcomes, by whoever asked.
    Answered {
        /// What was asked.
        question: Digest,
        /// Digest of the answer.
        answer: Digest,
    },
    /// These bytes are needed, and could not be had.
    Lost(Digest),
}

impl Fact {
    /// The bytes that it names.
    pub fn named(&self) -> Vec<Digest> {
        match self {
            Self::Built { build, .. } => {
                let files = build.result.iter().flat_map(|manifest| &manifest.files);
                files.map(|file| file.digest).collect()
            }
            Self::Ran { facts, .. } => facts.output.kept.into_iter().collect(),
            Self::Answered { answer, .. } => vec![*answer],
            Self::Compared { .. } | Self::Called(_) | Self::Lost(_) => Vec::new(),
        }
    }

    /// Whether it is true for good. What was too much for the compiler under these limits is not:
    /// under others it is tried again. Of a call only the meaning is.
    pub fn is_kept(&self) -> bool {
        match self {
            Self::Built { build, .. } => !matches!(
                build.result,
                Err(Cause::CompileTime | Cause::CompileMemory | Cause::CompileOutput)
            ),
            Self::Compared { is_unique, .. } => *is_unique,
            Self::Ran { .. } | Self::Answered { .. } => true,
            Self::Called(_) | Self::Lost(_) => false,
        }
    }
}

/// Bytes, and their digest.
pub type Blob = (Digest, Arc<[u8]>);
/// Bytes that a fact names.
pub type Bytes<'a> = &'a [Blob];

/// Where an order's bytes come from.
pub trait Source {
    /// The bytes with this digest; none where they are gone. The same allocation is given for the
    /// same digest, which is how the sandbox knows an input that it has laid out already.
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault>;
    /// What was said before to a question: students of one course print the same bytes, and a
    /// checker is asked once.
    fn comparison(&self, question: &Digest) -> Result<Option<Compared>, Fault>;
}

/// Whether measuring goes on after a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Flow {
    Continue,
    /// The rest is not needed.
    Stop,
}

/// How an order ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// Everything was done, or a failing test made the rest needless.
    Done,
    /// Whoever takes the facts wants no more.
    Stopped,
    /// Something is gone that it needs, as the last fact says: what is missing now is another
    /// order.
    Lost,
    /// The place is gone in the middle of it. The facts that came are true; the rest is another
    /// order. Only whoever gives orders to other machines says so, and not without end.
    Left,
}

/// Where orders are done: a sandbox in this process, or a worker at the other end of a pipe.
pub trait Worker {
    /// Whose program the next order is about, for those who look on; the languages that it names, as
    /// they are in force now; and what says that it is not wanted any more, where it is done only
    /// while nothing else waits.
    fn is_for(&mut self, _: &Submission, _: &Arc<Toolchain>, _: Option<&Cancel>) {}
    /// Does an order, and hands over each fact as soon as it is known.
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault>;
}

/// Where facts go.
pub trait Sink {
    /// Another order of the same judgement follows: what that may need has to be where it is looked
    /// up.
    fn order_follows(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    /// Bytes that it has taken and that cannot be looked up yet.
    fn held(&self, _: &Digest) -> Option<Arc<[u8]>> {
        None
    }
    /// Something begins that people watch.
    fn begins(&mut self, _: Progress) {}
    /// Takes a fact and the bytes that it names. A fault ends the order: nothing is measured that
    /// cannot be kept.
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault>;
}

/// How far a submission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Progress {
    /// It is being built.
    Building,
    /// It is being run on a test.
    Running {
        /// Tests that are behind it.
        done: usize,
        /// All tests.
        of: usize,
    },
}
