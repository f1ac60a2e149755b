//! Where things are in a platform's file, found by what its headers say.

use std::collections::HashMap;

use regex::{Captures, Regex};

use super::claim::Who;
use crate::course::Points;
use crate::domain::{Complaint, Key};
use crate::util::excerpt::visible_line;
use crate::util::sheet::{SheetRow as Cells, unwrapped};
use crate::util::table::Table;
use crate::util::words::nearest;

/// Names that an error lists.
pub const LISTED_MAX: usize = 8;
/// Rows among which the header is looked for.
const HEADER_ROWS_MAX: usize = 5;

/// What a person asks for.
pub struct Wanted<'a> {
    /// The column that is filled.
    pub column: Option<&'a str>,
    /// The column of comments, where its header is in a language that is not known here.
    pub comments: Option<&'a str>,
}

/// Where things are in a file.
#[derive(Default)]
pub struct Layout {
    pub grade: usize,
    pub comments: Option<usize>,
    pub rows: Vec<Row>,
    /// Whether the rows of those who have nothing judged are left out.
    pub leaves_out: bool,
    /// The columns that go back; all of them where there is none.
    pub columns: Vec<usize>,
    pub numbers: Numbers,
    /// Rows that look like students' and are nobody's: they do not go back.
    pub nobody: Vec<usize>,
    /// Cells that are filled beside the grade, where a row gets one.
    pub beside: HashMap<(usize, usize), String>,
}

/// A row of somebody.
pub struct Row {
    /// Which row of the table.
    pub index: usize,
    pub line: usize,
    pub who: Who,
    /// The most that the platform takes.
    pub maximum: Option<Points>,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub comma: bool,
    /// Two decimals always.
    pub fixed: bool,
}

impl Numbers {
    pub fn write(self, points: Points) -> String {
        let mut text = points.to_string();
        if self.fixed {
            let decimals = text.split_once('.');
            let decimals = decimals.map_or(0, |(_, decimals)| decimals.len());
            if decimals == 0 {
                text.push('.');
            }
            text.push_str(&"0".repeat(2 - decimals));
        }
        if self.comma {
            text.replace('.', ",")
        } else {
            text
        }
    }
}

/// What a platform's headers are called, in lower case.
pub struct Columns {
    /// The columns that make a row the header: one of each group.
    pub needed: &'static [&'static [&'static str]],
    /// What is wrong with a file without them, and what to do.
    pub refusal: (&'static str, &'static str),
    /// A pattern of the headers that may be filled, with the groups `title` (enough where no other
    /// one has it), `key` (the platform's own) and `maximum`.
    pub grade: &'static str,
    /// The title of the column that is filled where a person names none.
    pub usual: &'static str,
    /// The column that every column that may be filled stands behind.
    pub after: Option<&'static str>,
    /// The columns that say who somebody is, the surest first.
    pub keys: &'static [(Key, &'static str)],
    /// The columns with the parts of the name; the first group of which all are there.
    pub names: &'static [&'static [&'static str]],
    /// What stands before a key, so that spreadsheet programs take it for text.
    pub marks: &'static [char],
    /// Whether the rows of those who have nothing judged are left out.
    pub leaves_out: bool,
    /// The columns that go back beside the grade; all of them where there is none.
    pub sent: &'static [&'static str],
}

impl Columns {
    /// Those of a file that goes back as it is.
    pub const NONE: Self = Self {
        needed: &[],
        refusal: ("", ""),
        grade: "",
        usual: "",
        after: None,
        keys: &[],
        names: &[&["last name", "first name"]],
        marks: &[],
        leaves_out: false,
        sent: &[],
    };

