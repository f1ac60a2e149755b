//! What a test could not try because the machine lacks something: always reported.

use std::fs::OpenOptions;
use std::io::Write as _;

/// The file that `make test` reads, because the test runner swallows the output of passing tests.
const LIST: &str = "VERDICTD_SKIPPED";

/// Notes that something could not be tried here. In CI, where everything can be installed, this
/// fails.
pub fn skipped(why: &str) {
    let holds = std::env::var_os("CI").is_none();
    assert!(holds, "CI lacks something: {why}");
    note(why);
}

/// Notes it, and fails nowhere.
pub fn note(why: &str) {
    let Some(list) = std::env::var_os(LIST) else {
        // If standard error is closed, nobody wants to know.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return;
    };
    let list = OpenOptions::new().create(true).append(true).open(list);
    writeln!(list.unwrap(), "{why}").unwrap();
}
