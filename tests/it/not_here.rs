//! Examples in a language that this machine does not have: named with the way to get it, and held
//! against nothing.

use serde_json::{Value, json};

use crate::place::Place;
use crate::programs;

/// A language whose commands are on no machine.
const NOWHERE: &str = "[languages.nowhere]\nname = \"Nowhere\"\nextensions = [\"nowhere\"]\n\
    source = \"main.nowhere\"\nbuild = [[\"nowhere-c\", \"{source}\"]]\nrun = [\"/app/main\"]\n\
    version = [\"nowhere-c\", \"--version\"]\ninstall = \"apt-get install nowhere\"\n";

/// What is said of each example in that language.
const WHY: [&str; 3] = ["Nowhere ", "nowhere-c", "apt-get install nowhere"];

/// The problem `sum` with these examples, all but the first in languages that may be missing.
fn with_examples(names: &[&str]) -> Place {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    place.write("config.toml", format!("{config}{NOWHERE}"));
    for name in names {
        let source = if name.starts_with("wrong_answer/") {
            "print(7)\n"
        } else {
            programs::PYTHON
        };
        place.write(&format!("problems/sum/submissions/{name}"), source);
    }
    place
}

/// The example submissions as `check --json` shows them, and its exit code.
fn checked(place: &Place) -> (Value, Option<i32>) {
    let output = place.run(&["check", "--json", "sum"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut checks = lines.lines().map(|line| {
        let check: Value = serde_json::from_str(line).unwrap();
        check
    });
    let examples = checks.find(|check| check["check"] == "example submissions");
    (examples.unwrap(), output.status.code())
}

#[test]
fn a_package_holds_without_the_examples_whose_language_is_missing() {
    let place = with_examples(&[
        "accepted/a.py",
        "accepted/b.nowhere",
        "wrong_answer/c.nowhere",
    ]);
    let (examples, code) = checked(&place);
    assert_eq!(code, Some(0), "{examples:#}");
    assert_eq!(examples["count"], 1);
    let untried: Vec<&str> = examples["untried"]
        .as_array()
        .unwrap()
        .iter()
        .map(|words| words.as_str().unwrap())
        .collect();
    assert_eq!(untried.len(), 2, "{examples:#}");
    for (words, name) in untried
        .iter()
        .zip(["accepted/b.nowhere: ", "wrong_answer/c.nowhere: "])
    {
        assert!(words.starts_with(name), "{words}");
        assert!(WHY.iter().all(|why| words.contains(why)), "{words}");
    }
    let text = String::from_utf8(place.run(&["check", "sum"]).stdout).unwrap();
    let warnings: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("not tried here"))
        .collect();
    let [line] = warnings.as_slice() else {
        panic!("one line for one language: {text}");
    };
    assert!(
        line.contains("warning: ") && WHY.iter().all(|why| line.contains(why)),
        "{line}"
    );
    assert!(
        line.contains("accepted/b.nowhere, wrong_answer/c.nowhere"),
        "{line}"
    );
}

#[test]
fn what_is_wrong_with_examples_stays_a_complaint() {
    for (names, complaint) in [
        (
            &["accepted/b.nowhere"][..],
            "this machine has none of their languages",
        ),
        (
            &["accepted/a.py", "accepted/b.what"],
            "belongs to no language",
        ),
    ] {
        let (examples, code) = checked(&with_examples(names));
        assert_eq!(code, Some(1), "{examples:#}");
        let complaints = examples["complaints"].to_string();
        assert!(complaints.contains(complaint), "{complaints}");
    }
}

#[test]
fn strength_names_them_and_judges_the_tests_by_the_others() {
    let place = with_examples(&["accepted/a.py", "wrong_answer/b.py", "accepted/c.nowhere"]);
    let page = place.path("page.html").display().to_string();
    let output = place.run(&["strength", "sum", "--json", "--html", &page]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["faults"], json!([]));
    let words = object["untried"][0].as_str().unwrap();
    assert!(words.starts_with("accepted/c.nowhere: "), "{words}");
    let page = std::fs::read_to_string(page).unwrap();
    for why in WHY {
        assert!(words.contains(why) && page.contains(why), "{why}: {words}");
    }
}

#[test]
fn a_hack_joins_and_it_is_said_which_examples_it_was_not_tried_on() {
    let place = with_examples(&["accepted/a.py", "accepted/b.nowhere"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.serve_once();
    let daemon = place.daemon();
    place.write("new.in", "7 8\n");
    place.write("new.txt", "15\n");
    let added = place.run(&["hack", "add", "sum", "new.in", "--answer", "new.txt"]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let said = daemon.stop().lines.join("\n");
    let what = "not tried on it: submissions/accepted/b.nowhere";
    assert!(said.contains(what), "{said}");
    assert!(WHY.iter().all(|why| said.contains(why)), "{said}");
}
