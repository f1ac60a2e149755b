//! Packages of the Kattis and ICPC format, put into `problems/` as they are: `tests/packages`.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::package_programs::judge;
use crate::place::{Place, assert_has, root, shipped, wait_until};

fn place() -> Place {
    let place = Place::new().only(&["python3", "cpp"]);
    place.with_package("adding").with_package("parting")
}

/// A program of a package.
fn source(name: &str) -> String {
    shipped(&format!("tests/packages/{name}"))
}

#[test]
fn the_packages_pass_check_and_what_is_not_tried_is_named() {
    let place = place();
    let words = [
        "numbers.ctd: this input validator is not used: `input_validators/numbers.ctd`: no language has the extension `ctd`",
        "accepted/notes.bin: `.bin` belongs to no language",
        "accepted/old.py: it is written in Python 2, which no language here is",
        "mixed/untold.py: neither its folder nor `@EXPECTED_RESULTS@:` in it says",
        "secret/2.ans: the package's output validator does not accept this answer: these are not two numbers",
    ];
    let text = place.says(0, "check adding parting", &words);
    let is_doubled = text.contains("the same input as");
    assert!(!is_doubled, "a link is meant: {text}");
    for (problem, count) in [("adding", 6), ("parting", 3)] {
        let rows = place.objects(&format!("check --json {problem}"));
        let row = |name: &str| rows.iter().find(|row| row["check"] == name).unwrap();
        assert_eq!(row("example submissions")["count"], count, "{rows:#?}");
    }
}

#[test]
fn the_daemon_judges_them_and_an_accepted_example_answers_hacks() {
    let place = place();
    let small = source("adding/submissions/wrong_answer/always_small.py");
    let main = source("adding/submissions/accepted/main.py");
    place.write("submissions/ada/adding.py", main);
    place.write("submissions/bob/adding.py", small);
    let two = source("parting/submissions/accepted/two.py");
    place.write("submissions/ada/parting.py", two);
    let verdicts = place.serve_once();
    for attempt in ["ada/adding/1 AC", "bob/adding/1 WA", "ada/parting/1 AC"] {
        let (attempt, verdict) = attempt.split_once(' ').unwrap();
        assert_eq!(verdicts[attempt], verdict, "{verdicts:?}");
    }
    // A hack is valid if it could be a test of some folder, and nobody has to answer it.
    place.write("evil.in", "2000000 1\n");
    let words = ["2000000 is not from 1 to 1000"];
    place.says(1, "hack add adding evil.in", &words);
    place.write("evil.in", "2000 1\n");
    place.says(0, "hack add adding evil.in", &["added"]);
    place.serve_once();
    let hack = &judge(&place, "adding", "print(2001, 'small')")["tests"][5];
    assert_eq!(hack["name"], "hack/evil", "{hack:#}");
    assert_eq!(hack["verdict"], "WA", "{hack:#}");
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
    // Of the accepted examples, those that are right on every test answer hacks and have to pass them.
    let accepted = |name: &str| format!("problems/counting/submissions/accepted/{name}.py");
    place.write(&accepted("a_sample"), sample);
    let odd = right.replace("print(", "print(0 if n == 6 else ");
    place.write(&accepted("odd"), odd);
    let daemon = place.daemon();
    place.write("big.in", "5000000000\n");
    place.says(0, "hack add counting big.in", &[]);
    let object = judge(&place, "counting", &right);
    let hack = &object["tests"][5];
    let hack = [&hack["name"], &hack["verdict"]];
    assert_eq!(hack, ["hack/big", "AC"], "{object:#}");
    place.write("six.in", "6\n");
    let words = "accepted/odd.py, which has to be accepted, fails on it: WA";
    place.says(1, "hack add counting six.in", &[words]);
    daemon.stop();
    place.write(&accepted("formula"), sample);
    place.write(&accepted("odd"), sample);
    let words = "no program here is right on every test|a_sample.py: WA on secret/small/1";
    place.says(1, "check counting", &[words]);
}

