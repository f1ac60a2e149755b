//! What a test could not try because the machine lacks something: always reported.

use std::fs::OpenOptions;
use std::io::Write as _;

/// The file that `make test` reads, because the test runner swallows the output of passing tests.
const LIST: &str = "VERDICTD_SKIPPED";

/// Notes that something could not be tried here. In CI, where everything can be installed, this
/// fails.
pub fn skipped(why: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "CI lacks something: {why}"
    );
    note(why);
}

fn note(why: &str) {
    let Some(list) = std::env::var_os(LIST) else {
        // If standard error is closed, nobody wants to know.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return;
    };
    let mut list = OpenOptions::new()
        .create(true)
        .append(true)
        .open(list)
        .unwrap();
    writeln!(list, "{why}").unwrap();
}

/// Notes what only `make soak` tries, because getting it would take longer than every other test.
pub fn left_to_soak(what: &str) {
    if std::env::var_os("SOAK").is_some_and(|value| value == "1") {
        skipped(what);
    } else {
        note(&format!("{what} (`make soak` tries it)"));
    }
}

/// Notes that a language is not installed here. The compilers that are too large to be installed
/// for each run are listed in the Makefile.
pub fn without_language(key: &str, why: &str) {
    let table = include_str!("../../src/config/languages.toml");
    let table: toml::Table = table.parse().unwrap();
    let compiler = table["languages"][key]["version"][0].as_str().unwrap();
    let large = include_str!("../../Makefile")
        .lines()
        .find_map(|line| line.strip_prefix("SOAK_NEEDS := "))
        .unwrap();
    let mut programs = large.split(' ').filter_map(|need| need.split(':').next());
    let note = if programs.any(|program| program == compiler) {
        left_to_soak
    } else {
        skipped
    };
    note(&format!("{key}: {why}"));
}
