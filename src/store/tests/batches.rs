//! Writes that nobody waits for, and judgements that are published together.

use std::sync::Arc;

use rusqlite::Connection;

use super::super::{Publication, Store, StoreError, Unawaited};
use super::received;
use crate::domain::{Digest, SubmissionId, Verdict};
use crate::util::samples::change;

fn publication(submission: SubmissionId, document: &str) -> Arc<Publication> {
    Arc::new(Publication {
        submission,
        fold: Digest([1; 32]),
        change: change(Verdict::Accepted, None, 1),
        document: document.to_owned(),
        event_json: "{}".to_owned(),
        slowest_ms: None,
        told: None,
    })
}

fn refused(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .execute("INSERT INTO nowhere VALUES (1)", [])
        .map(drop)
}

#[test]
fn what_nobody_waits_for_is_written_before_what_comes_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let (writer, reader) = (store.writer(), store.reader().unwrap());
    let told = Unawaited::default();
    for value in 1..=600 {
        writer.set_mark_later("later", value, &told);
    }
    writer.set_mark("now", 1).unwrap();
    assert_eq!(reader.mark("later").unwrap(), Some(600));
    writer.set_mark_later("at the end", 1, &told);
    assert!(told.failure().is_none());
    drop(store);
    assert_eq!(
        reader.mark("at the end").unwrap(),
        Some(1),
        "a store that closes writes it"
    );
    writer.set_mark_later("too late", 1, &told);
    assert!(matches!(told.failure(), Some(StoreError::Closed)));
}

#[test]
fn nothing_is_published_of_which_a_run_is_not_kept_and_the_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let writer = store.writer();
    let ids = ["alpha", "beta", "gamma"].map(|student| received(&store, student, b"x"));
    let [good, bad, missing] = ids;
    let facts = [(), ()].map(|()| Unawaited::default());
    writer.set_mark_later("good", 1, &facts[0]);
    writer.call_later(&facts[1], refused);
    let nobody = SubmissionId(missing.0 + 1);
    let results = writer.publish_all(&[
        (publication(good, "{}"), facts[0].clone()),
        (publication(bad, "{}"), facts[1].clone()),
        (publication(nobody, "{}"), Unawaited::default()),
        (publication(missing, "{}"), Unawaited::default()),
    ]);
    let published: Vec<bool> = results
        .iter()
        .map(|result| matches!(result, Ok(outcome) if outcome.is_changed))
        .collect();
    assert_eq!(published, [true, false, false, true], "{results:?}");
    let reader = store.reader().unwrap();
    assert!(reader.judgement(bad).unwrap().is_none());
    assert!(reader.judgement(missing).unwrap().is_some());
    let marked = writer
        .mark_all_reported(vec![(good, Digest([1; 32])), (missing, Digest([2; 32]))])
        .unwrap();
    assert_eq!(marked, 1, "the other one has a newer judgement");
}

#[test]
fn one_document_that_does_not_fit_keeps_no_other_from_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let writer = store.writer();
    let [large, small] = ["alpha", "beta"].map(|student| received(&store, student, b"x"));
    // SQLite answers a store that reached its page limit as it answers a full disk.
    let pages: i64 = writer
        .call(|connection| connection.query_row("PRAGMA page_count", [], |row| row.get(0)))
        .unwrap();
    writer
        .call(move |connection| {
            let limit = format!("PRAGMA max_page_count = {}", pages + 20);
            connection.query_row(&limit, [], |row| row.get::<_, i64>(0))
        })
        .unwrap();
    let results = writer.publish_all(&[
        (publication(small, "{}"), Unawaited::default()),
        (
            publication(large, &"x".repeat(1_000_000)),
            Unawaited::default(),
        ),
    ]);
    assert!(results[0].is_ok(), "{results:?}");
    assert!(
        matches!(results[1], Err(StoreError::DiskFull { .. })),
        "{results:?}"
    );
    let reader = store.reader().unwrap();
    assert!(reader.judgement(small).unwrap().is_some());
}
