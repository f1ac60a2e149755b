//! What is opened, and what is refused in which words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{opened, received};
use crate::store::reader::{only, selecting};
use crate::store::{Reader, STORE_FILE, Store, StoreError, copies, schema, searches, submissions};

fn by_hand(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join(STORE_FILE)).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[test]
fn a_store_that_this_version_cannot_read_is_left_alone() {
    let this = concat!("and this is verdictd ", env!("CARGO_PKG_VERSION"));
    let (earlier, later) = (schema::FIRST_LAYOUT - 1, schema::LAYOUT + 1);
    let use_later = "written by verdictd 9.8.7, |use verdictd 9.8.7 or a later";
    for (layout, parts) in [
        (1, "the layout 1|judges everything"),
        (earlier, "use the program that wrote it"),
        (later, &format!("{use_later}|{this}")),
    ] {
        let (folder, _) = opened();
        let written = "UPDATE versions SET version = '9.8.7' WHERE name = 'verdictd'";
        let written = format!("{written}; PRAGMA user_version = {layout}");
        by_hand(folder.path(), &written);
        let before = fs::read(folder.path().join(STORE_FILE)).unwrap();
        let at = folder.path();
        for refused in [Store::open(at).unwrap_err(), Reader::open(at).unwrap_err()] {
            let words = refused.to_string();
            let are_told = parts.split('|').all(|part| words.contains(part));
            assert!(are_told, "{words}");
        }
        let after = fs::read(folder.path().join(STORE_FILE)).unwrap();
        assert_eq!(after, before, "{layout}");
        assert_eq!(copies(folder.path()), Vec::<PathBuf>::new());
    }
}

/// The statements that made the tables, without what conversions leave of their own writing.
fn tables(folder: &Path) -> BTreeSet<String> {
    let connection = Connection::open(folder.join(STORE_FILE)).unwrap();
    let made = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'";
    let mut statement = connection.prepare(made).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0));
    let plain = |sql: String| sql.replace(['"', '\n', ' '], "");
    rows.unwrap().map(|sql| plain(sql.unwrap())).collect()
}

#[test]
fn every_earlier_store_becomes_one_of_this_version_and_other_facts_are_dropped() {
    let (new, _) = opened();
    let stores = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stores");
    for layout in schema::FIRST_LAYOUT..schema::LAYOUT {
        let folder = tempfile::tempdir().unwrap();
        let sql = fs::read_to_string(stores.join(layout.to_string()).join("store.sql")).unwrap();
        by_hand(folder.path(), &sql);
        let refused = Reader::open(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("start this version once"), "{refused}");
        let store = Store::open(folder.path()).unwrap();
        let reader = store.reader().unwrap();
        assert_eq!(reader.check().unwrap(), Vec::<String>::new());
        let counts = reader.counts().unwrap();
        assert_eq!((counts.judged, counts.dropped), (4, 4));
        // Facts of this layout are kept.
        let run: Option<i64> = reader.row("SELECT 1 FROM runs", [], only).unwrap();
        assert_eq!(run.is_some(), layout >= 15);
        drop((reader, store));
        assert_eq!(tables(folder.path()), tables(new.path()), "{layout}");
        let copy = folder.path().join(format!("{STORE_FILE}-v{layout}.bak"));
        assert_eq!(copies(folder.path()), [copy.as_path()]);
        let kept = Connection::open(&copy).unwrap();
        let kept = kept.pragma_query_value(None, "user_version", |row| row.get(0));
        assert_eq!(kept, Ok(layout), "the copy is the store as it was");
    }
}

#[test]
fn facts_of_another_layout_are_dropped_and_the_record_stays() {
    let (folder, store) = opened();
    let id = received(&store, "alpha", b"a");
    drop(store);
    let earlier = "UPDATE versions SET version = '0' WHERE name = 'facts';
                   ALTER TABLE runs RENAME TO measurements; DROP TABLE answers;";
    by_hand(folder.path(), earlier);
    let store = Store::open(folder.path()).unwrap();
    let (_, source) = store.reader().unwrap().submission(id).unwrap().unwrap();
    assert_eq!(*source.bytes, *b"a");
    drop(store);
    assert_eq!(tables(folder.path()), tables(opened().0.path()));
    assert!(copies(folder.path()).is_empty(), "nothing is lost");
}

#[test]
fn what_makes_no_sense_is_damage_and_never_taken_for_a_program() {
    let name = "UPDATE submissions SET student = 'a/../b'";
    let bytes = "UPDATE sources SET bytes = x'42'";
    for (damage, words) in [(name, "a student's name"), (bytes, "")] {
        let (folder, store) = opened();
        let id = received(&store, "alpha", b"a");
        drop(store);
        by_hand(folder.path(), damage);
        let read = Reader::open(folder.path()).unwrap().submission(id);
        let Err(StoreError::Damaged { reason, .. }) = read else {
            panic!("{damage}: {read:?}");
        };
        assert!(reason.contains(words), "{reason}");
    }
}

/// How SQLite answers a query whose parameters are these.
fn plan_of(query: &str, parameters: &[&str]) -> Vec<String> {
    let (folder, _) = opened();
    let connection = Connection::open(folder.path().join(STORE_FILE)).unwrap();
    let query = format!("EXPLAIN QUERY PLAN {query}");
    let mut plan = connection.prepare(&query).unwrap();
    let parameters = rusqlite::params_from_iter(parameters);
    let rows = plan.query_map(parameters, |row| row.get(3)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
#[rustfmt::skip]
fn no_query_looks_at_more_rows_than_it_needs() {
    let latest = format!("SELECT * {}", submissions::latest());
    let board = format!("{} WHERE id > ?1", submissions::ENTRIES);
    let board = selecting::<submissions::Entry>(&board);
    let (group, stale) = (submissions::NEXT_GROUP.to_owned(), submissions::stale());
    let [unsearched, untried] =
        [searches::UNSEARCHED, searches::UNTRIED].map(selecting::<submissions::Folded>);
    let by_verdict = "searches_due USING COVERING INDEX searches_due_by_verdict (verdict=?)";
    let by_tried = "searches USING COVERING INDEX searches_by_tried (problem=? AND tried_to<?)";
    let indexes = ["COVERING INDEX", "INTEGER PRIMARY KEY"];
    let has_index = |line: &String| indexes.iter().any(|index| line.contains(index));
    let is_quick = |line: &String| line.starts_with("SEARCH") && has_index(line);
    let fold = &["curling", "c", "fold"];
    for (query, parameters) in [(&board, &["1"][..]), (&group, &fold[..2]), (&stale, fold)] {
        let plan = plan_of(query, parameters);
        assert!(plan.iter().all(is_quick), "{plan:?}");
    }
    for (query, parameters, index) in [
        (&latest, &["1", "2"][..], "INTEGER PRIMARY KEY"),
        (&unsearched, &["WA"], by_verdict), (&untried, &["curling"], by_tried),
    ] {
        let plan = plan_of(query, parameters);
        assert!(plan[0].starts_with("SEARCH") && plan[0].contains(index), "{plan:?}");
        let words = ["SCAN", "TEMP", "MATERIALIZE"];
        let reads_all = |line: &String| words.iter().any(|word| line.contains(word));
        assert!(!plan.iter().any(reads_all), "{plan:?}");
    }
}
