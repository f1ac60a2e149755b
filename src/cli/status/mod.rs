//! `verdictd status`: what the store holds, while a daemon runs or not.

mod course;
mod machines;
mod packages;

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

use crate::cli::course_files::complaints;
use crate::cli::exit::{CliError, Exit};
use crate::cli::out::{Out, Style};
use crate::cli::session::{read_config, store_if_any, zone};
use crate::course::Roster;
use crate::domain::{Rejection, Verdict};
use crate::fleet::{Shown, read_shown};
use crate::overview::{Grading, HeldCounts};
use crate::package::{self, NoOracle};
use crate::store::{Counts, EventKind, FaultRow, Proposed, Whose, is_running, read_trouble};
use crate::util::clock::{utc_text, zone_text};
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Latest verdicts that are shown.
const LATEST_SHOWN: u32 = 10;
/// Faults that are shown.
const FAULTS_SHOWN: u32 = 20;

/// Rejected files that are shown, the latest ones.
const REJECTIONS_SHOWN: u32 = 20;

#[derive(Debug, Args)]
pub struct Arguments {
    /// One JSON object for everything.
    #[arg(long)]
    json: bool,
}

/// Everything that is shown.
#[derive(Default)]
struct Status {
    running: bool,
    /// What keeps the running daemon from its work.
    trouble: Vec<String>,
    counts: Counts,
    /// The latest verdicts as their events, the newest last.
    latest: Vec<Value>,
    faults: Vec<FaultRow>,
    /// The latest first.
    rejections: Vec<Rejection>,
    broken: Vec<String>,
    /// Files and folders that nothing reads.
    warnings: Vec<String>,
    /// What is wrong with the roster.
    roster: Option<String>,
    /// What is wrong with the files that say how it is graded.
    course: Vec<String>,
    /// What is not judged by itself now, and the course's word on that.
    held: HeldCounts,
    grading: Grading,
    /// Who has handed in something and is not on the roster.
    strangers: Vec<String>,
    skip_superseded: bool,
    /// Hacks that wait for a decision.
    proposed: Proposed,
    /// The other machines, where the running daemon has any.
    machines: Option<Shown>,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    let problems = &config.folders.problems;
    let library =
        package::load_all(problems, &config.limits, &mut NoOracle).map_err(CliError::usage)?;
    let roster = config.overview.roster.as_deref().map(Roster::load);
    let mut status = Status {
        warnings: packages::warnings(problems, &library).map_err(CliError::usage)?,
        roster: roster.and_then(Result::err).map(|error| error.to_string()),
        course: complaints(&config, library.keys()),
        skip_superseded: config.judge.skip_superseded,
        ..Status::default()
    };
    let mut known = Vec::new();
    if let Some(reader) = store_if_any(&config)? {
        let state = &config.folders.state;
        status.running = is_running(state);
        if status.running {
            status.trouble = read_trouble(state);
            status.machines = read_shown(state);
        }
        status.counts = reader.counts()?;
        let latest = reader.latest_events(EventKind::Verdict, LATEST_SHOWN)?;
        let latest = latest.iter().map(|event| serde_json::from_str(&event.json));
        status.latest = latest.filter_map(Result::ok).collect();
        status.faults = reader.faults(FAULTS_SHOWN)?;
        status.rejections = reader.latest_rejections(REJECTIONS_SHOWN)?;
        known = reader.broken_packages()?;
        status.grading = course::grading(&config);
        status.strangers = course::strangers(&status.grading, &reader)?;
        status.held = status.grading.held_of(reader.unjudged()?.iter());
        status.proposed = reader.proposed()?;
    }
    let zone = zone(&config);
    status.broken = packages::broken(problems, &library, &known, status.running, &zone);
    if arguments.json {
        out.json(&object(&status));
    } else {
        show(&status, &zone, out);
    }
    Ok(Exit::Good)
}

fn object(status: &Status) -> Value {
    let counts = &status.counts;
    let verdicts = counts.verdicts.iter();
    let verdicts: BTreeMap<_, _> = verdicts
        .map(|(verdict, count)| (verdict.code(), count))
        .collect();
    let mut object = json!({
        "running": status.running, "trouble": status.trouble,
        "received": counts.received, "judged": counts.judged, "waiting": counts.waiting,
        "superseded": counts.superseded, "skip_superseded": status.skip_superseded,
        "to_measure_again": counts.dropped,
        "rejected": counts.rejected, "faults": counts.faults, "verdicts": verdicts,
        "latest": status.latest,
        "faulted": status.faults.iter().map(|row| json!({
            "submission": row.record.submission.map(|id| id.0),
            "student": row.whose.as_ref().map(|whose| whose.student.to_string()),
            "problem": row.whose.as_ref().map(|whose| whose.problem.to_string()),
            "attempt": row.whose.as_ref().map(|whose| whose.attempt),
            "step": row.record.fault.step, "reason": row.record.fault.reason,
            "tries": row.tries, "last": utc_text(row.record.last_ms),
            "next_try": row.record.next_try_ms.map(utc_text),
        })).collect::<Vec<_>>(),
        "rejections": status.rejections.iter().map(|one| json!({
            "student": one.student.as_ref().map(ToString::to_string), "path": one.path,
            "reason": one.reason, "seen": utc_text(one.seen_ms),
        })).collect::<Vec<_>>(),
        "proposed_hacks": status.proposed.waiting,
        "unproposed": {
            "full_students": status.proposed.full_students,
            "full_problems": status.proposed.full_problems,
        },
        "broken_packages": status.broken,
        "warnings": status.warnings,
        "roster": status.roster,
        "course": status.course,
        "strangers": status.strangers,
        "held": course::held(&status.held),
    });
    if let Some(machines) = &status.machines {
        object["cluster"] = machines::object(machines);
    }
    object
}

