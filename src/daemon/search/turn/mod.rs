//! What is searched next while nothing has to be judged. Pure.
//!
//! Failing programs without an explanation come first, then accepted ones that nobody has tried to
//! break. Among those students take turns, each with the latest submission first.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::domain::{Digest, ProblemSlug, Student, Submission, SubmissionId};
use crate::explain::Progress;
use crate::store::ProposalPlaces;

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
    /// Those that failed and have no explanation.
    pub failing: Vec<Candidate>,
    /// Those that are accepted and were not attacked, or not with what broke others since.
    pub accepted: Vec<Candidate>,
}

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// Find out why it fails.
    Explain(Candidate),
    /// Look for an input that breaks it.
    Attack(Candidate),
}

/// What the searchers remember of their own work.
#[derive(Debug, Default)]
pub struct Memory {
    /// The searches that go on or were stopped, and those that are over and not in the store.
    searches: BTreeMap<SubmissionId, Search>,
    /// How much CPU time every student's programs have had.
    served: BTreeMap<Student, Duration>,
}

/// A search about a submission's judgement.
#[derive(Debug)]
struct Search {
    /// What the judgement was folded from.
    fold: Digest,
    is_going_on: bool,
    /// Whether nothing more is searched about this judgement.
    is_over: bool,
    stops: u32,
    /// Stops after its CPU time was used up.
    late_stops: u32,
    spent: Duration,
    /// What it had come to when it was stopped.
    progress: Option<Box<Progress>>,
    /// Whose program for which problem was broken by an input that found no room among the proposed
    /// hacks.
    crowded: Option<(ProblemSlug, Student)>,
}

impl Search {
    fn new(fold: Digest) -> Self {
        Self {
            fold,
            is_going_on: false,
            is_over: false,
            stops: 0,
            late_stops: 0,
            spent: Duration::ZERO,
            progress: None,
            crowded: None,
        }
    }
}

impl Memory {
    /// What is next; `None` if there is nothing to do. A search is from then on nobody else's, until
    /// it is over or stopped.
    pub fn next(&mut self, look: &Look) -> Option<Turn> {
        let explain = self.first_of(&look.failing).map(Turn::Explain);
        let turn = explain.or_else(|| self.first_of(&look.accepted).map(Turn::Attack))?;
        let (Turn::Explain(candidate) | Turn::Attack(candidate)) = &turn;
        self.search(candidate).is_going_on = true;
        Some(turn)
    }

    /// Of candidates of which the latest submission comes first.
    fn first_of(&self, candidates: &[Candidate]) -> Option<Candidate> {
        let open = candidates
            .iter()
            .filter(|candidate| self.is_open(candidate));
        // Of equal ones the first.
        open.min_by_key(|(submission, _)| self.served.get(&submission.student).copied())
            .cloned()
    }

    /// Whether a search about it may begin.
    pub fn is_open(&self, (submission, fold): &Candidate) -> bool {
        let known = self.searches.get(&submission.id);
        !known.is_some_and(|known| known.is_going_on || known.is_over && known.fold == *fold)
    }

    /// What is remembered about this judgement.
    fn known(&self, (submission, fold): &Candidate) -> Option<&Search> {
        let known = self.searches.get(&submission.id);
        known.filter(|known| known.fold == *fold)
    }

    /// The search about this judgement.
    fn search(&mut self, (submission, fold): &Candidate) -> &mut Search {
        if self.searches.len() >= REMEMBERED_MAX {
            self.searches.retain(|_, search| search.is_going_on);
        }
        let search = self.searches.entry(submission.id);
        let search = search.or_insert_with(|| Search::new(*fold));
        if search.fold != *fold {
            *search = Search {
                is_going_on: search.is_going_on,
                ..Search::new(*fold)
            };
        }
        search
    }

