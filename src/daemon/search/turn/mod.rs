//! What is searched next while nothing has to be judged. Pure.
//!
//! Reports come first that do not tell yet what is known, then failing programs without an
//! explanation, then accepted ones that nobody has tried to break. Among those students take turns,
//! each with the latest submission first.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::domain::{Digest, ProblemSlug, Student, Submission, SubmissionId};
use crate::explain::Progress;

/// How often a search may be stopped by other work at all, and how often after its CPU time is used
/// up, when only a few runs are left. Then what was found until then has to do.
const STOPS_MAX: u32 = 50;
const LATE_STOPS_MAX: u32 = 3;
/// Searches whose progress is remembered, and bytes of each; the others begin again.
const PROGRESS_MAX: usize = 64;
const PROGRESS_BYTES_MAX: usize = 1024 * 1024;
/// Submissions and students that are remembered; beyond that, all are forgotten.
const REMEMBERED_MAX: usize = 10_000;

/// A submission, and what its judgement was folded from.
pub type Candidate = (Submission, Digest);

/// What there is to do.
#[derive(Debug, Default)]
pub struct Look {
    /// Those whose reports do not tell what is known.
    pub untold: Vec<Candidate>,
    /// Those whose reports tell the staff alone, and are to tell the student now.
    pub later: Vec<Candidate>,
    /// Those that failed and have no explanation.
    pub failing: Vec<Candidate>,
    /// Those that are accepted and were not attacked, or not with what broke others since.
    pub accepted: Vec<Candidate>,
}

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Have the report written again.
    Tell(Candidate),
    /// Find out why it fails.
    Explain(Candidate),
    /// Look for an input that breaks it.
    Attack(Candidate),
}

/// What the searchers remember of their own work.
#[derive(Debug, Default)]
pub struct Memory {
    /// What is searched now.
    current: BTreeSet<SubmissionId>,
    /// By submission: the judgement that it was about, and what was done.
    seen: BTreeMap<SubmissionId, (Digest, Seen)>,
    /// Those whose reports were asked for and need not be asked for again.
    told: BTreeSet<(SubmissionId, Whom)>,
    /// How much CPU time every student's programs have had.
    served: BTreeMap<Student, Duration>,
    /// What searches came to that were stopped.
    progress: BTreeMap<SubmissionId, (Digest, Box<Progress>)>,
    /// Accepted ones that were broken by an input which found no room among the proposed hacks.
    crowded: BTreeMap<SubmissionId, ProblemSlug>,
}

/// Whom a report is to tell what is known: the staff are told once, and students perhaps later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whom {
    First,
    StudentToo,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Whether nothing more is searched about this judgement.
    is_over: bool,
    stops: u32,
    /// Stops after its CPU time was used up.
    late_stops: u32,
    spent: Duration,
}

impl Memory {
    /// What is next; `None` if there is nothing to do. A search is from then on nobody else's, until
    /// it is over or stopped.
    pub fn next(&mut self, look: &Look) -> Option<Turn> {
        for (untold, whom) in [(&look.untold, Whom::First), (&look.later, Whom::StudentToo)] {
            let mut untold = untold.iter();
            if let Some(untold) = untold.find(|candidate| !self.is_told(candidate, whom)) {
                self.tell(untold.0.id, whom);
                return Some(Turn::Tell(untold.clone()));
            }
        }
        let explain = self.first_of(&look.failing).map(Turn::Explain);
        let turn = explain.or_else(|| self.first_of(&look.accepted).map(Turn::Attack))?;
        if let Turn::Explain((submission, _)) | Turn::Attack((submission, _)) = &turn {
            self.current.insert(submission.id);
        }
        Some(turn)
    }

    /// Of candidates of which the latest submission comes first.
    fn first_of(&self, candidates: &[Candidate]) -> Option<Candidate> {
        let open = candidates.iter().filter(|candidate| {
            !self.seen(candidate).is_over && !self.current.contains(&candidate.0.id)
        });
        // Of equal ones the first.
        open.min_by_key(|(submission, _)| self.served.get(&submission.student).copied())
            .cloned()
    }

    /// What a search about it may still use of this budget.
    pub fn left(&self, candidate: &Candidate, budget: Duration) -> Duration {
        budget.saturating_sub(self.seen(candidate).spent)
    }

    /// A search was stopped after so much CPU time; whether it may go on later.
    pub fn stopped(
        &mut self,
        candidate: &Candidate,
        spent: Duration,
        budget: Duration,
        progress: Option<Box<Progress>>,
    ) -> bool {
        self.serve(candidate, spent);
        let id = candidate.0.id;
        self.current.remove(&id);
        let seen = self.note(candidate);
        seen.spent += spent;
        seen.stops += 1;
        seen.late_stops += u32::from(seen.spent >= budget);
        let goes_on = seen.stops < STOPS_MAX && seen.late_stops < LATE_STOPS_MAX;
        seen.is_over = !goes_on;
        let progress = progress.filter(|progress| progress.bytes() <= PROGRESS_BYTES_MAX);
        if let Some(progress) = progress.filter(|_| goes_on) {
            if self.progress.len() >= PROGRESS_MAX {
                self.progress.pop_first();
            }
            self.progress.insert(id, (candidate.1, progress));
        }
        goes_on
    }

