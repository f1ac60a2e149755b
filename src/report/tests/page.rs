//! The page, read by an HTML parser of its own: its form holds, and nothing that comes from outside
//! can change it.

use std::collections::{BTreeMap, BTreeSet};

use scraper::{Html, Node};

use super::samples::{
    case, excerpt, failing, hostile_texts, judged, not_built, page, report, run_of, talk, test,
    wrong,
};
use crate::domain::{Cause, Student, Verdict};
use crate::report::{Document, ShownCase};

/// The largest page that hostile texts of a MiB each may lead to.
const PAGE_BYTES_MAX: usize = 3 << 20;

const SOURCE: &[u8] = b"#include <cstdio>\nint main() {\n\tx = 1;\n}\n";
const WORDS: &[u8] = b"curling.cpp:3:2: error: 'x' was not declared in this scope\n";

/// Every element with its attributes, of all that the page can have.
type Form = BTreeMap<String, BTreeSet<String>>;

fn elements(html: &Html) -> Vec<(&str, BTreeMap<&str, &str>)> {
    let elements = html.tree.values().filter_map(Node::as_element);
    let elements = elements.map(|element| (element.name(), element.attrs().collect()));
    elements.collect()
}

fn form(html: &Html, known: &mut Form) {
    for (name, attributes) in elements(html) {
        let names = attributes.keys().map(|name| (*name).to_owned());
        known.entry(name.to_owned()).or_default().extend(names);
    }
}

/// Harmless documents that between them show everything that the page has.
fn samples() -> Vec<Document> {
    let mut crashed = failing(Verdict::RuntimeError, Some(Cause::ExitCode(1)));
    let run = run_of(&mut crashed.tests[1]);
    run.stderr = b"  File \"/app/main.py\", line 2, in <module>\n".to_vec();
    run.measurements = 2;
    crashed.tests[1].said.words = Some("no".to_owned());
    let mut built = not_built(Cause::Compiler, WORDS);
    built.compiler_words.push(0xFF);
    let mut of_test = case();
    of_test.title = None;
    of_test.answer = Some("-1\n".to_owned());
    of_test.got = None;
    let mut cut = case();
    (cut.input.cut_before, cut.input.cut_after) = (true, true);
    cut.got = Some(excerpt("", 1, Some((0, 0))));
    let with_case = [case(), of_test, cut, talk("50")].map(|case| Document {
        case: Some(case),
        ..report("alpha", &wrong("-1", "4"))
    });
    let verdicts = Verdict::ALL.map(|verdict| failing(verdict, None));
    let judged = [crashed, built].into_iter().chain(verdicts);
    let judged = judged.map(|judgement| report("alpha", &judgement));
    judged.chain(with_case).collect()
}

/// Reads a page and checks that it can be walked through: whatever names a part of it names one,
/// and no level of headings is left out.
pub fn sound(text: &str) -> Html {
    let html = Html::parse_document(text);
    assert!(html.errors.is_empty(), "{:?}\n{text}", html.errors);
    let elements = elements(&html);
    let mut ids = BTreeSet::new();
    for id in elements.iter().filter_map(|(_, has)| has.get("id")) {
        assert!(ids.insert(*id), "two elements are called {id}");
    }
    let mut level = 0;
    for (name, has) in &elements {
        let own = has.get("href").and_then(|href| href.strip_prefix('#'));
        let named = has.get("aria-labelledby").copied().into_iter().chain(own);
        for id in named.flat_map(|ids| ids.split(' ')) {
            assert!(ids.contains(id), "{name} names {id}, which is not there");
        }
        if let Some(next) = name.strip_prefix('h').and_then(|n| n.parse::<u32>().ok()) {
            assert!(next <= level + 1, "a heading of level {next} after {level}");
            level = next;
        }
    }
    html
}

#[test]
fn a_page_is_valid_and_asks_the_network_for_nothing() {
    for document in samples() {
        let text = page(&document, SOURCE);
        sound(&text);
        let own_words = text.replace("http://www.w3.org/2000/svg", "");
        for word in ["//", "@import", "<script"] {
            assert!(!own_words.contains(word), "{word}");
        }
        for needed in ["<html lang=\"en\">", "default-src 'none'", "<main>"] {
            assert!(text.contains(needed), "{needed}");
        }
    }
}

