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
    Course, Daemon, Row, Size, Trial, accepted_program, board, by_ratio, figure, ms, only_c, say,
    timed,
};

pub const NAME: &str = "incremental";

const SUBMISSIONS: usize = 500;
const SUBMISSIONS_SMALL: usize = 3;
const TESTS: usize = 20;
const TESTS_SMALL: usize = 2;
/// The number of the first hack's board: from there on, the wrong program gets them wrong.
const FIRST_HACK: usize = 20;
/// The limit after each hack. Of the times of the hacks the median counts.
const CPU_LIMITS_S: [f64; 5] = [1.9, 1.8, 1.7, 1.6, 1.5];
/// The target of `hack-wall`.
const HACK_WALL_MAX: f64 = 1.5;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let tests = size.pick(TESTS, TESTS_SMALL);
    let scene = Scene::new(submissions, tests);
    let (all, course) = (submissions as u64, &scene.course);
    let workers = scene.daemon.ready();
    let first = scene.work();
    assert_eq!((first.builds, first.runs), (all, all * tests as u64));
    course.assert_verdicts(submissions, 0);
    let programs = scene.programs();
    let mut alone: Vec<Trial> = (0..workers)
        .map(|worker| Trial::open(worker, &programs[0]))
        .collect();
    let mut walls = Vec::new();
    for (round, &cpu_s) in CPU_LIMITS_S[..size.pick(5, 1)].iter().enumerate() {
        let input = board(FIRST_HACK + round);
        let hack = format!("problems/curling/hacks/evil{round}.in");
        let before = run_alone(&mut alone, &programs, &input);
        let change = scene.change(|| course.write(&hack, &input));
        let after = run_alone(&mut alone, &programs, &input);
        assert_eq!((change.builds, change.runs), (0, all), "for a hack");
        course.assert_verdicts(submissions - 1, 1);
        let wall = change.wall;
        say(&format!(
            "hack {round}: {:.0} ms, alone {:.0} ms before and {:.0} ms after",
            ms(wall),
            ms(before),
            ms(after)
        ));
        walls.push((wall, (before + after) / 2));
        let remove = || fs::remove_file(course.folder.join(&hack)).expect("the hack goes");
        for (what, change) in [
            ("a hack removed", scene.change(remove)),
            ("a lower limit", scene.change(|| limit(course, cpu_s))),
        ] {
            assert_eq!((change.builds, change.runs), (0, 0), "{what}");
        }
        course.assert_verdicts(submissions, 0);
    }
    // The counts were exact in every round, or this would not be reached.
    let none = |name| Row::new(NAME, name, 0.0, "").at_most(0.0);
    let median = walls.len() / 2;
    vec![
        Row::new(NAME, "hack-runs", figure(all), "")
            .over(figure(all))
            .ratio_at_most(1.0),
        none("hack-builds"),
        Row::times(NAME, "hack-wall", by_ratio(walls)[median]).ratio_at_most(HACK_WALL_MAX),
        none("remove-runs"),
        none("limit-runs"),
    ]
}

/// The work that a change caused.
struct Change {
    builds: u64,
    runs: u64,
    wall: Duration,
}

/// A course at work, with as many students as there are submissions.
struct Scene {
    course: Course,
    daemon: Daemon,
    submissions: usize,
}

impl Scene {
    fn new(submissions: usize, tests: usize) -> Self {
        let course = Course::new(&only_c());
        course.add_problem("curling", tests);
        limit(&course, 2.0);
        for number in 1..submissions {
            course.submit(&format!("s{number}"), "curling", number);
        }
        course.write("submissions/s0/curling.c", wrong_on_hacks());
        Self {
            daemon: course.start(),
            course,
            submissions,
        }
    }

    /// Changes something, and waits until every submission has been judged once more.
    fn change(&self, change: impl FnOnce()) -> Change {
        change();
        self.work()
    }

    fn work(&self) -> Change {
        let work = self.daemon.judged(self.submissions);
        let wall = work
            .planned
            .map(|planned| work.end().duration_since(planned));
        Change {
            builds: work.builds,
            runs: work.runs,
            wall: wall.unwrap_or_default(),
        }
    }

    /// The built programs, from the store.
    fn programs(&self) -> Vec<Arc<[u8]>> {
        let query = "SELECT bytes FROM build_files JOIN blobs USING (digest)";
        let bytes = |row: &rusqlite::Row<'_>| Ok(Arc::from(row.get_ref(0)?.as_blob()?));
        let programs: Vec<Arc<[u8]>> = self.course.query(query, bytes);
        assert_eq!(programs.len(), self.submissions, "each has its own program");
        programs
    }
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
