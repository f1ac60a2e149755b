//! What the feed's file tells already, as far as more lines depend on it.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;
use serde_json::Value;

use super::objects::Line;

/// The longest line that is read back; none of ours is as long.
const LINE_BYTES_MAX: u64 = 64 * 1024;
/// Lines of one event that are read back, without runs: those of a whole course and a few more. A
/// file that has more without a token is not ours from there on.
const LINES_MAX: usize = 100_000;
/// Most lines are runs, and nothing depends on them.
const RUNS: &str = "runs";

/// What the file tells, without runs: the objects by kind and identifier, each as it was told last.
/// Of a submission that is only that it was told, of a judgement that is current its longest run.
#[derive(Debug, Default)]
pub struct Told(BTreeMap<String, HashMap<String, Value>>);

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

    /// Remembers an object; says whether it is another one than before, or one that is told anew.
    pub fn remember(&mut self, line: &Line) -> bool {
        let Line { kind, id, data, .. } = line;
        let kept = match kind.as_str() {
            RUNS => return true,
            "judgements" if data["current"] == true => data["max_run_time"].clone(),
            "submissions" | "judgements" => Value::Null,
            _ => data.clone(),
        };
        let of_kind = self.0.entry(kind.clone()).or_default();
        let before = of_kind.insert(id.clone().unwrap_or_default(), kept.clone());
        kind == "judgements" || before != Some(kept)
    }

    /// What is known of an object; `None` of one that was not told.
    pub fn get(&self, kind: &str, id: &str) -> Option<&Value> {
        self.0.get(kind)?.get(id)
    }

    pub fn count(&self, kind: &str) -> usize {
        self.0.get(kind).map_or(0, HashMap::len)
    }

    /// When the course began: with the first event that was told.
    pub fn start_ms(&self) -> Option<i64> {
        let start = self.get("contest", "")?["start_time"].as_str()?;
        let start: jiff::Timestamp = start.parse().ok()?;
        Some(start.as_millisecond())
    }
}
