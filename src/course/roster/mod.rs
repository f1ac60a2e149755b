//! The roster: who is in the course, in the course's own order. A CSV file that an instructor
//! keeps.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord};

use super::foreign::Foreign;
use crate::domain::{Key, Student};
use crate::util::cell;
use crate::util::excerpt::visible_line;
use crate::util::files::read_regular;
use crate::util::sheet::{open_quote, unwrapped};

/// The largest roster, in bytes.
const BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Students of one roster.
const STUDENTS_MAX: usize = 100_000;
/// Characters of one field that are kept.
const FIELD_CHARACTERS_MAX: usize = 200;
/// What separates the fields: spreadsheet programs write a semicolon where a comma is the decimal
/// mark.
const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// The column that every roster has: the name that the submissions folder has.
pub(super) const STUDENT: &str = "student";
/// The columns that one may have, as the grade book has them too.
pub const DETAILS: [&str; 5] = ["last_name", "first_name", "email", "id", "section"];

/// The column of teams that hand in together.
const GROUP: &str = "group";

/// The columns of what platforms know somebody by, where it is another name than the folder's.
const ALIASES: [(&str, Key); 4] = [
    ("login", Key::Login),
    ("github", Key::Github),
    ("canvas", Key::Canvas),
    ("moodle", Key::Moodle),
];

/// Why a roster cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    /// It cannot be read.
    #[error("{}: {source}; put the roster there, or change `roster` under [overview] of the configuration", .file.display())]
    Read { file: PathBuf, source: io::Error },
    /// It can be read, and is no roster.
    #[error("{}:{line}: {reason}; {help}", .file.display())]
    Content {
        file: PathBuf,
        line: u64,
        reason: String,
        help: &'static str,
    },
}

/// Somebody in the course.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name that the submissions folder has.
    pub student: Student,
    /// What the columns of [`DETAILS`] say, in their order; empty where the roster does not have
    /// the column.
    pub details: [String; DETAILS.len()],
    /// What the columns of platforms say, in their order.
    aliases: [String; ALIASES.len()],
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
    pub fn load(file: &Path) -> Result<Self, RosterError> {
        let bytes = read_regular(file, BYTES_MAX).map_err(|source| RosterError::Read {
            file: file.to_owned(),
            source,
        })?;
        Reading { file }.roster(&bytes)
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
}

impl Person {
    /// What platforms know them by.
    pub fn keys(&self) -> impl Iterator<Item = (Key, &str)> {
        let [_, _, email, id, _] = &self.details;
        let own = [(Key::Email, email.as_str()), (Key::Id, id.as_str())];
        let aliases = ALIASES.iter().zip(&self.aliases);
        own.into_iter()
            .chain(aliases.map(|((_, key), value)| (*key, value.as_str())))
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

struct Reading<'a> {
    file: &'a Path,
}

impl Reading<'_> {
    fn error(&self, line: u64, reason: impl Into<String>, help: &'static str) -> RosterError {
        RosterError::Content {
            file: self.file.to_owned(),
            line,
            reason: reason.into(),
            help,
        }
    }

