//! `verdictd status`: what the store holds, while a daemon runs or not.

mod machines;

use std::path::Path;

use clap::Args;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use self::machines::Cluster;
use super::prelude::{CliError, Exit, Out, complaints, grading, store_if_any, zone};
use crate::config::Config;
use crate::course::Roster;
use crate::daemon::read_trouble;
use crate::domain::{Attempt, Limits, ProblemSlug, Rejection, Student, SubmissionId};
use crate::overview::Held;
use crate::package::{self, Library, NoOracle, Trouble};
use crate::places::OtherMachines;
use crate::store::{Counts, EventKind, FaultRow, PackageRow, Proposed, is_running};
use crate::util::clock::zone_text;
use crate::util::words::{amount, listed};
use crate::view::{Page, Show, Span, Style, Utc};

/// Latest verdicts that are shown.
const LATEST_SHOWN: u32 = 10;
/// Faults that are shown.
const FAULTS_SHOWN: u32 = 20;

/// Rejected files that are shown, the latest ones.
const REJECTIONS_SHOWN: u32 = 20;

/// Show counts, latest verdicts, faults, and what else is wrong
#[derive(Debug, Args)]
pub struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Students who are looked at.
const STUDENTS_MAX: u32 = 100_000;
/// Names in one line.
const LISTED_MAX: usize = 30;

/// Everything that is shown.
#[derive(Default, Serialize)]
struct Status {
    running: bool,
    /// What keeps the running daemon from its work.
    trouble: Vec<String>,
    #[serde(flatten)]
    counts: Counts,
    skip_superseded: bool,
    /// The latest verdicts as their events, the newest last.
    latest: Vec<Value>,
    faulted: Vec<Faulted>,
    /// The latest first.
    rejections: Vec<Rejected>,
    /// Hacks that wait for a decision.
    proposed_hacks: u64,
    unproposed: Proposed,
    broken_packages: Vec<String>,
    /// Files and folders that nothing reads.
    warnings: Vec<String>,
    /// What is wrong with the roster.
    roster: Option<String>,
    /// What is wrong with the files that say how it is graded.
    course: Vec<String>,
    /// Who has handed in something and is not on the roster.
    strangers: Vec<String>,
    /// What is not judged by itself now.
    held: Vec<HeldBack>,
    /// The other machines, where the running daemon has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Cluster>,
}

/// What failed on our side.
#[derive(Serialize)]
struct Faulted {
    submission: Option<SubmissionId>,
    student: Option<Student>,
    problem: Option<ProblemSlug>,
    attempt: Option<Attempt>,
    step: String,
    reason: String,
    tries: u32,
    last: Utc,
    next_try: Option<Utc>,
    /// The same for people.
    #[serde(skip)]
    words: String,
}

/// A file in the submissions folder that is no submission.
#[derive(Serialize)]
struct Rejected {
    student: Option<Student>,
    path: String,
    reason: String,
    seen: Utc,
}

/// Submissions for a problem that are not judged by themselves now.
#[derive(Serialize)]
struct HeldBack {
    problem: ProblemSlug,
    submissions: usize,
    closed: bool,
    opens: Option<Timestamp>,
    /// The same for people.
    #[serde(skip)]
    words: String,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    out.show(&status(config)?);
    Ok(Exit::Good)
}