    /// Whether a search that is stopped now does not go on. `is_used_up`: its CPU time.
    pub fn is_last_try(&self, candidate: &Candidate, is_used_up: bool) -> bool {
        let seen = self.seen(candidate);
        let is_late = is_used_up && seen.late_stops + 1 >= LATE_STOPS_MAX;
        is_late || seen.stops + 1 >= STOPS_MAX
    }

    /// What a search about this judgement came to that was stopped.
    pub fn resumed(&mut self, (submission, fold): &Candidate) -> Option<Progress> {
        let (of, progress) = self.progress.remove(&submission.id)?;
        (of == *fold).then_some(*progress)
    }

    /// The report is asked for.
    fn tell(&mut self, submission: SubmissionId, whom: Whom) {
        if self.told.len() >= REMEMBERED_MAX {
            self.told.clear();
        }
        self.told.insert((submission, whom));
    }

    /// A search has ended, and the store says so: there is more to do once the store says that.
    pub fn done(&mut self, candidate: &Candidate, spent: Duration) {
        self.over(candidate, spent);
        self.seen.remove(&candidate.0.id);
    }

    /// Nothing more is searched about this judgement.
    pub fn over(&mut self, candidate: &Candidate, spent: Duration) {
        self.serve(candidate, spent);
        let (submission, _) = candidate;
        for whom in [Whom::First, Whom::StudentToo] {
            self.told.remove(&(submission.id, whom));
        }
        self.current.remove(&submission.id);
        self.progress.remove(&submission.id);
        self.note(candidate).is_over = true;
    }

    /// An input breaks it, and too many wait already for a decision: it is searched again once
    /// there is room.
    pub fn not_kept(&mut self, candidate: &Candidate, spent: Duration) {
        self.over(candidate, spent);
        let (submission, _) = candidate;
        if self.crowded.len() >= REMEMBERED_MAX {
            self.crowded.pop_first();
        }
        let problem = submission.problem.clone();
        self.crowded.insert(submission.id, problem);
    }

    /// The problems that had no room for another proposed hack.
    pub fn crowded(&self) -> BTreeSet<ProblemSlug> {
        self.crowded.values().cloned().collect()
    }

    /// There is room for so many more proposed hacks of this problem: as many programs are searched
    /// again, the latest first.
    pub fn make_room(&mut self, problem: &ProblemSlug, room: usize) {
        let crowded = self.crowded.iter().rev();
        let again = crowded.filter(|(_, of)| *of == problem).take(room);
        let again: Vec<SubmissionId> = again.map(|(id, _)| *id).collect();
        for id in again {
            self.crowded.remove(&id);
            self.seen.remove(&id);
        }
    }

    /// Something else has changed: what could not be done may work now.
    pub fn forget(&mut self) {
        self.seen.clear();
        self.told.clear();
        self.progress.clear();
        self.crowded.clear();
    }

    fn serve(&mut self, (submission, _): &Candidate, spent: Duration) {
        if self.served.len() >= REMEMBERED_MAX {
            self.served.clear();
        }
        *self.served.entry(submission.student.clone()).or_default() += spent;
    }

    fn seen(&self, (submission, fold): &Candidate) -> Seen {
        let seen = self.seen.get(&submission.id);
        let seen = seen.filter(|(known, _)| known == fold);
        seen.map(|(_, seen)| *seen).unwrap_or_default()
    }

    fn note(&mut self, candidate: &Candidate) -> &mut Seen {
        if self.seen.len() >= REMEMBERED_MAX {
            self.seen.clear();
        }
        let seen = self.seen(candidate);
        let (submission, fold) = candidate;
        self.seen.remove(&submission.id);
        let (_, seen) = self.seen.entry(submission.id).or_insert((*fold, seen));
        seen
    }

    /// Whether a search about it may begin.
    pub fn is_open(&self, candidate: &Candidate) -> bool {
        !self.seen(candidate).is_over && !self.current.contains(&candidate.0.id)
    }

    /// Whether its report was asked for already, for the sake of these.
    pub fn is_told(&self, (submission, _): &Candidate, whom: Whom) -> bool {
        self.told.contains(&(submission.id, whom))
    }

    /// The search that was to come next has not begun: it was not stopped either.
    pub fn put_back(&mut self, (submission, _): &Candidate) {
        self.current.remove(&submission.id);
    }
}

#[cfg(test)]
mod tests;
