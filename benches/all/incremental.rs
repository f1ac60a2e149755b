//! What a change costs in a course of 500 accepted submissions and 20 tests, with the real daemon.
//!
//! - `hack-runs`, `hack-builds`: runs and builds caused by one new hack, counted in the store
//!   and in the log.
//! - `hack-wall`: from the hack's plan to the last verdict published, over what the same programs
//!   cost when the same number of sandboxes does nothing but run each of them once on that hack.
//! - `remove-runs`: runs when the hack is removed again; `limit-runs`: runs when the time limit is
//!   lowered.
//!
//! One of the programs is wrong only on the hacks. After each change all verdicts are checked,
//! and the counts must be exact.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::common::{
    Daemon, JUDGED, Row, Size, Trial, field, figure, ms, only_c, say, store, timed, verdicts, write,
};

pub const NAME: &str = "incremental";

const SUBMISSIONS: usize = 500;
const SUBMISSIONS_SMALL: usize = 8;
const TESTS: usize = 20;
const TESTS_SMALL: usize = 3;
/// The number of the first hack's board: from there on, boards are of a kind that the wrong program
/// gets wrong.
const FIRST_HACK: usize = 20;
/// The limit after each hack. Of the times of the hacks the median counts.
const CPU_LIMITS_S: [f64; 5] = [1.9, 1.8, 1.7, 1.6, 1.5];
/// The target of `hack-wall`.
const HACK_WALL_MAX: f64 = 1.5;

pub fn rows(size: Size) -> Vec<Row> {
    let submissions = size.pick(SUBMISSIONS, SUBMISSIONS_SMALL);
    let course = Course::new(submissions, size.pick(TESTS, TESTS_SMALL));
    let daemon = Daemon::start(&course.folder);
    let (_, workers) = daemon.ready();
    let first = course.published(&daemon, &Facts::default());
    let all = submissions as u64;
    assert_eq!(first.builds, all, "each program is built");
    assert_eq!(first.runs, all * course.tests as u64, "on each test");
    course.assert_verdicts(0);
    let programs = course.programs();
    let mut alone = Alone::new(workers, &programs[0]);
    let mut walls = Vec::new();
    for (round, &cpu_s) in CPU_LIMITS_S[..size.pick(5, 1)].iter().enumerate() {
        let input = board(FIRST_HACK + round);
        let hack = course
            .folder
            .join(format!("problems/curling/hacks/evil{round}.in"));
        let before = alone.run(&programs, &input);
        let change = course.change(&daemon, || fs::write(&hack, &input).expect("a hack"));
        let after = alone.run(&programs, &input);
        assert_eq!((change.builds, change.runs), (0, all), "for a hack");
        course.assert_verdicts(1);
        if size == Size::Full {
            let [wall, before, after] = [change.wall, before, after].map(ms);
            say(&format!(
                "hack {round}: {wall:.0} ms, alone {before:.0} ms before and {after:.0} ms after"
            ));
        }
        walls.push((change.wall, (before + after) / 2));
        let change = course.change(&daemon, || fs::remove_file(&hack).expect("the hack goes"));
        assert_eq!((change.builds, change.runs), (0, 0), "for a hack removed");
        course.assert_verdicts(0);
        let change = course.change(&daemon, || course.limit(cpu_s));
        assert_eq!((change.builds, change.runs), (0, 0), "for a lower limit");
        course.assert_verdicts(0);
    }
    figures(all, walls)
}

/// The figures. The counts were exact in every round, or this would not be reached.
fn figures(all: u64, mut walls: Vec<(Duration, Duration)>) -> Vec<Row> {
    let ratio = |wall: &(Duration, Duration)| wall.0.as_secs_f64() / wall.1.as_secs_f64();
    walls.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let (wall, alone) = walls[walls.len() / 2];
    let none = |name| Row::new(NAME, name, 0.0, "").at_most(0.0);
    vec![
        Row::new(NAME, "hack-runs", figure(all), "")
            .over(figure(all))
            .ratio_at_most(1.0),
        none("hack-builds"),
        Row::new(NAME, "hack-wall", ms(wall), "ms")
            .over(ms(alone))
            .ratio_at_most(HACK_WALL_MAX),
        none("remove-runs"),
        none("limit-runs"),
    ]
}

/// A small board of its own for each number: a row with the stone at one end and the goal at the
/// other, and two closed ones.
fn board(number: usize) -> Vec<u8> {
    let width = 4 + number % 16;
    let blocked = |left: usize| {
        let row: Vec<&str> = (0..width)
            .map(|x| match x {
                0 => "2",
                x if x == left => "1",
                x if x + 1 == width => "3",
                _ => "0",
            })
            .collect();
        format!("{width} 1\n{}\n", row.join(" "))
    };
    let mut boards = String::new();
    for left in 1..=number / 16 + 2 {
        boards.push_str(&blocked(left % (width - 1)));
    }
    format!("{boards}0 0\n").into_bytes()
}

/// The work that a change caused.
struct Change {
    builds: u64,
    runs: u64,
    wall: Duration,
}

/// Every build and every run in the store, each with its time: one that is made again has another
/// time.
#[derive(Default)]
struct Facts {
    builds: BTreeSet<String>,
    runs: BTreeSet<String>,
}

/// A folder with a problem and as many students as there are submissions.
struct Course {
    folder: PathBuf,
    submissions: usize,
    tests: usize,
    _guard: tempfile::TempDir,
}

