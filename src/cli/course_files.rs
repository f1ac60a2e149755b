//! What is wrong with the files that say how the course is graded, for commands that look at them.

use std::collections::BTreeSet;

use crate::config::Config;
use crate::daemon;
use crate::domain::ProblemSlug;
use crate::exports::CourseSource;
use crate::overview::Grading;
use crate::util::nearest::nearest;

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
    let (grading, mut complaints) = daemon::load_grading(&source, &Grading::default());
    let known: BTreeSet<&str> = problems.map(ProblemSlug::as_str).collect();
    for assignment in &grading.rules.terms.assignments {
        let named = assignment.points.keys().map(ProblemSlug::as_str);
        for name in named.filter(|name| !known.contains(name)) {
            let meant = nearest(name, known.iter().copied());
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("add it to {}", config.folders.problems.display()),
            };
            complaints.push(format!(
                "{}: the assignment `{}` has `{name}`, which is no problem here; {help}",
                source.folder.join("course.toml").display(),
                assignment.name
            ));
        }
    }
    complaints
}
