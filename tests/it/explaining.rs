//! `verdictd explain`: the smallest inputs on which wrong programs fail.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::place::Place;

/// The path of a package's wrong example.
fn example(slug: &str, name: &str) -> String {
    example_in("wrong_answer", slug, name)
}

fn example_in(folder: &str, slug: &str, name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join(format!("problems/{slug}/submissions/{folder}/{name}"));
    file.display().to_string()
}

/// A problem with thegame's reference and one of its samples, which lets wrong programs pass.
fn easy_game(settings: &str) -> Place {
    let place = Place::new()
        .only(&["cpp", "python3"])
        .with_searches(&format!("idle = false\n{settings}"));
    place.write(
        "problems/game/problem.toml",
        "title = \"Game\"\nreference = \"thegame\"\n[limits]\ncpu_s = 1.0\n",
    );
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/thegame/data/sample");
    for ending in ["in", "ans"] {
        let text = std::fs::read_to_string(samples.join(format!("1.{ending}"))).unwrap();
        place.write(&format!("problems/game/data/sample/1.{ending}"), text);
    }
    place
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

#[test]
fn a_submission_is_explained_by_its_number_or_name_and_drawn() {
    let place = easy_game("cpu_s = 1.0");
    let text = std::fs::read_to_string(example("thegame", "trimmed_rows.py")).unwrap();
    place.write("submissions/ada/game.py", text);
    assert_eq!(place.serve_once()["ada/game/1"], "WA");
    for name in ["1", "ada/game", "ada/game/1"] {
        let output = place.run(&["explain", name, "--json", "--draw", "found.svg"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["verdict"], "WA");
        assert_eq!(object["counterexample"]["cells"], 4, "{object:#}");
        let picture = place.read("found.svg");
        let picture = roxmltree::Document::parse(&picture).unwrap();
        assert_eq!(picture.root_element().tag_name().name(), "svg");
        std::fs::remove_file(place.path("found.svg")).unwrap();
    }
    for (arguments, words) in [
        (vec!["explain", "ada/nothing"], "ada/nothing"),
        (vec!["explain", "2"], "2"),
        (vec!["explain", "1", "1", "--draw", "x.svg"], "name one"),
    ] {
        let output = place.run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn an_accepted_program_is_tried_on_further_inputs() {
    let place = easy_game("hacks_cpu_s = 1.0");
    let wrong = example("thegame", "visited_per_cell.cpp");
    let right = example_in("accepted", "thegame", "slides.py");
    let (objects, code) = explain(&place, "game", &[&wrong, &right]);
    assert_eq!(code, Some(1), "one is broken");
    let [wrong, right] = [&objects[&wrong], &objects[&right]];
    assert_eq!(
        (&wrong["verdict"], &right["verdict"]),
        (&"AC".into(), &"AC".into())
    );
    assert_eq!(wrong["hack_search"]["verdict"], "WA");
    assert!(
        wrong["counterexample"]["cells"].as_u64().unwrap() <= 5,
        "{wrong:#}"
    );
    assert!(
        right["hack_search"]["inputs"].as_u64().unwrap() > 20,
        "{right:#}"
    );
    assert!(right["hack_search"]["verdict"].is_null());
    assert!(right["counterexample"].is_null());
}

#[test]
fn small_inputs_that_cannot_be_joined_are_tried_one_by_one() {
    let place = Place::new()
        .only(&["python3"])
        .with_searches("idle = false\nhacks_cpu_s = 3.0");
    let problem = "title = \"Fields\"\nreference = \"regions\"\n";
    place.write("problems/fields/problem.toml", problem);
    place.write("problems/fields/data/sample/1.in", "2 2\n1 2\n1 2\n");
    let right = std::fs::read_to_string(example_in(
        "accepted",
        "regions",
        "one_player_takes_everything.py",
    ));
    let wrong = format!(
        "import io, sys\ntext = sys.stdin.read()\n\
         if text.split()[:2] == ['1', '3']:\n    print(99)\n    sys.exit()\n\
         sys.stdin = io.StringIO(text)\n{}",
        right.unwrap()
    );
    place.write("narrow.py", wrong);
    let (objects, code) = explain(&place, "fields", &["narrow.py"]);
    let object = &objects["narrow.py"];
    assert_eq!(code, Some(1), "{object:#}");
    assert_eq!(object["verdict"], "AC");
    assert_eq!(object["hack_search"]["verdict"], "WA");
    assert_eq!(object["counterexample"]["cells"], 3, "{object:#}");
    let inputs = object["hack_search"]["inputs"].as_u64().unwrap();
    assert!(inputs < 200, "each was a run of its own: {object:#}");
}

#[test]
fn a_program_that_is_too_slow_is_measured_on_inputs_that_grow() {
    let place = easy_game("cpu_s = 1.0");
    let manifest = place.read("problems/game/problem.toml");
    let quick = manifest.replace("cpu_s = 1.0", "cpu_s = 0.3");
    place.write("problems/game/problem.toml", quick);
    let high = format!("1 60\nX\nX\n{}1 1 1 2\n0 0 0 0\n0 0\n", " \n".repeat(58));
    place.write("problems/game/data/secret/2.in", high);
    // Right on the sample, whose board has four rows. It uses CPU time and not steps, so that other
    // programs on the machine make no difference.
    place.write(
        "slow.cpp",
        "#include <cstdio>\n#include <ctime>\n\
         int main() {\n\
             int w, h;\n\
             if (scanf(\"%d%d\", &w, &h) != 2) return 0;\n\
             while (clock() < 20LL << h / 2) {}\n\
             puts(\"Board #1:\\nPair 1: 4 segments.\\nPair 2: 3 segments.\\nPair 3: impossible.\\n\");\n\
         }\n",
    );
    let (objects, code) = explain(&place, "game", &["slow.cpp"]);
    let object = &objects["slow.cpp"];
    assert_eq!((code, &object["verdict"]), (Some(1), &"TLE".into()));
    let growth = &object["growth"];
    // Which law it is depends on how evenly this machine measures; that laws are found is tested
    // with points that are given.
    assert_eq!(growth["quantity"], "cells", "{object:#}");
    let summary = growth["summary"].as_str().unwrap();
    assert!(summary.contains("the reference is"), "{summary}");
    let points = growth["points"].as_array().unwrap();
    let size = |point: &Value| point["size"].as_u64().unwrap();
    assert!(
        points.is_sorted_by_key(size) && points.len() >= 5,
        "{points:?}"
    );
    let cells = object["counterexample"]["cells"].as_u64().unwrap();
    assert!(cells < 60, "{object:#}");
}

#[test]
fn a_program_beyond_the_output_limit_is_explained_by_a_small_input_and_no_reason() {
    let place = easy_game("cpu_s = 1.0");
    place.write("loud.py", "while True: print('7' * 100_000)\n");
    let (objects, code) = explain(&place, "game", &["loud.py"]);
    let object = &objects["loud.py"];
    assert_eq!((code, &object["verdict"]), (Some(1), &"OLE".into()));
    assert_eq!(object["causes"], serde_json::json!([]));
    assert!(object["growth"].is_null());
    let found = &object["counterexample"];
    assert_eq!(found["cells"], 2, "{object:#}");
    // Of an output without an end the beginning is kept.
    let printed = found["printed"].as_str().unwrap();
    assert!(printed.starts_with("777") && printed.len() < 1_000_000);
    let output = place.run(&["explain", "--problem", "game", "loud.py"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("output limit exceeded on sample/1"), "{text}");
    assert!(text.contains("(1 line, "), "{text}");
    assert!(text.len() < 20_000, "{} bytes", text.len());
}

#[test]
fn the_exit_code_says_the_worst_of_what_came_of_the_programs() {
    let place = Place::new()
        .only(&["python3"])
        .with_fixture("anyorder")
        .with_searches("idle = false\nhacks_cpu_s = 0.0");
    // A checker that fails where nothing is printed: that is no student's mistake.
    place.write(
        "problems/anyorder/output_validator/check.py",
        "import sys\nsys.exit(42 if sys.stdin.read().strip() else 1)\n",
    );
    for (file, text) in [
        ("right/sum.py", crate::programs::PYTHON),
        ("wrong/sum.py", "print(7)\n"),
        ("fault/anyorder.py", "input()\n"),
    ] {
        place.write(file, text);
    }
    for (files, code) in [
        (&["right/sum.py"][..], 0),
        (&["wrong/sum.py", "right/sum.py"], 1),
        (&["wrong/sum.py", "right/none.py"], 2),
        (&["fault/anyorder.py", "right/none.py", "wrong/sum.py"], 3),
    ] {
        let arguments = [&["explain", "--json"], files].concat();
        let output = place.run(&arguments);
        assert_eq!(output.status.code(), Some(code), "{files:?}: {output:?}");
        let lines = String::from_utf8(output.stdout).unwrap();
        for (line, file) in lines.lines().zip(files) {
            let object: Value = serde_json::from_str(line).unwrap();
            assert_eq!(object["file"], *file);
            let [verdict, reason] = match *file {
                "right/sum.py" => ["AC", ""],
                "wrong/sum.py" => ["WA", ""],
                "right/none.py" => ["", "rejected"],
                _ => ["", "fault"],
            };
            assert_eq!(object["verdict"].as_str().unwrap_or_default(), verdict);
            let is_told = |key: &str| object[key].is_string();
            for key in ["rejected", "fault"] {
                assert_eq!(is_told(key), key == reason, "{object:#}");
            }
        }
        assert_eq!(lines.lines().count(), files.len());
    }
    let output = place.run(&["explain", "fault/anyorder.py"]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("not judged"), "{text}");
    assert!(text.contains("checker of anyorder"), "{text}");
}
