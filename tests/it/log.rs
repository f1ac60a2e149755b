//! Incremental reading of verdicts.jsonl, because tests poll it while it grows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use serde_json::Value;

/// The verdicts of a log so far.
#[derive(Debug, Default)]
pub struct VerdictLog {
    read_bytes: u64,
    /// The last line that was read: if it has changed, this is another log.
    last_line: Vec<u8>,
    verdicts: BTreeMap<String, String>,
}

impl VerdictLog {
    /// The last verdict of each `student/problem/attempt`, including what was written since the
    /// last call.
    pub fn read_on(&mut self, path: &Path) -> &BTreeMap<String, String> {
        let Ok(mut file) = File::open(path) else {
            *self = Self::default();
            return &self.verdicts;
        };
        if !self.goes_on(&mut file) {
            *self = Self::default();
            file.rewind().unwrap();
        }
        let mut added = Vec::new();
        file.read_to_end(&mut added).unwrap();
        // A line without its end is still being written.
        for line in added.split_inclusive(|byte| *byte == b'\n') {
            if line.ends_with(b"\n") {
                self.take(line);
            }
        }
        &self.verdicts
    }

    /// Whether what was read is unchanged; the file is then positioned where the rest begins.
    fn goes_on(&self, file: &mut File) -> bool {
        let begin = self.read_bytes - self.last_line.len() as u64;
        let mut there = vec![0; self.last_line.len()];
        file.seek(SeekFrom::Start(begin)).unwrap();
        file.read_exact(&mut there).is_ok() && there == self.last_line
    }

    fn take(&mut self, line: &[u8]) {
        self.read_bytes += line.len() as u64;
        self.last_line = line.to_vec();
        let line: Value = serde_json::from_slice(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        if line["verdict"].is_string() {
            let (student, problem) = (text("student"), text("problem"));
            let attempt = format!("{student}/{problem}/{}", line["attempt"]);
            self.verdicts.insert(attempt, text("verdict"));
        }
    }
}
