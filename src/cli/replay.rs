//! `verdictd replay SUBMISSION [TEST]`: runs a judged program again and compares the facts. Nothing
//! is published.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;
use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::names::{submission_named, unknown};
use super::out::{Out, Style};
use super::session::{Piece, Session, read_config};
use super::slot::{Recalled, WorkerSlot};
use crate::domain::{Digest, End, Provenance, RunFacts, TestResult};
use crate::judge::{Archive as _, Judged, Memory};
use crate::package::Package;
use crate::report::{Document, ProvenancePart};
use crate::store::Reader;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The submission's number, STUDENT/PROBLEM for the latest attempt, or STUDENT/PROBLEM/ATTEMPT.
    submission: String,
    /// Only this test: `secret/010-two-wide`.
    test: Option<String>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// One test, before and now.
struct Replayed {
    result: TestResult,
    now: RunFacts,
    before: Option<RunFacts>,
}

impl Replayed {
    /// Whether the facts agree; `None` if there were none before.
    ///
    /// Times and memory are never quite the same, and of a program that was stopped it is chance
    /// how far it had come.
    fn agrees(&self) -> Option<bool> {
        let (before, now) = (self.before.as_ref()?, &self.now);
        let ends_agree = before.end == now.end
            && before.stop == now.stop
            && before.memory_exceeded == now.memory_exceeded;
        let outputs_agree =
            now.stop.is_some() || now.memory_exceeded || before.output.digest == now.output.digest;
        Some(ends_agree && outputs_agree)
    }
}

/// What came of a replay.
struct Replay {
    piece: Piece,
    tests: Vec<Replayed>,
    provenance: Option<Provenance>,
    /// What has changed since the verdict, of all that it was made from.
    changed: Vec<&'static str>,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = read_config(config_file)?;
    config.judge.stop_at_first_failure = false;
    let session = Session::new(config)?;
    let reader = Reader::open(&session.config.folders.state)?;
    let (submission, source) = submission_named(&arguments.submission, &reader)?;
    let document = reader.document(submission.id)?;
    let document = document.map(|(_, text)| Document::from_json(&text));
    let was = document
        .transpose()?
        .and_then(|document| document.provenance);
    let whole = match session.package(&submission.problem) {
        Some(Ok(package)) => package,
        Some(Err(error)) => bail!("the package is broken: {error}"),
        None => bail!("there is no problem `{}` any more", submission.problem),
    };
    session
        .version(&submission.language)
        .map_err(|why| anyhow!("{} cannot be used here: {why}", submission.language))?;
    let before = known_runs(&reader, was.as_ref())?;
    let mut piece = Piece {
        package: Arc::new(only(&whole, arguments.test.as_deref(), &before)?),
        submission,
        source,
    };
    let mut slot = WorkerSlot::new(&session, 0, Recalled::OfTheStore { runs: false });
    let judged = slot.judge(&piece).map_err(|fault| anyhow!("{fault}"))?;
    let tests = replayed(&slot.measured, &judged, &before)?;
    piece.package = whole;
    let provenance = session.provenance(&piece, &judged);
    let replay = Replay {
        changed: changed(was.as_ref(), provenance.as_ref()),
        piece,
        tests,
        provenance,
    };
    if arguments.json {
        out.json(&replay.object());
    } else {
        replay.show(out);
    }
    Ok(match replay.differing() {
        0 => Exit::Good,
        _ => Exit::No,
    })
}

/// Every test that was run now, with what was known of it.
fn replayed(
    measured: &Memory,
    judged: &Judged,
    before: &HashMap<Digest, RunFacts>,
) -> anyhow::Result<Vec<Replayed>> {
    let now = measured.runs(&judged.build, &judged.policy);
    let mut now = now.map_err(|fault| anyhow!("{fault}"))?;
    let replayed = |result: &TestResult| {
        Some(Replayed {
            now: now.remove(&result.test.input)?,
            before: before.get(&result.test.input).cloned(),
            result: result.clone(),
        })
    };
    Ok(judged.judgement.tests.iter().filter_map(replayed).collect())
}

/// The runs that the verdict was made from, by their inputs.
fn known_runs(
    reader: &Reader,
    provenance: Option<&ProvenancePart>,
) -> anyhow::Result<HashMap<Digest, RunFacts>> {
    let key = provenance.and_then(|from| {
        let artifact = Digest::parse(&from.artifact)?;
        Some((artifact, Digest::parse(&from.policy)?))
    });
    Ok(match key {
        Some((artifact, policy)) => reader.runs_for(&artifact, &policy)?,
        None => HashMap::new(),
    })
}

