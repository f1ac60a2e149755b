//! `verdictd replay SUBMISSION [TEST]`: runs a judged program again and compares the facts. Nothing
//! is published.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;

use super::prelude::{Exit, Out, Piece, Recalled, Session, WorkerSlot, no_such, submission_named};
use crate::config::Config;
use crate::domain::{Digest, End, ProblemSlug, Provenance, RunFacts, Stop, Student, Verdict};
use crate::judge::{Archive as _, run_input};
use crate::package::Package;
use crate::report::Document;
use crate::store::Reader;
use crate::util::clock::as_us;
use crate::util::words::amount;
use crate::view::{Page, Show, Style, code};

/// Run a judged program again and compare the facts
#[derive(Debug, Args)]
pub struct Arguments {
    /// The submission's number, STUDENT/PROBLEM for the latest attempt, or STUDENT/PROBLEM/ATTEMPT.
    submission: String,
    /// Only this test: `secret/010-two-wide`.
    test: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What came of a replay.
#[derive(Serialize)]
struct Replay {
    agree: bool,
    artifact: Option<String>,
    attempt: u32,
    /// What has changed since the verdict, of all that it was made from.
    changed_since: Vec<&'static str>,
    problem: ProblemSlug,
    source_digest: Digest,
    student: Student,
    submission: i64,
    tests: Vec<Replayed>,
}

/// One test, before and now.
#[derive(Serialize)]
struct Replayed {
    /// `None` if there were no facts before.
    agrees: Option<bool>,
    before: Option<Measured>,
    name: String,
    now: Measured,
    verdict: Verdict,
}

#[derive(Serialize)]
struct Measured {
    cpu_us: u64,
    end: String,
    memory_bytes: u64,
    memory_exceeded: bool,
    output_bytes: u64,
    output_digest: Digest,
    wall_us: u64,
}

impl Measured {
    fn of(facts: &RunFacts) -> Self {
        Self {
            cpu_us: as_us(facts.cpu),
            end: match facts.end {
                End::Exited(code) => format!("exit {code}"),
                End::Signalled(number) => format!("signal {number}"),
            },
            memory_bytes: facts.memory_bytes,
            memory_exceeded: facts.memory_exceeded,
            output_bytes: facts.output.len_bytes,
            output_digest: facts.output.digest,
            wall_us: as_us(facts.wall),
        }
    }

