//! `verdictd judge`: right programs in every language, and every kind of wrong program.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::busy::{Busy, pinned};
use crate::place::{Place, is_soak, language_keys, language_of, left_to_soak, wait_until};
use crate::programs;
use crate::skips::skipped;
use crate::toolchains::without_language;

/// The objects that `judge --json` prints, by file.
fn judge(place: &Place, files: &[&str]) -> (BTreeMap<String, Value>, Option<i32>) {
    let mut arguments = vec!["judge", "--json", "--problem", "sum"];
    arguments.extend(files);
    let output = place.run(&arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let objects = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|object| (object["file"].as_str().unwrap().to_owned(), object))
        .collect();
    (objects, output.status.code())
}

#[test]
fn right_programs_in_seven_languages_are_accepted() {
    let place = Place::new();
    let programs = [
        ("a.c", "gcc", programs::C),
        ("b.cpp", "g++", programs::CPP),
        ("c.py", "python3", programs::PYTHON),
        ("d.java", "javac", programs::JAVA),
        ("e.js", "node", programs::JAVASCRIPT),
        ("f.rs", "rustc", programs::RUST),
        ("g.pas", "fpc", programs::PASCAL),
    ];
    let mut files = Vec::new();
    for (file, compiler, source) in programs {
        if Command::new("which")
            .arg(compiler)
            .output()
            .unwrap()
            .status
            .success()
        {
            place.write(file, source);
            files.push(file);
        } else {
            skipped(&format!(
                "{compiler} is not installed, {file} was not tried"
            ));
        }
    }
    let (objects, code) = judge(&place, &files);
    for file in &files {
        let object = &objects[*file];
        assert_eq!(object["verdict"], "AC", "{object}");
        assert_eq!(object["problem"], "sum");
        assert_eq!(object["first_failing_test"], Value::Null);
        assert_eq!(object["tests"].as_array().unwrap().len(), 3);
    }
    assert_eq!(objects.len(), files.len());
    assert_eq!(code, Some(0));
}

#[test]
fn wrong_programs_get_the_right_verdicts() {
    let place = Place::new();
    // The programs that never end take no longer than this.
    place.limit_cpu("sum", "0.3");
    let names: Vec<String> = programs::WRONG
        .iter()
        .enumerate()
        .map(|(index, (extension, ..))| format!("w{index}.{extension}"))
        .collect();
    for (name, (_, source, ..)) in names.iter().zip(programs::WRONG) {
        place.write(name, source);
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let (objects, code) = judge(&place, &files);
    for (name, (_, source, verdict, cause, test)) in names.iter().zip(programs::WRONG) {
        let object = &objects[name];
        let text = |key: &str| object[key].as_str().unwrap_or_default();
        assert_eq!(
            (text("verdict"), text("cause"), text("first_failing_test")),
            (verdict, cause, test),
            "{source}\n{object:#}"
        );
    }
    assert_eq!(code, Some(1));
}

/// Starts the daemon until an attempt has its verdict: while other tests keep every core busy, it
/// is put off.
fn judged_at_last(place: &Place, attempt: &str) -> String {
    let mut verdict = None;
    wait_until(&format!("the verdict of {attempt}"), || {
        place.run(&["serve", "--once"]);
        verdict = place.verdicts().get(attempt).cloned();
        verdict.is_some()
    });
    verdict.unwrap_or_default()
}

/// Whether a core is quiet decides how often a program is measured.
pub fn near_the_limit() {
    let place = Place::new().only(&["c"]);
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\n[limits]\ncpu_s = 0.3\n[compare]\nmode = \"lines\"\n",
    );
    // The programs watch their own CPU time, so no machine is too fast for them.
    for (student, ms) in [("near", 305), ("endless", 1_000_000), ("good", 10)] {
        place.write(
            &format!("submissions/{student}/sum.c"),
            programs::C_THAT_TAKES_MS.replace("MS", &ms.to_string()),
        );
    }
    for (student, verdict) in [("near", "TLE"), ("endless", "TLE"), ("good", "AC")] {
        let attempt = format!("{student}/sum/1");
        assert_eq!(judged_at_last(&place, &attempt), verdict, "{student}");
        let report = place.read(&format!("staff/{student}/sum/1.json"));
        let report: Value = serde_json::from_str(&report).unwrap();
        let test = &report["tests"][0];
        let number = |key: &str| test[key].as_u64().unwrap();
        let measurements = number("measurements");
        // How often, and at which cap, depends on what else the machine does; that a pass is final
        // and that what failed was tried again does not.
        assert_eq!(measurements > 1, verdict == "TLE", "{test:#}");
        let text = place.read(&format!("reports/{student}/sum/1.txt"));
        let words = format!("It ran {measurements} times");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(flat.contains(&words), measurements > 1, "{text}");
        let has_ended = test["ended_by_itself"] == true;
        assert!(student != "endless" || !has_ended, "{test:#}");
        let is_late = verdict == "TLE";
        let [ended, stopped] = ["Your program ended after", "still running after"];
        assert_eq!(flat.contains(ended), is_late && has_ended, "{text}");
        assert_eq!(flat.contains(stopped), is_late && !has_ended, "{text}");
        let is_right = flat.contains("Its output is right, but came too late.");
        assert_eq!(is_right, is_late && has_ended, "{text}");
        let page = place.read(&format!("reports/{student}/sum/1.html"));
        assert!(page.contains(&format!("<span class=\"code\">{verdict}</span>")));
        assert_eq!(page.contains(&words), measurements > 1, "{page}");
        assert!(
            page.contains("struct timespec now;"),
            "the source stands in it"
        );
    }
}

