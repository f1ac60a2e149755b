//! `verdictd hack add|list|remove`: inputs that join a problem's tests while it is in use.
//!
//! The folder `hacks/` of the package is the truth: these commands put files there and take them away, and a running daemon does the rest.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::names::problem_named;
use super::out::Style;
use super::session::{Session, read_config};
use super::{Complaint, Exit, Out, hack_add};
use crate::config::Config;
use crate::domain::ProblemSlug;
use crate::hack;
use crate::package::{self, FORCE_ENDING, Hack, NoOracle, Package};
use crate::report::HackReport;
use crate::store::{HackRow, Reader, StoreError, is_running};
use crate::util::clock::utc_text;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::files;

/// Endings of what lies beside a hack and belongs to it.
pub(super) const BESIDE: [&str; 3] = ["note", "ans", FORCE_ENDING];
/// Hacks that a list shows.
const LISTED_MAX: u32 = 1_000;

/// Arguments of `hack`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Check an input and add it to a problem's tests; every earlier submission is judged on it, and on nothing else
    Add(hack_add::Arguments),
    /// Hacks, and whose programs failed on them
    List(List),
    /// Remove a hack: every verdict is again as it was without it
    Remove(Remove),
}

#[derive(Debug, Args)]
struct List {
    /// Only this problem's.
    problem: Option<String>,
    /// Show removed hacks too.
    #[arg(long)]
    all: bool,
    /// One JSON object per hack.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Remove {
    /// The problem's folder name.
    problem: String,
    /// The hack's name, with or without `hack/`.
    name: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    match &arguments.action {
        Action::Add(arguments) => hack_add::run(arguments, &config, config_file, out),
        Action::List(arguments) => list(arguments, &config, out),
        Action::Remove(arguments) => remove(arguments, &config, config_file, out),
    }
}

pub(super) fn slug_of(name: &str, config: &Config) -> anyhow::Result<ProblemSlug> {
    let folder = &config.folders.problems;
    let slugs = package::slugs(folder).map_err(Complaint::usage)?;
    problem_named(name, &slugs, folder)
}

/// A package, and a sandbox where it has programs of its own to run.
pub(super) fn package_of(
    name: &str,
    config: &Config,
    config_file: &Path,
) -> anyhow::Result<(Arc<Package>, Option<Session>)> {
    let slug = slug_of(name, config)?;
    let folder = &config.folders.problems;
    match package::load(folder, &slug, &config.limits, &mut NoOracle) {
        Ok(package) => return Ok((Arc::new(package), None)),
        Err(error) if !error.ours => return Err(Complaint::usage(error)),
        Err(_) => {}
    }
    let session = Session::open(config_file)?;
    match session.package(&slug) {
        Some(Ok(package)) => Ok((package, Some(session))),
        Some(Err(error)) if error.ours => Err(anyhow!("{error}")),
        Some(Err(error)) => Err(Complaint::usage(error)),
        None => bail!("the package `{slug}` is gone"),
    }
}

fn list(arguments: &List, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let slug = match &arguments.problem {
        Some(name) => Some(slug_of(name, config)?),
        None => None,
    };
    let reader = match Reader::open(&config.folders.state) {
        Ok(reader) => reader,
        Err(StoreError::Missing { .. }) => {
            out.note("no daemon has run here yet");
            return Ok(Exit::Good);
        }
        Err(error) => return Err(error.into()),
    };
    let rows = if arguments.all {
        reader.latest_hacks(slug.as_ref(), LISTED_MAX)?
    } else {
        reader.open_hacks(slug.as_ref())?
    };
    for row in &rows {
        let report = hack::report(&reader, row)?;
        show(row, &report, arguments.json, false, out);
    }
    if rows.is_empty() && !arguments.json {
        out.note("there are no hacks");
    }
    Ok(Exit::Good)
}

