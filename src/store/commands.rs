//! What can be written, each as one command of the writer.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};

use super::facts::{put_build, put_run};
use super::reader::published;
use super::record::{EventKind, FaultRecord, Outcome, Publication, RunRecord};
use super::{StoreError, Unawaited, Writer};
use crate::domain::{Build, Digest, Published, SubmissionId};

impl Writer {
    /// Remembers a build. `files` are the bytes of the manifest's files, in any order; ones that
    /// are known already may be left out.
    pub fn put_build(
        &self,
        key: Digest,
        build: Build,
        files: Vec<(Digest, Arc<[u8]>)>,
        built_ms: i64,
    ) -> Result<(), StoreError> {
        self.call(move |connection| put_build(connection, &key, &build, &files, built_ms))
    }

    /// Remembers a run, in place of what was measured under other caps, without waiting for the
    /// commit.
    pub fn put_run_later(&self, run: RunRecord, told: &Unawaited) {
        self.call_later(told, move |connection| put_run(connection, &run));
    }

    /// Publishes judgements: each submission has this verdict from the commit on, whatever becomes
    /// of the files.
    /// One of which a write that was not waited for has failed is not published; the failure of one
    /// is no other's.
    pub fn publish_all(
        &self,
        judgements: &[(Arc<Publication>, Unawaited)],
    ) -> Vec<Result<Outcome, StoreError>> {
        let work = |(publication, facts): &(Arc<Publication>, Unawaited)| {
            let (publication, facts) = (Arc::clone(publication), facts.clone());
            move |connection: &Connection| match facts.failure() {
                Some(failure) => Ok(Err(failure.clone())),
                None => publish(connection, &publication).map(Ok),
            }
        };
        let results = self.call_all(judgements.iter().map(work));
        let whole_failed = results.iter().all(Result::is_err);
        if judgements.len() > 1 && whole_failed {
            // Perhaps one of them was too much for the disk, and there is room for the others.
            return judgements
                .iter()
                .map(|one| self.call(work(one)).flatten())
                .collect();
        }
        results.into_iter().map(Result::flatten).collect()
    }

    /// Publishes one judgement.
    #[cfg(test)]
    pub fn publish(&self, publication: Publication) -> Result<Outcome, StoreError> {
        self.call(move |connection| publish(connection, &publication))
    }

    /// Remembers a run, and returns after the commit.
    #[cfg(test)]
    pub fn put_run(&self, run: RunRecord) -> Result<(), StoreError> {
        self.call(move |connection| put_run(connection, &run))
    }

    /// Notes that the report files of the judgement with this fold are on disk. False where there
    /// is a newer judgement.
    pub fn mark_reported(
        &self,
        submission: SubmissionId,
        fold: Digest,
    ) -> Result<bool, StoreError> {
        self.mark_all_reported(vec![(submission, fold)])
            .map(|marked| marked == 1)
    }

    /// The same for several judgements at once: how many of them are the newest.
    pub fn mark_all_reported(
        &self,
        judgements: Vec<(SubmissionId, Digest)>,
    ) -> Result<usize, StoreError> {
        self.call(move |connection| {
            // Until the report is there the work is not done, and its fault stays.
            let mut forget =
                connection.prepare_cached("DELETE FROM faults WHERE submission_id = ?1")?;
            let mut statement = connection.prepare_cached(
                "UPDATE judgements SET reported = 1 WHERE submission_id = ?1 AND fold_digest = ?2",
            )?;
            judgements
                .iter()
                .map(|(submission, fold)| {
                    forget.execute([submission])?;
                    statement.execute(params![submission, fold])
                })
                .sum()
        })
    }

    /// Has the runs of some submissions measured again before they are judged: their judgements
    /// stay until then, but are no longer up to date.
    pub fn measure_again(&self, submissions: Vec<SubmissionId>) -> Result<(), StoreError> {
        self.call(move |connection| {
            let mut mark = connection
                .prepare_cached("UPDATE submissions SET measure_again = 1 WHERE id = ?1")?;
            let mut outdate = connection.prepare_cached(
                "UPDATE judgements SET fold_digest = zeroblob(32) WHERE submission_id = ?1",
            )?;
            for id in &submissions {
                mark.execute([id])?;
                outdate.execute([id])?;
            }
            Ok(())
        })
    }

