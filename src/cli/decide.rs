//! `verdictd decide`: what an instructor decides about somebody's attempts. It writes decisions.csv,
//! which people may edit too; the judge's facts stay as they are, and a running daemon reads the
//! file again by itself.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::prelude::{
    CliError, Exit, Out, grading, problem_named, store_if_any, student_named, unknown_attempt,
};
use crate::config::Config;
use crate::course::{Action, Decision, DecisionsFile, Points, REASON_CHARACTERS_MAX};
use crate::domain::{Attempt, ProblemSlug, Student, Submission, Verdict};
use crate::exports::CourseSource;
use crate::overview::{Cell, Grading};
use crate::package;
use crate::store::Reader;
use crate::util::excerpt::visible_line;
use crate::view::Page;

/// Whom and what a decision is about.
#[derive(Debug, Args)]
struct About {
    /// The student
    student: String,
    /// The problem
    problem: String,
}

/// Override, comment on or exclude a student's attempt; undo that
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    request: Request,
}

#[derive(Debug, Subcommand)]
enum Request {
    /// Give a student's attempt another verdict or other points, with a reason
    Override {
        #[command(flatten)]
        about: About,
        /// The attempt's number; by default the graded one, or for points the whole problem
        #[arg(long, value_name = "N")]
        attempt: Option<Attempt>,
        /// The verdict that it is graded as, by its short code; late penalties still apply
        #[arg(long, value_parser = verdict, required_unless_present = "points")]
        verdict: Option<Verdict>,
        /// Points to award, exempt from late penalties
        #[arg(long, value_parser = points, conflicts_with = "verdict")]
        points: Option<Points>,
        /// Why; the student reads it
        #[arg(long)]
        reason: String,
    },
    /// Comment on a student's attempt or problem
    Comment {
        #[command(flatten)]
        about: About,
        /// The text for the student
        text: String,
        /// The attempt's number; by default it is about the whole problem
        #[arg(long, value_name = "N")]
        attempt: Option<Attempt>,
    },
    /// Exclude an attempt from grading, with a reason
    Exclude {
        #[command(flatten)]
        about: About,
        /// The attempt's number
        #[arg(long, value_name = "N")]
        attempt: Attempt,
        /// Why; the student reads it
        #[arg(long)]
        reason: String,
    },
    /// Undo the last override, comment or exclusion for a student's problem
    Undo {
        #[command(flatten)]
        about: About,
        /// Only decisions on this attempt
        #[arg(long, value_name = "N")]
        attempt: Option<Attempt>,
    },
}

fn verdict(code: &str) -> Result<Verdict, String> {
    code.to_uppercase().parse().map_err(|_| {
        let codes = Verdict::ALL.map(Verdict::code).join(", ");
        format!("it is one of {codes}")
    })
}

fn points(text: &str) -> Result<Points, String> {
    let points = text.parse().ok().and_then(Points::from_number);
    points.ok_or_else(|| "it is a number, as in 7.5".to_owned())
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let find = |about| Subject::find(about, config);
    let told = match &arguments.request {
        Request::Override {
            about,
            attempt,
            verdict,
            points,
            reason,
        } => {
            let subject = find(about)?;
            let (action, attempt) = match (*verdict, *attempt) {
                (Some(verdict), None) => (Action::Verdict(verdict), Some(subject.counting()?)),
                (Some(verdict), attempt) => (Action::Verdict(verdict), attempt),
                // The points are there: the command line was checked.
                (None, attempt) => (Action::Points(points.unwrap_or_default()), attempt),
            };
            subject.decide(action, attempt, reason)?
        }
        Request::Comment {
            about,
            text,
            attempt,
        } => find(about)?.decide(Action::Comment, *attempt, text)?,
        Request::Exclude {
            about,
            attempt,
            reason,
        } => find(about)?.decide(Action::Exclude, Some(*attempt), reason)?,
        Request::Undo { about, attempt } => find(about)?.undo(*attempt)?,
    };
    out.page(&told);
    Ok(Exit::Good)
}

/// Whom and what a decision is about, found.
struct Subject<'c> {
    config: &'c Config,
    /// How the course is graded, before anything else is decided.
    grading: Grading,
    student: Student,
    problem: ProblemSlug,
    attempts: Vec<Submission>,
    /// What was handed in, with its verdicts.
    cell: Cell,
}

