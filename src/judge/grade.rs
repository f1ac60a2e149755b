//! Brings a submission to its judgement: recall, plan, measure, and again until nothing is missing;
//! then fold. What a judgement was made from, and what a search about it rests on.

use std::collections::HashMap;
use std::sync::Arc;

use super::archive::Archive;
use super::case::{Case, Facts, parts_of, recall};
use super::fold::{check_points, fold, machine_of};
use super::keys::{Rules, key, limits};
use super::order::{Bytes, Ended, Fact, Flow, Progress, Sink, Source, Step, Worker};
use super::plan::{Cost, cost, plan};
use super::timing::{busy_fault, is_put_off};
use crate::domain::{
    Compared, Digest, Fault, Judgement, Limits, Provenance, RunFacts, SourceFile, TimeFactor,
};
use crate::package::{Checker, Package, PackageProgram, Reference, TestBytes};
use crate::toolchain::{Language, Parts, Toolchain};
use crate::util::hash::{Key, digest};

/// Changes when a search by this version finds more than one by an earlier one.
const SEARCH_VERSION: u8 = 1;

/// What a grader works with.
pub struct Grader<'a> {
    /// Where orders are done.
    pub worker: &'a mut dyn Worker,
    /// The languages.
    pub toolchain: &'a Toolchain,
    /// Where facts are looked up.
    pub archive: &'a dyn Archive,
    /// Where new facts are kept.
    pub sink: &'a mut dyn Sink,
    /// Settings of judging.
    pub rules: Rules,
}

/// A judgement and what it took to reach it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The judgement.
    pub judgement: Judgement,
    /// The limits that were applied, the language's own share included.
    pub limits: Limits,
    /// By how much the language's programs may take longer, which the limits have in them.
    pub time_factor: TimeFactor,
    /// The machine that measured what the judgement rests on; several where its runs are of
    /// several.
    pub machine: String,
    /// Key of the build that was judged.
    pub build: Digest,
    /// Digest of how it was run.
    pub policy: Digest,
    /// What is kept of what it printed on the first failing test.
    pub printed: Option<Arc<[u8]>>,
    /// What was done now, repeated measurements included.
    pub took: Cost,
}

/// Judges a program.
pub fn judge(
    grader: &mut Grader<'_>,
    source: &SourceFile,
    language: &Language,
    version: &str,
    package: &Package,
) -> Result<Judged, Fault> {
    let language = (language, version);
    let case = Case::new(source, language, package, grader.toolchain, &grader.rules)?;
    let mut pass = Pass {
        known: recall(grader.archive, &case)?,
        case: &case,
        sink: grader.sink,
        disturbed: None,
        took: Cost::default(),
    };
    let mut blobs = OrderBlobs::new(grader.archive);
    blobs.add_parts(&case.parts);
    for program in package.checker.iter().flat_map(Checker::programs) {
        blobs.add_program(program, grader.toolchain);
    }
    let (mut begun, mut lost_before) = (Vec::new(), 0);
    let mut is_first = true;
    while let Some(order) = plan(&case, &pass.known) {
        if let Some(facts) = pass.disturbed.take()
            && grader.rules.waits_for_quiet
        {
            return Err(busy_fault(&facts));
        }
        let lost = pass.known.lost();
        if lost != std::mem::replace(&mut lost_before, lost) {
            begun.clear();
        }
        // A run that is measured once more is another step: more is known of it. Two tests with one
        // input and two answers may ask for each other's run in turn, where no output is like
        // another.
        let steps = order.work.judge().map_or(&[][..], |work| &work.steps);
        let begin = steps.first().cloned();
        if begun.contains(&begin) {
            let first = begin.map_or("its build".to_owned(), |step| step.test().name.clone());
            return Err(Fault::new(
                format!("judge {} on {first}", source.name),
                "what was measured does not suffice for a verdict",
            ));
        }
        blobs.add_tests(steps, package);
        if !std::mem::take(&mut is_first) {
            pass.sink.order_follows()?;
        }
        let ended = grader.worker.measure(&order, &blobs, &mut pass)?;
        if ended == Ended::Left {
            begun.clear();
        } else {
            begun.push(begin);
        }
    }
    pass.judged(grader.archive, &grader.rules.machine)
}

/// What judging a program would take, for all that an archive knows.
pub fn cost_of(
    archive: &dyn Archive,
    source: &SourceFile,
    language: (&Language, &str),
    package: &Package,
    toolchain: &Toolchain,
    rules: &Rules,
) -> Result<Cost, Fault> {
    let case = Case::new(source, language, package, toolchain, rules)?;
    Ok(cost(&case, &recall(archive, &case)?))
}

/// The bytes of the orders of this submission: those that are at hand, and those of the archive.
pub(super) struct OrderBlobs<'a> {
    here: HashMap<Digest, TestBytes>,
    archive: &'a dyn Archive,
}

impl<'a> OrderBlobs<'a> {
    pub(super) fn new(archive: &'a dyn Archive) -> Self {
        Self {
            here: HashMap::new(),
            archive,
        }
    }

