//! Hacks: which joined the tests of a problem and when, which were refused, which were taken back.

use rusqlite::OptionalExtension;

use super::events::{About, EventKind, put_event};
use super::reader::{only, selecting};
use super::row::{self, put, row};
use super::submissions::{ENTRIES, Entry};
use super::{Reader, StoreError, Writer};
use crate::domain::{Digest, ProblemSlug, SubmissionId, Verdict};

/// A hack to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHack {
    pub problem: ProblemSlug,
    /// The test's name: `hack/evil`.
    pub name: String,
    /// The file's name in `hacks/`, made printable.
    pub file_name: String,
    /// Digest of the file as it was.
    pub digest: Digest,
    /// What the instructor says of it.
    pub note: Option<String>,
    /// Why it is not one of the tests; `None` where it is.
    pub refused: Option<String>,
    /// Whether it would be one if the instructor insisted.
    pub held_back: bool,
    pub seen_ms: i64,
    /// The payload of the event that the logs are written from.
    pub event_json: String,
}

/// A remembered hack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HackRow {
    pub id: i64,
    pub problem: ProblemSlug,
    /// The test's name: `hack/evil`.
    pub name: String,
    /// The file's name in `hacks/`, made printable.
    pub file_name: String,
    /// Digest of the file as it was.
    pub digest: Digest,
    /// What the instructor says of it.
    pub note: Option<String>,
    /// Why it is not one of the tests; `None` where it is.
    pub refused: Option<String>,
    /// Whether it would be one if the instructor insisted.
    pub held_back: bool,
    pub seen_ms: i64,
    /// The last change of a verdict before it.
    pub history_mark: i64,
    /// The last submission before it.
    pub last_submission: SubmissionId,
    /// When every earlier submission had been judged on it.
    pub finished_ms: Option<i64>,
    /// When it was taken back.
    pub withdrawn_ms: Option<i64>,
}

row! { HackRow {
    id, problem, name, file_name, digest = "input_digest", note, refused, held_back, seen_ms,
    history_mark, last_submission, finished_ms, withdrawn_ms,
} }

/// The verdict of submission ?1 after change ?2 of all verdicts.
const VERDICT_AT: &str = "SELECT verdict FROM judgement_history
    WHERE submission_id = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1";

impl Writer {
    /// Remembers a hack that has joined the tests or was refused, with what had been published and
    /// received until then.
    pub fn put_hack(&self, hack: NewHack) -> Result<(), StoreError> {
        self.call(move |connection| {
            let number = |query| connection.query_row(query, [], only::<i64>);
            let history_mark = number("SELECT coalesce(max(id), 0) FROM judgement_history")?;
            let last_submission = number("SELECT coalesce(max(id), 0) FROM submissions")?;
            put(
                connection,
                "INSERT INTO hacks",
                &[
                    ("problem", &hack.problem),
                    ("name", &hack.name),
                    ("file_name", &hack.file_name),
                    ("input_digest", &hack.digest),
                    ("note", &hack.note),
                    ("refused", &hack.refused),
                    ("seen_ms", &hack.seen_ms),
                    ("held_back", &hack.held_back),
                    ("history_mark", &history_mark),
                    ("last_submission", &last_submission),
                ],
            )?;
            let (ms, about) = (hack.seen_ms, About::Problem(&hack.problem));
            put_event(connection, EventKind::Hack, ms, &about, &hack.event_json).map(drop)
        })
    }

    /// Every earlier submission has been judged on it.
    pub fn finish_hack(&self, id: i64, ms: i64, event_json: String) -> Result<(), StoreError> {
        self.end_hack("finished_ms", id, ms, event_json)
    }

    /// Its file is gone or another one by now.
    pub fn withdraw_hack(&self, id: i64, ms: i64, event_json: String) -> Result<(), StoreError> {
        self.end_hack("withdrawn_ms", id, ms, event_json)
    }

    /// Nothing is done where it has this moment already.
    fn end_hack(
        &self,
        moment: &'static str,
        id: i64,
        ms: i64,
        event_json: String,
    ) -> Result<(), StoreError> {
        self.call(move |connection| {
            let end = format!(
                "UPDATE hacks SET {moment} = ?2 WHERE id = ?1 AND {moment} IS NULL
                 RETURNING problem"
            );
            let mut end = connection.prepare_cached(&end)?;
            if let Some(problem) = end.query_row((id, ms), only).optional()? {
                let about = About::Problem(&problem);
                put_event(connection, EventKind::Hack, ms, &about, &event_json)?;
            }
            Ok(())
        })
    }
}

impl Reader {
    /// The hacks that are in force or refused now, of one problem or all, the oldest first.
    pub fn open_hacks(&self, problem: Option<&ProblemSlug>) -> Result<Vec<HackRow>, StoreError> {
        let which = "FROM hacks WHERE withdrawn_ms IS NULL AND (?1 IS NULL OR problem = ?1)
             ORDER BY id";
        self.select(which, [problem])
    }

    /// The latest hacks, withdrawn ones too, the oldest first.
    pub fn latest_hacks(
        &self,
        problem: Option<&ProblemSlug>,
        limit: u32,
    ) -> Result<Vec<HackRow>, StoreError> {
        let which = "FROM hacks WHERE (?1 IS NULL OR problem = ?1) ORDER BY id DESC LIMIT ?2";
        let mut rows: Vec<HackRow> = self.select(which, (problem, limit))?;
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
        self.row(VERDICT_AT, (submission, history_mark), only)
    }

    /// The verdicts around a hack: every submission that it concerns whose verdict was AC before,
    /// as it is now.
    pub fn judged_on_hack(&self, hack: &HackRow) -> Result<Vec<Entry>, StoreError> {
        self.ask(|connection| {
            let mut before = connection.prepare_cached(VERDICT_AT)?;
            let mut was_accepted = |id: SubmissionId| -> rusqlite::Result<bool> {
                let verdict = before.query_row((id, hack.history_mark), only);
                Ok(verdict.optional()? == Some(Verdict::Accepted))
            };
            let which = "WHERE problem = ?1 AND id <= ?2 AND verdict IS NOT NULL ORDER BY id";
            let query = selecting::<Entry>(&format!("{ENTRIES} {which}"));
            let mut entries = connection.prepare_cached(&query)?;
            let mut accepted = Vec::new();
            for entry in entries.query_map((&hack.problem, hack.last_submission), row::read)? {
                let entry: Entry = entry?;
                if was_accepted(entry.submission.id)? {
                    accepted.push(entry);
                }
            }
            Ok(accepted)
        })
    }
}