    /// What a search about it may still use of this budget.
    pub fn left(&self, candidate: &Candidate, budget: Duration) -> Duration {
        let spent = self.known(candidate).map(|known| known.spent);
        budget.saturating_sub(spent.unwrap_or_default())
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
        let search = self.search(candidate);
        search.is_going_on = false;
        search.spent += spent;
        search.stops += 1;
        search.late_stops += u32::from(search.spent >= budget);
        let goes_on = search.stops < STOPS_MAX && search.late_stops < LATE_STOPS_MAX;
        search.is_over = !goes_on;
        let progress = progress.filter(|progress| progress.bytes() <= PROGRESS_BYTES_MAX);
        if let Some(progress) = progress.filter(|_| goes_on) {
            search.progress = Some(progress);
            let all = self.searches.values_mut();
            let mut kept: Vec<&mut Search> = all.filter(|one| one.progress.is_some()).collect();
            if kept.len() > PROGRESS_MAX {
                kept[0].progress = None;
            }
        }
        goes_on
    }

    /// Whether a search that is stopped now does not go on. `is_used_up`: its CPU time.
    pub fn is_last_try(&self, candidate: &Candidate, is_used_up: bool) -> bool {
        let known = self.known(candidate);
        let (stops, late_stops) = known.map_or((0, 0), |known| (known.stops, known.late_stops));
        (is_used_up && late_stops + 1 >= LATE_STOPS_MAX) || stops + 1 >= STOPS_MAX
    }

    /// What a search about this judgement came to that was stopped.
    pub fn resumed(&mut self, candidate: &Candidate) -> Option<Progress> {
        self.search(candidate).progress.take().map(|kept| *kept)
    }

    /// A search has ended, and the store says so: there is more to do once the store says that.
    pub fn done(&mut self, candidate: &Candidate, spent: Duration) {
        self.serve(candidate, spent);
        self.searches.remove(&candidate.0.id);
    }

    /// Nothing more is searched about this judgement.
    pub fn over(&mut self, candidate: &Candidate, spent: Duration) {
        self.serve(candidate, spent);
        let search = self.search(candidate);
        (search.is_going_on, search.is_over) = (false, true);
        search.progress = None;
    }

    /// An input breaks it, and too many wait already for a decision: it is searched again once
    /// there is room.
    pub fn not_kept(&mut self, candidate: &Candidate, spent: Duration) {
        self.over(candidate, spent);
        let (submission, _) = candidate;
        let of = (submission.problem.clone(), submission.student.clone());
        self.search(candidate).crowded = Some(of);
    }

    /// The problems that had no room for another proposed hack.
    pub fn crowded(&self) -> BTreeSet<ProblemSlug> {
        let crowded = self.searches.values();
        let crowded = crowded.filter_map(|search| search.crowded.as_ref());
        crowded.map(|(problem, _)| problem.clone()).collect()
    }

    /// These places for proposed hacks of this problem are taken: as many programs as find one of
    /// the others are searched again, the latest first.
    pub fn make_room(&mut self, problem: &ProblemSlug, mut places: ProposalPlaces) {
        let crowded = self.searches.iter().rev();
        let crowded = crowded.filter_map(|(id, search)| Some((id, search.crowded.as_ref()?)));
        let again =
            crowded.filter(|(_, (of, student))| of == problem && places.take(student).is_ok());
        let again: Vec<SubmissionId> = again.map(|(id, _)| *id).collect();
        for id in again {
            self.searches.remove(&id);
        }
    }

    /// Something else has changed: what could not be done may work now.
    pub fn forget(&mut self) {
        self.searches.retain(|_, search| search.is_going_on);
        for search in self.searches.values_mut() {
            *search = Search {
                is_going_on: true,
                ..Search::new(search.fold)
            };
        }
    }

    /// The search that was to come next has not begun: it was not stopped either.
    pub fn put_back(&mut self, candidate: &Candidate) {
        self.search(candidate).is_going_on = false;
    }

    fn serve(&mut self, (submission, _): &Candidate, spent: Duration) {
        if self.served.len() >= REMEMBERED_MAX {
            self.served.clear();
        }
        *self.served.entry(submission.student.clone()).or_default() += spent;
    }
}

#[cfg(test)]
mod tests;
