//! Packages of the Kattis and ICPC format, put into `problems/` as they are: `tests/packages`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::place::{Place, assert_has, objects, wait_until};

fn place() -> Place {
    Place::new()
        .only(&["python3", "cpp"])
        .with_package("adding")
        .with_package("parting")
}

/// A program of a package.
fn source(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn judge(place: &Place, problem: &str, program: &str) -> Value {
    place.write("program.py", program);
    let line = ["judge", "--json", "--all-tests", "--problem", problem];
    objects(&place.run(&[&line[..], &["program.py"]].concat())).remove(0)
}

#[test]
fn the_packages_pass_check_and_what_is_not_tried_is_named() {
    let place = place();
    let text = place.says(0, "check adding parting", &[]);
    assert_has(
        &text,
        &[
            "numbers.ctd: this input validator is not used: it is written in checktestdata",
            "accepted/several: programs of several files are not tried",
            "accepted/notes.bin: `.bin` belongs to no language",
            "mixed/untold.py: neither its folder nor `@EXPECTED_RESULTS@:` in it says",
            "secret/2.ans: the package's output validator does not accept this answer: these are not two numbers",
        ],
    );
    assert!(
        !text.contains("the same input as"),
        "a link is meant: {text}"
    );
    for (problem, count) in [("adding", 5), ("parting", 3)] {
        let rows = place.objects(&format!("check --json {problem}"));
        let row = |name: &str| rows.iter().find(|row| row["check"] == name).unwrap();
        assert_eq!(row("example submissions")["count"], count, "{rows:#?}");
    }
}

#[test]
fn tests_are_run_in_the_order_of_their_paths_and_judged_as_the_flags_say() {
    let place = place();
    let object = judge(
        &place,
        "adding",
        &source("adding/submissions/accepted/main.py"),
    );
    assert_eq!(object["verdict"], "AC", "{object:#}");
    let tests = object["tests"].as_array().unwrap();
    let names: Vec<&str> = tests
        .iter()
        .map(|test| test["name"].as_str().unwrap())
        .collect();
    let order = [
        "sample/1",
        "secret/large/1",
        "secret/large/2",
        "secret/small/10",
        "secret/small/9",
    ];
    assert_eq!(names, order);
    for (program, verdict) in [
        (
            "a = sum(map(int, input().split()))\nprint(a + 5e-7, 'small' if a < 1000 else 'large')",
            "AC",
        ),
        (
            "a = sum(map(int, input().split()))\nprint(a + 0.5, 'small' if a < 1000 else 'large')",
            "WA",
        ),
        (
            "a = sum(map(int, input().split()))\nprint(a, 'smal' if a < 1000 else 'large')",
            "WA",
        ),
    ] {
        let object = judge(&place, "adding", program);
        assert_eq!(object["verdict"], verdict, "{program}: {object:#}");
    }
    let object = judge(&place, "parting", "n = int(input())\nprint(1, n - 1)\n");
    assert_eq!(object["verdict"], "WA", "{object:#}");
    assert_eq!(object["tests"][0]["checker"], "a part is too small");
}

#[test]
fn the_daemon_judges_them_and_an_accepted_example_answers_hacks() {
    let place = place();
    let small = source("adding/submissions/wrong_answer/always_small.py");
    place.write(
        "submissions/ada/adding.py",
        source("adding/submissions/accepted/main.py"),
    );
    place.write("submissions/bob/adding.py", small);
    place.write(
        "submissions/ada/parting.py",
        source("parting/submissions/accepted/two.py"),
    );
    let verdicts = place.serve_once();
    for (attempt, verdict) in [
        ("ada/adding/1", "AC"),
        ("bob/adding/1", "WA"),
        ("ada/parting/1", "AC"),
    ] {
        assert_eq!(verdicts[attempt], verdict, "{verdicts:?}");
    }
    // What the secret tests' validator is told holds for hacks, and nobody has to answer them.
    place.write("evil.in", "2000 1\n");
    place.says(
        1,
        "hack add adding evil.in",
        &["2000 is not from 1 to 1000"],
    );
    place.write("evil.in", "999 999\n");
    place.says(0, "hack add adding evil.in", &["added"]);
    place.serve_once();
    let hack = &judge(&place, "adding", "print(1998, 'small')")["tests"][5];
    assert_eq!(hack["name"], "hack/evil", "{hack:#}");
    assert_eq!(hack["verdict"], "WA", "{hack:#}");
}

#[test]
fn what_is_not_supported_is_told_when_the_package_is_read() {
    let place = place();
    let broken = || place.status()["broken_packages"].to_string();
    place.write(
        "submissions/ada/adding.py",
        source("adding/submissions/accepted/main.py"),
    );
    let good = place.read("problems/adding/problem.yaml");
    place.write(
        "problems/adding/problem.yaml",
        format!("{good}type: interactive\n"),
    );
    place.says(3, "serve --once", &[]);
    let words =
        "problem.yaml:8:7: `type: interactive`: interactive problems are not supported; take";
    assert_has(&broken(), &[words]);
    place.says(
        1,
        "check adding",
        &["interactive problems are not supported"],
    );
    assert!(place.verdicts().is_empty());
    let daemon = place.daemon();
    place.write("problems/adding/problem.yaml", good);
    assert_eq!(place.wait_for("ada/adding/1"), "AC");
    place.write("problems/adding/include/python3/x.py", "");
    let words = "files that are compiled with what people hand in are not supported";
    wait_until("the package to be broken", || broken().contains(words));
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_package_with_points_gives_those_of_the_groups_that_are_passed() {
    let place = Place::new().only(&["python3"]).with_package("counting");
    let right = source("counting/submissions/accepted/formula.py");
    let part = source("counting/submissions/partially_accepted/loop.py");
    let sample = "print(3 if int(input()) == 2 else 0)\n";
    for (student, program) in [("ada", right.as_str()), ("bob", &part), ("cyd", sample)] {
        place.write(&format!("submissions/{student}/counting.py"), program);
    }
    place.serve_once();
    for (student, verdict, got) in [("ada", "AC", 100), ("bob", "TLE", 40), ("cyd", "WA", 0)] {
        let report = place.json(&format!("reports/{student}/counting/1.json"));
        assert_eq!(report["verdict"], verdict, "{student}");
        assert_eq!(report["score"], json!({"got": got, "of": 100}), "{student}");
    }
    let groups = "100 points: small 40 (2 tests, all) · vast 60 (2 tests, all)";
    place.says(0, "check counting", &[groups]);
    // What is wrong with an example is that it has points where it should have none.
    place.write("problems/counting/submissions/wrong_answer/part.py", part);
    let words = "wrong_answer/part.py: 40/100 points, with which it counts as accepted";
    place.says(1, "check counting", &[words]);
    // An accepted example may be right only in part, so none answers a hack.
    place.write("big.in", "5000000000\n");
    let words = "there is no reference solver and no stored answer";
    place.says(1, "hack add counting big.in", &[words]);
}

#[test]
fn a_test_that_is_a_link_out_of_its_package_breaks_it() {
    let place = place();
    place.write("outside.in", "5 5\n");
    for (problem, file) in [("adding", "secret/small/1"), ("sum", "secret/9")] {
        let link = format!("problems/{problem}/data/{file}.in");
        symlink(place.path("outside.in"), place.path(&link)).unwrap();
        place.write(
            &format!("problems/{problem}/data/{file}.ans"),
            "10.0 small\n",
        );
        let words = format!("{file}.in: it leads out of the package by a link");
        place.says(1, &format!("check {problem}"), &[&words]);
        fs::remove_file(place.path(&link)).unwrap();
        // The same test within the package is one.
        place.write(&format!("problems/{problem}/generators/1.in"), "5 5\n");
        let depth = file.matches('/').count() + 1;
        let inside = format!("{}generators/1.in", "../".repeat(depth));
        symlink(inside, place.path(&link)).unwrap();
        let answer = if problem == "sum" {
            "10\n"
        } else {
            "10.0 small\n"
        };
        place.write(&format!("problems/{problem}/data/{file}.ans"), answer);
        let row = place.objects(&format!("check --json {problem}")).remove(0);
        assert_eq!(row["holds"], true, "{row:#}");
    }
}
