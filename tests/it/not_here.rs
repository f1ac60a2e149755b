//! Examples in a language that this machine does not have: named with the way to get it, and held
//! against nothing.

use serde_json::{Value, json};

use crate::place::{Place, assert_has};
use crate::programs;

/// A language whose commands are on no machine.
const NOWHERE: &str = "[languages.nowhere]\nname = \"Nowhere\"\nextensions = [\"nowhere\"]\n\
    source = \"main.nowhere\"\nbuild = [[\"nowhere-c\", \"{source}\"]]\nrun = [\"/app/main\"]\n\
    version = [\"nowhere-c\", \"--version\"]\ninstall = \"apt-get install nowhere\"\n";

/// What is said of each example in that language.
const WHY: [&str; 3] = ["Nowhere ", "nowhere-c", "apt-get install nowhere"];

/// The problem `sum` with these examples, all but the first in languages that may be missing.
fn with_examples(names: &[&str]) -> Place {
    let place = Place::new().only(&["lua"]);
    place.configure(NOWHERE);
    for name in names {
        let is_wrong = name.starts_with("wrong_answer/");
        let source = [programs::LUA, "print(7)\n"][usize::from(is_wrong)];
        place.write(&format!("problems/sum/submissions/{name}"), source);
    }
    place
}

/// The example submissions of a problem as `check --json` shows them.
pub fn checked(place: &Place, slug: &str) -> Value {
    let mut checks = place.objects(&format!("check --json {slug}")).into_iter();
    let examples = checks.find(|check| check["check"] == "example submissions");
    examples.unwrap()
}

#[test]
fn a_package_holds_without_the_examples_whose_language_is_missing() {
    let here = ["accepted/a.lua", "wrong_answer/a.lua"];
    let missing = ["accepted/b.nowhere", "wrong_answer/c.nowhere"];
    let place = with_examples(&[here, missing].concat());
    let examples = checked(&place, "sum");
    assert_eq!(examples["count"], 2);
    let untried = examples["untried"].as_array().unwrap();
    assert_eq!(untried.len(), 2, "{examples:#}");
    for (words, name) in untried.iter().zip(missing) {
        let words = words.as_str().unwrap();
        assert!(words.starts_with(&format!("{name}: ")), "{words}");
        assert_has(words, &WHY);
    }
    let text = place.says(0, "check sum", &[]);
    let is_warning = |line: &&str| line.contains("not tried here");
    let warnings: Vec<&str> = text.lines().filter(is_warning).collect();
    let [line] = warnings.as_slice() else {
        panic!("one line for one language: {text}");
    };
    assert_has(line, &WHY);
    assert_has(line, &["warning: ", &missing.join(", ")]);

    // The tests are judged by the others.
    let page = place.path("page.html").display().to_string();
    place.says(0, &format!("strength sum --html {page}"), &[]);
    let object = &place.objects("strength sum --json")[0];
    assert_eq!(object["faults"], json!([]));
    let words = object["untried"][0].as_str().unwrap();
    assert!(words.starts_with("accepted/b.nowhere: "), "{words}");
    assert_has(words, &WHY);
    assert_has(&place.read("page.html"), &WHY);
}

#[test]
fn what_is_wrong_with_examples_stays_a_complaint() {
    let none = "this machine has none of their languages";
    let unknown = &["accepted/a.lua", "accepted/b.what"];
    for (names, complaint) in [
        (&["accepted/b.nowhere"][..], none),
        (unknown, "belongs to no language"),
    ] {
        let place = with_examples(names);
        place.says(1, "check sum", &[]);
        let complaints = checked(&place, "sum")["complaints"].to_string();
        assert_has(&complaints, &[complaint]);
    }
}