/// Its validator accepts what is at most 5 too much, and writes points for it.
#[test]
fn a_validator_may_give_a_part_of_the_points() {
    let place = Place::new().only(&["python3"]).with_package("counting");
    let validator = "import sys\nanswer = int(open(sys.argv[2]).read())\ntext = sys.stdin.read().strip()\n\
        wrong = abs(int(text) - answer) if text.isdigit() else 9\nopen(sys.argv[3] + 'score.txt', 'w').write(str(0 if wrong > 5 else 40 - 7.5 * wrong))\nsys.exit(43 if wrong > 5 else 42)\n";
    place.write("problems/counting/output_validators/v.py", validator);
    let yaml = "type: scoring\nvalidation: custom score\n";
    place.write("problems/counting/problem.yaml", yaml);
    let right = source("counting/submissions/accepted/formula.py");
    let part = format!("{right}\n").replace("print(", "print(1 + ");
    let file = "problems/counting/submissions/partially_accepted/part.py";
    place.write(file, format!("# @EXPECTED_SCORE@: 64\n{part}"));
    place.write("submissions/bob/counting.py", &part);
    place.serve_once();
    let report = place.json("reports/bob/counting/1.json");
    assert_eq!(report["verdict"], "AC", "{report:#}");
    assert_eq!(report["score"], json!({"got": 64, "of": 100}), "{report:#}");
    let text = place.read("staff/bob/counting/1.txt");
    let words = "32/40  2 of 2 tests passed; it counts what the one with the least";
    assert_has(&text, &[words, "32.5 points"]);
    let text = place.says(0, "check counting", &[]);
    assert!(!text.contains("part.py"), "{text}");
    // What is more than the group brings is wrong with the package.
    let small = "problems/counting/data/secret/small/testdata.yaml";
    place.write(small, "range: 0 20\ngrader_flags: min\n");
    let words = "it gives 32.5 points, and the group small brings 20 at most";
    place.says(1, "check counting", &[words]);
}

#[test]
fn tests_of_the_format_2025_09_are_told_what_their_groups_say() {
    let place = Place::new().only(&["python3"]).with_package("halving");
    let words = ["100 points: exact 60", "near 40", "or accepted  3"];
    let text = place.says(0, "check halving", &words);
    assert!(!text.contains("not tried"), "{text}");
    let right = source("halving/submissions/accepted/half.py").replace("{{two.value}}", "2");
    let floor = source("halving/submissions/mixed/floor.py");
    for (student, program) in [("ada", right.as_str()), ("bob", &floor)] {
        place.write(&format!("submissions/{student}/halving.py"), program);
    }
    place.serve_once();
    // The same input with the same answer is judged by what its own group says.
    for (student, verdict, got) in [("ada", "AC", 100), ("bob", "WA", 40)] {
        let report = place.json(&format!("reports/{student}/halving/1.json"));
        assert_eq!(report["verdict"], verdict, "{student}");
        assert_eq!(report["score"], json!({"got": got, "of": 100}), "{student}");
    }
    // What a test is told is a part of it: what was said before does not count any more.
    let near = "problems/halving/data/secret/near/test_group.yaml";
    place.write(near, "max_score: 40\noutput_validator_args: [0.25]\n");
    place.serve_once();
    let report = place.json("reports/bob/halving/1.json");
    assert_eq!(report["score"]["got"], 0, "{report:#}");
    let words =
        "mixed/floor.py: wrong answer on secret/near/1; `mixed/*.{py,cpp}: secret/near` permits AC";
    place.says(1, "check halving", &[words]);
    place.write("evil.in", "1001\n");
    place.says(1, "hack add halving evil.in", &["the validator refuses it"]);
}