impl<'c> Subject<'c> {
    fn find(about: &About, config: &'c Config) -> anyhow::Result<Self> {
        let grading = grading(config);
        let reader = store_if_any(config)?;
        let student = student(about, &grading, reader.as_ref())?;
        let problems = &config.folders.problems;
        let mut slugs = package::slugs(problems).map_err(CliError::usage)?;
        if let Some(reader) = &reader {
            // A problem may be gone by now.
            slugs.extend(reader.problems_of(&student)?);
        }
        slugs.sort();
        slugs.dedup();
        let problem = problem_named(&about.problem, &slugs, problems)?;
        let (mut attempts, mut cell) = (Vec::new(), Cell::default());
        if let Some(reader) = &reader {
            attempts = reader.attempts(&student, &problem)?;
            for attempt in &attempts {
                cell.entries.extend(reader.entry(attempt.id)?);
            }
        }
        Ok(Self {
            config,
            grading,
            student,
            problem,
            attempts,
            cell,
        })
    }

    /// Where decisions.csv is.
    fn folder(&self) -> PathBuf {
        CourseSource::of(self.config).folder
    }

    fn counting(&self) -> anyhow::Result<Attempt> {
        let counting = self.grading.counting(&self.cell);
        let attempt = counting.map(|entry| entry.submission.attempt);
        attempt.ok_or_else(|| {
            CliError::usage(format!(
                "no attempt of {} counts for {}; name one with --attempt",
                self.student, self.problem
            ))
        })
    }

    fn decide(
        &self,
        action: Action,
        attempt: Option<Attempt>,
        reason: &str,
    ) -> anyhow::Result<Page> {
        let (student, problem) = (&self.student, &self.problem);
        let mut numbers = self.attempts.iter().map(|head| head.attempt);
        if attempt.is_some_and(|wanted| !numbers.any(|number| number == wanted)) {
            return Err(unknown_attempt(student, problem, &self.attempts));
        }
        let reason = visible_line(reason.trim());
        if reason.is_empty() || reason.chars().count() > REASON_CHARACTERS_MAX {
            return Err(CliError::usage(format!(
                "the student is to read something: 1 to {REASON_CHARACTERS_MAX} characters"
            )));
        }
        let now = Timestamp::now().to_zoned(self.grading.zone().clone());
        let decision = Decision {
            student: student.clone(),
            problem: problem.clone(),
            attempt,
            action,
            reason,
            when: now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        };
        let file = DecisionsFile::open(&self.folder()).map_err(CliError::usage)?;
        file.add(&decision).map_err(CliError::usage)?;
        let mut page = Page::default();
        let most = self.grading.rules.terms.points_of(problem);
        if let Some(points) = decision.points().filter(|points| *points > most) {
            // Platforms may refuse them.
            page.note(format!(
                "{points} points are more than the {most} that {problem} has"
            ));
        }
        page.line(format!("{student}/{problem}: {decision}"));
        Ok(self.with_points(page))
    }

    fn undo(&self, attempt: Option<Attempt>) -> anyhow::Result<Page> {
        let (student, problem) = (&self.student, &self.problem);
        let file = DecisionsFile::open(&self.folder()).map_err(CliError::usage)?;
        let undone = file.remove_last(|decision| {
            decision.student == *student
                && decision.problem == *problem
                && (attempt.is_none() || decision.attempt == attempt)
        });
        let decision = undone.map_err(CliError::usage)?.ok_or_else(|| {
            CliError::usage(format!("nothing is decided about {student}/{problem}"))
        })?;
        let mut page = Page::default();
        page.line(format!("undone for {student}/{problem}: {decision}"));
        Ok(self.with_points(page))
    }

    /// And what the decisions make of the points now.
    fn with_points(&self, mut page: Page) -> Page {
        let grade = grading(self.config).grade(&self.student, &self.problem, Some(&self.cell));
        if let Some(grade) = grade {
            let how = grade.how();
            page.line(format!("now {} of {} points{how}", grade.points, grade.of));
        }
        let file = self.folder().join("decisions.csv");
        page.note(format!("in {}", file.display()));
        page
    }
}

/// Somebody on the roster, or who has handed in something.
fn student(about: &About, grading: &Grading, reader: Option<&Reader>) -> anyhow::Result<Student> {
    let student = Student::spelled(&about.student).map_err(CliError::usage)?;
    match reader {
        _ if grading.roster.has(&student) => Ok(student),
        Some(reader) => student_named(&about.student, reader),
        None => Err(CliError::usage(format!(
            "{student} is on no roster and has handed in nothing"
        ))),
    }
}
