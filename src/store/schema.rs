//! The tables, and how an older store becomes a newer one.
//!
//! To change a table: append a step to [`STEPS`] and never touch the ones before; a new store runs them all.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::StoreError;
use crate::util::crash::point;
use crate::util::files::sync_name;

/// Tells our files from other programs' databases: "vdct".
const APPLICATION_ID: i64 = 0x7664_6374;

/// Step n takes a store from version n to version n + 1.
pub(super) const STEPS: [&str; 7] = [
    VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6, VERSION_7,
];

/// Durations are in microseconds (`_us`), moments in milliseconds since 1970 (`_ms`).
/// TEXT is valid text; bytes from outside are BLOBs. Wide columns come last, so that the narrow ones are read without them.
pub(super) const VERSION_1: &str = "
CREATE TABLE blobs (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE submissions (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    problem TEXT NOT NULL,
    language TEXT NOT NULL,
    attempt INTEGER NOT NULL CHECK (attempt >= 1),
    path TEXT NOT NULL,
    file_name TEXT NOT NULL,
    source_digest BLOB NOT NULL REFERENCES blobs (digest),
    received_ms INTEGER NOT NULL,
    judged INTEGER NOT NULL DEFAULT 0 CHECK (judged IN (0, 1)),
    UNIQUE (student, problem, attempt)
) STRICT;
CREATE INDEX submissions_by_language ON submissions (student, problem, language, attempt);
CREATE INDEX submissions_by_problem ON submissions (problem, id);
CREATE INDEX submissions_waiting ON submissions (id) WHERE judged = 0;

CREATE TABLE builds (
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    failed TEXT,
    main_class TEXT,
    language_version TEXT NOT NULL,
    cpu_us INTEGER NOT NULL,
    built_ms INTEGER NOT NULL,
    words BLOB NOT NULL
) STRICT;
CREATE TABLE build_files (
    build_key BLOB NOT NULL REFERENCES builds (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    digest BLOB NOT NULL REFERENCES blobs (digest),
    executable INTEGER NOT NULL CHECK (executable IN (0, 1)),
    PRIMARY KEY (build_key, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    artifact_key BLOB NOT NULL,
    input_digest BLOB NOT NULL,
    policy_digest BLOB NOT NULL,
    end_kind TEXT NOT NULL CHECK (end_kind IN ('exit', 'signal')),
    end_value INTEGER NOT NULL,
    stop TEXT CHECK (stop IN ('cpu', 'wall', 'output')),
    memory_exceeded INTEGER NOT NULL CHECK (memory_exceeded IN (0, 1)),
    cpu_us INTEGER NOT NULL,
    wall_us INTEGER NOT NULL,
    memory_bytes INTEGER NOT NULL,
    output_digest BLOB NOT NULL,
    output_bytes INTEGER NOT NULL,
    output_kept BLOB REFERENCES blobs (digest),
    output_file TEXT,
    cap_cpu_us INTEGER NOT NULL,
    cap_wall_us INTEGER NOT NULL,
    cap_memory_bytes INTEGER NOT NULL,
    cap_output_bytes INTEGER NOT NULL,
    cap_processes INTEGER NOT NULL,
    cap_open_files INTEGER NOT NULL,
    measured_ms INTEGER NOT NULL,
    stderr BLOB NOT NULL,
    compared TEXT
) STRICT;
CREATE INDEX runs_by_artifact ON runs (artifact_key, policy_digest);

CREATE TABLE judgements (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    fold_digest BLOB NOT NULL CHECK (length(fold_digest) = 32),
    verdict TEXT NOT NULL,
    cause TEXT,
    first_failing_test TEXT,
    judged_ms INTEGER NOT NULL,
    reported INTEGER NOT NULL CHECK (reported IN (0, 1)),
    document TEXT NOT NULL
) STRICT;
CREATE INDEX judgements_by_verdict ON judgements (verdict);
CREATE INDEX judgements_unreported ON judgements (submission_id) WHERE reported = 0;

CREATE TABLE judgement_history (
    id INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    verdict TEXT NOT NULL,
    cause TEXT,
    first_failing_test TEXT,
    judged_ms INTEGER NOT NULL,
    because TEXT NOT NULL
) STRICT;
CREATE INDEX judgement_history_by_submission ON judgement_history (submission_id, id);

CREATE TABLE rejections (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    student TEXT,
    reason TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    seen_ms INTEGER NOT NULL,
    UNIQUE (path, reason, fingerprint)
) STRICT;

CREATE TABLE seen_files (
    path BLOB NOT NULL PRIMARY KEY,
    fingerprint BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE faults (
    work_key BLOB NOT NULL PRIMARY KEY CHECK (length(work_key) = 32),
    submission_id INTEGER REFERENCES submissions (id),
    step TEXT NOT NULL,
    reason TEXT NOT NULL,
    tries INTEGER NOT NULL CHECK (tries >= 1),
    next_try_ms INTEGER,
    last_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX faults_by_submission ON faults (submission_id);

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    submission_id INTEGER REFERENCES submissions (id),
    json TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_kind ON events (kind, id);

CREATE TABLE marks (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Repeated measurements, forced ones, answers of reference programs, hacks, and what makes planning quick in a large store.
///
/// `submissions.measure_again`: its runs are to be forgotten before it is judged the next time.
/// `hacks.history_mark` and `hacks.last_submission`: what had been published and received when the hack joined the tests.
pub(super) const VERSION_2: &str = "
ALTER TABLE runs ADD COLUMN measurements INTEGER NOT NULL DEFAULT 1 CHECK (measurements >= 1);

ALTER TABLE submissions ADD COLUMN measure_again INTEGER NOT NULL DEFAULT 0 CHECK (measure_again IN (0, 1));
CREATE INDEX submissions_to_plan ON submissions (problem, language, id, student);
CREATE INDEX judgements_by_fold ON judgements (submission_id, fold_digest);

CREATE TABLE answers (
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    answer BLOB NOT NULL REFERENCES blobs (digest),
    answered_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE hacks (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL,
    name TEXT NOT NULL,
    file_name TEXT NOT NULL,
    input_digest BLOB NOT NULL CHECK (length(input_digest) = 32),
    note TEXT,
    refused TEXT,
    seen_ms INTEGER NOT NULL,
    history_mark INTEGER NOT NULL,
    last_submission INTEGER NOT NULL,
    finished_ms INTEGER,
    withdrawn_ms INTEGER
) STRICT;
CREATE INDEX hacks_by_problem ON hacks (problem, name, id);
";

/// What the overviews read of each judgement, without the documents that lie between; and whose pages are still to be written.
///
/// `pages_due` is a list of its own, because a mark in the judgement's row would write its whole document again.
/// Its `event` tells which judgement the pages are of: a newer one makes them due again.
pub(super) const VERSION_3: &str = "
ALTER TABLE judgements ADD COLUMN slowest_ms INTEGER;
CREATE INDEX judgements_for_board ON judgements (submission_id, verdict, first_failing_test, judged_ms, slowest_ms);

CREATE TABLE pages_due (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    event INTEGER NOT NULL
) STRICT;
INSERT INTO pages_due SELECT submission_id, 0 FROM judgements;
";

/// The machine that measured a run. Of runs from before this step nobody knows it.
pub(super) const VERSION_4: &str = "
CREATE TABLE machines (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
ALTER TABLE runs ADD COLUMN machine_id INTEGER REFERENCES machines (id);
";

/// Which submission each path was last taken as; and the files that are rejected now, one row a
/// file, in place of every rejection
/// that there ever was (those are events).
///
/// A row of `paths_taken` stays when its file goes, so that a file that is put back is nothing new.
/// Rows of one student, problem and
/// language are bounded, the one that was written last having the highest `id`.
/// An empty `kind` is one of an older store: whatever the file is rejected for next has been told.
pub(super) const VERSION_5: &str = "
CREATE TABLE paths_taken (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    student TEXT NOT NULL,
    problem TEXT NOT NULL,
    language TEXT NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES submissions (id)
) STRICT;
CREATE INDEX paths_taken_by_slot ON paths_taken (student, problem, language, id);
INSERT OR REPLACE INTO paths_taken (path, student, problem, language, submission_id)
    SELECT path, student, problem, language, id FROM submissions ORDER BY id;

CREATE TABLE rejections_now (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    student TEXT,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    seen_ms INTEGER NOT NULL
) STRICT;
INSERT INTO rejections_now (path, student, kind, reason, seen_ms)
    SELECT path, student, '', reason, seen_ms FROM rejections
    WHERE id IN (SELECT max(id) FROM rejections GROUP BY path) ORDER BY id;
DROP TABLE rejections;
ALTER TABLE rejections_now RENAME TO rejections;
CREATE INDEX rejections_by_student ON rejections (student, id);
";

/// The packages as they were last found, so that whoever looks on learns which are broken.
pub(super) const VERSION_6: &str = "
CREATE TABLE packages (
    problem TEXT NOT NULL PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    is_ours INTEGER NOT NULL CHECK (is_ours IN (0, 1)),
    broken TEXT
) STRICT;
";

/// Repeats on a busy core; hacks that are held back, because an accepted example of the package fails on them.
pub(super) const VERSION_7: &str = "
ALTER TABLE runs ADD COLUMN busy INTEGER NOT NULL DEFAULT 0 CHECK (busy >= 0);
ALTER TABLE runs ADD COLUMN waited_us INTEGER NOT NULL DEFAULT 0 CHECK (waited_us >= 0);

ALTER TABLE hacks ADD COLUMN held_back INTEGER NOT NULL DEFAULT 0 CHECK (held_back IN (0, 1));
";

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// An empty database.
    Fresh,
    /// A store of this version, not newer than `known`.
    Version(usize),
}

/// Tells what a file is, and refuses what is no store or one from the future.
pub(super) fn look(
    connection: &Connection,
    file: &Path,
    known: usize,
) -> Result<Found, StoreError> {
    let read = || -> rusqlite::Result<(i64, i64, i64)> {
        Ok((
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    let (application, found, tables) = read().map_err(|error| StoreError::sql(file, error))?;
    match (application, found, tables) {
        (0, 0, 0) => Ok(Found::Fresh),
        (APPLICATION_ID, 1.., 1..) => match usize::try_from(found) {
            Ok(version) if version <= known => Ok(Found::Version(version)),
            _ => Err(StoreError::Newer {
                file: file.to_owned(),
                found,
                known: i64::try_from(known).unwrap_or(i64::MAX),
            }),
        },
        _ => Err(StoreError::Foreign {
            file: file.to_owned(),
        }),
    }
}

/// Brings a store up to the last of `steps`. An older store is copied first; the copy's name says the version it has.
pub(super) fn migrate(
    connection: &Connection,
    file: &Path,
    found: Found,
    steps: &[&str],
) -> Result<(), StoreError> {
    let from = match found {
        Found::Fresh => 0,
        Found::Version(version) => version,
    };
    if from == steps.len() {
        return Ok(());
    }
    if from > 0 {
        back_up(connection, file, from)?;
    }
    // One transaction: a crash leaves the store at the version that it had.
    let script = format!(
        "BEGIN EXCLUSIVE; PRAGMA application_id = {APPLICATION_ID};
         {}",
        steps[from..].concat(),
    );
    let finish = format!("PRAGMA user_version = {}; COMMIT;", steps.len());
    connection
        .execute_batch(&script)
        .and_then(|()| {
            point("store half upgraded");
            connection.execute_batch(&finish)
        })
        .map_err(|error| {
            // Not in a transaction any more where SQLite has rolled it back by itself.
            let _ = connection.execute_batch("ROLLBACK");
            StoreError::sql(file, error)
        })?;
    point("store upgraded");
    Ok(())
}

/// Refuses a store that a reader of the last of `steps` does not understand.
pub(super) fn check_readable(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    let known = STEPS.len();
    match look(connection, file, known)? {
        Found::Version(version) if version == known => Ok(()),
        Found::Version(version) => Err(StoreError::Older {
            file: file.to_owned(),
            found: i64::try_from(version).unwrap_or(i64::MAX),
            known: i64::try_from(known).unwrap_or(i64::MAX),
        }),
        Found::Fresh => Err(StoreError::Missing {
            file: file.to_owned(),
        }),
    }
}

/// Where the copy of a store of this version is kept.
pub(super) fn backup_of(file: &Path, version: usize) -> PathBuf {
    file.with_extension(format!("version-{version}.db"))
}

fn back_up(connection: &Connection, file: &Path, version: usize) -> Result<(), StoreError> {
    let backup = backup_of(file, version);
    let scratch = backup.with_extension("scratch");
    let refused = |error| StoreError::folder(file, error);
    // Half a copy of an earlier try would be refused as the target of the next.
    match fs::remove_file(&scratch) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(refused(error)),
        _ => {}
    }
    let target = scratch.to_str().ok_or_else(|| {
        refused(std::io::Error::new(
            std::io::ErrorKind::InvalidFilename,
            "the path is not UTF-8, and SQLite copies only to a path that is",
        ))
    })?;
    connection
        .execute("VACUUM INTO ?1", [target])
        .map_err(|error| StoreError::sql(file, error))?;
    point("store copied");
    fs::File::open(&scratch)
        .and_then(|copy| copy.sync_all())
        .and_then(|()| fs::rename(&scratch, &backup))
        // Before the upgrade is on the disk, which cannot be undone without the copy.
        .and_then(|()| sync_name(&backup))
        .map_err(refused)?;
    point("copy kept");
    Ok(())
}
