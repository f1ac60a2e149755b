//! Moodle's "Download all submissions" (`mod_assign`), in folders or flat, and its offline grading
//! worksheet: the one file that says who an assignment's participants are, when they handed in, and
//! who is in which group, and in which grades go back.
//!
//! The number in a name is that of a participant in this one assignment: neither the user's nor the
//! student's number. Source: `mod/assign/classes/downloader.php` of Moodle 3.1 to 5.
//!
//! The worksheet's headers are in the site's language, so that columns are found by their places
//! and by what stands in them; names of columns decide only where that says too little.
//!
//! Its importer (`mod/assign/feedback/offline`) skips rows without a grade, and takes a comment
//! also where the grade is unchanged: cells of others stay as they came. It skips a grade that was
//! changed later than "Last modified (grade)" says, and reads that date as PHP does, in English
//! only: in another language every second upload would be skipped, so that there the same moment is
//! written as a number.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use crate::course::is_called;
use crate::domain::{Complaint, Key};
use crate::lms::archive::Archive;
use crate::lms::claim::{Claim, Reading, Stamp, Who, is_english};
use crate::lms::columns::{Choice, Layout, Numbers, Row, Wanted, choose, points};
use crate::lms::platform::{Feedback, Platform};
use crate::util::sheet::SheetRow as Cells;
use crate::util::table::Table;

/// What to do with a file that is not a worksheet.
const HELP: &str = "download the grading worksheet of the assignment again";

pub fn platform() -> Platform {
    // The first part of a path that can be a participant's decides: what follows is the student's
    // own, and may be named like somebody else's folder.
    let files = [
        r"^(?:[^/]*/)*?(?P<hand_in>(?P<name>[^/]*?)(?:_(?P<moodle>[0-9]+))?)_assignsubmission_[a-z0-9]+(?:_?/|_)(?P<file>.+)$",
    ];
    Platform {
        complete,
        layout,
        feedback,
        ..Platform::new("moodle", "Moodle", &files)
    }
}

fn complete(_: &mut Archive<'_>, readings: &mut [Reading]) {
    for reading in readings {
        if let Reading::Claim(claim) = reading {
            // Students without a group hand in as `Default group`, in the site's language, without
            // a number.
            claim.who.retain(|who| !who.keys.is_empty());
            for name in claim.who.iter_mut().filter_map(|who| who.name.as_mut()) {
                // Other tools turn the spaces of a name into `_`.
                name.replace('_', " ").trim().clone_into(name);
            }
        }
    }
}

/// Where the columns of a worksheet are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Columns {
    /// The grade that is to be filled in.
    grade: usize,
    /// The highest grade, or the words of a scale.
    maximum: usize,
    /// The full name; there is none where the marking is blind.
    name: Option<usize>,
    /// When it was handed in.
    handed_in: Option<usize>,
    /// When it was graded; Moodle skips a grade that is newer than this.
    graded: Option<usize>,
    /// Comments, where the assignment has them.
    comments: Option<usize>,
    group: Option<usize>,
    keys: Vec<(usize, Key)>,
}

/// A worksheet that was read.
#[derive(Debug)]
pub struct Worksheet {
    table: Table,
    columns: Columns,
}

/// A row of a participant.
#[derive(Clone, Copy)]
struct Participant<'a> {
    /// Which row of the table it is.
    row: usize,
    /// The participant's number in this assignment.
    number: &'a str,
    cells: &'a Cells,
    columns: &'a Columns,
}

impl Worksheet {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, Complaint> {
        Self::of(Table::of_platform(path, HELP)?)
    }

    fn of(table: Table) -> Result<Self, Complaint> {
        let columns = columns(&table).map_err(|(line, reason)| table.wrong(line, reason, HELP))?;
        Ok(Self { table, columns })
    }

