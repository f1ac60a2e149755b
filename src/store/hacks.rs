//! Hacks: which joined the tests of a problem and when, which were refused, which were taken back.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::board::{ENTRIES, Entry, entry};
use super::commands::event;
use super::record::{EventKind, HackRow, NewHack};
use super::{Reader, StoreError, Writer};
use crate::domain::{ProblemSlug, SubmissionId, Verdict};

const COLUMNS: &str = "id, problem, name, file_name, input_digest, note, refused, seen_ms, \
    history_mark, last_submission, finished_ms, withdrawn_ms, held_back";

/// The verdict of submission ?1 after change ?2 of all verdicts.
const VERDICT_AT: &str = "SELECT verdict FROM judgement_history
    WHERE submission_id = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1";

impl Writer {
    /// Remembers a hack that has joined the tests or was refused, with what had been published and
    /// received until then.
    pub fn put_hack(&self, hack: NewHack) -> Result<(), StoreError> {
        self.call(move |connection| put_hack(connection, &hack))
    }

    /// Every earlier submission has been judged on it.
    pub fn finish_hack(&self, id: i64, ms: i64, event_json: String) -> Result<(), StoreError> {
        self.call(move |connection| {
            let rows = connection
                .prepare_cached(
                    "UPDATE hacks SET finished_ms = ?2 WHERE id = ?1 AND finished_ms IS NULL",
                )?
                .execute(params![id, ms])?;
            if rows == 1 {
                event(connection, ms, EventKind::Hack, None, &event_json)?;
            }
            Ok(())
        })
    }

    /// Its file is gone or another one by now.
    pub fn withdraw_hack(&self, id: i64, ms: i64, event_json: String) -> Result<(), StoreError> {
        self.call(move |connection| {
            let rows = connection
                .prepare_cached(
                    "UPDATE hacks SET withdrawn_ms = ?2 WHERE id = ?1 AND withdrawn_ms IS NULL",
                )?
                .execute(params![id, ms])?;
            if rows == 1 {
                event(connection, ms, EventKind::Hack, None, &event_json)?;
            }
            Ok(())
        })
    }
}

fn put_hack(connection: &Connection, hack: &NewHack) -> rusqlite::Result<()> {
    let number = |sql: &str| -> rusqlite::Result<i64> {
        connection
            .prepare_cached(sql)?
            .query_row([], |row| row.get(0))
    };
    let history_mark = number("SELECT coalesce(max(id), 0) FROM judgement_history")?;
    let last_submission = number("SELECT coalesce(max(id), 0) FROM submissions")?;
    connection
        .prepare_cached(
            "INSERT INTO hacks (problem, name, file_name, input_digest, note, refused, seen_ms,
                 history_mark, last_submission, held_back)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            hack.problem,
            hack.name,
            hack.file_name,
            hack.digest,
            hack.note,
            hack.refused,
            hack.seen_ms,
            history_mark,
            last_submission,
            hack.held_back
        ])?;
    event(
        connection,
        hack.seen_ms,
        EventKind::Hack,
        None,
        &hack.event_json,
    )?;
    Ok(())
}

impl Reader {
    /// The hacks that are in force or refused now, of one problem or all, the oldest first.
    pub fn open_hacks(&self, problem: Option<&ProblemSlug>) -> Result<Vec<HackRow>, StoreError> {
        self.hack_rows(
            "withdrawn_ms IS NULL AND (?1 IS NULL OR problem = ?1) ORDER BY id",
            &[&problem],
        )
    }

    /// The latest hacks, withdrawn ones too, the oldest first.
    pub fn latest_hacks(
        &self,
        problem: Option<&ProblemSlug>,
        limit: u32,
    ) -> Result<Vec<HackRow>, StoreError> {
        let mut rows = self.hack_rows(
            "(?1 IS NULL OR problem = ?1) ORDER BY id DESC LIMIT ?2",
            &[&problem, &limit],
        )?;
        rows.reverse();
        Ok(rows)
    }

    /// What was said of a submission when no more than these changes of verdicts had been
    /// published.
    pub fn verdict_at(
        &self,
        submission: SubmissionId,
        history_mark: i64,
    ) -> Result<Option<Verdict>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(VERDICT_AT)?
                .query_row(params![submission, history_mark], |row| row.get(0))
                .optional()
        })
    }

    fn hack_rows(
        &self,
        which: &str,
        bind: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<HackRow>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM hacks WHERE {which}"))?
                .query_map(bind, row)?
                .collect()
        })
    }

    /// The verdicts around a hack: every submission that it concerns whose verdict was AC before,
    /// as it is now.
    pub fn judged_on_hack(&self, hack: &HackRow) -> Result<Vec<Entry>, StoreError> {
        self.ask(|connection| {
            let mut before = connection.prepare_cached(VERDICT_AT)?;
            let mut was_accepted = |id: SubmissionId| -> rusqlite::Result<bool> {
                let verdict = before.query_row(params![id, hack.history_mark], |row| row.get(0));
                Ok(verdict.optional()? == Some(Verdict::Accepted))
            };
            let mut entries = connection.prepare_cached(&format!(
                "{ENTRIES} WHERE problem = ?1 AND id <= ?2 AND verdict IS NOT NULL ORDER BY id"
            ))?;
            let mut accepted = Vec::new();
            for entry in entries.query_map(params![hack.problem, hack.last_submission], entry)? {
                let entry = entry?;
                if was_accepted(entry.submission.id)? {
                    accepted.push(entry);
                }
            }
            Ok(accepted)
        })
    }
}

fn row(row: &Row<'_>) -> rusqlite::Result<HackRow> {
    Ok(HackRow {
        id: row.get(0)?,
        problem: row.get(1)?,
        name: row.get(2)?,
        file_name: row.get(3)?,
        digest: row.get(4)?,
        note: row.get(5)?,
        refused: row.get(6)?,
        seen_ms: row.get(7)?,
        history_mark: row.get(8)?,
        last_submission: row.get(9)?,
        finished_ms: row.get(10)?,
        withdrawn_ms: row.get(11)?,
        held_back: row.get(12)?,
    })
}
