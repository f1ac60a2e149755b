//! The files that are rejected now: one row a file, which goes with it; and what intake remembers
//! of every file.
//!
//! Of each student the first [`REJECTIONS_NAMED_MAX`] are named, in the logs, in notes and on
//! pages; the others are counted.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::events::{About, EventKind, put_event};
use super::reader::{only, pair, selecting};
use super::row::{self, put};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::bounds::REJECTIONS_NAMED_MAX;
use crate::domain::{Rejection, RejectionKind, Student};

#[expect(clippy::cast_possible_wrap, reason = "it is small")]
const NAMED_MAX: i64 = REJECTIONS_NAMED_MAX as i64;

/// A rejected file, and what intake remembers of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRejection {
    /// What is said of it.
    pub rejection: Rejection,
    /// Its path, as the bytes it is.
    pub file: Vec<u8>,
    /// What intake remembers.
    pub mark: Vec<u8>,
}

/// The result of storing rejected files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejected {
    /// Those of which somebody is to hear: they are in the log.
    pub told: Vec<Rejection>,
    /// Whose rejected files have changed.
    pub whose: BTreeSet<Option<Student>>,
}

/// The rejected files of one student, or those that are nobody's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outstanding {
    /// The ones that are named, the one that was rejected first first.
    pub named: Vec<Rejection>,
    /// How many there are beside.
    pub more: usize,
}

/// A path, and what intake knows the file by.
pub type SeenFile = (Vec<u8>, Vec<u8>);

impl Writer {
    /// Remembers rejected files, one row each. A file that is rejected for the same kind of reason
    /// as before is not told again.
    /// `log` makes the payload of the event that the logs are written from.
    pub fn reject_all(
        &self,
        new: Vec<NewRejection>,
        log: fn(&Rejection) -> String,
    ) -> Result<Rejected, StoreError> {
        self.call(move |connection| {
            let mut rejected = Rejected::default();
            for new in &new {
                reject(connection, &new.rejection, log, &mut rejected)?;
                put_seen_file(connection, &new.file, &new.mark)?;
            }
            let moment = new.iter().map(|new| new.rejection.seen_ms).max();
            tell_change(connection, moment.unwrap_or(0), &rejected.whose)?;
            Ok(rejected)
        })
    }

    /// Forgets rejected files that are gone, or are none any more and are remembered as what they
    /// are: printable paths, and the same as the bytes they are. Returns whose they were.
    pub fn release(
        &self,
        files: Vec<(String, Vec<u8>)>,
        are_kept: bool,
        now_ms: i64,
    ) -> Result<BTreeSet<Option<Student>>, StoreError> {
        self.call(move |connection| {
            let mut whose = BTreeSet::new();
            let mut row = connection
                .prepare_cached("DELETE FROM rejections WHERE path = ?1 RETURNING student")?;
            for (path, file) in &files {
                whose.extend(row.query_row([path], only).optional()?);
                if !are_kept {
                    execute(connection, "DELETE FROM seen_files WHERE path = ?1", [file])?;
                }
            }
            tell_change(connection, now_ms, &whose)?;
            Ok(whose)
        })
    }
}

pub(super) fn put_seen_file(
    connection: &Connection,
    path: &[u8],
    fingerprint: &[u8],
) -> rusqlite::Result<()> {
    // Rejected files are looked at again at every start; of those that are as they were, nothing is
    // written.
    let put = "INSERT INTO seen_files (path, fingerprint) VALUES (?1, ?2)
        ON CONFLICT (path) DO UPDATE SET fingerprint = excluded.fingerprint
        WHERE fingerprint <> excluded.fingerprint";
    execute(connection, put, (path, fingerprint)).map(drop)
}