/// The package with the wanted test alone, or with those that were run.
fn only(
    package: &Package,
    test: Option<&str>,
    before: &HashMap<Digest, RunFacts>,
) -> anyhow::Result<Package> {
    let mut only = package.clone();
    match test {
        Some(name) => only.tests.retain(|test| test.name.name == name),
        None if before.is_empty() => {}
        None => only
            .tests
            .retain(|test| before.contains_key(&test.name.input)),
    }
    match test {
        Some(name) if only.tests.is_empty() => {
            let known = package.tests.iter().map(|test| test.name.name.as_str());
            Err(CliError::usage(unknown("there is no test", name, known)))
        }
        _ => Ok(only),
    }
}

fn changed(was: Option<&ProvenancePart>, now: Option<&Provenance>) -> Vec<&'static str> {
    let (Some(was), Some(now)) = (was, now) else {
        return Vec::new();
    };
    [
        ("artifact", was.artifact != now.artifact.to_string()),
        ("toolchain", was.toolchain != now.toolchain.to_string()),
        ("package", was.package != now.package.to_string()),
        ("limits", was.limits != now.limits.to_string()),
        ("sandbox policy", was.policy != now.policy.to_string()),
        ("machine", was.machine != now.machine),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

fn end_words(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit {code}"),
        End::Signalled(number) => format!("signal {number}"),
    }
}

fn figures(facts: &RunFacts) -> String {
    let (cpu, memory) = (facts.cpu.as_millis(), facts.memory_bytes / 1024);
    format!("{cpu} ms, {memory} KiB, {}", end_words(facts.end))
}

fn facts_object(facts: &RunFacts) -> Value {
    json!({
        "end": end_words(facts.end),
        "cpu_us": u64::try_from(facts.cpu.as_micros()).unwrap_or(u64::MAX),
        "wall_us": u64::try_from(facts.wall.as_micros()).unwrap_or(u64::MAX),
        "memory_bytes": facts.memory_bytes, "memory_exceeded": facts.memory_exceeded,
        "output_digest": facts.output.digest.to_string(), "output_bytes": facts.output.len_bytes,
    })
}

impl Replay {
    fn differing(&self) -> usize {
        let differs = |test: &&Replayed| test.agrees() == Some(false);
        self.tests.iter().filter(differs).count()
    }

    fn show(&self, out: &mut Out) {
        let submission = &self.piece.submission;
        out.line(&visible_line(&format!(
            "{submission} (submission {}): {} measured again",
            submission.id.0,
            amount(self.tests.len(), "test")
        )));
        let names = self.tests.iter().map(|test| test.result.test.name.len());
        let width = names.max().unwrap_or(0);
        for test in &self.tests {
            let (style, word) = match test.agrees() {
                Some(true) => (Style::Good, "agrees"),
                Some(false) => (Style::Bad, "differs"),
                None => (Style::Dim, "new"),
            };
            let word = out.styled(style, &format!("{word:<7}"));
            let (code, name) = (test.result.verdict.code(), &test.result.test.name);
            let was = test.before.as_ref();
            let was = was.map_or_else(String::new, |was| format!(", was {}", figures(was)));
            let line = format!("{code:<3}  {name:<width$}  {}{was}", figures(&test.now));
            out.line(&format!("  {word}  {}", visible_line(&line)));
        }
        if !self.changed.is_empty() {
            let changed = self.changed.join(", ");
            out.line(&format!("changed since the verdict: {changed}"));
        }
        let is_compared = self.tests.iter().any(|test| test.before.is_some());
        out.line(&match (self.differing(), is_compared) {
            (0, true) => out.styled(Style::Good, "the facts agree"),
            (0, false) => "there were no facts to compare with".to_owned(),
            (count, _) => {
                let words = format!("the facts of {} differ", amount(count, "test"));
                out.styled(Style::Bad, &words)
            }
        });
    }

    fn object(&self) -> Value {
        let submission = &self.piece.submission;
        json!({
            "submission": submission.id.0, "student": submission.student.as_str(),
            "problem": submission.problem.as_str(), "attempt": submission.attempt,
            "agree": self.differing() == 0,
            "changed_since": self.changed,
            "source_digest": self.piece.source.digest.to_string(),
            "artifact": self.provenance.as_ref().map(|from| from.artifact.to_string()),
            "tests": self.tests.iter().map(|test| json!({
                "name": test.result.test.name, "verdict": test.result.verdict.code(),
                "agrees": test.agrees(), "now": facts_object(&test.now),
                "before": test.before.as_ref().map(facts_object),
            })).collect::<Vec<_>>(),
        })
    }
}
