//! What a student handed in.

use std::sync::Arc;

use super::{Digest, LanguageId, ProblemSlug, Student};

/// A submission's row in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubmissionId(pub i64);

/// How often a student has handed in something new for a problem, from 1.
pub type Attempt = u32;

/// One program, as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// Its row in the store.
    pub id: SubmissionId,
    /// Who handed it in.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// In which language.
    pub language: LanguageId,
    /// The attempt's number for this student and problem, from 1.
    pub attempt: Attempt,
    /// The name that the file had, without folders.
    pub file_name: String,
    /// Digest of the source.
    pub source_digest: Digest,
    /// The source, as the bytes it is.
    pub source: Arc<[u8]>,
    /// When it was received, in milliseconds since 1970 UTC.
    pub received_ms: i64,
}

/// A file that is not a submission, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The student, where the path tells.
    pub student: Option<Student>,
    /// The path below the submissions folder, made printable.
    pub path: String,
    /// Why, and what to do about it.
    pub reason: String,
    /// When it was seen, in milliseconds since 1970 UTC.
    pub seen_ms: i64,
}
