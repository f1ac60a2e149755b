//! The tables, in two parts.
//!
//! The record is what cannot be made again: who handed in what and when, which verdict counted
//! when, what was decided and found. A change of its tables is another [`LAYOUT`], and a conversion
//! in [`super::upgrade`]. The facts are what can be measured again. A change of their tables, or of
//! what is kept in them, is another [`FACTS_LAYOUT`] and nothing more: an upgrade drops them, and
//! every submission is measured again.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use super::StoreError;
use crate::util::crash::point;

/// Tells our files from other programs' databases: "vdct".
const APPLICATION_ID: i64 = 0x7664_6374;

/// The layout of the record. The JSON in its columns belongs to it: a field that is new there has a
/// default.
pub const LAYOUT: i64 = 16;
/// The first layout that is converted. No version with an earlier one was released.
pub(super) const FIRST_LAYOUT: i64 = 13;
/// The layout of the facts, which are dropped where it is another one.
pub(super) const FACTS_LAYOUT: &str = "2";

/// The rows of `versions`.
const FACTS_VERSION: &str = "facts";
const WRITER: &str = "verdictd";

/// Durations are in microseconds (`_us`), moments in milliseconds since 1970 (`_ms`).
/// TEXT is valid text; bytes from outside are BLOBs. Wide columns come last, so that the narrow
/// ones are read without them.
///
/// - `sources`: the students' programs by their digests.
/// - `submissions.measure_again`: its runs are to be forgotten before it is judged the next time.
/// - `judgements.dropped`: it was made before an upgrade. It stands until it has been made again,
///   from the facts if these were kept, and has no document until then.
/// - `group_points`: what was got in each group of tests, as JSON; `NULL` where there are none, and
///   where an earlier layout did not say.
/// - `events.about` is the problem or the student that an event without a submission is about;
///   `json` is what the logs tell of it.
/// - `marks`: how far the files are that follow the store, as numbers of events.
/// - `searches`: what was found out in idle time about the judgement with this fold. `subject` is
///   what it rests on, which another fold may share; `tried_to`: the last of `counterexamples` that
///   an accepted program was tried on, and so `NULL` for a failing one.
/// - `searches_due`: the judgements about which nothing was searched that rests on the same fold.
///   A list of its own, so that looking for what is to be done touches nothing that was done.
/// - `counterexamples`: inputs on which programs fail, each once for a problem; their numbers are
///   never given again. `submission_id` is the first program for which it was found.
/// - `proposals`: inputs that break accepted programs, for the instructor to decide on;
///   `evidence` is about `submission_id`, the first program that one was found to break.
/// - `unproposed`: accepted programs that an input breaks which found no place among the proposals;
///   `filled` says whose places are all taken.
/// - `hacks.history_mark` and `hacks.last_submission`: what had been published and received when
///   the hack joined the tests.
/// - A row of `paths_taken` stays when its file goes, so that a file that is put back is nothing
///   new. Rows of one student,
///   problem and language are bounded, the one that was written last having the highest `id`.
/// - `rejections` are the files that are rejected now; every rejection that there ever was is an
///   event.
/// - `packages` as they were last found, so that whoever looks on learns which are broken.
/// - `versions`: who wrote the store last, and the layout of the facts. It stays as it is, so that
///   every version can read it.
pub(super) const RECORD: &str = "
CREATE TABLE sources (
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
    source_digest BLOB NOT NULL REFERENCES sources (digest),
    received_ms INTEGER NOT NULL,
    judged INTEGER NOT NULL DEFAULT 0 CHECK (judged IN (0, 1)),
    measure_again INTEGER NOT NULL DEFAULT 0 CHECK (measure_again IN (0, 1)),
    UNIQUE (student, problem, attempt)
) STRICT;
CREATE INDEX submissions_by_language ON submissions (student, problem, language, attempt);
CREATE INDEX submissions_by_problem ON submissions (problem, id);
CREATE INDEX submissions_to_plan ON submissions (problem, language, id, student, attempt, received_ms);
CREATE INDEX submissions_waiting ON submissions (id) WHERE judged = 0;

CREATE TABLE judgements (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    fold_digest BLOB NOT NULL CHECK (length(fold_digest) = 32),
    verdict TEXT NOT NULL,
    cause TEXT,
    score_got INTEGER NOT NULL,
    score_of INTEGER NOT NULL,
    first_failing_test TEXT,
    judged_ms INTEGER NOT NULL,
    slowest_ms INTEGER,
    dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1)),
    group_points TEXT
) STRICT;
CREATE INDEX judgements_by_verdict ON judgements (verdict);
CREATE INDEX judgements_dropped ON judgements (submission_id) WHERE dropped = 1;