/// The document of a judgement in which this text stands wherever one from outside can stand.
fn hostile(text: &str) -> Document {
    let mut judgement = wrong(text, &format!("{text}2"));
    judgement.compiler_words = text.as_bytes().to_vec();
    for result in &mut judgement.tests {
        result.test.name = text.to_owned();
        run_of(result).stderr = text.as_bytes().to_vec();
        result.said.words = Some(text.to_owned());
    }
    let mut document = report("alpha", &judgement);
    // Beyond what `document` has made harmless: the page relies on none of it.
    for place in [
        &mut document.submission.file_name,
        &mut document.submission.problem_title,
        &mut document.submission.received_at,
        &mut document.language_version,
        &mut document.language_name,
        &mut document.built_with[0],
        &mut document.notes[0],
        &mut document.protections[0].how,
        &mut document.judged_at,
    ] {
        *place = text.chars().take(1_000).collect();
    }
    let allowed = |character: &char| Student::new(&format!("x{character}")).is_ok();
    let name: String = text.chars().filter(allowed).take(30).collect();
    document.submission.student = Student::new(&format!("x{name}")).unwrap();
    document.case = Some(ShownCase {
        title: Some(text.chars().take(100).collect()),
        words: text.chars().take(100).collect(),
        stops_here: false,
        task: Some("curling".to_owned()),
        input: excerpt(text, 1, None),
        answer: Some(text.to_owned()),
        expected: excerpt(text, u64::MAX - (1 << 21), Some((3, 1))),
        got: Some(excerpt(text, 1, Some((1, u64::MAX)))),
        talk: talk(text).talk,
    });
    document
}

#[test]
fn nothing_from_outside_becomes_an_element_or_an_attribute() {
    let mut known = Form::new();
    for document in samples() {
        form(&Html::parse_document(&page(&document, SOURCE)), &mut known);
    }
    assert!(!known.contains_key("script") && !known.contains_key("img"));
    for text in hostile_texts() {
        let mut document = hostile(&text);
        check(&page(&document, text.as_bytes()), &known);
        // As `explain` bounds it.
        let part = excerpt(&text.chars().take(8_000).collect::<String>(), 1, None);
        document.case = Some(ShownCase {
            input: part.clone(),
            answer: None,
            expected: part.clone(),
            got: Some(part),
            ..case()
        });
        let page = page(&document, text.as_bytes());
        check(&page, &known);
        assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    }
}

fn check(text: &str, known: &Form) {
    for (name, attributes) in elements(&Html::parse_document(text)) {
        let allowed = known.get(name);
        let allowed = allowed.unwrap_or_else(|| panic!("the element {name} came from outside"));
        for (attribute, value) in attributes {
            let told = format!("{name} has {attribute}={value}");
            assert!(allowed.contains(attribute), "{told}");
            let is_plain = value.len() < 300 && !value.contains(['<', '>', '\u{202e}']);
            assert!(is_plain || name == "time", "{told}");
        }
    }
}

#[test]
fn what_cannot_be_seen_is_shown() {
    let bytes = "int \u{202e}x\0; // \x1b[2J".as_bytes();
    let mut judgement = wrong("\u{202e}1", "\0 2");
    run_of(&mut judgement.tests[1]).stderr = bytes.to_vec();
    let text = page(&report("alpha", &judgement), bytes);
    let shown = "int \\u{202e}x\\u{0}; // \\u{1b}[2J";
    assert_eq!(text.matches(shown).count(), 2);
    let hidden = |character: char| crate::domain::is_invisible(character) && character != '\n';
    assert_eq!(text.find(hidden), None);
    // Other encodings are read, and a name in any script stays what it is.
    let cyrillic = b"// \xcf\xf0\xee\xe3\xf0\xe0\xec\xec\xe0 \xed\xe0\xf5\xee\xe4\xe8\xf2";
    let text = page(&report("刘思", &judgement), cyrillic);
    assert!(text.contains("Программа находит") && text.contains("<bdi>刘思</bdi>"));
}

#[test]
fn a_thousand_tests_leave_a_page_that_opens() {
    let many = judged(vec![test("secret/1", Verdict::Accepted, None); 10_000]);
    let text = page(&report("alpha", &many), SOURCE);
    assert!(text.len() < 1 << 20, "{} bytes", text.len());
    assert!(text.contains("9500 more tests are left out here"));
    assert!(text.contains("<strong>10000</strong> of 10000"));
}
