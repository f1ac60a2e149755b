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

/// The folders that came from there, with their names as they were. Programs that came without a
/// folder have none to go back in.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let parts: Vec<&str> = feedback.entry?.split('/').collect();
    let is_hand_in = |part: &&str| {
        let number = part.split(" - ").next().unwrap_or_default();
        let number = number.split_once('-');
        number.is_some_and(|(one, other)| {
            let is_number = |text: &str| text.parse::<u64>().is_ok();
            is_number(one) && is_number(other)
        })
    };
    let at = parts.iter().position(is_hand_in)?;
    let folder = parts
        .get(..=at)
        .filter(|folder| folder.len() < parts.len())?;
    Some(format!("{}/{}.html", folder.join("/"), feedback.problem))
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
                "Lab 1/39-64 - Ada Lovelace - Oct 10, 2025 1022 AM/src/sum.py",
                Some("Lab 1/39-64 - Ada Lovelace - Oct 10, 2025 1022 AM/sum.html"),
            ),
            // All students would share the folder around these.
            (
                "Lab 1/39-64 - Ada Lovelace - Oct 10, 2025 1022 AM - sum.py",
                None,
            ),
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
