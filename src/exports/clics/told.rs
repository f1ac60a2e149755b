//! What the feed's file tells already, as far as more lines depend on it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;

use super::objects::{Line, Problem};
use crate::domain::Digest;
use crate::util::hash::digest;

/// The longest line that is read back; none of ours is as long.
const LINE_BYTES_MAX: u64 = 64 * 1024;
/// Lines of one event that are read back, without runs: those of a whole course and a few more. A
/// file that has more without a token is not ours from there on.
const LINES_MAX: usize = 100_000;
/// Most lines are runs, and nothing depends on them.
const RUNS: &str = "runs";

/// What the file tells of the objects that are told again, or that others refer to.
#[derive(Debug, Default)]
pub struct Told {
    /// The objects that are told again when they have changed, by kind and identifier: of each as
    /// it was told last.
    digests: HashMap<String, Digest>,
    /// When the course began: with the first event that was told.
    pub start_ms: Option<i64>,
    /// As they were told last.
    pub problems: BTreeMap<String, Problem>,
    /// Each is told once.
    pub submissions: HashSet<i64>,
    /// The longest runs of the judgements that are current, which are told again when another
    /// judgement replaces them.
    pub run_times: BTreeMap<i64, f64>,
}

/// What every line is looked at for.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    token: Option<&'a str>,
}

impl Told {
    /// Reads a file from its beginning: what it tells, the last event that it tells of, and its
    /// bytes up to there.
    pub fn read(file: &mut File) -> io::Result<(Self, i64, u64)> {
        let mut reader = BufReader::new(file);
        let (mut told, mut reached, mut end) = (Self::default(), 0, 0);
        // Lines behind the last token do not count.
        let (mut text, mut pending, mut at) = (Vec::new(), Vec::new(), 0);
        loop {
            text.clear();
            let mut piece = reader.by_ref().take(LINE_BYTES_MAX);
            at += piece.read_until(b'\n', &mut text)? as u64;
            if text.last() != Some(&b'\n') || pending.len() > LINES_MAX {
                return Ok((told, reached, end));
            }
            let Ok(head) = serde_json::from_slice::<Head<'_>>(&text) else {
                continue;
            };
            if head.kind != RUNS {
                pending.extend(serde_json::from_slice::<Line>(&text));
            }
            if let Some(event) = head.token.and_then(|token| token.parse().ok()) {
                for line in pending.drain(..) {
                    told.remember(&line);
                }
                (reached, end) = (event, at);
            }
        }
    }

    /// Remembers an object; says whether it is another one than before.
    pub fn remember(&mut self, line: &Line) -> bool {
        let id = line.id.as_deref().unwrap_or_default();
        let (kind, data) = (line.kind.as_str(), &line.data);
        match (kind, id.parse()) {
            (RUNS, _) => return true,
            ("submissions", Ok(id)) => return self.submissions.insert(id),
            ("judgements", Ok(id)) => {
                match data["max_run_time"].as_f64() {
                    Some(seconds) if data["current"] == true => {
                        self.run_times.insert(id, seconds);
                    }
                    _ => drop(self.run_times.remove(&id)),
                }
                return true;
            }
            ("contest", _) => {
                let start = data["start_time"].as_str();
                let start = start.and_then(|start| start.parse::<jiff::Timestamp>().ok());
                self.start_ms = start.map(jiff::Timestamp::as_millisecond);
            }
            ("problems", _) => {
                if let Ok(problem) = Problem::deserialize(data) {
                    self.problems.insert(id.to_owned(), problem);
                }
            }
            _ => {}
        }
        let now = digest(data.to_string().as_bytes());
        self.digests.insert(key(kind, id), now) != Some(now)
    }

    /// Whether a language of this identifier was told.
    pub fn has_language(&self, id: &str) -> bool {
        self.digests.contains_key(&key("languages", id))
    }
}

/// No kind has a slash.
fn key(kind: &str, id: &str) -> String {
    format!("{kind}/{id}")
}
