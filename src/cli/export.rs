//! `verdictd export`: grades and reports back to the platforms that programs came from, and programs
//! for tools that compare them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::export_similarity;
use super::prelude::{CliError, Exit, LISTED_MAX, Out, problem_of_course, sound_grading};
use crate::config::Config;
use crate::domain::Student;
use crate::lms::{
    Asked, Feedback, Filled, Manifest, Marks, PLATFORMS, Platform, Wanted, fill,
    leave_out_repeated, zipped,
};
use crate::overview::Scoreboard;
use crate::package;
use crate::report::{Audience, EXPORTS_FOLDER, Reports};
use crate::store::Reader;
use crate::util::files::{make_folder, read_regular, replace};
use crate::util::table;
use crate::util::words::{amount, listed};
use crate::view::Page;

/// The largest report that goes back, in bytes.
const REPORT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Fill a platform's grade file, or lay programs out to compare
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    target: To,
}

#[derive(Debug, Subcommand)]
enum To {
    #[command(flatten)]
    Platform(Target),
    /// Write the graded attempts in the layout that a similarity checker expects
    Similarity(export_similarity::Arguments),
}

#[derive(Debug, Subcommand)]
enum Target {
    /// Fill Moodle's grading worksheet of an assignment, and zip the reports as feedback files
    Moodle {
        /// The worksheet, as Moodle has exported it
        #[arg(long, value_name = "FILE")]
        worksheet: PathBuf,
        /// The header of the column for comments, where it is not recognised
        #[arg(long, value_name = "HEADER")]
        comments: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Fill a column of Canvas's gradebook, with the rows of students who were judged
    Canvas {
        /// The gradebook, as Canvas has exported it
        #[arg(long, value_name = "FILE")]
        gradebook: PathBuf,
        /// The assignment's column: its header, its title, or the number in it
        #[arg(long, value_name = "HEADER")]
        column: String,
        #[command(flatten)]
        common: Common,
    },
    /// Fill a column of Brightspace's grades, and zip the reports in its folders
    Brightspace(Table),
    /// Fill a column of Blackboard's grade book ("Work offline")
    Blackboard(Table),
    /// Fill Sakai's grades.csv, and zip it with the reports as feedback attachments
    Sakai {
        /// The file grades.csv, as Sakai has exported it
        #[arg(long, value_name = "FILE")]
        grades: PathBuf,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Debug, Args)]
struct Table {
    /// The grades, as the platform has exported them
    #[arg(long, value_name = "FILE")]
    grades: PathBuf,
    /// The column: its header, or what the platform calls the item
    #[arg(long, value_name = "HEADER")]
    column: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// The assignment of course.toml whose points go back; by default the only one
    #[arg(long, conflicts_with = "problem")]
    assignment: Option<String>,
    /// The problem whose points go back, instead of a whole assignment
    #[arg(long)]
    problem: Option<String>,
    /// Where the files are written; by default `exports/PLATFORM` in the staff's folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Target {
    /// The platform's id, its file, what is filled in it, and what all platforms have.
    fn parts(&self) -> (&'static str, &Path, Wanted<'_>, &Common) {
        let (id, file, column, comments, common) = match self {
            Self::Moodle {
                worksheet,
                comments,
                common,
            } => ("moodle", worksheet, None, comments.as_deref(), common),
            Self::Canvas {
                gradebook,
                column,
                common,
            } => ("canvas", gradebook, Some(column), None, common),
            Self::Brightspace(Table {
                grades,
                column,
                common,
            }) => ("brightspace", grades, Some(column), None, common),
            Self::Blackboard(Table {
                grades,
                column,
                common,
            }) => ("blackboard", grades, Some(column), None, common),
            Self::Sakai { grades, common } => ("sakai", grades, None, None, common),
        };
        let column = column.map(String::as_str);
        (id, file, Wanted { column, comments }, common)
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let target = match &arguments.target {
        To::Platform(target) => target,
        To::Similarity(asked) => return export_similarity::run(asked, config, out),
    };
    let (id, file, wanted, common) = target.parts();
    let platform = PLATFORMS.iter().find(|platform| platform.id == id);
    let platform = platform.context("the table has every platform")?;
    let manifest = Manifest::load(&config.folders.staff)?;
    let marks = marks(config, &manifest, common)?;
    let table = table::Table::of_platform(file, "").map_err(CliError::usage)?;
    let filled = fill(platform, table, &wanted, &marks).map_err(CliError::usage)?;
    let folder = common.out.clone();
    let folder = folder.unwrap_or_else(|| config.folders.staff.join(EXPORTS_FOLDER).join(id));
    let target = folder.join(file.file_name().unwrap_or_default());
    if same(file, &target) {
        return Err(CliError::usage(format!(
            "{}: the filled file would replace this one; name another folder with --out",
            file.display()
        )));
    }
    make_folder(&folder)?;
    // Whatever may be wrong with the reports, the grades are there.
    replace(&target, &filled.bytes)?;
    out.line(&target.display().to_string());
    let feedback = feedback(platform, &filled, &marks, &manifest, config, out);
    let zips = zipped(&feedback)?;
    for (number, zip) in zips.iter().enumerate() {
        let name = match number {
            0 => "feedback.zip".to_owned(),
            _ => format!("feedback-{}.zip", number + 1),
        };
        let target = folder.join(name);
        replace(&target, zip)?;
        out.line(&target.display().to_string());
    }
    out.print(|page| tell(&filled, page));
    Ok(Exit::No.only_if(filled.graded.is_empty()))
}

fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// What goes back of everybody.
fn marks(config: &Config, manifest: &Manifest, common: &Common) -> anyhow::Result<Marks> {
    let grading = sound_grading(config)?;
    let slugs = package::slugs(&config.folders.problems).map_err(CliError::usage)?;
    let asked = match problem_of_course(common.problem.as_deref(), config)? {
        None => Asked::Assignment(common.assignment.clone()),
        Some(problem) => Asked::Problem(problem),
    };
    let reader = Reader::open(&config.folders.state)?;
    let mut board = Scoreboard::load(&reader)?;
    let roster = Arc::clone(&grading.roster);
    board.set_grading(Arc::new(grading));
    let grades = board.grades(slugs.iter());
    Marks::of(&grades, &roster, manifest.lines(), &asked).map_err(|known| {
        let known = listed(&known, LISTED_MAX);
        CliError::usage(match &common.assignment {
            Some(name) => format!("there is no assignment {name:?}; the assignments are {known}"),
            None => format!(
                "course.toml has several assignments; say with --assignment which one goes back: {known}"
            ),
        })
    })
}

/// The reports that go back, by their names in the zip, and with them what else belongs there.
fn feedback(
    platform: &Platform,
    filled: &Filled,
    marks: &Marks,
    manifest: &Manifest,
    config: &Config,
    out: &mut Out,
) -> Vec<(String, Vec<u8>)> {
    let reports = Reports::new(&config.folders.reports, &config.folders.staff);
    let (mut files, mut missing) = (Vec::new(), 0);
    for (student, who) in &filled.graded {
        let Some((_, mark)) = marks.of_student(student) else {
            continue;
        };
        for (problem, attempt) in &mark.attempts {
            let line = manifest.lines().iter().rev().find(|line| {
                line.platform == platform.id
                    && line.student == student.as_str()
                    && line.problem == problem.as_str()
                    && line.entry_bytes.is_none()
            });
            let Some(name) = (platform.feedback)(&Feedback {
                who,
                problem,
                entry: line.map(|line| line.entry.as_str()),
            }) else {
                continue;
            };
            let path = reports.path(Audience::Student, student, problem, *attempt, "html");
            match read_regular(&path, REPORT_BYTES_MAX) {
                Ok(bytes) => files.push((name, bytes)),
                Err(_) => missing += 1,
            }
        }
    }
    if missing > 0 {
        out.note(&format!(
            "{} left out of the feedback, because they are not in {}; `verdictd report --rebuild` writes them again",
            amount(missing, "report"),
            config.folders.reports.display()
        ));
    }
    let shared = leave_out_repeated(&mut files);
    if shared > 0 {
        out.note(&format!(
            "{} left out of the feedback, because the platform has one folder for a whole team: the first member's goes back for all",
            amount(shared, "report")
        ));
    }
    let outermost = files.first().and_then(|(name, _)| name.split_once('/'));
    if let (Some(table), Some((outermost, _))) = (platform.table, outermost) {
        files.push((format!("{outermost}/{table}"), filled.bytes.clone()));
    }
    files
}

/// Says what was filled, and who was left out.
fn tell(filled: &Filled, page: &mut Page) {
    page.note(format!("{} filled", amount(filled.graded.len(), "row")));
    let names = |students: &[Student]| students.iter().map(Student::to_string).collect();
    let strangers = filled.strangers.iter();
    let strangers = strangers.map(|(line, name)| format!("{name} (line {line})"));
    let left_out: [(_, Vec<String>); 3] = [
        (
            "in the file, but nothing is judged",
            names(&filled.unjudged),
        ),
        ("not known to the course", strangers.collect()),
        ("judged, but not in the file", names(&filled.left_out)),
    ];
    for (what, names) in left_out {
        if !names.is_empty() {
            page.note(format!("{what}: {}", listed(names, LISTED_MAX)));
        }
    }
}
