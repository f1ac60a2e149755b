//! Copies of judged submissions in a store, each as if it were another student's program.

use std::path::Path;

use rusqlite::{Connection, params};
use verdictd::internals::digest;

/// The tables with rows about a submission, and the condition for those of submission `?1`.
const TABLES: [(&str, &str); 8] = [
    ("submissions", "id = ?1"),
    ("judgements", "submission_id = ?1"),
    ("documents", "submission_id = ?1"),
    ("events", "submission_id = ?1"),
    ("judgement_history", "submission_id = ?1"),
    ("paths_taken", "submission_id = ?1"),
    (
        "seen_files",
        "path = (SELECT CAST(path AS BLOB) FROM submissions WHERE id = ?1)",
    ),
    // All judged submissions are the same program, so these are its runs.
    ("runs", "artifact_key = (SELECT key FROM builds)"),
];

/// Keys are random: with SQLite's usual 2 MiB, every row would read a page from the disk.
const CACHE_KIB: u32 = 2 * 1024 * 1024;
/// What the daemon never looks up, and each copy does, and nothing that says how small the tables
/// are; otherwise every copy would read whole tables.
const INDEXES: &str = "
    DELETE FROM sqlite_stat1;
    ANALYZE sqlite_schema;
    CREATE INDEX fill_events ON events (submission_id, kind);
    CREATE INDEX fill_paths ON paths_taken (submission_id);
";

/// The student whose program for a problem the daemon judged.
pub fn first(problem: usize) -> String {
    format!("first{problem:02}")
}

/// A store that is being filled.
pub struct Copies {
    store: Connection,
    /// For each table, the statement that copies the rows of one submission.
    statements: Vec<String>,
    /// The row number of each problem's judged submission.
    judged: Vec<i64>,
    source: Vec<u8>,
}

impl Copies {
    /// Opens the store of a folder in which each of the first problems has one submission.
    pub fn open(folder: &Path) -> Self {
        let store = Connection::open(folder.join("state/verdictd.db")).expect("the store opens");
        store
            .execute_batch(&format!(
                "PRAGMA synchronous = OFF; PRAGMA cache_size = -{CACHE_KIB}; BEGIN; {INDEXES}"
            ))
            .expect("a transaction");
        let source = store
            .query_row(
                "SELECT bytes FROM sources WHERE digest = (SELECT source_digest FROM submissions)",
                [],
                |row| row.get(0),
            )
            .expect("a source");
        let judged = {
            let mut statement = store
                .prepare("SELECT id FROM submissions ORDER BY problem")
                .expect("the store's tables");
            let rows = statement.query_map([], |row| row.get(0));
            rows.expect("rows").collect::<Result<_, _>>().expect("rows")
        };
        let statements = TABLES.map(|(table, rows)| copying(&store, table, rows));
        Self {
            statements: statements.into(),
            store,
            judged,
            source,
        }
    }

    /// Adds a submission to a problem, by the student of this number, with a source of its own.
    pub fn add(&mut self, problem: usize, number: usize) {
        let mut source = format!("/* {number} */\n").into_bytes();
        source.extend(&self.source);
        let own = digest(&source).0;
        let copy = "INSERT INTO sources (digest, bytes) VALUES (?1, ?2)";
        let put = self.store.execute(copy, params![own, source]);
        put.expect("a source is written");
        let number = i64::try_from(number).expect("a small number");
        for statement in &self.statements {
            let mut statement = self.store.prepare_cached(statement).expect("a table");
            let judged = self.judged[problem];
            let student = format!("student{number}");
            let copied = statement
                .execute(params![judged, number + 1, first(problem), student, own])
                .expect("rows are copied");
            assert!(copied > 0, "rows of the submission that was judged");
        }
    }

    /// Marks every projection as up to date.
    pub fn finish(self) {
        let store = &self.store;
        let marks = "UPDATE marks SET value = (SELECT max(id) FROM events)
                     WHERE name IN ('log', 'overviews', 'pages', 'reports')";
        assert_eq!(store.execute(marks, []).expect("the marks are set"), 4);
        store
            .execute_batch("DROP INDEX fill_events; DROP INDEX fill_paths; COMMIT")
            .expect("the store is filled");
    }
}

/// Copies rows of a table for another submission (?2), with another student's name (?4 for ?3) and
/// another source (?5).
fn copying(store: &Connection, table: &str, rows: &str) -> String {
    let mut statement = store
        .prepare(&format!(
            "SELECT name, type FROM pragma_table_info('{table}')"
        ))
        .expect("the store's tables");
    let columns: Vec<(String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect)
        .expect("the table's columns");
    let value = |(name, kind): &(String, String)| match (name.as_str(), kind.as_str()) {
        ("id", _) if table == "submissions" => "?2".to_owned(),
        ("id", _) => "NULL".to_owned(),
        ("submission_id", _) => "?2".to_owned(),
        ("event", _) => {
            "(SELECT id FROM events WHERE submission_id = ?2 AND kind = 'verdict')".to_owned()
        }
        ("source_digest" | "artifact_key", _) => "?5".to_owned(),
        ("path", "BLOB") => "CAST(replace(CAST(path AS TEXT), ?3, ?4) AS BLOB)".to_owned(),
        // The documents name the submission too.
        ("document" | "json", _) => format!(
            "replace(replace(replace({name}, ?3, ?4), '\"id\": ' || ?1 || ',', '\"id\": ' || ?2 || ','), \
             '\"submission\":' || ?1 || ',', '\"submission\":' || ?2 || ',')"
        ),
        (_, "TEXT") => format!("replace({name}, ?3, ?4)"),
        _ => name.clone(),
    };
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let values: Vec<String> = columns.iter().map(value).collect();
    format!(
        "INSERT INTO {table} ({}) SELECT {} FROM {table} WHERE {rows} AND ?5 IS NOT NULL",
        names.join(", "),
        values.join(", ")
    )
}
