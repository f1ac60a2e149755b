//! What is opened, what is refused and in which words, and how an older store becomes a newer one.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::received;
use crate::store::{Reader, STORE_FILE, Store, StoreError, board, reader, schema, stale};

fn by_hand(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join(STORE_FILE)).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn two_daemons_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let refused = Store::open(folder.path()).unwrap_err();
    let words = refused.to_string();
    assert!(
        words.contains(&format!("in use by process {}", std::process::id())),
        "{words}"
    );
    assert!(
        Reader::open(folder.path()).is_ok(),
        "a reader needs no lock"
    );
    drop(store);
    Store::open(folder.path()).unwrap();
}

#[test]
fn a_store_from_the_future_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    by_hand(folder.path(), "PRAGMA user_version = 99");
    let before = fs::read(folder.path().join(STORE_FILE)).unwrap();
    for refused in [
        Store::open(folder.path()).unwrap_err(),
        Reader::open(folder.path()).unwrap_err(),
    ] {
        assert!(
            matches!(
                refused,
                StoreError::Newer {
                    found: 99,
                    known: 4,
                    ..
                }
            ),
            "{refused}"
        );
        assert!(
            refused.to_string().contains("use the newer program"),
            "{refused}"
        );
    }
    assert_eq!(fs::read(folder.path().join(STORE_FILE)).unwrap(), before);
}

#[test]
fn what_is_no_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        Reader::open(folder.path()),
        Err(StoreError::Missing { .. })
    ));
    by_hand(folder.path(), "CREATE TABLE recipes (name TEXT)");
    assert!(matches!(
        Store::open(folder.path()),
        Err(StoreError::Foreign { .. })
    ));
    assert!(matches!(
        Reader::open(folder.path()),
        Err(StoreError::Foreign { .. })
    ));
}

#[test]
fn a_damaged_store_is_refused_by_name_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(STORE_FILE);
    let store = Store::open(folder.path()).unwrap();
    for student in 0..200 {
        received(&store, &format!("student{student}"), &[b'x'; 3_000]);
    }
    drop(store);
    let whole = fs::read(&file).unwrap();

    fs::write(&file, b"this is not a database, whatever its name says").unwrap();
    let refused = Store::open(folder.path()).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
    for part in [&*file.to_string_lossy(), "move it away", ".recover"] {
        assert!(refused.to_string().contains(part), "{refused}");
    }

    // The first page is whole, the rest is noise: it opens, and the check and the first read that meets the noise say so.
    let mut noise = whole;
    noise[4096..].fill(0xA5);
    fs::write(&file, noise).unwrap();
    match Reader::open(folder.path()) {
        Ok(reader) => {
            let checked = reader.check();
            assert!(
                !matches!(&checked, Ok(complaints) if complaints.is_empty()),
                "{checked:?}"
            );
            let read = reader.latest_after(crate::domain::SubmissionId(0), 1_000);
            assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
        }
        Err(refused) => assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}"),
    }
}

#[test]
fn a_row_that_makes_no_sense_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = received(&store, "alpha", b"a");
    drop(store);
    by_hand(folder.path(), "UPDATE submissions SET student = 'a/../b'");
    let read = Reader::open(folder.path()).unwrap().head(id);
    let Err(StoreError::Damaged { reason, .. }) = read else {
        panic!("{read:?}");
    };
    assert!(reason.contains("a student's name"), "{reason}");
}

const STEP_2: &str = "ALTER TABLE submissions ADD COLUMN late INTEGER NOT NULL DEFAULT 0;";

#[test]
fn an_older_store_is_copied_and_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(STORE_FILE);
    by_hand(folder.path(), schema::VERSION_1);
    by_hand(
        folder.path(),
        "PRAGMA application_id = 1986290548; PRAGMA user_version = 1;
         INSERT INTO blobs VALUES (zeroblob(32), x'41');
         INSERT INTO submissions VALUES (1, 'alpha', 'curling', 'cpp', 1, 'p', 'f', zeroblob(32), 5, 0);",
    );
    let steps = [schema::VERSION_1, STEP_2];
    drop(Store::open_with(folder.path(), &steps).unwrap());
    let now = Connection::open(&file).unwrap();
    let row: (String, i64) = now
        .query_row("SELECT student, late FROM submissions", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!(row, ("alpha".to_owned(), 0));
    let version: i64 = now
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 2);

    let backup = schema::backup_of(&file, 1);
    let before = Connection::open(&backup).unwrap();
    let kept: i64 = before
        .query_row("SELECT count(*) FROM submissions", [], |row| row.get(0))
        .unwrap();
    let version: i64 = before
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!((kept, version), (1, 1), "{}", backup.display());
    drop(Store::open_with(folder.path(), &steps).unwrap());
}

