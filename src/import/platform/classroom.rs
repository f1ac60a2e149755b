//! GitHub Classroom: what `gh classroom clone student-repos` leaves behind, `SLUG-submissions/`
//! with one repository per student.

use std::collections::HashMap;

use csv::ReaderBuilder;

use super::archive::{Archive, Platform};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "classroom",
    name: "GitHub Classroom",
    read,
};

/// What the folder's name has after the assignment's.
const ENDING: &str = "-submissions";
/// `gh classroom assignment-grades`, put beside the repositories: it knows the times.
const GRADES: &str = "grades.csv";

fn read(archive: &mut Archive<'_>) -> Vec<Reading> {
    let paths: Vec<Option<String>> = archive
        .paths()
        .map(|path| path.map(str::to_owned))
        .collect();
    let Some(slug) = archive
        .outermost()
        .and_then(|name| name.strip_suffix(ENDING))
    else {
        return paths.iter().map(|_| Reading::Strange).collect();
    };
    let slug = slug.to_owned();
    let grades = paths
        .iter()
        .position(|path| path.as_deref() == Some(GRADES));
    let times = grades
        .and_then(|index| archive.text(index))
        .map(|text| times(&text));
    let times = times.unwrap_or_default();
    let reading = |path: &Option<String>| {
        let Some(path) = path.as_deref() else {
            return Reading::Strange;
        };
        let Some((repository, file)) = path.split_once('/') else {
            return if path == GRADES {
                Reading::Own
            } else {
                Reading::Strange
            };
        };
        // The slug is known: user names have hyphens, and `hw1` is how `hw1-bonus` begins. The
        // folder of all repositories may be in the archive too.
        let login = repository.strip_prefix(slug.as_str());
        let login = login.filter(|rest| *rest != ENDING);
        let Some(login) = login.and_then(|rest| rest.strip_prefix('-')) else {
            return Reading::Strange;
        };
        Reading::Claim(Claim {
            who: vec![Who::by(Key::Github, login)],
            file: file.to_owned(),
            time: times.get(login).copied(),
            assignment: Some(slug.clone()),
            hand_in: repository.to_owned(),
            late: false,
        })
    };
    paths.iter().map(reading).collect()
}

/// When each user handed in.
fn times(text: &str) -> HashMap<String, Stamp> {
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let column = |headers: &csv::StringRecord, name: &str| headers.iter().position(|it| it == name);
    let Ok(headers) = reader.headers().cloned() else {
        return HashMap::new();
    };
    let (Some(user), Some(time)) = (
        column(&headers, "github_username"),
        column(&headers, "submission_timestamp"),
    ) else {
        return HashMap::new();
    };
    let rows = reader.records().filter_map(Result::ok);
    rows.filter_map(|row| Some((row.get(user)?.to_owned(), Stamp::read(row.get(time)?)?)))
        .collect()
}
