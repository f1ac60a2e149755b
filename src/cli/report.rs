//! `verdictd report`: shows a report from the store, or writes all reports again.

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;

use super::prelude::{
    CliError, Exit, Out, grading, in_section, problem_of, sound_grading, student_named,
    unknown_attempt,
};
use crate::config::Config;
use crate::daemon;
use crate::domain::{
    Attempt, LanguageId, ProblemSlug, Student, Submission, SubmissionId, SubmissionName, Verdict,
};
use crate::exports::Course;
use crate::overview::Grading;
use crate::package::{self, TrustingOracle};
use crate::report::{Audience, render_text};
use crate::store::{Reader, is_running};
use crate::toolchain::Toolchain;
use crate::util::words::amount;
use crate::view::{Page, Show};

/// Submissions that a list shows.
const LISTED_MAX: u32 = 100_000;

/// Show a report, or rewrite all reports from the store
#[derive(Debug, Args)]
pub struct Arguments {
    /// The student; by default the latest verdict of every student and problem is listed.
    student: Option<String>,
    /// The problem; by default all of the student's problems.
    problem: Option<String>,
    /// The attempt's number; by default the latest attempt.
    attempt: Option<Attempt>,
    /// List only the students of a section of the roster.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["student", "rebuild"])]
    section: Option<String>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Rewrite every report and the logs from the store.
    #[arg(long)]
    rebuild: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let reader = Reader::open(&config.folders.state)?;
    if arguments.rebuild {
        return rebuild(config, &reader, out);
    }
    let Some(student) = &arguments.student else {
        let section = arguments.section.as_deref();
        let students = section.map(|name| in_section(name, config)).transpose()?;
        return list(&reader, students.as_deref(), out);
    };
    let student = student_named(student, &reader)?;
    let problems = match &arguments.problem {
        Some(name) => vec![problem_of(&student, name, &reader)?],
        None => reader.problems_of(&student)?,
    };
    let grading = grading(config);
    let mut shown = 0;
    for problem in problems {
        let attempts = reader.attempts(&student, &problem)?;
        let wanted = |of: Attempt| arguments.attempt.is_none_or(|attempt| attempt == of);
        match attempts.iter().rfind(|head| wanted(head.attempt)) {
            Some(head) => {
                let is_shown = show((&reader, &grading), head, arguments.json, out)?;
                shown += usize::from(is_shown);
            }
            None if arguments.problem.is_none() => {}
            None => return Err(unknown_attempt(&student, &problem, &attempts)),
        }
    }
    if arguments.problem.is_none() && !arguments.json {
        shown += rejected(&reader, &student, out)?;
    }
    Ok(Exit::No.only_if(shown == 0))
}

/// Writes every report, page and log again from the store.
pub fn rebuild(config: &Config, reader: &Reader, out: &mut Out) -> anyhow::Result<Exit> {
    let folders = &config.folders;
    if is_running(&folders.state) {
        return Err(CliError::usage(
            "a daemon is running and writes the same files; stop it first",
        ));
    }
    // Nobody is judged here: packages with programs of their own are to have their titles and
    // columns too.
    let library = package::load_all(&folders.problems, &config.limits, &mut TrustingOracle)
        .map_err(CliError::usage)?;
    let course = Course::new(config, &library, &Toolchain::of(config));
    let grading = sound_grading(config)?;
    let (reports, staff) = (folders.reports.display(), folders.staff.display());
    let written = daemon::rebuild(reader, folders, &course, grading)
        .with_context(|| format!("write the reports in {reports} and {staff}"))?;
    let written = amount(written, "report");
    out.note(&format!("{written} written in {reports} and {staff}"));
    Ok(Exit::Good)
}

/// Lists a student's files that are not submissions, and counts them.
fn rejected(reader: &Reader, student: &Student, out: &mut Out) -> anyhow::Result<usize> {
    let outstanding = reader.outstanding(Some(student))?;
    let count = outstanding.named.len() + outstanding.more;
    out.print(|page| {
        if count > 0 {
            page.line("");
            page.line(format!("Not accepted as submissions ({count})"));
        }
        for one in &outstanding.named {
            page.line(format!("  {}", one.path));
            page.line(format!("      {}", one.reason));
        }
        if outstanding.more > 0 {
            page.line(format!("  and {} more", outstanding.more));
        }
    });
    Ok(count)
}

/// Shows the report of a submission; false if it is not judged.
fn show(
    (reader, grading): (&Reader, &Grading),
    head: &Submission,
    json: bool,
    out: &mut Out,
) -> anyhow::Result<bool> {
    let Some((document, _)) = daemon::current_report(reader, head.id, grading)? else {
        if let Some(judgement) = reader.judgement(head.id)? {
            let verdict = judgement.published.verdict.code();
            out.note(&format!(
                "{head}: {verdict}; its report is made again when it has been judged again after the upgrade"
            ));
            return Ok(true);
        }
        out.note(&format!(
            "{head} has no verdict yet{}",
            waiting_words(reader, &head.problem)?
        ));
        return Ok(false);
    };
    if json {
        out.data(document.to_json().as_bytes());
    } else {
        out.data(render_text(&document, Audience::Staff).as_bytes());
    }
    Ok(true)
}

/// Why a submission waits, if that is not because others are before it.
fn waiting_words(reader: &Reader, problem: &ProblemSlug) -> anyhow::Result<&'static str> {
    let mut broken = reader.broken_packages()?.into_iter();
    let is_broken = broken.any(|row| row.problem == *problem);
    Ok(if is_broken {
        ": the problem is being repaired, and there is nothing you need to do"
    } else {
        ""
    })
}

/// The latest attempt of a student for a problem.
#[derive(Serialize)]
struct Latest {
    #[serde(flatten)]
    name: SubmissionName,
    language: LanguageId,
    verdict: Option<Verdict>,
}

impl Show for Latest {
    fn show(&self, page: &mut Page) {
        let verdict = self.verdict.map_or("-", Verdict::code);
        page.line(format!("{verdict:<3}  {}  {}", self.name, self.language));
    }
}

fn list(reader: &Reader, students: Option<&[Student]>, out: &mut Out) -> anyhow::Result<Exit> {
    let is_asked = |student: &Student| students.is_none_or(|students| students.contains(student));
    let heads = reader
        .latest_after(SubmissionId(0), LISTED_MAX)?
        .into_iter();
    for head in heads.filter(|head| is_asked(&head.student)) {
        let judgement = reader.judgement(head.id)?;
        out.show(&Latest {
            verdict: judgement.map(|judgement| judgement.published.verdict),
            name: head.name(),
            language: head.language,
        });
    }
    Ok(Exit::Good)
}
