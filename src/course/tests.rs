//! Grades of small courses, computed by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Counts, Grades, HandedIn, Rules, TimeSource};
use crate::course::{Action, Decision, Decisions, Points, Roster, Standing, Terms};
use crate::domain::{ProblemSlug, Score, Student, SubmissionId, Verdict};

const COURSE: &str = r#"
time_zone = "Europe/Oslo"
late = [{ until = "1d", percent = 80 }]
extensions = "extensions.csv"

[[assignments]]
name = "a1"
due = "2026-09-10 12:00"
points = { curling = 10, regions = 7.5 }

[[assignments]]
name = "a2"
opens = "2026-09-10 12:00"
early = "reject"
due = "2026-09-20 12:00"
points = { thegame = 5 }
"#;

fn slug(name: &str) -> ProblemSlug {
    ProblemSlug::new(name).unwrap()
}

fn who(name: &str) -> Student {
    Student::new(name).unwrap()
}

/// The attempts of one student at one problem: when, and whether it was accepted.
fn attempts(all: &[(&str, bool)]) -> Vec<HandedIn> {
    let attempts = (1..).zip(all);
    let attempts = attempts.map(|(attempt, (at, is_accepted))| HandedIn {
        submission: SubmissionId(i64::from(attempt)),
        attempt,
        at: at.parse().unwrap(),
        source: TimeSource::Receipt,
        verdict: Some(if *is_accepted {
            Verdict::Accepted
        } else {
            Verdict::WrongAnswer
        }),
        score: Some(Score {
            got: u32::from(*is_accepted),
            of: 1,
        }),
    });
    attempts.collect()
}

fn decision(attempt: Option<u32>, action: Action) -> Decision {
    Decision {
        student: who("ada"),
        problem: slug("curling"),
        attempt,
        action,
        reason: "because".to_owned(),
        when: String::new(),
    }
}

fn rules(decisions: Vec<Decision>) -> Rules {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("course.toml", COURSE).unwrap();
    write(
        "extensions.csv",
        "student,assignment,due\nbo,curling,2026-09-12 12:00\n",
    )
    .unwrap();
    Rules {
        terms: Arc::new(Terms::load(folder.path()).unwrap().unwrap()),
        decisions: Arc::new(Decisions::new(decisions)),
    }
}

#[test]
fn a_roster_with_totals_and_everybody_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roster.csv");
    std::fs::write(&file, "student,last_name\nzoe,Z\nbo,B\nada,A\n").unwrap();
    let roster = Roster::load(&file).unwrap();
    let hand_in = |problem: &str, all: &[(&str, bool)]| (slug(problem), attempts(all));
    let late = "2026-09-11T09:00:00Z";
    let handed_in = BTreeMap::from([
        (
            who("ada"),
            BTreeMap::from([
                hand_in("curling", &[("2026-09-10T10:00:00Z", false), (late, true)]),
                hand_in("thegame", &[("2026-09-10T09:59:59Z", true)]),
            ]),
        ),
        (
            who("bo"),
            BTreeMap::from([
                hand_in("curling", &[(late, true)]),
                hand_in("regions", &[(late, true)]),
                hand_in("svg", &[(late, true)]),
            ]),
        ),
        (
            who("cy"),
            BTreeMap::from([hand_in("thegame", &[(late, true)])]),
        ),
    ]);
    let problems = ["curling", "regions", "svg", "thegame"].map(slug);
    let problems: BTreeSet<ProblemSlug> = problems.into_iter().collect();
    let grades = Grades::of(&rules(vec![]), &roster, &problems, &handed_in);
    let shown: Vec<String> = grades
        .people
        .iter()
        .map(|person| {
            let totals: Vec<_> = person.totals.iter().map(ToString::to_string).collect();
            format!("{} {} {}", person.student, totals.join("+"), person.total)
        })
        .collect();
    assert_eq!(shown, ["zoe 0+0 0", "bo 16+0 16", "ada 8+0 8", "cy 0+5 5"]);
    assert_eq!(grades.of.to_string(), "22.5");
    let ada = &grades.people[2].cells;
    assert_eq!(ada[&slug("thegame")].counted, None, "before it opens");
    let counted = ada[&slug("curling")].counted.as_ref().unwrap();
    assert_eq!(counted.handed_in.attempt, 2);
    let (seconds, percent) = (23 * 3600, 80);
    assert_eq!(counted.standing, Standing::Late { seconds, percent });
    assert!(grades.people[0].cells.is_empty());

    let plain = Rules::without_files(Counts::Best);
    let grades = Grades::of(&plain, &roster, &problems, &handed_in);
    let totals: Vec<_> = grades.people.iter().map(|one| one.total).collect();
    assert_eq!(
        totals,
        [0, 3, 2, 1].map(|one| Points::hundredths(one * 100))
    );
    assert_eq!(grades.of.to_string(), "4");
}

#[test]
fn what_an_instructor_decides_holds_beside_the_facts() {
    let handed_in = attempts(&[
        ("2026-09-10T09:00:00Z", false),
        ("2026-09-11T09:00:00Z", true),
    ]);
    let points = |number| Action::Points(Points::from_number(number).unwrap());
    let wrong = Action::Verdict(Verdict::WrongAnswer);
    let right = Action::Verdict(Verdict::Accepted);
    for (decisions, attempt, expected) in [
        (vec![], Some(2), "8"),
        (vec![(None, Action::Comment)], Some(2), "8"),
        (vec![(Some(1), right)], Some(1), "10"),
        (vec![(Some(2), wrong)], Some(2), "0"),
        (vec![(Some(2), wrong), (Some(2), right)], Some(2), "8"),
        (vec![(Some(2), Action::Exclude)], Some(1), "0"),
        (
            vec![(Some(1), Action::Exclude), (Some(2), Action::Exclude)],
            None,
            "0",
        ),
        (vec![(Some(1), points(9.5))], Some(1), "9.5"),
        (vec![(Some(1), points(7.0))], Some(2), "8"),
        (vec![(None, points(1.25))], Some(2), "1.25"),
        (
            vec![(None, points(12.0)), (None, points(11.0))],
            Some(2),
            "11",
        ),
    ] {
        let made = decisions.iter();
        let made = made.map(|(attempt, action)| decision(*attempt, *action));
        let rules = rules(made.collect());
        let grade = rules.grade(&who("ada"), &slug("curling"), &handed_in);
        let grade = grade.unwrap();
        assert_eq!(grade.points.to_string(), expected, "{decisions:?}");
        let counted = grade.counted.as_ref().map(|one| one.handed_in);
        assert_eq!(counted.map(|one| one.attempt), attempt, "{decisions:?}");
        // The judge's verdict is still there.
        let judged = counted.is_none_or(|one| one == handed_in[one.attempt as usize - 1]);
        assert!(judged, "{decisions:?}");
    }
    let rules = rules(vec![decision(None, points(3.0))]);
    let nothing = rules.grade(&who("ada"), &slug("curling"), &[]).unwrap();
    assert_eq!(
        nothing.points.to_string(),
        "3",
        "for what was not handed in"
    );
    assert_eq!(rules.grade(&who("bo"), &slug("curling"), &[]), None);
}
