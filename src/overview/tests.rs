//! The scoreboard against tables of attempts, and against itself after random events.

use std::sync::RwLock;

use proptest::prelude::*;

use super::scoreboard::PAGE;
use super::{Cell, Changes, Entry, Grading, Scoreboard};
use crate::config::Counts;
use crate::domain::{Digest, ProblemSlug, Student, SubmissionId, Verdict};
use crate::store::tests::{opened, program_for, publication_of};
use crate::store::{self, Reader, Store};
use crate::util::samples::{change, slug, student, submission};
use crate::util::tests::trials::trials;

fn submissions(board: &Scoreboard) -> usize {
    let cells = board.students().flat_map(|(_, cells)| cells.values());
    cells.map(Cell::attempts).sum()
}

/// An attempt, received and judged a minute after the one before; `None` waits.
pub fn entry(name: &str, problem: &str, attempt: u32, verdict: Option<Verdict>) -> Entry {
    let submission = submission(attempt, name, problem);
    let published = verdict.map(|verdict| {
        let is_on_test = verdict != Verdict::Accepted && verdict != Verdict::CompileError;
        let failing = is_on_test.then_some("secret/010-two-wide");
        change(verdict, failing, submission.received_ms + 1_000).published
    });
    Entry {
        slowest_ms: verdict.and_then(|verdict| (verdict != Verdict::CompileError).then_some(120)),
        source: Digest([0; 32]),
        submission,
        published,
    }
}

fn cell(verdicts: &[Option<Verdict>]) -> Cell {
    let entries = verdicts.iter().zip(1..);
    let entries = entries.map(|(verdict, attempt)| entry("alpha", "curling", attempt, *verdict));
    Cell {
        entries: entries.collect(),
    }
}

#[test]
fn the_attempt_that_counts() {
    const AC: Option<Verdict> = Some(Verdict::Accepted);
    const WA: Option<Verdict> = Some(Verdict::WrongAnswer);
    const CE: Option<Verdict> = Some(Verdict::CompileError);
    for (verdicts, best, last, accepted, waits) in [
        (&[][..], None, None, None, false),
        (&[None], None, None, None, true),
        (&[WA], Some(1), Some(1), None, false),
        (&[WA, None], Some(1), Some(1), None, true),
        (&[AC, WA, CE], Some(1), Some(3), Some(1), false),
        (&[WA, AC, AC], Some(2), Some(3), Some(2), false),
        (&[None, CE, None], Some(2), Some(2), None, true),
    ] {
        let cell = cell(verdicts);
        let attempt = |entry: Option<&Entry>| entry.map(|entry| entry.submission.attempt);
        let counting = |counts| attempt(Grading::without_files(counts).counting(&cell));
        assert_eq!(counting(Counts::Best), best, "{verdicts:?}");
        assert_eq!(counting(Counts::Last), last, "{verdicts:?}");
        assert_eq!(attempt(cell.first_accepted()), accepted, "{verdicts:?}");
        assert_eq!(cell.is_waiting(), waits, "{verdicts:?}");
        assert_eq!(cell.attempts(), verdicts.len());
    }
}

/// Something that happens to a store.
#[derive(Debug, Clone)]
enum Step {
    Receive(usize, usize, u8),
    Publish(usize, usize, u8),
    Look,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let receive = (0..3usize, 0..2usize, any::<u8>());
    let publish = (any::<usize>(), 0..Verdict::ALL.len(), 0..3u8);
    let step = prop_oneof![
        receive.prop_map(|(student, problem, byte)| Step::Receive(student, problem, byte)),
        publish.prop_map(|(which, verdict, fold)| Step::Publish(which, verdict, fold)),
        Just(Step::Look),
    ];
    proptest::collection::vec(step, 1..40)
}

fn catch_up(board: &mut Scoreboard, reader: &Reader) -> Changes {
    let mut all = Changes::default();
    let shared = RwLock::new(std::mem::take(board));
    Scoreboard::follow(&shared, reader, |changes| all.add(changes)).unwrap();
    *board = shared.into_inner().unwrap();
    all
}

