//! `verdictd status`: what the store holds, while a daemon runs or not.

use std::path::Path;

use clap::Args;
use serde_json::json;

use super::out::Style;
use super::session::read_config;
use super::{Complaint, Exit, Out, status_packages};
use crate::domain::Rejection;
use crate::exports::Roster;
use crate::package::{self, NoOracle};
use crate::store::{Counts, EventKind, FaultRow, Reader, StoreError, is_running, read_trouble};
use crate::util::clock::utc_text;
use crate::util::excerpt::visible_line;

/// Latest verdicts that are shown.
const LATEST_SHOWN: u32 = 10;
/// Faults that are shown.
const FAULTS_SHOWN: u32 = 20;

/// Rejected files that are shown, the latest ones.
const REJECTIONS_SHOWN: u32 = 20;

/// Arguments of `status`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// One JSON object for everything.
    #[arg(long)]
    json: bool,
}

/// Everything that is shown.
struct Status {
    running: bool,
    /// What keeps the running daemon from its work.
    trouble: Vec<String>,
    counts: Counts,
    latest: Vec<String>,
    faults: Vec<FaultRow>,
    /// The latest rejected files, the latest first.
    rejections: Vec<Rejection>,
    broken: Vec<String>,
    /// Files and folders that nothing reads.
    warnings: Vec<String>,
    /// What is wrong with the roster.
    roster: Option<String>,
    skip_superseded: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    let problems = &config.folders.problems;
    let library =
        package::load_all(problems, &config.limits, &mut NoOracle).map_err(Complaint::usage)?;
    let warnings = status_packages::warnings(problems, &library).map_err(Complaint::usage)?;
    let roster = config.overview.roster.as_deref().map(Roster::load);
    let roster = roster.and_then(Result::err).map(|error| error.to_string());
    let skip_superseded = config.judge.skip_superseded;
    let status = match Reader::open(&config.folders.state) {
        Err(StoreError::Missing { .. }) => Status {
            broken: status_packages::broken(problems, &library, &[], false),
            warnings,
            running: false,
            trouble: Vec::new(),
            rejections: Vec::new(),
            counts: Counts::default(),
            latest: Vec::new(),
            faults: Vec::new(),
            roster,
            skip_superseded,
        },
        Err(error) => return Err(error.into()),
        Ok(reader) => {
            let running = is_running(&config.folders.state);
            let trouble = running.then(|| read_trouble(&config.folders.state));
            Status {
                running,
                trouble: trouble.unwrap_or_default(),
                counts: reader.counts()?,
                latest: latest(&reader)?,
                faults: reader.faults(FAULTS_SHOWN)?,
                rejections: reader.latest_rejections(REJECTIONS_SHOWN)?,
                broken: status_packages::broken(
                    problems,
                    &library,
                    &reader.broken_packages()?,
                    running,
                ),
                warnings,
                roster,
                skip_superseded,
            }
        }
    };
    if arguments.json {
        out.json(&object(&status));
    } else {
        show(&status, out);
    }
    Ok(Exit::Good)
}

/// The latest verdicts as JSON, the newest last.
fn latest(reader: &Reader) -> Result<Vec<String>, StoreError> {
    Ok(reader
        .latest_events(EventKind::Verdict, LATEST_SHOWN)?
        .into_iter()
        .map(|event| event.json)
        .collect())
}

fn object(status: &Status) -> serde_json::Value {
    let counts = &status.counts;
    let verdicts: serde_json::Map<String, serde_json::Value> = counts
        .verdicts
        .iter()
        .map(|(verdict, count)| (verdict.code().to_owned(), json!(count)))
        .collect();
    json!({
        "running": status.running, "trouble": status.trouble,
        "received": counts.received, "judged": counts.judged, "waiting": counts.waiting,
        "superseded": counts.superseded, "skip_superseded": status.skip_superseded,
        "rejected": counts.rejected, "faults": counts.faults, "verdicts": verdicts,
        "latest": status.latest.iter()
            .filter_map(|text| serde_json::from_str::<serde_json::Value>(text).ok())
            .collect::<Vec<_>>(),
        "faulted": status.faults.iter().map(|row| json!({
            "submission": row.record.submission.map(|id| id.0),
            "step": row.record.fault.step, "reason": row.record.fault.reason,
            "tries": row.tries, "last": utc_text(row.record.last_ms),
            "next_try": row.record.next_try_ms.map(utc_text),
        })).collect::<Vec<_>>(),
        "rejections": status.rejections.iter().map(|one| json!({
            "student": one.student.as_ref().map(ToString::to_string), "path": one.path,
            "reason": one.reason, "seen": utc_text(one.seen_ms),
        })).collect::<Vec<_>>(),
        "broken_packages": status.broken,
        "warnings": status.warnings,
        "roster": status.roster,
    })
}

