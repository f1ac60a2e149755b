//! The smaller commands: their exit codes and their output.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::busy::pinned;
use crate::place::{Place, Watchdog, binary, language_keys, output, rounds};
use crate::programs;
use crate::schemas::timing_follows;
use crate::toolchains::without_language;

/// Runs the binary outside any place, with this input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(binary())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads no input closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    let _watchdog = Watchdog::of(&child, format!("{arguments:?}"));
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn families_of_every_problem_make_valid_inputs_that_are_solved() {
    for problem in ["curling", "thegame", "regions"] {
        let families = text(&run(&["generate", problem, "--list"], b"").stdout);
        assert!(families.lines().count() >= 5, "{families}");
        // The problems' own tests generate and solve every family; this is about the commands.
        for line in families.lines().take(rounds(3, usize::MAX)) {
            let family = line.split_whitespace().next().unwrap();
            let arguments = ["generate", problem, "--family", family, "--seed", "7"];
            let made = run(&arguments, b"");
            assert_eq!(made.status.code(), Some(0), "{family}");
            assert_eq!(
                made.stdout,
                run(&arguments, b"").stdout,
                "{family} is stable"
            );
            let place = Place::new();
            place.write("made.in", &made.stdout);
            let valid = place.run(&["validate", problem, "made.in"]);
            assert_eq!(
                text(&valid.stdout),
                "made.in: valid\n",
                "{problem} {family}"
            );
            let solve = ["solve", problem];
            for more in [&solve[..], &["solve", problem, "--witness", "--check"]] {
                let solved = run(more, &made.stdout);
                assert_eq!(solved.status.code(), Some(0), "{problem} {family}");
            }
        }
    }
}

#[test]
fn validate_says_valid_normalised_or_refused_with_the_position() {
    let place = Place::new();
    place.write("good.in", "2 1\n2 3\n0 0\n");
    place.write("crlf.in", "2 1\r\n2 3  \r\n0 0");
    place.write("bad.in", "2 1\n2 X\n0 0\n");
    let one = |file: &str| {
        let output = place.run(&["validate", "curling", file]);
        (text(&output.stdout), output.status.code())
    };
    assert_eq!(one("good.in"), ("good.in: valid\n".into(), Some(0)));
    let (words, code) = one("crlf.in");
    assert!(
        words.starts_with("crlf.in: valid after normalising: "),
        "{words}"
    );
    assert_eq!(code, Some(0));
    let (words, code) = one("bad.in");
    assert!(words.starts_with("bad.in:2:3: refused: "), "{words}");
    assert_eq!(code, Some(1));
    assert_eq!(one("missing.in").1, Some(2));
    let json = place.run(&["validate", "curling", "--json", "bad.in"]);
    let object: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&object["line"], &object["column"]), (&2.into(), &3.into()));
}

#[test]
fn the_witness_lists_the_throws() {
    let output = run(&["solve", "curling", "--witness"], b"2 1\n3 2\n0 0\n");
    let words = text(&output.stdout);
    assert!(
        words.contains("1 throw") && words.contains("left"),
        "{words}"
    );
    let checked = run(&["solve", "curling", "--check"], b"2 1\n3 2\n0 0\n");
    assert_eq!(checked.status.code(), Some(0));
    assert_eq!(text(&checked.stdout), "1\n");
    assert!(text(&checked.stderr).contains("the second algorithm agrees"));
    let refused = run(&["solve", "curling"], b"2 1\n3 3\n0 0\n");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("standard input:2:"));
    assert!(refused.stdout.is_empty(), "data only on standard output");
}

#[test]
fn draw_makes_one_picture_of_one_case_or_of_several() {
    let place = Place::new();
    place.write("said.txt", "7\n<script>alert(1)</script>\n");
    let boards = b"2 1\n3 2\n2 1\n2 3\n0 0\n";
    let draw = |more: &[&str]| {
        let said = place.path("said.txt").display().to_string();
        let mut arguments = vec!["draw", "curling", "--said", &said];
        arguments.extend(more);
        run(&arguments, boards)
    };
    let both = draw(&[]);
    assert_eq!(both.status.code(), Some(0), "{both:?}");
    let svg = text(&both.stdout);
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    for part in [
        "dataset 1 of 2: 1 throw",
        "dataset 2 of 2: 1 throw",
        ">7</text>",
    ] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert!(svg.contains("&#60;script&#62;") && !svg.contains("<script"));
    let second = text(&draw(&["--case", "2"]).stdout);
    assert!(second.contains("&#60;script&#62;") && !second.contains(">7</text>"));
    assert_eq!(second.matches("<svg ").count(), 1);
    let none = draw(&["--case", "3"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("there is no case 3; the input has 2"));
    let refused = run(&["draw", "curling"], b"2 1\n3 9\n0 0\n");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("standard input:2:3: "));
    assert!(refused.stdout.is_empty());
    let many = run(&["generate", "curling", "--family", "worst"], b"").stdout;
    let drawn = run(&["draw", "curling"], &many);
    assert_eq!(drawn.status.code(), Some(0));
    assert!(
        text(&drawn.stderr).contains("88 more can be drawn"),
        "{drawn:?}"
    );
    assert_eq!(run(&["draw", "chess"], b"").status.code(), Some(2));
}

