//! A machine's clock may step back: order is that of the rows, never that of the moments in them.

use super::round_trips::publication;
use super::{program, received};
use crate::domain::Verdict;
use crate::store::{EventKind, NewFacts, Store};

#[test]
fn a_clock_that_steps_back_changes_no_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let writer = store.writer();
    let first = received(&store, "alpha", b"first");
    // Handed in later, and received in 1970 as the clock says.
    let mut later = program("alpha", b"second");
    later.received_ms = 0;
    let second = writer.receive(later).unwrap();
    assert!(second.is_new, "other bytes are a new attempt");
    assert!(second.submission.id > first);
    assert_eq!(second.submission.attempt, 2);
    for (fold, verdict) in [(9, Verdict::WrongAnswer), (3, Verdict::Accepted)] {
        // Its moment is its fold's number.
        writer
            .publish(publication(first, fold, verdict), NewFacts::default())
            .unwrap();
    }
    let reader = store.reader().unwrap();
    let judgement = reader.judgement(first).unwrap().unwrap();
    assert_eq!(
        judgement.published.verdict,
        Verdict::Accepted,
        "the last word counts"
    );
    let history: Vec<Verdict> = reader
        .history(first)
        .unwrap()
        .iter()
        .map(|row| row.change.published.verdict)
        .collect();
    assert_eq!(history, [Verdict::WrongAnswer, Verdict::Accepted]);
    let latest: Vec<i64> = reader
        .latest_verdicts(9)
        .unwrap()
        .iter()
        .map(|row| row.change.published.judged_ms)
        .collect();
    assert_eq!(latest, [3, 9], "the newest is the first");
    let pages: Vec<i64> = reader
        .events_after(0, EventKind::OF_LOGS, 9)
        .unwrap()
        .iter()
        .map(|event| event.ms)
        .collect();
    assert_eq!(pages, [9, 3], "and the logs are in that order");
}
