//! A daemon with many orders that wait, and nobody to do them.

use std::collections::BTreeMap;
use std::fs;

use super::NAME;
use super::server::Server;
use super::stage::cluster;
use crate::common::{
    Daemon, JUDGED, PROBLEMS, Row, School, Size, TESTS, board, field, only_c, say, timed, verdicts,
};

const SUBMISSIONS: usize = 100_000;
const SUBMISSIONS_SMALL: usize = 100;
/// Submissions for one problem; the others share the rest.
const OF_ONE_PROBLEM: usize = 5_000;
const MEMORY_MB_MAX: f64 = 150.0;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let server = Server::start();
    let school = School::new();
    let wrote = timed(|| school.fill(submissions, OF_ONE_PROBLEM));
    say(&format!(
        "{submissions} submissions were written in {:.1} s",
        wrote.as_secs_f64()
    ));
    school.write("config.toml", cluster(&only_c(), &server.url()));
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    daemon.at_rest();
    let before = daemon.memory_kib("VmHWM") * 1024.0 / 1e6;
    // Another test for every problem: everybody's program has to be run on it.
    for problem in 0..PROBLEMS {
        school.write(
            &format!("problems/p{problem:02}/hacks/evil.in"),
            board(TESTS),
        );
    }
    let mut planned = 0;
    while planned < submissions as u64 {
        let (_, line) = daemon.next_line();
        if line.contains(" planned ") {
            planned += field(&line, "submissions").expect("a number");
        }
        assert!(!line.contains(JUDGED), "{line}");
    }
    daemon.at_rest();
    let memory_mb = daemon.memory_kib("VmHWM") * 1024.0 / 1e6;
    let store = fs::metadata(school.folder.join("state/verdictd.db")).expect("the store");
    let each = store.len() / submissions as u64;
    say(&format!(
        "{memory_mb:.0} MB, and {each} bytes of the store for each submission"
    ));
    let all = BTreeMap::from([("AC".to_owned(), submissions as u64)]);
    assert_eq!(verdicts(&school.folder), all, "nothing is judged");
    vec![
        Row::new(NAME, "memory", memory_mb, "MB")
            .over(before)
            .at_most(MEMORY_MB_MAX),
    ]
}
