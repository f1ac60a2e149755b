//! `verdictd judge` and `verdictd check`: every kind of wrong program, times near the limit, and the
//! shipped packages, whose examples are in every language.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::busy::{Busy, pinned};
use crate::explaining::by_file;
use crate::place::{
    Place, assert_has, flat, is_soak, language_keys, language_of, left_to_soak, objects, wait_until,
};
use crate::power::disk::files_below;
use crate::programs;
use crate::toolchains::without_language;

/// The objects that `judge --json` prints, by file.
fn judge(place: &Place, files: &[&str]) -> (BTreeMap<String, Value>, Option<i32>) {
    by_file(place, "judge", "sum", files)
}

#[test]
fn wrong_programs_get_the_right_verdicts() {
    let place = Place::new();
    // The programs that never end take no longer than this.
    place.limit_cpu("sum", "0.3");
    let expected = programs::WRONG.map(|(expected, _)| expected.split(' ').collect::<Vec<_>>());
    let names = (0..).zip(&expected);
    let names = names.map(|(index, expected)| format!("w{index}.{}", expected[0]));
    let names: Vec<String> = names.collect();
    for (name, (_, source)) in names.iter().zip(programs::WRONG) {
        place.write(name, source);
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let (objects, code) = judge(&place, &files);
    for (name, expected) in names.iter().zip(&expected) {
        let object = &objects[name];
        let found = ["verdict", "cause", "first_failing_test"];
        let found = found.map(|key| object[key].as_str().unwrap_or("-"));
        assert_eq!(found, expected[1..], "{name}: {object:#}");
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

/// Submits a program that takes so many milliseconds.
fn hand_in(place: &Place, student: &str, ms: u32) {
    let program = programs::C_THAT_TAKES_MS.replace("MS", &ms.to_string());
    place.write(&format!("submissions/{student}/sum.c"), program);
}

/// Whether a core is quiet decides how often a program is measured.
pub fn near_the_limit() {
    let place = Place::new().only(&["c"]);
    place.limit_cpu("sum", "0.3");
    // The programs watch their own CPU time, so no machine is too fast for them.
    hand_in(&place, "near", 305);
    hand_in(&place, "endless", 1_000_000);
    hand_in(&place, "good", 10);
    for (student, verdict) in [("near", "TLE"), ("endless", "TLE"), ("good", "AC")] {
        let attempt = format!("{student}/sum/1");
        assert_eq!(judged_at_last(&place, &attempt), verdict, "{student}");
        let test = &place.json(&format!("staff/{student}/sum/1.json"))["tests"][0];
        let number = |key: &str| test[key].as_u64().unwrap();
        let measurements = number("measurements");
        // How often, and at which cap, depends on what else the machine does; that a pass is final
        // and that what failed was tried again does not.
        assert_eq!(measurements > 1, verdict == "TLE", "{test:#}");
        let text = place.read(&format!("reports/{student}/sum/1.txt"));
        let words = format!("It ran {measurements} times");
        let flat = flat(&text);
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
        assert_has(&page, &["struct timespec now;"]);
    }
}

/// A program near its limit is not failed by other load, and an endless loop is TLE all the same.
pub fn a_busy_machine() {
    let place = Place::new().only(&["c"]);
    place.limit_cpu("sum", "0.3");
    hand_in(&place, "near", 330);
    for (student, ms) in [("below", 225), ("slow", 750), ("endless", 1_000_000)] {
        hand_in(&place, student, ms);
    }
    for what in ["c WA", "c MLE", "c RE"] {
        let mut all = programs::WRONG.iter();
        let wrong = all.find(|(expected, _)| expected.starts_with(what));
        place.write(&format!("submissions/{what}/sum.c"), wrong.unwrap().1);
    }
    let busy = Busy::core();
    let daemon = Place::started(pinned(&place.command(&["serve"])));
    let verdicts = "below=AC|slow=TLE|endless=TLE|c WA=WA|c MLE=MLE|c RE=RE";
    for (student, verdict) in verdicts.split('|').filter_map(|one| one.split_once('=')) {
        let found = place.wait_for(&format!("{student}/sum/1"));
        assert_eq!(found, verdict, "{student}");
    }
    // Other work on the machine may keep it from being built or started at first, which is another
    // fault.
    wait_until("the one that is near to be put off", || {
        let row = &place.status()["faulted"][0];
        let fault = row["reason"].as_str();
        let is_busy = fault.is_some_and(|fault| fault.contains("the machine was busy"));
        if is_busy {
            let whose = ["student", "problem", "attempt"].map(|key| row[key].to_string());
            assert_eq!(whose, ["\"near\"", "\"sum\"", "1"], "{row:#}");
        }
        is_busy
    });
    place.says(0, "status", &["near/sum#1: measure the program"]);
    assert!(!place.verdicts().contains_key("near/sum/1"));
    drop(busy);
    daemon.stop();
    assert_eq!(judged_at_last(&place, "near/sum/1"), "TLE");
    let test = &place.json("staff/near/sum/1.json")["tests"][0];
    assert!(test["busy"].as_u64() >= Some(1), "{test:#}");
    let text = flat(&place.read("staff/near/sum/1.txt"));
    assert_has(&text, &["The machine was busy with other work"]);
}

/// Languages that are built and start quickly, in which a package's other programs are tried in an
/// ordinary run. A program in C++ takes a second to build; those of `regions` are tried all the
/// same.
const QUICK: [&str; 3] = ["c", "pascal", "rust"];

/// What `check` says about a package when these languages are offered.
fn checked(place: &Place, slug: &str, cpu_s: &str) -> Vec<Value> {
    // Each check has work for all cores.
    static CHECKS: Mutex<()> = Mutex::new(());
    let _turn = CHECKS.lock().unwrap_or_else(PoisonError::into_inner);
    place.limit_cpu(slug, cpu_s);
    // Programs that are meant to be too slow are far too slow.
    place.configure("[judge]\nrepeat_near_limit = false\n");
    let output = place.run(&["check", "--json", slug]);
    let checks = objects(&output);
    for check in &checks {
        assert_eq!(check["holds"], true, "{check:#}");
    }
    assert_eq!(output.status.code(), Some(0));
    checks
}

/// Asserts that the summary tells a time for an accepted program in each of these languages, but for
/// those that are named as untried.
fn assert_timed(checks: &[Value], languages: &[&str]) {
    let mut without = BTreeSet::new();
    let untried = checks
        .iter()
        .filter_map(|check| check["untried"].as_array());
    for untried in untried.flatten() {
        let (file, why) = untried.as_str().unwrap().split_once(": ").unwrap();
        let language = language_of(file);
        if languages.contains(&language.as_str()) && without.insert(language.clone()) {
            without_language(&language, why);
        }
    }
    let is_about_time = |check: &&Value| check["check"] == "time against the limit";
    let row = checks.iter().find(is_about_time).unwrap();
    // Plain programs in every language stay below half the limit.
    assert_eq!(row["warnings"], serde_json::json!([]), "{row:#}");
    let summary = row["summary"].as_str().unwrap();
    for key in languages {
        let is_timed = summary.contains(&format!(" {key} 0."));
        assert!(is_timed || without.contains(*key), "{key}: {summary}");
    }
}

/// Asserts that a package of this repository passes all of `check`.
fn shipped_package_holds(slug: &str, more: &str) {
    let keys = language_keys();
    let is_tried = |key: &&str| is_soak() || QUICK.contains(key) || *key == more;
    let tried: Vec<&str> = keys.iter().map(String::as_str).filter(is_tried).collect();
    if tried.len() < keys.len() {
        let others = format!("the examples of {slug} in languages that start slowly");
        left_to_soak(&others);
    }
    let place = Place::new().only(&tried).with_problem(slug);
    // In an ordinary run less, because programs without an end use all of it.
    let cpu_s = if is_soak() { "2.00" } else { "1.00" };
    let checks = checked(&place, slug, cpu_s);
    for check in &checks {
        assert!(check["count"].as_u64() > Some(0), "{check:#}");
        assert_eq!(check["warnings"], serde_json::json!([]), "{check:#}");
        if check["check"] == "time against the limit" {
            let summary = check["summary"].as_str().unwrap();
            assert_has(summary, &[&format!("{cpu_s} s allowed"), "too slow"]);
        }
    }
    assert_eq!(checks.len(), 8);
    assert_timed(&checks, &tried);
}

// Three tests instead of one, so that they run in parallel.

#[test]
fn the_shipped_curling_passes_check() {
    shipped_package_holds("curling", "");
}

#[test]
fn the_shipped_thegame_passes_check() {
    shipped_package_holds("thegame", "");
}

#[test]
fn the_shipped_regions_passes_check() {
    shipped_package_holds("regions", "cpp");
}

#[test]
fn a_shipped_problem_has_a_right_program_in_every_language() {
    let keys = language_keys();
    let tried: Vec<&str> = keys.iter().map(String::as_str).collect();
    let place = Place::new().only(&tried).with_problem("curling");
    for name in "compile_error|run_time_error|time_limit_exceeded|wrong_answer".split('|') {
        let folder = place.path(&format!("problems/curling/submissions/{name}"));
        std::fs::remove_dir_all(folder).unwrap();
    }
    // A few tests show that a language works; the dearest are among them.
    for (name, _) in files_below(&place.path("problems/curling/data/secret")) {
        if !name.starts_with('9') && !name.contains("seed-2") {
            let file = place.path(&format!("problems/curling/data/secret/{name}"));
            std::fs::remove_file(file).unwrap();
        }
    }
    // One in Ruby takes most of a second on a slow machine, and twice that beside others.
    assert_timed(&checked(&place, "curling", "2.00"), &tried);
}

#[test]
fn check_says_why_a_package_fails() {
    let place = Place::new().only(&["python3"]);
    let example = |name: &str, text: &str| {
        place.write(&format!("problems/sum/submissions/accepted/{name}"), text);
    };
    example("right.py", programs::PYTHON);
    place.says(0, "check sum", &[]);
    let slow = "import time\nwhile time.process_time() < 0.6:\n    pass\n";
    example("slow.py", &format!("{slow}{}", programs::PYTHON));
    // How much more than that it takes is the machine's affair.
    let words = "of 1.00 s allowed: python3 0.|warning: accepted/slow.py takes 0.|\
        more than half of the limit";
    place.says(0, "check sum", &[words]);
    example("wrong.py", "print(3)\n");
    let words = "accepted/wrong.py: wrong answer on secret/1";
    place.says(1, "check sum", &[words]);
}
