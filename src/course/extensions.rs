//! Extensions: who may hand in later, and until when. A CSV file that an instructor keeps.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use csv::ReaderBuilder;

use super::moment::Moment;
use super::roster::separator;
use crate::domain::Student;
use crate::util::cell;
use crate::util::files::read_regular;
use crate::util::sheet::{OPEN_QUOTE, open_quote};

/// The largest file, in bytes.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The columns that it needs; others are for people.
const COLUMNS: [&str; 3] = ["student", "assignment", "due"];

/// Why extensions cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExtensionsError {
    /// The file cannot be read.
    #[error("{}: {source}; put the extensions there, or change `extensions` in course.toml", .file.display())]
    Read { file: PathBuf, source: io::Error },
    /// Something in it is wrong.
    #[error("{}:{line}: {reason}", .file.display())]
    Content {
        file: PathBuf,
        /// From 1.
        line: u64,
        reason: String,
    },
}

/// Who has another due time: by student, and the name of an assignment or a problem.
#[derive(Debug, Default)]
pub struct Extensions(HashMap<(Student, String), Moment>);

impl Extensions {
    /// Reads a file.
    pub fn load(file: &Path) -> Result<Self, ExtensionsError> {
        let bytes = read_regular(file, BYTES_MAX).map_err(|source| ExtensionsError::Read {
            file: file.to_owned(),
            source,
        })?;
        Self::read(file, &bytes)
    }

    fn read(file: &Path, bytes: &[u8]) -> Result<Self, ExtensionsError> {
        let wrong = |line, reason| ExtensionsError::Content {
            file: file.to_owned(),
            line,
            reason,
        };
        let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        let delimiter = separator(&text);
        if let Some(line) = open_quote(&text, delimiter) {
            return Err(wrong(line, OPEN_QUOTE.to_owned()));
        }
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(bytes);
        let headers = reader
            .headers()
            .map_err(|error| wrong(1, error.to_string()))?
            .clone();
        let mut columns = [0; COLUMNS.len()];
        for (column, name) in columns.iter_mut().zip(COLUMNS) {
            let is_named = |header: &str| header.trim().eq_ignore_ascii_case(name);
            *column = headers.iter().position(is_named).ok_or_else(|| {
                wrong(
                    1,
                    format!("no column is called `{name}`; the first line names the columns"),
                )
            })?;
        }
        let mut extensions = HashMap::new();
        for row in reader.records() {
            let row = row.map_err(|error| {
                let line = error.position().map_or(1, csv::Position::line);
                wrong(line, error.to_string())
            })?;
            let line = row.position().map_or(1, csv::Position::line);
            let [student, assignment, due] =
                columns.map(|column| row.get(column).unwrap_or_default().trim());
            if student.is_empty() && assignment.is_empty() && due.is_empty() {
                continue;
            }
            let student = Student::spelled(cell::read(student))
                .map_err(|error| wrong(line, format!("`student`: {error}")))?;
            let due = Moment::read(due).ok_or_else(|| {
                wrong(line, format!("`due` cannot be {due:?}; write it as in 2026-10-02 23:59, or 2d for two days more"))
            })?;
            let key = (student, assignment.to_owned());
            if extensions.insert(key, due).is_some() {
                let twice = "this student has an extension for the same above; leave one of both";
                return Err(wrong(line, twice.to_owned()));
            }
        }
        Ok(Self(extensions))
    }

    /// Somebody's extension, for a problem before that for its assignment.
    pub fn of(&self, student: &Student, assignment: &str, problem: &str) -> Option<&Moment> {
        let of = |name: &str| self.0.get(&(student.clone(), name.to_owned()));
        of(problem).or_else(|| of(assignment))
    }

    /// The names of assignments and problems that it has, with whose extensions they are.
    pub fn names(&self) -> impl Iterator<Item = (&Student, &str)> {
        self.0
            .keys()
            .map(|(student, name)| (student, name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Extensions;
    use crate::domain::Student;

    fn read(text: &str) -> Result<Extensions, String> {
        Extensions::read(Path::new("extensions.csv"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_student_is_named_as_our_own_files_write_him() {
        let read = read("student,assignment,due\n'-ada,a1,2d\n").unwrap();
        assert!(
            read.of(&Student::new("-ada").unwrap(), "a1", "sum")
                .is_some()
        );
    }

    #[test]
    fn the_narrower_extension_counts() {
        let text = "\u{feff}student;why;assignment;due\nada;ill;a1;2d\nada;;curling;2026-10-09\n";
        let extensions = read(text).unwrap();
        let ada = Student::new("ada").unwrap();
        assert!(extensions.of(&ada, "a1", "regions").is_some());
        assert_ne!(
            format!("{:?}", extensions.of(&ada, "a1", "regions")),
            format!("{:?}", extensions.of(&ada, "a1", "curling"))
        );
        assert!(
            extensions
                .of(&Student::new("bo").unwrap(), "a1", "curling")
                .is_none()
        );
    }

    #[test]
    fn a_mistake_has_its_line() {
        for (text, part) in [
            ("student,assignment\n", "csv:1: no column is called `due`"),
            (
                "student,assignment,due\nada,a1,soon\n",
                "csv:2: `due` cannot be \"soon\"",
            ),
            (
                "student,assignment,due\n,a1,1d\n",
                "csv:2: `student`: the name is empty",
            ),
            (
                "student,assignment,due,why\nada,a1,1d,\"ill\nbo,a1,1d,\n",
                "csv:2: a quote is opened here",
            ),
            (
                "student,assignment,due\nada,a1,1d\nada,a1,2d\n",
                "csv:3: this student has",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
