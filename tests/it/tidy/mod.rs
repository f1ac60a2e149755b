//! The code keeps to its own rules: layers, module heads, sizes, where `unsafe` may be used, one
//! reason per dependency.

pub mod documents;
mod modules;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::place::below;

const FILE_LINES_MAX: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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
        if let Some(line) = text.lines().position(|line| line.ends_with([' ', '\t'])) {
            wrong.push(format!("{file}:{}: spaces at the end", line + 1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_stays_where_it_belongs() {
    let mut wrong = Vec::new();
    for (file, text) in rust_files("src") {
        let code = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default());
        for (number, line) in code.enumerate() {
            let has_unsafe = line.contains("unsafe {") || line.contains("unsafe fn");
            if has_unsafe && file != "src/sandbox/sys.rs" {
                wrong.push(format!("{file}:{}: unsafe", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let mut in_dependencies = false;
    let mut counted = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        } else if in_dependencies && line.contains('=') {
            assert!(line.contains(" # "), "no reason: {line}");
            counted += 1;
        }
    }
    assert!(counted > 10);
}

#[test]
fn make_installs_the_compiler_of_every_language() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let table = fs::read_to_string(root().join("src/config/languages.toml")).unwrap();
    let table: toml::Table = table.parse().unwrap();
    for (key, language) in table["languages"].as_table().unwrap() {
        let compiler = language["version"][0].as_str().unwrap();
        let need = format!(" {compiler}:");
        // The compiler that builds this project is installed.
        let is_named = compiler == "rustc" || makefile.contains(&need);
        assert!(
            is_named,
            "{key}: `{compiler}` is in no list of the Makefile"
        );
    }
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
        .flat_map(|(_, text)| text.split('"'))
        // A number after the name says which time it is reached.
        .map(|name| name.split(':').next().unwrap_or_default().to_owned())
        .collect();
    let missing: Vec<_> = named.difference(&killed_at).collect();
    assert!(missing.is_empty(), "no test kills at {missing:?}");
}

#[test]
fn generated_inputs_are_the_same_in_every_run() {
    let begin = ["proptest", "!"].concat();
    for (file, text) in ["src", "tests"].into_iter().flat_map(rust_files) {
        for part in text.split(&begin).skip(1) {
            let head = part.split("#[test]").next().unwrap_or_default();
            assert!(
                head.contains("trials("),
                "{file}: not by util::tests::trials"
            );
        }
    }
}

#[test]
fn no_unfinished_code_and_no_sleeping_tests() {
    // Written in two halves, so that this file does not find itself.
    let words = [
        ["todo", "!("],
        ["unimplemented", "!("],
        ["#[ig", "nore"],
        ["should_", "panic"],
        ["FIX", "ME"],
    ]
    .map(|halves| halves.concat());
    let sleeps = ["thread::", "sleep"].concat();
    let mut wrong = Vec::new();
    for (file, text) in ["src", "tests"].into_iter().flat_map(rust_files) {
        for (number, line) in text.lines().enumerate() {
            let sleeps = file.starts_with("tests/") && line.contains(&sleeps);
            if sleeps || words.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{file}:{}: {line}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
