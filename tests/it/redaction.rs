//! What students may not see of hidden tests, searched for in every byte of their files and of what
//! their dashboard sends.
//!
//! Everything about a test carries a mark of that test: its name, its input, its answer, the
//! checker's message, and what the program printed to standard output and standard error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::place::{Place, bearer, wait_until};
use crate::power::disk::files_below;
use crate::web::client::{Stream, addresses, get, get_with};

/// A checker that repeats its input to the student, as careless ones do.
const CHECKER: &str = r#"
import sys
given, answer, folder = sys.argv[1:4]
said = sys.stdin.read()
if said.strip() == open(answer).read().strip():
    sys.exit(42)
with open(folder + "/teammessage.txt", "w") as words:
    words.write("words-" + open(given).read().strip())
with open(folder + "/judgemessage.txt", "w") as words:
    words.write("judges-" + open(given).read().strip())
sys.exit(43)
"#;

/// Right on the sample only; leaks its input wherever it can.
const TALKATIVE: &str = r#"
import sys
read = sys.stdin.read().strip()
print("said-" + read, file=sys.stderr)
print(1 if read == "1" else "printed-" + read)
"#;

/// Right on everything except hacks.
const FRAGILE: &str = r#"
import sys
read = sys.stdin.read().strip()
print("said-" + read, file=sys.stderr)
if read == "1":
    print(1)
elif "hack" in read:
    print("printed-" + read)
else:
    print("answer-" + read)
"#;

/// The tests that are hidden: the first that fails, one after it, and a hack.
const HIDDEN: [(&str, &str); 3] = [
    ("data/secret/20-name-first", "mark-first"),
    ("data/secret/30-name-second", "mark-second"),
    ("hacks/name-hack", "mark-hack"),
];

/// A course with one problem whose tests are marked, and two students.
fn course(disclosure: &str, web: &str) -> Place {
    let place = Place::new().only(&["python3"]).with_staff(web);
    place.configure("[judge]\nstop_at_first_failure = false\n");
    fs::remove_dir_all(place.path("problems/sum")).unwrap();
    place.write("problems/quiz/check.py", CHECKER);
    let manifest = "title = \"Quiz\"\nchecker = \"check.py\"\nprotocol = \"icpc\"\n";
    let settings = format!("{manifest}{disclosure}");
    place.write("problems/quiz/problem.toml", settings);
    place.add_test("quiz", "sample/1", "1\n", "1\n");
    for (name, mark) in HIDDEN {
        let file = format!("problems/quiz/{name}");
        place.write(&format!("{file}.ans"), format!("answer-{mark}\n"));
        place.write(&format!("{file}.in"), format!("{mark}\n"));
    }
    place.write("submissions/talkative/quiz.py", TALKATIVE);
    place.write("submissions/fragile/quiz.py", FRAGILE);
    place
}

/// What a mark stands for, and the bytes that would reveal it.
fn betrayals(name: &str, mark: &str) -> Vec<(String, String)> {
    let digest = |text: String| blake3::hash(text.as_bytes()).to_hex().to_string();
    vec![
        ("name".into(), name.rsplit('/').next().unwrap().into()),
        ("anything that was read".into(), mark.into()),
        ("digest of the input".into(), digest(format!("{mark}\n"))),
        (
            "digest of the answer".into(),
            digest(format!("answer-{mark}\n")),
        ),
    ]
}

/// Every file below a folder, its path included.
fn all_bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(folder);
    for (name, bytes) in &mut files {
        bytes.extend(name.as_bytes());
    }
    files
}

fn has(bytes: &[u8], word: &str) -> bool {
    let mut bytes = bytes.windows(word.len());
    bytes.any(|part| part == word.as_bytes())
}

/// Asserts that nothing from the tests with these marks is anywhere in these bytes.
fn assert_hidden(found: &BTreeMap<String, Vec<u8>>, marks: &[&str], level: &str) {
    let hidden = HIDDEN.iter().filter(|(_, mark)| marks.contains(mark));
    for (name, mark) in hidden {
        for (what, word) in betrayals(name, mark) {
            let told = found.iter().filter(|(_, bytes)| has(bytes, &word));
            let by: Vec<&String> = told.map(|(file, _)| file).collect();
            assert!(by.is_empty(), "{level}: {what} of {name} is told by {by:?}");
        }
    }
}

