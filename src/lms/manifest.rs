//! `imports.jsonl` in the staff's folder: which entry of which archive became which submission.
//!
//! Grades and feedback go back under the entries' exact names, and the times are the platform's.
//! The file names people and their addresses, so that only its owner can read it. It is only ever
//! added to, and the same line is never in it twice.

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::plan::HandIn;
use super::times::timing;
use crate::course::Times;
use crate::domain::Complaint;
use crate::util::files::{make_folder, read_regular, sync_name};
use crate::util::hash::digest;

/// Its name in the staff's folder.
pub const FILE: &str = "imports.jsonl";
/// The largest manifest, in bytes: some hundred thousand lines.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// How often a manifest is opened that is replaced in the meantime.
const TRIES: usize = 10;

/// Somebody else imports into this course now.
const BUSY: &str = "another import writes to it";
/// What to do with a line that is not one of ours.
const HELP: &str = "take the line out, or move the file away and import the archives again";

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
    /// Whose it is.
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
    /// Whoever imported it has said that it was not late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_time: bool,
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
            on_time: hand_in.on_time,
            keys: keys
                .map(|(key, value)| (key.column().to_owned(), value.clone()))
                .collect(),
            name: hand_in.who.name.clone(),
        }
    }
}

/// All that was imported so far.
#[derive(Debug, Default)]
pub struct Manifest {
    lines: Vec<Line>,
    known: HashSet<Line>,
}

impl Manifest {
    /// Reads the manifest of a staff's folder; an empty one where there is none.
    pub fn load(staff: &Path) -> Result<Self, Complaint> {
        let file = staff.join(FILE);
        match read_regular(&file, BYTES_MAX) {
            Ok(bytes) => Self::read(&file, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Complaint::new(file, error)),
        }
    }

    fn read(file: &Path, bytes: &[u8]) -> Result<Self, Complaint> {
        let mut manifest = Self::default();
        let lines = bytes[..whole(bytes)].split(|&byte| byte == b'\n');
        for (index, line) in lines.enumerate() {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line = serde_json::from_slice(line).map_err(|reason| {
                let complaint = Complaint::new(file, reason).on(index + 1);
                complaint.with_help(HELP)
            });
            manifest.know(line?);
        }
        Ok(manifest)
    }

    /// What was imported, in the order of the imports.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// What is known of the times of everything that was imported.
    pub fn times(&self) -> Times {
        let mut times = Times::default();
        for line in &self.lines {
            let timing = timing(&line.platform, line.handed_in, line.late, line.on_time);
            times.add(&line.student, &line.problem, &line.source, timing);
        }
        times
    }

    fn know(&mut self, line: Line) -> bool {
        if !self.known.insert(line.clone()) {
            return false;
        }
        self.lines.push(line);
        true
    }
}

/// How many bytes are whole lines. The last line is torn where an import was killed while it wrote
/// it, and is written again.
fn whole(bytes: &[u8]) -> usize {
    let last = bytes.iter().rposition(|&byte| byte == b'\n');
    last.map_or(0, |end| end + 1)
}

/// Keeps imports out of a course until it is dropped; `None` where nothing was imported yet.
pub fn keep_out(staff: &Path) -> Result<Option<File>, Complaint> {
    let path = staff.join(FILE);
    if !path.exists() {
        return Ok(None);
    }
    lock(&path, OpenOptions::new().append(true)).map(Some)
}

/// Opens the manifest for nobody else.
fn lock(path: &Path, options: &OpenOptions) -> Result<File, Complaint> {
    let failed = |error: io::Error| Complaint::new(path, error);
    let busy = || Complaint::new(path, BUSY).with_help("wait until that one is done");
    for _ in 0..TRIES {
        let file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Whoever had it may have put another file in its place before it was free.
        let opened = file.metadata().map_err(failed)?;
        let there = std::fs::metadata(path);
        if there.is_ok_and(|there| (there.dev(), there.ino()) == (opened.dev(), opened.ino())) {
            return Ok(file);
        }
    }
    Err(busy())
}

/// The manifest of a course into which this process alone imports, until it is dropped.
#[derive(Debug)]
pub struct Pen {
    manifest: Manifest,
    path: PathBuf,
    file: File,
}

/// A child process that has not run its program yet still has the descriptor, which would go on
/// keeping others out.
impl Drop for Pen {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Pen {
    /// Takes the manifest of a staff's folder, which is made if there is none.
    pub fn take(staff: &Path) -> Result<Self, Complaint> {
        let path = staff.join(FILE);
        let failed = |error: io::Error| Complaint::new(&path, error);
        make_folder(staff).map_err(failed)?;
        let mut options = OpenOptions::new();
        let file = lock(&path, options.append(true).create(true).mode(0o600))?;
        let bytes = read_regular(&path, BYTES_MAX).map_err(failed)?;
        let manifest = Manifest::read(&path, &bytes)?;
        // What is torn must not become the beginning of the next line.
        file.set_len(whole(&bytes) as u64).map_err(failed)?;
        Ok(Self {
            manifest,
            path,
            file,
        })
    }

    /// Adds lines that are not there yet, and brings them to the disk.
    pub fn add(&mut self, lines: impl IntoIterator<Item = Line>) -> Result<(), Complaint> {
        let mut text = Vec::new();
        for line in lines {
            // A map of strings always has a JSON form.
            let json = serde_json::to_vec(&line).unwrap_or_default();
            if self.manifest.know(line) {
                text.extend(json);
                text.push(b'\n');
            }
        }
        if text.is_empty() {
            return Ok(());
        }
        let written = self
            .file
            .write_all(&text)
            .and_then(|()| self.file.sync_all())
            .and_then(|()| sync_name(&self.path));
        written.map_err(|error| Complaint::new(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Line, Manifest, Pen};

    fn line(entry: &str, hour: u8) -> Line {
        let text = format!(
            r#"{{"platform":"vpl","archive":"a.zip","entry":"{entry}","student":"ada",
            "problem":"sum","source":"aa","handed_in":"2026-10-02T{hour:02}:00:00Z","keys":{{}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_torn_line_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let staff = folder.path();
        assert!(Manifest::load(staff).unwrap().lines().is_empty());
        Pen::take(staff).unwrap().add([line("a", 12)]).unwrap();
        let file = staff.join(FILE);
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, [&whole[..], b"{\"platform\":\"vp"].concat()).unwrap();
        assert_eq!(Manifest::load(staff).unwrap().lines(), [line("a", 12)]);
        let mut pen = Pen::take(staff).unwrap();
        let busy = Pen::take(staff).unwrap_err().to_string();
        assert!(busy.contains("another import writes to it"), "{busy}");
        pen.add([line("a", 12), line("b", 9)]).unwrap();
        let manifest = Manifest::load(staff).unwrap();
        assert_eq!(manifest.lines(), [line("a", 12), line("b", 9)]);
        assert!(std::fs::read(&file).unwrap().starts_with(&whole));
        std::fs::write(&file, "{}\n").unwrap();
        let error = Manifest::load(staff).unwrap_err().to_string();
        assert!(error.contains("imports.jsonl:1: "), "{error}");
    }
}
