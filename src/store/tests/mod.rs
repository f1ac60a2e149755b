//! The store against crashes, other programs, other versions and many callers.

mod attacked;
mod batches;
mod clock;
mod crash;
mod crowd;
mod due;
mod opening;
mod round_trips;

use super::{NewSubmission, Store};
use crate::domain::{LanguageId, SubmissionId};
use crate::util::samples;

pub(super) fn program(student: &str, source: &[u8]) -> NewSubmission {
    NewSubmission {
        student: samples::student(student),
        problem: samples::slug("curling"),
        language: LanguageId::new("cpp").unwrap(),
        path: format!("{student}/curling.cpp"),
        source: samples::source("curling.cpp", source),
        received_ms: samples::RECEIVED_MS,
    }
}

fn received(store: &Store, student: &str, source: &[u8]) -> SubmissionId {
    let received = store.writer().receive(program(student, source)).unwrap();
    received.submission.id
}
