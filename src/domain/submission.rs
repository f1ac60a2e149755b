//! What a student handed in.

use std::fmt;
use std::sync::Arc;

use super::{Digest, LanguageId, ProblemSlug, Student};

/// A submission's row in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// `alpha/curling #2`, as people are told which one it is.
impl fmt::Display for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} #{}", self.student, self.problem, self.attempt)
    }
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

/// What a rejection is about. The words of a reason change with the names and bounds of the course;
/// as long as the kind stays,
/// the file is rejected for what it was rejected for before, and nobody is told again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionKind {
    /// It lies where nothing is looked at.
    Place,
    /// Its name does not say whose it is, or cannot be read.
    Name,
    /// No problem has this name.
    Problem,
    /// No language has this extension.
    Extension,
    /// Its language is not offered here.
    NotOffered,
    /// It is a folder, a link, a pipe, a socket or a device.
    NotAFile,
    /// It has a second name.
    HardLink,
    /// There is nothing in it.
    Empty,
    /// It is larger than a source may be.
    TooLarge,
    /// It may not be read.
    Unreadable,
    /// There are more files than are looked at.
    TooMany,
    /// It is one attempt more than the course allows in this time.
    TooSoon,
}

impl RejectionKind {
    const ALL: [Self; 12] = [
        Self::Place,
        Self::Name,
        Self::Problem,
        Self::Extension,
        Self::NotOffered,
        Self::NotAFile,
        Self::HardLink,
        Self::Empty,
        Self::TooLarge,
        Self::Unreadable,
        Self::TooMany,
        Self::TooSoon,
    ];

    /// The word that the store keeps.
    pub fn word(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Name => "name",
            Self::Problem => "problem",
            Self::Extension => "extension",
            Self::NotOffered => "not-offered",
            Self::NotAFile => "not-a-file",
            Self::HardLink => "hard-link",
            Self::Empty => "empty",
            Self::TooLarge => "too-large",
            Self::Unreadable => "unreadable",
            Self::TooMany => "too-many",
            Self::TooSoon => "too-soon",
        }
    }

    /// Reads [`Self::word`] back.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}
