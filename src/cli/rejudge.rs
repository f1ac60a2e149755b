//! `verdictd rejudge`: judges anew what is not up to date, or measures again; with `--dry-run` it
//! only shows what would change.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;

use super::names::{problem_named, student_named};
use super::out::Style;
use super::session::{Piece, Recalled, Session, read_config, worker_count};
use super::{Complaint, Exit, Out};
use crate::config::Config;
use crate::daemon::{self, Mode, Request};
use crate::domain::{Change, Fault, ProblemSlug, Published, SubmissionId, Verdict};
use crate::judge::{Cost, Judged};
use crate::package;
use crate::store::{ChangeRow, JudgementRow, Reader, is_running};
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Submissions that are held in memory at a time.
const HELD_MAX: usize = 256;
/// Changes of verdicts that are read from the store at a time.
const PAGE: u32 = 256;
/// Time between two looks whether a running daemon is done.
const LOOK: Duration = Duration::from_millis(200);

/// Arguments of `rejudge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only this problem.
    #[arg(long)]
    problem: Option<String>,
    /// Only this student.
    #[arg(long)]
    student: Option<String>,
    /// Show the verdicts before and after, and publish nothing.
    #[arg(long)]
    dry_run: bool,
    /// Measure every test again, whatever is known.
    #[arg(long)]
    force: bool,
    /// With --dry-run: judge with the packages in this folder, to try a change on a copy first.
    #[arg(long, value_name = "FOLDER", requires = "dry_run")]
    problems: Option<PathBuf>,
    /// One JSON object per submission.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = read_config(config_file)?;
    if let Some(folder) = &arguments.problems {
        config.folders.problems.clone_from(folder);
    }
    let folder = &config.folders.problems;
    let slugs = package::slugs(folder).map_err(Complaint::usage)?;
    let problem = arguments.problem.as_deref();
    let problem = problem.map(|name| problem_named(name, &slugs, folder));
    let student = match &arguments.student {
        Some(name) => Some(student_named(name, &Reader::open(&config.folders.state)?)?),
        None => None,
    };
    let request = Request {
        problem: problem.transpose()?,
        student,
        force: arguments.force,
    };
    if arguments.dry_run {
        look_ahead(&request, config, arguments.json, out)
    } else {
        apply(&request, config, arguments.json, out)
    }
}

/// A submission that is not up to date.
struct Planned {
    piece: Piece,
    before: Option<JudgementRow>,
}

impl Borrow<Piece> for Planned {
    fn borrow(&self) -> &Piece {
        &self.piece
    }
}

/// What a dry run has found.
#[derive(Default)]
struct Tally {
    seen: usize,
    planned: usize,
    changed: usize,
    faults: usize,
    runs: u32,
    builds: u32,
}

fn look_ahead(
    request: &Request,
    config: Config,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let reader = Reader::open(&config.folders.state)?;
    let session = Session::of(config)?;
    let mut tally = Tally::default();
    let wanted = |slug: &&ProblemSlug| request.problem.as_ref().is_none_or(|only| only == *slug);
    for slug in session.slugs.iter().filter(wanted) {
        if let Some(Err(error)) = session.package(slug) {
            out.error(&format!(
                "{slug} is broken, nobody can be judged with it: {error}"
            ));
            tally.faults += 1;
        }
    }
    let ids = reader.submissions_of(request.student.as_ref(), request.problem.as_ref())?;
    tally.seen = ids.len();
    tell_cost(&session, &reader, &ids, request.force, json, out)?;
    for page in ids.chunks(HELD_MAX) {
        let planned = planned(&session, &reader, page, request.force)?;
        let known = Recalled::OfTheStore {
            runs: !request.force,
        };
        let stop = session.config.judge.stop_at_first_failure;
        session.judge_all(&planned, known, stop, |index, result| {
            tally.add(&planned[index], &result);
            show(&planned[index], &result, json, out);
            out.flush();
        });
    }
    if !json {
        out.line(&tally.words());
    }
    Ok(if tally.faults > 0 {
        Exit::Fault
    } else {
        Exit::Good
    })
}