/// A program near its limit is not failed by other load, and an endless loop is TLE all the same.
pub fn a_busy_machine() {
    let place = Place::new().only(&["c"]);
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\n[limits]\ncpu_s = 0.3\n[compare]\nmode = \"lines\"\n",
    );
    for (student, ms) in [("near", 330), ("endless", 1_000_000)] {
        place.write(
            &format!("submissions/{student}/sum.c"),
            programs::C_THAT_TAKES_MS.replace("MS", &ms.to_string()),
        );
    }
    let busy = Busy::core();
    let daemon = Place::started(pinned(&place.command(&["serve"])));
    assert_eq!(place.wait_for("endless/sum/1"), "TLE");
    // Other work on the machine may keep it from being built or started at first, which is another
    // fault.
    wait_until("the one that is near to be put off", || {
        let status = place.run(&["status", "--json"]).stdout;
        let status: Value = serde_json::from_slice(&status).unwrap();
        let row = &status["faulted"][0];
        let fault = row["reason"].as_str();
        let is_busy = fault.is_some_and(|fault| fault.contains("the machine was busy"));
        if is_busy {
            let whose = ["student", "problem", "attempt"].map(|key| row[key].to_string());
            assert_eq!(whose, ["\"near\"", "\"sum\"", "1"], "{row:#}");
        }
        is_busy
    });
    let output = place.run(&["status"]);
    let status = String::from_utf8_lossy(&output.stdout);
    assert!(
        status.contains("near/sum#1: measure the program"),
        "{status}"
    );
    assert!(!place.verdicts().contains_key("near/sum/1"));
    drop(busy);
    daemon.stop();
    assert_eq!(judged_at_last(&place, "near/sum/1"), "TLE");
    let report: Value = serde_json::from_str(&place.read("staff/near/sum/1.json")).unwrap();
    let test = &report["tests"][0];
    assert!(test["busy"].as_u64() >= Some(1), "{test:#}");
    let text = place.read("staff/near/sum/1.txt");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("The machine was busy with other work"),
        "{text}"
    );
}

#[test]
fn a_command_has_a_verdict_for_a_program_over_its_limit_beside_other_work() {
    let place = Place::new().only(&["c"]);
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\n[limits]\ncpu_s = 0.1\n[compare]\nmode = \"lines\"\n",
    );
    // One over the limit, one that never ends.
    for (student, ms) in [("over", 120), ("endless", 1_000_000)] {
        place.write(
            &format!("{student}_sum.c"),
            programs::C_THAT_TAKES_MS.replace("MS", &ms.to_string()),
        );
    }
    let busy = Busy::core();
    let files = ["judge", "--json", "over_sum.c", "endless_sum.c"];
    let output = pinned(&place.command(&files)).output().unwrap();
    drop(busy);
    let words = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{words}");
    let verdicts = words.matches("\"verdict_words\":\"time limit exceeded\"");
    assert_eq!(verdicts.count(), 2, "{words}");
}

#[test]
fn what_cannot_be_judged_says_why() {
    let place = Place::new();
    place.write("x.xyz", "text");
    place.write("empty.py", "");
    place.write("big.py", vec![b'#'; 300 * 1024]);
    let (objects, code) = judge(&place, &["x.xyz", "empty.py", "big.py", "missing.py"]);
    assert_eq!(code, Some(2), "{objects:?}");
    for (file, word) in [
        ("x.xyz", "xyz"),
        ("empty.py", "empty"),
        ("big.py", "256"),
        ("missing.py", "No such file"),
    ] {
        let object = &objects[file];
        assert_eq!(object["verdict"], Value::Null, "{object}");
        let reason = object["rejected"].as_str().unwrap();
        assert!(reason.contains(word), "{file}: {reason}");
    }
}