#[test]
fn doctor_lists_protections_and_languages() {
    let place = Place::new().only(&["python3"]);
    let output = place.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |list: &str, key: &str, name: &str| {
        object[list]
            .as_array()
            .unwrap()
            .iter()
            .find(|item| item[key] == name)
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(of("protections", "name", "network")["hold"], "on");
    let python = of("languages", "key", "python3");
    assert_eq!(python["offered"], true);
    assert!(python["version"].as_str().unwrap().contains("Python 3"));
    let switched_off = of("languages", "key", "perl");
    assert_eq!(switched_off["offered"], false);
    assert!(!switched_off["install"].as_str().unwrap().is_empty());
    let table = text(&place.run(&["doctor"]).stdout);
    let widest = table.lines().map(|line| line.chars().count()).max();
    assert!(
        table.contains("TO FIX IT") && widest <= Some(120),
        "{table}"
    );
    let place = place.with_dashboard("url = \"https://grader.example\"");
    let table = text(&place.run(&["doctor"]).stdout);
    for said in [
        "Whoever opens https://grader.example reads the names and verdicts of all students",
        "reports are read at personal links alone",
        "There are no staff pages",
    ] {
        assert!(table.contains(said), "{table}");
    }
}

#[test]
fn every_language_builds_and_runs_in_the_sandbox() {
    let output = Place::new().run(&["doctor", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    let languages = object["languages"].as_array().unwrap();
    assert_eq!(languages.len(), language_keys().len());
    for language in languages {
        let key = language["key"].as_str().unwrap();
        let why = language["why"].as_str().unwrap_or_default();
        match language["offered"] == true {
            true => {}
            false if !why.ends_with("is not installed") => panic!("{language:#}"),
            false => without_language(key, why),
        }
    }
}

#[test]
fn doctor_measures_the_machine_and_says_which_times_to_trust() {
    let place = Place::new();
    let config = place.read("config.toml");
    place.write("config.toml", format!("[judge]\nworkers = 3\n{config}"));
    // Three workers on one core: more than any machine can measure side by side.
    let output = output(&mut pinned(
        &place.command(&["doctor", "--timing", "--json"]),
    ));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    timing_follows(&output);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (series, least) in [("alone", 3), ("loaded", 9)] {
        let figures = &found[series];
        assert!(figures["measurements"].as_u64() >= Some(least), "{found:#}");
        assert!(figures["p95_ms"].as_f64() >= figures["least_ms"].as_f64());
    }
    assert!(found["spread"].as_f64() >= Some(1.0), "{found:#}");
    assert_eq!(found["workers"], 3, "{found:#}");
    assert_eq!(found["recommended_workers"], 1, "{found:#}");
    let advice = found["advice"].to_string();
    assert!(advice.contains("asks for 3 workers"), "{advice}");

    place.write("config.toml", config);
    let words = text(&place.run(&["doctor", "--timing"]).stdout);
    assert!(!words.contains("config.toml asks for"), "{words}");
    for part in [
        "what to trust",
        "is measured again",
        "recommended workers = ",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn status_and_report_read_the_store() {
    let place = Place::new().only(&["python3"]);
    let empty: Value = serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(empty["received"], 0);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(1)\n");
    place.write("submissions/beta/what.py", "print(1)\n");
    place.serve_once();
    let status: Value = serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap();
    assert_eq!(status["judged"], 2);
    assert_eq!(status["rejected"], 1);
    assert_eq!(status["verdicts"]["AC"], 1);
    assert_eq!(status["running"], false);
    let report = text(&place.run(&["report", "beta", "SUM"]).stdout);
    assert_eq!(report, place.read("staff/beta/sum/1.txt"));
    assert_eq!(place.run(&["report", "gamma"]).status.code(), Some(2));
}
