//! Forgets a student: every row that tells of them, and the bytes that only they had.

use std::path::Path;

use rusqlite::{Connection, named_params};

use super::lock::Lock;
use super::reader::STORE_FILE;
use super::{Reader, StoreError, upgrade};
use crate::domain::Student;
use crate::util::crash::point;

/// What a store has of a student.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traces {
    pub submissions: u64,
    pub verdicts: u64,
    pub builds: u64,
    pub runs: u64,
    pub events: u64,
    /// Files that are rejected now.
    pub rejected: u64,
}

/// The student's submissions.
const OWN: &str = "(SELECT id FROM submissions WHERE student = :student)";
/// The programs that nobody else has handed in.
const SOURCES: &str = "(SELECT source_digest FROM submissions WHERE student = :student EXCEPT
    SELECT source_digest FROM submissions WHERE student <> :student)";
/// What happened to the student and their files.
const EVENTS: &str = "(submission_id IN OWN
    OR kind IN ('rejected', 'rejections') AND about = :student)";

/// What is counted, in the order of the fields of [`Traces`].
const COUNTS: [&str; 6] = [
    "submissions WHERE student = :student",
    "judgements WHERE submission_id IN OWN",
    "builds WHERE source IN SOURCES",
    "runs WHERE artifact_key IN (SELECT key FROM builds WHERE source IN SOURCES)",
    "events WHERE EVENTS",
    "rejections WHERE student = :student",
];

/// What is deleted, the rows that refer to others first.
const DELETED: [&str; 20] = [
    "searches_due WHERE submission_id IN OWN",
    "searches WHERE submission_id IN OWN",
    "counterexamples WHERE submission_id IN OWN",
    "proposal_breaks WHERE submission_id IN OWN OR proposal_id IN (SELECT id FROM proposals WHERE submission_id IN OWN)",
    "proposals WHERE submission_id IN OWN",
    "unproposed WHERE submission_id IN OWN",
    "documents WHERE submission_id IN OWN",
    "judgement_history WHERE submission_id IN OWN",
    "judgements WHERE submission_id IN OWN",
    "faults WHERE submission_id IN OWN",
    "paths_taken WHERE student = :student",
    "rejections WHERE student = :student",
    "events WHERE EVENTS",
    "answers WHERE source IN SOURCES",
    "runs WHERE artifact_key IN (SELECT key FROM builds WHERE source IN SOURCES)",
    "build_files WHERE build_key IN (SELECT key FROM builds WHERE source IN SOURCES)",
    "builds WHERE source IN SOURCES",
    "submissions WHERE student = :student",
    // Paths have names in them. Without these rows, intake looks at every file once more.
    "seen_files",
    // What tells of everybody is written again; reports of others say nothing of the student.
    "marks WHERE name NOT IN ('reports', 'pages', 'notes', 'deadlines')",
];

/// What is said afterwards, when nothing refers to what is gone.
const AFTERWARDS: &str = "
DELETE FROM sources WHERE digest NOT IN (SELECT source_digest FROM submissions);
DELETE FROM blobs WHERE digest NOT IN (
    SELECT digest FROM build_files UNION ALL
    SELECT output_kept FROM runs WHERE output_kept IS NOT NULL UNION ALL
    SELECT answer FROM answers);
-- The numbers of deleted rows are given again: a hack is older than what gets them.
UPDATE hacks SET
    last_submission = min(last_submission, (SELECT coalesce(max(id), 0) FROM submissions)),
    history_mark = min(history_mark, (SELECT coalesce(max(id), 0) FROM judgement_history));
";

fn expanded(condition: &str) -> String {
    condition
        .replace("EVENTS", EVENTS)
        .replace("OWN", OWN)
        .replace("SOURCES", SOURCES)
}

fn bound(condition: &str) -> bool {
    condition.contains(":student")
}

impl Reader {
    /// What there is of a student.
    pub fn traces(&self, student: &Student) -> Result<Traces, StoreError> {
        self.ask(|connection| traces(connection, student))
    }
}

fn traces(connection: &Connection, student: &Student) -> rusqlite::Result<Traces> {
    let mut counts = [0_u64; COUNTS.len()];
    for (count, what) in counts.iter_mut().zip(COUNTS) {
        let query = format!("SELECT count(*) FROM {}", expanded(what));
        let number: i64 =
            connection.query_row(&query, named_params! {":student": student}, |row| {
                row.get(0)
            })?;
        *count = number.unsigned_abs();
    }
    let [submissions, verdicts, builds, runs, events, rejected] = counts;
    Ok(Traces {
        submissions,
        verdicts,
        builds,
        runs,
        events,
        rejected,
    })
}

/// Forgets a student in the store of a state folder that no daemon has open. After a sudden end in
/// the middle it is asked again, and then does the rest.
pub fn forget(folder: &Path, student: &Student) -> Result<Traces, StoreError> {
    let _lock = Lock::take(folder)?;
    let file = folder.join(STORE_FILE);
    if !file.exists() {
        return Ok(Traces::default());
    }
    let sql = |error| StoreError::sql(&file, error);
    let mut connection = upgrade::open(&file)?;
    let found = delete(&mut connection, student).map_err(sql)?;
    point("student deleted");
    // What earlier versions of rows left in free pages goes with the file that is written now; the
    // log of it is cut to nothing.
    connection
        .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
        .map_err(sql)?;
    point("store rewritten");
    Ok(found)
}

fn delete(connection: &mut Connection, student: &Student) -> rusqlite::Result<Traces> {
    // Overwritten with zeros at once. Rewriting a large store takes its room on the disk of
    // temporary files, not in memory. What refers to what is deleted is deleted here by name:
    // otherwise each row of `blobs` would be looked for in tables that have no index for it.
    connection.execute_batch(
        "PRAGMA secure_delete = ON; PRAGMA temp_store = FILE; PRAGMA foreign_keys = OFF;",
    )?;
    let transaction = connection.transaction()?;
    let found = traces(&transaction, student)?;
    for what in DELETED {
        let statement = expanded(&format!("DELETE FROM {what}"));
        if bound(&statement) {
            transaction.execute(&statement, named_params! {":student": student})?;
        } else {
            transaction.execute(&statement, [])?;
        }
    }
    transaction.execute_batch(AFTERWARDS)?;
    transaction.commit()?;
    Ok(found)
}
