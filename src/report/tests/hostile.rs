//! Nothing that comes from a student can act on a terminal, break a line, or grow a report beyond
//! its bounds.

use jiff::tz::TimeZone;

use super::samples::{hostile_texts, line, not_built, report, run_of, wrong};
use crate::domain::Cause;
use crate::report::{
    Audience, Document, Entry, LogLine, Logs, Moment, Report, Reports, gradescope, text,
};
use crate::util::columns::columns;
use crate::util::samples::rejection;

fn harmless(text: &str) {
    let bad = text.chars().find(|&character| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
    });
    assert_eq!(bad, None);
}

fn check(document: &Document) {
    let page = text::render(document, Audience::Staff);
    harmless(&page);
    assert!(page.len() < 100_000, "{} bytes", page.len());
    assert_eq!(page.lines().find(|line| columns(line) > 100), None);
    let json = document.to_json();
    assert!(json.len() < 1_000_000, "{} bytes", json.len());
    harmless(&json);
    assert_eq!(&Document::from_json(&json).unwrap(), document);
    let folder = tempfile::tempdir().unwrap();
    let source = b"print(1)";
    let reports = Reports::new(&folder.path().join("r"), &folder.path().join("s"));
    for moment in [Moment::AtOnce, Moment::Later] {
        let written = reports.replace_all(&reports.render(&Report { document, source }, moment));
        written.unwrap();
    }
    let results = gradescope::render(&Report { document, source }, Audience::Staff);
    harmless(&results);
    assert!(results.len() < 1_000_000, "{} bytes", results.len());
    let results: serde_json::Value = serde_json::from_str(&results).unwrap();
    assert_eq!(results["output_format"], "text");
    one_line(&line(1, document));
}

fn one_line(line: &LogLine) {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = Logs::open(folder.path(), 0).unwrap();
    logs.append(std::slice::from_ref(line)).unwrap();
    for name in ["verdicts.log", "verdicts.jsonl"] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        harmless(&text);
        let ends = (text.matches('\n').count(), text.lines().count());
        assert_eq!(ends, (1, 1), "{text}");
        assert!(text.len() < 20_000);
        let is_forged = name.ends_with("log") && text.contains("  AC  beta");
        assert!(!is_forged, "{text}");
    }
}

#[test]
fn in_outputs_and_compilers_words() {
    for hostile in hostile_texts() {
        check(&report("alpha", &wrong(&hostile, "1")));
        let built = not_built(Cause::Compiler, hostile.as_bytes());
        check(&report("alpha", &built));
        let mut noisy = wrong(&format!("{hostile}1"), &format!("{hostile}2"));
        for test in &mut noisy.tests {
            run_of(test).stderr = hostile.clone().into_bytes();
            test.test.name.clone_from(&hostile);
        }
        check(&report("alpha", &noisy));
    }
    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    check(&report("alpha", &not_built(Cause::Compiler, &bytes)));
    let mut many = wrong("1", "2");
    run_of(&mut many.tests[1]).stderr = bytes;
    many.tests = vec![many.tests.swap_remove(1); 500];
    many.first_failing = Some(0);
    check(&report("alpha", &many));
}

#[test]
fn in_names_of_students_and_files() {
    for student in ["a  AC  beta", "a\"  AC  beta", "-", "刘思", "#5"] {
        check(&report(student, &wrong("1", "2")));
    }
    for path in hostile_texts() {
        let mut rejection = rejection(None, &path);
        rejection.reason = format!("{path} is not a submission");
        let note = text::render_rejection(&rejection, &TimeZone::UTC);
        harmless(&note);
        assert!(note.len() < 20_000 && note.lines().count() < 100);
        one_line(&LogLine::of_event(1, 0, &Entry::of_rejection(&rejection).to_json()).unwrap());
    }
}
