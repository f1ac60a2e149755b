//! What `status` says of the course: who is not on its roster, and what is not judged now.

use serde_json::{Value, json};

use crate::config::Config;
use crate::daemon;
use crate::exports::CourseSource;
use crate::overview::{Grading, Held, HeldCounts};
use crate::store::{Reader, StoreError};
use crate::util::words::listed;

/// Students who are looked at.
const STUDENTS_MAX: u32 = 100_000;
/// Names in one line.
const LISTED_MAX: usize = 30;

/// The course as its files say.
pub fn grading(config: &Config) -> Grading {
    // `complaints` names the mistakes in them.
    daemon::load_grading(&CourseSource::of(config), &Grading::default()).0
}

/// Who has handed in something and does not count until they are on the roster.
pub fn strangers(grading: &Grading, reader: &Reader) -> Result<Vec<String>, StoreError> {
    let students = reader.students(STUDENTS_MAX)?.into_iter();
    let strangers = students.filter(|student| grading.is_stranger(student));
    Ok(strangers.map(|student| student.to_string()).collect())
}

/// The same for people.
pub fn strangers_line(strangers: &[String]) -> String {
    let names = listed(strangers.iter().map(String::as_str), LISTED_MAX);
    format!(
        "{names}: judged, but on no projector and in no grade book until the roster has the name, or `unknown_students` is \"accept\""
    )
}

/// What is not judged by itself now, for programs.
pub fn held(counts: &HeldCounts) -> Vec<Value> {
    let counts = counts.iter();
    let objects = counts.map(|((problem, held), count)| {
        let opens = match held {
            Held::Until(opens) => opens.map(|opens| opens.to_string()),
            Held::Closed => None,
        };
        json!({
            "problem": problem.as_str(), "submissions": count,
            "closed": *held == Held::Closed, "opens": opens,
        })
    });
    objects.collect()
}
