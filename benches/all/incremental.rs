//! What a change costs in a course of 500 accepted submissions and 20 tests, with the real daemon.
//!
//! - `hack-runs`, `hack-builds`: runs and builds caused by one new hack, as the log counts them.
//! - `hack-wall`: from the hack's plan to the last verdict published, over what the same programs
//!   cost when the same number of sandboxes does nothing but run each of them once on that hack.
//! - `remove-runs`: runs when the hack is removed again; `limit-runs`: runs when the time limit is
//!   lowered.
//!
//! One of the programs is wrong only on the hacks. After each change all verdicts are checked,
//! and the counts must be exact.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{
    Course, Row, Size, Trial, accepted_program, board, figure, medians, only_c, timed,
};

pub const NAME: &str = "incremental";

const SUBMISSIONS: usize = 500;
const SUBMISSIONS_SMALL: usize = 3;
const TESTS: usize = 20;
const TESTS_SMALL: usize = 2;
/// The number of the first hack's board: from there on, the wrong program gets them wrong.
const FIRST_HACK: usize = 20;
/// The limit after each hack. Of the times the medians count.
const CPU_LIMITS_S: [f64; 5] = [1.9, 1.8, 1.7, 1.6, 1.5];
/// The target of `hack-wall`.
const HACK_WALL_MAX: f64 = 1.5;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let tests = size.pick(TESTS, TESTS_SMALL);
    let all = submissions as u64;
    let course = Course::new(&only_c());
    course.add_problem("curling", tests);
    limit(&course, 2.0);
    for number in 1..submissions {
        course.submit(&format!("s{number}"), "curling", number);
    }
    course.write("submissions/s0/curling.c", wrong_on_hacks());
    let daemon = course.start();
    let workers = daemon.ready();
    let first = daemon.judged(submissions);
    assert_eq!((first.builds, first.runs), (all, all * tests as u64));
    course.assert_verdicts(submissions, 0);
    // The built programs, from the store.
    let query = "SELECT bytes FROM build_files JOIN blobs USING (digest)";
    let programs = course.query(query, |row| Ok(Arc::from(row.get_ref(0)?.as_blob()?)));
    assert_eq!(programs.len(), submissions, "each has its own program");
    let open = |worker| Trial::open(worker, &programs[0]);
    let mut alone: Vec<Trial> = (0..workers).map(open).collect();
    let mut walls = Vec::new();
    for (round, &cpu_s) in CPU_LIMITS_S[..size.pick(5, 1)].iter().enumerate() {
        let input = board(FIRST_HACK + round);
        let hack = format!("problems/curling/hacks/evil{round}.in");
        let before = run_alone(&mut alone, &programs, &input);
        course.write(&hack, &input);
        let change = daemon.judged(submissions);
        let after = run_alone(&mut alone, &programs, &input);
        assert_eq!((change.builds, change.runs), (0, all), "for a hack");
        course.assert_verdicts(submissions - 1, 1);
        let planned = change.planned.expect("a plan");
        walls.push((change.end().duration_since(planned), (before + after) / 2));
        fs::remove_file(course.folder.join(&hack)).expect("the hack goes");
        let removed = daemon.judged(submissions);
        limit(&course, cpu_s);
        for change in [removed, daemon.judged(submissions)] {
            assert_eq!((change.builds, change.runs), (0, 0), "for a known test");
        }
        course.assert_verdicts(submissions, 0);
    }
    // The counts were exact in every round, or this would not be reached.
    let none = |name| Row::new(NAME, name, 0.0, "").at_most(0.0);
    let runs = Row::new(NAME, "hack-runs", figure(all), "").over(figure(all));
    vec![
        runs.ratio_at_most(1.0),
        none("hack-builds"),
        Row::times(NAME, "hack-wall", medians(walls)).ratio_at_most(HACK_WALL_MAX),
        none("remove-runs"),
        none("limit-runs"),
    ]
}

fn limit(course: &Course, cpu_s: f64) {
    let manifest = format!(
        "title = \"Curling\"\nreference = \"curling\"\n[limits]\ncpu_s = {cpu_s:.2}\nwall_s = 10.0\n[compare]\nmode = \"tokens\"\n"
    );
    course.write("problems/curling/problem.toml", manifest);
}

/// The program with a mistake that no test shows: it is wrong on a third board that is wide.
fn wrong_on_hacks() -> String {
    let right = "printf(\"%d\\n\", ";
    let wrong = "static int boards; printf(\"%d\\n\", ++boards == 3 && w >= 8 ? 0 : ";
    let source = accepted_program();
    assert!(source.contains(right), "where it prints");
    source.replace(right, wrong)
}

/// Sandboxes that do nothing but run each program once in a room of its own, on this input.
fn run_alone(trials: &mut [Trial], programs: &[Arc<[u8]>], input: &[u8]) -> Duration {
    let next = AtomicUsize::new(0);
    let work = |trial: &mut Trial| {
        trial.job.stdin = input.into();
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            trial.enter(Arc::clone(program));
            trial.run_well();
        }
    };
    timed(|| {
        std::thread::scope(|scope| {
            for trial in trials {
                scope.spawn(|| work(trial));
            }
        });
    })
}