    /// Everybody in it.
    fn participants(&self) -> impl Iterator<Item = Participant<'_>> {
        self.table.rows().filter_map(|(row, cells)| {
            Some(Participant {
                row,
                number: number(cells)?,
                cells,
                columns: &self.columns,
            })
        })
    }

    /// Says of each entry whose it is and when it was handed in, where the archive's names say only
    /// a number.
    pub fn complete(&self, readings: &mut [Reading]) {
        for reading in readings {
            if let Reading::Claim(claim) = reading {
                self.complete_one(claim);
            }
        }
    }

    fn complete_one(&self, claim: &mut Claim) {
        let Some(who) = claim.who.first() else {
            return;
        };
        let name = who.name.as_deref().unwrap_or_default();
        let Some(number) = who.value(Key::Moodle) else {
            return;
        };
        // A team's folder has the number of the group, which may be a participant's as well.
        let mut found: Vec<Participant<'_>> = self
            .participants()
            .filter(|one| !name.is_empty() && one.text(one.columns.group) == Some(name))
            .collect();
        if found.is_empty() {
            let all = self.participants();
            found = all.filter(|one| one.number == number).collect();
        }
        if let Some(first) = found.first() {
            let handed_in = first.text(first.columns.handed_in);
            claim.time = handed_in.and_then(Stamp::read_words).or(claim.time);
            claim.who = found.iter().map(Participant::who).collect();
        }
    }
}

impl<'a> Participant<'a> {
    fn who(&self) -> Who {
        let keys = self.columns.keys.iter();
        let keys = keys.map(|(column, key)| (*key, self.cells.get(*column).trim().to_owned()));
        let mut keys: Vec<(Key, String)> = keys.filter(|(_, value)| !value.is_empty()).collect();
        keys.push((Key::Moodle, self.number.to_owned()));
        Who {
            keys,
            name: self.text(self.columns.name).map(str::to_owned),
        }
    }

    /// What stands in a column; `None` where there is no such column, or nothing in it.
    fn text(&self, column: Option<usize>) -> Option<&'a str> {
        let text = self.cells.get(column?).trim();
        (!text.is_empty() && text != "-").then_some(text)
    }
}

/// The number of `Participant 657737`, in any language.
fn number(cells: &Cells) -> Option<&str> {
    let text = cells.get(0).trim();
    let number = &text[text.find(char::is_numeric)?..];
    number.chars().all(char::is_numeric).then_some(number)
}

/// Finds the columns, or says in which line something else stands.
fn columns(table: &Table) -> Result<Columns, (usize, String)> {
    let header = table.header();
    let rows: Vec<&Cells> = table.rows().map(|(_, row)| row).collect();
    if rows.is_empty() {
        return Err((1, "nobody is in it".to_owned()));
    }
    if let Some(strange) = rows.iter().find(|row| number(row).is_none()) {
        let reason = format!("{:?} is not a participant's number", strange.get(0));
        return Err((strange.line, reason));
    }
    let is_number = |text: &str| text.trim().replace(',', ".").parse::<f64>().is_ok();
    let is_grade = |text: &str| text.trim().is_empty() || text.trim() == "-" || is_number(text);
    let constant = |column: usize| {
        let first = rows[0].get(column);
        !first.trim().is_empty() && rows.iter().all(|row| row.get(column) == first)
    };
    // The maximum is the same in every row, and right before it stands the grade.
    let maximum = (2..header.len()).find(|&column| {
        let numbers = is_number(rows[0].get(column));
        constant(column) && numbers && rows.iter().all(|row| is_grade(row.get(column - 1)))
    });
    let Some(maximum) = maximum else {
        let reason = "no column is a maximum that all rows share, after a grade";
        return Err((1, reason.to_owned()));
    };
    // `Last modified (submission)` and `Last modified (grade)`: the grade's is the last of them.
    let dated: Vec<usize> = (maximum + 1..header.len())
        .filter(|&column| {
            let name = header.get(column).trim();
            name.ends_with(')') && name.contains('(')
        })
        .collect();
    let graded = dated.last().copied();
    let after = graded.map_or(header.len(), |graded| graded + 1);
    let only = (after + 1 == header.len()).then_some(after);
    let between = 2..maximum - 1;
    let keys = keys(header, &rows, &between);
    // With blind marking the status follows the number, and is the same for many.
    let distinct: BTreeSet<&str> = rows.iter().map(|row| row.get(1)).collect();
    let has_names = !keys.is_empty() || distinct.len() * 2 > rows.len();
    Ok(Columns {
        grade: maximum - 1,
        maximum,
        name: (maximum > 2 && has_names).then_some(1),
        handed_in: dated.len().checked_sub(2).map(|at| dated[at]),
        graded,
        comments: called(header, "comments", after..header.len()).or(only),
        group: called(header, "group", between),
        keys,
    })
}

/// The first of these columns that is called so.
fn called(header: &Cells, what: &str, mut columns: Range<usize>) -> Option<usize> {
    columns.find(|&column| is_called(what, header.get(column)))
}

