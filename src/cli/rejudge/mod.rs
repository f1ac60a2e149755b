//! `verdictd rejudge`: rejudges what is not up to date, or measures everything again; with
//! `--dry-run` it only shows what would change.

mod grades;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use grades::Grades;

use super::prelude::{
    Exit, Out, Piece, Recalled, Session, ask, grading, problem_of_course, student_named,
};
use crate::config::Config;
use crate::daemon::{self, Mode, Request};
use crate::domain::{
    Change, Fault, ProblemSlug, Published, Score, Submission, SubmissionId, SubmissionName, Verdict,
};
use crate::judge::Judged;
use crate::overview::Grading;
use crate::store::{JudgementRow, Reader};
use crate::util::clock::now_ms;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;
use crate::view::{Page, Show, Style, code};

/// Submissions that are held in memory at a time.
const HELD_MAX: usize = 256;
/// Changes of verdicts that are read from the store at a time.
const PAGE: u32 = 256;

/// Rejudge what is not up to date; --dry-run shows the changes
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
    /// Print one JSON object per submission
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let mut config = config.clone();
    if let Some(folder) = &arguments.problems {
        config.folders.problems.clone_from(folder);
    }
    let problem = problem_of_course(arguments.problem.as_deref(), &config)?;
    let student = match &arguments.student {
        Some(name) => Some(student_named(name, &Reader::open(&config.folders.state)?)?),
        None => None,
    };
    let request = Request {
        problem,
        student,
        force: arguments.force,
        late: arguments.late,
        ..Request::default()
    };
    if arguments.dry_run {
        look_ahead(&request, config, out)
    } else {
        apply(&request, config, out)
    }
}

/// A submission that is not up to date, and the judgement that it has.
type Stale = (Piece, Option<JudgementRow>);

/// What a dry run amounts to.
#[derive(Default)]
struct Tally {
    judged: usize,
    faults: usize,
    runs: usize,
    builds: usize,
    /// How many verdicts would be others.
    changed: usize,
    /// These, and those that would be the same with other groups of tests.
    others: Vec<(SubmissionId, Published)>,
}

fn look_ahead(request: &Request, config: Config, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = Reader::open(&config.folders.state)?;
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
    out.show(&costs(&session, &reader, &ids, request.force)?);
    out.flush();
    for page in ids.chunks(HELD_MAX) {
        let stale = stale(&session, &reader, page, request.force)?;
        let known = Recalled::OfTheStore {
            runs: !request.force,
        };
        session.judge_all(&stale, known, |piece, before, result| {
            let before = before.as_ref().map(|before| &before.published);
            let rejudged = Rejudged::of(&piece.submission, before, result);
            tally.add(&rejudged);
            out.show(&rejudged);
            out.flush();
        });
    }
    out.show(&Grades::changed_by(&tally.others, &session, &reader)?);
    out.print(|page| page.line(tally.words(ids.len())));
    Ok(Exit::Fault.only_if(tally.faults > 0))
}

/// What it will take at most.
#[derive(Default, Serialize)]
struct Costs {
    submissions: usize,
    builds_at_most: usize,
    runs_at_most: usize,
    checks_at_most: usize,
}

impl Show for Costs {
    fn show(&self, page: &mut Page) {
        if self.submissions > 0 {
            page.note(format!(
                "{} to judge again: at most {}, {} and {}",
                amount(self.submissions, "submission"),
                amount(self.builds_at_most, "build"),
                amount(self.runs_at_most, "run"),
                amount(self.checks_at_most, "checker question")
            ));
        }
    }
}

