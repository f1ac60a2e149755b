//! What an export is, what it is made from, what it tells of a course beside what was handed in,
//! and what may keep it from being made.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::{Config, Counts, UnknownStudents};
use crate::course::Roster;
use crate::domain::{LanguageId, Limits, ProblemSlug};
use crate::overview::{Directory, Problem, Scoreboard};
use crate::package::Library;
use crate::store::{Reader, StoreError};
use crate::toolchain::Toolchain;

/// A file about the whole course, in the staff's folder.
#[derive(Debug)]
pub struct CourseFile {
    /// Its name there.
    pub name: &'static str,
    /// What it is called on pages.
    pub title: &'static str,
    /// What browsers are told that it is.
    pub content_type: &'static str,
}

/// What exports are made from.
pub struct Material<'a> {
    pub board: &'a Scoreboard,
    /// The course as its instructor has set it up.
    pub course: &'a Course,
    /// What the scoreboard does not hold.
    pub reader: &'a Reader,
    /// Whether an export that takes long is to be given up.
    pub must_end: &'a dyn Fn() -> bool,
}

/// A file that is made as a whole, again and again.
pub struct Export {
    /// Where it lies.
    pub file: CourseFile,
    /// The least time between two writings while the daemon runs; before it ends it is written in
    /// any case.
    pub pace: Duration,
    /// Writes it, piece by piece: that of a large course is not held in memory.
    pub make: fn(&Material<'_>, &mut dyn Write) -> Result<(), ExportError>,
}

/// Why an export could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file.
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("the grade book: {0}")]
    GradeBook(String),
    /// Whoever asked for it wants it no more.
    #[error("it was given up, because the daemon ends")]
    GivenUp,
}

impl From<csv::Error> for ExportError {
    /// What went wrong with the file stays what it is, so that a full disk is known as one.
    fn from(error: csv::Error) -> Self {
        let words = error.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Self::File(error),
            _ => Self::GradeBook(words),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ProblemFacts {
    pub slug: ProblemSlug,
    pub shown: Problem,
    /// What programs may use.
    pub limits: Limits,
    /// How many tests it has.
    pub tests: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageFacts {
    pub id: LanguageId,
    pub name: String,
    /// The endings of its files.
    pub extensions: Vec<String>,
}

/// What says how a course is graded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CourseSource {
    /// Which attempt counts, where there is no course.toml.
    pub counts: Counts,
    /// Where course.toml and decisions.csv are.
    pub folder: PathBuf,
    /// Where it is written what was imported.
    pub staff: PathBuf,
    /// The file of the roster.
    pub roster: Option<PathBuf>,
    /// What is done with those who are not on it.
    pub unknown_students: UnknownStudents,
}

impl CourseSource {
    /// That of a configuration.
    pub fn of(config: &Config) -> Self {
        let folder = config.file.parent();
        Self {
            counts: config.overview.counts,
            folder: folder.map(PathBuf::from).unwrap_or_default(),
            staff: config.folders.staff.clone(),
            roster: config.overview.roster.clone(),
            unknown_students: config.overview.unknown_students,
        }
    }
}

/// The course as its instructor has set it up.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// What says how it is graded.
    pub source: CourseSource,
    /// The problems that people can be graded on, in the order of their names.
    pub problems: Vec<ProblemFacts>,
    pub languages: Vec<LanguageFacts>,
    /// Limits of a problem of which nothing else is known.
    pub limits: Limits,
    /// The largest program, in bytes.
    pub source_bytes_max: u64,
}

impl Course {
    /// What the names of the course mean: its problems' titles, and whom the roster knows.
    pub fn directory(&self, roster: &Roster) -> Directory {
        let people = roster.people().iter();
        let people = people.map(|person| (person.student.clone(), person.name()));
        let problems = self.problems.iter();
        let problems = problems.map(|facts| (facts.slug.clone(), facts.shown.clone()));
        let directory = Directory::new(people, problems);
        if self.source.roster.is_none() {
            return directory;
        }
        let students = roster.people().iter();
        directory.with_roster(students.map(|person| person.student.clone()))
    }

    /// The course that a configuration and its packages make.
    pub fn new(config: &Config, library: &Library, toolchain: &Toolchain) -> Self {
        let problems = library.iter().filter_map(|(slug, loaded)| {
            let package = loaded.as_ref().ok()?;
            Some(ProblemFacts {
                slug: slug.clone(),
                shown: Problem {
                    title: package.title.clone(),
                    statement: package.statement.clone(),
                    pdf: package.pdf.clone(),
                },
                limits: package.limits.clone(),
                tests: package.tests.len(),
            })
        });
        let languages = toolchain.languages().map(|language| LanguageFacts {
            id: language.id().clone(),
            name: language.name().to_owned(),
            extensions: language.extensions().to_vec(),
        });
        Self {
            source: CourseSource::of(config),
            problems: problems.collect(),
            languages: languages.collect(),
            limits: config.limits.with_wall_floor(),
            source_bytes_max: config.intake.source_bytes_max,
        }
    }
}
