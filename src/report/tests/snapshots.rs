//! What reports look like, verdict by verdict.

use jiff::tz::TimeZone;

use super::samples::{
    RECEIVED_MS, case, failing, judged, line, not_built, outline, page, report, run_of, test, wrong,
};
use crate::domain::{Cause, Judgement, Rejection, Verdict};
use crate::report::{Audience, Document, Entry, LogLine, log, text};
use crate::util::samples;

fn accepted() -> Judgement {
    judged(vec![
        test("sample/1", Verdict::Accepted, None),
        test("secret/010-two-wide", Verdict::Accepted, None),
    ])
}

fn crashed() -> Judgement {
    let mut judgement = failing(Verdict::RuntimeError, Some(Cause::Signal(11)));
    run_of(&mut judgement.tests[1]).stderr = b"walking to (3, 4)\nSegmentation fault\n".to_vec();
    judgement
}

fn all() -> Vec<(&'static str, Document)> {
    let build = b"curling.cpp: In function 'int main()':\ncurling.cpp:3:5: error: 'x' was not declared in this scope\n    3 |\tx = 1;\n      |\t^\n";
    let all = [
        ("accepted", accepted()),
        ("wrong_answer", wrong("-1", "4")),
        ("presentation", failing(Verdict::PresentationError, None)),
        ("time_limit", failing(Verdict::TimeLimit, Some(Cause::Cpu))),
        ("run_time_error", crashed()),
        ("compile_error", not_built(Cause::Compiler, build)),
    ];
    let documents = all.map(|(name, judgement)| {
        let mut document = report("alpha", &judgement);
        document.case = (name == "wrong_answer").then(case);
        (name, document)
    });
    documents.into()
}

#[test]
fn as_a_page() {
    let source = b"#include <cstdio>\n\n\tint main() { x = 1; }\n";
    for (name, document) in all() {
        insta::assert_snapshot!(format!("page_{name}"), outline(&page(&document, source)));
    }
}

fn rejection() -> Rejection {
    Rejection {
        reason: "no language has the ending .exe; known are .cpp, .c, .py and .java".to_owned(),
        seen_ms: RECEIVED_MS,
        ..samples::rejection(Some("alpha"), "alpha/curling.exe")
    }
}

#[test]
fn as_text() {
    for (name, document) in all() {
        let text = text::render(&document, Audience::Student);
        insta::assert_snapshot!(format!("text_{name}"), text);
    }
    let rejected = text::render_rejection(&rejection(), &TimeZone::UTC);
    insta::assert_snapshot!("text_rejected", rejected);
}

#[test]
fn as_json() {
    for (name, document) in all() {
        let json = document.to_json();
        assert_eq!(Document::from_json(&json).unwrap(), document);
        insta::assert_snapshot!(format!("json_{name}"), json);
    }
}

#[test]
fn as_log_lines() {
    let lines = (1..).zip(all());
    let lines = lines.map(|(event, (_, document))| line(event, &document));
    let mut lines: Vec<LogLine> = lines.collect();
    let entry = Entry::of_rejection(&rejection());
    lines.push(LogLine::of_event(7, RECEIVED_MS, &entry.to_json()).unwrap());
    let hacked = Entry::of_verdict(&all()[1].1, "hack/evil joined", Some(Verdict::Accepted));
    lines.push(LogLine::of_event(12_345, RECEIVED_MS, &hacked.to_json()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut logs = log::Logs::open(folder.path(), 0).unwrap();
    logs.append(&lines).unwrap();
    for name in ["verdicts.log", "verdicts.jsonl"] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        insta::assert_snapshot!(name.replace('.', "_"), text);
    }
}

#[test]
fn every_cause_has_its_advice_within_the_width() {
    let codes = "cpu wall idle exit-1 differs missing extra empty refused compiler \
                 compile-time compile-memory compile-output no-entry-point";
    let causes = codes.split(' ').map(|code| Cause::from_code(code).unwrap());
    let causes = (1..=40).map(Cause::Signal).chain(causes);
    for cause in causes.map(Some).chain([None]) {
        for verdict in Verdict::ALL {
            let document = report("alpha", &failing(verdict, cause.clone()));
            let page = text::render(&document, Audience::Staff);
            let wide = page.lines().find(|line| line.chars().count() > 100);
            assert_eq!(wide, None, "{verdict} {cause:?}");
            assert!(page.contains("What to try next\n  "), "{page}");
        }
    }
}
