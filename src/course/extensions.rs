//! Extensions: who may hand in later, and until when. A CSV file that an instructor keeps.

use std::collections::HashMap;
use std::path::Path;

use super::moment::Moment;
use crate::domain::{Complaint, Student};
use crate::util::table::Table;

/// Who has another due time: by student, and the name of an assignment or a problem.
#[derive(Debug, Default)]
pub struct Extensions(HashMap<(Student, String), Moment>);

impl Extensions {
    /// Reads a file.
    pub fn load(file: &Path) -> Result<Self, Complaint> {
        let help = "put the extensions there, or change `extensions` in course.toml";
        Self::from_table(&Table::load(file, help)?)
    }

    fn from_table(table: &Table) -> Result<Self, Complaint> {
        let column = |name| table.column(name, "the first line names the columns");
        let columns = [column("student")?, column("assignment")?, column("due")?];
        let mut extensions = HashMap::new();
        for (_, row) in table.rows() {
            let [student, assignment, due] = columns.map(|column| row.cell(column));
            if [student, assignment, due] == [""; 3] {
                continue;
            }
            let wrong = |reason: String, help| table.wrong(row.line, reason, help);
            let student = Student::spelled(student)
                .map_err(|error| wrong(format!("`student`: {error}"), ""))?;
            let due = Moment::read(due).ok_or_else(|| {
                let help = "write it as in 2026-10-02 23:59, or 2d for two days more";
                wrong(format!("`due` cannot be {due:?}"), help)
            })?;
            let key = (student, assignment.to_owned());
            if extensions.insert(key, due).is_some() {
                let twice = "this student has an extension for the same above".to_owned();
                return Err(wrong(twice, "leave one of both"));
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

    use super::{Extensions, Table};
    use crate::util::samples::student;

    fn read(text: &str) -> Result<Extensions, String> {
        Table::read(Path::new("extensions.csv"), text.as_bytes())
            .and_then(|table| Extensions::from_table(&table))
            .map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn the_narrower_extension_counts() {
        // A student is called as our own files write the name.
        let text =
            "\u{feff}student;why;assignment;due\n'-ada;ill;a1;2d\n-ada;;curling;2026-10-09\n";
        let extensions = read(text).unwrap();
        let of = |name, problem| extensions.of(&student(name), "a1", problem);
        let [wide, narrow] = ["regions", "curling"].map(|problem| of("-ada", problem).unwrap());
        assert_ne!(format!("{wide:?}"), format!("{narrow:?}"));
        assert!(of("bo", "curling").is_none());
    }

    #[test]
    fn a_mistake_has_its_line() {
        let header = "student,assignment,due";
        for (text, part) in [
            ("student,assignment\n", "csv:1: no column is called `due`"),
            ("{}\nada,a1,soon\n", "csv:2: `due` cannot be \"soon\""),
            ("{}\n,a1,1d\n", "csv:2: `student`: the name is empty"),
            ("{},why\nada,a1,1d,\"ill\nbo,a1,1d,\n", "csv:2: a quote is"),
            ("{}\nada,a1,1d\nada,a1,2d\n", "csv:3: this student has"),
        ] {
            let error = read(&text.replace("{}", header)).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
