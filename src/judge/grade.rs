//! Brings a submission to its judgement: recall, plan, measure, and again until nothing is missing;
//! then fold.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::archive::Archive;
use super::case::{Case, Facts, recall};
use super::fold::{fold, machine_of};
use super::order::{Bytes, Ended, Fact, Go, Order, Progress, Sink, Source, Work, Worker};
use super::plan::{Cost, cost, plan};
use super::rules::Rules;
use super::settle::Standing;
use super::timing::{busy_fault, is_put_off};
use crate::domain::{
    Compared, Digest, Fault, Judgement, Limits, RunFacts, SourceFile, TimeFactor, Verdict,
};
use crate::package::{Checker, Package, PackageProgram, Test};
use crate::toolchain::{Language, Toolchain};
use crate::util::hash::digest;

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
    /// Builds made now.
    pub builds: u32,
    /// Runs made now, repeated measurements included.
    pub runs: u32,
    /// Outputs that the package's checker was asked about now.
    pub checks: u32,
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
    let case = Case::new(source, language, package, grader.toolchain, &grader.rules);
    let mut pass = Pass {
        known: recall(grader.archive, &case)?,
        case: &case,
        sink: grader.sink,
        latest: None,
        failed: usize::MAX,
        printed: BTreeMap::new(),
        disturbed: None,
        builds: 0,
        runs: 0,
        checks: 0,
    };
    let mut last: Option<(Order, usize)> = None;
    while let Some(order) = plan(&case, &pass.known) {
        if let Some(facts) = pass.disturbed.take()
            && grader.rules.waits_for_quiet
        {
            return Err(busy_fault(&facts));
        }
        let lost = pass.known.lost();
        if let Some((before, lost_before)) = &last
            && *lost_before == lost
            && begins_alike(before, &order)
        {
            return Err(Fault::new("judge a run", "its facts do not suffice"));
        }
        let blobs = near(grader.archive, source, package, &order);
        grader.worker.expects(pass.known.mean_cpu());
        let ended = grader.worker.measure(&order, &blobs, &mut pass)?;
        last = (ended != Ended::Left).then_some((order, lost));
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
    let case = Case::new(source, language, package, toolchain, rules);
    Ok(cost(&case, &recall(archive, &case)?))
}

/// Whether an order asks first for what another one asked for first, which should be known by now.
/// A run that is measured once more is another step: more is known of it.
fn begins_alike(one: &Order, other: &Order) -> bool {
    let first = |order: &Order| match &order.work {
        Work::Judge { steps, .. } => steps.first().cloned(),
        _ => None,
    };
    first(one) == first(other)
}

/// The bytes of an order of this submission: those that are in memory, and those of the archive.
pub(super) struct Near<'a> {
    here: HashMap<Digest, Arc<[u8]>>,
    archive: &'a dyn Archive,
}

impl<'a> Near<'a> {
    pub(super) fn new(archive: &'a dyn Archive) -> Self {
        Self {
            here: HashMap::new(),
            archive,
        }
    }

    /// Bytes that are in memory.
    pub(super) fn add(&mut self, bytes: &Arc<[u8]>) -> Digest {
        let digest = digest(bytes);
        self.here.insert(digest, Arc::clone(bytes));
        digest
    }

    /// The source of a package's program, and its headers.
    pub(super) fn add_program(&mut self, program: &PackageProgram) {
        self.add(&program.source);
        for (_, header) in &program.headers {
            self.add(header);
        }
    }

    fn add_test(&mut self, test: &Test) {
        self.here.insert(test.name.input, Arc::clone(&test.input));
        self.here
            .insert(test.name.expected, Arc::clone(&test.expected));
    }
}

impl Source for Near<'_> {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.here.get(digest) {
            Some(bytes) => Ok(Some(Arc::clone(bytes))),
            None => self.archive.blob(digest),
        }
    }

    fn opinion(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        self.archive.opinion(question)
    }
}