fn status(config: &Config) -> anyhow::Result<Status> {
    let problems = &config.folders.problems;
    let library =
        package::load_all(problems, &config.limits, &mut NoOracle).map_err(CliError::usage)?;
    let roster = config.overview.roster.as_deref().map(Roster::load);
    let mut status = Status {
        warnings: unread(problems, &library, &config.limits).map_err(CliError::usage)?,
        roster: roster.and_then(Result::err).map(|error| error.to_string()),
        course: complaints(config, library.keys()),
        skip_superseded: config.judge.skip_superseded,
        ..Status::default()
    };
    let zone = zone(config);
    let mut known = Vec::new();
    if let Some(reader) = store_if_any(config)? {
        let state = &config.folders.state;
        status.running = is_running(state);
        if status.running {
            status.trouble = read_trouble(state);
            status.cluster = OtherMachines::read(state).map(Cluster::from);
        }
        status.counts = reader.counts()?;
        let latest = reader.latest_events(EventKind::Verdict, LATEST_SHOWN)?;
        let latest = latest.iter().map(|event| serde_json::from_str(&event.json));
        status.latest = latest.filter_map(Result::ok).collect();
        let faults = reader.faults(FAULTS_SHOWN)?.into_iter();
        let faults = faults.map(|row| Faulted::of(row, status.running, &zone));
        status.faulted = faults.collect();
        let rejections = reader.latest_rejections(REJECTIONS_SHOWN)?.into_iter();
        status.rejections = rejections.map(Rejected::from).collect();
        known = reader.broken_packages()?;
        let grading = grading(config);
        let students = reader.students(STUDENTS_MAX)?.into_iter();
        let strangers = students.filter(|student| grading.is_stranger(student));
        status.strangers = strangers.map(|student| student.to_string()).collect();
        let held = grading.held_of(reader.unjudged()?.iter()).into_iter();
        status.held = held
            .map(|((problem, held), count)| HeldBack::of(problem, held, count, grading.zone()))
            .collect();
        status.unproposed = reader.proposed()?;
        status.proposed_hacks = status.unproposed.waiting;
    }
    status.broken_packages = broken(problems, &library, &known, status.running, &zone);
    Ok(status)
}

impl Faulted {
    fn of(row: FaultRow, is_running: bool, zone: &TimeZone) -> Self {
        let name = row.name.as_ref();
        let shown = name.map(|one| format!("{}/{}#{}: ", one.student, one.problem, one.attempt));
        let words = format!(
            "{}{} ({} {}, last {}; {})",
            shown.unwrap_or_default(),
            row.record.fault,
            row.tries,
            if row.tries == 1 { "try" } else { "tries" },
            zone_text(row.record.last_ms, zone),
            next_words(&row, is_running, zone)
        );
        Self {
            submission: row.record.submission,
            student: name.map(|name| name.student.clone()),
            problem: name.map(|name| name.problem.clone()),
            attempt: name.map(|name| name.attempt),
            step: row.record.fault.step,
            reason: row.record.fault.reason,
            tries: row.tries,
            last: Utc(row.record.last_ms),
            next_try: row.record.next_try_ms.map(Utc),
            words,
        }
    }
}

impl From<Rejection> for Rejected {
    fn from(rejection: Rejection) -> Self {
        Self {
            student: rejection.student,
            path: rejection.path,
            reason: rejection.reason,
            seen: Utc(rejection.seen_ms),
        }
    }
}

impl HeldBack {
    fn of(problem: ProblemSlug, held: Held, submissions: usize, zone: &TimeZone) -> Self {
        Self {
            words: held.words(&problem, submissions, zone),
            problem,
            submissions,
            closed: held == Held::Closed,
            opens: match held {
                Held::Until(opens) => opens,
                Held::Closed => None,
            },
        }
    }
}

impl Show for Status {
    fn show(&self, page: &mut Page) {
        page.spans([if self.running {
            Style::Good.on("the daemon is running")
        } else {
            Style::Warn.on("the daemon is not running")
        }]);
        page.each(&Style::Bad.on("trouble"), &self.trouble);
        self.show_counts(page);
        if self.proposed_hacks > 0 {
            let proposed = usize::try_from(self.proposed_hacks).unwrap_or(usize::MAX);
            let proposed = amount(proposed, "proposed hack");
            page.line(format!("{proposed}: verdictd hack list --proposed"));
        }
        if let Some(words) = self.unproposed.without_place() {
            page.line(words);
        }
        if let Some(cluster) = &self.cluster {
            cluster.show(page);
        }
        self.show_verdicts(page);
        self.show_rejections(page);
        if !self.strangers.is_empty() {
            let names = listed(&self.strangers, LISTED_MAX);
            let line = format!(
                "{names}: judged, but on no projector and in no grade book until the roster has the name, or `unknown_students` is \"accept\""
            );
            page.tagged(Style::Warn.on("not on the roster"), line);
        }
        let faults = self.faulted.iter().map(|fault| &fault.words);
        page.each(&Style::Bad.on("fault"), faults);
        page.each(&Style::Bad.on("broken package"), &self.broken_packages);
        page.each(&Style::Warn.on("warning"), &self.warnings);
        page.each(&Style::Bad.on("roster"), &self.roster);
        page.each(&Style::Bad.on("course"), &self.course);
    }
}