/// Finds it out before anything is run.
fn costs(
    session: &Session,
    reader: &Reader,
    ids: &[SubmissionId],
    force: bool,
) -> anyhow::Result<Costs> {
    let mut all = Costs::default();
    for page in ids.chunks(HELD_MAX) {
        for (piece, _) in stale(session, reader, page, force)? {
            let cost = session.cost(&piece, reader, !force)?;
            all.submissions += 1;
            all.builds_at_most += cost.builds;
            all.runs_at_most += cost.runs;
            all.checks_at_most += cost.checks;
        }
    }
    Ok(all)
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
        let Some(found) = reader.submission(*id)? else {
            continue;
        };
        let Some(Ok(package)) = session.package(&found.0.problem) else {
            continue;
        };
        let piece = Piece::of(found, package);
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
    fn add(&mut self, one: &Rejudged) {
        self.judged += 1;
        self.faults += usize::from(one.fault.is_some());
        self.runs += one.runs.unwrap_or_default();
        self.builds += one.builds.unwrap_or_default();
        let changes = one.changes == Some(true);
        self.changed += usize::from(changes);
        // Grades rest on groups, which may have another name now and bring the same.
        let groups = |said: &Option<Published>| said.as_ref().and_then(|said| said.groups.clone());
        let counts = changes || groups(&one.was) != groups(&one.now);
        let others = one.now.iter().filter(|_| counts);
        self.others
            .extend(others.map(|now| (one.submission, now.clone())));
    }

    fn words(&self, submissions: usize) -> String {
        let faults = match self.faults {
            0 => String::new(),
            1 => ", 1 problem or submission cannot be judged".to_owned(),
            faults => format!(", {faults} problems or submissions cannot be judged"),
        };
        format!(
            "{} of {} would be judged again: {} would change{faults}; this took {} and {}; nothing is published",
            self.judged,
            amount(submissions, "submission"),
            amount(self.changed, "verdict"),
            amount(self.runs, "run"),
            amount(self.builds, "build")
        )
    }
}

/// What judging a submission again has brought.
#[derive(Serialize)]
struct Rejudged {
    submission: SubmissionId,
    #[serde(flatten)]
    name: SubmissionName,
    before: Option<Verdict>,
    after: Option<Verdict>,
    first_failing_test_before: Option<Arc<str>>,
    first_failing_test_after: Option<Arc<str>>,
    /// Whether verdict, cause, score, a group's points or first failing test would change.
    changes: Option<bool>,
    runs: Option<usize>,
    builds: Option<usize>,
    checks: Option<usize>,
    fault: Option<String>,
    #[serde(flatten)]
    scores: Option<Scores>,
    #[serde(skip)]
    was: Option<Published>,
    #[serde(skip)]
    now: Option<Published>,
}

/// The score of a problem with groups of tests, before and after.
#[derive(Serialize)]
struct Scores {
    score_before: Option<Score>,
    score_after: Score,
}

impl Rejudged {
    fn of(submission: &Submission, was: Option<&Published>, result: Result<Judged, Fault>) -> Self {
        let (judged, fault) = match result {
            Ok(judged) => (Some(judged), None),
            Err(fault) => (None, Some(fault.to_string())),
        };
        let judged = judged.as_ref();
        let took = judged.map(|judged| judged.took);
        let now = judged.map(|judged| Published::of(&judged.judgement, now_ms()));
        let is_other = |now: &Published| was.is_none_or(|was| !was.says_the_same_as(now));
        let score_after = now.as_ref().and_then(|now| now.score.shown());
        Self {
            submission: submission.id,
            name: submission.name(),
            before: was.map(|was| was.verdict),
            after: now.as_ref().map(|now| now.verdict),
            first_failing_test_before: was.and_then(|was| was.first_failing_test.clone()),
            first_failing_test_after: now.as_ref().and_then(|now| now.first_failing_test.clone()),
            changes: now.as_ref().map(is_other),
            runs: took.map(|took| took.runs),
            builds: took.map(|took| took.builds),
            checks: took.map(|took| took.checks),
            fault,
            scores: score_after.map(|score_after| Scores {
                score_before: was.map(|was| was.score),
                score_after,
            }),
            was: was.cloned(),
            now,
        }
    }
}

impl Show for Rejudged {
    fn show(&self, page: &mut Page) {
        if let Some(fault) = &self.fault {
            let line = format!("cannot be judged: {}: {fault}", self.name);
            page.spans([Style::Bad.on(line)]);
        }
        let Some(after) = self.after.filter(|_| self.changes == Some(true)) else {
            return;
        };
        let tests = arrow(
            self.first_failing_test_before.as_deref(),
            self.first_failing_test_after.as_deref(),
        );
        let points = |one: &Option<Published>| Some(one.as_ref()?.score.shown()?.to_string());
        let points = arrow(points(&self.was).as_deref(), points(&self.now).as_deref());
        let rest = [points, tests].join("  ");
        row((self.before, after), &self.name, rest.trim(), page);
    }
}

