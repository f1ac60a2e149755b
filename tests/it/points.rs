//! Groups of tests with points, and time factors, through the real binary.

use serde_json::{Value, json};

use crate::place::{Place, wait_until};
use crate::programs;
use crate::store::{Made, assert_only_new};

const GROUPS: &str = "\n[[groups]]\nname = \"small\"\npoints = 30\n\
    \n[[groups]]\nname = \"large\"\npoints = 70\nscore = \"sum\"\nneeds = [\"small\"]\n";

/// Right only for sums below 2^31: one test of no group and one of the large ones fail.
const NARROW: &str = "a, b = map(int, input().split())\nprint((a + b) % 2**31)\n";

/// A problem with two groups of tests.
fn place() -> Place {
    let place = Place::new().only(&["python3"]);
    let manifest = place.read("problems/sum/problem.toml");
    place.write("problems/sum/problem.toml", manifest + GROUPS);
    for (name, input, answer) in [
        ("small/2", "1 1\n", "2\n"),
        ("small/10", "2 2\n", "4\n"),
        ("large/1", "5 5\n", "10\n"),
        ("large/2", "3000000000 1\n", "3000000001\n"),
    ] {
        place.write(&format!("problems/sum/data/secret/{name}.in"), input);
        place.write(&format!("problems/sum/data/secret/{name}.ans"), answer);
    }
    place
}

fn document(place: &Place, report: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{report}.json"))).unwrap()
}

fn edited(place: &Place, from: &str, to: &str) {
    let manifest = place.read("problems/sum/problem.toml");
    assert!(manifest.contains(from), "{manifest}");
    place.write("problems/sum/problem.toml", manifest.replace(from, to));
}

#[test]
fn a_program_gets_points_for_the_parts_that_it_solves() {
    let place = place();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    place.write("submissions/bo/sum.py", NARROW);
    place.write("submissions/cy/sum.py", "print(");
    let verdicts = place.serve_once();
    for (attempt, verdict, score) in [
        ("ada/sum/1", "AC", 100),
        ("bo/sum/1", "WA", 65),
        ("cy/sum/1", "CE", 0),
    ] {
        assert_eq!(verdicts[attempt], verdict);
        let document = document(&place, &format!("reports/{attempt}"));
        assert_eq!(
            document["score"],
            json!({"got": score, "of": 100}),
            "{attempt}"
        );
    }
    let whole = document(&place, "staff/bo/sum/1");
    let names: Vec<&str> = whole["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| test["name"].as_str().unwrap())
        .collect();
    let in_order = [
        "sample/1",
        "secret/1",
        "secret/2",
        "secret/small/2",
        "secret/small/10",
        "secret/large/1",
        "secret/large/2",
    ];
    assert_eq!(names, in_order);
    for (file, words) in [
        ("reports/bo/sum/1.txt", "large  35/70  1 of 2 tests passed"),
        ("reports/bo/sum/1.html", "<strong>65</strong> of 100 points"),
        ("reports/bo/index.html", "score 65/100"),
        ("staff/problems/sum.html", "score 65/100"),
        ("staff/results.xml", "35 of 70 points: 1 of 2 tests passed"),
        ("staff/verdicts.log", "  65/100  "),
        ("staff/bo/sum/1.gradescope.json", "\"max_score\": 70"),
    ] {
        assert!(
            place.read(file).contains(words),
            "{file}: {}",
            place.read(file)
        );
    }
    // The points of one student are on no page of another.
    assert!(!place.read("reports/ada/index.html").contains("65"));
}

#[test]
fn changed_points_and_hacks_are_folded_anew() {
    let place = place();
    place.write("submissions/bo/sum.py", NARROW);
    place.serve_once();
    let before = Made::so_far(&place);
    let daemon = place.daemon();
    let score_is = |got: u32, of: u32| {
        wait_until(&format!("{got} of {of} points"), || {
            document(&place, "reports/bo/sum/1")["score"] == json!({"got": got, "of": of})
        });
    };
    edited(&place, "points = 70", "points = 170");
    score_is(115, 200);
    assert_only_new(
        &place,
        &before,
        0,
        0,
        "points are no reason to run anything",
    );
    // A hack is a test of no group, unless problem.toml says so.
    place.write("problems/sum/hacks/evil.ans", "4000000000\n");
    place.write("problems/sum/hacks/evil.in", "2000000000 2000000000\n");
    wait_until("the hack joined", || {
        let tests = document(&place, "staff/bo/sum/1")["tests"].to_string();
        tests.contains("hack/evil")
    });
    score_is(115, 200);
    edited(&place, "points = 30", "points = 30\nhacks = true");
    score_is(0, 200);
    let sentence = "This was WA with 115 of 200 points until";
    wait_until("the text report", || {
        place.read("reports/bo/sum/1.txt").contains(sentence)
    });
    let text = place.read("reports/bo/sum/1.txt");
    assert!(text.contains("the groups of tests changed"), "{text}");
    daemon.stop();
}

#[test]
fn a_time_factor_is_in_the_report_and_costs_no_run() {
    let place = place();
    place.write("submissions/ada/sum.py", programs::PYTHON);
    place.serve_once();
    let before = Made::so_far(&place);
    let config = place.read("config.toml");
    place.write(
        "config.toml",
        config + "[languages.python3]\ntime_factor = 2.5\n",
    );
    place.serve_once();
    assert_only_new(&place, &before, 0, 0, "a higher limit");
    let limits = &document(&place, "reports/ada/sum/1")["limits"];
    assert_eq!(
        (&limits["cpu_ms"], &limits["time_factor_percent"]),
        (&json!(2_500), &json!(250))
    );
    let text = place.read("reports/ada/sum/1.txt");
    assert!(
        text.contains("2500 ms of CPU time (2.5 × the problem's limit"),
        "{text}"
    );
    edited(&place, "[limits]", "[time_factors]\npython3 = 3\n[limits]");
    place.serve_once();
    assert_only_new(&place, &before, 0, 0, "the problem's own factor");
    let limits = &document(&place, "reports/ada/sum/1")["limits"];
    assert_eq!(limits["cpu_ms"], 3_000);
}

#[test]
fn check_knows_points_and_shows_mistakes_at_their_place() {
    let place = place();
    for (file, text) in [
        ("accepted/right.py", programs::PYTHON.to_owned()),
        ("partially_accepted/narrow.py", NARROW.to_owned()),
        (
            "wrong_answer/half.py",
            format!("# @EXPECTED_SCORE@: 65\n{NARROW}"),
        ),
    ] {
        place.write(&format!("problems/sum/submissions/{file}"), text);
    }
    let output = place.run(&["check", "sum"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        text.contains("100 points: small 30 (2 tests, all)"),
        "{text}"
    );
    place.write(
        "problems/sum/submissions/partially_accepted/narrow.py",
        programs::PYTHON,
    );
    place.write(
        "problems/sum/submissions/wrong_answer/half.py",
        format!("# @EXPECTED_SCORE@: 30\n{NARROW}"),
    );
    let output = place.run(&["check", "sum"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for words in [
        "partially_accepted/narrow.py: accepted",
        "wrong_answer/half.py: 65/100 points, and not 30",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    edited(&place, "name = \"small\"", "name = \"smal\"");
    let output = place.run(&["check", "sum"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for words in ["problem.toml:9:8", "^", "did you mean `small`?"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
