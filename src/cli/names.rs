//! Names on the command line: one that does not exist is an error that says what there is.

use std::path::Path;

use super::exit::CliError;
use crate::config::Config;
use crate::course::Roster;
use crate::domain::{ProblemSlug, SourceFile, Student, Submission, SubmissionId};
use crate::package::{self, Home};
use crate::problems::{self, Task};
use crate::store::{Reader, StoreError};
use crate::util::words::{hint, listed};

/// Names that an error lists.
pub const LISTED_MAX: usize = 20;
/// Students among whom the one that was meant is looked for.
const STUDENTS_MAX: u32 = 10_000;

/// The names of the built-in problems.
pub fn built_in_names() -> Vec<&'static str> {
    problems::ALL.iter().map(|task| task.slug()).collect()
}

/// The built-in problem that a person means.
pub fn task_named(name: &str) -> anyhow::Result<&'static dyn Task> {
    let wanted = name.to_ascii_lowercase();
    problems::find(&wanted).ok_or_else(|| {
        let known = built_in_names().join(", ");
        CliError::usage(format!(
            "`{name}` is not a built-in problem; there are {known}"
        ))
    })
}

/// The help of an argument that is a built-in problem, or what `otherwise` says.
pub fn built_in(otherwise: &str) -> String {
    let named = match built_in_names().split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    format!("A built-in problem ({named}){otherwise}")
}

/// The problem that a person means, by its name or path; `folder` is the folder of all problems.
pub fn problem_named(
    name: &str,
    slugs: &[ProblemSlug],
    folder: &Path,
) -> anyhow::Result<ProblemSlug> {
    let real = |path: &Path| path.canonicalize().ok();
    let path = real(Path::new(name));
    let is_at = |slug| path.is_some() && real(Home::of(folder, slug).shown()) == path;
    slugs
        .iter()
        .find(|slug| slug.matches(name) || is_at(slug))
        .cloned()
        .ok_or_else(|| CliError::usage(unknown_problem(name, slugs, folder)))
}

/// The problem of the course that a person means, who may have named none.
pub fn problem_of_course(
    name: Option<&str>,
    config: &Config,
) -> anyhow::Result<Option<ProblemSlug>> {
    let folder = &config.folders.problems;
    let slugs = package::slugs(folder).map_err(CliError::usage)?;
    let named = name.map(|name| problem_named(name, &slugs, folder));
    named.transpose()
}

/// What is wrong with a problem's name, and what there is.
pub fn unknown_problem(name: &str, slugs: &[ProblemSlug], folder: &Path) -> String {
    // A folder of that name may be there, and not be a package.
    let strangers = package::strangers(folder).unwrap_or_default();
    let found = strangers
        .iter()
        .find(|remark| remark.path.file_name().is_some_and(|file| file == name));
    if let Some(remark) = found {
        return format!("there is no problem `{name}`: {remark}");
    }
    let known = slugs.iter().map(ProblemSlug::as_str);
    unknown("there is no problem", name, known)
}

/// The people of the course; nobody where it has no roster.
pub fn roster(config: &Config) -> anyhow::Result<Roster> {
    let roster = config.overview.roster.as_deref().map(Roster::load);
    let roster = roster.transpose().map_err(CliError::usage)?;
    Ok(roster.unwrap_or_default())
}

/// The students of a section of the roster.
pub fn in_section(section: &str, config: &Config) -> anyhow::Result<Vec<Student>> {
    let roster = roster(config)?;
    let people = roster.people().iter().map(|person| &person.student);
    let found: Vec<Student> = people
        .filter(|student| roster.is_in(student, section))
        .cloned()
        .collect();
    if found.is_empty() {
        let known = roster.sections();
        let known = known.iter().copied();
        return Err(no_such("the roster has no section", section, known));
    }
    Ok(found)
}

/// There is nothing of this name.
pub fn no_such<'n>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> anyhow::Error {
    CliError::usage(unknown(what, name, known))
}

/// What is wrong with a name, what was meant, and what there is.
fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let meant = hint(name, known.clone());
    let there = listed(known, LISTED_MAX);
    if meant.is_empty() {
        format!("{what} `{name}`; there are {there}")
    } else {
        format!("{what} `{name}`{meant} There are {there}")
    }
}

/// A student who has submitted something.
pub fn student_named(name: &str, reader: &Reader) -> anyhow::Result<Student> {
    let student = Student::spelled(name).map_err(CliError::usage)?;
    let has_submissions = !reader.submissions_of(Some(&student), None)?.is_empty();
    if has_submissions || !reader.outstanding(Some(&student))?.named.is_empty() {
        return Ok(student);
    }
    Err(unknown_student(&student, reader)?)
}

/// Nobody of that name, and who there is.
pub fn unknown_student(student: &Student, reader: &Reader) -> Result<anyhow::Error, StoreError> {
    let students = reader.students(STUDENTS_MAX)?;
    let known = students.iter().map(Student::as_str);
    let what = "nobody has submitted anything as";
    Ok(no_such(what, student.as_str(), known))
}

/// A problem for which a student has submitted something.
pub fn problem_of(student: &Student, name: &str, reader: &Reader) -> anyhow::Result<ProblemSlug> {
    let problems = reader.problems_of(student)?;
    let found = problems.iter().find(|slug| slug.matches(name)).cloned();
    found.ok_or_else(|| {
        let what = format!("{student} has submitted nothing for");
        let known = problems.iter().map(ProblemSlug::as_str);
        no_such(&what, name, known)
    })
}

/// The student has no such attempt.
pub fn unknown_attempt(
    student: &Student,
    problem: &ProblemSlug,
    attempts: &[Submission],
) -> anyhow::Error {
    let numbers = attempts.iter().rev();
    let there = listed(numbers.map(|head| format!("#{}", head.attempt)), LISTED_MAX);
    CliError::usage(format!(
        "{student} has no such attempt for {problem}; there are {there}"
    ))
}

pub fn submission_named(name: &str, reader: &Reader) -> anyhow::Result<(Submission, SourceFile)> {
    let id = if let Ok(number) = name.parse() {
        SubmissionId(number)
    } else {
        let mut parts = name.split(['/', '#']).map(str::trim);
        let (Some(student), Some(problem)) = (parts.next(), parts.next()) else {
            return Err(CliError::usage(format!(
                "`{name}` is neither a number nor STUDENT/PROBLEM/ATTEMPT"
            )));
        };
        let attempt = parts.next().map(str::parse::<u32>).transpose();
        let attempt = attempt
            .map_err(|_| CliError::usage(format!("the attempt in `{name}` is not a number")))?;
        let student = student_named(student, reader)?;
        let problem = problem_of(&student, problem, reader)?;
        let attempts = reader.attempts(&student, &problem)?;
        let wanted = |of: u32| attempt.is_none_or(|attempt| attempt == of);
        let head = attempts.iter().rfind(|head| wanted(head.attempt));
        head.ok_or_else(|| unknown_attempt(&student, &problem, &attempts))?
            .id
    };
    reader.submission(id)?.ok_or_else(|| {
        CliError::usage(format!(
            "there is no submission `{name}`; `verdictd report` lists them"
        ))
    })
}
