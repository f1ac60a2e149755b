//! What is asked of a submission, and what is known of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::archive::{Archive, Runs};
use super::keys::{self, Rules, policy_of};
use super::order::{Fact, Helper, OutputCheck, Program, RunSpec};
use super::settle::{Standing, settle};
use crate::domain::{
    Added, Build, Compared, Digest, Fault, FileRef, Limits, RunFacts, SourceFile, TestRef,
    TimeFactor,
};
use crate::package::{Checker, Package, PackageProgram, Protocol};
use crate::toolchain::{Language, Parts, Toolchain};
use crate::util::MIB;
use crate::util::archive::files_of;
use crate::util::hash::digest;

/// Everything that a judgement depends on and that is not measured.
pub struct Case<'a> {
    pub package: &'a Package,
    pub rules: &'a Rules,
    /// The student's program, as it is built.
    pub program: Program,
    /// What it is built from.
    pub parts: Parts,
    /// What the package adds to that.
    pub included: Added<'a>,
    /// How it is run and judged.
    pub spec: RunSpec,
    /// By how much programs in its language may take longer, which the limits have in them.
    pub time_factor: TimeFactor,
    /// [`OutputCheck::id`] of what judges it.
    pub check: Digest,
}

impl<'a> Case<'a> {
    /// What is asked of a program with this package and these rules.
    pub fn new(
        source: &SourceFile,
        (language, version): (&Language, &str),
        package: &'a Package,
        toolchain: &Toolchain,
        rules: &'a Rules,
    ) -> Result<Self, Fault> {
        let parts = parts(source, language, package)?;
        let program = program(&parts, (language, version), toolchain);
        let spec = spec(package, language, toolchain, rules);
        Ok(Self {
            package,
            rules,
            program,
            parts,
            included: package.included.of(language.id()),
            time_factor: time_factor(package, language),
            check: spec.check.id(),
            spec,
        })
    }
}

/// The files of a program as it is built for a package.
pub fn parts(source: &SourceFile, language: &Language, package: &Package) -> Result<Parts, Fault> {
    let own = files_of(&source.name, &source.bytes)
        .map_err(|wrong| Fault::new("unpack the program", wrong))?;
    let added = package.included.of(language.id());
    Ok(language.parts(own, added, package.slug.as_str()))
}

/// A program, as an order names it.
fn program(
    parts: &Parts,
    (language, version): (&Language, &str),
    toolchain: &Toolchain,
) -> Program {
    let (name, bytes) = &parts.main;
    let beside = parts.beside.iter().map(|(name, bytes)| FileRef {
        name: name.clone(),
        digest: digest(bytes),
        executable: false,
    });
    Program {
        key: toolchain.build_key(language, version, parts),
        language: Some(language.id().clone()),
        version: version.to_owned(),
        fingerprint: toolchain.fingerprint(language, version),
        name: name.clone(),
        source: digest(bytes),
        headers: beside.collect(),
        built: None,
    }
}

/// How programs in a language are run on a package's tests, and judged.
pub fn spec(
    package: &Package,
    language: &Language,
    toolchain: &Toolchain,
    rules: &Rules,
) -> RunSpec {
    let policy = policy_of(package, language, rules.policy);
    RunSpec {
        policy: match rules.stack_bytes {
            Some(bytes) => keys::with_stack(&policy, bytes),
            None => policy,
        },
        stack_bytes: rules.stack_bytes,
        limits: Limits {
            memory_bytes: package.limits.memory_bytes + language.spec().memory_extra_mib * MIB,
            ..time_factor(package, language).of(&package.limits)
        },
        advertised_memory_bytes: package.limits.memory_bytes,
        io: package.io,
        check: match &package.checker {
            Some(checker) if package.talks() => {
                let helper = Box::new(checker_of(toolchain, checker));
                OutputCheck::Talk(helper, checker.rounds)
            }
            Some(checker) => OutputCheck::Checker(Box::new(checker_of(toolchain, checker))),
            None => OutputCheck::Comparison {
                mode: package.mode,
                wrong_layout: package.wrong_layout,
            },
        },
    }
}

/// By how much programs in a language may take longer than a package says: the package's own word
/// counts before the course's.
pub fn time_factor(package: &Package, language: &Language) -> TimeFactor {
    let own = package.time_factors.get(language.id());
    own.copied().unwrap_or(language.spec().time_factor)
}

/// A package's checker, as an order names it.
pub fn checker_of(toolchain: &Toolchain, checker: &Checker) -> Helper {
    let id = keys::checker_of(checker);
    Helper {
        arguments: checker.arguments.clone(),
        gives: checker.gives,
        judge: (checker.judge.as_ref()).map(|judge| Box::new(checker_of(toolchain, judge))),
        ..helper(toolchain, &checker.program, checker.protocol, id)
    }
}

