//! What a machine lacks and a test therefore did not try: never silently.

use std::fs::OpenOptions;
use std::io::Write as _;

/// Where `make test` looks for what was skipped, because the test runner swallows the words of tests that pass.
const LIST: &str = "VERDICTD_SKIPPED";

/// Notes that something could not be tried here. In CI that fails: there everything can be installed.
pub fn skipped(why: &str) {
    assert!(
        std::env::var_os("CI").is_none(),
        "CI lacks something: {why}"
    );
    note(why);
}

fn note(why: &str) {
    let Some(list) = std::env::var_os(LIST) else {
        // Whoever closed standard error does not want to know.
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
