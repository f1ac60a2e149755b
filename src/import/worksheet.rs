//! Moodle's offline grading worksheet: the one file that says who its participants are, when they
//! handed in, and who is in which group.
//!
//! Its headers are in the site's language, so that columns are found by their places and by what
//! stands in them; names of columns decide only where that says too little.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::claim::{Claim, Reading, Stamp, Who};
use crate::course::{GROUPS, LOGINS, NUMBERS};
use crate::domain::Key;
use crate::util::files::read_regular;
use crate::util::sheet::{BYTES_MAX, Row, Sheet, SheetError};

/// `Participant 657737`, in any language.
static IDENTIFIER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\D*(?P<number>\d+)$").expect("a test compiles it"));
/// What the column of comments is called, in lower case.
const COMMENTS: [&str; 8] = [
    "feedback comments",
    "feedback als kommentar",
    "comentarios de retroalimentación",
    "comentaris de retroacció",
    "comentários de feedback",
    "commentaires de feedback",
    "commenti al feedback",
    "feedbackopmerkingen",
];
/// Why a file is no worksheet.
#[derive(Debug, thiserror::Error)]
pub enum WorksheetError {
    /// It cannot be read.
    #[error("{}: {source}", .file.display())]
    Read {
        file: PathBuf,
        source: std::io::Error,
    },
    /// It is no table.
    #[error("{}: {source}", .file.display())]
    Sheet { file: PathBuf, source: SheetError },
    /// It is another table.
    #[error("{}:{line}: {reason}; download the grading worksheet of the assignment again", .file.display())]
    Strange {
        file: PathBuf,
        line: u64,
        reason: String,
    },
}

/// Where its columns are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The grade that is to be filled in.
    pub grade: usize,
    /// The highest grade, or the words of a scale.
    pub maximum: usize,
    /// The full name; there is none where the marking is blind.
    pub name: Option<usize>,
    /// When it was handed in.
    pub handed_in: Option<usize>,
    /// When it was graded; Moodle skips a grade that is newer than this.
    pub graded: Option<usize>,
    /// Comments, where the assignment has them.
    pub comments: Option<usize>,
    group: Option<usize>,
    keys: Vec<(usize, Key)>,
}

/// A worksheet that was read.
#[derive(Debug, Clone)]
pub struct Worksheet {
    /// The table itself.
    pub sheet: Sheet,
    /// Where its columns are.
    pub columns: Columns,
}

/// A row of a participant.
#[derive(Debug, Clone, Copy)]
pub struct Participant<'a> {
    /// Which row of the table it is.
    pub row: usize,
    /// The participant's number in this assignment.
    pub number: &'a str,
    cells: &'a Row,
    columns: &'a Columns,
}

impl Worksheet {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, WorksheetError> {
        let file = || path.to_owned();
        let bytes = read_regular(path, BYTES_MAX).map_err(|source| WorksheetError::Read {
            file: file(),
            source,
        })?;
        let sheet = Sheet::read(&bytes).map_err(|source| WorksheetError::Sheet {
            file: file(),
            source,
        })?;
        Self::of(sheet).map_err(|(line, reason)| WorksheetError::Strange {
            file: file(),
            line,
            reason,
        })
    }

    /// The worksheet that a table is, or in which line it is something else.
    pub fn of(sheet: Sheet) -> Result<Self, (u64, String)> {
        let columns = columns(&sheet)?;
        Ok(Self { sheet, columns })
    }

    /// Everybody in it.
    pub fn participants(&self) -> impl Iterator<Item = Participant<'_>> {
        let rows = self.sheet.rows().iter().enumerate().skip(1);
        rows.filter_map(|(row, cells)| {
            let number = IDENTIFIER.captures(cells.get(0).trim())?;
            Some(Participant {
                row,
                number: number.name("number")?.as_str(),
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
        let number = who.keys.iter().find(|(key, _)| *key == Key::Moodle);
        let Some((_, number)) = number else {
            return;
        };
        // A team's folder has the number of the group, which may be a participant's as well.
        let members: Vec<Participant<'_>> = self
            .participants()
            .filter(|one| !name.is_empty() && one.group() == Some(name))
            .collect();
        let found = if members.is_empty() {
            self.participants()
                .filter(|one| one.number == number)
                .collect()
        } else {
            members
        };
        if let Some(first) = found.first() {
            claim.time = first.handed_in().or(claim.time);
            claim.who = found.iter().map(Participant::who).collect();
        }
    }
}

impl<'a> Participant<'a> {
    /// Who it is.
    pub fn who(&self) -> Who {
        let keys = self.columns.keys.iter();
        let keys = keys.map(|(column, key)| (*key, self.cells.get(*column).trim().to_owned()));
        let mut keys: Vec<(Key, String)> = keys.filter(|(_, value)| !value.is_empty()).collect();
        keys.push((Key::Moodle, self.number.to_owned()));
        Who {
            keys,
            name: self.name().map(str::to_owned),
        }
    }

    /// The full name.
    pub fn name(&self) -> Option<&'a str> {
        self.text(self.columns.name)
    }

    /// The line of the file.
    pub fn line(&self) -> u64 {
        self.cells.line
    }

    /// What stands in a column; `None` where there is no such column, or nothing in it.
    pub fn text(&self, column: Option<usize>) -> Option<&'a str> {
        let text = self.cells.get(column?).trim();
        (!text.is_empty() && text != "-").then_some(text)
    }

    fn group(&self) -> Option<&'a str> {
        self.text(self.columns.group)
    }

    fn handed_in(&self) -> Option<Stamp> {
        Stamp::read_words(self.text(self.columns.handed_in)?)
    }
}

