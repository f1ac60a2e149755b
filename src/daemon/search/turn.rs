//! What is searched next while nothing has to be judged. Pure.
//!
//! Reports come first that do not tell yet what is known, then failing programs without an
//! explanation, then accepted ones that nobody has tried to break. Among those students take turns,
//! each with the latest submission first.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::config::SearchFirst;
use crate::domain::{Digest, Student, Submission, SubmissionId};
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
    told: BTreeSet<SubmissionId>,
    /// How much CPU time every student's programs have had.
    served: BTreeMap<Student, Duration>,
    /// What searches came to that were stopped.
    progress: BTreeMap<SubmissionId, (Digest, Box<Progress>)>,
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
    pub fn next(&mut self, look: &Look, first: SearchFirst) -> Option<Turn> {
        let mut untold = look.untold.iter();
        if let Some(untold) = untold.find(|(submission, _)| !self.told.contains(&submission.id)) {
            self.tell(untold.0.id);
            return Some(Turn::Tell(untold.clone()));
        }
        let explain = self.first_of(&look.failing, first).map(Turn::Explain);
        let turn = explain.or_else(|| self.first_of(&look.accepted, first).map(Turn::Attack))?;
        if let Turn::Explain((submission, _)) | Turn::Attack((submission, _)) = &turn {
            self.current.insert(submission.id);
        }
        Some(turn)
    }

    /// Of candidates of which the latest submission comes first.
    fn first_of(&self, candidates: &[Candidate], first: SearchFirst) -> Option<Candidate> {
        let mut open = candidates.iter().filter(|candidate| {
            !self.seen(candidate).is_over && !self.current.contains(&candidate.0.id)
        });
        let next = match first {
            SearchFirst::Latest => open.next(),
            // Of equal ones the first.
            SearchFirst::Fair => open.min_by_key(|(submission, _)| {
                let served = self.served.get(&submission.student);
                served.copied().unwrap_or_default()
            }),
        };
        next.cloned()
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
    fn tell(&mut self, submission: SubmissionId) {
        if self.told.len() >= REMEMBERED_MAX {
            self.told.clear();
        }
        self.told.insert(submission);
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
        self.told.remove(&submission.id);
        self.current.remove(&submission.id);
        self.progress.remove(&submission.id);
        self.note(candidate).is_over = true;
    }

    /// Something else has changed: what could not be done may work now.
    pub fn forget(&mut self) {
        self.seen.clear();
        self.told.clear();
        self.progress.clear();
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

    /// Whether its report was asked for already.
    pub fn is_told(&self, (submission, _): &Candidate) -> bool {
        self.told.contains(&submission.id)
    }

    /// The search that was to come next has not begun: it was not stopped either.
    pub fn put_back(&mut self, (submission, _): &Candidate) {
        self.current.remove(&submission.id);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Candidate, Look, Memory, Progress, STOPS_MAX, Turn};
    use crate::config::SearchFirst;
    use crate::domain::{Digest, SubmissionId};
    use crate::explain::search::{Found, Smallest, Way};
    use crate::util::samples::submission;

    const BUDGET: Duration = Duration::from_secs(10);

    /// What is next where students take turns.
    fn next(memory: &mut Memory, look: &Look) -> Option<Turn> {
        memory.next(look, SearchFirst::Fair)
    }

    fn candidate(id: i64, student: &str) -> Candidate {
        let mut submission = submission(1, student, "curling");
        submission.id = SubmissionId(id);
        (submission, Digest([1; 32]))
    }

    fn look(untold: &[i64], failing: &[(i64, &str)], accepted: &[(i64, &str)]) -> Look {
        let all = |some: &[(i64, &str)]| {
            let some = some.iter();
            some.map(|(id, student)| candidate(*id, student)).collect()
        };
        Look {
            untold: untold.iter().map(|id| candidate(*id, "ada")).collect(),
            failing: all(failing),
            accepted: all(accepted),
        }
    }

    #[test]
    fn reports_come_before_explanations_and_these_before_attacks() {
        let (failing, accepted) = ([(4, "ada"), (2, "bo")], [(3, "ada")]);
        for (look, turn) in [
            (
                look(&[1], &failing, &accepted),
                Some(Turn::Tell(candidate(1, "ada"))),
            ),
            (
                look(&[], &failing, &accepted),
                Some(Turn::Explain(candidate(4, "ada"))),
            ),
            (
                look(&[], &[], &accepted),
                Some(Turn::Attack(candidate(3, "ada"))),
            ),
            (look(&[], &[], &[]), None),
        ] {
            assert_eq!(next(&mut Memory::default(), &look), turn);
        }
    }

    #[test]
    fn a_report_is_asked_for_once_until_there_is_more_to_tell() {
        let mut memory = Memory::default();
        let one = candidate(1, "ada");
        let tell = Some(Turn::Tell(one.clone()));
        assert_eq!(next(&mut memory, &look(&[1], &[], &[])), tell);
        assert_eq!(next(&mut memory, &look(&[1], &[], &[])), None);
        memory.over(&one, Duration::ZERO);
        assert_eq!(next(&mut memory, &look(&[1], &[], &[])), tell);
    }

    #[test]
    fn two_searchers_never_search_the_same() {
        let mut memory = Memory::default();
        let look = look(&[], &[(2, "ada"), (1, "ada")], &[]);
        let [two, one] = [candidate(2, "ada"), candidate(1, "ada")];
        assert_eq!(next(&mut memory, &look), Some(Turn::Explain(two.clone())));
        assert_eq!(next(&mut memory, &look), Some(Turn::Explain(one)));
        assert_eq!(next(&mut memory, &look), None);
        assert!(memory.stopped(&two, Duration::ZERO, BUDGET, None));
        assert_eq!(next(&mut memory, &look), Some(Turn::Explain(two)));
    }

    #[test]
    fn students_take_turns() {
        let mut memory = Memory::default();
        let failing = [(9, "ada"), (8, "ada"), (7, "bo"), (6, "cy")];
        let mut order = Vec::new();
        let mut left: Vec<(i64, &str)> = failing.to_vec();
        while let Some(Turn::Explain(next)) = next(&mut memory, &look(&[], &left, &[])) {
            memory.over(&next, Duration::from_secs(1));
            left.retain(|(id, _)| *id != next.0.id.0);
            order.push(next.0.id.0);
        }
        assert_eq!(order, [9, 7, 6, 8]);
        let latest = memory.next(
            &look(&[], &[(5, "ada"), (4, "bo")], &[]),
            SearchFirst::Latest,
        );
        assert_eq!(latest, Some(Turn::Explain(candidate(5, "ada"))));
    }

    /// What a search came to that has found an input of so many bytes.
    fn progress(bytes: usize) -> Box<Progress> {
        let nothing = || Arc::from(&b""[..]);
        let found = Found {
            input: Arc::from(vec![b'1'; bytes]),
            expected: nothing(),
            printed: nothing(),
            way: Way::Shrink,
        };
        Box::new(Smallest::of(found, None).progress)
    }

    #[test]
    fn a_search_that_is_stopped_goes_on_with_what_it_has_found() {
        let mut memory = Memory::default();
        let one = candidate(1, "ada");
        let second = Duration::from_secs(1);
        for left in (0..10).rev() {
            assert!(memory.stopped(&one, second, BUDGET, Some(progress(left))));
            assert_eq!(memory.left(&one, BUDGET), Duration::from_secs(left as u64));
            let resumed = memory.resumed(&one).unwrap();
            assert_eq!(resumed.bytes(), left);
            assert!(memory.resumed(&one).is_none(), "it goes on once");
        }
        // Its CPU time is used up: only a few runs are left.
        assert!(!memory.is_last_try(&one, true));
        assert!(memory.stopped(&one, second, BUDGET, None));
        assert!(memory.is_last_try(&one, true));
        assert!(!memory.stopped(&one, second, BUDGET, None));
        assert_eq!(next(&mut memory, &look(&[], &[(1, "ada")], &[])), None);
        // Another judgement is another matter.
        let (submission, _) = &one;
        let again = (submission.clone(), Digest([2; 32]));
        assert_eq!(memory.left(&again, BUDGET), BUDGET);
        memory.stopped(&again, second, BUDGET, Some(progress(1)));
        assert!(memory.resumed(&one).is_none());
    }

    #[test]
    fn searches_that_are_stopped_have_their_bounds() {
        let mut memory = Memory::default();
        let at_once = candidate(1, "ada");
        let stops = (0..).take_while(|_| memory.stopped(&at_once, Duration::ZERO, BUDGET, None));
        assert_eq!(stops.count(), 49);
        let long = candidate(2, "ada");
        assert!(memory.stopped(&long, Duration::ZERO, BUDGET, Some(progress(2 << 20))));
        assert!(memory.resumed(&long).is_none());
        for id in 3..100 {
            memory.stopped(
                &candidate(id, "ada"),
                Duration::ZERO,
                BUDGET,
                Some(progress(1)),
            );
        }
        let resumed = (3..100).filter(|&id| memory.resumed(&candidate(id, "ada")).is_some());
        assert_eq!(resumed.count(), 64);
    }

    #[test]
    fn what_is_done_is_done_again_only_if_the_store_lists_it_again() {
        let mut memory = Memory::default();
        let one = candidate(1, "ada");
        memory.done(&one, Duration::from_secs(1));
        assert_eq!(next(&mut memory, &look(&[], &[], &[])), None);
        let listed = look(&[], &[], &[(1, "ada")]);
        assert_eq!(next(&mut memory, &listed), Some(Turn::Attack(one.clone())));
        assert_eq!(next(&mut memory, &listed), None, "it is being searched");
        // What could not be done is not done again because it is still listed.
        memory.over(&one, Duration::ZERO);
        assert_eq!(next(&mut memory, &listed), None);
    }

    #[test]
    fn a_search_that_never_began_was_not_stopped() {
        let mut memory = Memory::default();
        let one = candidate(1, "ada");
        let look = look(&[], &[(1, "ada")], &[]);
        for _ in 0..2 * STOPS_MAX {
            assert!(memory.is_open(&one));
            assert_eq!(next(&mut memory, &look), Some(Turn::Explain(one.clone())));
            assert!(!memory.is_open(&one), "it is searched");
            memory.put_back(&one);
        }
        assert!(!memory.is_last_try(&one, true));
        memory.over(&one, Duration::ZERO);
        assert!(!memory.is_open(&one));
    }
}