CREATE TABLE judgement_history (
    id INTEGER PRIMARY KEY,
    event INTEGER NOT NULL UNIQUE REFERENCES events (id),
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    verdict TEXT NOT NULL,
    cause TEXT,
    score_got INTEGER NOT NULL,
    score_of INTEGER NOT NULL,
    first_failing_test TEXT,
    judged_ms INTEGER NOT NULL,
    because TEXT NOT NULL,
    group_points TEXT
) STRICT;
CREATE INDEX judgement_history_by_submission ON judgement_history (submission_id, id);

CREATE TABLE hacks (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL,
    name TEXT NOT NULL,
    file_name TEXT NOT NULL,
    input_digest BLOB NOT NULL CHECK (length(input_digest) = 32),
    note TEXT,
    refused TEXT,
    held_back INTEGER NOT NULL CHECK (held_back IN (0, 1)),
    seen_ms INTEGER NOT NULL,
    history_mark INTEGER NOT NULL,
    last_submission INTEGER NOT NULL,
    finished_ms INTEGER,
    withdrawn_ms INTEGER
) STRICT;
CREATE INDEX hacks_by_problem ON hacks (problem, name, id);

CREATE TABLE searches (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    fold_digest BLOB NOT NULL CHECK (length(fold_digest) = 32),
    subject BLOB NOT NULL CHECK (length(subject) = 32),
    searched_ms INTEGER NOT NULL,
    tried_to INTEGER,
    problem TEXT NOT NULL,
    explanation TEXT
) STRICT;
CREATE INDEX searches_by_tried ON searches (problem, tried_to, submission_id DESC, fold_digest)
    WHERE tried_to IS NOT NULL;

CREATE TABLE searches_due (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    fold_digest BLOB NOT NULL CHECK (length(fold_digest) = 32),
    verdict TEXT NOT NULL
) STRICT;
CREATE INDEX searches_due_by_verdict ON searches_due (verdict, submission_id, fold_digest);

CREATE TABLE counterexamples (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    problem TEXT NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    input_digest BLOB NOT NULL CHECK (length(input_digest) = 32),
    input TEXT NOT NULL,
    UNIQUE (problem, input_digest)
) STRICT;
CREATE INDEX counterexamples_by_problem ON counterexamples (problem, id);

CREATE TABLE proposals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    problem TEXT NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    input_digest BLOB NOT NULL CHECK (length(input_digest) = 32),
    state TEXT NOT NULL CHECK (state IN ('proposed', 'accepted', 'rejected')),
    found_ms INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    evidence TEXT NOT NULL,
    input BLOB NOT NULL,
    UNIQUE (problem, input_digest)
) STRICT;
CREATE INDEX proposals_open ON proposals (problem, id) WHERE state = 'proposed';

