//! The roster: who is in the course, in the course's own order. A CSV file that an instructor
//! keeps.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;

use crate::domain::{Complaint, Key, NameError, Student};
use crate::util::excerpt::visible_line;
use crate::util::sheet::{SheetRow, unwrapped};
use crate::util::table::Table;

/// Students of one roster.
const STUDENTS_MAX: usize = 100_000;
/// Characters of one field that are kept.
const FIELD_CHARACTERS_MAX: usize = 200;

/// The column that every roster has: the name that the submissions folder has.
pub(super) const STUDENT: &str = "student";
/// The columns that one may have, as the grade book has them too.
pub const DETAILS: [&str; 5] = ["last_name", "first_name", "email", "id", "section"];

/// The columns of what platforms know somebody by, where it is another name than the folder's.
const KEYS: [(&str, Key); 6] = [
    ("email", Key::Email),
    ("id", Key::Id),
    ("login", Key::Login),
    ("github", Key::Github),
    ("canvas", Key::Canvas),
    ("moodle", Key::Moodle),
];

/// How Canvas begins the row of the points that are possible, and what it calls its test student.
const NOBODY: [&str; 2] = ["Points Possible", "Student, Test"];

/// Somebody in the course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name that the submissions folder has.
    pub student: Student,
    /// What the columns of [`DETAILS`] say, in their order; empty where the roster does not have
    /// the column.
    pub details: [String; DETAILS.len()],
    /// What platforms know them by.
    keys: Vec<(Key, String)>,
    /// The team that hands in together; "" where the roster does not say.
    pub group: String,
}

/// The students of a course, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    people: Vec<Person>,
    names: HashSet<Student>,
}

impl Roster {
    /// Reads a file.
    pub fn load(file: &Path) -> Result<Self, Complaint> {
        let help = "put the roster there, or change `roster` under [overview] of the configuration";
        Self::of(&Table::load(file, help)?)
    }

    fn of(table: &Table) -> Result<Self, Complaint> {
        let columns = Columns::of(table)?;
        let mut lines_of: HashMap<Student, usize> = HashMap::new();
        let mut roster = Self::default();
        for (_, row) in table.rows() {
            if columns.is_nobody(row) {
                continue;
            }
            let wrong = |reason: String, help| Err(table.wrong(row.line, reason, help));
            let person = match columns.person(row) {
                Ok(person) => person,
                Err(error) => {
                    let help = "write the name that the submissions folder has";
                    return wrong(format!("`student`: {error}"), help);
                }
            };
            let student = &person.student;
            if let Some(first) = lines_of.insert(student.clone(), row.line) {
                let reason = format!("{:?} is in line {first} already", student.as_str());
                return wrong(reason, "leave one of both lines");
            }
            if roster.people.len() == STUDENTS_MAX {
                let reason = format!("there are more than {STUDENTS_MAX} students");
                return wrong(reason, "split the course");
            }
            roster.names.insert(student.clone());
            roster.people.push(person);
        }
        Ok(roster)
    }

    /// The students, the first one of the file first.
    pub fn people(&self) -> &[Person] {
        &self.people
    }

    /// Whether somebody is on it.
    pub fn has(&self, student: &Student) -> bool {
        self.names.contains(student)
    }

    /// The students with every name that their columns give them.
    pub fn register(&self) -> impl Iterator<Item = (&Student, impl Iterator<Item = &str>)> {
        let people = self.people.iter();
        people.map(|one| (&one.student, one.keys().map(|(_, name)| name)))
    }

    /// The sections, each once, in the order of their names; none where the roster says nothing.
    pub fn sections(&self) -> BTreeSet<&str> {
        let sections = self.people.iter().map(Person::section);
        sections.filter(|section| !section.is_empty()).collect()
    }

    /// Whether somebody is in a section, by its name in any case.
    pub fn is_in(&self, student: &Student, section: &str) -> bool {
        let found = self.people.iter().find(|person| person.student == *student);
        found.is_some_and(|person| person.section().eq_ignore_ascii_case(section))
    }

    /// The students in the roster's order, then others that it does not have.
    pub fn and_others<'a>(
        &'a self,
        others: impl Iterator<Item = &'a Student>,
    ) -> impl Iterator<Item = (&'a Student, Option<&'a Person>)> {
        let people = self.people.iter();
        let people = people.map(|person| (&person.student, Some(person)));
        let others = others.filter(|student| !self.has(student));
        people.chain(others.map(|student| (student, None)))
    }
}

impl Person {
    /// `Surname, First`; as much of it as the roster has.
    pub fn name(&self) -> String {
        let [last, first, ..] = &self.details;
        match (last.is_empty(), first.is_empty()) {
            (false, false) => format!("{last}, {first}"),
            _ => format!("{last}{first}"),
        }
    }

    /// What platforms know them by.
    pub fn keys(&self) -> impl Iterator<Item = (Key, &str)> {
        self.keys.iter().map(|(key, value)| (*key, value.as_str()))
    }

    /// The section; "" where the roster does not say.
    pub fn section(&self) -> &str {
        let [.., section] = &self.details;
        section
    }

    /// Family name and given name, "" where the roster does not say.
    pub fn last_and_first(&self) -> (&str, &str) {
        let [last, first, ..] = &self.details;
        (last, first)
    }
}

/// The header of a CSV file about students with what stands before it; `None` of any other file.
pub fn header_of(bytes: &[u8]) -> Option<Vec<u8>> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let mut end = 0;
    for line in lines {
        end += line.len();
        if !line.trim_ascii().is_empty() {
            break;
        }
    }
    let mut table = Table::read(Path::new(""), &bytes[..end]).ok()?;
    table.find(STUDENT).ok()??;
    Some(table.without_rows())
}

