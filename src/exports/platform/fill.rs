//! Filling a column of a platform's file, whatever platform it is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::feedback::Feedback;
use super::marks::Marks;
use crate::course::Points;
use crate::domain::Student;
use crate::import::{Found, Who, WorksheetError};
use crate::util::sheet::{Sheet, SheetError};

/// Names that an error lists.
pub const LISTED_MAX: usize = 8;

/// Why a file cannot be filled.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// It is no table.
    #[error("{}: {source}", .file.display())]
    Sheet { file: PathBuf, source: SheetError },
    /// It is not Moodle's.
    #[error(transparent)]
    Worksheet(#[from] WorksheetError),
    /// Something in it cannot be filled.
    #[error("{}:{line}: {reason}; {help}", .file.display())]
    Content {
        file: PathBuf,
        line: u64,
        reason: String,
        help: String,
    },
}

/// A platform that takes grades back.
#[derive(Debug)]
pub struct Platform {
    /// What the command calls it.
    pub id: &'static str,
    /// Where things are in its file.
    pub layout: fn(&Sheet, &Wanted<'_>) -> Result<Layout, Wrong>,
    /// The file of a zip in which a student's report for a problem goes back; `None` where the
    /// platform takes none.
    pub feedback: fn(&Feedback<'_>) -> Option<String>,
    /// What the filled file is called in that zip, in the outermost folder of the reports; `None`
    /// where it goes back on its own.
    pub table: Option<&'static str>,
}

/// What a person asks for.
pub struct Wanted<'a> {
    /// The column that is filled.
    pub column: Option<&'a str>,
    /// The column of comments, where its header is in a language that is not known here.
    pub comments: Option<&'a str>,
}

/// Something that a file has otherwise than its platform writes it.
pub struct Wrong {
    pub line: u64,
    pub reason: String,
    pub help: String,
}

impl Wrong {
    pub fn new(line: u64, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            line,
            reason: reason.into(),
            help: help.into(),
        }
    }
}

/// Where things are in a file.
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
    pub line: u64,
    pub who: Who,
    /// The most that the platform takes.
    pub maximum: Option<Points>,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    pub comma: bool,
    /// Two decimals always.
    pub fixed: bool,
}

impl Numbers {
    fn write(self, points: Points) -> String {
        let mut text = points.to_string();
        if self.fixed {
            let decimals = text
                .split_once('.')
                .map_or(0, |(_, decimals)| decimals.len());
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

/// A file that was filled.
#[derive(Debug)]
pub struct Filled {
    /// The file as it goes back.
    pub bytes: Vec<u8>,
    /// Who got a grade, and who it is to the platform.
    pub graded: Vec<(Student, Who)>,
    /// Students in it who have nothing judged.
    pub unjudged: Vec<Student>,
    /// Rows of nobody whom the course knows: the line, and the name in it.
    pub strangers: Vec<(u64, String)>,
    /// Students with a grade for whom the file has no row.
    pub left_out: Vec<Student>,
}

/// Fills a platform's file.
pub fn fill(
    platform: &Platform,
    file: &Path,
    bytes: &[u8],
    wanted: &Wanted<'_>,
    marks: &Marks,
) -> Result<Filled, FillError> {
    let sheet = Sheet::read(bytes).map_err(|source| FillError::Sheet {
        file: file.to_owned(),
        source,
    })?;
    let filled = (platform.layout)(&sheet, wanted).and_then(|layout| filled(sheet, &layout, marks));
    filled.map_err(|wrong| FillError::Content {
        file: file.to_owned(),
        line: wrong.line,
        reason: wrong.reason,
        help: wrong.help,
    })
}

fn filled(mut sheet: Sheet, layout: &Layout, marks: &Marks) -> Result<Filled, Wrong> {
    let mut lines: HashMap<&Student, u64> = HashMap::new();
    let mut filled = Filled {
        bytes: Vec::new(),
        graded: Vec::new(),
        unjudged: Vec::new(),
        strangers: Vec::new(),
        left_out: Vec::new(),
    };
    for row in &layout.rows {
        let found = found(row, marks)?;
        let marked = found.as_ref().and_then(|student| marks.of_student(student));
        let Some((student, mark)) = marked else {
            match found {
                Some(student) => filled.unjudged.push(student),
                None => filled.strangers.push((row.line, shown(&row.who))),
            }
            if layout.leaves_out {
                sheet.leave_out(row.index);
            }
            continue;
        };
        if let Some(first) = lines.insert(student, row.line) {
            return Err(Wrong::new(
                row.line,
                format!("this is {student}, and so is line {first}"),
                "say with the roster's columns who is who",
            ));
        }
        if row.maximum.is_some_and(|maximum| mark.points > maximum) {
            let maximum = row.maximum.unwrap_or_default();
            return Err(Wrong::new(
                row.line,
                format!(
                    "{student} has {} points, and the maximum here is {maximum}",
                    mark.points
                ),
                "raise the maximum on the platform, or change the points in course.toml",
            ));
        }
        let grade = layout.numbers.write(mark.points);
        let beside = layout.beside.iter().filter(|((at, _), _)| *at == row.index);
        let beside = beside.map(|((_, column), text)| (*column, text.as_str()));
        let comment = layout
            .comments
            .map(|column| (column, mark.comment.as_str()));
        let cells = [(layout.grade, grade.as_str())].into_iter().chain(comment);
        for (column, text) in cells.chain(beside) {
            if !sheet.fill(row.index, column, text) {
                return Err(Wrong::new(
                    row.line,
                    format!("the row has fewer than {} columns", column + 1),
                    "export the file again",
                ));
            }
        }
        filled.graded.push((student.clone(), row.who.clone()));
    }
    for row in &layout.nobody {
        sheet.leave_out(*row);
    }
    if !layout.columns.is_empty() {
        sheet.keep_columns(layout.columns.iter().copied());
    }
    filled.bytes = sheet.to_bytes();
    let missing = marks.students().filter(|one| !lines.contains_key(one));
    filled.left_out = missing.cloned().collect();
    Ok(filled)
}

/// Whose a row is. A row that may be several students' is a mistake as soon as one of them has a
/// grade.
fn found(row: &Row, marks: &Marks) -> Result<Option<Student>, Wrong> {
    match marks.people.find(&row.who) {
        Found::One(student) => Ok(Some(student)),
        Found::Nobody | Found::Team(_) => Ok(None),
        Found::Several(students) => {
            if students
                .iter()
                .all(|student| marks.of_student(student).is_none())
            {
                return Ok(None);
            }
            let names: Vec<&str> = students
                .iter()
                .take(LISTED_MAX)
                .map(Student::as_str)
                .collect();
            Err(Wrong::new(
                row.line,
                format!("{} may be any of {}", shown(&row.who), names.join(", ")),
                "write the platform's key of each into a column of the roster",
            ))
        }
    }
}

fn shown(who: &Who) -> String {
    let key = who.keys.first().map(|(_, value)| value.as_str());
    let name = who.name.as_deref().or(key).unwrap_or("?");
    crate::util::excerpt::visible_line(name)
}