/// Zips what lies in a folder, with its links as links.
fn zip_tree(zip: &mut ZipWriter<File>, folder: &Path, name: &str) {
    let options = SimpleFileOptions::default();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{name}/{}", path.file_name().unwrap().display());
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            zip.add_symlink(name, target.to_str().unwrap(), options)
                .unwrap();
        } else if path.is_dir() {
            zip_tree(zip, &path, &name);
        } else {
            zip.start_file(name, options).unwrap();
            zip.write_all(&fs::read(path).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_zip_file_that_is_dropped_while_the_daemon_runs_is_a_problem_like_any_other() {
    let place = Place::new().only(&["python3", "cpp"]);
    let file = place.path("problems/adding.zip");
    let daemon = place.daemon();
    let mut zip = ZipWriter::new(File::create(&file).unwrap());
    zip_tree(&mut zip, &root().join("tests/packages/adding"), "adding");
    // An example in a language that is not there: the next one answers hacks.
    let example = "adding/submissions/accepted/a.go";
    zip.start_file(example, SimpleFileOptions::default())
        .unwrap();
    zip.finish().unwrap();
    let program = source("adding/submissions/accepted/main.py");
    place.write("submissions/ada/adding.py", &program);
    assert_eq!(place.wait_for("ada/adding/1"), "AC");
    let text = place.says(0, "check problems/adding.zip", &["example submissions"]);
    assert!(!text.contains("the same input as"), "links stay: {text}");
    place.write("evil.in", "999 999\n");
    place.says(0, "hack add adding evil.in", &["1 passed"]);
    let result = place.read("problems/adding/hacks/evil.in.result");
    assert_has(&result, &["1 passed"]);
    // The hack outlasts the zip file, of which a part is a broken package and none is no problem.
    let whole = fs::read(&file).unwrap();
    let broken = || place.status()["broken_packages"].to_string();
    place.write("problems/adding.zip", &whole[..whole.len() / 2]);
    wait_until("half of it to be broken", || {
        broken().contains("adding.zip: it is not a zip file that can be read")
    });
    place.write("problems/adding.zip", &whole);
    wait_until("all of it to be sound", || broken() == "[]");
    let hacked = judge(&place, "adding", &program)["tests"][5].take();
    assert_eq!(hacked["name"], "hack/evil", "{hacked:#}");
    let warnings = place.status()["warnings"].as_array().unwrap().len();
    assert_eq!(warnings, 0, "of the folder of hacks nothing");
    fs::remove_file(&file).unwrap();
    daemon.wait_to_say("adding: removed");
    assert!(!place.path("problems/.verdictd-adding.zip").exists());
    daemon.stop();
}

#[test]
fn the_programs_of_a_package_do_what_its_validation_data_ask_for() {
    let place = Place::new().only(&["python3"]).with_package("halving");
    let near = "is refused: off by 7.5, more than 0.5";
    for (file, text, words) in [
        ("invalid_input/large.in", "1000\n", "is not refused"),
        ("invalid_output/off.out", "1.25\n", "is not refused"),
        ("valid_output/near/off.out", "9", near),
        ("sample/1.out", "1", "is refused: off by 0.5, more than 0"),
    ] {
        let path = format!("problems/halving/data/{file}");
        let before = place.read(&path);
        place.write(&path, text);
        place.says(1, "check halving", &[&format!("data/{file}: {words}")]);
        place.write(&path, before);
    }
    // What no program says anything against is named.
    let lenient = "import sys\nsys.exit(42 if sys.stdin.read().split()[0].isdigit() else 1)\n";
    place.write("problems/halving/input_validators/number.py", lenient);
    let lenient = "import sys\nsys.exit(42 if sys.stdin.read(1).isdigit() else 43)\n";
    place.write("problems/halving/output_validator/validate.py", lenient);
    let words = [
        "changed in one of these ways, so hacks may look like that: CRLF, a leading",
        "validate.py: the checker accepts the answer over and over on every test",
    ];
    place.says(1, "check halving", &words);
}

#[test]
fn a_validator_in_checktestdata_is_asked_where_a_course_has_added_that() {
    let place = Place::new().only(&["python3"]).with_package("adding");
    // Python stands for it: Debian has no checktestdata.
    let table = "[languages.checktestdata]\nname = \"checktestdata\"\nextensions = [\"ctd\"]\n";
    let run = "source = \"main.ctd\"\nrun = [\"python3\", \"/app/{source}\"]\n";
    place.configure(&[table, run].concat());
    let text = "import sys\nif '13' in sys.stdin.read():\n    sys.exit('line 1 character 2: 13')\n";
    place.write("problems/adding/input_validators/numbers.ctd", text);
    let words = "line 1 character 2: 13";
    for (input, status, words) in [("13 1\n", 1, words), ("14 1\n", 0, "added")] {
        place.write("evil.in", input);
        place.says(status, "hack add adding evil.in", &[words]);
    }
}