fn show(status: &Status, out: &mut Out) {
    let counts = &status.counts;
    let superseded = if status.skip_superseded {
        counts.superseded
    } else {
        0
    };
    let running = if status.running {
        out.styled(Style::Good, "the daemon is running")
    } else {
        out.styled(Style::Warn, "the daemon is not running")
    };
    out.line(&running);
    for trouble in &status.trouble {
        let word = out.styled(Style::Bad, "trouble");
        out.line(&format!("{word}  {trouble}"));
    }
    out.line(&format!(
        "{} received · {} judged · {} waiting · {} rejected · {} with faults",
        counts.received,
        counts.judged,
        counts.waiting - superseded,
        counts.rejected,
        counts.faults
    ));
    if superseded > 0 {
        out.line(&format!(
            "{superseded} not judged, because a newer attempt is there (judge.skip_superseded)"
        ));
    }
    show_verdicts(counts, out);
    show_latest(&status.latest, out);
    show_rejections(status, out);
    for row in &status.faults {
        let word = out.styled(Style::Bad, "fault");
        out.line(&format!(
            "{word}  {} ({} {}, last {}; {})",
            row.record.fault,
            row.tries,
            if row.tries == 1 { "try" } else { "tries" },
            utc_text(row.record.last_ms),
            next_words(row, status.running)
        ));
    }
    for broken in &status.broken {
        let word = out.styled(Style::Bad, "broken package");
        out.line(&format!("{word}  {broken}"));
    }
    for warning in &status.warnings {
        let word = out.styled(Style::Warn, "warning");
        out.line(&format!("{word}  {warning}"));
    }
    if let Some(error) = &status.roster {
        let word = out.styled(Style::Bad, "roster");
        out.line(&format!("{word}  {error}"));
    }
}

/// The latest verdicts, from what their events say.
fn show_latest(latest: &[String], out: &mut Out) {
    let latest: Vec<serde_json::Value> = latest
        .iter()
        .filter_map(|text| serde_json::from_str(text).ok())
        .collect();
    if !latest.is_empty() {
        out.line("");
        out.line("latest verdicts");
    }
    for entry in &latest {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        out.line(&format!(
            "  {:<3}  {}/{} #{}  {}  {}",
            text("verdict"),
            text("student"),
            text("problem"),
            entry["attempt"],
            text("language"),
            text("first_failing_test"),
        ));
    }
}

/// The files that lie in the submissions folder and are no submissions.
fn show_rejections(status: &Status, out: &mut Out) {
    if !status.rejections.is_empty() {
        out.line("");
        out.line("not accepted as submissions, the latest first");
    }
    for one in &status.rejections {
        out.line(&format!(
            "  {}: {}",
            visible_line(&one.path),
            visible_line(&one.reason)
        ));
    }
    let shown = u64::try_from(status.rejections.len()).unwrap_or(u64::MAX);
    let more = status.counts.rejected.saturating_sub(shown);
    if more > 0 {
        out.line(&format!("  and {more} more"));
    }
}

/// When a fault is tried again.
fn next_words(row: &FaultRow, running: bool) -> String {
    match row.record.next_try_ms {
        _ if !running => "tried again when the daemon starts".to_owned(),
        Some(next) => format!("tried again {}", utc_text(next)),
        None => {
            "waits until its cause changes: the package, the configuration, or a restart".to_owned()
        }
    }
}

fn show_verdicts(counts: &Counts, out: &mut Out) {
    let verdicts: Vec<String> = counts
        .verdicts
        .iter()
        .map(|(verdict, count)| {
            format!(
                "{} {count}",
                out.styled(Style::of(*verdict), verdict.code())
            )
        })
        .collect();
    if !verdicts.is_empty() {
        out.line(&verdicts.join(" · "));
    }
}