fn reject(
    connection: &Connection,
    new: &Rejection,
    log: fn(&Rejection) -> String,
    rejected: &mut Rejected,
) -> rusqlite::Result<()> {
    let known: Option<(i64, Option<Student>, RejectionKind, String)> = connection
        .prepare_cached("SELECT id, student, kind, reason FROM rejections WHERE path = ?1")?
        .query_row([&new.path], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    let is_same_kind = known
        .as_ref()
        .is_some_and(|(.., kind, _)| *kind == new.kind);
    if let Some((_, student, _, reason)) = &known {
        if is_same_kind && *student == new.student && *reason == new.reason {
            return Ok(());
        }
        // Whose a name without a folder probably is depends on the problems.
        rejected.whose.insert(student.clone());
    }
    rejected.whose.insert(new.student.clone());
    let id = match known {
        Some((id, ..)) => {
            execute(
                connection,
                "UPDATE rejections SET student = ?2, kind = ?3, reason = ?4,
                     seen_ms = CASE WHEN ?5 THEN seen_ms ELSE ?6 END
                 WHERE id = ?1",
                params![
                    id,
                    new.student,
                    new.kind,
                    new.reason,
                    is_same_kind,
                    new.seen_ms
                ],
            )?;
            id
        }
        None => put(
            connection,
            "INSERT INTO rejections",
            &[
                ("path", &new.path),
                ("student", &new.student),
                ("kind", &new.kind),
                ("reason", &new.reason),
                ("seen_ms", &new.seen_ms),
            ],
        )?,
    };
    if is_same_kind {
        return Ok(());
    }
    let mut told = new.clone();
    match place(connection, new.student.as_ref(), id)? {
        ..REJECTIONS_NAMED_MAX => {}
        REJECTIONS_NAMED_MAX => {
            told.reason = format!(
                "{}; and this is one of more than {REJECTIONS_NAMED_MAX} rejected files of the same folder or student: the others are counted and not named",
                new.reason
            );
        }
        _ => return Ok(()),
    }
    let about = About::Student(new.student.as_ref());
    put_event(
        connection,
        EventKind::Rejected,
        new.seen_ms,
        &about,
        &log(&told),
    )?;
    rejected.told.push(told);
    Ok(())
}

/// How many rejected files of the same student come before one, as far as that matters.
fn place(connection: &Connection, student: Option<&Student>, id: i64) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "SELECT count(*) FROM
                 (SELECT 1 FROM rejections WHERE student IS ?1 AND id < ?2 LIMIT ?3)",
        )?
        .query_row((student, id, NAMED_MAX + 1), only)
}

/// Pages that show rejected files are to be written again: an event for each student, which the
/// logs do not tell.
fn tell_change(
    connection: &Connection,
    ms: i64,
    whose: &BTreeSet<Option<Student>>,
) -> rusqlite::Result<()> {
    for student in whose {
        let about = About::Student(student.as_ref());
        put_event(connection, EventKind::Rejections, ms, &about, "")?;
    }
    Ok(())
}

fn count(connection: &Connection, student: Option<&Student>) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("SELECT count(*) FROM rejections WHERE student IS ?1")?
        .query_row([student], only)
}

impl Reader {
    /// The rejected files of a student, or those that are nobody's.
    pub fn outstanding(&self, student: Option<&Student>) -> Result<Outstanding, StoreError> {
        self.ask(|connection| {
            let moment = connection.unchecked_transaction()?;
            let which = "FROM rejections WHERE student IS ?1 ORDER BY id LIMIT ?2";
            let named: Vec<Rejection> = moment
                .prepare_cached(&selecting::<Rejection>(which))?
                .query_map((student, NAMED_MAX), row::read)?
                .collect::<rusqlite::Result<_>>()?;
            let all = count(&moment, student)?;
            let more = all.saturating_sub(named.len());
            Ok(Outstanding { named, more })
        })
    }

    /// How many rejected files a student has, or how many are nobody's.
    pub fn outstanding_count(&self, student: Option<&Student>) -> Result<usize, StoreError> {
        self.ask(|connection| count(connection, student))
    }

    /// How many rejected files each student has, and how many are nobody's.
    pub fn outstanding_counts(&self) -> Result<Vec<(Option<Student>, usize)>, StoreError> {
        let query = "SELECT student, count(*) FROM rejections GROUP BY student";
        self.rows(query, [], pair)
    }

    /// The printable paths of the next rejected files, each with its row.
    pub fn rejected_paths_after(
        &self,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, String)>, StoreError> {
        let query = "SELECT id, path FROM rejections WHERE id > ?1 ORDER BY id LIMIT ?2";
        self.rows(query, (after, limit), pair)
    }

    /// The rejected files that were seen last, the latest first.
    pub fn latest_rejections(&self, limit: u32) -> Result<Vec<Rejection>, StoreError> {
        self.select("FROM rejections ORDER BY id DESC LIMIT ?1", [limit])
    }

    /// The next page of remembered files in the order of their paths; the first page follows the
    /// empty path.
    pub fn seen_files_after(&self, after: &[u8], limit: u32) -> Result<Vec<SeenFile>, StoreError> {
        self.rows(
            "SELECT path, fingerprint FROM seen_files WHERE path > ?1 ORDER BY path LIMIT ?2",
            (after, limit),
            pair,
        )
    }
}
