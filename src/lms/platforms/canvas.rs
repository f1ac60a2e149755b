//! Canvas's "Download submissions", one flat folder, and its gradebook.
//!
//! Source: `lib/content_zipper.rb` of `instructure/canvas-lms`. The second number of a file is that
//! of the attachment. When something was handed in stands nowhere, only that it was late.
//!
//! The gradebook's importer (`lib/gradebook_importer.rb`) wants `Student` (or the two parts of the
//! name), `ID` and, last of the students' columns, `Section`. A cell that is empty erases the grade
//! that is there: only rows of students who were judged go back.

use crate::domain::{Complaint, Key};
use crate::lms::columns::{Columns, Layout, Wanted, points};
use crate::lms::platform::Platform;
use crate::util::table::Table;

/// The row of the maximum, among the rows of students.
const POSSIBLE: &str = "Points Possible";
/// What stands in it for a column that nobody may fill.
const READ_ONLY: &str = "(read only)";
const TEST_STUDENT: &str = "Student, Test";

const COLUMNS: Columns = Columns {
    needed: &[&["student", "lastname"], &["id"], &["section"]],
    refusal: (
        "the header is not that of a gradebook of Canvas (Student, ID, ..., Section)",
        "export the gradebook again",
    ),
    grade: r"(?s)^(?P<title>.*?) ?\((?P<key>[0-9]+)\)\s*$",
    after: Some("section"),
    keys: &[
        (Key::Canvas, "id"),
        (Key::Id, "sis user id"),
        (Key::Login, "sis login id"),
    ],
    names: &[&["lastname", "firstname"], &["student"]],
    leaves_out: true,
    ..Columns::NONE
};

/// A file that is sent back is shown under the name of what was handed in, so that a report would
/// pass for a program: none goes back.
pub fn platform() -> Platform {
    let files = [
        // With anonymous grading; tried first, because the others fit these names too.
        r"^(?:(?P<late>LATE)_)?anon_(?P<canvas>[0-9A-Za-z]+)_[0-9]+_(?P<file>[^/]+)$",
        r"^(?P<name>[^/]+?)(?:_(?P<late>(?i:LATE)))?_(?P<canvas>[0-9]+)_[0-9]+_(?P<file>[^/]+)$",
        // Text that was typed into the page, and links.
        r"^(?P<name>[^/]+?)(?:_(?P<late>(?i:LATE)))?_(?P<canvas>[0-9]+)_(?P<file>(?:text|link)\.html)$",
    ];
    Platform {
        layout,
        ..Platform::new("canvas", "Canvas", &files)
    }
}

fn layout(table: &Table, wanted: &Wanted<'_>) -> Result<Layout, Complaint> {
    let mut layout = COLUMNS.layout(table, wanted)?;
    let begins = |index: usize, word: &str| {
        let row = &table.sheet.rows()[index];
        row.get(0).trim().starts_with(word)
    };
    let mut rows = table.rows();
    let mut maximum = None;
    if let Some((_, row)) = rows.find(|(index, _)| begins(*index, POSSIBLE)) {
        if row.get(layout.grade).contains(READ_ONLY) {
            let column = table.header().get(layout.grade);
            let reason = format!("{column:?} is read only in Canvas");
            return Err(table.wrong(row.line, reason, "choose an assignment's column"));
        }
        maximum = points(row.get(layout.grade));
    }
    let all = table.rows().map(|(index, _)| index);
    layout.nobody = all.filter(|index| begins(*index, TEST_STUDENT)).collect();
    layout.rows.retain(|row| {
        let has_number = matches!(row.who.keys[..], [(Key::Canvas, _), ..]);
        has_number && !begins(row.index, TEST_STUDENT)
    });
    for row in &mut layout.rows {
        row.maximum = maximum;
    }
    Ok(layout)
}
