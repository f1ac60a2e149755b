//! Sakai's "Download all": a folder per student, with a time in UTC beside what was handed in, and
//! `grades.csv`: a line with the assignment's name, an empty one, then the students by `ID`. Upload
//! takes back the tree that the download was, with that file in it.

use std::collections::HashMap;

use crate::domain::Key;
use crate::lms::archive::{Archive, Pattern};
use crate::lms::claim::{Reading, Stamp};
use crate::lms::columns::Columns;
use crate::lms::platform::{Feedback, Platform};

/// The folder of what was handed in has a name in the site's language.
const FILE: &str =
    r"^(?P<hand_in>(?P<name>[^,/]*, ?[^/]*)\((?P<login>[^()/]+)\))/[^/]+/(?P<file>.+)$";
/// What Sakai itself puts beside a hand-in.
const OWN: &str = r"^(?P<own>grades\.(?:csv|xls)|[^,/]*, ?[^/]*\([^()/]+\)/(?:timestamp\.txt|comments\.txt|feedbackText\.html|[^/]*_submissionText\.html|Feedback Attachment[^/]*/.+))$";

const COLUMNS: Columns = Columns {
    needed: &[&["display id"], &["id"]],
    refusal: (
        "no header of Sakai's grades is in the first lines (Display ID, ID, Last Name, First Name, grade)",
        "download all submissions again, with the grade file",
    ),
    grade: r"^\s*(?P<title>(?i:grade))\s*$",
    usual: "grade",
    keys: &[(Key::Login, "display id"), (Key::Login, "id")],
    ..Columns::NONE
};

pub fn platform() -> Platform {
    Platform {
        complete,
        layout: |table, wanted| COLUMNS.layout(table, wanted),
        feedback,
        table: Some("grades.csv"),
        ..Platform::new("sakai", "Sakai", &[OWN, FILE])
    }
}

fn complete(archive: &mut Archive<'_>, readings: &mut [Reading]) {
    let mut times: HashMap<String, Option<Stamp>> = HashMap::new();
    for reading in readings {
        if let Reading::Claim(claim) = reading {
            let time = times.entry(claim.hand_in.clone()).or_insert_with(|| {
                let text = archive.text(&format!("{}/timestamp.txt", claim.hand_in))?;
                Stamp::read(&text)?.in_utc()
            });
            claim.time = *time;
        }
    }
}

/// In the folder that came from there, whose name is in no other file exactly. A folder around all
/// of them is called like the assignment, which may end in brackets too.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let folder = Pattern::of_platform(FILE).folder_of(feedback.entry?, [1, 0])?;
    let problem = feedback.problem;
    Some(format!("{folder}/Feedback Attachment(s)/{problem}.html"))
}
