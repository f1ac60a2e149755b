//! What a test could not try because the machine lacks something: always reported.

use std::fs::OpenOptions;
use std::io::Write as _;

use crate::place::is_soak;

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
    if is_soak() {
        skipped(what);
    } else {
        note(&format!("{what} (`make soak` tries it)"));
    }
}
