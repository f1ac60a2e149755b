//! Takes a program in: whether it is a new attempt, or something that is known already.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use super::events::{About, EventKind, put_event};
use super::facts::{SOURCES, put_blob};
use super::reader::{pair, selecting};
use super::rejections::put_seen_file;
use super::row::{self, put};
use super::writer::execute;
use super::{StoreError, Writer};
use crate::domain::{
    Attempt, Digest, LanguageId, ProblemSlug, SourceFile, Student, Submission, SubmissionId,
};

/// Paths of one student, problem and language of which it is remembered what they had.
const PATHS_MAX: u32 = 64;

/// A program as intake found it.
#[derive(Debug, Clone)]
pub struct NewSubmission {
    pub student: Student,
    pub problem: ProblemSlug,
    pub language: LanguageId,
    /// The path below the submissions folder.
    pub path: String,
    pub source: SourceFile,
    /// When it was received, in milliseconds since 1970 UTC.
    pub received_ms: i64,
}

/// How many attempts at a problem are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimit {
    pub most: u32,
    /// In which time, in milliseconds; `None` for ever.
    pub window_ms: Option<i64>,
}

/// What becomes of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// It is a new attempt.
    New(Submission),
    /// It is this one: its path had the same bytes before, or the latest attempt in this language
    /// has.
    Known(Submission),
    /// There were as many attempts as are accepted.
    TooSoon {
        /// When the next one is, in milliseconds since 1970 UTC; `None` for never.
        next_ms: Option<i64>,
    },
}

#[cfg(test)]
impl Receipt {
    pub fn submission(self) -> Submission {
        match self {
            Self::New(submission) | Self::Known(submission) => submission,
            Self::TooSoon { next_ms } => panic!("the next one is accepted at {next_ms:?}"),
        }
    }
}

impl Writer {
    /// Takes programs in, all in one commit.
    ///
    /// What a path had before is nothing new, whatever happened to the file meanwhile, and neither
    /// is what the latest
    /// attempt in that language was; anything else is a new attempt. The failure of one is no
    /// other's.
    pub fn receive_all(&self, files: &[Arc<NewFile>]) -> Vec<Result<Receipt, StoreError>> {
        let work = |file: &Arc<NewFile>| {
            let file = Arc::clone(file);
            move |connection: &Connection| {
                let receipt = receive(connection, &file.new, file.limit)?;
                // Of a file that is rejected, the rejection says what is remembered.
                if !matches!(receipt, Receipt::TooSoon { .. }) {
                    put_seen_file(connection, &file.path, &file.mark)?;
                }
                Ok(receipt)
            }
        };
        self.call_all(files.iter().map(work))
    }

    /// Takes a program in that lies nowhere.
    #[cfg(test)]
    pub fn receive(&self, new: NewSubmission) -> Result<Receipt, StoreError> {
        self.call(move |connection| receive(connection, &new, None))
    }
}

/// A program in a file, and what intake remembers of the file.
#[derive(Debug)]
pub struct NewFile {
    pub new: NewSubmission,
    /// The file's path as the bytes that it is.
    pub path: Vec<u8>,
    /// What intake knows the file by.
    pub mark: Vec<u8>,
    /// How many attempts are accepted.
    pub limit: Option<AttemptLimit>,
}

/// A submission and the digest of its source.
type Known = (SubmissionId, Digest);

/// The submission that a program was already received as; `None` if it is a new attempt.
///
/// `of_path` is what its path had when it was taken last, `latest` the latest attempt of the
/// student for the problem in the language.
fn known_as(
    of_path: Option<Known>,
    latest: Option<Known>,
    digest: &Digest,
) -> Option<SubmissionId> {
    [of_path, latest]
        .into_iter()
        .flatten()
        .find(|(_, known)| known == digest)
        .map(|(id, _)| id)
}

