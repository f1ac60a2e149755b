//! The store against other programs and other versions, and what there is to do in idle time.

mod attacked;
mod due;
mod opening;
mod round_trips;

use super::{NewFacts, NewSubmission, Publication, Reader, Searched, Store, forget};
use crate::domain::{Cause, Change, Digest, Explanation, LanguageId, Score, SubmissionId, Verdict};
use crate::util::samples;

/// What most judgements are folded from.
const FOLD: u8 = 1;
/// What searches rest on.
const SUBJECT: Digest = Digest([2; 32]);

/// A new store in a folder of its own.
pub fn opened() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store)
}

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
    received.submission().id
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

/// One with points, whose moment is its fold's number.
fn publication(submission: SubmissionId, fold: u8, verdict: Verdict) -> Publication {
    let failed = verdict != Verdict::Accepted;
    let failing = failed.then_some("secret/1");
    let mut change = samples::change(verdict, failing, i64::from(fold));
    change.published.cause = failed.then_some(Cause::Signal(11));
    let got = if failed { 30 } else { 100 };
    change.published.score = Score { got, of: 100 };
    Publication {
        slowest_ms: (verdict != Verdict::CompileError).then_some(u32::from(fold)),
        subject: Digest([fold + 100; 32]),
        ..publication_of(submission, fold, change)
    }
}

/// Publishes it without facts.
pub fn publish(store: &Store, publication: Publication) {
    let facts = NewFacts::default();
    store.writer().publish(publication, facts).unwrap();
}

/// A store with submissions, some of which are judged and searched.
struct Course {
    folder: tempfile::TempDir,
    store: Store,
}

impl Course {
    fn new() -> Self {
        Self::of(tempfile::tempdir().unwrap())
    }

    fn of(folder: tempfile::TempDir) -> Self {
        let store = Store::open(folder.path()).unwrap();
        Self { folder, store }
    }

    fn reader(&self) -> Reader {
        self.store.reader().unwrap()
    }

    fn received(&self, student: &str, problem: &str) -> SubmissionId {
        let new = program_for(student, problem, student);
        self.store.writer().receive(new).unwrap().submission().id
    }

    fn judged(&self, student: &str, problem: &str, verdict: Verdict) -> SubmissionId {
        let id = self.received(student, problem);
        publish(&self.store, publication(id, FOLD, verdict));
        id
    }

    /// What a search about the judgement that is folded from this has found.
    fn searched(&self, id: SubmissionId, fold: u8, found: Option<Explanation>, to: Option<i64>) {
        let searched = Searched {
            submission: id,
            fold: Digest([fold; 32]),
            subject: SUBJECT,
            ended_ms: 1,
            explanation: found,
            tried_to: to,
        };
        self.store.writer().put_search(searched).unwrap();
    }

    /// A student is forgotten.
    fn without(self, student: &str) -> Self {
        let Self { folder, store } = self;
        drop(store);
        forget(folder.path(), &samples::student(student)).unwrap();
        Self::of(folder)
    }
}
