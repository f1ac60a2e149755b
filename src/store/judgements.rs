//! Judgements: publishing them, their documents, and the verdicts that submissions have had.

use rusqlite::{Connection, OptionalExtension, Params, ToSql};

use super::events::{About, EventKind, put_event};
use super::facts::NewFacts;
use super::reader::{only, pair};
use super::row::{self, Cells, FromRow, put, row, verdict_cells};
use super::writer::execute;
use super::{Reader, StoreError, Writer, searches};
use crate::domain::{Change, Digest, ProblemSlug, Published, Submission, SubmissionId, Verdict};
use crate::util::clock::now_ms;

/// A judgement to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    pub submission: SubmissionId,
    /// Digest of everything that the judgement was folded from.
    pub fold: Digest,
    /// The verdict, and why it was judged.
    pub change: Change,
    /// The report document, as it is written.
    pub document: String,
    /// The payload of the event that the logs are written from.
    pub event_json: String,
    /// The most CPU time on one test, in milliseconds; `None` if nothing was run.
    pub slowest_ms: Option<u32>,
    /// What a search about the judgement rests on: what was found out before holds for it too if it
    /// is the same.
    pub subject: Digest,
}

/// A judgement's row without its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementRow {
    pub submission: SubmissionId,
    /// Digest of what it was folded from.
    pub fold: Digest,
    pub published: Published,
    /// Whether it was made before an upgrade. It stands until it has been made again.
    pub dropped: bool,
}

row! { JudgementRow {
    submission = "submission_id", fold = "fold_digest", published: Published, dropped,
} }

/// A change of a submission's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// Its row; grows.
    pub id: i64,
    /// The row of the event; grows too.
    pub event: i64,
    pub submission: Submission,
    /// The verdict before; `None` for the first one.
    pub before: Option<Verdict>,
    pub change: Change,
}

row! { ChangeRow {
    id = "now.id", event = "now.event", submission: Submission,
    before = "(SELECT before.verdict FROM judgement_history AS before
        WHERE before.submission_id = now.submission_id AND before.id < now.id
        ORDER BY before.id DESC LIMIT 1)",
    change: Change,
} }

impl Writer {
    /// Publishes a judgement together with those of its facts that are not in the store yet: the
    /// submission has this verdict from the commit on, whatever becomes of the files. What many
    /// threads publish at one time shares a commit. Returns the row of its event; `None` if the
    /// same judgement with the same document was there already.
    pub fn publish(
        &self,
        publication: Publication,
        facts: NewFacts,
    ) -> Result<Option<i64>, StoreError> {
        self.call(move |connection| {
            facts.put(connection)?;
            publish(connection, &publication)
        })
    }
}

fn publish(connection: &Connection, new: &Publication) -> rusqlite::Result<Option<i64>> {
    // The judgement before, and whether its document is the same.
    let query = format!(
        "SELECT {}, EXISTS (SELECT 1 FROM documents WHERE submission_id = ?1 AND document = ?2)
         FROM judgements WHERE submission_id = ?1",
        row::columns::<JudgementRow>()
    );
    let before: Option<(JudgementRow, bool)> = connection
        .prepare_cached(&query)?
        .query_row((new.submission, &new.document), |row| {
            let mut cells = Cells::of(row);
            Ok((JudgementRow::read(&mut cells)?, cells.take()?))
        })
        .optional()?;
    let now = &new.change.published;
    let is_changed = match &before {
        Some((before, true)) if before.fold == new.fold => return Ok(None),
        Some((before, _)) => !before.published.says_the_same_as(now),
        None => true,
    };
    put_judgement(connection, new)?;
    searches::renew(connection, new.submission, (new.fold, new.subject))?;
    searches::list_due(connection, new.submission)?;
    // An overview has to be told of groups' points that nobody knew.
    let is_known = before.as_ref().is_some_and(|(before, _)| {
        (before.dropped || before.fold == new.fold) && before.published.groups == now.groups
    });
    if is_known && !is_changed {
        return searches::put_report_event(connection, new.submission, now_ms()).map(Some);
    }
    let kind = if is_changed {
        EventKind::Verdict
    } else {
        EventKind::Confirmed
    };
    let about = About::Submission(new.submission);
    let event = put_event(connection, kind, now.judged_ms, &about, &new.event_json)?;
    if is_changed {
        put_history(connection, new, event)?;
    }
    Ok(Some(event))
}

