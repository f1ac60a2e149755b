//! Copies of judged submissions in a store, each as if it were another student's program.

use std::path::Path;

use rusqlite::{Connection, params};
use verdictd::internals::digest;

/// The tables with rows about a submission, and the condition for those of the one that is copied.
const TABLES: [(&str, &str); 8] = [
    ("submissions", "was.id = model"),
    ("judgements", "submission_id = model"),
    ("documents", "submission_id = model"),
    ("events", "submission_id = model"),
    ("judgement_history", "submission_id = model"),
    ("paths_taken", "submission_id = model"),
    ("seen_files", "path = file"),
    // All judged submissions are the same program, so these are its runs.
    ("runs", "artifact_key = (SELECT key FROM builds)"),
];

/// Keys are random: with SQLite's usual 2 MiB, every row would read a page from the disk. Nothing says
/// how small the tables are; otherwise every copy would read whole ones.
const BEGIN: &str = "
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -2097152;
    BEGIN;
    DELETE FROM sqlite_stat1;
    ANALYZE sqlite_schema;
    CREATE INDEX fill_events ON events (submission_id, kind);
    CREATE TEMP TABLE copies (model, file, was_of, copy, taker, own);
";
const ADD_SOURCE: &str = "INSERT INTO sources (digest, bytes) VALUES (?1, ?2)";
const ADD_COPY: &str = "
    INSERT INTO copies SELECT id, CAST(path AS BLOB), student, ?1 + 1, 'student' || ?1, ?2
    FROM submissions WHERE problem = ?3";
/// Every projection is up to date.
const MARKS: &str = "
    UPDATE marks SET value = (SELECT max(id) FROM events)
    WHERE name IN ('log', 'overviews', 'pages', 'reports')";

/// Copies the one submission of a problem to the student of a number, with a source of its own, for
/// each problem and number; in the store of a folder.
pub fn fill(folder: &Path, copies: impl Iterator<Item = (String, usize)>) {
    let store = Connection::open(folder.join("state/verdictd.db")).expect("the store opens");
    store.execute_batch(BEGIN).expect("a transaction");
    let source = "SELECT bytes FROM sources WHERE digest = (SELECT source_digest FROM submissions)";
    let source: Vec<u8> = store
        .query_row(source, [], |row| row.get(0))
        .expect("a source");
    for (problem, number) in copies {
        let own = [format!("/* {number} */\n").as_bytes(), &source].concat();
        let known = digest(&own).0;
        let add = |sql, values: &[&dyn rusqlite::ToSql]| {
            let mut statement = store.prepare_cached(sql).expect("a table");
            assert_eq!(statement.execute(values).expect("a row is written"), 1);
        };
        add(ADD_SOURCE, params![known, own]);
        let number = i64::try_from(number).expect("a small number");
        add(ADD_COPY, params![number, known, problem]);
    }
    for (table, rows) in TABLES {
        let copied = store.execute_batch(&copying(&store, table, rows));
        copied.expect("rows are copied");
    }
    assert_eq!(store.execute(MARKS, []).expect("the marks are set"), 4);
    let end = store.execute_batch("DROP INDEX fill_events; COMMIT");
    end.expect("the store is filled");
}

/// Copies rows of a table for all copies.
fn copying(store: &Connection, table: &str, rows: &str) -> String {
    let columns = format!("SELECT name, type FROM pragma_table_info('{table}')");
    let mut columns = store.prepare(&columns).expect("the store's tables");
    let value = |name: String, kind: String| match (name.as_str(), kind.as_str()) {
        ("id", _) if table == "submissions" => "copy".to_owned(),
        ("id", _) => "NULL".to_owned(),
        ("submission_id", _) => "copy".to_owned(),
        ("event", _) => {
            "(SELECT id FROM events WHERE submission_id = copy AND kind = 'verdict')".to_owned()
        }
        ("source_digest" | "artifact_key", _) => "own".to_owned(),
        ("path", "BLOB") => "CAST(replace(CAST(path AS TEXT), was_of, taker) AS BLOB)".to_owned(),
        // The documents name the submission too.
        ("document" | "json", _) => format!(
            "replace(replace(replace({name}, was_of, taker), \
             '\"id\": ' || model || ',', '\"id\": ' || copy || ','), \
             '\"submission\":' || model || ',', '\"submission\":' || copy || ',')"
        ),
        (_, "TEXT") => format!("replace(was.{name}, was_of, taker)"),
        _ => format!("was.{name}"),
    };
    let values: Vec<String> = columns
        .query_map([], |row| Ok(value(row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .expect("the table's columns");
    // From a table that does not grow.
    format!(
        "CREATE TEMP TABLE was AS SELECT * FROM {table};
         INSERT INTO {table} SELECT {} FROM copies CROSS JOIN was WHERE {rows};
         DROP TABLE was;",
        values.join(", ")
    )
}
