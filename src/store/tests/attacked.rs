//! Accepted programs are tried on each new counterexample of another program once.

use std::ops::ControlFlow;

use super::{Course, FOLD, SUBJECT, publication, publish, received};
use crate::domain::{Explanation, SubmissionId, Verdict};
use crate::store::{COUNTEREXAMPLE_BYTES_MAX, NewProposal, ProposalState};
use crate::util::hash;
use crate::util::samples::{counterexample, slug};

/// An input that breaks an accepted program.
fn proposal(problem: &str, submission: SubmissionId, input: &str) -> NewProposal {
    NewProposal {
        problem: slug(problem),
        submission,
        digest: hash::digest(input.as_bytes()),
        input: input.as_bytes().to_vec(),
        verdict: Verdict::WrongAnswer,
        evidence: counterexample(input, "enumeration"),
        found_ms: 1,
    }
}

impl Course {
    /// An input was found on which a failing program fails.
    fn found(&self, id: SubmissionId, input: &str, found_by: &str) {
        let explanation = Explanation {
            counterexample: Some(counterexample(input, found_by)),
            ..Explanation::default()
        };
        self.searched(id, FOLD, Some(explanation), None);
    }

    /// An accepted program is tried as the daemon does it; on what.
    fn attacked(&self, id: SubmissionId, problem: &str) -> Vec<String> {
        let reader = self.reader();
        let known = reader.tried_to(id, SUBJECT).unwrap();
        let others = match known {
            None => reader.latest_counterexamples(&slug(problem), 100),
            Some(after) => reader.counterexamples_after(&slug(problem), after, 2),
        };
        let others = others.unwrap();
        let newest = others.iter().map(|other| other.number).max();
        self.searched(id, FOLD, None, newest.or(known).or(Some(0)));
        others.into_iter().map(|other| other.input).collect()
    }

    fn untried(&self) -> Vec<SubmissionId> {
        let reader = self.reader();
        let all = reader.untried(&slug("curling"), 100, &mut |_| ControlFlow::Continue(true));
        all.unwrap().into_iter().map(|(one, _)| one.id).collect()
    }
}

#[test]
fn what_was_found_later_is_tried_once_and_nothing_else() {
    // What is found after the attack, for whom and how, and on what the program is tried again.
    for (found, again) in [
        ("", ""),
        ("wrong|new|enumeration", "new"),
        ("wrong|old|shrink", ""),
        ("wrong|itself|test", ""),
        ("elsewhere|new|enumeration", ""),
        ("wrong|new|cut also|new|shrink", "new"),
        ("wrong|1|cut also|2|cut wrong|3|cut", "1 2 3"),
    ] {
        let course = Course::new();
        let accepted = course.judged("ada", "curling", Verdict::Accepted);
        let wrong = course.judged("bo", "curling", Verdict::WrongAnswer);
        let also = course.judged("cy", "curling", Verdict::WrongAnswer);
        let elsewhere = course.judged("bo", "thegame", Verdict::WrongAnswer);
        course.found(wrong, "old", "enumeration");
        assert_eq!(course.untried(), [], "it was never attacked");
        assert_eq!(course.attacked(accepted, "curling"), ["old"]);
        assert_eq!(course.untried(), []);
        for one in found.split_whitespace() {
            let parts: Vec<&str> = one.split('|').collect();
            let id = match parts[0] {
                "wrong" => wrong,
                "also" => also,
                _ => elsewhere,
            };
            course.found(id, parts[1], parts[2]);
        }
        let mut tried = Vec::new();
        while course.untried() == [accepted] {
            tried.extend(course.attacked(accepted, "curling"));
            assert!(tried.len() <= 3, "{found}: {tried:?}");
        }
        assert_eq!(tried.join(" "), again, "{found}");
    }
}

#[test]
fn a_program_that_a_proposed_hack_breaks_waits_for_the_decision_and_for_its_judgement() {
    let course = Course::new();
    let accepted = course.judged("ada", "curling", Verdict::Accepted);
    let wrong = course.judged("bo", "curling", Verdict::WrongAnswer);
    course.attacked(accepted, "curling");
    let (writer, reader) = (course.store.writer(), course.reader());
    let proposal = proposal("curling", accepted, "proposed");
    assert!(writer.propose(proposal).unwrap());
    let number = reader.proposals(None).unwrap()[0].id;
    course.found(wrong, "new", "enumeration");
    assert_eq!(course.untried(), []);
    assert!(writer.decide(number, ProposalState::Rejected).unwrap());
    assert_eq!(course.untried(), [accepted]);
    let found = reader.hack_yield(&slug("curling")).unwrap();
    let counts = (found.attacked, found.waiting, found.accepted);
    assert_eq!((counts, found.rejected), ((1, 0, 0), 1));
    // What was never judged is not tried either.
    received(&course.store, "dan", b"x");
    assert_eq!(course.untried(), [accepted]);
    // It is judged from something else: then it is one about which nothing was searched.
    let judged = publication(accepted, FOLD + 1, Verdict::Accepted);
    publish(&course.store, judged);
    assert_eq!(course.untried(), []);
    let any = &mut |_: &_| ControlFlow::Continue(true);
    let unsearched = reader.unsearched(Verdict::Accepted, 10, any).unwrap();
    assert_eq!(unsearched.len(), 1);
}

