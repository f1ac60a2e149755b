//! What the instructor says about the course, read from its files: the roster, course.toml, the
//! decisions, and the list of what was imported. A file with a mistake changes nothing: what was
//! read before stays in force.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::course::{Decisions, Roster, Rules, Terms, Times, Timing};
use crate::domain::Digest;
use crate::exports::CourseSource;
use crate::import::{Line, Manifest};
use crate::overview::Grading;
use crate::util::hash::Key;

/// The platforms that mark what is late and give no times.
const MARKS_LATE: [&str; 1] = ["canvas"];

/// One of the files, as far as it tells whether it was changed.
pub type Stamp = Option<(i64, i64, u64, u64)>;

/// What a course's files say, read again when they change.
#[derive(Default)]
pub struct GradingFiles {
    pub grading: Arc<Grading>,
    /// What it was read from.
    seen: Option<(CourseSource, Vec<(PathBuf, Stamp)>)>,
}

/// What reading the files again has brought.
pub struct Renewal {
    /// Whether they, or what the configuration says, are others than before.
    pub is_other: bool,
    /// What is wrong with them.
    pub wrong: Vec<String>,
}

impl GradingFiles {
    /// Whether a file is another one than was read.
    pub fn are_changed(&self) -> bool {
        let stamps = self.seen.iter().flat_map(|(_, stamps)| stamps);
        self.seen.is_none()
            || stamps
                .into_iter()
                .any(|(file, before)| stamp(file) != *before)
    }

    /// Reads the files again.
    pub fn renew(&mut self, source: &CourseSource) -> Renewal {
        let is_same = !self.are_changed();
        let is_same = is_same && self.seen.as_ref().is_some_and(|(known, _)| known == source);
        // Before they are read: what is written meanwhile is read the next time.
        let files = files(source).into_iter();
        let stamps = files.map(|file| (stamp(&file), file));
        let stamps = stamps.map(|(stamp, file)| (file, stamp)).collect();
        let (grading, wrong) = load(source, &self.grading);
        self.grading = Arc::new(grading);
        self.seen = Some((source.clone(), stamps));
        Renewal {
            is_other: !is_same,
            wrong,
        }
    }

    /// A digest of which files it was read from and of their stamps.
    pub fn digest(&self) -> Digest {
        let mut key = Key::new("grading files");
        for (file, stamp) in self.seen.iter().flat_map(|(_, stamps)| stamps) {
            key = key.part(file.as_os_str().as_bytes());
            key = match stamp {
                None => key.part(b""),
                Some((seconds, nanoseconds, size, inode)) => key
                    .part(&seconds.to_le_bytes())
                    .part(&nanoseconds.to_le_bytes())
                    .part(&size.to_le_bytes())
                    .part(&inode.to_le_bytes()),
            };
        }
        key.finish()
    }
}

fn files(source: &CourseSource) -> Vec<PathBuf> {
    let own = ["course.toml", "decisions.csv"].map(|name| source.folder.join(name));
    let imports = source.staff.join("imports.jsonl");
    let files = own.into_iter().chain([imports]);
    let extensions = Terms::extensions_file(&source.folder);
    files
        .chain(source.roster.clone())
        .chain(extensions)
        .collect()
}

/// The stamp of a file as it is now; `None` where there is none.
pub fn stamp(file: &Path) -> Stamp {
    let now = std::fs::metadata(file).ok()?;
    Some((now.mtime(), now.mtime_nsec(), now.size(), now.ino()))
}

/// Reads all of it. Of a file with a mistake, what was read before is kept; says what is wrong.
pub fn load(source: &CourseSource, before: &Grading) -> (Grading, Vec<String>) {
    let mut wrong = Vec::new();
    let roster = match source.roster.as_deref().map(Roster::load) {
        None => Arc::default(),
        Some(Ok(roster)) => Arc::new(roster),
        Some(Err(error)) => {
            wrong.push(error.to_string());
            Arc::clone(&before.roster)
        }
    };
    let terms = match Terms::load(&source.folder) {
        Ok(terms) => Arc::new(terms.unwrap_or_else(|| Terms::without_file(source.counts))),
        Err(error) => {
            wrong.push(error.to_string());
            Arc::clone(&before.rules.terms)
        }
    };
    let decisions = match Decisions::load(&source.folder) {
        Ok(decisions) => Arc::new(decisions),
        Err(error) => {
            wrong.push(error.to_string());
            Arc::clone(&before.rules.decisions)
        }
    };
    let times = match Manifest::load(&source.staff) {
        Ok(manifest) => Arc::new(times(manifest.lines())),
        Err(error) => {
            wrong.push(error.to_string());
            Arc::clone(&before.times)
        }
    };
    let grading = Grading {
        rules: Arc::new(Rules { terms, decisions }),
        roster,
        times,
    };
    (grading, wrong)
}

fn times(lines: &[Line]) -> Times {
    let mut times = Times::default();
    for line in lines {
        let marks_late = MARKS_LATE.contains(&line.platform.as_str());
        let timing = match line.handed_in {
            Some(at) => Timing::At(at),
            None if marks_late && !line.late => Timing::OnTime,
            None => Timing::Unknown,
        };
        times.add(&line.student, &line.problem, &line.source, timing);
    }
    times
}