    fn roster(&self, bytes: &[u8]) -> Result<Roster, RosterError> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            self.error(
                before.split(|&byte| byte == b'\n').count() as u64,
                format!("the byte 0x{:02x} is not UTF-8", bytes[error.valid_up_to()]),
                "save it as \"CSV UTF-8\"",
            )
        })?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let delimiter = separator(text);
        if let Some(line) = open_quote(text, delimiter) {
            let reason = "a quote is opened here and never closed";
            let help = "close it, or write it twice if it is part of the text";
            return Err(self.error(line, reason, help));
        }
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut columns: Option<Columns> = None;
        let mut lines_of: HashMap<Student, u64> = HashMap::new();
        let mut roster = Roster::default();
        for record in reader.records() {
            let record = record.map_err(|error| {
                let line = error.position().map_or(1, csv::Position::line);
                self.error(line, error.to_string(), "save it as CSV again")
            })?;
            let line = line_of(text, &record);
            if record.iter().all(|field| field.trim().is_empty()) {
                continue;
            }
            let Some(columns) = &columns else {
                columns = Some(self.columns(&record, line)?);
                continue;
            };
            if matches!(columns, Columns::Foreign(_))
                && Foreign::is_nobody(record.get(0).unwrap_or_default())
            {
                continue;
            }
            let person = self.person(&record, columns, line)?;
            if let Some(first) = lines_of.insert(person.student.clone(), line) {
                return Err(self.error(
                    line,
                    format!("{:?} is in line {first} already", person.student.as_str()),
                    "leave one of both lines",
                ));
            }
            if roster.people.len() == STUDENTS_MAX {
                return Err(self.error(
                    line,
                    format!("there are more than {STUDENTS_MAX} students"),
                    "split the course",
                ));
            }
            roster.names.insert(person.student.clone());
            roster.people.push(person);
        }
        if columns.is_none() {
            return Err(self.error(
                1,
                "the file is empty",
                "its first line names the columns, one of them `student`",
            ));
        }
        Ok(roster)
    }

    fn columns(&self, header: &StringRecord, line: u64) -> Result<Columns, RosterError> {
        let place = |name: &str| -> Result<Option<usize>, RosterError> {
            let mut found = header
                .iter()
                .enumerate()
                .filter(|(_, field)| field.trim().eq_ignore_ascii_case(name))
                .map(|(index, _)| index);
            let first = found.next();
            if found.next().is_some() {
                return Err(self.error(
                    line,
                    format!("two columns are called `{name}`"),
                    "rename one of them",
                ));
            }
            Ok(first)
        };
        if let Some(list) = Foreign::of(header.iter()) {
            return Ok(Columns::Foreign(list));
        }
        let Some(student) = place(STUDENT)? else {
            return Err(self.error(
                line,
                "no column is called `student`",
                "the first line names the columns; `student` is the name that the submissions folder has (lists of Moodle's participants and Canvas's gradebooks will do too)",
            ));
        };
        let mut details = [None; DETAILS.len()];
        for (detail, name) in details.iter_mut().zip(DETAILS) {
            *detail = place(name)?;
        }
        let mut aliases = [None; ALIASES.len()];
        for (alias, (name, _)) in aliases.iter_mut().zip(ALIASES) {
            *alias = place(name)?;
        }
        Ok(Columns::Own {
            student,
            details,
            aliases,
            group: place(GROUP)?,
        })
    }

    fn person(
        &self,
        record: &StringRecord,
        columns: &Columns,
        line: u64,
    ) -> Result<Person, RosterError> {
        let field = |column: Option<usize>| {
            let text = column.and_then(|column| record.get(column));
            text.unwrap_or_default().trim()
        };
        Ok(match columns {
            Columns::Own {
                student,
                details,
                aliases,
                group,
            } => {
                let own = |column| shown(cell::read(field(column)));
                Person {
                    student: self.student(cell::read(field(Some(*student))), line)?,
                    details: details.map(own),
                    aliases: aliases.map(own),
                    group: own(*group),
                }
            }
            Columns::Foreign(list) => {
                let names = list.student.iter().map(|at| unwrapped(field(Some(*at))));
                let name = names.into_iter().find(|name| !name.is_empty());
                let known = |key: Key| {
                    let at = list.keys.iter().find(|(one, _)| *one == key);
                    shown(unwrapped(field(at.map(|(_, at)| *at))))
                };
                let full = unwrapped(field(list.full_name));
                let (last, first) = match (list.last_name, list.first_name) {
                    (Some(_), Some(_)) => (field(list.last_name), field(list.first_name)),
                    _ => Foreign::parts(full),
                };
                Person {
                    student: self.student(name.unwrap_or_default(), line)?,
                    details: [
                        shown(last),
                        shown(first),
                        known(Key::Email),
                        known(Key::Id),
                        shown(field(list.section)),
                    ],
                    aliases: ALIASES.map(|(_, key)| known(key)),
                    group: shown(field(list.group)),
                }
            }
        })
    }

    fn student(&self, name: &str, line: u64) -> Result<Student, RosterError> {
        Student::spelled(name).map_err(|error| {
            self.error(
                line,
                format!("`student`: {error}"),
                "write the name that the submissions folder has",
            )
        })
    }
}

/// One line of text, with a bound.
fn shown(text: &str) -> String {
    let text: String = text.chars().take(FIELD_CHARACTERS_MAX).collect();
    visible_line(&text)
}

/// Where the columns stand.
enum Columns {
    /// Of a roster that an instructor has written.
    Own {
        student: usize,
        details: [Option<usize>; DETAILS.len()],
        aliases: [Option<usize>; ALIASES.len()],
        group: Option<usize>,
    },
    /// Of a platform's list.
    Foreign(Foreign),
}

/// The line of a record. Where the reader says that one begins, empty lines may still come.
fn line_of(text: &str, record: &StringRecord) -> u64 {
    let Some(position) = record.position() else {
        return 1;
    };
    let begin = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(begin..).unwrap_or_default();
    let empty = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() + empty.filter(|&&byte| byte == b'\n').count() as u64
}

/// The separator that the first line has most of.
pub(super) fn separator(text: &str) -> u8 {
    let first = text.trim_start().lines().next().unwrap_or_default();
    let count = |separator: u8| first.bytes().filter(|&byte| byte == separator).count();
    // Of equals the last one would be taken, and a comma is the usual one.
    let most = SEPARATORS.into_iter().rev().max_by_key(|&one| count(one));
    most.unwrap_or(b',')
}

#[cfg(test)]
mod tests;