pub(super) fn receive(
    connection: &Connection,
    new: &NewSubmission,
    limit: Option<AttemptLimit>,
) -> rusqlite::Result<Receipt> {
    let known = |sql: &str, what: &dyn rusqlite::ToSql| {
        connection
            .prepare_cached(sql)?
            .query_row(params![new.student, new.problem, new.language, what], pair)
            .optional()
    };
    let latest = known(
        "SELECT id, source_digest FROM submissions
         WHERE student = ?1 AND problem = ?2 AND language = ?3
         ORDER BY attempt DESC LIMIT ?4",
        &1,
    )?;
    // A path that meant another problem or language then was taken for another purpose.
    let of_path = known(
        "SELECT submissions.id, source_digest
         FROM paths_taken JOIN submissions ON submissions.id = submission_id
         WHERE paths_taken.student = ?1 AND paths_taken.problem = ?2 AND paths_taken.language = ?3
             AND paths_taken.path = ?4",
        &new.path,
    )?;
    if let Some(id) = known_as(of_path, latest, &new.source.digest) {
        if of_path.is_none_or(|(of_path, _)| of_path != id) {
            remember_path(connection, new, id)?;
        }
        return connection
            .prepare_cached(&selecting::<Submission>("FROM submissions WHERE id = ?1"))?
            .query_row([id], row::read)
            .map(Receipt::Known);
    }
    if let Some(too_soon) = limit.map_or(Ok(None), |limit| too_soon(connection, new, limit))? {
        return Ok(too_soon);
    }
    put_blob(connection, SOURCES, &new.source.digest, &new.source.bytes)?;
    let submission = insert(connection, new)?;
    remember_path(connection, new, submission.id)?;
    let about = About::Submission(submission.id);
    put_event(connection, EventKind::Received, new.received_ms, &about, "")?;
    Ok(Receipt::New(submission))
}

/// What becomes of it where there were as many attempts as are accepted.
fn too_soon(
    connection: &Connection,
    new: &NewSubmission,
    limit: AttemptLimit,
) -> rusqlite::Result<Option<Receipt>> {
    // Once the attempt that is the last one allowed to be in the window has left it, there is room.
    let first: Option<i64> = connection
        .prepare_cached(
            "SELECT received_ms FROM submissions WHERE student = ?1 AND problem = ?2
             ORDER BY attempt DESC LIMIT 1 OFFSET ?3",
        )?
        .query_row(
            params![new.student, new.problem, limit.most.saturating_sub(1)],
            |row| row.get(0),
        )
        .optional()?;
    let next_ms = first.map(|first| limit.window_ms.map(|window| first.saturating_add(window)));
    let too_soon = next_ms.filter(|next| next.is_none_or(|next| new.received_ms < next));
    Ok(too_soon.map(|next_ms| Receipt::TooSoon { next_ms }))
}

fn insert(connection: &Connection, new: &NewSubmission) -> rusqlite::Result<Submission> {
    let attempt: Attempt = connection
        .prepare_cached(
            "SELECT coalesce(max(attempt), 0) + 1 FROM submissions WHERE student = ?1 AND problem = ?2",
        )?
        .query_row(params![new.student, new.problem], |row| row.get(0))?;
    let id = put(
        connection,
        "INSERT INTO submissions",
        &[
            ("student", &new.student),
            ("problem", &new.problem),
            ("language", &new.language),
            ("attempt", &attempt),
            ("path", &new.path),
            ("file_name", &new.source.name),
            ("source_digest", &new.source.digest),
            ("received_ms", &new.received_ms),
        ],
    )?;
    Ok(Submission {
        id: SubmissionId(id),
        student: new.student.clone(),
        problem: new.problem.clone(),
        language: new.language.clone(),
        attempt,
        received_ms: new.received_ms,
    })
}

