//! Tests, packages and facts for the tests of judging.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::compare::{Mode, WrongLayout};
use crate::config;
use crate::domain::{
    BuildLimits, Cause, Compared, Digest, Disclosures, End, Fault, Groups, LanguageId, Limits,
    ProblemSlug, Rounds, RunFacts, TestKind, TestRef, TestResult, Verdict,
};
use crate::judge::Rules;
use crate::judge::case::{Case, Facts};
use crate::judge::fold::fold;
use crate::judge::order::{Fact, Source};
use crate::judge::settle::compare_bytes;
use crate::package::{
    Checker, Constants, Format, Io, Package, PackageProgram, Protocol, Reference, Test,
};
use crate::sandbox::Outcome;
use crate::toolchain::Toolchain;
use crate::util::MIB;
use crate::util::hash::digest;
use crate::util::samples;

/// Limits for the tests of this layer.
pub fn limits() -> Limits {
    Limits {
        output_bytes: MIB,
        processes: 8,
        open_files: 8,
        ..samples::run().caps
    }
}

/// A test whose input is its name.
pub fn test(name: &str, expected: &str) -> Test {
    Test {
        name: TestRef {
            name: name.to_owned(),
            kind: TestKind::Secret,
            group: None,
            input: digest(name.as_bytes()),
            expected: digest(expected.as_bytes()),
            told: None,
        },
        file: "1.in".into(),
        input: Arc::<[u8]>::from(name.as_bytes()).into(),
        expected: Arc::<[u8]>::from(expected.as_bytes()).into(),
        notes: Vec::new(),
    }
}

/// A package with these tests, compared line by line.
pub fn package(tests: Vec<Test>) -> Package {
    Package {
        slug: ProblemSlug::new("sum").unwrap(),
        folder: "sum".into(),
        format: Format::Own,
        title: "Sum".into(),
        sources: Vec::new(),
        reference: Reference::Stored,
        validators: Vec::new(),
        other_arguments: Vec::new(),
        checker: None,
        included: Arc::default(),
        io: Io::Stdio,
        limits: limits(),
        time_factors: std::collections::BTreeMap::new(),
        multipliers: crate::domain::Multipliers::default(),
        mode: Mode::Lines,
        wrong_layout: WrongLayout::Presentation,
        disclosures: Disclosures::default(),
        groups: Groups::default(),
        tests,
        validation_data: Vec::new(),
        constants: Constants::default(),
        hacks: Vec::new(),
        examples: Vec::new(),
        statement: None,
        pdf: None,
        expected: None,
        remarks: Vec::new(),
    }
}

/// So many tests on which a program has to print 3.
pub fn sum(tests: usize) -> Package {
    let names = (0..tests).map(|number| test(&format!("secret/{number}"), "3\n"));
    package(names.collect())
}

/// The same, judged by a checker with this source.
pub fn checked(tests: Vec<Test>, source: &str) -> Package {
    Package {
        checker: Some(Checker {
            program: PackageProgram {
                path: "check.py".into(),
                name: "check.py".into(),
                source: Arc::from(source.as_bytes()),
                headers: Vec::new(),
                added: None,
                digest: digest(source.as_bytes()),
            },
            protocol: Protocol::Icpc,
            arguments: Vec::new(),
            rounds: Rounds::default(),
            gives: None,
            judge: None,
        }),
        ..package(tests)
    }
}

/// Facts of a run that ended well and printed this, far from every limit.
pub fn facts(output: &str) -> RunFacts {
    RunFacts {
        cpu: Duration::from_millis(100),
        wall: Duration::from_millis(120),
        memory_bytes: MIB,
        output: samples::output(output.as_bytes()),
        caps: limits(),
        machine: Arc::from("here"),
        ..samples::run()
    }
}

/// A program that ended by itself with this code and said this.
pub fn exited(code: i32, stderr: &str) -> Outcome {
    Outcome {
        end: End::Exited(code),
        stderr: stderr.as_bytes().to_vec(),
        ..Outcome::printed("")
    }
}

/// The languages of the table.
pub fn toolchain() -> Toolchain {
    Toolchain::of(&config::parse("", Path::new("config.toml")).unwrap())
}

/// The settings of a course.
pub fn rules() -> Rules {
    Rules {
        stop_at_first_failure: true,
        repeat_near_limit: true,
        waits_for_quiet: false,
        policy: Digest([0; 32]),
        build: BuildLimits {
            cpu: Duration::from_secs(30),
            memory_bytes: 1 << 30,
        },
        machine: Arc::from("here"),
        stack_bytes: None,
    }
}

/// Bytes by what they are.
pub struct Blobs(HashMap<Digest, Arc<[u8]>>);

impl Blobs {
    pub fn of<'b>(all: impl IntoIterator<Item = &'b [u8]>) -> Self {
        let all = all.into_iter();
        Self(all.map(|bytes| (digest(bytes), Arc::from(bytes))).collect())
    }
}

impl Source for Blobs {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(self.0.get(digest).cloned())
    }

    fn comparison(&self, _: &Digest) -> Result<Option<Compared>, Fault> {
        Ok(None)
    }
}

pub fn python() -> LanguageId {
    LanguageId::new("python3").unwrap()
}

/// What is asked of a Python program with this package.
pub fn case<'p>(package: &'p Package, toolchain: &Toolchain, rules: &'p Rules) -> Case<'p> {
    let python = toolchain.language(&python());
    let source = samples::source("sum.py", "print(3)");
    Case::new(&source, (python.unwrap(), "3"), package, toolchain, rules).unwrap()
}

/// A build that has succeeded.
pub fn built(case: &Case<'_>) -> Fact {
    Fact::Built {
        key: case.program.key,
        build: samples::build(Vec::new()),
    }
}

/// A run on a test.
pub fn ran(case: &Case<'_>, test: &Test, facts: &RunFacts) -> Fact {
    Fact::Ran {
        key: crate::domain::RunKey {
            build: case.program.key,
            input: test.name.input,
            policy: case.spec.policy,
        },
        facts: Arc::new(facts.clone()),
    }
}

/// What the facts of one test say, and what a comparison said of the output; none where it has to be
/// run again, or something has to be said of its output.
pub fn judge_run(package: &Package, run: &RunFacts, said: Option<Compared>) -> Option<TestResult> {
    let mut rules = rules();
    rules.repeat_near_limit = false;
    let toolchain = toolchain();
    let mut case = case(package, &toolchain, &rules);
    // What a language has beside them is no matter of these tests.
    case.spec.limits = package.limits.clone();
    let test = &package.tests[0];
    let mut known = Facts::default();
    known.learn(&built(&case));
    known.learn(&ran(&case, test, run));
    if let Some(said) = said {
        known.learn(&Fact::Compared {
            question: case.question(&test.name, &run.output.digest),
            compared: said,
            is_unique: true,
        });
    }
    let result = fold(&case, &known).tests.remove(0);
    (result.said.verdict != Verdict::Skipped).then_some(result)
}

/// The same where the output is at hand.
pub fn judge_output(package: &Package, facts: &RunFacts, output: &str) -> Option<TestResult> {
    let (expected, printed) = (package.tests[0].expected.read().unwrap(), output.as_bytes());
    let said = compare_bytes(&package.mode, package.wrong_layout, &expected, printed);
    judge_run(package, facts, Some(said))
}

/// A verdict and its cause, as a table has them.
pub fn told(verdict: Verdict, cause: Option<&Cause>) -> String {
    match cause {
        None => verdict.to_string(),
        Some(cause) => format!("{verdict} {cause:?}"),
    }
}
