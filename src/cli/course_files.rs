//! What is wrong with the files that say how the course is graded, for commands that look at them.

use std::collections::BTreeSet;

use super::exit::CliError;
use crate::config::Config;
use crate::course::Roster;
use crate::daemon;
use crate::domain::{Complaint, ProblemSlug, Student};
use crate::exports::CourseSource;
use crate::overview::Grading;
use crate::util::words::hint;

/// How the course is graded, as far as its files can be read: `status` names the mistakes in them.
pub fn grading(config: &Config) -> Grading {
    daemon::load_grading(&CourseSource::of(config), &Grading::default()).0
}

/// How the course is graded, for a command that cannot go on where a file has a mistake.
pub fn sound_grading(config: &Config) -> anyhow::Result<Grading> {
    let (grading, wrong) = daemon::load_grading(&CourseSource::of(config), &Grading::default());
    if wrong.is_empty() {
        return Ok(grading);
    }
    let why: Vec<String> = wrong.iter().map(Complaint::to_string).collect();
    Err(CliError::usage(why.join("\n")))
}

/// The mistakes in course.toml, in the extensions, in the decisions and in the list of what was
/// imported, and the problems of course.toml that nobody has. The roster is not looked at.
pub fn complaints<'a>(
    config: &Config,
    problems: impl Iterator<Item = &'a ProblemSlug>,
) -> Vec<String> {
    let source = CourseSource {
        roster: None,
        ..CourseSource::of(config)
    };
    let (grading, mut wrong) = daemon::load_grading(&source, &Grading::default());
    let packages = &config.folders.problems;
    let terms = &grading.rules.terms;
    wrong.extend(terms.unknown_problems(&source.folder, packages, problems));
    let mut complaints: Vec<String> = wrong.iter().map(Complaint::in_one_line).collect();
    complaints.extend(strangers(config, &grading));
    complaints
}

/// Who has an extension or a decision and is not on the roster.
fn strangers(config: &Config, grading: &Grading) -> Vec<String> {
    let Some(Ok(roster)) = config.overview.roster.as_deref().map(Roster::load) else {
        return Vec::new();
    };
    let rules = &grading.rules;
    let decided = rules.decisions.keys().map(|(student, _)| student);
    let named: BTreeSet<&Student> = rules.terms.extended().chain(decided).collect();
    let people = || roster.people().iter().map(|person| person.student.as_str());
    let known: BTreeSet<&str> = people().collect();
    let strangers = named
        .into_iter()
        .filter(|one| !known.contains(one.as_str()));
    strangers
        .map(|student| {
            let help = hint(student.as_str(), people());
            format!("`{student}` has an extension or a decision, and is not on the roster{help}")
        })
        .collect()
}
