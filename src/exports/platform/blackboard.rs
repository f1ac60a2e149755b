//! Blackboard Learn's "Work offline": tabs in a file called `.xls`, often in UTF-16, or commas.
//!
//! The number behind `|` in a header is the column's key: a column without one would become a new
//! column of text.

use std::collections::HashMap;

use super::column;
use super::feedback::Feedback;
use super::fill::{Layout, Numbers, Platform, Row, Wanted, Wrong};
use crate::domain::Key;
use crate::import::Who;
use crate::util::sheet::{Sheet, unwrapped};

pub const PLATFORM: Platform = Platform {
    id: "blackboard",
    layout,
    feedback: no_feedback,
    table: None,
};

/// What stands before the maximum in `Title [Total Pts: 100 Score] |1271854`.
const MAXIMUM: &str = "[Total Pts: ";

fn layout(sheet: &Sheet, wanted: &Wanted<'_>) -> Result<Layout, Wrong> {
    let header = sheet.rows().first();
    let at = |names: &[&str]| header.and_then(|header| column::named(header, names));
    let (Some(header), Some(login)) = (header, at(&["username"])) else {
        return Err(Wrong::new(
            1,
            "the header is not that of Blackboard's \"Work offline\" (Last Name, First Name, Username, ...)",
            "download the grade book again",
        ));
    };
    let chosen = wanted.column.unwrap_or_default();
    let by_key = header.iter().position(|cell| key_of(cell) == Some(chosen));
    let grade = match by_key {
        Some(column) => column,
        None => column::wanted(header, chosen, |cell| key_of(cell).is_some(), title_of)?,
    };
    let maximum = header.get(grade).split(MAXIMUM).nth(1);
    let maximum = maximum.and_then(|rest| rest.split([' ', ']']).next());
    // `up to` stands before it where the maximum may change.
    let maximum = maximum.and_then(column::points);
    let (last, first, id) = (at(&["last name"]), at(&["first name"]), at(&["student id"]));
    let rows = sheet
        .rows()
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(index, row)| {
            let keys = [(Key::Login, Some(login)), (Key::Id, id)];
            let keys = keys
                .into_iter()
                .filter_map(|(key, at)| Some((key, unwrapped(row.get(at?)))));
            let keys = keys.filter(|(_, value)| !value.is_empty());
            let keys: Vec<(Key, String)> =
                keys.map(|(key, value)| (key, value.to_owned())).collect();
            let name = last
                .zip(first)
                .map(|(last, first)| format!("{}, {}", row.get(last), row.get(first)));
            (!keys.is_empty()).then_some(Row {
                index,
                line: row.line,
                who: Who { keys, name },
                maximum,
            })
        });
    Ok(Layout {
        grade,
        comments: None,
        rows: rows.collect(),
        leaves_out: true,
        columns: Vec::new(),
        numbers: Numbers {
            comma: false,
            fixed: false,
        },
        nobody: Vec::new(),
        beside: HashMap::new(),
    })
}

/// What stands before the bracket.
fn title_of(cell: &str) -> &str {
    cell.split(" [").next().unwrap_or_default()
}

fn key_of(cell: &str) -> Option<&str> {
    let (_, key) = cell.trim().rsplit_once('|')?;
    let is_number = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(key)
}

/// It takes no files back.
fn no_feedback(_: &Feedback<'_>) -> Option<String> {
    None
}