fn show(status: &Status, zone: &TimeZone, out: &mut Out) {
    let running = if status.running {
        out.styled(Style::Good, "the daemon is running")
    } else {
        out.styled(Style::Warn, "the daemon is not running")
    };
    out.line(&running);
    for trouble in &status.trouble {
        out.tagged(Style::Bad, "trouble", trouble);
    }
    show_counts(status, out);
    if status.proposed.waiting > 0 {
        let proposed = usize::try_from(status.proposed.waiting).unwrap_or(usize::MAX);
        let proposed = amount(proposed, "proposed hack");
        out.line(&format!("{proposed}: verdictd hack list --proposed"));
    }
    if let Some(words) = status.proposed.without_place() {
        out.line(&words);
    }
    if let Some(machines) = &status.machines {
        machines::show(machines, out);
    }
    show_verdicts(status, out);
    show_rejections(status, out);
    if !status.strangers.is_empty() {
        let line = course::strangers_line(&status.strangers);
        out.tagged(Style::Warn, "not on the roster", &line);
    }
    show_faults(status, zone, out);
    for (style, word, texts) in [
        (Style::Bad, "broken package", status.broken.as_slice()),
        (Style::Warn, "warning", &status.warnings),
        (Style::Bad, "roster", status.roster.as_slice()),
        (Style::Bad, "course", &status.course),
    ] {
        for text in texts {
            out.tagged(style, word, text);
        }
    }
}

/// What failed on our side, and whose submission it is about.
fn show_faults(status: &Status, zone: &TimeZone, out: &mut Out) {
    for row in &status.faults {
        let whose = row.whose.as_ref().map(|whose| {
            let Whose {
                student,
                problem,
                attempt,
            } = whose;
            format!("{student}/{problem}#{attempt}: ")
        });
        let text = format!(
            "{}{} ({} {}, last {}; {})",
            whose.unwrap_or_default(),
            row.record.fault,
            row.tries,
            if row.tries == 1 { "try" } else { "tries" },
            zone_text(row.record.last_ms, zone),
            next_words(row, status.running, zone)
        );
        out.tagged(Style::Bad, "fault", &text);
    }
}

/// How many submissions there are, and which of them are not judged now.
fn show_counts(status: &Status, out: &mut Out) {
    let counts = &status.counts;
    let superseded = if status.skip_superseded {
        counts.superseded
    } else {
        0
    };
    let held = status.held.values().sum::<usize>() as u64;
    out.line(&format!(
        "{} received · {} judged · {} waiting · {} rejected · {} with faults",
        counts.received,
        counts.judged,
        counts.waiting.saturating_sub(superseded + held),
        counts.rejected,
        counts.faults
    ));
    if superseded > 0 {
        out.line(&format!(
            "{superseded} not judged, because there is a newer attempt (judge.skip_superseded)"
        ));
    }
    if let Some(words) = counts.measured_again() {
        out.line(&words);
    }
    for ((problem, held), count) in &status.held {
        let words = held.words(problem, *count, status.grading.zone());
        out.tagged(Style::Warn, "held", &words);
    }
}

/// How many there are of each verdict, and the latest ones.
fn show_verdicts(status: &Status, out: &mut Out) {
    let styled = |verdict: Verdict| out.styled(Style::of(verdict), verdict.code());
    let verdicts = status.counts.verdicts.iter();
    let verdicts: Vec<String> = verdicts
        .map(|(verdict, count)| format!("{} {count}", styled(*verdict)))
        .collect();
    if !verdicts.is_empty() {
        out.line(&verdicts.join(" · "));
    }
    if !status.latest.is_empty() {
        out.line("\nlatest verdicts");
    }
    for entry in &status.latest {
        let text = |key: &str| entry[key].as_str().unwrap_or_default();
        let score = &entry["score"];
        let score = score
            .is_object()
            .then(|| format!("{}/{}  ", score["got"], score["of"]));
        out.line(&format!(
            "  {:<3}  {}/{} #{}  {}  {}{}",
            text("verdict"),
            text("student"),
            text("problem"),
            entry["attempt"],
            text("language"),
            score.unwrap_or_default(),
            text("first_failing_test"),
        ));
    }
}

/// The files in the submissions folder that are not submissions.
fn show_rejections(status: &Status, out: &mut Out) {
    if !status.rejections.is_empty() {
        out.line("\nnot accepted as submissions, the latest first");
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
fn next_words(row: &FaultRow, running: bool, zone: &TimeZone) -> String {
    match row.record.next_try_ms {
        _ if !running => "tried again when the daemon starts".to_owned(),
        Some(next) => format!("tried again {}", zone_text(next, zone)),
        None => {
            "waits until its cause changes: the package, the configuration, or a restart".to_owned()
        }
    }
}