/// The columns between the name and the grade that say who somebody is, the surest first.
fn keys(header: &Cells, rows: &[&Cells], columns: &Range<usize>) -> Vec<(usize, Key)> {
    let is_mail = |text: &str| text.contains('@') && !text.contains(' ');
    let mail = columns.clone().find(|&column| {
        let filled = rows.iter().map(|row| row.get(column));
        let mut filled = filled.filter(|text| !text.is_empty()).peekable();
        filled.peek().is_some() && filled.all(is_mail)
    });
    let keys = [
        (called(header, "login", columns.clone()), Key::Login),
        (mail, Key::Email),
        (called(header, "id", columns.clone()), Key::Id),
    ];
    keys.into_iter()
        .filter_map(|(column, key)| Some((column?, key)))
        .collect()
}

fn layout(table: &Table, wanted: &Wanted<'_>) -> Result<Layout, Complaint> {
    let worksheet = Worksheet::of(table.clone())?;
    let header = table.header();
    let columns = &worksheet.columns;
    let choices = header.iter().enumerate();
    let choices: Vec<Choice<'_>> = choices.map(|(at, cell)| Choice::whole(at, cell)).collect();
    let chosen = |name: Option<&str>| {
        let found = name.map(|name| choose(table, &choices, name)).transpose();
        found.map(|found| found.map(|one| one.column))
    };
    if chosen(wanted.column)?.is_some_and(|column| column != columns.grade) {
        let reason = format!("the grade's column is {:?}", header.get(columns.grade));
        return Err(table.wrong(header.line, reason, "leave --column out"));
    }
    let comments = chosen(wanted.comments)?;
    let mut beside = HashMap::new();
    let mut rows = Vec::new();
    let mut comma = false;
    for one in worksheet.participants() {
        let maximum = one.text(Some(columns.maximum)).unwrap_or_default();
        comma |= maximum.contains(',');
        rows.push(Row {
            index: one.row,
            line: one.cells.line,
            who: one.who(),
            maximum: points(maximum),
        });
        let date = one.text(columns.graded).and_then(in_numbers);
        if let Some((column, date)) = columns.graded.zip(date) {
            beside.insert((one.row, column), date);
        }
    }
    Ok(Layout {
        grade: columns.grade,
        comments: comments.or(columns.comments),
        rows,
        numbers: Numbers { comma, fixed: true },
        beside,
        ..Layout::default()
    })
}

/// A date in numbers, if it is one in words that PHP does not read.
fn in_numbers(date: &str) -> Option<String> {
    match Stamp::read_words(date).filter(|_| !is_english(date))? {
        Stamp::Local(time) => Some(time.strftime("%Y-%m-%d %H:%M:%S").to_string()),
        Stamp::Instant(_) => None,
    }
}

/// What stands before the first `_` may have none itself; a team's report goes to each member under
/// the member's own number.
fn feedback(feedback: &Feedback<'_>) -> Option<String> {
    let number = feedback.who.value(Key::Moodle)?;
    let problem = feedback.problem;
    Some(format!(
        "Feedback_{number}_assignfeedback_file/{problem}.html"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Columns, Worksheet};
    use crate::domain::Key;

    fn read(text: &str) -> Columns {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("w.csv");
        std::fs::write(&file, text).unwrap();
        Worksheet::load(&file).unwrap().columns
    }

    #[test]
    fn columns_are_found_wherever_they_are() {
        let long = "Identifier,Full name,ID number,Username,Status,Group,Grade,Maximum Grade,Grade can be changed,Online text,Last modified (grade)\nParticipant 17,Ada,4711,ada,x,Blue,,10,Yes,<p>,-\n";
        let found = read(long);
        let expected = Columns {
            grade: 6,
            maximum: 7,
            name: Some(1),
            handed_in: None,
            graded: Some(10),
            comments: None,
            group: Some(5),
            keys: vec![(3, Key::Login), (2, Key::Id)],
        };
        assert_eq!(found, expected);
        let blind = "Identifier,Status,Grade,Maximum Grade,Grade can be changed,Last modified (grade)\nParticipant 17,Submitted,,10,Yes,-\nParticipant 18,Submitted,,10,Yes,-\n";
        let found = read(blind);
        assert_eq!((found.name, found.grade), (None, 2));
    }
}
