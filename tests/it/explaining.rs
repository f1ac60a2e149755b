//! `verdictd explain`: the smallest inputs on which wrong programs fail.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::place::Place;

/// The path of a package's wrong example.
fn example(slug: &str, name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join(format!("problems/{slug}/submissions/wrong_answer/{name}"));
    file.display().to_string()
}

/// What `explain --json` prints, by file, and its exit code.
fn explain(place: &Place, slug: &str, files: &[&str]) -> (BTreeMap<String, Value>, Option<i32>) {
    let mut arguments = vec!["explain", "--json", "--problem", slug];
    arguments.extend(files);
    let output = place.run(&arguments);
    let lines = String::from_utf8(output.stdout).unwrap();
    let objects = lines.lines().map(|line| {
        let object: Value = serde_json::from_str(line).unwrap();
        (object["file"].as_str().unwrap().to_owned(), object)
    });
    (objects.collect(), output.status.code())
}

#[test]
fn wrong_examples_are_explained_on_a_handful_of_cells() {
    let place = Place::new().with_problem("curling").with_problem("thegame");
    for (slug, name, cells_max) in [
        ("curling", "not_put_back.c", 12),
        ("thegame", "visited_per_cell.cpp", 5),
    ] {
        let file = example(slug, name);
        let (objects, code) = explain(&place, slug, &[&file]);
        assert_eq!(code, Some(1));
        let object = &objects[&file];
        assert_eq!(object["verdict"], "WA", "{object:#}");
        assert_eq!(object["causes"], serde_json::json!([]));
        assert!(object["growth"].is_null());
        let found = &object["counterexample"];
        assert!(found["cells"].as_u64().unwrap() <= cells_max, "{object:#}");
        assert_ne!(found["expected"], found["printed"]);
        // What is shown is an input, and what is expected is its answer.
        place.write("input", found["input"].as_str().unwrap());
        let input = place.path("input").display().to_string();
        let solved = place.run(&["solve", slug, &input]);
        assert_eq!(
            solved.stdout,
            found["expected"].as_str().unwrap().as_bytes()
        );
    }
}

#[test]
fn text_says_how_it_was_found_and_what_is_not_wrong_has_no_counterexample() {
    let place = Place::new();
    place.write(
        "wrong.py",
        "a, b = map(int, input().split())\nprint(a - b)\n",
    );
    place.write(
        "right.py",
        "a, b = map(int, input().split())\nprint(a + b)\n",
    );
    let (objects, code) = explain(&place, "sum", &["right.py", "wrong.py", "none.py"]);
    assert_eq!(code, Some(2), "a file is missing");
    assert!(objects["right.py"]["counterexample"].is_null());
    assert_eq!(objects["right.py"]["verdict"], "AC");
    assert!(objects["none.py"]["rejected"].is_string());
    // Nobody says what is right for other inputs than the tests.
    assert_eq!(objects["wrong.py"]["counterexample"]["found_by"], "test");
    let output = place.run(&["explain", "--problem", "sum", "wrong.py"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "WA ",
        "Input of ",
        "Expected:",
        "Printed:",
        "failing test itself",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
