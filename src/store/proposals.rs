//! Hacks that the daemon found by itself, for the instructor to decide on. They change no verdict.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use super::reader::{only, pair};
use super::row::{put, row, text_columns};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{
    Counterexample, Digest, ProblemSlug, Student, Submission, SubmissionId, Verdict, words,
};
use crate::util::words::amount;

/// Proposed hacks of one problem that may wait for a decision: with so many the problem's tests are
/// known to be weak.
const PROPOSED_MAX: u32 = 20;
/// The same of those that break programs of one student, so that nobody fills the places of all.
const PROPOSED_OF_STUDENT_MAX: u32 = 3;
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

/// How many hacks of a problem wait for a decision, by the student whose program each broke first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProposalPlaces(pub BTreeMap<Student, u32>);

words! {
    /// What has no place for one more proposed hack.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Full by word {
        /// As many break programs of this student.
        Student = "student",
        /// As many wait for this problem.
        Problem = "problem",
    }
}

impl ProposalPlaces {
    /// Takes a place for a hack that breaks a program of this student.
    pub fn take(&mut self, student: &Student) -> Result<(), Full> {
        if self.0.values().sum::<u32>() >= PROPOSED_MAX {
            return Err(Full::Problem);
        }
        let own = self.0.entry(student.clone()).or_default();
        if *own >= PROPOSED_OF_STUDENT_MAX {
            return Err(Full::Student);
        }
        *own += 1;
        Ok(())
    }
}

/// Proposed hacks in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Proposed {
    /// Those that wait for a decision.
    #[serde(skip)]
    pub waiting: u64,
    /// Accepted programs that an input breaks which is not proposed, because there are enough of
    /// their student.
    pub full_students: u64,
    /// The same, because there are enough for their problem.
    pub full_problems: u64,
}

row! { Proposed {
    waiting = "(SELECT count(*) FROM proposals WHERE state = 'proposed')",
    full_students = "count(*) FILTER (WHERE filled = 'student')",
    full_problems = "count(*) FILTER (WHERE filled = 'problem')",
} }

impl Proposed {
    /// How many found no place, and why; `None` where all did.
    pub fn without_place(&self) -> Option<String> {
        let (students, problems) = (self.full_students, self.full_problems);
        let mut reasons = Vec::new();
        if students > 0 {
            reasons.push(format!(
                "{students} of students with {PROPOSED_OF_STUDENT_MAX} proposed hacks for the problem"
            ));
        }
        if problems > 0 {
            reasons.push(format!(
                "{problems} for problems with {PROPOSED_MAX} proposed hacks"
            ));
        }
        (!reasons.is_empty()).then(|| {
            format!(
                "{} more can be broken, and no hack is proposed until you decide on others: {}",
                amount(
                    usize::try_from(students + problems).unwrap_or(usize::MAX),
                    "accepted program"
                ),
                reasons.join(", ")
            )
        })
    }
}

words! {
    /// What was decided about a proposed hack.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ProposalState by word {
        Proposed = "proposed",
        Accepted = "accepted",
        Rejected = "rejected",
    }
}

