//! What there is to do in idle time, and what was done.

use std::ops::ControlFlow;

use super::round_trips::publication;
use super::{program_for, publish};
use crate::domain::{Digest, Explanation, SubmissionId, Verdict};
use crate::store::{EventKind, Publication, STORE_FILE, Searched, Store, forget};
use crate::util::samples::{slug, student};

const WRONG: Verdict = Verdict::WrongAnswer;
/// What most judgements are folded from.
const FOLD: u8 = 1;

struct Course {
    folder: tempfile::TempDir,
    store: Store,
}

impl Course {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        Self { folder, store }
    }

    fn received(&self, student: &str, problem: &str) -> SubmissionId {
        let new = program_for(student, problem, student);
        self.store.writer().receive(new).unwrap().submission.id
    }

    fn judged(&self, id: SubmissionId, fold: u8) {
        self.judged_alike(id, fold, Digest([fold + 100; 32]));
    }

    /// A judgement about which a search would rest on this.
    fn judged_alike(&self, id: SubmissionId, fold: u8, subject: Digest) {
        let judgement = Publication {
            subject,
            ..publication(id, fold, WRONG)
        };
        publish(&self.store, judgement);
    }

    fn searched(&self, id: SubmissionId, fold: u8) {
        let searched = Searched {
            submission: id,
            fold: Digest([fold; 32]),
            subject: Digest([2; 32]),
            ended_ms: 1,
            explanation: Some(Explanation::default()),
            tried_to: None,
        };
        self.store.writer().put_search(searched).unwrap();
    }

    /// A failing program about which something was found out.
    fn explained(&self, student: &str, problem: &str) -> SubmissionId {
        let id = self.received(student, problem);
        self.judged(id, FOLD);
        self.searched(id, FOLD);
        id
    }

    fn unsearched(&self) -> Vec<SubmissionId> {
        let reader = self.store.reader().unwrap();
        let all = reader.unsearched(WRONG, 10, &mut |_| ControlFlow::Continue(true));
        all.unwrap().into_iter().map(|(one, _)| one.id).collect()
    }
}

#[test]
fn a_judgement_is_searched_once() {
    let course = Course::new();
    let id = course.received("ada", "curling");
    assert_eq!(course.unsearched(), []);
    course.judged(id, FOLD);
    assert_eq!(course.unsearched(), [id]);
    course.searched(id, FOLD);
    assert_eq!(course.unsearched(), []);
    let reader = course.store.reader().unwrap();
    let finding = |fold| reader.finding(id, Digest([fold; 32])).unwrap();
    assert!(finding(FOLD).is_some() && finding(FOLD + 1).is_none());
    // Its report tells it, and nothing else has happened.
    let events = reader.events_after(0, EventKind::OF_REPORTS, 9).unwrap();
    let kinds: Vec<EventKind> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Verdict, EventKind::Report]);
    // It is judged from something else.
    course.judged(id, FOLD + 1);
    assert_eq!(course.unsearched(), [id]);
    // A search that took too long was about the judgement before.
    course.searched(id, FOLD);
    assert_eq!(course.unsearched(), [id]);
    // What was found out holds where a search would rest on the same.
    course.judged_alike(id, FOLD + 2, Digest([2; 32]));
    assert_eq!(course.unsearched(), []);
    assert!(finding(FOLD + 2).is_some());
}

#[test]
fn what_is_to_be_measured_again_is_not_searched_before() {
    let course = Course::new();
    let id = course.received("ada", "curling");
    course.judged(id, FOLD);
    course.store.writer().measure_again(vec![id]).unwrap();
    assert_eq!(course.unsearched(), []);
}

#[test]
fn what_is_searched_leaves_nothing_to_look_through() {
    let course = Course::new();
    for student in ["ada", "bo", "cy"] {
        course.explained(student, "curling");
    }
    let rest = course.received("dee", "curling");
    course.judged(rest, FOLD);
    let mut looked = 0;
    let reader = course.store.reader().unwrap();
    let mut wants = |_: &_| {
        looked += 1;
        ControlFlow::Continue(true)
    };
    assert_eq!(reader.unsearched(WRONG, 10, &mut wants).unwrap().len(), 1);
    assert_eq!(looked, 1);
    let file = course.folder.path().join(STORE_FILE);
    let due = rusqlite::Connection::open(file).unwrap();
    let due: i64 = due
        .query_row("SELECT count(*) FROM searches_due", [], |row| row.get(0))
        .unwrap();
    assert_eq!(due, 1, "what was searched is on no list");
    // Nor is a student who is forgotten.
    let Course { folder, store } = course;
    drop((reader, store));
    forget(folder.path(), &student("dee")).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert_eq!(Course { folder, store }.unsearched(), []);
}

#[test]
fn newer_ones_that_cannot_be_searched_hide_no_older_one() {
    let course = Course::new();
    let old = course.received("ada", "curling");
    course.judged(old, FOLD);
    for number in 0..20 {
        let id = course.received(&format!("student{number}"), "thegame");
        course.judged(id, FOLD);
    }
    let reader = course.store.reader().unwrap();
    let (most, mut looked) = (5, 0);
    let found = reader.unsearched(WRONG, most, &mut |(one, _)| {
        looked += 1;
        ControlFlow::Continue(one.problem == slug("curling"))
    });
    let ids: Vec<SubmissionId> = found.unwrap().into_iter().map(|(one, _)| one.id).collect();
    assert_eq!((ids, looked), (vec![old], 21));
    let latest = reader.unsearched(WRONG, most, &mut |_| ControlFlow::Continue(true));
    let latest: Vec<i64> = latest.unwrap().iter().map(|(one, _)| one.id.0).collect();
    assert_eq!(latest, [21, 20, 19, 18, 17]);
    let none = reader.unsearched(WRONG, most, &mut |_| ControlFlow::Break(()));
    assert_eq!(none.unwrap(), []);
}