#[test]
fn only_the_latest_inputs_that_a_program_would_be_tried_on_are_kept() {
    let course = Course::new();
    let wrong = course.judged("bo", "curling", Verdict::WrongAnswer);
    let longest = "1".repeat(COUNTEREXAMPLE_BYTES_MAX);
    for input in [&format!("{longest}1"), "1 \\xff 2", &longest, "1 2\n"] {
        course.found(wrong, input, "enumeration");
    }
    let elsewhere = course.judged("bo", "thegame", Verdict::WrongAnswer);
    course.found(elsewhere, "elsewhere", "enumeration");
    let kept = |problem| -> Vec<String> {
        let reader = course.reader();
        let all = reader.latest_counterexamples(&slug(problem), 9_999);
        all.unwrap().into_iter().map(|other| other.input).collect()
    };
    assert_eq!(kept("curling"), ["1 2\n", &longest]);
    for number in 0..1_100 {
        course.found(wrong, &number.to_string(), "enumeration");
    }
    let latest = (100..1_100).rev().map(|number| number.to_string());
    assert!(kept("curling").into_iter().eq(latest));
    assert_eq!(kept("thegame"), ["elsewhere"]);
}

#[test]
fn what_a_forgotten_student_taught_is_gone_and_what_comes_next_is_new() {
    let course = Course::new();
    let accepted = course.judged("ada", "curling", Verdict::Accepted);
    let wrong = course.judged("bo", "curling", Verdict::WrongAnswer);
    let also = course.judged("cy", "curling", Verdict::WrongAnswer);
    course.found(wrong, "old", "enumeration");
    course.attacked(accepted, "curling");
    let course = course.without("bo");
    course.found(also, "new", "enumeration");
    assert_eq!(course.untried(), [accepted]);
    assert_eq!(course.attacked(accepted, "curling"), ["new"]);
    let reader = course.reader();
    let kept = reader.latest_counterexamples(&slug("curling"), 10).unwrap();
    assert_eq!(kept.len(), 1);
}

#[test]
fn when_too_many_wait_the_next_is_proposed_after_a_decision() {
    for decision in [ProposalState::Rejected, ProposalState::Accepted] {
        let course = Course::new();
        // Three of each student, and twenty in all.
        let students = (0..20).map(|number| format!("student{}", number / 3));
        let judged = |student: String| course.judged(&student, "curling", Verdict::Accepted);
        let ids: Vec<SubmissionId> = students.map(judged).collect();
        let fourth = course.judged("student0", "curling", Verdict::Accepted);
        let other = course.judged("bo", "curling", Verdict::Accepted);
        let elsewhere = course.judged("student0", "thegame", Verdict::Accepted);
        let propose = |problem, id, input: &str| {
            let new = proposal(problem, id, input);
            course.store.writer().propose(new).unwrap()
        };
        let without_place = || {
            let proposed = course.reader().proposed().unwrap();
            (proposed.full_students, proposed.full_problems)
        };
        for (number, id) in ids.iter().enumerate() {
            assert!(propose("curling", *id, &number.to_string()));
            if number == 2 {
                assert!(!propose("curling", fourth, "fourth"));
            }
        }
        assert!(!propose("curling", other, "new"));
        assert_eq!(without_place(), (1, 1));
        // What waits already may break another program too, and other problems have their own.
        assert!(propose("curling", other, "7"));
        assert!(propose("thegame", elsewhere, "new"));
        assert_eq!(without_place(), (1, 0));
        let reader = course.reader();
        let open = reader.proposals(Some(&slug("curling"))).unwrap();
        assert_eq!(open.len(), 20);
        assert_eq!(reader.broken_by(open[7].id).unwrap().len(), 2);
        assert!(course.store.writer().decide(open[5].id, decision).unwrap());
        // It is not student0's place.
        assert!(!propose("curling", fourth, "fourth"));
        assert!(propose("curling", other, "new"));
        assert!(!propose("curling", ids[5], "newer"));
        let open = reader.proposals(Some(&slug("curling"))).unwrap();
        assert_eq!(open.len(), 20);
        assert_eq!(open.last().unwrap().input, b"new");
    }
}