impl Status {
    /// How many submissions there are, and which of them are not judged now.
    fn show_counts(&self, page: &mut Page) {
        let counts = &self.counts;
        let superseded = if self.skip_superseded {
            counts.superseded
        } else {
            0
        };
        let held: usize = self.held.iter().map(|held| held.submissions).sum();
        page.line(format!(
            "{} received · {} judged · {} waiting · {} rejected · {} with faults",
            counts.received,
            counts.judged,
            counts.waiting.saturating_sub(superseded + held as u64),
            counts.rejected,
            counts.faults
        ));
        if superseded > 0 {
            page.line(format!(
                "{superseded} not judged, because there is a newer attempt (judge.skip_superseded)"
            ));
        }
        if let Some(words) = counts.judged_again() {
            page.line(words);
        }
        let held = self.held.iter().map(|held| &held.words);
        page.each(&Style::Warn.on("held"), held);
    }

    /// How many there are of each verdict, and the latest ones.
    fn show_verdicts(&self, page: &mut Page) {
        let mut spans: Vec<Span> = Vec::new();
        for (verdict, count) in &self.counts.verdicts {
            let between = if spans.is_empty() { "" } else { " · " };
            spans.extend([
                between.into(),
                Style::of(*verdict).on(verdict.code()),
                format!(" {count}").into(),
            ]);
        }
        if !spans.is_empty() {
            page.spans(spans);
        }
        if !self.latest.is_empty() {
            page.line("");
            page.line("latest verdicts");
        }
        for entry in &self.latest {
            let text = |key: &str| entry[key].as_str().unwrap_or_default();
            let score = &entry["score"];
            let score = score
                .is_object()
                .then(|| format!("{}/{}  ", score["got"], score["of"]));
            page.line(format!(
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
    fn show_rejections(&self, page: &mut Page) {
        if !self.rejections.is_empty() {
            page.line("");
            page.line("not accepted as submissions, the latest first");
        }
        for one in &self.rejections {
            page.line(format!("  {}: {}", one.path, one.reason));
        }
        let shown = u64::try_from(self.rejections.len()).unwrap_or(u64::MAX);
        let more = self.counts.rejected.saturating_sub(shown);
        if more > 0 {
            page.line(format!("  and {more} more"));
        }
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

/// The broken packages. `found` is what the daemon's store remembers of them.
fn broken(
    folder: &Path,
    library: &Library,
    found: &[PackageRow],
    is_running: bool,
    zone: &TimeZone,
) -> Vec<String> {
    library
        .iter()
        .filter_map(|(slug, loaded)| match loaded {
            Err(error) if !error.is_ours() => Some(format!("{slug}: {}", error.in_one_line())),
            // Sound as far as it can be told without running its programs.
            Ok(_) | Err(_) => {
                let row = found.iter().find(|row| row.problem == *slug)?;
                Some(as_found(folder, slug, row, is_running, zone))
            }
        })
        .collect()
}

fn as_found(
    folder: &Path,
    slug: &ProblemSlug,
    row: &PackageRow,
    is_running: bool,
    zone: &TimeZone,
) -> String {
    let reason = row.broken.as_deref().unwrap_or_default();
    let next = if row.fingerprint != package::look(folder, slug).fingerprint {
        if is_running {
            "; it has changed since and is being read again"
        } else {
            "; it has changed since, and is read again when the daemon starts"
        }
    } else if row.is_ours && is_running {
        "; it is tried again"
    } else {
        ""
    };
    format!(
        "{slug}: {reason} (since {}{next})",
        zone_text(row.since_ms, zone)
    )
}

/// Everything under the folder of problems that nothing reads.
fn unread(folder: &Path, library: &Library, limits: &Limits) -> Result<Vec<String>, Trouble> {
    let inside = library.keys();
    let inside = inside.flat_map(|slug| package::look(folder, slug).remarks(limits));
    let beside = package::strangers(folder)?;
    Ok(inside
        .chain(beside)
        .map(|remark| remark.to_string())
        .collect())
}