/// What the students' dashboard sends, by address.
fn sent_to_students(place: &Place, shares: bool) -> BTreeMap<String, Vec<u8>> {
    let daemon = place.daemon();
    let (to, staff) = addresses(&daemon);
    place.wait_for("talkative/quiz/1");
    place.wait_for("fragile/quiz/1");
    let mut targets = vec!["/".to_owned(), "/problems/quiz".into(), "/metrics".into()];
    let mut reports = Vec::new();
    for student in ["talkative", "fragile"] {
        targets.push(format!("/students/{student}"));
        for ending in ["", ".txt", ".json", ".gradescope.json"] {
            reports.push(format!("/reports/{student}/quiz/1{ending}"));
        }
    }
    // Pages follow their verdicts.
    wait_until("every report", || {
        let status = |target: &String| get_with(staff.unwrap(), target, &bearer()).status;
        reports.iter().all(|target| status(target) == 200)
    });
    wait_until("both students on the board", || {
        let board = get(to, "/").body;
        let links = ["talkative", "fragile"].map(|student| format!("/students/{student}"));
        links.iter().all(|link| board.matches(link).count() >= 2)
    });
    let mut sent = BTreeMap::new();
    for target in targets {
        let answer = get(to, &target);
        assert_eq!(answer.status, 200, "{target}");
        sent.insert(target, format!("{answer:?}").into_bytes());
    }
    for target in reports {
        let answer = get(to, &target);
        assert_eq!(answer.status == 200, shares, "{target}: {answer:?}");
        sent.insert(target, format!("{answer:?}").into_bytes());
    }
    let board = String::from_utf8_lossy(&sent["/"]).into_owned();
    assert_eq!(board.contains("/reports/"), shares, "{board}");
    let event = Stream::open(to, "/events", "").next_change();
    sent.insert("/events".to_owned(), format!("{event:?}").into_bytes());
    daemon.stop();
    sent
}

/// The levels of disclosure, and the marks that each of the two students must not see.
const LEVELS: [(&str, &[&str]); 3] = [
    // The defaults: each student sees their own first failing test, and nothing of the other's.
    ("", &["mark-second"]),
    (VERDICT_ONLY, &["mark-first", "mark-second", "mark-hack"]),
    (HIDDEN_HACKS, &["mark-second", "mark-hack"]),
];
const VERDICT_ONLY: &str = "[disclosure]\nsecret = \"verdict-only\"\nhack = \"verdict-only\"\n";
const HIDDEN_HACKS: &str = "[disclosure]\nhack = \"verdict-only\"\n";

#[test]
fn nothing_of_a_hidden_test_is_in_students_files_and_all_of_it_in_the_staffs() {
    for (level, marks) in LEVELS {
        let place = course(level, "");
        let verdicts = place.serve_once();
        assert_eq!(verdicts["talkative/quiz/1"], "WA");
        assert_eq!(verdicts["fragile/quiz/1"], "WA");
        let reports = all_bytes(&place.path("reports"));
        for ending in ["html", "txt", "json", "gradescope.json"] {
            for student in ["talkative", "fragile"] {
                let file = format!("{student}/quiz/1.{ending}");
                assert!(reports.contains_key(&file), "{file}");
            }
        }
        assert_hidden(&reports, marks, level);
        // Neither student sees the other's first failing test.
        let of = |student: &str| {
            let mut found = reports.clone();
            found.retain(|file, _| file.starts_with(&format!("{student}/")));
            found
        };
        assert_hidden(&of("talkative"), &["mark-second", "mark-hack"], level);
        assert_hidden(&of("fragile"), &["mark-first", "mark-second"], level);
        // What a checker says to judges is for staff, whatever else is shown.
        let told = reports.values().any(|bytes| has(bytes, "judges-"));
        assert!(!told, "{level}: students are told what judges are told");
        let staff = all_bytes(&place.path("staff"));
        for (name, mark) in HIDDEN {
            for (what, word) in betrayals(name, mark) {
                let told = staff.values().any(|bytes| has(bytes, &word));
                assert!(told, "{level}: staff are not told the {what} of {name}");
            }
            // Printed and expected output is kept for the first failing test only.
            let words: &[&str] = match mark {
                "mark-second" => &["words", "judges", "said"],
                _ => &["words", "judges", "said", "printed", "answer"],
            };
            for word in words.iter().map(|words| format!("{words}-{mark}")) {
                let told = staff.values().any(|bytes| has(bytes, &word));
                assert!(told, "{level}: staff are not told {word}");
            }
        }
    }
}

#[test]
fn nothing_of_a_hidden_test_is_sent_by_the_students_dashboard() {
    let [defaults, verdict_only, hidden_hacks] = LEVELS;
    // Reports are shared only if the configuration says so.
    for ((level, marks), web, shares) in [
        (defaults, "public = \"reports\"", true),
        (verdict_only, "", true),
        (hidden_hacks, "public = \"reports\"", true),
        // A proxy connects from this machine, and may ask under this machine's name.
        (verdict_only, "url = \"https://grader.example\"", false),
        (verdict_only, "public = \"names\"", false),
    ] {
        assert_hidden(&sent_to_students(&course(level, web), shares), marks, level);
    }
}