/// Says what it will take at most, before anything is run.
fn tell_cost(
    session: &Session,
    reader: &Reader,
    ids: &[SubmissionId],
    force: bool,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<()> {
    let stop = session.config.judge.stop_at_first_failure;
    let (mut count, mut all) = (0, Cost::default());
    for page in ids.chunks(HELD_MAX) {
        for planned in planned(session, reader, page, force)? {
            let cost = session.cost(&planned.piece, reader, !force, stop)?;
            count += 1;
            all.builds += cost.builds;
            all.runs += cost.runs;
            all.checks += cost.checks;
        }
    }
    if json {
        out.json(&json!({
            "submissions": count, "builds_at_most": all.builds, "runs_at_most": all.runs,
            "checks_at_most": all.checks,
        }));
    } else if count > 0 {
        out.note(&format!(
            "{} to judge anew: at most {}, {} and {}",
            amount(count, "submission"),
            amount(all.builds, "build"),
            amount(all.runs, "run"),
            amount(all.checks, "checker question")
        ));
    }
    out.flush();
    Ok(())
}

fn planned(
    session: &Session,
    reader: &Reader,
    page: &[SubmissionId],
    force: bool,
) -> anyhow::Result<Vec<Planned>> {
    let mut planned = Vec::new();
    for id in page {
        planned.extend(plan(session, reader, *id, force)?);
    }
    Ok(planned)
}

/// A submission as it would be judged now; none where its judgement is up to date, or it cannot be
/// judged here.
fn plan(
    session: &Session,
    reader: &Reader,
    id: SubmissionId,
    force: bool,
) -> anyhow::Result<Option<Planned>> {
    let Some((submission, source)) = reader.submission(id)? else {
        return Ok(None);
    };
    let Some(Ok(package)) = session.package(&submission.problem) else {
        return Ok(None);
    };
    let piece = Piece {
        submission,
        source,
        package,
    };
    let Ok(version) = session.version(&piece.submission.language) else {
        return Ok(None);
    };
    let before = reader.judgement(id)?;
    let stop = session.config.judge.stop_at_first_failure;
    let now = session.fold(&piece, &version, stop);
    let current = before.as_ref().map(|before| before.fold) == now;
    Ok((force || !current).then_some(Planned { piece, before }))
}

impl Tally {
    fn add(&mut self, planned: &Planned, result: &Result<Judged, Fault>) {
        self.planned += 1;
        match result {
            Err(_) => self.faults += 1,
            Ok(judged) => {
                self.changed += usize::from(changes(planned, judged));
                self.runs += judged.runs;
                self.builds += judged.builds;
            }
        }
    }

    fn words(&self) -> String {
        let faults = match self.faults {
            0 => String::new(),
            1 => ", 1 problem or submission cannot be judged".to_owned(),
            faults => format!(", {faults} problems or submissions cannot be judged"),
        };
        format!(
            "{} of {} would be judged anew: {}{faults}; {} and {} for it; nothing is published",
            self.planned,
            amount(self.seen, "submission"),
            changed_words(self.changed),
            amount(self.runs as usize, "run"),
            amount(self.builds as usize, "build")
        )
    }
}

/// `1 verdict changes`, `3 verdicts change`.
fn changed_words(count: usize) -> String {
    let verb = if count == 1 { "changes" } else { "change" };
    format!("{} {verb}", amount(count, "verdict"))
}

/// Whether verdict, cause or first failing test would be others.
fn changes(planned: &Planned, judged: &Judged) -> bool {
    planned.before.as_ref().is_none_or(|before| {
        let now = Published::of(&judged.judgement, before.published.judged_ms);
        before.published != now
    })
}

fn first_failing(judged: &Judged) -> Option<&str> {
    Some(judged.judgement.failing()?.test.name.as_str())
}

fn show(planned: &Planned, result: &Result<Judged, Fault>, json: bool, out: &mut Out) {
    let submission = &planned.piece.submission;
    let before = planned.before.as_ref().map(|before| &before.published);
    let name = submission.to_string();
    let old = before.map(|before| before.verdict);
    match result {
        Err(fault) if !json => {
            let line = format!("cannot be judged: {name}: {fault}");
            out.line(&out.styled(Style::Bad, &visible_line(&line)));
        }
        Ok(judged) if !json => {
            if !changes(planned, judged) {
                return;
            }
            let was = before.and_then(|before| before.first_failing_test.as_deref());
            let now = judged.judgement.verdict;
            row(old, now, &name, was, first_failing(judged), None, out);
        }
        result => {
            let judged = result.as_ref().ok();
            out.json(&json!({
                "submission": submission.id.0, "student": submission.student.as_str(),
                "problem": submission.problem.as_str(), "attempt": submission.attempt,
                "before": old.map(Verdict::code),
                "after": judged.map(|judged| judged.judgement.verdict.code()),
                "first_failing_test_before": before.and_then(|before| before.first_failing_test.as_deref()),
                "first_failing_test_after": judged.and_then(first_failing),
                "changes": judged.map(|judged| changes(planned, judged)),
                "runs": judged.map(|judged| judged.runs),
                "builds": judged.map(|judged| judged.builds),
                "checks": judged.map(|judged| judged.checks),
                "fault": result.as_ref().err().map(ToString::to_string),
            }));
        }
    }
}

/// `AC  → WA   alpha/sum #1   hack/evil`
fn row(
    old: Option<Verdict>,
    new: Verdict,
    name: &str,
    was: Option<&str>,
    now: Option<&str>,
    because: Option<&str>,
    out: &mut Out,
) {
    let code = |verdict: Verdict| out.styled(Style::of(verdict), &format!("{:<3}", verdict.code()));
    let old = old.map_or_else(|| "-  ".to_owned(), code);
    let tests = match (was, now) {
        (was, now) if was == now => now.unwrap_or_default().to_owned(),
        (was, now) => format!("{} → {}", was.unwrap_or("-"), now.unwrap_or("-")),
    };
    let because = because
        .map(|why| format!("  because: {why}"))
        .unwrap_or_default();
    let rest = visible_line(&format!("{name:<32}  {tests}{because}"));
    out.line(&format!("{old} → {}  {rest}", code(new)));
}

/// Leaves the request for a daemon that runs, or does it here, and shows what has changed.
fn apply(request: &Request, config: Config, json: bool, out: &mut Out) -> anyhow::Result<Exit> {
    let state = config.folders.state.clone();
    let mark = Reader::open(&state)?.last_change()?;
    let file = request
        .put(&state)
        .with_context(|| format!("leave a request in {}", state.display()))?;
    let mut exit = Exit::Good;
    if is_running(&state) {
        while file.exists() {
            if !is_running(&state) {
                bail!(
                    "the daemon has ended before it was done; it goes on when it is started again"
                );
            }
            std::thread::sleep(LOOK);
        }
    } else {
        let workers = worker_count(&config);
        let summary = daemon::run(config, Mode::Rejudge, workers, &mut |notice| {
            if let daemon::Notice::Fault { what, reason, .. } = notice {
                out.note(&visible_line(&format!("fault: {what}: {reason}")));
            }
        })?;
        if summary.faulted > 0 {
            exit = Exit::Fault;
        }
    }
    let reader = Reader::open(&state)?;
    let (changed, others) = show_changes(&reader, mark, request, json, out)?;
    if others > 0 {
        out.note(&format!(
            "beside what was asked for, {} changed too: they were not up to date either",
            amount(others, "verdict")
        ));
    }
    if !json {
        let verb = if changed == 1 { "has" } else { "have" };
        out.line(&format!("{} {verb} changed", amount(changed, "verdict")));
    }
    Ok(exit)
}

fn show_changes(
    reader: &Reader,
    mark: i64,
    request: &Request,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<(usize, usize)> {
    let (mut changed, mut others) = (0, 0);
    let mut after = mark;
    loop {
        let page = reader.changes_after(after, PAGE)?;
        let Some(last) = page.last() else {
            return Ok((changed, others));
        };
        after = last.id;
        for change in &page {
            if !concerns(request, change) {
                others += 1;
                continue;
            }
            changed += 1;
            let submission = &change.submission;
            let Change { published, because } = &change.change;
            let test = published.first_failing_test.as_deref();
            if json {
                out.json(&json!({
                    "student": submission.student.as_str(),
                    "problem": submission.problem.as_str(),
                    "attempt": submission.attempt, "before": change.before.map(Verdict::code),
                    "after": published.verdict.code(),
                    "first_failing_test_after": test, "because": &**because,
                }));
            } else {
                let name = change.submission.to_string();
                let (before, now) = (change.before, published.verdict);
                row(before, now, &name, test, test, Some(because), out);
            }
        }
    }
}

fn concerns(request: &Request, change: &ChangeRow) -> bool {
    request
        .problem
        .as_ref()
        .is_none_or(|problem| *problem == change.submission.problem)
        && request
            .student
            .as_ref()
            .is_none_or(|student| *student == change.submission.student)
}