CREATE TABLE proposal_breaks (
    proposal_id INTEGER NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    PRIMARY KEY (proposal_id, submission_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE unproposed (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    problem TEXT NOT NULL,
    filled TEXT NOT NULL CHECK (filled IN ('student', 'problem'))
) STRICT;

CREATE TABLE packages (
    problem TEXT NOT NULL PRIMARY KEY,
    since_ms INTEGER NOT NULL,
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    is_ours INTEGER NOT NULL CHECK (is_ours IN (0, 1)),
    broken TEXT
) STRICT;

CREATE TABLE paths_taken (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    student TEXT NOT NULL,
    problem TEXT NOT NULL,
    language TEXT NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES submissions (id)
) STRICT;
CREATE INDEX paths_taken_by_slot ON paths_taken (student, problem, language, id);

CREATE TABLE rejections (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    student TEXT,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    seen_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX rejections_by_student ON rejections (student, id);

CREATE TABLE seen_files (
    path BLOB NOT NULL PRIMARY KEY,
    fingerprint BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    submission_id INTEGER REFERENCES submissions (id),
    about TEXT,
    json TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_kind ON events (kind, id);

CREATE TABLE marks (
    name TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
    name TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// - `builds.source` and `answers.source`: the digest of the student's program that was being judged
///   then, so that they are forgotten with it; `NULL` for what concerns a package alone.
/// - `builds.facts` and `runs.facts`: all that was measured, as [`super::facts`] encodes it;
///   `build_files` and `runs.output_kept` are the bytes that it names.
/// - `documents`: the report documents of the judgements.
/// - `faults`: what is to be tried again.
pub(super) const FACTS: &str = "
CREATE TABLE blobs (
    digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE documents (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    document TEXT NOT NULL
) STRICT;

CREATE TABLE builds (
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    built_ms INTEGER NOT NULL,
    source BLOB,
    facts BLOB NOT NULL
) STRICT;
CREATE TABLE build_files (
    build_key BLOB NOT NULL REFERENCES builds (key) ON DELETE CASCADE,
    digest BLOB NOT NULL REFERENCES blobs (digest),
    PRIMARY KEY (build_key, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    artifact_key BLOB NOT NULL,
    policy_digest BLOB NOT NULL,
    input_digest BLOB NOT NULL,
    measured_ms INTEGER NOT NULL,
    output_kept BLOB REFERENCES blobs (digest),
    facts BLOB NOT NULL,
    PRIMARY KEY (artifact_key, policy_digest, input_digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE answers (
    key BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    answer BLOB NOT NULL REFERENCES blobs (digest),
    answered_ms INTEGER NOT NULL,
    source BLOB
) STRICT;

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
";

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// An empty database.
    Fresh,
    /// A store of this version.
    Store,
    /// One whose record has this earlier layout.
    Earlier(i64),
    /// One whose facts have another layout.
    OtherFacts,
}

/// Tells what a file is, and refuses what is no store, or one that this version cannot read.
pub(super) fn look(connection: &Connection, file: &Path) -> Result<Found, StoreError> {
    let read = || -> rusqlite::Result<(i64, i64, i64)> {
        Ok((
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    let failed = |error| StoreError::sql(file, error);
    let version = |name| version(connection, name).map_err(failed);
    let knows_facts = || has_these_facts(connection).map_err(failed);
    let (application, found, tables) = read().map_err(|error| StoreError::sql(file, error))?;
    let shown = file.display();
    match (application, found, tables) {
        (0, 0, 0) => Ok(Found::Fresh),
        (APPLICATION_ID, LAYOUT, 1..) if knows_facts()? => Ok(Found::Store),
        (APPLICATION_ID, LAYOUT, 1..) => Ok(Found::OtherFacts),
        (APPLICATION_ID, FIRST_LAYOUT..LAYOUT, 1..) => Ok(Found::Earlier(found)),
        (APPLICATION_ID, 1..FIRST_LAYOUT, 1..) => Err(StoreError::Refused(format!(
            "the store {shown} has the layout {found}, from before the first release of verdictd, and is not converted; use the program that wrote it, \
             or move the store away together with the files beside it whose names begin alike: \
             the next start judges everything in the submissions folder anew"
        ))),
        (APPLICATION_ID, 1.., 1..) => {
            let writer = version(WRITER)?.unwrap_or_else(|| "a newer version".to_owned());
            Err(StoreError::Refused(format!(
                "the store {shown} was written by verdictd {writer}, and this is verdictd {}, which cannot read it; use verdictd {writer} or a later version",
                env!("CARGO_PKG_VERSION")
            )))
        }
        _ => Err(StoreError::Refused(format!(
            "{shown} is a database, but not a store of this program; move it away, or set `folders.state` to another folder"
        ))),
    }
}

/// Whether the facts have the layout of this version.
pub(super) fn has_these_facts(connection: &Connection) -> rusqlite::Result<bool> {
    let facts = version(connection, FACTS_VERSION)?;
    Ok(facts.as_deref() == Some(FACTS_LAYOUT))
}

fn version(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    connection
        .query_row(
            "SELECT version FROM versions WHERE name = ?1",
            [name],
            |row| row.get(0),
        )
        .optional()
}

/// Makes the tables in an empty database; a crash in the middle leaves it empty.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    let script = format!(
        "BEGIN EXCLUSIVE; PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {LAYOUT}; {RECORD} {FACTS}"
    );
    connection.execute_batch(&script)?;
    sign(connection)?;
    point("store half made");
    connection.execute_batch("COMMIT")?;
    point("store made");
    Ok(())
}

/// Notes the layout of the facts, and who writes the store from now on.
pub(super) fn sign(connection: &Connection) -> rusqlite::Result<()> {
    for (name, version) in [
        (FACTS_VERSION, FACTS_LAYOUT),
        (WRITER, env!("CARGO_PKG_VERSION")),
    ] {
        connection.execute(
            "INSERT INTO versions (name, version) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET version = excluded.version
                 WHERE version <> excluded.version",
            [name, version],
        )?;
    }
    Ok(())
}

/// Refuses what a reader cannot read.
pub(super) fn check_readable(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    match look(connection, file)? {
        Found::Store => Ok(()),
        Found::Fresh => Err(StoreError::Missing {
            file: file.to_owned(),
        }),
        Found::Earlier(_) | Found::OtherFacts => Err(StoreError::Refused(format!(
            "the store {} was written by another version of verdictd; start this version once (`verdictd serve`), which keeps every grade",
            file.display()
        ))),
    }
}
