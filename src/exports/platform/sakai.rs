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
/// Folders around those of students.
const OUTER_MAX: usize = 1;
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

/// In the folder that came from there, whose name is in no other file exactly. A folder around all
/// of them is called like the assignment, which may end in brackets too.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let parts: Vec<&str> = feedback.entry?.split('/').collect();
    let is_student = |part: &&str| part.contains(',') && part.contains('(') && part.ends_with(')');
    let at = parts.iter().take(OUTER_MAX + 1).rposition(is_student);
    let folder = parts[..=at?].join("/");
    Some(format!("{folder}/{FOLDER}/{}.html", feedback.problem))
}

#[cfg(test)]
mod tests {
    use super::{Feedback, feedback};
    use crate::import::Who;
    use crate::util::samples::slug;

    #[test]
    fn a_report_goes_back_in_the_folder_of_its_student() {
        for (entry, expected) in [
            (
                "Lab 1 (sorting)/Lovelace, Ada(ada)/Submission attachment(s)/sum.py",
                Some("Lab 1 (sorting)/Lovelace, Ada(ada)/Feedback Attachment(s)/sum.html"),
            ),
            (
                "Lists, trees (1)/Lovelace, Ada(ada)/Submission attachment(s)/a, b(c)/sum.py",
                Some("Lists, trees (1)/Lovelace, Ada(ada)/Feedback Attachment(s)/sum.html"),
            ),
            (
                "Lovelace, Ada(ada)/Submission attachment(s)/a, b(c)/sum.py",
                Some("Lovelace, Ada(ada)/Feedback Attachment(s)/sum.html"),
            ),
            ("sum.py", None),
        ] {
            let name = feedback(&Feedback {
                who: &Who::default(),
                problem: &slug("sum"),
                entry: Some(entry),
            });
            assert_eq!(name.as_deref(), expected, "{entry}");
        }
    }
}