/// One line of text, with a bound.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(FIELD_CHARACTERS_MAX).collect();
    visible_line(&text)
}

/// Where the columns stand: of a roster that an instructor has written, or of a platform's list.
///
/// Such a list has no column `student`: the surest name of each row is taken, a user name before a
/// number before a mail address. Moodle's headers are in the site's language.
#[derive(Default)]
struct Columns {
    is_foreign: bool,
    /// What somebody may be called by, the surest first.
    student: Vec<usize>,
    last_name: Option<usize>,
    first_name: Option<usize>,
    /// `Last, First`, or in the order in which people speak, where the two have no columns.
    full_name: Option<usize>,
    section: Option<usize>,
    group: Option<usize>,
    keys: Vec<(Key, usize)>,
}

impl Columns {
    fn of(table: &Table) -> Result<Self, Complaint> {
        if let Some(list) = Self::of_platform(table) {
            return Ok(list);
        }
        let help = "the first line names the columns; `student` is the name that the submissions folder has (lists of Moodle's participants and Canvas's gradebooks will do too)";
        let mut keys = Vec::new();
        for (name, key) in KEYS {
            keys.extend(table.find(name)?.map(|at| (key, at)));
        }
        Ok(Self {
            is_foreign: false,
            student: vec![table.column(STUDENT, help)?],
            last_name: table.find("last_name")?,
            first_name: table.find("first_name")?,
            full_name: None,
            section: table.find("section")?,
            group: table.find("group")?,
            keys,
        })
    }

    /// Those of Moodle's participants and grades, Canvas's gradebook, or GitHub Classroom's roster.
    fn of_platform(table: &Table) -> Option<Self> {
        let header: Vec<&str> = table.header().iter().map(str::trim).collect();
        let position = |is_it: &dyn Fn(&str) -> bool| header.iter().position(|name| is_it(name));
        let at = |what: &str| position(&|name| is_called(what, name));
        let named = |wanted: &str| position(&|name| name.eq_ignore_ascii_case(wanted));
        let mut list = Self {
            is_foreign: true,
            last_name: at("last_name"),
            first_name: at("first_name"),
            section: named("section"),
            group: at("group"),
            ..Self::default()
        };
        let has_both = list.last_name.is_some() && list.first_name.is_some();
        list.full_name = at("full_name").filter(|_| !has_both);
        if let (Some(identifier), Some(github)) = (named("identifier"), named("github_username")) {
            list.student.push(identifier);
            list.keys.push((Key::Github, github));
            return Some(list);
        }
        // An instructor's own roster may have `student` and `id` too, but nothing of a "SIS".
        let is_canvas = header
            .iter()
            .any(|name| name.to_lowercase().starts_with("sis "));
        if named(STUDENT).is_some() && !is_canvas {
            return None;
        }
        let [login, id, email] = ["login", "id", "email"].map(at);
        let canvas = named("id").filter(|_| is_canvas);
        list.student = [login, id, email, canvas].into_iter().flatten().collect();
        let keys = [
            (Key::Email, email),
            (Key::Id, id),
            (Key::Login, login),
            (Key::Canvas, canvas),
        ];
        let keys = keys.into_iter().filter_map(|(key, at)| Some((key, at?)));
        list.keys = keys.collect();
        let has_names = has_both || list.full_name.is_some();
        (has_names && !list.student.is_empty()).then_some(list)
    }

    /// Whether a row is of a platform's list itself and nobody's.
    fn is_nobody(&self, row: &SheetRow) -> bool {
        let first = row.get(0).trim();
        self.is_foreign && (NOBODY.iter().any(|start| first.starts_with(start)) || first == "Muted")
    }

    /// Who a row is about.
    fn person(&self, row: &SheetRow) -> Result<Person, NameError> {
        let cell = |column: usize| unwrapped(row.cell(column));
        let field = |column: Option<usize>| column.map_or("", cell);
        let mut names = self.student.iter().map(|column| cell(*column));
        let name = names.find(|name| !name.is_empty()).unwrap_or_default();
        let keys = self
            .keys
            .iter()
            .map(|(key, column)| (*key, shown(cell(*column))));
        let keys: Vec<(Key, String)> = keys.collect();
        let key = |wanted: Key| {
            let found = keys.iter().find(|(key, _)| *key == wanted);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        let (last, first) = match self.full_name {
            Some(column) => parts(cell(column)),
            None => (field(self.last_name), field(self.first_name)),
        };
        Ok(Person {
            student: Student::spelled(name)?,
            details: [
                shown(last),
                shown(first),
                key(Key::Email),
                key(Key::Id),
                shown(field(self.section)),
            ],
            keys,
            group: shown(field(self.group)),
        })
    }
}

/// Family name and given name of a full name.
fn parts(name: &str) -> (&str, &str) {
    match name.split_once(',') {
        Some((last, first)) => (last.trim(), first.trim()),
        None => match name.rsplit_once(' ') {
            Some((first, last)) => (last, first.trim()),
            None => (name, ""),
        },
    }
}

static HEADERS: LazyLock<HashMap<String, Vec<String>>> =
    LazyLock::new(|| toml::from_str(include_str!("../headers.toml")).expect("a test reads it"));

/// Whether this is what a platform calls such a column, in any of its languages: `login`, `id`,
/// `email`, `first_name`, `last_name`, `full_name`, `group` or `comments`.
pub fn is_called(what: &str, header: &str) -> bool {
    let header = header.trim().to_lowercase();
    HEADERS
        .get(what)
        .is_some_and(|names| names.contains(&header))
}

#[cfg(test)]
mod tests;
