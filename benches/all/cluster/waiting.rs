//! A daemon with many orders that wait, and nobody to do them.

use std::fs;

use super::NAME;
use super::stage::{Server, cluster};
use crate::common::{JUDGED, Row, School, Size, TESTS, board, field, say, slug};

const SUBMISSIONS: usize = 100_000;
const SUBMISSIONS_SMALL: usize = 100;
/// Submissions for one problem; the others share the rest.
const OF_ONE_PROBLEM: usize = 5_000;
const MEMORY_MB_MAX: f64 = 150.0;

pub fn rows(size: Size, server: &Server) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let school = School::new(size);
    school.fill(submissions, OF_ONE_PROBLEM);
    let course = &school.course;
    course.write("config.toml", cluster(server));
    let daemon = course.start();
    daemon.ready();
    daemon.at_rest();
    let before = daemon.memory_mb();
    // Another test for every problem: everybody's program has to be run on it.
    for problem in 0..school.problems {
        let hack = format!("problems/{}/hacks/evil.in", slug(problem));
        course.write(&hack, board(TESTS));
    }
    let mut planned = 0;
    while planned < submissions as u64 {
        let (_, line) = daemon.next_line();
        if line.contains(" planned ") {
            planned += field(&line, "submissions");
        }
        assert!(!line.contains(JUDGED), "{line}");
    }
    daemon.at_rest();
    let memory_mb = daemon.memory_mb();
    let store = fs::metadata(course.folder.join("state/verdictd.db")).expect("the store");
    let each = store.len() / submissions as u64;
    say(&format!(
        "{memory_mb:.0} MB, and {each} bytes of the store for each submission"
    ));
    // Nothing else is judged.
    course.assert_verdicts(submissions, 0);
    vec![
        Row::new(NAME, "memory", memory_mb, "MB")
            .over(before)
            .at_most(MEMORY_MB_MAX),
    ]
}