/// `secret/1 → hack/evil`, or what stays.
fn arrow(was: Option<&str>, now: Option<&str>) -> String {
    if was == now {
        return now.unwrap_or_default().to_owned();
    }
    format!("{} → {}", was.unwrap_or("-"), now.unwrap_or("-"))
}

/// `AC  → WA   alpha/sum #1   hack/evil`
fn row((old, new): (Option<Verdict>, Verdict), name: &SubmissionName, rest: &str, page: &mut Page) {
    let old = old.map_or_else(|| "-  ".into(), code);
    let rest = format!("  {:<32}  {rest}", name.to_string());
    page.spans([old, " → ".into(), code(new), rest.into()]);
}

/// Leaves the request for a daemon that runs, or does it here, and shows what has changed.
fn apply(request: &Request, config: Config, out: &mut Out) -> anyhow::Result<Exit> {
    let state = config.folders.state.clone();
    let grading = grading(&config);
    let mark = Reader::open(&state)?.last_change()?;
    let mut exit = Exit::Good;
    if !ask(&config, request)? {
        let summary = daemon::run(config, Mode::Rejudge, &mut |notice| {
            if let daemon::Notice::Fault { what, reason, .. } = notice {
                out.note(&visible_line(&format!("fault: {what}: {reason}")));
            }
        })?;
        if summary.faulted > 0 {
            exit = Exit::Fault;
        }
    }
    let reader = Reader::open(&state)?;
    tell_held(&reader, &grading, request, out)?;
    let (changed, others) = show_changes(&reader, mark, request, out)?;
    if others > 0 {
        out.note(&format!(
            "{} outside this request changed too: they were not up to date either",
            amount(others, "verdict")
        ));
    }
    let verb = if changed == 1 { "has" } else { "have" };
    let changed = amount(changed, "verdict");
    out.print(|page| page.line(format!("{changed} {verb} changed")));
    Ok(exit)
}

/// Says what of the request is not judged, because it waits or came too late.
fn tell_held(
    reader: &Reader,
    grading: &Grading,
    request: &Request,
    out: &mut Out,
) -> anyhow::Result<()> {
    let entries = reader.unjudged()?;
    let entries = entries
        .iter()
        .filter(|entry| is_asked_for(request, &entry.submission));
    for ((problem, held), count) in grading.held_of(entries) {
        out.note(&held.words(&problem, count, grading.zone()));
    }
    Ok(())
}

/// A verdict that has changed.
#[derive(Serialize)]
struct Changed<'a> {
    #[serde(flatten)]
    name: SubmissionName,
    before: Option<Verdict>,
    after: Verdict,
    first_failing_test_after: Option<&'a str>,
    because: &'a str,
    #[serde(skip)]
    score: Option<Score>,
}

impl Show for Changed<'_> {
    fn show(&self, page: &mut Page) {
        let score = self.score.map(|score| format!("{score}  "));
        let rest = format!(
            "{}{}  because: {}",
            score.unwrap_or_default(),
            self.first_failing_test_after.unwrap_or_default(),
            self.because
        );
        row((self.before, self.after), &self.name, &rest, page);
    }
}

fn show_changes(
    reader: &Reader,
    mark: i64,
    request: &Request,
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
            let Change { published, because } = &change.change;
            out.show(&Changed {
                name: change.submission.name(),
                before: change.before,
                after: published.verdict,
                first_failing_test_after: published.first_failing_test.as_deref(),
                because,
                score: published.score.shown(),
            });
        }
    }
}

fn is_asked_for(request: &Request, submission: &Submission) -> bool {
    let (problem, student) = (request.problem.as_ref(), request.student.as_ref());
    problem.is_none_or(|only| *only == submission.problem)
        && student.is_none_or(|only| *only == submission.student)
}