    /// Forgets the runs of a submission's program where they are to be measured again. Whatever
    /// happens next, they are missing.
    pub fn forget_runs(&self, id: SubmissionId, artifact: Digest) -> Result<(), StoreError> {
        self.call(move |connection| {
            connection
                .prepare_cached("DELETE FROM runs WHERE artifact_key = ?1")?
                .execute([artifact])?;
            connection
                .prepare_cached("UPDATE submissions SET measure_again = 0 WHERE id = ?1")?
                .execute([id])
                .map(drop)
        })
    }

    /// Remembers a fault, and says how often this piece of work has failed.
    pub fn fault(&self, fault: FaultRecord, event_json: String) -> Result<u32, StoreError> {
        self.call(move |connection| put_fault(connection, &fault, &event_json))
    }

    /// Keeps which languages cannot be tried now, and forgets it of those whose work is well again.
    pub fn language_faults(
        &self,
        faults: Vec<FaultRecord>,
        healthy: Vec<Digest>,
    ) -> Result<(), StoreError> {
        self.call(move |connection| {
            for fault in &faults {
                put_fault_row(connection, fault)?;
            }
            let mut forget = connection.prepare_cached("DELETE FROM faults WHERE work_key = ?1")?;
            for work in &healthy {
                forget.execute([work])?;
            }
            Ok(())
        })
    }

    /// Forgets files that are gone.
    pub fn forget_files(&self, paths: Vec<Vec<u8>>) -> Result<(), StoreError> {
        self.call(move |connection| {
            let mut statement =
                connection.prepare_cached("DELETE FROM seen_files WHERE path = ?1")?;
            for path in &paths {
                statement.execute([path])?;
            }
            Ok(())
        })
    }

    /// Remembers a number under a name, as the event that the logs have reached.
    #[cfg(test)]
    pub fn set_mark(&self, name: &'static str, value: i64) -> Result<(), StoreError> {
        self.call(move |connection| set_mark(connection, name, value))
    }

    /// Remembers a number under a name, as the event that the logs have reached, without waiting
    /// for the commit.
    pub fn set_mark_later(&self, name: &'static str, value: i64, told: &Unawaited) {
        self.call_later(told, move |connection| set_mark(connection, name, value));
    }
}

fn set_mark(connection: &Connection, name: &str, value: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO marks (name, value) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )?
        .execute(params![name, value])
        .map(drop)
}

pub(super) fn put_seen_file(
    connection: &Connection,
    path: &[u8],
    fingerprint: &[u8],
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO seen_files (path, fingerprint) VALUES (?1, ?2)
             ON CONFLICT (path) DO UPDATE SET fingerprint = excluded.fingerprint",
        )?
        .execute(params![path, fingerprint])
        .map(drop)
}

pub(super) fn put_blob(
    connection: &Connection,
    digest: &Digest,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO blobs (digest, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
        .execute(params![digest, bytes])
        .map(drop)
}

pub(super) fn event(
    connection: &Connection,
    ms: i64,
    kind: EventKind,
    submission: Option<SubmissionId>,
    json: &str,
) -> rusqlite::Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO events (ms, kind, submission_id, json) VALUES (?1, ?2, ?3, ?4)",
        )?
        .insert(params![ms, kind, submission, json])
}