impl Course {
    fn new(submissions: usize, tests: usize) -> Self {
        let guard = tempfile::tempdir().expect("a scratch folder");
        let course = Self {
            folder: guard.path().to_owned(),
            submissions,
            tests,
            _guard: guard,
        };
        let at = |name: &str| course.folder.join(name);
        write(&at("config.toml"), only_c());
        write(&at("problems/curling/hacks/.keep"), "");
        course.limit(2.0);
        for test in 0..tests {
            let name = format!("problems/curling/data/secret/{test:02}.in");
            write(&at(&name), board(test));
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = root.join("problems/curling/submissions/accepted/deepening.c");
        let source = fs::read_to_string(source).expect("an accepted program");
        for number in 0..submissions {
            let source = if number == 0 {
                wrong_on_hacks(&source)
            } else {
                source.clone()
            };
            // Another text, another artifact: no program shares its facts with another one.
            let own = format!("static const int volatile own = {number};\n{source}");
            write(&at(&format!("submissions/s{number}/curling.c")), own);
        }
        course
    }

    fn limit(&self, cpu_s: f64) {
        let manifest = format!(
            "title = \"Curling\"\nreference = \"curling\"\n[limits]\ncpu_s = {cpu_s:.2}\nwall_s = 10.0\n[compare]\nmode = \"tokens\"\n"
        );
        write(&self.folder.join("problems/curling/problem.toml"), manifest);
    }

    /// Changes something, and waits until the effects are published.
    fn change(&self, daemon: &Daemon, change: impl FnOnce()) -> Change {
        let before = self.facts();
        change();
        self.published(daemon, &before)
    }

    /// Waits until every submission has been judged and published once more.
    fn published(&self, daemon: &Daemon, before: &Facts) -> Change {
        let (mut builds, mut runs, mut judged) = (0, 0, 0);
        let mut planned = None;
        loop {
            let (at, line) = daemon.next_line();
            if line.contains(" planned ") {
                planned.get_or_insert(at);
            } else if line.contains(JUDGED) {
                builds += field(&line, "builds").expect("a number of builds");
                runs += field(&line, "runs").expect("a number of runs");
                judged += 1;
            }
            assert!(!line.contains("fault"), "{line}");
            if judged >= self.submissions {
                let wall = planned.map_or(Duration::ZERO, |planned| at.duration_since(planned));
                let after = self.facts();
                let new_builds = after.builds.difference(&before.builds).count() as u64;
                let new_runs = after.runs.difference(&before.runs).count() as u64;
                assert_eq!((builds, runs), (new_builds, new_runs), "log and store");
                return Change { builds, runs, wall };
            }
        }
    }

    fn facts(&self) -> Facts {
        let store = store(&self.folder);
        let read = |query: &str| {
            let mut statement = store.prepare(query).expect("the store's tables");
            let rows = statement.query_map([], |row| row.get(0)).expect("facts");
            rows.collect::<Result<_, _>>().expect("facts")
        };
        Facts {
            builds: read("SELECT hex(key) || built_ms FROM builds"),
            runs: read("SELECT hex(artifact_key) || hex(input_digest) || measured_ms FROM runs"),
        }
    }

    /// Asserts that this many programs are wrong, and the others right.
    fn assert_verdicts(&self, wrong: u64) {
        let mut expected = BTreeMap::from([("AC".to_owned(), self.submissions as u64 - wrong)]);
        if wrong > 0 {
            expected.insert("WA".to_owned(), wrong);
        }
        assert_eq!(verdicts(&self.folder), expected);
    }

    /// The built programs, from the store.
    fn programs(&self) -> Vec<Arc<[u8]>> {
        let store = store(&self.folder);
        let mut statement = store
            .prepare("SELECT bytes FROM build_files JOIN blobs USING (digest)")
            .expect("the store's tables");
        let programs: Vec<Arc<[u8]>> = statement
            .query_map([], |row| Ok(Arc::from(row.get_ref(0)?.as_blob()?)))
            .expect("programs")
            .collect::<Result<_, _>>()
            .expect("their bytes");
        assert_eq!(programs.len(), self.submissions, "each has its own program");
        programs
    }
}

/// The program with a mistake that no test shows: it is wrong on a third board that is wide.
fn wrong_on_hacks(source: &str) -> String {
    let right = "printf(\"%d\\n\", ";
    let wrong = "static int boards; printf(\"%d\\n\", ++boards == 3 && w >= 8 ? 0 : ";
    assert!(source.contains(right), "where it prints");
    source.replace(right, wrong)
}

/// Sandboxes that do nothing but run programs.
struct Alone {
    trials: Vec<Trial>,
}

impl Alone {
    fn new(workers: usize, program: &Arc<[u8]>) -> Self {
        let open = |worker| Trial::open(worker, program).expect("a sandbox");
        Self {
            trials: (0..workers).map(open).collect(),
        }
    }

    /// Each program once in a room of its own, on this input.
    fn run(&mut self, programs: &[Arc<[u8]>], input: &[u8]) -> Duration {
        let input: Arc<[u8]> = Arc::from(input);
        let next = AtomicUsize::new(0);
        timed(|| {
            std::thread::scope(|scope| {
                for trial in &mut self.trials {
                    let (next, input) = (&next, Arc::clone(&input));
                    scope.spawn(move || {
                        trial.set_input(input);
                        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed))
                        {
                            trial.set_program(Arc::clone(program));
                            trial.enter().expect("a room");
                            let ran = trial.run().expect("a run");
                            assert_eq!(ran.exit, Some(0), "{ran:?}");
                        }
                    });
                }
            });
        })
    }
}
