//! `verdictd rejudge`: rejudges what is not up to date, or measures everything again; with
//! `--dry-run` it only shows what would change.

mod grades;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};

use grades::{Book, GradeChange};

use crate::cli::exit::{CliError, Exit};
use crate::cli::names::{problem_named, student_named};
use crate::cli::out::{Out, Style};
use crate::cli::session::{Piece, Session, place_count, read_config};
use crate::cli::slot::{Recalled, judge_all};
use crate::config::Config;
use crate::daemon::{self, Mode, Request};
use crate::domain::{
    Change, Fault, ProblemSlug, Published, Score, Submission, SubmissionId, Verdict,
};
use crate::exports::CourseSource;
use crate::judge::{Cost, Judged};
use crate::overview::Grading;
use crate::package;
use crate::store::{JudgementRow, Reader, is_running};
use crate::util::clock::now_ms;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Submissions that are held in memory at a time.
const HELD_MAX: usize = 256;
/// Changes of verdicts that are read from the store at a time.
const PAGE: u32 = 256;
/// Time between two checks whether a running daemon is done.
const POLL: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Arguments {
    /// Only this problem.
    #[arg(long)]
    problem: Option<String>,
    /// Only this student.
    #[arg(long)]
    student: Option<String>,
    /// Show what would change, and publish nothing.
    #[arg(long)]
    dry_run: bool,
    /// Measure every test again, whatever is already known.
    #[arg(long)]
    force: bool,
    /// Also judge what came after its assignment had closed.
    #[arg(long)]
    late: bool,
    /// With --dry-run: use the packages in this folder, to try a change on a copy first.
    #[arg(long, value_name = "FOLDER", requires = "dry_run")]
    problems: Option<PathBuf>,
    /// One JSON object per submission.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = read_config(config_file)?;
    if let Some(folder) = &arguments.problems {
        config.folders.problems.clone_from(folder);
    }
    let folder = &config.folders.problems;
    let slugs = package::slugs(folder).map_err(CliError::usage)?;
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
        late: arguments.late,
        ..Request::default()
    };
    if arguments.dry_run {
        look_ahead(&request, config, arguments.json, out)
    } else {
        apply(&request, config, arguments.json, out)
    }
}

/// A submission that is not up to date, and the judgement that it has.
type Stale = (Piece, Option<JudgementRow>);

/// What a dry run amounts to.
#[derive(Default)]
struct Tally {
    submissions: usize,
    judged: usize,
    changed: usize,
    faults: usize,
    runs: u32,
    builds: u32,
    /// The verdicts that would be.
    verdicts: Vec<(SubmissionId, Published)>,
}

