//! An archive as platforms look at it, and patterns: what the name of a file says by the groups of a
//! regular expression, a platform's or a course's own.

use regex::{Regex, RegexBuilder};

use super::claim::{Claim, Reading, Stamp, Who};
use crate::domain::Key;
use crate::util::archive::Entry;
use crate::util::archive::Source;

/// A file of a platform's own: a list, a time.
const OWN_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Memory of a compiled pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// The groups that a course's own pattern may have; `student` is the one that it must have.
const GROUPS: [&str; 5] = ["student", "problem", "ext", "time", "file"];

/// An archive as platforms look at it.
pub struct Archive<'a> {
    pub source: &'a mut Source,
    /// The entries' paths, without the outer folder; what is refused or noise has none.
    pub paths: Vec<Option<String>>,
    /// The folder that everything lies in, or the name of the file or folder without its extension.
    pub outermost: String,
    /// What stands before each path: people zip a platform's folder again.
    outer: String,
    /// Whether a person has said that it is this platform's.
    pub is_named: bool,
}

impl<'a> Archive<'a> {
    /// An archive with its outermost folder, or the folder in it where everything lies in one.
    pub fn new(source: &'a mut Source, origin: &str, has_outer: bool, is_named: bool) -> Self {
        let mut paths: Vec<Option<String>> = source
            .entries()
            .iter()
            .map(|entry| path_of(entry).map(str::to_owned))
            .collect();
        let (mut outermost, mut outer) = (origin.to_owned(), String::new());
        if has_outer && let Some(folder) = one_folder(source) {
            outer = format!("{folder}/");
            folder.clone_into(&mut outermost);
            for path in paths.iter_mut().flatten() {
                path.drain(..outer.len());
            }
        }
        Self {
            source,
            paths,
            outermost,
            outer,
            is_named,
        }
    }

    /// The whole path of what lies in the outer folder.
    pub fn full(&self, path: &str) -> String {
        format!("{}{path}", self.outer)
    }

    /// A file of the platform's own, as text.
    pub fn text(&mut self, path: &str) -> Option<String> {
        let index = self.source.find(&self.full(path))?;
        let bytes = self.source.read(index, OWN_FILE_BYTES_MAX).ok()?;
        Some(crate::util::excerpt::decode(&bytes, bytes.len()).text)
    }
}

/// The path of an entry that somebody may have handed in.
pub fn path_of(entry: &Entry) -> Option<&str> {
    (entry.refused.is_none() && !entry.is_noise()).then_some(&entry.path)
}

/// The folder in which everything lies.
pub fn one_folder(source: &Source) -> Option<&str> {
    let mut paths = source.entries().iter().filter_map(path_of);
    let (first, _) = paths.next()?.split_once('/')?;
    let is_in = |path: &str| {
        path.strip_prefix(first)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    paths.all(is_in).then_some(first)
}

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// It is not a regular expression.
    #[error("{0}")]
    Syntax(#[from] regex::Error),
    /// Nobody can be named by it.
    #[error("the pattern has no group `(?P<student>…)`")]
    Nobody,
    /// A group that means nothing here.
    #[error("the pattern's group `{name}` means nothing here; the groups are {}", GROUPS.join(", "))]
    Group { name: String },
}

/// A regular expression for whole paths, whose groups say what a file is: `file` (the student's own
/// path for it), `problem` and `ext`, `time`, `late`, `student` (a login and a name), `name`, the
/// keys by the roster's columns, the surest first, and `hand_in` (what belongs together). A file with
/// the group `own` is the platform's.
#[derive(Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// A course's own; it has to fit a path from its beginning to its end.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let pattern = RegexBuilder::new(&format!("^(?:{text})$"))
            .size_limit(PATTERN_BYTES_MAX)
            .build()?;
        let groups: Vec<&str> = pattern.capture_names().flatten().collect();
        if let Some(strange) = groups.iter().find(|name| !GROUPS.contains(name)) {
            return Err(PatternError::Group {
                name: (*strange).to_owned(),
            });
        }
        if !groups.contains(&"student") {
            return Err(PatternError::Nobody);
        }
        Ok(Self(pattern))
    }

    /// One that is part of the program.
    pub fn of_platform(text: &str) -> Self {
        Self(Regex::new(text).expect("a test compiles every pattern of the program"))
    }

    /// What each entry is.
    pub fn readings(&self, entries: &[Entry]) -> Vec<Reading> {
        let reading = |entry| path_of(entry).map_or(Reading::Strange, |path| self.read(path));
        entries.iter().map(reading).collect()
    }

    /// What a file is.
    pub fn read(&self, path: &str) -> Reading {
        let Some(found) = self.0.captures(path) else {
            return Reading::Strange;
        };
        let text = |group| found.name(group).map(|part| part.as_str());
        if text("own").is_some() {
            return Reading::Own;
        }
        let groups = self.0.capture_names().flatten();
        let keys = groups.filter_map(|group| {
            let key = match group {
                "student" => Key::Login,
                other => other.parse().ok()?,
            };
            let value = text(group).filter(|value| !value.is_empty())?;
            Some((key, value.to_owned()))
        });
        let who = Who {
            keys: keys.collect(),
            name: text("name").or(text("student")).map(str::to_owned),
        };
        let (problem, time) = (text("problem"), text("time"));
        let file = match (text("file"), problem, text("ext")) {
            (Some(file), _, _) => file.to_owned(),
            (None, Some(problem), Some(extension)) => format!("{problem}.{extension}"),
            _ => path.rsplit('/').next().unwrap_or(path).to_owned(),
        };
        let hand_in = text("hand_in").map_or_else(
            || {
                let key = who.keys.first().map_or("", |(_, key)| key);
                format!("{key} {}", time.unwrap_or_default())
            },
            str::to_owned,
        );
        Reading::Claim(Claim {
            who: Vec::from_iter((who != Who::default()).then_some(who)),
            file,
            time: time.and_then(|time| Stamp::read(time).or_else(|| Stamp::read_words(time))),
            assignment: problem.map(str::to_owned),
            hand_in,
            late: text("late").is_some(),
        })
    }

    /// The folder of the hand-in that an entry belongs to, below an outer folder or none: which of
    /// both is tried first, `outer` says.
    pub fn folder_of<'e>(&self, entry: &'e str, outer: [usize; 2]) -> Option<&'e str> {
        outer.into_iter().find_map(|outer| {
            let from = match outer {
                0 => 0,
                _ => entry.find('/')? + 1,
            };
            let Reading::Claim(claim) = self.read(&entry[from..]) else {
                return None;
            };
            let rest = entry[from..].strip_prefix(&claim.hand_in)?;
            let end = entry.len() - rest.len();
            rest.starts_with('/').then(|| &entry[..end])
        })
    }
}
