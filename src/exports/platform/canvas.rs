//! Canvas's gradebook.
//!
//! Its importer (`lib/gradebook_importer.rb`) wants `Student` (or the two parts of the name), `ID`
//! and, last of the students' columns, `Section`. A cell that is empty erases the grade that is
//! there: only rows of students who were judged go back.

use std::collections::HashMap;

use super::column;
use super::feedback::Feedback;
use super::fill::{Layout, Numbers, Platform, Row, Wanted, Wrong};
use crate::course::Points;
use crate::domain::Key;
use crate::import::Who;
use crate::util::sheet::{Row as Cells, Sheet, unwrapped};

pub const PLATFORM: Platform = Platform {
    id: "canvas",
    layout,
    feedback: no_feedback,
    table: None,
};

/// The row of the maximum, among the rows of students.
const POSSIBLE: &str = "Points Possible";
/// What stands in it for a column that nobody may fill.
const READ_ONLY: &str = "(read only)";
const TEST_STUDENT: &str = "Student, Test";

fn layout(sheet: &Sheet, wanted: &Wanted<'_>) -> Result<Layout, Wrong> {
    let header = sheet.rows().first();
    let at = |names: &[&str]| header.and_then(|header| column::named(header, names));
    let name = at(&["student"]).filter(|at| *at == 0);
    let parts = at(&["lastname"]).zip(at(&["firstname"]));
    let (Some(header), Some(id), Some(section), true) = (
        header,
        at(&["id"]),
        at(&["section"]),
        name.is_some() || parts.is_some(),
    ) else {
        return Err(Wrong::new(
            1,
            "the header is not that of a gradebook of Canvas (Student, ID, ..., Section)",
            "export the gradebook again",
        ));
    };
    let is_assignment = |cell: &str| {
        let at = header.iter().position(|one| one == cell);
        at.is_some_and(|at| at > section) && key_of(cell).is_some()
    };
    let chosen = wanted.column.unwrap_or_default();
    let by_key = header
        .iter()
        .position(|cell| is_assignment(cell) && key_of(cell) == Some(chosen));
    let grade = match by_key {
        Some(column) => column,
        None => column::wanted(header, chosen, is_assignment, title_of)?,
    };
    let people = Columns {
        keys: vec![
            (Key::Canvas, Some(id)),
            (Key::Id, at(&["sis user id"])),
            (Key::Login, at(&["sis login id"])),
        ],
        parts,
    };
    let maximum = maximum(sheet, grade)?;
    let (mut rows, mut nobody) = (Vec::new(), Vec::new());
    for (index, row) in sheet.rows().iter().enumerate().skip(1) {
        if row.get(0).trim().starts_with(TEST_STUDENT) {
            nobody.push(index);
        } else if !row.get(id).trim().is_empty() {
            rows.push(Row {
                index,
                line: row.line,
                who: people.who(row),
                maximum,
            });
        }
    }
    Ok(Layout {
        grade,
        comments: None,
        rows,
        leaves_out: true,
        columns: Vec::new(),
        numbers: Numbers {
            comma: sheet.separator() == b';',
            fixed: false,
        },
        nobody,
        beside: HashMap::new(),
    })
}

/// The points of the row that has them; an error for a column that nobody may fill.
fn maximum(sheet: &Sheet, grade: usize) -> Result<Option<Points>, Wrong> {
    let mut rows = sheet.rows().iter().skip(1);
    let Some(row) = rows.find(|row| row.get(0).trim().starts_with(POSSIBLE)) else {
        return Ok(None);
    };
    if row.get(grade).contains(READ_ONLY) {
        let reason = format!("{:?} is read only in Canvas", sheet.rows()[0].get(grade));
        let help = "choose an assignment's column";
        return Err(Wrong::new(row.line, reason, help));
    }
    Ok(column::points(row.get(grade)))
}

/// Where it says who somebody is.
struct Columns {
    keys: Vec<(Key, Option<usize>)>,
    /// Of the family name and the given name, where they stand apart.
    parts: Option<(usize, usize)>,
}

impl Columns {
    fn who(&self, row: &Cells) -> Who {
        let keys = self.keys.iter();
        let keys = keys.filter_map(|(key, at)| Some((*key, unwrapped(row.get((*at)?)))));
        let keys = keys.filter(|(_, value)| !value.is_empty());
        Who {
            keys: keys.map(|(key, value)| (key, value.to_owned())).collect(),
            name: Some(match self.parts {
                Some((last, first)) => format!("{}, {}", row.get(last), row.get(first)),
                None => unwrapped(row.get(0)).to_owned(),
            }),
        }
    }
}

/// The title without its number: enough where no other one has it.
fn title_of(cell: &str) -> &str {
    cell.rsplit_once(" (").map_or("", |(title, _)| title)
}

/// The number in brackets with which the header of an assignment ends.
fn key_of(cell: &str) -> Option<&str> {
    let (_, rest) = cell.trim().rsplit_once('(')?;
    let key = rest.strip_suffix(')')?;
    let is_number = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(key)
}

/// Canvas shows a file that is sent back under the name of what was handed in, so that a report
/// would pass for a program.
fn no_feedback(_: &Feedback<'_>) -> Option<String> {
    None
}
