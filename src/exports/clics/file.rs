//! The lines of the feed's file: what it tells already, and how more are written.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use serde_json::Value;

use crate::domain::Digest;
use crate::util::hash::digest;

/// The longest line that is looked at; none of ours is as long.
const LINE_BYTES_MAX: u64 = 64 * 1024;
/// Objects of these kinds are told once, and again when they have changed.
const KEPT: [&str; 6] = [
    "contest",
    "judgement-types",
    "languages",
    "problems",
    "state",
    TEAMS,
];

/// One line.
#[derive(Debug)]
pub struct Notification {
    /// What kind of object has changed.
    pub kind: &'static str,
    /// Which one; `None` if there is only one of its kind.
    pub id: Option<String>,
    /// The object as it is from now on.
    pub data: Value,
}

/// What a file tells of the objects that others refer to.
#[derive(Debug, Default)]
pub struct Published {
    objects: BTreeMap<(String, String), Value>,
    /// Teams may be many and nothing refers to what was told of them, so that only its digest is
    /// held.
    teams: HashMap<Box<str>, Digest>,
    /// The submissions that were told.
    submissions: HashSet<i64>,
    /// The longest runs of the judgements that are current, by the judgements: they are told again
    /// when another one replaces them.
    run_times: BTreeMap<i64, f64>,
    /// Whether all of the course has been told as it is now.
    pub has_course: bool,
}

impl Published {
    /// An object as it was told last; not a team.
    pub fn get(&self, kind: &str, id: &str) -> Option<&Value> {
        self.objects.get(&(kind.to_owned(), id.to_owned()))
    }

    /// How many objects of a kind were told.
    pub fn count(&self, kind: &str) -> usize {
        self.objects.keys().filter(|(of, _)| of == kind).count()
    }

    /// The longest run of a judgement that is current, where it was told.
    pub fn run_time(&self, judgement: i64) -> Option<f64> {
        self.run_times.get(&judgement).copied()
    }

    /// Whether a submission was told.
    pub fn has_submission(&self, id: i64) -> bool {
        self.submissions.contains(&id)
    }

    /// Remembers that a submission was told.
    pub fn received(&mut self, id: i64) {
        self.submissions.insert(id);
    }

    /// Remembers of a judgement what is told again with its end.
    pub fn judged(&mut self, id: i64, data: &Value) {
        match data["max_run_time"].as_f64() {
            Some(seconds) if data["current"] == true => {
                self.run_times.insert(id, seconds);
            }
            _ => drop(self.run_times.remove(&id)),
        }
    }

    /// Remembers an object; says whether it is another one than before.
    pub fn put(&mut self, kind: &str, id: &str, data: &Value) -> bool {
        if kind == TEAMS {
            let told = digest(data.to_string().as_bytes());
            return self.teams.insert(id.into(), told) != Some(told);
        }
        let before = self
            .objects
            .insert((kind.to_owned(), id.to_owned()), data.clone());
        before.as_ref() != Some(data)
    }
}

/// Each is told again once it is replaced.
pub const JUDGEMENTS: &str = "judgements";
/// Each is told once.
pub const SUBMISSIONS: &str = "submissions";
/// The students.
const TEAMS: &str = "teams";

/// The lines of a group, of which the last one has the event's number as its token.
pub fn lines(group: Vec<Notification>, event: i64) -> String {
    let mut text = String::new();
    let last = group.len();
    for (number, Notification { kind, id, data }) in (1..).zip(group) {
        let id = Value::from(id);
        let token = if number == last {
            format!(",\"token\":\"{event}\"")
        } else {
            String::new()
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{{\"type\":\"{kind}\",\"id\":{id},\"data\":{data}{token}}}"
        );
    }
    text
}

/// What was read of a file up to its last token.
#[derive(Default)]
pub struct Whole {
    pub published: Published,
    /// The last event that it tells of.
    pub reached: i64,
    /// Its bytes up to there.
    pub end: u64,
    /// Objects behind the last token.
    pending: Vec<(String, String, Value)>,
}

impl Whole {
    /// Reads a file from its beginning.
    pub fn read(file: &mut File) -> io::Result<Self> {
        let mut reader = BufReader::new(file);
        let mut whole = Self::default();
        let (mut at, mut line) = (0, Vec::new());
        loop {
            line.clear();
            let mut piece = reader.by_ref().take(LINE_BYTES_MAX);
            let bytes = piece.read_until(b'\n', &mut line)?;
            if bytes == 0 || line.last() != Some(&b'\n') {
                return Ok(whole);
            }
            at += bytes as u64;
            whole.line(&line, at);
        }
    }

    fn line(&mut self, line: &[u8], end: u64) {
        let is_kept = KEPT.iter().chain([&JUDGEMENTS, &SUBMISSIONS]).any(|kind| {
            line.strip_prefix(b"{\"type\":\"")
                .is_some_and(|rest| rest.starts_with(kind.as_bytes()))
        });
        if is_kept && let Ok(mut value) = serde_json::from_slice::<Value>(line) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (kind, id) = (text(&value["type"]), text(&value["id"]));
            self.pending.push((kind, id, value["data"].take()));
        }
        let Some(event) = token(line) else { return };
        for (kind, id, data) in self.pending.drain(..) {
            // All that are ours are numbers.
            match (kind.as_str(), id.parse()) {
                (JUDGEMENTS, Ok(id)) => self.published.judged(id, &data),
                (SUBMISSIONS, Ok(id)) => self.published.received(id),
                (JUDGEMENTS | SUBMISSIONS, Err(_)) => {}
                _ => drop(self.published.put(&kind, &id, &data)),
            }
        }
        self.reached = event;
        self.end = end;
    }
}

/// The token at the end of a line. Within a text the quotation marks would be escaped.
fn token(line: &[u8]) -> Option<i64> {
    const NAME: &[u8] = b",\"token\":\"";
    let rest = line.strip_suffix(b"\"}\n")?;
    let at = rest.windows(NAME.len()).rposition(|part| part == NAME)?;
    std::str::from_utf8(&rest[at + NAME.len()..])
        .ok()?
        .parse()
        .ok()
}
