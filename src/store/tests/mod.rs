//! The store against crashes, other programs, other versions and many callers.

mod attacked;
mod batches;
mod clock;
mod crash;
mod crowd;
mod due;
mod opening;
mod round_trips;

use super::{NewFacts, NewSubmission, Publication, Store};
use crate::domain::{Change, Digest, LanguageId, SubmissionId};
use crate::util::samples;

/// A program for a problem, as it is received.
pub fn program_for(student: &str, problem: &str, source: impl AsRef<[u8]>) -> NewSubmission {
    NewSubmission {
        student: samples::student(student),
        problem: samples::slug(problem),
        language: LanguageId::new("cpp").unwrap(),
        path: format!("{student}/{problem}.cpp"),
        source: samples::source(&format!("{problem}.cpp"), source),
        received_ms: samples::RECEIVED_MS,
    }
}

pub(super) fn program(student: &str, source: &[u8]) -> NewSubmission {
    program_for(student, "curling", source)
}

fn received(store: &Store, student: &str, source: &[u8]) -> SubmissionId {
    let received = store.writer().receive(program(student, source)).unwrap();
    received.submission.id
}

/// A judgement that is folded from something of this number.
pub fn publication_of(submission: SubmissionId, fold: u8, change: Change) -> Publication {
    Publication {
        submission,
        fold: Digest([fold; 32]),
        change,
        document: format!("{{\"fold\":{fold}}}"),
        event_json: "{}".to_owned(),
        slowest_ms: None,
        subject: Digest([0; 32]),
    }
}

/// Publishes it without facts.
pub fn publish(store: &Store, publication: Publication) {
    let facts = NewFacts::default();
    store.writer().publish(publication, facts).unwrap();
}
