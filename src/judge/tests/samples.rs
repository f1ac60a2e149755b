//! Tests, packages and facts for the tests of judging.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::compare::{Mode, WrongLayout};
use crate::config;
use crate::domain::{
    Build, BuildLimits, Cause, Compared, Digest, Disclosures, End, Groups, LanguageId, Limits,
    Manifest, Output, ProblemSlug, Rounds, RunFacts, SourceFile, TestKind, TestRef, TestResult,
    Verdict,
};
use crate::judge::case::{Case, Facts};
use crate::judge::fold::fold;
use crate::judge::order::Fact;
use crate::judge::{Rules, keys};
use crate::package::{Checker, Format, Io, Package, PackageProgram, Protocol, Reference, Test};
use crate::sandbox::Outcome;
use crate::toolchain::Toolchain;
use crate::util::hash::digest;

pub const MIB: u64 = 1024 * 1024;

/// Limits for the tests of this layer.
pub fn limits() -> Limits {
    Limits {
        cpu: Duration::from_secs(2),
        wall: Duration::from_secs(5),
        memory_bytes: 256 * MIB,
        output_bytes: MIB,
        processes: 8,
        open_files: 8,
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
        input: Arc::from(name.as_bytes()),
        expected: Arc::from(expected.as_bytes()),
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
        checker: None,
        io: Io::Stdio,
        limits: limits(),
        time_factors: std::collections::BTreeMap::new(),
        multipliers: crate::domain::Multipliers::default(),
        mode: Mode::Lines,
        wrong_layout: WrongLayout::Presentation,
        disclosures: Disclosures::default(),
        groups: Groups::default(),
        tests,
        hacks: Vec::new(),
        examples: Vec::new(),
        statement: None,
        expected: None,
        remarks: Vec::new(),
    }
}

/// The same, judged by a checker with this source.
pub fn checked(tests: Vec<Test>, source: &str) -> Package {
    Package {
        checker: Some(Checker {
            program: PackageProgram {
                path: "check.py".into(),
                file: "check.py".into(),
                source: Arc::from(source.as_bytes()),
                headers: Vec::new(),
                digest: digest(source.as_bytes()),
            },
            protocol: Protocol::Icpc,
            arguments: Vec::new(),
            rounds: Rounds::default(),
        }),
        ..package(tests)
    }
}

/// Facts of a run that ended well and printed this, far from every limit.
pub fn facts(output: &str) -> RunFacts {
    RunFacts {
        end: End::Exited(0),
        stop: None,
        memory_exceeded: false,
        measurements: 1,
        busy: 0,
        waited: Duration::ZERO,
        cpu: Duration::from_millis(100),
        wall: Duration::from_millis(120),
        memory_bytes: MIB,
        output: Output {
            digest: digest(output.as_bytes()),
            len_bytes: output.len() as u64,
            kept: Some(digest(output.as_bytes())),
            file: None,
        },
        stderr: Vec::new(),
        caps: limits(),
        machine: Arc::from("here"),
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

/// A program with this text.
pub fn source(text: &Arc<[u8]>) -> SourceFile {
    SourceFile {
        name: "sum.py".into(),
        digest: digest(text),
        bytes: Arc::clone(text),
    }
}

/// What is asked of a Python program with this package.
pub fn case<'p>(package: &'p Package, toolchain: &Toolchain, rules: &Rules) -> Case<'p> {
    let python = toolchain.language(&LanguageId::new("python3").unwrap());
    let source = source(&Arc::from(*b"print(3)"));
    Case::new(&source, (python.unwrap(), "3"), package, toolchain, rules)
}

/// A build that has succeeded.
pub fn built(case: &Case<'_>) -> Fact {
    Fact::Built {
        key: case.program.key,
        build: Build {
            result: Ok(Manifest::default()),
            words: Vec::new(),
            cpu: Duration::ZERO,
            language_version: "3".into(),
        },
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

/// What the facts of one test say under these limits, and what a comparison said of the output;
/// none where it has to be run
/// again, or something has to be said of its output.
pub fn judge_run(
    package: &Package,
    limits: &Limits,
    facts: &RunFacts,
    said: Option<Compared>,
) -> Option<TestResult> {
    let rules = Rules {
        repeat_near_limit: false,
        ..rules()
    };
    let toolchain = toolchain();
    let mut case = case(package, &toolchain, &rules);
    case.spec.limits = limits.clone();
    let test = &package.tests[0];
    let mut known = Facts::default();
    known.learn(&built(&case));
    known.learn(&ran(&case, test, facts));
    if let Some(said) = said {
        known.learn(&Fact::Compared {
            question: keys::comparison(
                &case.check,
                &test.name.input,
                &test.name.expected,
                &facts.output.digest,
            ),
            compared: said,
            is_unique: true,
        });
    }
    let result = fold(&case, &known).tests.remove(0);
    (result.said.verdict != Verdict::Skipped).then_some(result)
}

/// The same where the output is at hand.
pub fn judge_output(
    package: &Package,
    limits: &Limits,
    facts: &RunFacts,
    output: &str,
) -> Option<TestResult> {
    let expected = &package.tests[0].expected;
    let said = crate::judge::settle::compare_bytes(
        &package.mode,
        package.wrong_layout,
        expected,
        output.as_bytes(),
    );
    judge_run(package, limits, facts, Some(said))
}

/// A verdict and its cause, as a table has them.
pub fn told(verdict: Verdict, cause: Option<&Cause>) -> String {
    match cause {
        None => verdict.to_string(),
        Some(cause) => format!("{verdict} {cause:?}"),
    }
}
