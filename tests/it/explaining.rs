//! `verdictd explain`: the smallest inputs on which wrong programs fail.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::place::{Place, objects, root};

/// The path of a package's example.
fn example(slug: &str, name: &str) -> String {
    let file = root().join(format!("problems/{slug}/submissions/{name}"));
    file.display().to_string()
}

/// What a command prints with `--json`, by file, and its exit code.
pub fn by_file(
    place: &Place,
    command: &str,
    slug: &str,
    files: &[&str],
) -> (BTreeMap<String, Value>, Option<i32>) {
    let output = place.run(&[&[command, "--json", "--problem", slug], files].concat());
    let named = |object: Value| (object["file"].as_str().unwrap().to_owned(), object);
    let objects = objects(&output).into_iter().map(named);
    (objects.collect(), output.status.code())
}

/// The same of `explain`.
pub fn explain(
    place: &Place,
    slug: &str,
    files: &[&str],
) -> (BTreeMap<String, Value>, Option<i32>) {
    by_file(place, "explain", slug, files)
}

#[test]
fn wrong_examples_are_explained_on_a_handful_of_cells() {
    let place = Place::new().only(&["c", "cpp"]).with_problem("curling");
    let place = place.with_problem("thegame");
    for (slug, name, cells_max) in [
        ("curling", "wrong_answer/not_put_back.c", 12),
        ("thegame", "wrong_answer/visited_per_cell.cpp", 5),
    ] {
        let file = example(slug, name);
        let (objects, code) = explain(&place, slug, &[&file]);
        assert_eq!(code, Some(1));
        let object = &objects[&file];
        assert_eq!(object["verdict"], "WA", "{object:#}");
        assert_eq!(object["causes"], json!([]));
        assert!(object["growth"].is_null());
        let found = &object["counterexample"];
        assert!(found["cells"].as_u64().unwrap() <= cells_max, "{object:#}");
        assert_ne!(found["expected"], found["printed"]);
        // What is shown is an input, and what is expected is its answer.
        place.write("input", found["input"].as_str().unwrap());
        let solved = place.says(0, &format!("solve {slug} input"), &[]);
        assert_eq!(found["expected"], solved);
    }
}

#[test]
fn a_submission_is_explained_by_its_number_or_name_and_drawn() {
    let place = Place::new().only(&["c", "lua"]);
    let place = place.with_searches("idle = false\ncpu_s = 1.0");
    place.add_game("game", "[limits]\ncpu_s = 1.0\n");
    let file = example("thegame", "wrong_answer/swapped_coordinates.c");
    let text = std::fs::read_to_string(file).unwrap();
    place.write("submissions/ada/game.c", text);
    assert_eq!(place.serve_once()["ada/game/1"], "WA");
    for name in ["1", "ada/game", "ada/game/1"] {
        let object = &place.objects(&format!("explain {name} --json --draw found.svg"))[0];
        assert_eq!(object["verdict"], "WA");
        assert_eq!(object["counterexample"]["cells"], 3, "{object:#}");
        let picture = place.read("found.svg");
        let picture = roxmltree::Document::parse(&picture).unwrap();
        assert_eq!(picture.root_element().tag_name().name(), "svg");
        std::fs::remove_file(place.path("found.svg")).unwrap();
    }
    place.says(2, "explain ada/nothing", &["ada/nothing"]);
    place.says(2, "explain 2", &["2"]);
    place.says(2, "explain 1 1 --draw x.svg", &["name one"]);
}

#[test]
fn the_exit_code_says_the_worst_of_what_came_of_the_programs() {
    let place = Place::new().only(&["python3"]).with_fixture("anyorder");
    let place = place.with_searches("idle = false\nhacks_cpu_s = 0.0");
    // A checker that fails where nothing is printed: that is no student's mistake.
    let program = "import sys\nsys.exit(42 if sys.stdin.read().strip() else 1)\n";
    place.write("problems/anyorder/output_validator/check.py", program);
    for (file, text) in [
        ("right/sum.py", crate::programs::PYTHON),
        ("wrong/sum.py", "print(7)\n"),
        ("fault/anyorder.py", "input()\n"),
    ] {
        place.write(file, text);
    }
    for (files, code) in [
        ("right/sum.py", 0),
        ("wrong/sum.py right/sum.py", 1),
        ("wrong/sum.py right/none.py", 2),
        ("fault/anyorder.py right/none.py wrong/sum.py", 3),
    ] {
        place.says(code, &format!("explain {files}"), &[]);
    }
    let text = place.says(3, "explain fault/anyorder.py", &["checker of anyorder"]);
    assert!(text.starts_with("not judged"), "{text}");
    place.says(1, "explain wrong/sum.py", &["failing test itself"]);
}