fn look_ahead(
    request: &Request,
    config: Config,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<Exit> {
    let reader = Reader::open(&config.folders.state)?;
    let slugs = package::slugs(&config.folders.problems).map_err(CliError::usage)?;
    let book = Book::of(&config, &slugs);
    let session = Session::new(config)?;
    let mut tally = Tally::default();
    let wanted = |slug: &&ProblemSlug| request.problem.as_ref().is_none_or(|only| only == *slug);
    for slug in session.slugs.iter().filter(wanted) {
        if let Some(Err(error)) = session.package(slug) {
            out.error(&format!(
                "{slug} is broken and cannot be used for judging: {error}"
            ));
            tally.faults += 1;
        }
    }
    let ids = reader.submissions_of(request.student.as_ref(), request.problem.as_ref())?;
    tally.submissions = ids.len();
    show_cost(&session, &reader, &ids, request.force, json, out)?;
    for page in ids.chunks(HELD_MAX) {
        let stale = stale(&session, &reader, page, request.force)?;
        let known = Recalled::OfTheStore {
            runs: !request.force,
        };
        judge_all(&session, &stale, known, |piece, before, result| {
            tally.add(piece.submission.id, before.as_ref(), &result);
            if json {
                out.json(&object(&piece.submission, before.as_ref(), &result));
            } else {
                show(&piece.submission, before.as_ref(), &result, out);
            }
            out.flush();
        });
    }
    show_grades(
        &book,
        &reader,
        std::mem::take(&mut tally.verdicts),
        json,
        out,
    )?;
    if !json {
        out.line(&tally.words());
    }
    Ok(match tally.faults {
        0 => Exit::Good,
        _ => Exit::Fault,
    })
}

/// Whose grades would change, and by how much.
fn show_grades(
    book: &Book,
    reader: &Reader,
    verdicts: Vec<(SubmissionId, Published)>,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<()> {
    let (changes, people) = book.changes(reader, verdicts)?;
    if json {
        let changes: Vec<Value> = changes.iter().map(GradeChange::object).collect();
        out.json(&json!({ "grades": changes, "people": people }));
        return Ok(());
    }
    for change in &changes {
        out.line(&visible_line(&format!("grade  {}", change.line())));
    }
    out.line(&format!(
        "{} of {people} would change",
        amount(changes.len(), "grade")
    ));
    Ok(())
}

/// Says what it will take at most, before anything is run.
fn show_cost(
    session: &Session,
    reader: &Reader,
    ids: &[SubmissionId],
    force: bool,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<()> {
    let (mut count, mut all) = (0, Cost::default());
    for page in ids.chunks(HELD_MAX) {
        for (piece, _) in stale(session, reader, page, force)? {
            let cost = session.cost(&piece, reader, !force)?;
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
            "{} to judge again: at most {}, {} and {}",
            amount(count, "submission"),
            amount(all.builds, "build"),
            amount(all.runs, "run"),
            amount(all.checks, "checker question")
        ));
    }
    out.flush();
    Ok(())
}

/// Those of the submissions that are not up to date (or all of them) and can be judged here.
fn stale(
    session: &Session,
    reader: &Reader,
    page: &[SubmissionId],
    force: bool,
) -> anyhow::Result<Vec<Stale>> {
    let mut stale = Vec::new();
    for id in page {
        let Some((submission, source)) = reader.submission(*id)? else {
            continue;
        };
        let Some(Ok(package)) = session.package(&submission.problem) else {
            continue;
        };
        let piece = Piece {
            submission,
            source,
            package,
        };
        let Ok((_, fold)) = session.fold(&piece) else {
            continue;
        };
        let before = reader.judgement(*id)?;
        if force || before.as_ref().is_none_or(|before| before.fold != fold) {
            stale.push((piece, before));
        }
    }
    Ok(stale)
}

impl Tally {
    fn add(
        &mut self,
        id: SubmissionId,
        before: Option<&JudgementRow>,
        result: &Result<Judged, Fault>,
    ) {
        self.judged += 1;
        match result {
            Err(_) => self.faults += 1,
            Ok(judged) => {
                if changes(before, judged) {
                    self.changed += 1;
                    let published = Published::of(&judged.judgement, now_ms());
                    self.verdicts.push((id, published));
                }
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
            "{} of {} would be judged again: {} would change{faults}; this took {} and {}; nothing is published",
            self.judged,
            amount(self.submissions, "submission"),
            amount(self.changed, "verdict"),
            amount(self.runs as usize, "run"),
            amount(self.builds as usize, "build")
        )
    }
}

/// Whether verdict, cause, score or first failing test would change.
fn changes(before: Option<&JudgementRow>, judged: &Judged) -> bool {
    before.is_none_or(|before| {
        before.published != Published::of(&judged.judgement, before.published.judged_ms)
    })
}

fn first_failing(judged: &Judged) -> Option<&str> {
    Some(judged.judgement.failing()?.test.name.as_str())
}

fn show(
    submission: &Submission,
    before: Option<&JudgementRow>,
    result: &Result<Judged, Fault>,
    out: &mut Out,
) {
    let name = submission.to_string();
    match result {
        Err(fault) => {
            let line = format!("cannot be judged: {name}: {fault}");
            out.line(&out.styled(Style::Bad, &visible_line(&line)));
        }
        Ok(judged) if changes(before, judged) => {
            let verdicts = (
                before.map(|before| before.published.verdict),
                judged.judgement.verdict,
            );
            let was = before.and_then(|before| before.published.first_failing_test.as_deref());
            let now = first_failing(judged);
            let tests = arrow(was, now);
            let score = |score: Score| score.shown().map(|score| score.to_string());
            let was = before.and_then(|before| score(before.published.score));
            let points = arrow(was.as_deref(), score(judged.judgement.score).as_deref());
            let rest = [points, tests].join("  ");
            row(verdicts, &name, rest.trim(), out);
        }
        Ok(_) => {}
    }
}

/// `secret/1 → hack/evil`, or what stays.
fn arrow(was: Option<&str>, now: Option<&str>) -> String {
    if was == now {
        return now.unwrap_or_default().to_owned();
    }
    format!("{} → {}", was.unwrap_or("-"), now.unwrap_or("-"))
}

fn object(
    submission: &Submission,
    before: Option<&JudgementRow>,
    result: &Result<Judged, Fault>,
) -> Value {
    let judged = result.as_ref().ok();
    let mut object = json!({
        "submission": submission.id.0, "student": submission.student.as_str(),
        "problem": submission.problem.as_str(), "attempt": submission.attempt,
        "before": before.map(|before| before.published.verdict.code()),
        "after": judged.map(|judged| judged.judgement.verdict.code()),
        "first_failing_test_before": before.and_then(|before| before.published.first_failing_test.as_deref()),
        "first_failing_test_after": judged.and_then(first_failing),
        "changes": judged.map(|judged| changes(before, judged)),
        "runs": judged.map(|judged| judged.runs),
        "builds": judged.map(|judged| judged.builds),
        "checks": judged.map(|judged| judged.checks),
        "fault": result.as_ref().err().map(ToString::to_string),
    });
    if let Some(score) = judged.and_then(|judged| judged.judgement.score.shown()) {
        object["score_before"] = json!(before.map(|before| before.published.score));
        object["score_after"] = json!(score);
    }
    object
}

/// `AC  → WA   alpha/sum #1   hack/evil`
fn row((old, new): (Option<Verdict>, Verdict), name: &str, rest: &str, out: &mut Out) {
    let code = |verdict: Verdict| out.styled(Style::of(verdict), &format!("{:<3}", verdict.code()));
    let old = old.map_or_else(|| "-  ".to_owned(), code);
    let rest = visible_line(&format!("{name:<32}  {rest}"));
    out.line(&format!("{old} → {}  {rest}", code(new)));
}

/// Leaves the request for a daemon that runs, or does it here, and shows what has changed.
fn apply(request: &Request, config: Config, json: bool, out: &mut Out) -> anyhow::Result<Exit> {
    let state = config.folders.state.clone();
    let source = CourseSource::of(&config);
    let mark = Reader::open(&state)?.last_change()?;
    let file = request
        .put(&state)
        .with_context(|| format!("leave a request in {}", state.display()))?;
    let mut exit = Exit::Good;
    if is_running(&state) {
        while file.exists() {
            if !is_running(&state) {
                bail!(
                    "the daemon stopped before it was done; it will continue when it is started again"
                );
            }
            std::thread::sleep(POLL);
        }
    } else {
        let workers = place_count(&config);
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
    tell_held(&reader, &source, request, out)?;
    let (changed, others) = show_changes(&reader, mark, request, json, out)?;
    if others > 0 {
        out.note(&format!(
            "{} outside this request changed too: they were not up to date either",
            amount(others, "verdict")
        ));
    }
    if !json {
        let verb = if changed == 1 { "has" } else { "have" };
        out.line(&format!("{} {verb} changed", amount(changed, "verdict")));
    }
    Ok(exit)
}

/// Says what of the request is not judged, because it waits or came too late.
fn tell_held(
    reader: &Reader,
    source: &CourseSource,
    request: &Request,
    out: &mut Out,
) -> anyhow::Result<()> {
    let (grading, _) = daemon::load_grading(source, &Grading::default());
    let entries = reader.unjudged()?;
    let entries = entries
        .iter()
        .filter(|entry| is_asked_for(request, &entry.submission));
    for ((problem, held), count) in grading.held_of(entries) {
        out.note(&held.words(&problem, count, grading.zone()));
    }
    Ok(())
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
            if !is_asked_for(request, &change.submission) {
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
                let score = published.score.shown();
                let score = score.map(|score| format!("{score}  ")).unwrap_or_default();
                let test = test.unwrap_or_default();
                let rest = format!("{score}{test}  because: {because}");
                let verdicts = (change.before, published.verdict);
                row(verdicts, &submission.to_string(), &rest, out);
            }
        }
    }
}

fn is_asked_for(request: &Request, submission: &Submission) -> bool {
    let Request {
        problem, student, ..
    } = request;
    problem
        .as_ref()
        .is_none_or(|only| *only == submission.problem)
        && student
            .as_ref()
            .is_none_or(|only| *only == submission.student)
}
