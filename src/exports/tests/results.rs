//! results.xml as an independent parser reads it.

use roxmltree::{Document as Xml, Node};

use super::{Fixture, HOSTILE_NAMES, accepted, course, not_built, wrong};
use crate::course::Roster;
use crate::domain::Verdict;
use crate::exports::Course;
use crate::exports::junit::EXPORT;
use crate::report::tests::samples;
use crate::util::samples::with_groups;

fn made(fixture: &Fixture, course: &Course) -> String {
    fixture.made(&EXPORT, course, &Roster::default())
}

/// The numbers agree with what is there. `tests/it/schemas` checks the form.
fn consistent(xml: &Xml) {
    let all = xml.root_element();
    for suites in [vec![all], all.children().filter(Node::is_element).collect()] {
        for suite in suites {
            let names = ["tests", "failures", "errors"].into_iter();
            for (name, tag) in names.zip(["testcase", "failure", "error"]) {
                let said = suite.attribute(name).map(str::parse::<usize>);
                let found = suite.descendants().filter(|one| one.has_tag_name(tag));
                assert_eq!(said, Some(Ok(found.count())), "{suite:?}: {name}");
            }
        }
    }
}

#[test]
fn a_suite_a_problem_and_a_case_a_test_of_the_attempt_that_counts() {
    let mut fixture = Fixture::new();
    fixture.judged("alpha", "curling", &wrong());
    fixture.judged("alpha", "curling", &accepted());
    fixture.judged("beta", "curling", &wrong());
    fixture.judged("gamma", "curling", &not_built());
    // A group that brings too few points is a failure.
    fixture.judged("delta", "curling", &with_groups());
    let slow = samples::failing(Verdict::TimeLimit, None);
    fixture.judged("alpha", "regions", &slow);
    fixture.hand_in("beta", "regions");
    let text = made(&fixture, &course());
    consistent(&Xml::parse(&text).unwrap());
    insta::assert_snapshot!(text);
}

#[test]
fn hostile_texts_are_text() {
    let mut fixture = Fixture::new();
    for name in HOSTILE_NAMES {
        let mut judgement = wrong();
        "</failure><failure x=\"\">\u{FFFF}\0".clone_into(&mut judgement.tests[1].test.name);
        judgement.tests[1].said.words = Some("]]></failure><script/>\u{1b}[2J".to_owned());
        fixture.judged(name, "curling", &judgement);
    }
    let text = made(&fixture, &course());
    let xml = Xml::parse(&text).unwrap();
    consistent(&xml);
    for name in HOSTILE_NAMES {
        let shown = name.replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}");
        let mut all = xml.descendants();
        let is_there = all.any(|one| one.attribute("classname") == Some(&shown));
        assert!(is_there, "{name:?}");
    }
    assert!(!text.contains(['\u{1b}', '\0', '\u{FFFF}']));
}