/// Remembers as what a path was taken, and forgets those that were not for longest where there are
/// too many.
fn remember_path(
    connection: &Connection,
    new: &NewSubmission,
    id: SubmissionId,
) -> rusqlite::Result<()> {
    put(
        connection,
        "INSERT OR REPLACE INTO paths_taken",
        &[
            ("path", &new.path),
            ("student", &new.student),
            ("problem", &new.problem),
            ("language", &new.language),
            ("submission_id", &id),
        ],
    )?;
    execute(
        connection,
        "DELETE FROM paths_taken WHERE id IN
             (SELECT id FROM paths_taken WHERE student = ?1 AND problem = ?2 AND language = ?3
              ORDER BY id DESC LIMIT -1 OFFSET ?4)",
        (&new.student, &new.problem, &new.language, PATHS_MAX),
    )
    .map(drop)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::tests::{opened, program};
    use super::{AttemptLimit, NewFile, PATHS_MAX, Receipt, known_as};
    use crate::domain::{Digest, SubmissionId};
    use crate::store::NewSubmission;

    #[test]
    fn what_is_known_is_nothing_new() {
        let known = |id: i64, digest: u8| (SubmissionId(id), Digest([digest; 32]));
        // What the path had, the latest attempt, what is there now, and the submission that it
        // already is.
        for (of_path, latest, now, expected) in [
            (None, None, 1, None),
            // Touched, copied, restored.
            (Some((1, 1)), Some((1, 1)), 1, Some(1)),
            // The same while another file of the student has the latest attempt.
            (Some((1, 1)), Some((2, 2)), 1, Some(1)),
            // Moved, or saved under another spelling.
            (None, Some((2, 2)), 2, Some(2)),
            // It became what the other file has.
            (Some((1, 1)), Some((2, 2)), 2, Some(2)),
            // Changed; and changed back, when the path has had something else meanwhile.
            (Some((1, 1)), Some((1, 1)), 2, None),
            (Some((2, 2)), Some((2, 2)), 1, None),
            // A new path with what an earlier attempt was: it is handed in again on purpose.
            (None, Some((2, 2)), 1, None),
        ] {
            let known = |one: Option<(i64, u8)>| one.map(|(id, digest)| known(id, digest));
            let found = known_as(known(of_path), known(latest), &Digest([now; 32]));
            let expected = expected.map(SubmissionId);
            assert_eq!(found, expected, "{of_path:?} {latest:?} {now}");
        }
    }

    fn at(path: &str, source: &[u8]) -> NewSubmission {
        NewSubmission {
            path: path.to_owned(),
            ..program("alpha", source)
        }
    }

    #[test]
    fn a_limit_lets_in_so_many_attempts_in_its_time_and_counts_no_other() {
        let (_folder, store) = opened();
        let receive = |source: &str, received_ms, most, window_ms| {
            let file = NewFile {
                new: NewSubmission {
                    received_ms,
                    ..at("a.cpp", source.as_bytes())
                },
                path: b"a.cpp".to_vec(),
                mark: Vec::new(),
                limit: Some(AttemptLimit { most, window_ms }),
            };
            let mut receipts = store.writer().receive_all(&[Arc::new(file)]);
            match receipts.pop().unwrap().unwrap() {
                Receipt::New(submission) | Receipt::Known(submission) => Ok(submission.attempt),
                Receipt::TooSoon { next_ms } => Err(next_ms),
            }
        };
        for (source, received_ms, window_ms, expected) in [
            ("1", 1_000, Some(100), Ok(1)),
            ("2", 1_050, Some(100), Ok(2)),
            ("3", 1_060, Some(100), Err(Some(1_100))),
            ("3", 1_060, None, Err(None)),
            // The same bytes are no attempt.
            ("2", 1_060, Some(100), Ok(2)),
            // What was rejected was none.
            ("4", 1_099, Some(100), Err(Some(1_100))),
            ("3", 1_100, Some(100), Ok(3)),
            ("4", 1_149, Some(100), Err(Some(1_150))),
            ("4", 1_150, Some(100), Ok(4)),
        ] {
            let found = receive(source, received_ms, 2, window_ms);
            assert_eq!(found, expected, "{source} at {received_ms}");
        }
    }

    #[test]
    fn what_paths_had_is_remembered_of_so_many() {
        let (_folder, store) = opened();
        let writer = store.writer();
        for number in 0..3 * PATHS_MAX {
            writer.receive(at(&number.to_string(), b"1")).unwrap();
        }
        let count = "SELECT count(*) FROM paths_taken";
        let kept = writer.call(move |store| store.query_row(count, [], |row| row.get::<_, u32>(0)));
        assert_eq!(kept.unwrap(), PATHS_MAX);
    }
}
