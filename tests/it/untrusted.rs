//! Malicious texts from students' files and programs, in everything that is written from them, read
//! back by independent parsers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use scraper::{Html, Node};
use serde_json::Value;

use crate::book::book;
use crate::place::{Place, assert_has, below};

/// Student names that some format may interpret.
#[rustfmt::skip]
const STUDENTS: [&str; 14] = [
    "=cmd|'0'!A1", "-Иван", "@SUM(1+1)", "<script>alert(1)<", "\"><img src=x onerror=alert(1)>",
    "刘思", "نام\u{200C}ها", "{{7*7}}", "a;=1+1", "' onmouseover='alert(1)", "<bdi><!--",
    "javascript:alert(1)", "\",\"token\":\"99999999\"}", "]]>&amp;&lt;",
];

/// A file that is not a submission, whose name commands a terminal.
const NOT_A_PROGRAM: &str = "submissions/alpha/\u{1b}[31m\u{202e}txt.\n.exe";

/// What programs print instead of an answer.
fn outputs() -> Vec<Vec<u8>> {
    vec![
        b"</pre></td></table></main><script>alert(1)</script><img src=x onerror=alert(1)>".to_vec(),
        b"\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m".to_vec(),
        "abc\u{202e}cba\u{2066}\u{feff}\u{200f}".as_bytes().to_vec(),
        b"=HYPERLINK(\"http://example.org\";\"x\")".to_vec(),
        b"]]></failure><failure/>&amp;&#0;".to_vec(),
        b"\xcf\xf0\xe8\xe2\xe5\xf2 \xff\xfe\xc0\x80".to_vec(),
        b"\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7".to_vec(),
        b"nul\0nul".to_vec(),
        [&b"{\"token\":\"999999\"}\n"[..], &[b'x'; 1 << 20]].concat(),
    ]
}

/// A program that prints these bytes to both of its outputs.
fn program(output: &[u8]) -> String {
    let bytes = output.iter().take(5_000);
    let bytes: String = bytes.fold(String::new(), |text, byte| text + &format!("\\x{byte:02x}"));
    let times = if output.len() > 5_000 { 210 } else { 1 };
    format!(
        "import sys\ntext = b\"{bytes}\" * {times}\nsys.stdout.buffer.write(text)\nsys.stderr.buffer.write(text)\n# </script>\u{202e}\n"
    )
}

/// A place with all the hostile texts, judged.
fn judged() -> Place {
    let place = Place::new().only(&["python3"]);
    for (student, output) in STUDENTS.iter().zip(outputs().iter().cycle()) {
        place.write(&format!("submissions/{student}/sum.py"), program(output));
    }
    // Sources that are not UTF-8, and names of files that are not submissions.
    let in_cyrillic = b"# -*- coding: cp1251 -*-\nprint('\xcf\xf0')\n";
    place.write("submissions/cp1251/sum.py", in_cyrillic);
    let in_gbk = b"print('\xc4\xe3') \x1b[31m </script>\0\n";
    place.write("submissions/gbk/sum.py", in_gbk);
    place.write("submissions/alpha/<svg onload=alert(1)>.exe", "");
    place.write(NOT_A_PROGRAM, "");
    place.serve_once();
    place
}

/// Whether a character controls a terminal, or affects the text beside it.
fn acts(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}')
}

fn harmless_page(path: &Path, text: &str) {
    let html = Html::parse_document(text);
    let place = path.display();
    assert!(html.errors.is_empty(), "{place}: {:?}", html.errors);
    for element in html.tree.values().filter_map(Node::as_element) {
        let name = element.name();
        let mut active = "script|img|iframe|object|embed|base|form|foreignobject".split('|');
        assert!(!active.any(|active| active == name), "{place} has <{name}>");
        for (attribute, value) in element.attrs() {
            let lower = value.to_ascii_lowercase();
            let leads_out = lower.contains("javascript:") || lower.contains("//");
            let is_wrong = attribute.starts_with("on") || attribute == "href" && leads_out;
            assert!(!is_wrong, "{place}: {name} has {attribute}: {value}");
        }
    }
    let is_active = |character| acts(character) && character != '\t';
    assert!(!text.contains(is_active), "{place}");
    assert!(text.len() < 3 << 20, "{place}: {} bytes", text.len());
}