#[test]
fn a_store_of_the_first_version_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path(), schema::VERSION_1);
    let source = crate::util::hash::digest(b"A");
    let script = format!(
        "PRAGMA application_id = 1986290548; PRAGMA user_version = 1;
         INSERT INTO blobs VALUES (x'{source}', x'41'), (zeroblob(32), x'');
         INSERT INTO submissions VALUES (1, 'alpha', 'curling', 'cpp', 1, 'p', 'f', x'{source}', 5, 0);
         INSERT INTO runs VALUES (zeroblob(32), zeroblob(32), zeroblob(32), zeroblob(32), 'exit', 0, NULL,
             0, 1, 2, 3, zeroblob(32), 1, zeroblob(32), NULL, 1, 2, 3, 4, 5, 6, 7, x'', NULL);"
    );
    by_hand(folder.path(), &script);
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    let zero = crate::domain::Digest([0; 32]);
    let runs = reader.runs_for(&zero, &zero).unwrap();
    assert_eq!(runs[&zero].measurements, 1);
    let kept = reader.submission(crate::domain::SubmissionId(1)).unwrap();
    assert_eq!(&*kept.unwrap().source, b"A");
}

#[test]
fn a_store_from_before_the_pages_owes_a_page_for_each_judgement() {
    let folder = tempfile::tempdir().unwrap();
    by_hand(folder.path(), schema::VERSION_1);
    by_hand(folder.path(), schema::VERSION_2);
    by_hand(
        folder.path(),
        "PRAGMA application_id = 1986290548; PRAGMA user_version = 2;
         INSERT INTO blobs VALUES (zeroblob(32), x'41');
         INSERT INTO submissions (id, student, problem, language, attempt, path, file_name, source_digest, received_ms, judged)
         VALUES (1, 'alpha', 'curling', 'cpp', 1, 'p', 'f', zeroblob(32), 5, 1);
         INSERT INTO judgements VALUES (1, zeroblob(32), 'WA', NULL, 'secret/1', 6, 1, '{}');",
    );
    let store = Store::open(folder.path()).unwrap();
    let reader = store.reader().unwrap();
    let id = crate::domain::SubmissionId(1);
    let judged = reader.entry(id).unwrap().unwrap().judged.unwrap();
    assert_eq!(judged.first_failing_test.as_deref(), Some("secret/1"));
    assert_eq!(judged.slowest_ms, None, "nobody has kept it");
    let due = reader.pages_due(9).unwrap();
    assert_eq!(due.len(), 1);
    store.writer().mark_paged(due).unwrap();
    assert!(reader.pages_due(9).unwrap().is_empty());
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = received(&store, "alpha", b"a");
    drop(store);
    let steps = [
        schema::VERSION_1,
        schema::VERSION_2,
        schema::VERSION_3,
        schema::VERSION_4,
        "ALTER TABLE submissions ADD COLUMN late INTEGER; SELECT nonsense;",
    ];
    let refused = Store::open_with(folder.path(), &steps).unwrap_err();
    assert!(matches!(refused, StoreError::Sql { .. }), "{refused}");
    let store = Store::open(folder.path()).unwrap();
    assert!(store.reader().unwrap().head(id).unwrap().is_some());
}

/// How SQLite answers a query whose parameters are these.
fn plan_of(query: &str, parameters: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    drop(Store::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join(STORE_FILE)).unwrap();
    connection
        .prepare(&format!("EXPLAIN QUERY PLAN {query}"))
        .unwrap()
        .query_map(rusqlite::params_from_iter(parameters), |row| row.get(3))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn pages_of_a_large_store_are_found_by_index() {
    let query = format!("SELECT * FROM submissions WHERE {}", reader::LATEST);
    let plan = plan_of(&query, &["1", "2"]);
    assert!(
        plan[0].starts_with("SEARCH") && plan[0].contains("INTEGER PRIMARY KEY"),
        "{plan:?}"
    );
    assert!(
        plan.iter()
            .all(|line| !line.contains("SCAN") && !line.contains("TEMP")),
        "{plan:?}"
    );
}

#[test]
fn bytes_that_the_disk_has_changed_are_never_taken_for_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let id = received(&store, "alpha", b"a");
    drop(store);
    by_hand(folder.path(), "UPDATE blobs SET bytes = x'42';");
    let store = Store::open(folder.path()).unwrap();
    let refused = store.reader().unwrap().submission(id).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
}

#[test]
fn planning_reads_indexes_and_no_rows() {
    let board = format!("{} WHERE id > ?1", board::ENTRIES);
    let plan = plan_of(&board, &["1"]);
    assert!(
        plan.iter()
            .any(|line| line.contains("COVERING INDEX judgements_for_board")),
        "{plan:?}"
    );
    for (query, parameters) in [
        (stale::NEXT_GROUP, &["curling", "c"][..]),
        (stale::STALE, &["curling", "c", "fold"][..]),
    ] {
        let plan = plan_of(query, parameters);
        assert!(
            plan.iter()
                .all(|line| line.starts_with("SEARCH") && line.contains("COVERING INDEX")),
            "{plan:?}"
        );
    }
}