text_columns! {
    Full, "what is full", |full| full.word(), |word| word.parse().ok();
    ProposalState, "a decision", |state| state.word(), |word| word.parse().ok();
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

row! { ProposalRow { id, problem, state, found_ms, verdict, evidence, input } }

/// What the daemon's attacks on a problem's accepted submissions came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
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

row! { HackYield {
    attacked = "(SELECT count(*) FROM (
        SELECT submission_id FROM searches WHERE problem = ?1 AND tried_to IS NOT NULL
        UNION
        SELECT proposal_breaks.submission_id FROM proposal_breaks
        JOIN proposals ON proposals.id = proposal_id WHERE problem = ?1))",
    waiting = "count(*) FILTER (WHERE state = 'proposed')",
    accepted = "count(*) FILTER (WHERE state = 'accepted')",
    rejected = "count(*) FILTER (WHERE state = 'rejected')",
} }

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
    let id = if let Some(id) = known {
        id
    } else {
        let student = connection
            .prepare_cached("SELECT student FROM submissions WHERE id = ?1")?
            .query_row([new.submission], only)?;
        if let Err(full) = places(connection, &new.problem)?.take(&student) {
            put(
                connection,
                "INSERT OR REPLACE INTO unproposed",
                &[
                    ("submission_id", &new.submission),
                    ("problem", &new.problem),
                    ("filled", &full),
                ],
            )?;
            return Ok(false);
        }
        put(
            connection,
            "INSERT INTO proposals",
            &[
                ("problem", &new.problem),
                ("submission_id", &new.submission),
                ("input_digest", &new.digest),
                ("state", &ProposalState::Proposed),
                ("found_ms", &new.found_ms),
                ("verdict", &new.verdict),
                ("evidence", &new.evidence),
                ("input", &new.input),
            ],
        )?
    };
    let breaks = "INSERT OR IGNORE INTO proposal_breaks (proposal_id, submission_id)
         SELECT ?1, ?2 WHERE (SELECT count(*) FROM proposal_breaks WHERE proposal_id = ?1) < ?3";
    execute(connection, breaks, (id, new.submission, BREAKS_MAX))?;
    has_place(connection, new.submission)?;
    Ok(true)
}

/// Nothing that breaks this program lacks a place any more.
pub(super) fn has_place(connection: &Connection, id: SubmissionId) -> rusqlite::Result<()> {
    let done = "DELETE FROM unproposed WHERE submission_id = ?1";
    execute(connection, done, [id]).map(drop)
}

fn places(connection: &Connection, problem: &ProblemSlug) -> rusqlite::Result<ProposalPlaces> {
    connection
        .prepare_cached(
            "SELECT student, count(*) FROM proposals
             JOIN submissions ON submissions.id = submission_id
             WHERE proposals.problem = ?1 AND state = 'proposed' GROUP BY student",
        )?
        .query_map([problem], pair)?
        .collect::<rusqlite::Result<_>>()
        .map(ProposalPlaces)
}

impl Reader {
    /// The hacks that wait for a decision, of one problem or all, the oldest first.
    pub fn proposals(&self, problem: Option<&ProblemSlug>) -> Result<Vec<ProposalRow>, StoreError> {
        let which = "FROM proposals WHERE state = 'proposed' AND (?1 IS NULL OR problem = ?1)
             ORDER BY id";
        self.select(which, [problem])
    }

    /// A proposed hack, whatever was decided about it.
    pub fn proposal(&self, id: i64) -> Result<Option<ProposalRow>, StoreError> {
        self.select_first("FROM proposals WHERE id = ?1", [id])
    }

    /// Which places for proposed hacks of this problem are taken.
    pub fn proposal_places(&self, problem: &ProblemSlug) -> Result<ProposalPlaces, StoreError> {
        self.ask(|connection| places(connection, problem))
    }

    /// How many hacks wait for a decision, and how many found no place.
    pub fn proposed(&self) -> Result<Proposed, StoreError> {
        let from = "FROM unproposed JOIN judgements USING (submission_id) WHERE verdict = ?1";
        let proposed = self.select_first(from, [Verdict::Accepted])?;
        Ok(proposed.unwrap_or_default())
    }

    /// What the attacks on a problem's accepted submissions came to. A submission that an input
    /// broke stays one that was attacked, whatever its verdict is now.
    pub fn hack_yield(&self, problem: &ProblemSlug) -> Result<HackYield, StoreError> {
        let found = self.select_first("FROM proposals WHERE problem = ?1", [problem])?;
        Ok(found.unwrap_or_default())
    }

    /// The submissions that a proposed hack breaks.
    pub fn broken_by(&self, proposal: i64) -> Result<Vec<Submission>, StoreError> {
        self.select(
            "FROM proposal_breaks JOIN submissions ON submissions.id = submission_id
             WHERE proposal_id = ?1 ORDER BY submissions.id",
            [proposal],
        )
    }
}
