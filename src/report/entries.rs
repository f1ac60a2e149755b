//! What the logs say of verdicts, hacks and rejections.

use super::log_schema::{Entry, HackEntry, HackState, RejectionEntry, VerdictEntry};
use super::schema::{Document, TestPart};
use super::text::hack::HackReport;
use super::units::{NAME_CHARACTERS_MAX, SENTENCE_CHARACTERS_MAX, line};
use crate::domain::{Rejection, Verdict};

impl Entry {
    /// What the logs say of a document, why it was judged, and which verdict it replaces.
    pub fn of_verdict(document: &Document, because: &str, before: Option<Verdict>) -> Self {
        let submission = &document.submission;
        let most = |of: fn(&TestPart) -> u64| document.tests.iter().map(of).max().unwrap_or(0);
        Self::Verdict(VerdictEntry {
            submission: submission.id,
            student: submission.student.clone(),
            problem: submission.problem.clone(),
            attempt: submission.attempt,
            language: submission.language.clone(),
            verdict: document.verdict,
            cause: document.cause.clone(),
            score: document.score,
            first_failing_test: document.first_failing_test.clone(),
            cpu_ms_max: most(|test| test.cpu_ms),
            memory_kib_max: most(|test| test.memory_kib),
            because: line(because, NAME_CHARACTERS_MAX),
            before,
        })
    }

    /// What the logs say of a hack.
    pub fn of_hack(hack: &HackReport, state: HackState) -> Self {
        let judged = state == HackState::Judged;
        Self::Hack(HackEntry {
            problem: hack.problem.clone(),
            name: line(&hack.name, NAME_CHARACTERS_MAX),
            file: line(&hack.file_name, NAME_CHARACTERS_MAX),
            state,
            reason: hack
                .refused
                .as_deref()
                .filter(|_| matches!(state, HackState::Refused | HackState::HeldBack))
                .map(|reason| line(reason, SENTENCE_CHARACTERS_MAX)),
            fell: judged.then_some(hack.fell_count as u64),
            stood: judged.then_some(hack.stood_count as u64),
            took_ms: hack.took_ms.filter(|_| judged),
        })
    }

    /// What the logs say of a rejection.
    pub fn of_rejection(rejection: &Rejection) -> Self {
        Self::Rejection(RejectionEntry {
            student: rejection.student.as_ref().map(ToString::to_string),
            path: line(&rejection.path, NAME_CHARACTERS_MAX),
            reason: line(&rejection.reason, SENTENCE_CHARACTERS_MAX),
        })
    }
}