#[test]
fn what_changed_before_a_failed_read_is_told() {
    let (folder, store) = opened();
    let reader = store.reader().unwrap();
    let board = RwLock::new(Scoreboard::load(&reader).unwrap());
    receive(&store, "alpha", "curling", b"a");
    let file = rusqlite::Connection::open(folder.path().join("verdictd.db")).unwrap();
    let break_it = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {PAGE})
         INSERT INTO events (ms, kind, json) SELECT 1, 'fault', '{{}}' FROM n;
         INSERT INTO events (ms, kind, about, json) VALUES (1, 'package', 'curling', '{{}}');
         ALTER TABLE packages RENAME TO hidden;"
    );
    file.execute_batch(&break_it).unwrap();
    let mut told = Changes::default();
    let failed = Scoreboard::follow(&board, &reader, |changes| told.add(changes));
    assert!(failed.is_err(), "the packages cannot be read");
    assert_eq!(told.cells, [(student("alpha"), slug("curling"))].into());
    let repair = "ALTER TABLE hidden RENAME TO packages";
    file.execute_batch(repair).unwrap();
    Scoreboard::follow(&board, &reader, |changes| told.add(changes)).unwrap();
    assert_eq!(submissions(&board.into_inner().unwrap()), 1);
}

fn receive(store: &Store, name: &str, problem: &str, bytes: &[u8]) -> SubmissionId {
    let new = program_for(name, problem, bytes);
    store.writer().receive(new).unwrap().submission().id
}

fn publish(store: &Store, submission: SubmissionId, verdict: Verdict, fold: u8) {
    let failing = (verdict != Verdict::Accepted).then(|| format!("secret/{fold}"));
    let judged_ms = 1_772_368_260_000 + i64::from(fold);
    let change = change(verdict, failing.as_deref(), judged_ms);
    let mut publication = publication_of(submission, fold, change);
    publication.slowest_ms = Some(u32::from(fold));
    store::tests::publish(store, publication);
}

proptest! {
    #![proptest_config(trials(24))]
    #[test]
    fn a_board_that_is_kept_up_is_the_board_of_the_store(steps in steps()) {
        let (_folder, store) = opened();
        let reader = store.reader().unwrap();
        let mut board = Scoreboard::load(&reader).unwrap();
        let mut ids = Vec::new();
        let mut changed = Changes::default();
        for step in steps {
            match step {
                Step::Receive(who, problem, byte) => {
                    let who = ["alpha", "beta", "刘"][who];
                    let id = receive(&store, who, ["curling", "regions"][problem], &[byte]);
                    ids.push(id);
                }
                Step::Publish(which, verdict, fold) => {
                    if !ids.is_empty() {
                        publish(&store, ids[which % ids.len()], Verdict::ALL[verdict], fold);
                    }
                }
                Step::Look => {
                    let before = board.reached();
                    let changes = catch_up(&mut board, &reader);
                    prop_assert_eq!(&board.changes_after(&reader, before).unwrap(), &changes);
                    changed.cells.extend(changes.cells);
                }
            }
        }
        changed.cells.extend(catch_up(&mut board, &reader).cells);
        let fresh = Scoreboard::load(&reader).unwrap();
        let cells = |board: &Scoreboard| -> Vec<(Student, ProblemSlug, Cell)> {
            let all = board.students();
            all.flat_map(|(student, cells)| {
                cells.iter().map(|(slug, cell)| (student.clone(), slug.clone(), cell.clone()))
            }).collect()
        };
        prop_assert_eq!(cells(&board), cells(&fresh));
        prop_assert_eq!(submissions(&board), submissions(&fresh));
        prop_assert_eq!(
            board.problems().collect::<Vec<_>>(),
            fresh.problems().collect::<Vec<_>>()
        );
        prop_assert_eq!(changed.cells.len(), cells(&fresh).len(), "every change is told");
    }
}
