//! The domain's nouns, made up for tests.

use std::sync::Arc;

use super::hash;
use crate::domain::{
    Change, LanguageId, ProblemSlug, Published, SourceFile, Student, Submission, SubmissionId,
    Verdict,
};

/// When the first attempt was received.
pub const RECEIVED_MS: i64 = 1_772_368_200_123;

pub fn student(name: &str) -> Student {
    Student::new(name).unwrap()
}

pub fn slug(name: &str) -> ProblemSlug {
    ProblemSlug::new(name).unwrap()
}

/// Its number is its attempt's too, and each was received a minute after the one before.
pub fn submission(number: u32, name: &str, problem: &str) -> Submission {
    Submission {
        id: SubmissionId(i64::from(number)),
        student: student(name),
        problem: slug(problem),
        language: LanguageId::new("cpp").unwrap(),
        attempt: number,
        received_ms: RECEIVED_MS + i64::from(number) * 60_000,
    }
}

pub fn source(name: &str, text: impl AsRef<[u8]>) -> SourceFile {
    SourceFile {
        name: name.to_owned(),
        digest: hash::digest(text.as_ref()),
        bytes: Arc::from(text.as_ref()),
    }
}

/// A first verdict without a cause.
pub fn change(verdict: Verdict, failing: Option<&str>, judged_ms: i64) -> Change {
    Change {
        published: Published {
            verdict,
            cause: None,
            first_failing_test: failing.map(Arc::from),
            judged_ms,
        },
        because: Arc::from("received"),
    }
}
