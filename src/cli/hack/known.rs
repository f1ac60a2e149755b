//! Hacks that are there: finding one by its name, and showing what it did.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::cli::exit::CliError;
use crate::cli::names::problem_named;
use crate::cli::out::{Out, Style};
use crate::cli::session::Session;
use crate::config::Config;
use crate::domain::{ProblemSlug, Submission};
use crate::package::{self, FORCE_ENDING, Hack, NoOracle, Package};
use crate::report::HackReport;
use crate::store::HackRow;
use crate::util::clock::{utc_text, zone_text};
use crate::util::excerpt::visible_line;

/// Endings of the files that may lie beside a hack's input and belong to it.
pub(super) const BESIDE: [&str; 3] = ["note", "ans", FORCE_ENDING];

pub(super) fn slug_of(name: &str, config: &Config) -> anyhow::Result<ProblemSlug> {
    let folder = &config.folders.problems;
    let slugs = package::slugs(folder).map_err(CliError::usage)?;
    problem_named(name, &slugs, folder)
}

/// A package, and a session if it has programs of its own, which need a sandbox.
pub(super) fn package_of(
    name: &str,
    config: &Config,
    config_file: &Path,
) -> anyhow::Result<(Arc<Package>, Option<Session>)> {
    let slug = slug_of(name, config)?;
    let folder = &config.folders.problems;
    match package::load(folder, &slug, &config.limits, &mut NoOracle) {
        Ok(package) => return Ok((Arc::new(package), None)),
        Err(error) if !error.ours => return Err(CliError::usage(error)),
        Err(_) => {}
    }
    let session = Session::open(config_file)?;
    match session.package(&slug) {
        Some(Ok(package)) => Ok((package, Some(session))),
        Some(Err(error)) if error.ours => Err(anyhow!("{error}")),
        Some(Err(error)) => Err(CliError::usage(error)),
        None => bail!("the package `{slug}` is gone"),
    }
}

/// A hack of a package by its name, with or without `hack/`, or by its file's name.
pub(super) fn hack_named<'p>(package: &'p Package, name: &str) -> Option<&'p Hack> {
    let wanted = name.trim_start_matches("hack/");
    package.hacks.iter().find(|hack| {
        let file = hack.file.file_name().and_then(OsStr::to_str);
        hack.name == format!("hack/{wanted}") || file == Some(wanted)
    })
}

/// One line, and one for each submission that failed on it.
pub(super) fn show(row: &HackRow, report: &HackReport, zone: &TimeZone, out: &mut Out) {
    let (style, word) = state(row);
    let is_withdrawn = row.withdrawn_ms.is_some();
    let headline = if is_withdrawn {
        format!("{} of {}", row.name, row.problem)
    } else {
        report.headline()
    };
    let reason = row.refused.as_ref().map(|reason| format!(": {reason}"));
    let seen = format!("  {}", zone_text(row.seen_ms, zone));
    let note = row.note.as_ref().map(|note| format!("  \"{note}\""));
    let parts = [Some(headline), reason, Some(seen), note];
    let line: String = parts.into_iter().flatten().collect();
    out.tagged(style, &format!("{word:<9}"), &visible_line(&line));
    for fallen in report.fell.iter().filter(|_| !is_withdrawn) {
        let code = format!("{:<3}", fallen.verdict.code());
        let code = out.styled(Style::of(fallen.verdict), &code);
        let Submission {
            student, attempt, ..
        } = &fallen.submission;
        let line = format!("{student} #{attempt}: {}", fallen.how);
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

pub(super) fn object(row: &HackRow, report: &HackReport) -> Value {
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
