//! `verdictd replay SUBMISSION [TEST]`: runs a judged program again and says whether the facts agree. Nothing is published.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use serde_json::{Value, json};

use super::names::{self, problem_of, student_named, unknown_attempt};
use super::out::Style;
use super::session::{JudgingPlace, Piece, Recalled, Session};
use super::{Complaint, Exit, Out};
use crate::domain::{
    Digest, End, Provenance, RunFacts, SourceFile, Submission, SubmissionId, TestResult,
};
use crate::judge::{Archive as _, Judged, Memory};
use crate::package::Package;
use crate::report::{Document, ProvenancePart};
use crate::store::Reader;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The submission's number, or STUDENT/PROBLEM or STUDENT/PROBLEM/ATTEMPT; without ATTEMPT the latest.
    submission: String,
    /// Only this test: `secret/010-two-wide`.
    test: Option<String>,
    /// One JSON object.
    #[arg(long)]
    json: bool,
}

/// One test, before and now.
struct Compared {
    result: TestResult,
    now: RunFacts,
    before: Option<RunFacts>,
}

impl Compared {
    /// Whether the facts agree; none where there were none.
    ///
    /// Times and memory are never quite the same, and a program that we ended had come as far as it had.
    fn agrees(&self) -> Option<bool> {
        let before = self.before.as_ref()?;
        let now = &self.now;
        let ended_alike = before.end == now.end
            && before.stop == now.stop
            && before.memory_exceeded == now.memory_exceeded;
        let printed_alike =
            now.stop.is_some() || now.memory_exceeded || before.output.digest == now.output.digest;
        Some(ended_alike && printed_alike)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let session = Session::open(config_file)?;
    let reader = Reader::open(&session.config.folders.state)?;
    let (submission, source) = find(&reader, &arguments.submission)?;
    let document = match reader.document(submission.id)? {
        Some((_, text)) => Some(Document::from_json(&text)?),
        None => None,
    };
    let package = match session.package(&submission.problem) {
        Some(Ok(package)) => package,
        Some(Err(error)) => return Err(anyhow!("the package is broken: {error}")),
        None => {
            return Err(anyhow!(
                "there is no problem `{}` any more",
                submission.problem
            ));
        }
    };
    let version = session
        .version(&submission.language)
        .map_err(|why| anyhow!("{} cannot be used here: {why}", submission.language))?;
    let before = known_runs(&reader, document.as_ref())?;
    let piece = Piece {
        package: Arc::new(only(&package, arguments.test.as_deref(), &before)?),
        submission,
        source,
    };
    let mut place = JudgingPlace::new(&session, 0, Recalled::OfTheStore { runs: false });
    let judged = place
        .judge(&piece, false)
        .map_err(|fault| anyhow!("{fault}"))?;
    let compared = compare(&place.measured, &judged, &before)?;
    let whole = Piece { package, ..piece };
    let ground = session.provenance(
        &whole,
        &judged,
        &version,
        session.config.judge.stop_at_first_failure,
    );
    let was = document
        .as_ref()
        .and_then(|document| document.provenance.as_ref());
    let changed = differing_ground(was, ground.as_ref());
    if arguments.json {
        out.json(&object(&whole, &compared, &changed, ground.as_ref()));
    } else {
        show(&whole.submission, &compared, &changed, out);
    }
    let disagree = compared
        .iter()
        .any(|compared| compared.agrees() == Some(false));
    Ok(if disagree { Exit::No } else { Exit::Good })
}

/// Every test that was run now, with what was known of it.
fn compare(
    measured: &Memory,
    judged: &Judged,
    before: &HashMap<Digest, RunFacts>,
) -> anyhow::Result<Vec<Compared>> {
    let mut now = measured
        .runs(&judged.build, &judged.policy)
        .map_err(|fault| anyhow!("{fault}"))?;
    Ok(judged
        .judgement
        .tests
        .iter()
        .filter_map(|result| {
            Some(Compared {
                now: now.remove(&result.test.input)?,
                before: before.get(&result.test.input).cloned(),
                result: result.clone(),
            })
        })
        .collect())
}

fn find(reader: &Reader, name: &str) -> anyhow::Result<(Submission, SourceFile)> {
    let unknown = || {
        Complaint::usage(format!(
            "there is no submission `{name}`; `verdictd report` lists them"
        ))
    };
    let id = if let Ok(number) = name.parse() {
        SubmissionId(number)
    } else {
        let mut parts = name.split(['/', '#']).map(str::trim);
        let (Some(student), Some(problem)) = (parts.next(), parts.next()) else {
            return Err(Complaint::usage(format!(
                "`{name}` is neither a number nor STUDENT/PROBLEM/ATTEMPT"
            )));
        };
        let attempt = parts.next().map(str::parse::<u32>).transpose();
        let attempt = attempt
            .map_err(|error| Complaint::usage(format!("the attempt in `{name}`: {error}")))?;
        let student = student_named(student, reader)?;
        let problem = problem_of(&student, problem, reader)?;
        let attempts = reader.attempts(&student, &problem)?;
        let wanted = |of: u32| attempt.is_none_or(|attempt| attempt == of);
        let head = attempts.iter().rfind(|head| wanted(head.attempt));
        head.ok_or_else(|| unknown_attempt(&student, &problem, &attempts))?
            .id
    };
    reader.submission(id)?.ok_or_else(unknown)
}

/// The runs that the verdict was made from, by their inputs.
fn known_runs(
    reader: &Reader,
    document: Option<&Document>,
) -> anyhow::Result<HashMap<Digest, RunFacts>> {
    let Some(ground) = document.and_then(|document| document.provenance.as_ref()) else {
        return Ok(HashMap::new());
    };
    match (
        Digest::parse(&ground.artifact),
        Digest::parse(&ground.policy),
    ) {
        (Some(artifact), Some(policy)) => Ok(reader.runs_for(&artifact, &policy)?),
        _ => Ok(HashMap::new()),
    }
}

/// The package with the wanted test alone, or with those that were run.
fn only(
    package: &Package,
    test: Option<&str>,
    before: &HashMap<Digest, RunFacts>,
) -> anyhow::Result<Package> {
    let mut package = package.clone();
    match test {
        Some(name) => {
            let known: Vec<String> = package
                .tests
                .iter()
                .map(|test| test.name.name.clone())
                .collect();
            package.tests.retain(|test| test.name.name == name);
            if package.tests.is_empty() {
                let known = known.iter().map(String::as_str);
                let words = names::unknown("there is no test", name, known);
                return Err(Complaint::usage(words));
            }
        }
        None if before.is_empty() => {}
        None => package
            .tests
            .retain(|test| before.contains_key(&test.name.input)),
    }
    Ok(package)
}

/// What the verdict rests on and is not the same any more.
fn differing_ground(was: Option<&ProvenancePart>, now: Option<&Provenance>) -> Vec<&'static str> {
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

fn show(submission: &Submission, compared: &[Compared], changed: &[&str], out: &mut Out) {
    let name = format!("{submission} (submission {})", submission.id.0);
    out.line(&visible_line(&format!(
        "{name}: {} measured again",
        amount(compared.len(), "test")
    )));
    let names = compared.iter().map(|one| one.result.test.name.len());
    let width = names.max().unwrap_or(0);
    for one in compared {
        let (style, word) = match one.agrees() {
            Some(true) => (Style::Good, "agrees"),
            Some(false) => (Style::Bad, "differs"),
            None => (Style::Dim, "new"),
        };
        let word = out.styled(style, &format!("{word:<7}"));
        let was = one.before.as_ref().map_or_else(String::new, |before| {
            format!(
                ", was {} ms, {} KiB, {}",
                before.cpu.as_millis(),
                before.memory_bytes / 1024,
                end_words(before.end)
            )
        });
        let line = format!(
            "{:<3}  {:<width$}  {} ms, {} KiB, {}{was}",
            one.result.verdict.code(),
            one.result.test.name,
            one.now.cpu.as_millis(),
            one.now.memory_bytes / 1024,
            end_words(one.now.end),
        );
        out.line(&format!("  {word}  {}", visible_line(&line)));
    }
    if !changed.is_empty() {
        out.line(&format!(
            "since the verdict these have changed: {}",
            changed.join(", ")
        ));
    }
    let differing = compared
        .iter()
        .filter(|one| one.agrees() == Some(false))
        .count();
    out.line(
        &match (differing, compared.iter().any(|one| one.before.is_some())) {
            (0, true) => out.styled(Style::Good, "the facts agree"),
            (0, false) => "there were no facts to compare with".to_owned(),
            (differing, _) => out.styled(
                Style::Bad,
                &format!("the facts of {} differ", amount(differing, "test")),
            ),
        },
    );
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

fn object(
    piece: &Piece,
    compared: &[Compared],
    changed: &[&str],
    ground: Option<&Provenance>,
) -> Value {
    let submission = &piece.submission;
    json!({
        "submission": submission.id.0, "student": submission.student.as_str(),
        "problem": submission.problem.as_str(), "attempt": submission.attempt,
        "agree": compared.iter().all(|one| one.agrees() != Some(false)),
        "changed_since": changed,
        "source_digest": piece.source.digest.to_string(),
        "artifact": ground.map(|ground| ground.artifact.to_string()),
        "tests": compared.iter().map(|one| json!({
            "name": one.result.test.name, "verdict": one.result.verdict.code(),
            "agrees": one.agrees(), "now": facts_object(&one.now),
            "before": one.before.as_ref().map(facts_object),
        })).collect::<Vec<_>>(),
    })
}