    fn figures(&self) -> String {
        let (ms, kib) = (self.cpu_us / 1_000, self.memory_bytes / 1_024);
        format!("{ms} ms, {kib} KiB, {}", self.end)
    }
}

/// Whether the facts agree. Times and memory are never quite the same, and of a program that was
/// stopped it is chance how far it had come. In a talk it is chance who said what beside the other:
/// there the outputs are the same if they are worth the same.
fn agree(before: &RunFacts, now: &RunFacts, is_same_output: bool) -> bool {
    // Once an interactor has refused a program, how that ends is chance.
    if now.stop == Some(Stop::Decided) {
        return before.stop == now.stop;
    }
    let is_cut = now.stop.is_some() || now.memory_exceeded;
    before.end == now.end
        && before.stop == now.stop
        && before.memory_exceeded == now.memory_exceeded
        && (is_cut || is_same_output)
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let mut config = config.clone();
    config.judge.stop_at_first_failure = false;
    let session = Session::new(config)?;
    let reader = Reader::open(&session.config.folders.state)?;
    let found = submission_named(&arguments.submission, &reader)?;
    let document = reader.document(found.0.id)?;
    let document = document.map(|(_, text)| Document::from_json(&text));
    let document = document.transpose()?;
    let tests = document.iter().flat_map(|document| &document.tests);
    let said: HashMap<&str, Verdict> = tests
        .map(|test| (test.name.as_str(), test.verdict))
        .collect();
    let was = document
        .as_ref()
        .and_then(|document| document.provenance.as_ref());
    let package = session.package_named(found.0.problem.as_str())?;
    // The runs that the verdict was made from, by their inputs.
    let key = was.and_then(|was| {
        let artifact = Digest::parse(&was.artifact)?;
        Some((artifact, Digest::parse(&was.policy)?))
    });
    let before = key.map(|(artifact, policy)| reader.runs_for(&artifact, &policy));
    let before = before.transpose()?.unwrap_or_default();
    let only = only(&package, arguments.test.as_deref(), &before)?;
    let mut piece = Piece::of(found, Arc::new(only));
    let mut slot = WorkerSlot::new(&session, 0, Recalled::OfTheStore { runs: false });
    let judged = slot.judge(&piece).map_err(|fault| anyhow!("{fault}"))?;
    let now = slot.measured.runs(&judged.build, &judged.policy);
    let now = now.map_err(|fault| anyhow!("{fault}"))?;
    let replayed = judged.judgement.tests.iter().filter_map(|result| {
        let input = run_input(&package, &result.test);
        let (before, now) = (before.get(&input), now.get(&input)?);
        let is_same_output = |before: &RunFacts| {
            if package.talks() {
                said.get(result.test.name.as_str()) == Some(&result.said.verdict)
            } else {
                before.output.digest == now.output.digest
            }
        };
        Some(Replayed {
            agrees: before.map(|before| agree(before, now, is_same_output(before))),
            before: before.map(|before| Measured::of(before)),
            name: result.test.name.clone(),
            now: Measured::of(now),
            verdict: result.said.verdict,
        })
    });
    let tests: Vec<Replayed> = replayed.collect();
    piece.package = package;
    let provenance = session.provenance(&piece, &judged);
    let replay = Replay {
        agree: tests.iter().all(|test| test.agrees != Some(false)),
        artifact: provenance.as_ref().map(|now| now.artifact.clone()),
        attempt: piece.submission.attempt,
        changed_since: changed(was, provenance.as_ref()),
        problem: piece.submission.problem.clone(),
        source_digest: piece.source.digest,
        student: piece.submission.student.clone(),
        submission: piece.submission.id.0,
        tests,
    };
    out.show(&replay);
    Ok(Exit::No.only_if(!replay.agree))
}

/// The package with the wanted test alone, or with those that were run.
fn only(
    package: &Package,
    test: Option<&str>,
    before: &HashMap<Digest, Arc<RunFacts>>,
) -> anyhow::Result<Package> {
    let mut only = package.clone();
    if let Some(wanted) = test {
        only.tests.retain(|test| test.name.name == wanted);
        if only.tests.is_empty() {
            let known = package.tests.iter().map(|test| test.name.name.as_str());
            return Err(no_such("there is no test", wanted, known));
        }
    } else if !before.is_empty() {
        only.tests
            .retain(|test| before.contains_key(&run_input(package, &test.name)));
    }
    Ok(only)
}

fn changed(was: Option<&Provenance>, now: Option<&Provenance>) -> Vec<&'static str> {
    let (Some(was), Some(now)) = (was, now) else {
        return Vec::new();
    };
    let differ = [
        ("artifact", was.artifact != now.artifact),
        ("toolchain", was.toolchain != now.toolchain),
        ("package", was.package != now.package),
        ("limits", was.limits != now.limits),
        ("sandbox policy", was.policy != now.policy),
        ("machine", was.machine != now.machine),
    ];
    let differ = differ.into_iter().filter(|(_, differs)| *differs);
    differ.map(|(name, _)| name).collect()
}

impl Show for Replay {
    fn show(&self, page: &mut Page) {
        let Self {
            student,
            problem,
            attempt,
            submission,
            tests,
            ..
        } = self;
        let count = amount(tests.len(), "test");
        page.line(format!(
            "{student}/{problem} #{attempt} (submission {submission}): {count} measured again"
        ));
        let rows = tests.iter().map(|test| {
            let agrees = match test.agrees {
                Some(true) => Style::Good.on("agrees"),
                Some(false) => Style::Bad.on("differs"),
                None => Style::Dim.on("new"),
            };
            let was = test.before.as_ref();
            let was = was.map(|was| format!("was {}", was.figures()));
            vec![
                agrees,
                code(test.verdict),
                test.name.as_str().into(),
                test.now.figures().into(),
                was.unwrap_or_default().into(),
            ]
        });
        page.table(&["", "", "TEST", "NOW", "BEFORE"], rows.collect());
        if !self.changed_since.is_empty() {
            let changed = self.changed_since.join(", ");
            page.line(format!("changed since the verdict: {changed}"));
        }
        let agreeing = tests.iter().filter_map(|test| test.agrees);
        let differing = agreeing.clone().filter(|agrees| !agrees).count();
        page.spans([match (differing, agreeing.count()) {
            (0, 0) => "there were no facts to compare with".into(),
            (0, _) => Style::Good.on("the facts agree"),
            (count, _) => Style::Bad.on(format!("the facts of {} differ", amount(count, "test"))),
        }]);
    }
}
