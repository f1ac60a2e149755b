//! What is searched next, and what is searched again.

use std::sync::Arc;
use std::time::Duration;

use super::{Candidate, Look, Memory, Progress, Turn};
use crate::domain::{Digest, Strategy, SubmissionId, Verdict};
use crate::explain::search::{Found, Smallest};
use crate::store::ProposalPlaces;
use crate::util::samples::{slug, student, submission};

const BUDGET: Duration = Duration::from_secs(10);

fn candidate(id: i64, student: &str) -> Candidate {
    let mut submission = submission(1, student, "curling");
    submission.id = SubmissionId(id);
    (submission, Digest([1; 32]))
}

fn look(failing: &[(i64, &str)], accepted: &[(i64, &str)]) -> Look {
    let all = |some: &[(i64, &str)]| {
        let some = some.iter();
        some.map(|(id, student)| candidate(*id, student)).collect()
    };
    Look {
        failing: all(failing),
        accepted: all(accepted),
    }
}

#[test]
fn what_found_no_room_is_searched_again_once_there_is_some() {
    let mut memory = Memory::default();
    let listed = look(&[], &[(3, "ada"), (2, "bo"), (1, "cy")]);
    let problem = &listed.accepted[0].0.problem;
    while let Some(Turn::Attack(one)) = memory.next(&listed) {
        memory.not_kept(&one, Duration::from_secs(1));
    }
    assert_eq!(memory.crowded().into_iter().next().as_ref(), Some(problem));
    let taken = |of: &[(&str, u32)]| {
        let of = of.iter().map(|(who, count)| (student(who), *count));
        ProposalPlaces(of.collect())
    };
    let many = [("dee", 20)];
    let full = [("ada", 3), ("bo", 3), ("cy", 3)];
    for (other, places) in [("thegame", &[][..]), ("curling", &many), ("curling", &full)] {
        memory.make_room(&slug(other), taken(places));
        assert_eq!(memory.next(&listed), None, "{other} {places:?}");
    }
    // One decision is room for one, with all of its CPU time.
    memory.make_room(problem, taken(&[("dee", 19)]));
    let again = candidate(3, "ada");
    assert_eq!(memory.left(&again, BUDGET), BUDGET);
    assert_eq!(memory.next(&listed), Some(Turn::Attack(again)));
    assert_eq!(memory.next(&listed), None);
    memory.make_room(problem, taken(&[("dee", 3)]));
    assert!(memory.crowded().is_empty());
    assert_eq!(std::iter::from_fn(|| memory.next(&listed)).count(), 2);
}

#[test]
fn two_searchers_never_search_the_same() {
    let mut memory = Memory::default();
    let look = look(&[(2, "ada"), (1, "ada")], &[]);
    let [two, one] = [candidate(2, "ada"), candidate(1, "ada")];
    assert_eq!(memory.next(&look), Some(Turn::Explain(two.clone())));
    assert_eq!(memory.next(&look), Some(Turn::Explain(one)));
    assert_eq!(memory.next(&look), None);
    assert!(memory.stopped(&two, Duration::ZERO, BUDGET, None));
    assert_eq!(memory.next(&look), Some(Turn::Explain(two)));
}

#[test]
fn students_take_turns() {
    let mut memory = Memory::default();
    let failing = [(9, "ada"), (8, "ada"), (7, "bo"), (6, "cy")];
    let mut order = Vec::new();
    let mut left: Vec<(i64, &str)> = failing.to_vec();
    while let Some(Turn::Explain(next)) = memory.next(&look(&left, &[])) {
        memory.over(&next, Duration::from_secs(1));
        left.retain(|(id, _)| *id != next.0.id.0);
        order.push(next.0.id.0);
    }
    assert_eq!(order, [9, 7, 6, 8]);
}

/// What a search came to that has found an input of so many bytes.
fn progress(bytes: usize) -> Box<Progress> {
    let nothing = || Arc::from(&b""[..]);
    let found = Found {
        input: Arc::from(vec![b'1'; bytes]),
        expected: nothing(),
        verdict: Verdict::WrongAnswer,
        printed: nothing(),
        strategy: Strategy::Shrink,
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
    assert_eq!(memory.next(&look(&[(1, "ada")], &[])), None);
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
        let one = candidate(id, "ada");
        memory.stopped(&one, Duration::ZERO, BUDGET, Some(progress(1)));
    }
    let resumed = (3..100).filter(|&id| memory.resumed(&candidate(id, "ada")).is_some());
    assert_eq!(resumed.count(), 64);
}

#[test]
fn what_is_done_is_done_again_only_if_the_store_lists_it_again() {
    let mut memory = Memory::default();
    let one = candidate(1, "ada");
    memory.done(&one, Duration::from_secs(1));
    assert_eq!(memory.next(&look(&[], &[])), None);
    let listed = look(&[], &[(1, "ada")]);
    assert_eq!(memory.next(&listed), Some(Turn::Attack(one.clone())));
    assert_eq!(memory.next(&listed), None, "it is being searched");
    // What could not be done is not done again because it is still listed.
    memory.over(&one, Duration::ZERO);
    assert_eq!(memory.next(&listed), None);
}