/// Finds the columns, or says in which line something else stands.
fn columns(sheet: &Sheet) -> Result<Columns, (u64, String)> {
    let mut rows = sheet.rows().iter();
    let header = rows.next().ok_or((1, "it is empty".to_owned()))?;
    let rows: Vec<&Row> = rows.filter(|row| !row.is_empty()).collect();
    if rows.is_empty() {
        return Err((1, "nobody is in it".to_owned()));
    }
    if let Some(strange) = rows
        .iter()
        .find(|row| !IDENTIFIER.is_match(row.get(0).trim()))
    {
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
        return Err((
            1,
            "no column is a maximum that all rows share, after a grade".to_owned(),
        ));
    };
    let fold = |column: usize| header.get(column).trim().to_lowercase();
    let named = |names: &[&str], columns: Range<usize>| {
        columns
            .into_iter()
            .find(|&column| names.contains(&fold(column).as_str()))
    };
    // `Last modified (submission)` and `Last modified (grade)`: the grade's is the last of them.
    let dated: Vec<usize> = (maximum + 1..header.len())
        .filter(|&column| fold(column).ends_with(')') && fold(column).contains('('))
        .collect();
    let graded = dated.last().copied();
    let handed_in = dated.len().checked_sub(2).map(|at| dated[at]);
    let after = graded.map_or(header.len(), |graded| graded + 1);
    let only = (after + 1 == header.len()).then_some(after);
    let keys = keys(header, &rows, 2..maximum - 1);
    // With blind marking the status follows the number, and is the same for many.
    let distinct: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.get(1)).collect();
    let has_names = !keys.is_empty() || distinct.len() * 2 > rows.len();
    Ok(Columns {
        grade: maximum - 1,
        maximum,
        name: (maximum > 2 && has_names).then_some(1),
        handed_in,
        graded,
        comments: named(&COMMENTS, after..header.len()).or(only),
        group: named(&GROUPS, 2..maximum - 1),
        keys,
    })
}

/// The columns between the name and the grade that say who somebody is, the surest first.
fn keys(header: &Row, rows: &[&Row], mut columns: Range<usize>) -> Vec<(usize, Key)> {
    let named = |names: &[&str]| {
        let fold = |column: usize| header.get(column).trim().to_lowercase();
        let mut columns = columns.clone();
        columns.find(|&column| names.contains(&fold(column).as_str()))
    };
    let (login, number) = (named(&LOGINS), named(&NUMBERS));
    let is_mail = |text: &str| text.contains('@') && !text.contains(' ');
    let mail = columns.find(|&column| {
        let filled = rows.iter().map(|row| row.get(column));
        let filled: Vec<&str> = filled.filter(|text| !text.is_empty()).collect();
        !filled.is_empty() && filled.into_iter().all(is_mail)
    });
    let keys = [(login, Key::Login), (mail, Key::Email), (number, Key::Id)];
    keys.into_iter()
        .filter_map(|(column, key)| Some((column?, key)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Columns, Worksheet};
    use crate::domain::Key;

    fn read(text: &str) -> Result<Columns, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("w.csv");
        std::fs::write(&file, text).unwrap();
        let read = Worksheet::load(&file).map_err(|error| error.to_string())?;
        Ok(read.columns)
    }

    #[test]
    fn columns_are_found_in_any_language() {
        let english = "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments\nParticipant 17,Ada,a@x.edu,Submitted,,10.00,Yes,-,-,\nParticipant 18,Bo,b@x.edu,Submitted,7.5,10.00,Yes,-,-,\n";
        let spanish = "Identificador,Nombre completo,Dirección de correo,Estado,Calificación,Calificación máxima,La calificación puede ser cambiada,Última modificación (entrega),Última modificación (calificación),Comentarios de retroalimentación\nParticipante17,Ada,a@x.edu,Enviado,\"7,50\",\"10,00\",Sí,-,-,\n";
        for text in [english, spanish] {
            let found = read(text).unwrap();
            let expected = Columns {
                grade: 4,
                maximum: 5,
                name: Some(1),
                handed_in: Some(7),
                graded: Some(8),
                comments: Some(9),
                group: None,
                keys: vec![(2, Key::Email)],
            };
            assert_eq!(found, expected, "{text}");
        }
        let long = "Identifier,Full name,ID number,Username,Status,Group,Grade,Maximum Grade,Grade can be changed,Online text,Last modified (grade)\nParticipant 17,Ada,4711,ada,x,Blue,,10,Yes,<p>,-\n";
        let found = read(long).unwrap();
        assert_eq!(
            (found.grade, found.graded, found.comments),
            (6, Some(10), None)
        );
        assert_eq!((found.group, found.handed_in), (Some(5), None));
        assert_eq!(found.keys, [(3, Key::Login), (2, Key::Id)]);
        let blind = "Identifier,Status,Grade,Maximum Grade,Grade can be changed,Last modified (grade)\nParticipant 17,Submitted,,10,Yes,-\nParticipant 18,Submitted,,10,Yes,-\n";
        let found = read(blind).unwrap();
        assert_eq!((found.name, found.grade), (None, 2));
    }

    #[test]
    fn another_table_is_refused_with_its_line() {
        for (text, part) in [
            ("", ":1: it is empty"),
            ("Identifier,Grade,Maximum\n", ":1: nobody is in it"),
            (
                "Student,ID,Section,A\nDoe,1,x,\n",
                ":2: \"Doe\" is not a participant's number",
            ),
            ("a,b,c\nP 1,x,y\nP 2,x,z\n", ":1: no column is a maximum"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
