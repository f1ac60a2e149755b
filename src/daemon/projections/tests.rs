//! Cursors: they move only past what is on the disk, and one event that fails holds up no other.

use std::sync::{Arc, Mutex, RwLock};

use super::files::{Files, sweep_after};
use super::{About, Cursor, PAGE, Projection};
use crate::domain::{Fault, FaultKind};
use crate::report::Reports;
use crate::store::tests::program_for;
use crate::store::{Event, EventKind, NewRejection, Reader, Store};
use crate::util::files::SCRATCH;
use crate::util::samples::rejection;
use crate::util::sync::lock;
use crate::util::tests::files::write;

/// What may go wrong.
#[derive(Default)]
struct Weather {
    /// Events of these students cannot be applied.
    refused: Vec<&'static str>,
    kind: FaultKind,
    is_ordered: bool,
    applied: Vec<i64>,
}

struct Fragile(Arc<Mutex<Weather>>);

const KINDS: &[EventKind] = &[EventKind::Rejections, EventKind::Report];

impl Projection for Fragile {
    fn is_ordered(&self) -> bool {
        lock(&self.0).is_ordered
    }

    fn apply(&mut self, _: &Reader, events: &[Event], _: &mut Files<'_>) -> Result<(), Fault> {
        let mut weather = lock(&self.0);
        let is_refused = |event: &&Event| {
            let student = event.student();
            student.is_some_and(|student| weather.refused.contains(&student.as_str()))
        };
        if events.iter().any(|event| is_refused(&event)) {
            return Err(Fault::new("write", "no luck").of_kind(weather.kind));
        }
        weather.applied.extend(events.iter().map(|event| event.id));
        Ok(())
    }
}

struct Course {
    folder: tempfile::TempDir,
    store: Store,
    reports: Reports,
    weather: Arc<Mutex<Weather>>,
    cursor: Cursor,
}

impl Course {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state")).unwrap();
        let reports = Reports::new(&folder.path().join("r"), &folder.path().join("s"));
        let weather = Arc::new(Mutex::default());
        Self {
            cursor: Cursor::new(
                About::new("fragile", KINDS, "fragile"),
                Fragile(Arc::clone(&weather)),
            ),
            folder,
            store,
            reports,
            weather,
        }
    }

    /// Two events, of which the projection follows the second.
    fn happens(&self, student: &str) {
        let path = format!("{student}/x.txt");
        let new = NewRejection {
            rejection: rejection(Some(student), &path),
            file: path.into_bytes(),
            mark: b"1".to_vec(),
        };
        let stored = self.store.writer().reject_all(vec![new], |_| "{}".into());
        stored.unwrap();
    }

    /// Whether there is more, or what failed.
    fn advance(&mut self, again: bool) -> Result<bool, Fault> {
        let (is_more, failed) = self.advance_past_failures(again)?;
        failed.map_or(Ok(is_more), Err)
    }

    fn advance_past_failures(&mut self, again: bool) -> Result<(bool, Option<Fault>), Fault> {
        let reader = self.store.reader().unwrap();
        let until = reader.last_event().unwrap();
        let board = RwLock::default();
        let mut out = Files::new(&self.reports, &board);
        self.cursor.advance(&reader, (until, again), &mut out)
    }

    fn applied(&self) -> Vec<i64> {
        std::mem::take(&mut lock(&self.weather).applied)
    }
}

#[test]
fn what_fails_again_holds_up_nothing_that_came_since_and_no_further_page() {
    let mut course = Course::new();
    course.happens("b");
    lock(&course.weather).refused = vec!["b"];
    assert!(course.advance(false).is_err());
    for number in 0..PAGE {
        course.happens(&format!("s{number}"));
    }
    let (is_more, failed) = course.advance_past_failures(true).unwrap();
    assert!(failed.is_some());
    assert_eq!(course.applied().len(), PAGE as usize);
    assert!(is_more, "a full page");
    assert!(!course.advance(false).unwrap());
    assert_eq!(course.cursor.done(), 1);
}

#[test]
fn nothing_is_passed_over_on_a_full_disk_or_where_the_order_matters() {
    for (kind, is_ordered) in [(FaultKind::NoRoom, false), (FaultKind::Retry, true)] {
        let mut course = Course::new();
        for student in ["a", "b", "c"] {
            course.happens(student);
        }
        *lock(&course.weather) = Weather {
            refused: vec!["b"],
            kind,
            is_ordered,
            applied: Vec::new(),
        };
        assert!(course.advance(false).is_err());
        // It is tried when it is time.
        assert!(!course.advance(false).unwrap());
        assert_eq!(course.applied(), [0; 0]);
        assert_eq!(course.cursor.done(), 0);
        lock(&course.weather).refused.clear();
        assert!(!course.advance(true).unwrap());
        assert_eq!(course.applied(), [2, 4, 6]);
    }
}

#[test]
fn many_events_of_one_submission_are_applied_once() {
    let mut course = Course::new();
    let new = program_for("a", "sum", "1");
    let id = course.store.writer().receive(new).unwrap().submission().id;
    let again = vec![id; 3 * PAGE as usize];
    course.store.writer().tell_deadlines(again, 1).unwrap();
    while course.advance(false).unwrap() {}
    assert_eq!(course.applied().len(), PAGE as usize);
    course.store.writer().tell_deadlines(vec![id], 2).unwrap();
    course.advance(false).unwrap();
    assert_eq!(course.applied().len(), 1, "it has happened since");
}

#[test]
fn what_a_sudden_end_left_is_removed_where_files_may_have_been_written() {
    let course = Course::new();
    let reader = course.store.reader().unwrap();
    course.happens("early");
    let before = reader.last_event().unwrap();
    course.happens("b");
    let received = program_for("c", "sum", "1");
    course.store.writer().receive(received).unwrap();
    let folders = "r/early/rejected r/b/rejected s/b r/c s/c/sum s/problems".split(' ');
    let all: Vec<String> = folders.map(|at| format!("{at}/{SCRATCH}x1y2")).collect();
    let root = course.folder.path();
    for file in &all {
        write(root, file, "ha");
    }
    let left = || all.iter().filter(|file| root.join(file).exists());
    sweep_after(before, false, &course.reports, &reader).unwrap();
    assert!(left().eq(&all[..1]));
    sweep_after(0, false, &course.reports, &reader).unwrap();
    assert_eq!(left().count(), 0);
}
