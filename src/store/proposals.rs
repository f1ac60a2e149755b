//! Hacks that the daemon found by itself, for the instructor to decide on. They change no verdict.

use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::reader::only;
use super::submissions::{SUBMISSION, submission};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{Counterexample, Digest, ProblemSlug, Submission, SubmissionId, Verdict};

/// Proposed hacks of one problem that may wait for a decision: with so many the problem's tests are
/// known to be weak.
const PROPOSED_MAX: u32 = 20;
/// How many hacks of a problem wait for a decision.
const WAITING: &str = "SELECT count(*) FROM proposals WHERE problem = ?1 AND state = 'proposed'";
/// Submissions that one is noted to break.
const BREAKS_MAX: u32 = 1_000;

/// An input that breaks an accepted program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProposal {
    pub problem: ProblemSlug,
    /// The program that it breaks.
    pub submission: SubmissionId,
    pub digest: Digest,
    pub input: Vec<u8>,
    /// The verdict on it.
    pub verdict: Verdict,
    /// What shows it, bounded by whoever found it.
    pub evidence: Counterexample,
    pub found_ms: i64,
}

/// What was decided about a proposed hack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalState {
    Proposed,
    Accepted,
    Rejected,
}

impl ProposalState {
    const ALL: [Self; 3] = [Self::Proposed, Self::Accepted, Self::Rejected];

    /// The word in the column.
    pub fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }

    /// The state of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// A proposed hack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    /// What people call it.
    pub id: i64,
    pub problem: ProblemSlug,
    pub state: ProposalState,
    pub found_ms: i64,
    pub verdict: Verdict,
    pub evidence: Counterexample,
    pub input: Vec<u8>,
}

/// What the daemon's attacks on a problem's accepted submissions came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HackYield {
    /// Submissions that were attacked.
    pub attacked: usize,
    /// Inputs that break one and wait for a decision.
    pub waiting: usize,
    /// Those of which the instructor has made tests.
    pub accepted: usize,
    /// Those that the instructor does not want.
    pub rejected: usize,
}

impl HackYield {
    /// All inputs that were found.
    pub fn found(&self) -> usize {
        self.waiting + self.accepted + self.rejected
    }
}

impl Writer {
    /// Proposes a hack, or notes that one breaks another program too. False where too many wait for
    /// a decision.
    pub fn propose(&self, new: NewProposal) -> Result<bool, StoreError> {
        self.call(move |connection| propose(connection, &new))
    }

    /// Notes what was decided. False where there is no such proposal, or another decision was made.
    pub fn decide(&self, id: i64, state: ProposalState) -> Result<bool, StoreError> {
        self.call(move |connection| {
            let decide = "UPDATE proposals SET state = ?2 WHERE id = ?1 AND state = 'proposed'";
            Ok(execute(connection, decide, (id, state))? == 1)
        })
    }
}

fn propose(connection: &Connection, new: &NewProposal) -> rusqlite::Result<bool> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM proposals WHERE problem = ?1 AND input_digest = ?2")?
        .query_row((&new.problem, new.digest), only)
        .optional()?;
    let id = match known {
        Some(id) => id,
        None if waiting(connection, &new.problem)? >= PROPOSED_MAX => return Ok(false),
        None => {
            let evidence = serde_json::to_string(&new.evidence)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
            connection
                .prepare_cached(
                    "INSERT INTO proposals
                         (problem, submission_id, input_digest, state, found_ms, verdict, evidence,
                          input)
                     VALUES (?1, ?2, ?3, 'proposed', ?4, ?5, ?6, ?7)",
                )?
                .insert(params![
                    new.problem,
                    new.submission,
                    new.digest,
                    new.found_ms,
                    new.verdict,
                    evidence,
                    new.input
                ])?
        }
    };
    let breaks = "INSERT OR IGNORE INTO proposal_breaks (proposal_id, submission_id)
         SELECT ?1, ?2 WHERE (SELECT count(*) FROM proposal_breaks WHERE proposal_id = ?1) < ?3";
    execute(connection, breaks, (id, new.submission, BREAKS_MAX))?;
    Ok(true)
}