#[test]
fn nothing_that_a_student_submits_is_interpreted() {
    let place = judged();
    let mut seen = BTreeSet::new();
    let all = ["reports", "staff"].map(|name| below(&place.path(name)));
    for path in all.into_iter().flatten().filter(|path| path.is_file()) {
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8(bytes).unwrap_or_else(|_| panic!("{}", path.display()));
        let ending = path.extension().unwrap().to_str().unwrap().to_owned();
        let is_text = !["html", "csv"].contains(&ending.as_str());
        assert!(!is_text || !text.contains(acts), "{}", path.display());
        match ending.as_str() {
            "html" => harmless_page(&path, &text),
            "txt" | "log" => {}
            "json" | "jsonl" | "ndjson" => {
                let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
                assert!(values.map(Result::unwrap).all(|value| value.is_object()));
            }
            "xml" => drop(roxmltree::Document::parse(&text).unwrap()),
            "csv" => {
                let rest = text.trim_start_matches('\u{FEFF}');
                for record in csv::Reader::from_reader(rest.as_bytes()).records() {
                    for cell in &record.unwrap() {
                        let is_formula = cell.trim_start().starts_with(['=', '+', '-', '@', '＝']);
                        assert!(!is_formula && !cell.contains(acts), "{cell:?}");
                    }
                }
            }
            other => panic!("{}: what reads .{other}?", path.display()),
        }
        seen.insert(ending);
    }
    let all = [
        "csv", "html", "json", "jsonl", "log", "ndjson", "txt", "xml",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), all);
    names_stay(&place);
    a_terminal_is_safe(&place);
    // What a program printed is on its page, as text.
    let words = words(&place, &format!("staff/{}/sum/1.html", STUDENTS[0]));
    let told = ["<script>alert(1)</script><img src=x onerror=alert(1)>"];
    assert_has(&words, &told);
}

/// The text of a page.
fn words(place: &Place, page: &str) -> String {
    let page = Html::parse_document(&place.read(page));
    page.root_element().text().collect()
}

/// Names are unchanged in everything that is written.
fn names_stay(place: &Place) {
    let book = book(place);
    let results = place.read("staff/results.xml");
    let xml = roxmltree::Document::parse(&results).unwrap();
    let classes: Vec<&str> = xml
        .descendants()
        .filter_map(|node| node.attribute("classname"))
        .collect();
    let feed = place.read("staff/event-feed.ndjson");
    let teams: Vec<String> = feed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["type"] == "teams")
        .map(|line| line["data"]["name"].as_str().unwrap().to_owned())
        .collect();
    let index = words(place, "staff/index.html");
    for student in STUDENTS {
        let cells = || book.iter().map(|row| &row["student"]);
        let is_there =
            cells().any(|cell| cell == student || cell.strip_prefix('\'') == Some(student));
        assert!(is_there, "{student} is not in the grade book");
        assert!(classes.contains(&student), "not in results.xml: {student}");
        let is_team = teams.iter().any(|name| name == student);
        assert!(is_team, "{student} is not in the feed");
        // A page shows the joiners that some scripts need.
        let page = words(place, &format!("staff/{student}/sum/1.html"));
        for words in [&page, &index] {
            assert_has(words, &[&student.replace('\u{200C}', "\\u{200c}")]);
        }
    }
}

/// A terminal obeys none of it.
fn a_terminal_is_safe(place: &Place) {
    for arguments in [
        &["status"][..],
        &["report"],
        &["report", STUDENTS[1]],
        &["report", STUDENTS[3]],
        &["judge", NOT_A_PROGRAM],
    ] {
        let output = place.run(arguments);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(text.find(acts), None, "{arguments:?}: {text}");
    }
    let daemon = place.daemon();
    place.write("submissions/late/sum.py", program(&outputs()[1]));
    place.write("submissions/late/\u{1b}]0;x\u{7}.exe", "");
    assert_eq!(place.wait_for("late/sum/1"), "WA");
    let ended = daemon.stop();
    for line in ended.lines.iter().chain(&ended.said) {
        assert_eq!(line.find(acts), None, "{line:?}");
    }
}
