//! What there is to do in idle time, and what was done.

use std::ops::ControlFlow;

use super::{Course, FOLD, SUBJECT, publication, publish};
use crate::domain::{Digest, Explanation, SubmissionId, Verdict};
use crate::store::{EventKind, STORE_FILE};
use crate::util::samples::slug;

const WRONG: Verdict = Verdict::WrongAnswer;

impl Course {
    fn explained(&self, id: SubmissionId, fold: u8) {
        self.searched(id, fold, Some(Explanation::default()), None);
    }

    fn unsearched(&self) -> Vec<SubmissionId> {
        let reader = self.reader();
        let all = reader.unsearched(WRONG, 10, &mut |_| ControlFlow::Continue(true));
        all.unwrap().into_iter().map(|(one, _)| one.id).collect()
    }
}

#[test]
fn a_judgement_is_searched_once() {
    let course = Course::new();
    let id = course.received("ada", "curling");
    assert_eq!(course.unsearched(), []);
    publish(&course.store, publication(id, FOLD, WRONG));
    assert_eq!(course.unsearched(), [id]);
    course.explained(id, FOLD);
    assert_eq!(course.unsearched(), []);
    let reader = course.reader();
    let finding = |fold| reader.finding(id, Digest([fold; 32])).unwrap();
    assert!(finding(FOLD).is_some() && finding(FOLD + 1).is_none());
    // Its report tells it, and nothing else has happened.
    let events = reader.events_after(0, EventKind::OF_REPORTS, 9).unwrap();
    let kinds: Vec<EventKind> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Verdict, EventKind::Report]);
    // It is judged from something else.
    publish(&course.store, publication(id, FOLD + 1, WRONG));
    assert_eq!(course.unsearched(), [id]);
    // A search that took too long was about the judgement before.
    course.explained(id, FOLD);
    assert_eq!(course.unsearched(), [id]);
    // What was found out holds where a search would rest on the same.
    let mut alike = publication(id, FOLD + 2, WRONG);
    alike.subject = SUBJECT;
    publish(&course.store, alike);
    assert_eq!(course.unsearched(), []);
    assert!(finding(FOLD + 2).is_some());
    // What is to be measured again is not searched before.
    let id = course.judged("bo", "curling", WRONG);
    assert_eq!(course.unsearched(), [id]);
    course.store.writer().measure_again(vec![id]).unwrap();
    assert_eq!(course.unsearched(), []);
}

#[test]
fn what_is_searched_leaves_nothing_to_look_through() {
    let course = Course::new();
    for student in ["ada", "bo", "cy"] {
        course.explained(course.judged(student, "curling", WRONG), FOLD);
    }
    course.judged("dee", "curling", WRONG);
    let mut looked = 0;
    let reader = course.reader();
    let mut wants = |_: &_| {
        looked += 1;
        ControlFlow::Continue(true)
    };
    assert_eq!(reader.unsearched(WRONG, 10, &mut wants).unwrap().len(), 1);
    assert_eq!(looked, 1);
    let file = course.folder.path().join(STORE_FILE);
    let due = rusqlite::Connection::open(file).unwrap();
    let due = due.query_row("SELECT count(*) FROM searches_due", [], |row| row.get(0));
    assert_eq!(due, Ok(1), "what was searched is on no list");
    // Nor is a student who is forgotten.
    drop(reader);
    assert_eq!(course.without("dee").unsearched(), []);
}

#[test]
fn newer_ones_that_cannot_be_searched_hide_no_older_one() {
    let course = Course::new();
    let old = course.judged("ada", "curling", WRONG);
    for number in 0..20 {
        course.judged(&format!("student{number}"), "thegame", WRONG);
    }
    let reader = course.reader();
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
