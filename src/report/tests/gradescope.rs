//! What Gradescope reads, and that a student's file says no more than the student may know. Its
//! shape is checked by `tests/it/schemas`.

use serde_json::Value;

use super::samples::{judged, not_built, report, test, wrong};
use crate::domain::{Cause, Verdict};
use crate::report::{Audience, Document, Report, gradescope};

fn file(document: &Document) -> String {
    let source = b"print(1)";
    gradescope::render(&Report { document, source }, Audience::Student)
}

pub fn results(document: &Document) -> Value {
    let text = file(document);
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_verdict_has_its_score_and_its_tests() {
    for verdict in Verdict::ALL {
        let judgement = judged(vec![test("sample/1", verdict, None)]);
        let value = results(&report("alpha", &judgement));
        let points = u8::from(verdict == Verdict::Accepted);
        assert_eq!(value["score"], points, "{verdict}");
    }
    let value = results(&report("alpha", &not_built(Cause::Compiler, b"error: x")));
    assert_eq!(value["score"], 0);
    assert_eq!(value["tests"].as_array().unwrap().len(), 0);
    assert!(value["output"].as_str().unwrap().contains("error: x"));
}

#[test]
fn as_a_file() {
    insta::assert_snapshot!(file(&report("alpha", &wrong("-1", "4"))));
}

#[test]
fn many_tests_are_counted() {
    let mut many = wrong("1", "2");
    many.tests = vec![many.tests.swap_remove(1); 700];
    many.first_failing = Some(0);
    let value = results(&report("alpha", &many));
    let tests = value["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 501);
    assert_eq!(tests[500]["name"], "200 more tests");
}
