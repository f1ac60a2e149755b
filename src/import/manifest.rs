//! `imports.jsonl` in the staff's folder: which entry of which archive became which submission.
//!
//! Grades and feedback go back under the entries' exact names, and the times are the platform's.
//! The file names people and their addresses, so that only its owner can read it. It is only ever
//! added to, and the same line is never in it twice.

use std::collections::{BTreeMap, HashSet};
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::plan::HandIn;
use crate::domain::{ProblemSlug, Student};
use crate::util::files::{read_regular, sync_name};
use crate::util::hash::digest;

/// Its name in the staff's folder.
pub const FILE: &str = "imports.jsonl";
/// The largest manifest, in bytes: some hundred thousand lines.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Why the manifest cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It cannot be read or written.
    #[error("{}: {source}", .file.display())]
    Io { file: PathBuf, source: io::Error },
    /// A line is not one of its lines.
    #[error("{}:{line}: {reason}; take the line out, or move the file away and import the archives again", .file.display())]
    Content {
        file: PathBuf,
        line: usize,
        reason: serde_json::Error,
    },
}

/// One entry that became a submission.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Line {
    /// `moodle`, `canvas` ..., or `pattern`.
    pub platform: String,
    /// The archive's name.
    pub archive: String,
    /// The entry's name as text.
    pub entry: String,
    /// The entry's bytes in base64, where they are no UTF-8 text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_bytes: Option<String>,
    /// Whose.
    pub student: String,
    /// For which problem.
    pub problem: String,
    /// The digest of the source, in hexadecimal.
    pub source: String,
    /// When it was handed in, by the platform; absent where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_in: Option<Timestamp>,
    /// The platform says "late" without a time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// What the platform knows the student by, by the roster's columns.
    pub keys: BTreeMap<String, String>,
    /// The name that it displays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Line {
    /// The line of a program that is handed in.
    pub fn of(platform: &str, archive: &str, entry: &[u8], hand_in: &HandIn) -> Self {
        let is_text = std::str::from_utf8(entry).is_ok();
        let keys = hand_in.who.keys.iter();
        Self {
            platform: platform.to_owned(),
            archive: archive.to_owned(),
            entry: String::from_utf8_lossy(entry).into_owned(),
            entry_bytes: (!is_text).then(|| STANDARD.encode(entry)),
            student: hand_in.student.to_string(),
            problem: hand_in.target.problem.to_string(),
            source: digest(&hand_in.bytes).to_string(),
            handed_in: hand_in.time,
            late: hand_in.late,
            keys: keys
                .map(|(key, value)| (key.column().to_owned(), value.clone()))
                .collect(),
            name: hand_in.who.name.clone(),
        }
    }

    /// Whether it tells of these bytes by this student for this problem.
    fn is_of(&self, student: &Student, problem: &ProblemSlug, source: &str) -> bool {
        self.student == student.as_str()
            && self.problem == problem.as_str()
            && self.source == source
    }
}

/// All that was imported so far.
#[derive(Debug)]
pub struct Manifest {
    file: PathBuf,
    lines: Vec<Line>,
    known: HashSet<Line>,
}

impl Manifest {
    /// Reads the manifest of a staff's folder; an empty one where there is none.
    pub fn load(staff: &Path) -> Result<Self, ManifestError> {
        let file = staff.join(FILE);
        let bytes = match read_regular(&file, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(ManifestError::Io { file, source }),
        };
        // The last line is torn where an import was killed while it wrote; it is written again.
        let whole = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        let mut lines = Vec::new();
        for (index, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            lines.push(
                serde_json::from_slice(line).map_err(|reason| ManifestError::Content {
                    file: file.clone(),
                    line: index + 1,
                    reason,
                })?,
            );
        }
        let known = lines.iter().cloned().collect();
        Ok(Self { file, lines, known })
    }

    /// What was imported, in the order of the imports.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// When these bytes were handed in, if an import knows it: the first time.
    pub fn handed_in(
        &self,
        student: &Student,
        problem: &ProblemSlug,
        source: &str,
    ) -> Option<Timestamp> {
        let same = self
            .lines
            .iter()
            .filter(|line| line.is_of(student, problem, source));
        same.filter_map(|line| line.handed_in).min()
    }

    /// Adds lines that are not there yet, and brings them to the disk.
    pub fn add(&mut self, lines: impl IntoIterator<Item = Line>) -> Result<(), ManifestError> {
        let mut text = Vec::new();
        for line in lines {
            if self.known.insert(line.clone()) {
                // A map of strings always has a JSON form.
                text.extend(serde_json::to_vec(&line).unwrap_or_default());
                text.push(b'\n');
                self.lines.push(line);
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        self.append(&text).map_err(|source| ManifestError::Io {
            file: self.file.clone(),
            source,
        })
    }

    fn append(&self, text: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let options = options.append(true).create(true).mode(0o600);
        let mut file = options.open(&self.file)?;
        // After a torn line, the next one must not run on from it.
        let is_torn = match read_regular(&self.file, BYTES_MAX)?.last() {
            Some(&last) => last != b'\n',
            None => false,
        };
        if is_torn {
            file.write_all(b"\n")?;
        }
        file.write_all(text)?;
        file.sync_all()?;
        sync_name(&self.file)
    }
}
