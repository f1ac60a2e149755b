//! Groups of tests with points, through the real binary.

use serde_json::{Value, json};

use crate::book::book;
use crate::place::{Place, assert_has};
use crate::programs;

const GROUPS: &str = "\n[[groups]]\nname = \"small\"\npoints = 30\n\
    \n[[groups]]\nname = \"large\"\npoints = 70\nscore = \"sum\"\nneeds = [\"small\"]\n";

/// Right only for sums below 2^31: one test of no group and one of the large ones fail.
const NARROW: &str = "local a, b = io.read('n', 'n')\nprint((a + b) % (1 << 31))\n";

/// A problem with two groups of tests.
#[rustfmt::skip]
fn place() -> Place {
    let place = Place::new().only(&["lua"]);
    let manifest = place.read("problems/sum/problem.toml");
    place.write("problems/sum/problem.toml", manifest + GROUPS);
    for (name, input, answer) in [
        ("small/2", "1 1\n", "2\n"), ("small/10", "2 2\n", "4\n"),
        ("large/1", "5 5\n", "10\n"), ("large/2", "3000000000 1\n", "3000000001\n"),
    ] {
        place.add_test("sum", &format!("secret/{name}"), input, answer);
    }
    place
}

#[test]
fn a_program_gets_points_for_the_parts_that_it_solves() {
    let place = place();
    place.write("submissions/ada/sum.lua", programs::LUA);
    place.write("submissions/bo/sum.lua", NARROW);
    place.write("submissions/cy/sum.lua", "print(");
    let verdicts = place.serve_once();
    for (attempt, verdict, score) in [
        ("ada/sum/1", "AC", 100),
        ("bo/sum/1", "WA", 65),
        ("cy/sum/1", "CE", 0),
    ] {
        assert_eq!(verdicts[attempt], verdict);
        let points = &place.json(&format!("reports/{attempt}.json"))["score"];
        assert_eq!(points, &json!({"got": score, "of": 100}), "{attempt}");
    }
    let whole = place.json("staff/bo/sum/1.json");
    let tests = whole["tests"].as_array().unwrap().iter();
    let names: Vec<&Value> = tests.map(|test| &test["name"]).collect();
    let in_order =
        "sample/1 secret/1 secret/2 secret/small/2 secret/small/10 secret/large/1 secret/large/2";
    assert_eq!(names, in_order.split(' ').collect::<Vec<_>>());
    for (file, words) in [
        ("reports/bo/sum/1.txt", "large  35/70  1 of 2 tests passed"),
        ("reports/bo/sum/1.html", "<strong>65</strong> of 100 points"),
        ("reports/bo/index.html", "score 65/100"),
        ("staff/problems/sum.html", "score 65/100"),
        ("staff/results.xml", "35 of 70 points: 1 of 2 tests passed"),
        ("staff/verdicts.log", "  65/100  "),
        ("staff/bo/sum/1.gradescope.json", "\"max_score\": 70"),
    ] {
        assert_has(&place.read(file), &[words]);
    }
    // The points of one student are on no page of another.
    assert!(!place.read("reports/ada/index.html").contains("65"));
    the_best_of_each_group_counts(&place);
}

/// Bo's second program is right only for large numbers, and the groups do not need each other now.
#[rustfmt::skip]
fn the_best_of_each_group_counts(place: &Place) {
    let course = "[[assignments]]\nname = \"a\"\npoints = { sum = 10 }\n";
    place.write("course.toml", format!("counts = \"best-of-groups\"\n{course}"));
    let manifest = place.read("problems/sum/problem.toml").replace("needs = [\"small\"]", "");
    place.write("problems/sum/problem.toml", manifest);
    place.write("submissions/bo/sum.lua", programs::LUA.replace("a + b", "a > 4 and a + b"));
    place.serve_once();
    let bo = &book(place)[1];
    let columns = ["student", "sum verdict", "sum score", "sum points", "score"];
    assert_eq!(columns.map(|column| &bo[column][..]), ["bo", "WA", "1", "10", "10"]);
    let how = "points, the best of each group of tests from all attempts";
    let (all, less) = (format!("10 of 10 {how}"), format!("now 6.5 of 10 {how}\n"));
    let second = "score 70/100</span> <span class=\"soft\">this one counts";
    let words = ["Of each problem the best points of each group", &all, second, "score 65/100"];
    assert_has(&place.read("reports/bo/index.html"), &words);
    for (decision, points) in [
        ("comment bo sum hello", &all[..]),
        ("override bo sum --attempt 1 --points 8 --reason idea", "now 8 of 10 points\n"),
        ("exclude bo sum --attempt 2 --reason late", "now 8 of 10 points\n"),
        ("undo bo sum --attempt 1", &less),
    ] {
        place.says(0, &format!("decide {decision}"), &[points]);
    }
    // A group that has another name now brings the same, also where no verdict changes with it.
    place.says(0, "decide undo bo sum --attempt 2", &[&all]);
    place.write("submissions/bo/sum.lua", programs::LUA.replace("a + b", "a ~= 5 and a + b"));
    place.serve_once();
    place.edit("problems/sum/problem.toml", "\"large\"", "\"big\"");
    let [from, to] = ["large", "big"].map(|name| place.path(&format!("problems/sum/data/secret/{name}")));
    std::fs::rename(from, to).unwrap();
    let words = ["secret/large/1 → secret/big/1", "0 grades of 3 would change", "1 verdict would change"];
    place.says(0, "rejudge --dry-run", &words);
}