/// A program of a package, as an order names it. Where its language cannot be had, whoever measures
/// says so.
pub fn helper(
    toolchain: &Toolchain,
    source: &PackageProgram,
    protocol: Protocol,
    id: Digest,
) -> Helper {
    let language = toolchain.language_of_program(&source.name, &source.source);
    let version = language.and_then(|language| toolchain.identify(language.id()).ok());
    let program = match (language, version) {
        (Some(language), Some(version)) => {
            let parts = parts_of(source, language);
            program(&parts, (language, &version), toolchain)
        }
        _ => Program {
            key: source.digest,
            language: language.map(|language| language.id().clone()),
            version: String::new(),
            fingerprint: source.digest,
            name: source.name.clone(),
            source: digest(&source.source),
            headers: Vec::new(),
            built: None,
        },
    };
    Helper {
        path: source.path.clone(),
        protocol,
        arguments: Vec::new(),
        gives: None,
        judge: None,
        id,
        program,
    }
}

/// The files of a program of a package.
pub(super) fn parts_of(source: &PackageProgram, language: &Language) -> Parts {
    // One that cannot be unpacked has no language.
    let mut own = files_of(&source.name, &source.source).unwrap_or_default();
    own.extend_from_slice(&source.headers);
    match &source.added {
        Some((included, problem)) => {
            language.parts(own, included.of(language.id()), problem.as_str())
        }
        None => language.parts(own, Added::default(), ""),
    }
}

/// What is known of a submission: facts, without the bytes that they name.
#[derive(Debug, Default, Clone)]
pub struct Facts {
    builds: HashMap<Digest, Build>,
    runs: Runs,
    comparisons: HashMap<Digest, Compared>,
    lost: HashSet<Digest>,
}

impl Facts {
    /// A build by its key.
    pub fn build(&self, key: &Digest) -> Option<&Build> {
        self.builds.get(key)
    }

    /// The run of an input.
    pub fn run(&self, input: &Digest) -> Option<&Arc<RunFacts>> {
        self.runs.get(input)
    }

    /// The run on a test of a case.
    pub fn run_on(&self, case: &Case<'_>, test: &TestRef) -> Option<&Arc<RunFacts>> {
        let told = test.told.as_ref();
        self.run(&case.spec.run_input(&test.input, &test.expected, told))
    }

    /// What was said to a question.
    pub fn comparison(&self, question: &Digest) -> Option<&Compared> {
        self.comparisons.get(question)
    }

    /// Whether these bytes are gone.
    pub fn is_lost(&self, digest: &Digest) -> bool {
        self.lost.contains(digest)
    }

    /// How many bytes are known to be gone.
    pub fn lost(&self) -> usize {
        self.lost.len()
    }

    /// One thing more is known.
    pub fn learn(&mut self, fact: &Fact) {
        match fact {
            Fact::Built { key, build } => {
                self.builds.insert(*key, build.clone());
            }
            Fact::Ran { key, facts } => {
                self.runs.insert(key.input, Arc::clone(facts));
            }
            Fact::Compared {
                question, compared, ..
            } => {
                self.comparisons.insert(*question, compared.clone());
            }
            Fact::Lost(digest) => {
                self.lost.insert(*digest);
            }
            Fact::Answered { .. } | Fact::Called(_) => {}
        }
    }

    /// How a test of a case stands.
    pub fn standing(&self, case: &Case<'_>, test: &TestRef) -> Standing {
        let facts = self.run_on(case, test);
        let said =
            facts.and_then(|facts| self.comparison(&case.question(test, &facts.output.digest)));
        settle(
            &case.spec,
            case.rules.repeat_near_limit,
            &test.expected,
            facts.map(Arc::as_ref),
            said,
        )
    }
}

impl Case<'_> {
    /// What is asked about an output on a test.
    pub fn question(&self, test: &TestRef, output: &Digest) -> Digest {
        let asked = keys::comparison(&self.check, &test.input, &test.expected, output);
        keys::told_instead(asked, test.told.as_ref())
    }
}

/// What an archive knows of a case. Short outputs are compared again, one after the other, so no
/// bytes stay.
pub fn recall(archive: &dyn Archive, case: &Case<'_>) -> Result<Facts, Fault> {
    let mut known = Facts::default();
    for helper in case.spec.check.helpers() {
        if let Some(build) = archive.build(&helper.program.key)? {
            known.builds.insert(helper.program.key, build);
        }
    }
    let Some(build) = archive.build(&case.program.key)? else {
        return Ok(known);
    };
    if build.result.is_ok() {
        known.runs = archive.runs(&case.program.key, &case.spec.policy)?;
    }
    known.builds.insert(case.program.key, build);
    for test in &case.package.tests {
        let Some(facts) = known.run_on(case, &test.name).cloned() else {
            continue;
        };
        let output = &facts.output;
        if known.standing(case, &test.name) != Standing::NotCompared {
            continue;
        }
        let question = case.question(&test.name, &output.digest);
        let said = match &case.spec.check {
            OutputCheck::Comparison { .. } | OutputCheck::Talk(..) if output.is_whole() => archive
                .blob(&output.digest)?
                .map(|bytes| Ok::<_, Fault>(case.spec.compare(&test.expected.read()?, &bytes)))
                .transpose()?
                .flatten(),
            OutputCheck::Comparison { .. } | OutputCheck::Checker(_) | OutputCheck::Talk(..) => {
                archive.comparison(&question)?
            }
        };
        if let Some(said) = said {
            known.comparisons.insert(question, said);
        }
    }
    Ok(known)
}