fn waiting(connection: &Connection, problem: &ProblemSlug) -> rusqlite::Result<u32> {
    connection
        .prepare_cached(WAITING)?
        .query_row([problem], only)
}

impl Reader {
    /// The hacks that wait for a decision, of one problem or all, the oldest first.
    pub fn proposals(&self, problem: Option<&ProblemSlug>) -> Result<Vec<ProposalRow>, StoreError> {
        let which = "state = 'proposed' AND (?1 IS NULL OR problem = ?1) ORDER BY id";
        self.proposal_rows(which, [problem])
    }

    /// A proposed hack, whatever was decided about it.
    pub fn proposal(&self, id: i64) -> Result<Option<ProposalRow>, StoreError> {
        Ok(self.proposal_rows("id = ?1", [id])?.pop())
    }

    /// How many more hacks of this problem can wait for a decision.
    pub fn room_for_proposals(&self, problem: &ProblemSlug) -> Result<u32, StoreError> {
        let waiting = self.row(WAITING, [problem], only)?;
        Ok(PROPOSED_MAX.saturating_sub(waiting.unwrap_or_default()))
    }

    /// How many hacks wait for a decision.
    pub fn proposed(&self) -> Result<u64, StoreError> {
        let count = "SELECT count(*) FROM proposals WHERE state = 'proposed'";
        let count: Option<i64> = self.row(count, [], only)?;
        Ok(count.unwrap_or_default().unsigned_abs())
    }

    /// What the attacks on a problem's accepted submissions came to. A submission that an input
    /// broke stays one that was attacked, whatever its verdict is now.
    pub fn hack_yield(&self, problem: &ProblemSlug) -> Result<HackYield, StoreError> {
        let query = "SELECT
             (SELECT count(*) FROM (
                 SELECT submission_id FROM searches
                 WHERE problem = ?1 AND tried_to IS NOT NULL
                 UNION
                 SELECT proposal_breaks.submission_id FROM proposal_breaks
                 JOIN proposals ON proposals.id = proposal_id WHERE problem = ?1)),
             count(*) FILTER (WHERE state = 'proposed'),
             count(*) FILTER (WHERE state = 'accepted'),
             count(*) FILTER (WHERE state = 'rejected')
             FROM proposals WHERE problem = ?1";
        let number = |row: &Row<'_>, at| -> rusqlite::Result<usize> {
            let number: i64 = row.get(at)?;
            Ok(usize::try_from(number).unwrap_or_default())
        };
        let found = self.row(query, [problem], |row| {
            Ok(HackYield {
                attacked: number(row, 0)?,
                waiting: number(row, 1)?,
                accepted: number(row, 2)?,
                rejected: number(row, 3)?,
            })
        });
        Ok(found?.unwrap_or_default())
    }

    /// The submissions that a proposed hack breaks.
    pub fn broken_by(&self, proposal: i64) -> Result<Vec<Submission>, StoreError> {
        let query = format!(
            "SELECT {SUBMISSION} FROM proposal_breaks
             JOIN submissions ON submissions.id = submission_id
             WHERE proposal_id = ?1 ORDER BY submissions.id"
        );
        self.rows(&query, [proposal], submission)
    }

    fn proposal_rows(
        &self,
        which: &str,
        bind: impl Params,
    ) -> Result<Vec<ProposalRow>, StoreError> {
        let query = format!(
            "SELECT id, problem, state, found_ms, verdict, evidence, input FROM proposals WHERE {which}"
        );
        self.rows(&query, bind, proposal_row)
    }
}

fn proposal_row(row: &Row<'_>) -> rusqlite::Result<ProposalRow> {
    let evidence: String = row.get(5)?;
    let evidence = serde_json::from_str(&evidence).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(5, rusqlite::types::Type::Text, error.into())
    })?;
    Ok(ProposalRow {
        id: row.get(0)?,
        problem: row.get(1)?,
        state: row.get(2)?,
        found_ms: row.get(3)?,
        verdict: row.get(4)?,
        evidence,
        input: row.get(6)?,
    })
}
