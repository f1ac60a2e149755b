//! `verdictd strength`: which wrong programs and bent rules the tests of a problem miss.

use serde_json::Value;

use crate::place::Place;

/// A board of two cells, which hardly any wrong program fails on.
const EASY: &str = "2 1\n2 3\n0 0\n";

#[test]
fn tests_are_held_against_wrong_programs_and_bent_rules() {
    let place = Place::new();
    let package = "problems/curling";
    place.write(
        &format!("{package}/problem.toml"),
        "title = \"Curling <b>\"\nreference = \"curling\"\nio = \"stdio\"\n",
    );
    place.write(&format!("{package}/data/secret/easy.in"), EASY);
    let one = "print(1)\n";
    place.write(&format!("{package}/submissions/wrong_answer/one.py"), one);
    // Right on the only test, and as an accepted example it is attacked.
    place.write(
        &format!("{package}/submissions/accepted/one.py"),
        "print(1)  # one\n",
    );
    let none = "print(-1)\n";
    place.write(&format!("{package}/submissions/wrong_answer/none.py"), none);
    let page = place.path("page.html").display().to_string();
    let output = place.run(&["strength", "curling", "--json", "--html", &page]);
    assert_eq!(output.status.code(), Some(1), "something survives");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |key: &str| object[key].as_array().unwrap().clone();
    let programs = list("programs");
    let killers = |name: &str| {
        let program = programs.iter().find(|one| one["name"] == name);
        program.unwrap()["killed_by"].clone()
    };
    assert_eq!(killers("wrong_answer/one.py"), serde_json::json!([]));
    let easy = serde_json::json!(["secret/easy"]);
    assert_eq!(killers("wrong_answer/none.py"), easy);
    assert!(list("survivors").contains(&"blocks-stay".into()));
    let hit = &object["hack_search"]["hits"][0];
    assert_eq!(
        (&hit["name"], &hit["verdict"]),
        (&"accepted/one.py".into(), &"WA".into())
    );
    // A test that is proposed does kill the survivor.
    let mutants = list("mutants");
    let mutant = mutants.iter().find(|one| one["name"] == "blocks-stay");
    place.write(
        &format!("{package}/data/secret/proposed.in"),
        mutant.unwrap()["missing"].as_str().unwrap(),
    );
    let output = place.run(&["strength", "curling", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let survivors = object["survivors"].as_array().unwrap();
    assert!(!survivors.contains(&"blocks-stay".into()), "{survivors:?}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("<svg") && page.contains("blocks-stay"));
    assert!(!page.contains("Curling <b>"), "titles are escaped");
}
