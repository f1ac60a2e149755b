//! `verdictd report`: shows a report from the store, or writes all reports anew.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;

use super::names::{problem_of, student_named, unknown_attempt};
use super::session::read_config;
use super::{Complaint, Exit, Out};
use crate::daemon;
use crate::domain::{Attempt, Change, ProblemSlug, Student, Submission, SubmissionId};
use crate::exports::{Course, Roster};
use crate::package::{self, TrustingOracle};
use crate::report::{Audience, Document, render_text};
use crate::store::{Reader, is_running};
use crate::toolchain::Toolchain;
use crate::util::clock::utc_text;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Submissions that a list shows.
const LISTED_MAX: u32 = 100_000;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Whose report; without it the latest verdict of every student and problem is listed.
    student: Option<String>,
    /// For which problem; all of the student's if not given.
    problem: Option<String>,
    /// Which attempt; the latest if not given.
    attempt: Option<Attempt>,
    /// The report document instead of its text.
    #[arg(long)]
    json: bool,
    /// Write every report and the logs again from the store.
    #[arg(long)]
    rebuild: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let config = read_config(config_file)?;
    let state = &config.folders.state;
    let reader = Reader::open(state)?;
    if arguments.rebuild {
        if is_running(state) {
            return Err(Complaint::usage(
                "a daemon is running and writes the same files; stop it first",
            ));
        }
        let folders = &config.folders;
        let both = format!(
            "{} and {}",
            folders.reports.display(),
            folders.staff.display()
        );
        // Nobody is judged here: packages with programs of their own are to have their titles and columns too.
        let library = package::load_all(&folders.problems, &config.limits, &mut TrustingOracle)
            .map_err(Complaint::usage)?;
        let course = Course::new(&config, &library, &Toolchain::of(&config));
        let roster = match &config.overview.roster {
            Some(file) => Roster::load(file).map_err(Complaint::usage)?,
            None => Roster::default(),
        };
        let written = daemon::rebuild(&reader, folders, &course, &roster)
            .with_context(|| format!("write the reports in {both}"))?;
        out.note(&format!("{} written in {both}", amount(written, "report")));
        return Ok(Exit::Good);
    }
    let Some(student) = &arguments.student else {
        return list(&reader, arguments.json, out);
    };
    let student = student_named(student, &reader)?;
    let problem = arguments.problem.as_deref();
    let problem = problem.map(|name| problem_of(&student, name, &reader));
    let problem = problem.transpose()?;
    let mut shown = 0;
    for head in reader.latest_after(SubmissionId(0), LISTED_MAX)? {
        let wanted = problem.as_ref().is_none_or(|only| *only == head.problem);
        if head.student == student && wanted {
            shown += usize::from(show(&reader, &head, arguments, out)?);
        }
    }
    if arguments.problem.is_none() && !arguments.json {
        shown += rejected(&reader, &student, out)?;
    }
    Ok(if shown == 0 { Exit::No } else { Exit::Good })
}

/// Lists a student's files that are no submissions; says how many.
fn rejected(reader: &Reader, student: &Student, out: &mut Out) -> anyhow::Result<usize> {
    let outstanding = reader.outstanding(Some(student))?;
    let count = outstanding.named.len() + outstanding.more;
    if count > 0 {
        out.line(&format!("\nNot accepted as submissions ({count})"));
    }
    for one in &outstanding.named {
        out.line(&format!("  {}", visible_line(&one.path)));
        out.line(&format!("      {}", visible_line(&one.reason)));
    }
    if outstanding.more > 0 {
        out.line(&format!("  and {} more", outstanding.more));
    }
    Ok(count)
}

/// Shows the wanted attempt of the submission whose latest attempt this is; false where it is not judged.
fn show(
    reader: &Reader,
    latest: &Submission,
    arguments: &Arguments,
    out: &mut Out,
) -> anyhow::Result<bool> {
    let id = match arguments.attempt {
        None => Some(latest.id),
        Some(attempt) => attempt_id(reader, &latest.student, &latest.problem, attempt)?,
    };
    let (student, problem) = (&latest.student, &latest.problem);
    let Some(id) = id else {
        if arguments.problem.is_none() {
            return Ok(false);
        }
        let attempts = reader.attempts(student, problem)?;
        return Err(unknown_attempt(student, problem, &attempts));
    };
    let Some((_, text)) = reader.document(id)? else {
        let attempt = arguments.attempt.unwrap_or(latest.attempt);
        out.note(&visible_line(&format!(
            "{student}/{problem} #{attempt} has no verdict yet{}",
            waiting_words(reader, problem)?
        )));
        return Ok(false);
    };
    if arguments.json {
        out.data(text.as_bytes());
    } else {
        let document = Document::from_json(&text)?;
        out.data(render_text(&document, Audience::Staff).as_bytes());
        let history = reader.history(id)?;
        // A document that another version has written has no history of its own.
        if history.len() > 1 && document.history.is_empty() {
            out.line("\nHow the verdict came to be");
            for Change { published, because } in history.iter().map(|row| &row.change) {
                out.line(&format!(
                    "  {}  {:<3}  {:<24}  because: {}",
                    utc_text(published.judged_ms),
                    published.verdict.code(),
                    published.first_failing_test.as_deref().unwrap_or_default(),
                    visible_line(because),
                ));
            }
        }
    }
    Ok(true)
}

/// Why a submission waits, where that is not because others are before it.
fn waiting_words(reader: &Reader, problem: &ProblemSlug) -> anyhow::Result<&'static str> {
    let mut broken = reader.broken_packages()?.into_iter();
    let is_broken = broken.any(|row| row.problem == *problem);
    Ok(if is_broken {
        ": the problem is being repaired, and there is nothing you need to do"
    } else {
        ""
    })
}

fn attempt_id(
    reader: &Reader,
    student: &Student,
    problem: &ProblemSlug,
    attempt: Attempt,
) -> anyhow::Result<Option<SubmissionId>> {
    Ok(reader
        .attempts(student, problem)?
        .into_iter()
        .find(|head| head.attempt == attempt)
        .map(|head| head.id))
}

fn list(reader: &Reader, json: bool, out: &mut Out) -> anyhow::Result<Exit> {
    for head in reader.latest_after(SubmissionId(0), LISTED_MAX)? {
        let verdict = reader
            .judgement(head.id)?
            .map(|judgement| judgement.published.verdict.code());
        if json {
            out.json(&serde_json::json!({
                "student": head.student.as_str(), "problem": head.problem.as_str(),
                "attempt": head.attempt, "language": head.language.as_str(), "verdict": verdict,
            }));
        } else {
            out.line(&format!(
                "{:<3}  {head}  {}",
                verdict.unwrap_or("-"),
                head.language
            ));
        }
    }
    Ok(Exit::Good)
}