    /// Finds them in a table.
    pub fn layout(&self, table: &Table, wanted: &Wanted<'_>) -> Result<Layout, Complaint> {
        let is_header = |row: &Cells| {
            let mut groups = self.needed.iter();
            groups.all(|group| group.iter().any(|name| named(row, name).is_some()))
        };
        let rows = table.sheet.rows();
        let header = rows.iter().take(HEADER_ROWS_MAX).position(is_header);
        let Some(header) = header else {
            return Err(table.wrong(1, self.refusal.0, self.refusal.1));
        };
        let table = table.with_header(header);
        let at = |name: &&str| named(table.header(), name);
        let after = self.after.as_ref().and_then(at);
        let pattern = Regex::new(self.grade).expect("a test compiles every pattern of the program");
        let choices = table.header().iter().enumerate();
        let choices = choices.filter(|(column, _)| after.is_none_or(|after| *column > after));
        let choices: Vec<Choice<'_>> = choices
            .filter_map(|(column, cell)| Choice::of(column, cell, &pattern.captures(cell)?))
            .collect();
        let chosen = wanted.column.unwrap_or(self.usual);
        let chosen = choose(&table, &choices, chosen)?;
        let mut names = self.names.iter();
        let names = names.find_map(|names| names.iter().map(at).collect::<Option<Vec<usize>>>());
        let keys = self.keys.iter();
        let keys: Vec<(Key, usize)> = keys
            .filter_map(|(key, name)| Some((*key, at(name)?)))
            .collect();
        let who = |row: &Cells| {
            let keys = keys.iter().filter_map(|(key, at)| {
                let value = unwrapped(row.get(*at)).trim_start_matches(self.marks);
                (!value.is_empty()).then(|| (*key, value.to_owned()))
            });
            let parts = |names: &Vec<usize>| {
                let parts: Vec<&str> = names.iter().map(|at| unwrapped(row.get(*at))).collect();
                parts.join(", ")
            };
            Who {
                keys: keys.collect(),
                name: names.as_ref().map(parts),
            }
        };
        let rows = table.rows().map(|(index, row)| Row {
            index,
            line: row.line,
            who: who(row),
            maximum: chosen.maximum,
        });
        let sent = self.sent.iter().filter_map(at);
        Ok(Layout {
            grade: chosen.column,
            rows: rows.filter(|row| !row.who.keys.is_empty()).collect(),
            leaves_out: self.leaves_out,
            columns: match self.sent {
                [] => Vec::new(),
                _ => sent.chain([chosen.column]).collect(),
            },
            // As a spreadsheet program writes them that separates cells so.
            numbers: Numbers {
                comma: table.sheet.separator() == b';',
                fixed: false,
            },
            ..Layout::default()
        })
    }
}

/// The column with this name, in any case.
fn named(header: &Cells, name: &str) -> Option<usize> {
    let mut header = header.iter();
    header.position(|cell| unwrapped(cell).eq_ignore_ascii_case(name))
}

/// A column that may be filled.
pub struct Choice<'h> {
    pub column: usize,
    /// The whole header.
    cell: &'h str,
    title: &'h str,
    key: Option<&'h str>,
    maximum: Option<Points>,
}

impl<'h> Choice<'h> {
    fn of(column: usize, cell: &'h str, found: &Captures<'h>) -> Option<Self> {
        let group = |name| found.name(name).map(|part| part.as_str());
        Some(Self {
            column,
            cell: cell.trim(),
            title: group("title")?.trim(),
            key: group("key"),
            maximum: group("maximum").and_then(points),
        })
    }

    /// A column that is known by its whole header only.
    pub fn whole(column: usize, cell: &'h str) -> Self {
        let cell = cell.trim();
        Self {
            column,
            cell,
            title: cell,
            key: None,
            maximum: None,
        }
    }
}

/// The column that a person means: by the platform's key, by its whole header, or by its title.
pub fn choose<'c, 'h>(
    table: &Table,
    choices: &'c [Choice<'h>],
    wanted: &str,
) -> Result<&'c Choice<'h>, Complaint> {
    let wanted = wanted.trim();
    let is_it = |text: &str| text.eq_ignore_ascii_case(wanted);
    if let Some(found) = choices.iter().find(|one| one.key == Some(wanted)) {
        return Ok(found);
    }
    let mut found: Vec<&Choice<'_>> = choices.iter().filter(|one| is_it(one.cell)).collect();
    if found.is_empty() {
        found = choices.iter().filter(|one| is_it(one.title)).collect();
    }
    let (reason, help) = match found[..] {
        [only] => return Ok(only),
        [] => {
            let names = choices.iter().flat_map(|one| [one.title, one.cell]);
            let hint = nearest(wanted, names)
                .map_or_else(String::new, |meant| format!(" (did you mean {meant:?}?)"));
            let known: Vec<String> = choices
                .iter()
                .take(LISTED_MAX)
                .map(|one| visible_line(one.cell))
                .collect();
            let help = match &known[..] {
                [] => "there is none; make the assignment on the platform and export again".into(),
                known => format!("the columns are {}", known.join(", ")),
            };
            let reason = format!("no column that can be filled is called {wanted:?}{hint}");
            (reason, help)
        }
        _ => (
            format!("several columns are called {wanted:?}"),
            "give the whole header of the one that is meant".to_owned(),
        ),
    };
    Err(table.wrong(table.header().line, reason, &help))
}

/// A number of points as a platform writes it, with either decimal sign.
pub fn points(text: &str) -> Option<Points> {
    let number: f64 = unwrapped(text).replace(',', ".").parse().ok()?;
    Points::from_number(number)
}
