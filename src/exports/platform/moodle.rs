//! Moodle's offline grading worksheet.
//!
//! Its importer (`mod/assign/feedback/offline`) skips rows without a grade, and takes a comment also
//! where the grade is unchanged: cells of others stay as they came. It skips a grade that was changed
//! later than "Last modified (grade)" says, and reads that date as PHP does, in English only: in
//! another language every second upload would be skipped, so that there the same moment is written
//! as a number.

use std::collections::HashMap;

use super::column;
use super::feedback::Feedback;
use super::fill::{Layout, Numbers, Platform, Row, Wanted, Wrong};
use crate::domain::Key;
use crate::import::{Stamp, Worksheet};
use crate::util::sheet::Sheet;

pub const PLATFORM: Platform = Platform {
    id: "moodle",
    layout,
    feedback,
    table: None,
};

/// What PHP reads in a date.
const ENGLISH: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn layout(sheet: &Sheet, wanted: &Wanted<'_>) -> Result<Layout, Wrong> {
    let help = "download the grading worksheet of the assignment again";
    let worksheet = Worksheet::of(sheet.clone());
    let worksheet = worksheet.map_err(|(line, reason)| Wrong::new(line, reason, help))?;
    let header = &sheet.rows()[0];
    let columns = &worksheet.columns;
    if let Some(name) = wanted.column {
        let grade = column::wanted(header, name, |_| true, |cell| cell)?;
        if grade != columns.grade {
            let reason = format!("the grade's column is {:?}", header.get(columns.grade));
            return Err(Wrong::new(header.line, reason, "leave --column out"));
        }
    }
    let comments = wanted
        .comments
        .map(|name| column::wanted(header, name, |_| true, |cell| cell));
    let mut beside = HashMap::new();
    let mut rows = Vec::new();
    let mut comma = false;
    for one in worksheet.participants() {
        let maximum = one.text(Some(columns.maximum)).unwrap_or_default();
        comma |= maximum.contains(',');
        rows.push(Row {
            index: one.row,
            line: one.line(),
            who: one.who(),
            maximum: column::points(maximum),
        });
        if let (Some(column), Some(text)) = (columns.graded, one.text(columns.graded))
            && let Some(date) = in_numbers(text)
        {
            beside.insert((one.row, column), date);
        }
    }
    Ok(Layout {
        grade: columns.grade,
        comments: comments.transpose()?.or(columns.comments),
        rows,
        leaves_out: false,
        columns: Vec::new(),
        numbers: Numbers { comma, fixed: true },
        nobody: Vec::new(),
        beside,
    })
}

/// A date in numbers, if it is one in words that PHP does not read.
fn in_numbers(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if ENGLISH.iter().any(|month| lower.contains(month)) {
        return None;
    }
    match Stamp::read_words(text)? {
        Stamp::Local(time) => Some(time.strftime("%Y-%m-%d %H:%M:%S").to_string()),
        Stamp::Instant(_) => None,
    }
}

/// What stands before the first `_` may have none itself; a team's report goes to each member under
/// the member's own number.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let number = feedback
        .who
        .keys
        .iter()
        .find(|(key, _)| *key == Key::Moodle);
    let (_, number) = number?;
    Some(format!(
        "Feedback_{number}_assignfeedback_file/{}.html",
        feedback.problem
    ))
}
