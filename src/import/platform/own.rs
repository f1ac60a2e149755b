//! A course's own layout: a pattern with named groups.

use regex::{Regex, RegexBuilder};

use super::archive::path_of;
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};
use crate::import::entry::Entry;

/// Memory of a compiled pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// The groups that a pattern may have; `student` is the one that it must have.
const GROUPS: [&str; 5] = ["student", "problem", "ext", "time", "file"];

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression.
    #[error("{0}")]
    Syntax(#[from] regex::Error),
    /// Nobody can be named by it.
    #[error("the pattern has no group `(?P<student>…)`")]
    Nobody,
    /// A group that means nothing here.
    #[error("the pattern's group `{name}` means nothing here; the groups are {}", GROUPS.join(", "))]
    Group { name: String },
}

/// A regular expression for whole paths, with the groups `student` and, as far as the paths say so,
/// `problem`, `ext`, `time` and `file`.
#[derive(Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads a pattern; it has to fit a path from its beginning to its end.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let whole = format!("^(?:{text})$");
        let shape = RegexBuilder::new(&whole)
            .size_limit(PATTERN_BYTES_MAX)
            .build()?;
        let groups: Vec<&str> = shape.capture_names().flatten().collect();
        if let Some(strange) = groups.iter().find(|name| !GROUPS.contains(name)) {
            return Err(PatternError::Group {
                name: (*strange).to_owned(),
            });
        }
        if !groups.contains(&"student") {
            return Err(PatternError::Nobody);
        }
        Ok(Self(shape))
    }

    /// What each entry is.
    pub fn readings(&self, entries: &[Entry]) -> Vec<Reading> {
        let reading = |entry| path_of(entry, 0).map_or(Reading::Strange, |path| self.read(path));
        entries.iter().map(reading).collect()
    }

    fn read(&self, path: &str) -> Reading {
        let Some(found) = self.0.captures(path) else {
            return Reading::Strange;
        };
        let text = |group| found.name(group).map(|part| part.as_str());
        let (student, problem) = (text("student").unwrap_or_default(), text("problem"));
        let last = path.rsplit('/').next().unwrap_or(path);
        let file = match (text("file"), problem, text("ext")) {
            (Some(file), _, _) => file.to_owned(),
            (None, Some(problem), Some(extension)) => format!("{problem}.{extension}"),
            _ => last.to_owned(),
        };
        let time = text("time");
        Reading::Claim(Claim {
            who: vec![Who::by(Key::Login, student).named(student)],
            file,
            time: time.and_then(|time| Stamp::read(time).or_else(|| Stamp::read_words(time))),
            assignment: problem.map(str::to_owned),
            hand_in: format!("{student} {}", time.unwrap_or_default()),
            late: false,
        })
    }
}
