//! Brightspace's grades: `OrgDefinedId` or `Username`, `ITEM Points Grade`, and a last column that
//! says so.
//!
//! What is sent back is published at once, and needs neither names nor addresses, which stay here.

use std::collections::HashMap;

use super::column;
use super::feedback::Feedback;
use super::fill::{Layout, Numbers, Platform, Row, Wanted, Wrong};
use crate::domain::Key;
use crate::import::Who;
use crate::util::sheet::{Sheet, unwrapped};

pub const PLATFORM: Platform = Platform {
    id: "brightspace",
    layout,
    feedback,
    table: None,
};

/// What the header of a grade has after the item's name, and what may follow in it.
const GRADE: &str = " Points Grade";
const MAXIMUM: &str = "MaxPoints:";
const END: &str = "end-of-line indicator";

fn layout(sheet: &Sheet, wanted: &Wanted<'_>) -> Result<Layout, Wrong> {
    let header = sheet.rows().first();
    let at = |names: &[&str]| header.and_then(|header| column::named(header, names));
    let (id, login, end) = (at(&["orgdefinedid"]), at(&["username"]), at(&[END]));
    let (Some(header), Some(end), true) = (header, end, id.or(login).is_some()) else {
        return Err(Wrong::new(
            1,
            "the header is not that of Brightspace's grades (OrgDefinedId or Username, ..., End-of-Line Indicator)",
            "export the grades again, with the key \"Both\" and points grades",
        ));
    };
    let chosen = wanted.column.unwrap_or_default();
    let grade = column::wanted(header, chosen, |cell| cell.contains(GRADE), item_of)?;
    let maximum = header.get(grade).split(MAXIMUM).nth(1);
    let maximum = maximum.and_then(|rest| rest.split([' ', '>']).next());
    let maximum = maximum.and_then(column::points);
    let names = (at(&["last name"]), at(&["first name"]));
    let rows = sheet
        .rows()
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(index, row)| {
            let cell = |at: Option<usize>| {
                unwrapped(at.map_or("", |at| row.get(at))).trim_start_matches('#')
            };
            let keys = [
                (Key::Id, cell(id)),
                (Key::Login, cell(login)),
                (Key::Email, cell(at(&["email"]))),
            ];
            let keys = keys.into_iter().filter(|(_, value)| !value.is_empty());
            let keys: Vec<(Key, String)> =
                keys.map(|(key, value)| (key, value.to_owned())).collect();
            let name = names
                .0
                .zip(names.1)
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
        columns: [id, login, Some(grade), Some(end)]
            .into_iter()
            .flatten()
            .collect(),
        numbers: Numbers {
            comma: sheet.separator() == b';',
            fixed: false,
        },
        nobody: Vec::new(),
        beside: HashMap::new(),
    })
}

/// What stands before the kind of grade.
fn item_of(cell: &str) -> &str {
    cell.split(GRADE).next().unwrap_or_default()
}

/// The folders that came from there, with their names as they were.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let (folder, _) = feedback.entry?.rsplit_once('/')?;
    Some(format!("{folder}/{}.html", feedback.problem))
}
