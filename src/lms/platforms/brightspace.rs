//! Brightspace's folders: one per hand-in, with the full name and a time to the minute; and its
//! grades: `OrgDefinedId` or `Username`, `ITEM Points Grade`, and a last column that says so.
//!
//! The two numbers in a folder's name are in no list of students, so that only the name says who it
//! is. Grades that are sent back are published at once, and need neither names nor addresses, which
//! stay here.

use crate::domain::Key;
use crate::lms::archive::Pattern;
use crate::lms::columns::Columns;
use crate::lms::platform::{Feedback, Platform};

const FILE: &str = r"^(?P<hand_in>[0-9]+-[0-9]+ - (?P<name>[^/]+?) - (?P<time>[^-/]*?\d{1,2}, \d{4} \d{3,4} [AP]M))(?: - |/)(?P<file>.+)$";

const COLUMNS: Columns = Columns {
    needed: &[&["orgdefinedid", "username"], &["end-of-line indicator"]],
    refusal: (
        "the header is not that of Brightspace's grades (OrgDefinedId or Username, ..., End-of-Line Indicator)",
        "export the grades again, with the key \"Both\" and points grades",
    ),
    grade: r"(?s)^(?P<title>.*?) Points Grade(?:.*?MaxPoints:(?P<maximum>[^ >]*))?",
    keys: &[
        (Key::Id, "orgdefinedid"),
        (Key::Login, "username"),
        (Key::Email, "email"),
    ],
    marks: &['#'],
    leaves_out: true,
    sent: &["orgdefinedid", "username", "end-of-line indicator"],
    ..Columns::NONE
};

pub fn platform() -> Platform {
    Platform {
        layout: |table, wanted| COLUMNS.layout(table, wanted),
        feedback,
        ..Platform::new(
            "brightspace",
            "Brightspace",
            &[r"^(?P<own>index\.html)$", FILE],
        )
    }
}

/// The folders that came from there, with their names as they were. Programs that came without a
/// folder have none to go back in.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let folder = Pattern::of_platform(FILE).folder_of(feedback.entry?, [0, 1])?;
    Some(format!("{folder}/{}.html", feedback.problem))
}
