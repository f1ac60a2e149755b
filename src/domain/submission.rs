//! What a student handed in.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::{Digest, LanguageId, ProblemSlug, Student, words};

/// A submission's row in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct SubmissionId(pub i64);

/// How often a student has handed in something new for a problem, from 1.
pub type Attempt = u32;

/// One attempt of a student at a problem. Its program is a [`SourceFile`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    pub id: SubmissionId,
    pub student: Student,
    pub problem: ProblemSlug,
    pub language: LanguageId,
    pub attempt: Attempt,
    /// When it was received, in milliseconds since 1970 UTC.
    pub received_ms: i64,
}

impl Submission {
    /// What people call it.
    pub fn name(&self) -> SubmissionName {
        SubmissionName {
            student: self.student.clone(),
            problem: self.problem.clone(),
            attempt: self.attempt,
        }
    }

    /// The same without the attempt: `alpha/curling`.
    pub fn whose(&self) -> String {
        format!("{}/{}", self.student, self.problem)
    }
}

impl fmt::Display for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

/// What people call a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubmissionName {
    pub student: Student,
    pub problem: ProblemSlug,
    pub attempt: Attempt,
}

/// `alpha/curling #2`.
impl fmt::Display for SubmissionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} #{}", self.student, self.problem, self.attempt)
    }
}

/// What the name of a file ends in, by its path; empty where it has no dot.
pub fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether a file beside a program is a header that it may include, by its name.
pub fn is_header(name: &str) -> bool {
    ["h", "hpp", "hh"].contains(&&*ending(name).to_ascii_lowercase())
}

/// A file's name without folders, and its bytes.
pub type NamedFile = (String, Arc<[u8]>);

/// What a problem adds to the files of a program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Added<'p> {
    pub files: &'p [NamedFile],
    /// Whether a driver is one by its name alone, which is `main`; else the only source of a language
    /// is one too.
    pub names_driver: bool,
}

/// A program as its author wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The name that the file had, without folders.
    pub name: String,
    pub digest: Digest,
    pub bytes: Arc<[u8]>,
}

/// A file that is not a submission, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The student, where the path tells.
    pub student: Option<Student>,
    /// The path below the submissions folder, made printable.
    pub path: String,
    pub kind: RejectionKind,
    /// Why, and what to do about it.
    pub reason: String,
    /// When it was seen, in milliseconds since 1970 UTC.
    pub seen_ms: i64,
}

words! {
    /// What a rejection is about. The words of a reason change with the names and bounds of the
    /// course; while the kind stays, the file is rejected for what it was rejected for before, and
    /// nobody is told again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RejectionKind by word {
        /// It lies where nothing is looked at.
        Place = "place",
        /// Its name does not say whose it is, or cannot be read.
        Name = "name",
        /// No problem has this name.
        Problem = "problem",
        /// No language has this extension.
        Extension = "extension",
        /// Its language is not offered here.
        NotOffered = "not-offered",
        /// It is a folder, a link, a pipe, a socket or a device.
        NotAFile = "not-a-file",
        /// It has a second name.
        HardLink = "hard-link",
        /// There is nothing in it.
        Empty = "empty",
        /// It is larger than a source may be.
        TooLarge = "too-large",
        /// It may not be read.
        Unreadable = "unreadable",
        /// There are more files than are looked at.
        TooMany = "too-many",
        /// It is one attempt more than the course allows in this time.
        TooSoon = "too-soon",
    }
}
