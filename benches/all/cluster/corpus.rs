//! Submissions judged by two remote workers and by the daemon's own two places.

use std::time::Duration;

use super::NAME;
use super::stage::{PLACES, Server, Stage};
use crate::common::{Course, Row, Size, board, medians, ms, only_c, say};

/// Submissions of a round.
const SUBMISSIONS: usize = 100;
const SUBMISSIONS_SMALL: usize = 2;
/// Rounds; the medians count. All submissions together get the hack.
const ROUNDS: usize = 5;
/// Tests of the problem.
const TESTS: usize = 20;
const TESTS_SMALL: usize = 2;
/// The target: 0.92 of the throughput.
const RATIO_MAX: f64 = 1.0 / 0.92;

pub fn rows(size: Size, server: &Server) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let (rounds, tests) = size.pick((ROUNDS, TESTS), (1, TESTS_SMALL));
    let [own, remote] = [(); 2].map(|()| {
        let course = Course::new(&only_c());
        course.add_problem("curling", tests);
        course
    });
    let all = submissions * rounds;
    let mut hack = (0, 0);
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let numbers = round * submissions..(round + 1) * submissions;
        let alone = Stage::start(&own, server, 0);
        let by_daemon = judged(&own, &alone, numbers.clone(), tests);
        alone.end();
        let stage = Stage::start(&remote, server, PLACES);
        let by_workers = judged(&remote, &stage, numbers, tests);
        if round + 1 == rounds {
            remote.write("problems/curling/hacks/evil.in", board(tests));
            let work = stage.daemon.judged(all);
            hack = (work.builds, work.runs);
        }
        stage.end();
        let [workers, daemon] = [by_workers, by_daemon].map(ms);
        say(&format!(
            "round {round}: {workers:.0} ms by workers, {daemon:.0} by the daemon"
        ));
        pairs.push((by_workers, by_daemon));
    }
    assert_eq!(hack, (0, all as u64), "for a hack");
    vec![Row::times(NAME, "two-workers", medians(pairs)).ratio_at_most(RATIO_MAX)]
}

/// From the first of new submissions that is judged to the last one.
fn judged(
    course: &Course,
    stage: &Stage,
    numbers: std::ops::Range<usize>,
    tests: usize,
) -> Duration {
    let (count, end) = (numbers.len(), numbers.end);
    for number in numbers {
        course.submit(&format!("s{number}"), "curling", number);
    }
    let work = stage.daemon.judged(count);
    let expected = (count as u64, (count * tests) as u64);
    assert_eq!((work.builds, work.runs), expected, "builds and runs");
    course.assert_verdicts(end, 0);
    work.end().duration_since(work.judged[0])
}