    /// Bytes that are in memory.
    pub(super) fn add(&mut self, bytes: &Arc<[u8]>) -> Digest {
        let digest = digest(bytes);
        self.here.insert(digest, Arc::clone(bytes).into());
        digest
    }

    /// The files of a package's program.
    pub(super) fn add_program(&mut self, program: &PackageProgram, toolchain: &Toolchain) {
        let language = toolchain.language_of_program(&program.name, &program.source);
        if let Some(language) = language {
            self.add_parts(&parts_of(program, language));
        }
    }

    fn add_parts(&mut self, parts: &Parts) {
        for (_, bytes) in std::iter::once(&parts.main).chain(&parts.beside) {
            self.add(bytes);
        }
    }

    fn add_tests(&mut self, steps: &[Step], package: &Package) {
        let tests = steps
            .iter()
            .filter_map(|step| package.tests.get(step.test().index));
        for test in tests {
            let files = [
                (test.name.input, &test.input),
                (test.name.expected, &test.expected),
            ];
            for (digest, file) in files {
                self.here.entry(digest).or_insert_with(|| file.clone());
            }
        }
    }
}

impl Source for OrderBlobs<'_> {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.here.get(digest) {
            Some(bytes) => bytes.read().map(Some),
            None => self.archive.blob(digest),
        }
    }

    fn comparison(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        self.archive.comparison(question)
    }
}

/// One submission on its way to a judgement: what is known of it, and where what becomes known goes
/// on to.
struct Pass<'p> {
    case: &'p Case<'p>,
    known: Facts,
    sink: &'p mut dyn Sink,
    /// The latest repeat for which the machine was too busy.
    disturbed: Option<Arc<RunFacts>>,
    took: Cost,
}

impl Sink for Pass<'_> {
    fn begins(&mut self, progress: Progress) {
        self.sink.begins(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        if let Fact::Ran { key, facts } = fact {
            let before = self.known.run(&key.input).map_or(0, |before| before.busy);
            if facts.busy > before && is_put_off(facts) {
                self.disturbed = Some(Arc::clone(facts));
            }
        }
        self.known.learn(fact);
        match fact {
            Fact::Built { key, .. } => {
                self.took.builds += usize::from(*key == self.case.program.key);
            }
            Fact::Ran { .. } => self.took.runs += 1,
            Fact::Compared { is_unique, .. } => {
                self.took.checks += usize::from(*is_unique && self.case.spec.check.is_checker());
            }
            Fact::Answered { .. } | Fact::Called(_) | Fact::Lost(_) => {}
        }
        self.sink.fact(fact, bytes)
    }
}

impl Pass<'_> {
    fn judged(self, archive: &dyn Archive, here: &Arc<str>) -> Result<Judged, Fault> {
        let (case, known) = (self.case, &self.known);
        let judgement = fold(case, known);
        check_points(case, &judgement)?;
        let failing = judgement
            .first_failing
            .map(|first| &case.package.tests[first]);
        let facts = failing.and_then(|test| known.run_on(case, &test.name));
        let kept = facts.and_then(|facts| facts.output.kept);
        let printed = match kept.map(|kept| (kept, self.sink.held(&kept))) {
            None => None,
            Some((_, Some(held))) => Some(held),
            Some((kept, None)) => archive.blob(&kept)?,
        };
        let machine = machine_of(&judgement, here);
        Ok(Judged {
            judgement,
            limits: case.spec.limits.clone(),
            time_factor: case.time_factor,
            machine,
            build: case.program.key,
            policy: case.spec.policy,
            printed,
            took: self.took,
        })
    }
}

/// What a judgement was made from. `toolchain` is the language's fingerprint, `fold` the
/// [`fold_key`](super::keys::fold_key).
pub fn provenance(
    judged: &Judged,
    package: &Package,
    toolchain: Digest,
    fold: Digest,
) -> Provenance {
    Provenance {
        artifact: judged.build.to_string(),
        toolchain: toolchain.to_string(),
        package: package.judging_digest().to_string(),
        limits: limits(&judged.limits).to_string(),
        policy: judged.policy.to_string(),
        fold: fold.to_string(),
        machine: judged.machine.clone(),
    }
}

/// What a search about a judgement rests on: the program, how it is run and compared, who answers
/// its inputs, and where it fails. A new test changes the fold of every judgement, and this only
/// where it is the one that fails first.
pub fn subject(judged: &Judged, package: &Package) -> Digest {
    let judgement = &judged.judgement;
    let reference = match &package.reference {
        Reference::BuiltIn(task) => task.slug().as_bytes().to_vec(),
        Reference::Program(program) | Reference::Example(program) => program.digest.0.to_vec(),
        Reference::Stored => Vec::new(),
    };
    let failing = judgement.failing().map(|failing| &failing.test);
    let failing = failing.map(|test| [test.input.0, test.expected.0].concat());
    key!(
        "search",
        [SEARCH_VERSION],
        judged.build.0,
        judged.policy.0,
        limits(&judged.limits).0,
        package.compare_key(),
        reference,
        judgement.verdict.code(),
        failing.unwrap_or_default()
    )
}