fn put_judgement(connection: &Connection, new: &Publication) -> rusqlite::Result<()> {
    let mut cells = vec![
        ("submission_id", &new.submission as &dyn ToSql),
        ("fold_digest", &new.fold),
        ("slowest_ms", &new.slowest_ms),
    ];
    cells.extend(verdict_cells(&new.change.published));
    put(connection, "INSERT OR REPLACE INTO judgements", &cells)?;
    put(
        connection,
        "INSERT OR REPLACE INTO documents",
        &[
            ("submission_id", &new.submission),
            ("document", &new.document),
        ],
    )?;
    // Asked for while this one was being judged: it stays out of date until it has been measured
    // again.
    execute(
        connection,
        "UPDATE judgements SET fold_digest = zeroblob(32)
         WHERE submission_id = ?1 AND (SELECT measure_again FROM submissions WHERE id = ?1) = 1",
        [new.submission],
    )?;
    let forget = "DELETE FROM faults WHERE submission_id = ?1";
    execute(connection, forget, [new.submission])?;
    let judged = "UPDATE submissions SET judged = 1 WHERE id = ?1 AND judged = 0";
    execute(connection, judged, [new.submission]).map(drop)
}

fn put_history(connection: &Connection, new: &Publication, event: i64) -> rusqlite::Result<()> {
    let mut cells = vec![
        ("event", &event as &dyn ToSql),
        ("submission_id", &new.submission),
        ("because", &new.change.because),
    ];
    cells.extend(verdict_cells(&new.change.published));
    put(connection, "INSERT INTO judgement_history", &cells).map(drop)
}

impl Reader {
    /// A submission's judgement.
    pub fn judgement(&self, id: SubmissionId) -> Result<Option<JudgementRow>, StoreError> {
        self.select_first("FROM judgements WHERE submission_id = ?1", [id])
    }

    /// How many submissions have a report document.
    pub fn documents(&self) -> Result<usize, StoreError> {
        let count = self.row("SELECT count(*) FROM documents", [], only)?;
        Ok(count.unwrap_or(0))
    }

    /// The report document of a submission, and the fold that it tells of. After an upgrade it may
    /// have a judgement without one.
    pub fn document(&self, id: SubmissionId) -> Result<Option<(Digest, String)>, StoreError> {
        let query = "SELECT fold_digest, document FROM documents
             JOIN judgements USING (submission_id) WHERE submission_id = ?1";
        self.row(query, [id], pair)
    }

    /// The report document of a problem's latest submission that has one.
    pub fn latest_document(&self, problem: &ProblemSlug) -> Result<Option<String>, StoreError> {
        self.row(
            "SELECT document FROM submissions JOIN documents ON submission_id = id
             WHERE problem = ?1 ORDER BY id DESC LIMIT 1",
            [problem],
            only,
        )
    }

    fn changes(&self, which: &str, bind: impl Params) -> Result<Vec<ChangeRow>, StoreError> {
        let from = "FROM judgement_history AS now
            JOIN submissions ON submissions.id = now.submission_id";
        self.select(&format!("{from} {which}"), bind)
    }

    /// The number of the last change of a verdict, 0 for none.
    pub fn last_change(&self) -> Result<i64, StoreError> {
        let query = "SELECT coalesce(max(id), 0) FROM judgement_history";
        Ok(self.row(query, [], only)?.unwrap_or(0))
    }

    /// The next page of changes of verdicts: who, from what, to what, because of what.
    pub fn changes_after(&self, after: i64, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("WHERE now.id > ?1 ORDER BY now.id LIMIT ?2", (after, limit))
    }

    /// The same by the numbers of their events.
    pub fn verdicts_after(&self, event: i64, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes(
            "WHERE now.event > ?1 ORDER BY now.event LIMIT ?2",
            (event, limit),
        )
    }

    /// The latest changes, the latest first.
    pub fn latest_verdicts(&self, limit: usize) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("ORDER BY now.id DESC LIMIT ?1", [limit])
    }

    /// The changes of a submission's verdict, the first one first.
    pub fn history(&self, id: SubmissionId) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("WHERE now.submission_id = ?1 ORDER BY now.id", [id])
    }
}