pub(super) fn publish(connection: &Connection, new: &Publication) -> rusqlite::Result<Outcome> {
    // The judgement before, its fold, whether the document is the same, and whether the report is
    // on the disk.
    let before: Option<(Published, Digest, bool, bool)> = connection
        .prepare_cached(
            "SELECT verdict, cause, first_failing_test, judged_ms, fold_digest, document = ?2,
                 reported
             FROM judgements WHERE submission_id = ?1",
        )?
        .query_row(params![new.submission, new.document], |row| {
            Ok((published(row, 0)?, row.get(4)?, row.get(5)?, row.get(6)?))
        })
        .optional()?;
    // After a fault between the store and the reports nobody has heard of the verdict yet.
    let is_unheard = before.as_ref().is_some_and(|before| !before.3);
    let is_changed = match &before {
        Some((_, fold, true, _)) if *fold == new.fold => {
            return Ok(Outcome {
                event: None,
                is_changed: false,
                is_news: is_unheard,
            });
        }
        Some((before, ..)) => !before.says_the_same_as(&new.change.published),
        None => true,
    };
    put_judgement(connection, new)?;
    // Asked for while this one was being judged: it stays out of date until it has been measured
    // again.
    connection
        .prepare_cached(
            "UPDATE judgements SET fold_digest = zeroblob(32)
             WHERE submission_id = ?1 AND (SELECT measure_again FROM submissions WHERE id = ?1) = 1",
        )?
        .execute([new.submission])?;
    let kind = if is_changed {
        EventKind::Verdict
    } else {
        EventKind::Confirmed
    };
    let event = event(
        connection,
        new.change.published.judged_ms,
        kind,
        Some(new.submission),
        &new.event_json,
    )?;
    if is_changed {
        put_history(connection, new, event)?;
    }
    connection
        .prepare_cached("INSERT OR REPLACE INTO pages_due (submission_id, event) VALUES (?1, ?2)")?
        .execute(params![new.submission, event])?;
    Ok(Outcome {
        event: Some(event),
        is_changed,
        is_news: is_changed || is_unheard,
    })
}

fn put_judgement(connection: &Connection, new: &Publication) -> rusqlite::Result<()> {
    let now = &new.change.published;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO judgements
                 (submission_id, fold_digest, verdict, cause, first_failing_test, judged_ms, slowest_ms, reported, document)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)",
        )?
        .execute(params![
            new.submission,
            new.fold,
            now.verdict,
            now.cause,
            now.first_failing_test,
            now.judged_ms,
            new.slowest_ms,
            new.document
        ])?;
    connection
        .prepare_cached("UPDATE submissions SET judged = 1 WHERE id = ?1 AND judged = 0")?
        .execute([new.submission])
        .map(drop)
}

fn put_history(connection: &Connection, new: &Publication, event: i64) -> rusqlite::Result<()> {
    let now = &new.change.published;
    connection
        .prepare_cached(
            "INSERT INTO judgement_history
                 (event, submission_id, verdict, cause, first_failing_test, judged_ms, because)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            event,
            new.submission,
            now.verdict,
            now.cause,
            now.first_failing_test,
            now.judged_ms,
            new.change.because
        ])
        .map(drop)
}

fn put_fault(
    connection: &Connection,
    new: &FaultRecord,
    event_json: &str,
) -> rusqlite::Result<u32> {
    let tries = put_fault_row(connection, new)?;
    event(
        connection,
        new.last_ms,
        EventKind::Fault,
        new.submission,
        event_json,
    )?;
    Ok(tries)
}

/// Keeps a fault without an event; how often it was met before is counted on.
fn put_fault_row(connection: &Connection, new: &FaultRecord) -> rusqlite::Result<u32> {
    connection
        .prepare_cached(
            "INSERT INTO faults (work_key, submission_id, step, reason, tries, next_try_ms, last_ms)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
             ON CONFLICT (work_key) DO UPDATE SET
                 submission_id = excluded.submission_id, step = excluded.step,
                 reason = excluded.reason, tries = tries + 1,
                 next_try_ms = excluded.next_try_ms, last_ms = excluded.last_ms
             RETURNING tries",
        )?
        .query_row(
            params![
                new.work,
                new.submission,
                new.fault.step,
                new.fault.reason,
                new.next_try_ms,
                new.last_ms
            ],
            |row| row.get(0),
        )
}