pub(super) fn show(row: &HackRow, report: &HackReport, json: bool, whole: bool, out: &mut Out) {
    if json {
        out.json(&object(row, report));
        return;
    }
    if whole {
        out.data(report.to_text().as_bytes());
        return;
    }
    let (style, word) = state(row);
    let word = out.styled(style, &format!("{word:<9}"));
    let note = row
        .note
        .as_ref()
        .map(|note| format!("  \"{note}\""))
        .unwrap_or_default();
    let reason = row
        .refused
        .as_ref()
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    let headline = match row.withdrawn_ms {
        Some(_) => format!("{} of {}", row.name, row.problem),
        None => report.headline(),
    };
    let line = format!("{headline}{reason}  {}{note}", utc_text(row.seen_ms));
    out.line(&format!("{word}  {}", visible_line(&line)));
    let fell = report.fell.iter().filter(|_| row.withdrawn_ms.is_none());
    for fallen in fell {
        let submission = &fallen.submission;
        let (student, attempt) = (&submission.student, submission.attempt);
        let line = format!("{student} #{attempt}: {}", fallen.how);
        let code = out.styled(
            Style::of(fallen.verdict),
            &format!("{:<3}", fallen.verdict.code()),
        );
        out.line(&format!("           {code}  {}", visible_line(&line)));
    }
}

fn state(row: &HackRow) -> (Style, &'static str) {
    if row.withdrawn_ms.is_some() {
        (Style::Dim, "withdrawn")
    } else if row.held_back {
        (Style::Warn, "held back")
    } else if row.refused.is_some() {
        (Style::Bad, "refused")
    } else if row.finished_ms.is_some() {
        (Style::Good, "judged")
    } else {
        (Style::Warn, "joined")
    }
}

fn object(row: &HackRow, report: &HackReport) -> Value {
    json!({
        "problem": row.problem.as_str(), "name": row.name, "file": row.file_name,
        "state": state(row).1, "reason": row.refused, "note": row.note,
        "seen": utc_text(row.seen_ms), "took_ms": report.took_ms,
        "withdrawn": row.withdrawn_ms.map(utc_text),
        "fell_count": report.fell_count, "stood_count": report.stood_count,
        "failed_before_it_count": report.before_it_count, "waiting": report.waiting,
        "fell": report.fell.iter().map(|fallen| json!({
            "student": fallen.submission.student.as_str(), "attempt": fallen.submission.attempt,
            "verdict": fallen.verdict.code(), "how": fallen.how,
        })).collect::<Vec<_>>(),
        "stood": report.stood.iter().map(|submission| json!({
            "student": submission.student.as_str(), "attempt": submission.attempt,
        })).collect::<Vec<_>>(),
    })
}

fn remove(
    arguments: &Remove,
    config: &Config,
    config_file: &Path,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let (package, _) = package_of(&arguments.problem, config, config_file)?;
    let wanted = arguments.name.trim_start_matches("hack/");
    let hack = package.hacks.iter().find(|hack| {
        let file = hack.file.file_name().and_then(OsStr::to_str);
        hack.name == format!("hack/{wanted}") || file == Some(wanted)
    });
    let Some(hack) = hack else {
        let known: Vec<&str> = package
            .hacks
            .iter()
            .map(|hack| hack.name.as_str())
            .collect();
        return Err(Complaint::usage(format!(
            "{} has no hack `{wanted}`; it has {}",
            package.slug,
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        )));
    };
    take_away(hack)?;
    let word = out.styled(Style::Good, "removed");
    let file = visible_line(&hack.file.display().to_string());
    out.line(&format!("{word}  {file}"));
    if !is_running(&config.folders.state) {
        out.note(
            "no daemon is running; the verdicts are as they were before it when it is started",
        );
    }
    Ok(Exit::Good)
}

/// The input first: from then on it is no test, whatever becomes of the rest.
fn take_away(hack: &Hack) -> anyhow::Result<()> {
    std::fs::remove_file(&hack.file).with_context(|| format!("remove {}", hack.file.display()))?;
    point("hack's input removed");
    for ending in BESIDE {
        let file = hack.file.with_extension(ending);
        files::remove(&file).with_context(|| format!("remove {}", file.display()))?;
    }
    point("hack's other files removed");
    hack::remove_result(&hack.file).with_context(|| format!("remove the result of {}", hack.name))
}