fn near<'a>(
    archive: &'a dyn Archive,
    source: &SourceFile,
    package: &Package,
    order: &Order,
) -> Near<'a> {
    let mut near = Near::new(archive);
    near.here.insert(source.digest, Arc::clone(&source.bytes));
    if let Some(Checker { program, .. }) = &package.checker {
        near.add_program(program);
    }
    if let Work::Judge { steps, .. } = &order.work {
        let tests = steps
            .iter()
            .filter_map(|step| package.tests.get(step.test().index));
        tests.for_each(|test| near.add_test(test));
    }
    near
}

/// One submission on its way to a judgement: what is known of it, and where what becomes known goes
/// on to.
struct Pass<'p> {
    case: &'p Case<'p>,
    known: Facts,
    sink: &'p mut dyn Sink,
    /// The input of the latest run, and what is kept of what was printed.
    latest: Option<(Digest, Arc<[u8]>)>,
    /// The earliest test that failed now.
    failed: usize,
    /// What is kept of what was printed on that test, and on those before it that may fail.
    printed: BTreeMap<usize, Arc<[u8]>>,
    /// The latest repeat for which the machine was too busy.
    disturbed: Option<RunFacts>,
    builds: u32,
    runs: u32,
    checks: u32,
}

impl Sink for Pass<'_> {
    fn begins(&mut self, progress: Progress) {
        self.sink.begins(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        if matches!(fact, Fact::Ran { .. }) && !bytes.is_empty() {
            self.keep_if_failed();
        }
        if let Fact::Ran { key, facts } = fact {
            let before = self.known.run(&key.input).map_or(0, |before| before.busy);
            if facts.busy > before && is_put_off(facts) {
                self.disturbed = Some(RunFacts::clone(facts));
            }
        }
        self.known.learn(fact);
        match fact {
            Fact::Built { key, .. } => self.builds += u32::from(*key == self.case.program.key),
            Fact::Ran { .. } => self.runs += 1,
            Fact::Opinion { is_unique, .. } => {
                self.checks += u32::from(*is_unique && self.case.how.by.is_checker());
            }
            Fact::Answered { .. } | Fact::Refused(_) | Fact::Lost(_) => {}
        }
        if let (Fact::Ran { key, .. }, [(_, kept)]) = (fact, bytes) {
            self.latest = Some((key.input, Arc::clone(kept)));
        }
        self.sink.fact(fact, bytes)
    }
}

impl Pass<'_> {
    /// Facts may not be in the archive yet when the report is made, so the bytes that it shows stay
    /// here.
    fn keep_if_failed(&mut self) {
        let Some((input, kept)) = self.latest.take() else {
            return;
        };
        let mut tests = self.case.tests.iter();
        let Some(index) = tests.position(|test| test.name.input == input) else {
            return;
        };
        match self.known.standing(self.case, &self.case.tests[index].name) {
            // What was printed on later tests than the first is not shown.
            _ if self.failed < index => {}
            Standing::Settled(said) if said.verdict != Verdict::Accepted => {
                self.failed = index;
                self.printed.retain(|at, _| *at < index);
                self.printed.insert(index, kept);
            }
            Standing::Near => {
                self.printed.insert(index, kept);
            }
            Standing::Settled(_) | Standing::Missing | Standing::Unsaid => {
                self.printed.remove(&index);
            }
        }
    }

    fn judged(mut self, archive: &dyn Archive, here: &Arc<str>) -> Result<Judged, Fault> {
        self.keep_if_failed();
        let (case, known) = (self.case, &self.known);
        let judgement = fold(case, known);
        let here_printed = judgement
            .first_failing
            .and_then(|first| self.printed.remove(&first));
        let printed = match (judgement.first_failing, here_printed) {
            (None, _) => None,
            (Some(_), Some(printed)) => Some(printed),
            (Some(first), None) => {
                let facts = known.run(&case.tests[first].name.input);
                match facts.and_then(|facts| facts.output.kept) {
                    Some(kept) => archive.blob(&kept)?,
                    None => None,
                }
            }
        };
        let machine = machine_of(&judgement, known, here);
        Ok(Judged {
            judgement,
            limits: case.how.limits.clone(),
            time_factor: case.time_factor,
            machine,
            build: case.program.key,
            policy: case.how.policy,
            printed,
            builds: self.builds,
            runs: self.runs,
            checks: self.checks,
        })
    }
}
