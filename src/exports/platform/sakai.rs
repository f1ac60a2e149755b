//! Sakai's `grades.csv`: a line with the assignment's name, an empty one, then the students by `ID`.
//! Upload takes back the tree that the download was, with that file in it.

use std::collections::HashMap;

use super::column;
use super::feedback::Feedback;
use super::fill::{Layout, Numbers, Platform, Row, Wanted, Wrong};
use crate::domain::Key;
use crate::import::Who;
use crate::util::sheet::{Sheet, unwrapped};

pub const PLATFORM: Platform = Platform {
    id: "sakai",
    layout,
    feedback,
    table: Some("grades.csv"),
};

/// Rows among which the header is looked for.
const HEADER_ROWS_MAX: usize = 5;
/// The folder of files that go back.
const FOLDER: &str = "Feedback Attachment(s)";

fn layout(sheet: &Sheet, wanted: &Wanted<'_>) -> Result<Layout, Wrong> {
    let mut first = sheet.rows().iter().enumerate().take(HEADER_ROWS_MAX);
    let found = first.find_map(|(index, row)| {
        let display = column::named(row, &["display id"])?;
        Some((index, row, display, column::named(row, &["id"])?))
    });
    let Some((at, header, display, id)) = found else {
        return Err(Wrong::new(
            1,
            "no header of Sakai's grades is in the first lines (Display ID, ID, Last Name, First Name, grade)",
            "download all submissions again, with the grade file",
        ));
    };
    let grade = column::wanted(
        header,
        wanted.column.unwrap_or("grade"),
        |cell| cell.trim().eq_ignore_ascii_case("grade"),
        |cell| cell,
    )?;
    let names = column::named(header, &["last name"]).zip(column::named(header, &["first name"]));
    let rows = sheet
        .rows()
        .iter()
        .enumerate()
        .skip(at + 1)
        .filter_map(|(index, row)| {
            let keys = [
                (Key::Login, unwrapped(row.get(display))),
                (Key::Login, unwrapped(row.get(id))),
            ];
            let keys = keys.into_iter().filter(|(_, value)| !value.is_empty());
            let keys: Vec<(Key, String)> =
                keys.map(|(key, value)| (key, value.to_owned())).collect();
            let name = names.map(|(last, first)| format!("{}, {}", row.get(last), row.get(first)));
            (!keys.is_empty()).then_some(Row {
                index,
                line: row.line,
                who: Who { keys, name },
                maximum: None,
            })
        });
    Ok(Layout {
        grade,
        comments: None,
        rows: rows.collect(),
        leaves_out: false,
        columns: Vec::new(),
        numbers: Numbers {
            comma: sheet.separator() == b';',
            fixed: false,
        },
        nobody: Vec::new(),
        beside: HashMap::new(),
    })
}

/// In the folder that came from there, whose name is in no other file exactly.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let entry = feedback.entry?;
    let end = entry.find(")/")? + 1;
    Some(format!(
        "{}/{FOLDER}/{}.html",
        &entry[..end],
        feedback.problem
    ))
}
