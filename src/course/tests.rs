//! Grades with decisions, computed by hand.

use std::sync::Arc;

use jiff::Timestamp;

use super::{HandedIn, Rules, TimeSource};
use crate::course::{Action, Decision, Decisions, Points, Terms};
use crate::domain::{Score, SubmissionId, Verdict};
use crate::util::samples::{slug, student as who};

const COURSE: &str = r#"
time_zone = "Europe/Oslo"
late = [{ until = "1d", percent = 80 }]

[[assignments]]
name = "a1"
due = "2026-09-10 12:00"
points = { curling = 10 }
"#;

/// The attempts of one student at one problem: when, and whether it was accepted.
fn attempts(all: &[(&str, bool)]) -> Vec<HandedIn> {
    let attempts = (1..).zip(all);
    let attempts = attempts.map(|(attempt, (at, is_accepted))| {
        let verdict = [Verdict::WrongAnswer, Verdict::Accepted][usize::from(*is_accepted)];
        let mut attempt = handed_in(attempt, at.parse().unwrap());
        attempt.verdict = Some(verdict);
        attempt.score = Some(Score::of_verdict(verdict));
        attempt
    });
    attempts.collect()
}

/// An attempt of which nothing is known yet.
pub fn handed_in(attempt: u32, at: Timestamp) -> HandedIn {
    HandedIn {
        submission: SubmissionId(i64::from(attempt)),
        attempt,
        at,
        source: TimeSource::Receipt,
        verdict: None,
        score: None,
        groups: None,
    }
}

/// What is decided about Ada.
pub fn decision(problem: &str, attempt: Option<u32>, action: Action) -> Decision {
    Decision {
        student: who("ada"),
        problem: slug(problem),
        attempt,
        action,
        reason: "because".to_owned(),
        when: String::new(),
    }
}

fn rules(decisions: Vec<Decision>) -> Rules {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("course.toml"), COURSE).unwrap();
    Rules {
        terms: Arc::new(Terms::load(folder.path()).unwrap().unwrap()),
        decisions: Arc::new(Decisions::new(decisions)),
    }
}

#[test]
#[rustfmt::skip]
fn what_an_instructor_decides_holds_beside_the_facts() {
    let (first, second) = ("2026-09-10T09:00:00Z", "2026-09-11T09:00:00Z");
    let handed_in = attempts(&[(first, false), (second, true)]);
    let points = |number| Action::Points(Points::from_number(number).unwrap());
    let wrong = Action::Verdict(Verdict::WrongAnswer);
    let right = Action::Verdict(Verdict::Accepted);
    let out = Action::Exclude;
    // More than the problem brings.
    let [eleven, twelve] = [11.0, 12.0].map(points);
    for (decisions, attempt, expected) in [
        (vec![], Some(2), "8"), (vec![(None, Action::Comment)], Some(2), "8"),
        (vec![(Some(1), right)], Some(1), "10"), (vec![(Some(2), wrong)], Some(2), "0"),
        (vec![(Some(2), wrong), (Some(2), right)], Some(2), "8"),
        (vec![(Some(2), out)], Some(1), "0"), (vec![(Some(1), out), (Some(2), out)], None, "0"),
        (vec![(Some(1), points(9.5))], Some(1), "9.5"), (vec![(Some(1), points(7.0))], Some(2), "8"),
        (vec![(None, points(1.25))], Some(2), "1.25"),
        (vec![(None, twelve), (None, eleven)], Some(2), "11"),
    ] {
        let made = decisions.iter();
        let made = made.map(|(attempt, action)| decision("curling", *attempt, *action));
        let rules = rules(made.collect());
        let grade = rules.grade(&who("ada"), &slug("curling"), &handed_in);
        let grade = grade.unwrap();
        assert_eq!(grade.points.to_string(), expected, "{decisions:?}");
        let counted = grade.counted.as_ref().map(|one| &one.handed_in);
        assert_eq!(counted.map(|one| one.attempt), attempt, "{decisions:?}");
        // The judge's verdict is still there.
        let judged = counted.is_none_or(|one| *one == handed_in[one.attempt as usize - 1]);
        assert!(judged, "{decisions:?}");
    }
    let rules = rules(vec![decision("curling", None, points(3.0))]);
    // For what was not handed in.
    let nothing = rules.grade(&who("ada"), &slug("curling"), &[]).unwrap();
    assert_eq!(nothing.points.to_string(), "3");
    assert_eq!(rules.grade(&who("bo"), &slug("curling"), &[]), None);
}