#[test]
fn student_and_problem_are_read_from_the_path() {
    let place = Place::new();
    place.write("submissions/alpha/SUM.py", programs::PYTHON);
    place.write("submissions/beta_sum.py", programs::PYTHON);
    let output = place.run(&[
        "judge",
        "--json",
        "submissions/alpha/SUM.py",
        "submissions/beta_sum.py",
    ]);
    let students: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["student"].clone())
        .collect();
    assert_eq!(students, ["alpha", "beta"]);
}

/// Languages that start slowly: in an ordinary run the examples of one package are enough.
const ONE_PACKAGE: [&str; 5] = ["csharp", "lua", "perl", "pypy", "ruby"];

/// Asserts that a package of this repository passes all of `check`; in an ordinary run with this
/// time limit, because programs without an end use all of it.
fn shipped_package_holds(slug: &str, cpu_s: &str, in_every_language: bool) {
    let keys = language_keys();
    let is_tried = |key: &&str| in_every_language || is_soak() || !ONE_PACKAGE.contains(key);
    let tried: Vec<&str> = keys.iter().map(String::as_str).filter(is_tried).collect();
    let place = Place::new().only(&tried).with_problem(slug);
    let cpu_s = if is_soak() { "2.00" } else { cpu_s };
    place.limit_cpu(slug, cpu_s);
    // Programs that are meant to be too slow are far too slow.
    let config = place.read("config.toml");
    place.write(
        "config.toml",
        format!("[judge]\nrepeat_near_limit = false\n{config}"),
    );
    let output = place.run(&["check", "--json", slug]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut without = BTreeSet::new();
    for line in text.lines() {
        let check: Value = serde_json::from_str(line).unwrap();
        assert_eq!(check["holds"], true, "{check:#}");
        for untried in check["untried"].as_array().unwrap() {
            let (file, why) = untried.as_str().unwrap().split_once(": ").unwrap();
            if !without.insert(language_of(file)) {
                continue;
            }
            if tried.contains(&language_of(file).as_str()) {
                without_language(&language_of(file), why);
            } else {
                left_to_soak(&format!("the {} examples of {slug}", language_of(file)));
            }
        }
        assert!(check["count"].as_u64() > Some(0), "{check:#}");
        // Plain programs in every language stay below half the limit.
        assert_eq!(check["warnings"], serde_json::json!([]), "{check:#}");
        if check["check"] == "time against the limit" {
            let says = check["says"].as_str().unwrap();
            for word in [&*format!("{cpu_s} s allowed"), "too slow"] {
                assert!(says.contains(word), "{word}: {says}");
            }
            // There is an accepted program in every language.
            for key in &keys {
                let is_timed = says.contains(&format!(" {key} 0."));
                assert!(is_timed || without.contains(key), "{key}: {says}");
            }
        }
    }
    assert_eq!(text.lines().count(), 8);
    assert_eq!(output.status.code(), Some(0));
}

// Three tests instead of one, so that they run in parallel.

#[test]
fn the_shipped_curling_passes_check() {
    shipped_package_holds("curling", "1.00", true);
}

#[test]
fn the_shipped_thegame_passes_check() {
    // A right program in Python takes half a second.
    shipped_package_holds("thegame", "2.00", false);
}

#[test]
fn the_shipped_regions_passes_check() {
    shipped_package_holds("regions", "1.00", false);
}

#[test]
fn check_says_why_a_package_fails() {
    let place = Place::new();
    place.write(
        "problems/sum/submissions/accepted/right.py",
        programs::PYTHON,
    );
    let good = place.run(&["check", "sum"]);
    assert_eq!(good.status.code(), Some(0));
    place.write(
        "problems/sum/submissions/accepted/slow.py",
        "import time\nwhile time.process_time() < 0.6:\n    pass\nprint(sum(map(int, input().split())))\n",
    );
    let slow = place.run(&["check", "sum"]);
    assert_eq!(slow.status.code(), Some(0));
    let text = String::from_utf8(slow.stdout).unwrap();
    // How much more than that it takes is the machine's affair.
    for words in [
        "of 1.00 s allowed: python3 0.",
        "warning: accepted/slow.py takes 0.",
        "more than half of the limit",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    place.write("problems/sum/submissions/accepted/wrong.py", "print(3)\n");
    let bad = place.run(&["check", "sum"]);
    assert_eq!(bad.status.code(), Some(1));
    let text = String::from_utf8(bad.stdout).unwrap();
    assert!(
        text.contains("accepted/wrong.py: wrong answer on secret/1"),
        "{text}"
    );
}
