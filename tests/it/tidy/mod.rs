//! The code keeps to its own rules: layers, module heads, sizes, tests that neither sleep nor are
//! left out.

pub mod documents;
mod modules;

use std::collections::BTreeSet;
use std::fs;

use crate::place::{below, root};

const FILE_LINES_MAX: usize = 500;

fn rust_files(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in below(&root().join(folder)) {
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(!found.is_empty());
    found
}

#[test]
fn files_say_what_they_are_for_and_stay_small() {
    let mut wrong = Vec::new();
    for (file, text) in ["src", "tests", "benches"].into_iter().flat_map(rust_files) {
        if !text.starts_with("//! ") {
            wrong.push(format!("{file}: does not begin with `//!`"));
        }
        if text.lines().count() > FILE_LINES_MAX {
            wrong.push(format!("{file}: longer than {FILE_LINES_MAX} lines"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every part of a text between two marks.
fn between<'a>(text: &'a str, begin: &'a str, end: char) -> impl Iterator<Item = &'a str> {
    let parts = text.split(begin).skip(1);
    parts.filter_map(move |part| part.split_once(end).map(|(inside, _)| inside))
}

#[test]
fn every_step_that_the_daemon_names_is_one_that_a_test_kills_it_at() {
    let call = ["poi", "nt(\""].concat();
    let named: BTreeSet<String> = rust_files("src")
        .iter()
        .flat_map(|(_, text)| between(text, &call, '"'))
        .map(str::to_owned)
        .collect();
    assert!(named.len() > 20, "{named:?}");
    // A name that the daemon does not have is never reached, and the test with it fails.
    let killed_at: BTreeSet<String> = rust_files("tests/it")
        .iter()
        .filter(|(_, text)| {
            let ways = [
                ["kill", "_at("],
                ["VERDICTD_", "CRASH_AT"],
                ["env(CRASH", "_AT"],
            ];
            ways.iter().any(|halves| text.contains(&halves.concat()))
        })
        .flat_map(|(_, text)| text.split(['"', '|']))
        // Names may stand over several lines; a number after one says which time it is reached.
        .map(|name| name.trim_start_matches(['\\', '\n', ' ']).split(':').next())
        .map(|name| name.unwrap_or_default().to_owned())
        .collect();
    let missing: Vec<_> = named.difference(&killed_at).collect();
    assert!(missing.is_empty(), "no test kills at {missing:?}");
}

#[test]
fn no_test_sleeps_or_is_ignored() {
    // Written in two halves, so that this file does not find itself.
    let [sleeps, ignored] = [["thread::", "sleep"], ["#[ig", "nore"]].map(|halves| halves.concat());
    for (file, text) in ["src", "tests"].into_iter().flat_map(rust_files) {
        assert!(!text.contains(&ignored), "{file}: {ignored}");
        let is_test = file.starts_with("tests/");
        assert!(!is_test || !text.contains(&sleeps), "{file}: {sleeps}");
    }
}
