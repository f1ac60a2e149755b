//! Bench: what a change costs in a course of 500 accepted submissions and 20 tests, with the real daemon.
//!
//! - `hack-runs`, `hack-builds`: runs and builds that one new hack asks for, counted.
//! - `hack-wall`: from the hack's plan to the last verdict published, over what the same programs cost
//!   when the same number of sandboxes does nothing but run each of them once on that hack (`ratio`).
//! - `remove-runs`: runs when the hack is removed again; `limit-runs`: runs when the time limit is lowered.
//!
//! With `--few` there are 50 submissions, to try the bench itself.

#[path = "common/rows.rs"]
mod common;
#[path = "common/daemon.rs"]
mod daemon;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::Row;
use daemon::{Daemon, field, figure, only_c};
use rusqlite::{Connection, OpenFlags};
use verdictd::bench::Trial;

const SUBMISSIONS: usize = 500;
const SUBMISSIONS_FEW: usize = 50;
const TESTS: usize = 20;
/// The limit after each hack. Of the times of the hacks the median counts.
const CPU_LIMITS_S: [f64; 5] = [1.9, 1.8, 1.7, 1.6, 1.5];
/// The reach of `hack-wall`.
const HACK_WALL_MAX: f64 = 1.5;

const PROBLEM: &str = "problems/curling/problem.toml";

fn main() -> ExitCode {
    // The sandbox starts this program again as a part of itself.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    let few = std::env::args().any(|argument| argument == "--few");
    let course = Course::new(if few { SUBMISSIONS_FEW } else { SUBMISSIONS });
    let daemon = Daemon::start(&course.folder);
    let (_, workers) = daemon.ready();
    say(&format!(
        "building and judging {} programs with {workers} workers",
        course.submissions
    ));
    course.published(&daemon);
    let programs = course.programs();
    let mut alone = Alone::new(workers, &programs[0]);
    let (mut hacks, mut removals, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    for (round, cpu_s) in CPU_LIMITS_S.into_iter().enumerate() {
        let input = board(TESTS + round);
        let hack = course
            .folder
            .join(format!("problems/curling/hacks/evil{round}.in"));
        let before = alone.run(&programs, &input);
        fs::write(&hack, &input).expect("a hack");
        let change = course.published(&daemon);
        let after = alone.run(&programs, &input);
        say(&format!(
            "hack {round}: {:.0} ms, alone {:.0} ms before and {:.0} ms after",
            ms(change.wall),
            ms(before),
            ms(after)
        ));
        hacks.push((change, (before + after) / 2));
        fs::remove_file(&hack).expect("the hack goes");
        removals.push(course.published(&daemon));
        course.limit(cpu_s);
        limits.push(course.published(&daemon));
    }
    let rows = rows(&course, &hacks, &removals, &limits);
    common::print(&rows);
    ExitCode::SUCCESS
}

fn rows(
    course: &Course,
    hacks: &[(Change, Duration)],
    removals: &[Change],
    limits: &[Change],
) -> Vec<Row> {
    let count = |row, value: u64, expected: u64| Row {
        bench: "incremental",
        row,
        value: figure(value),
        unit: "",
        baseline: Some(figure(expected)),
        ratio: None,
    };
    // Every round has to be right, so the one that is furthest off counts.
    let expected = course.submissions as u64;
    let runs = hacks.iter().map(|(change, _)| change.runs);
    let furthest = runs.max_by_key(|runs| runs.abs_diff(expected));
    let builds = hacks.iter().map(|(change, _)| change.builds).max();
    let most = |changes: &[Change]| changes.iter().map(|change| change.runs).max();
    let mut walls: Vec<_> = hacks
        .iter()
        .map(|(change, alone)| {
            (
                change.wall.as_secs_f64() / alone.as_secs_f64(),
                change,
                alone,
            )
        })
        .collect();
    walls.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let (ratio, change, alone) = walls[walls.len() / 2];
    say(&format!(
        "hack-wall is to be at most {HACK_WALL_MAX}: {}",
        if ratio <= HACK_WALL_MAX {
            "reached"
        } else {
            "missed"
        }
    ));
    vec![
        count("hack-runs", furthest.unwrap_or_default(), expected),
        count("hack-builds", builds.unwrap_or_default(), 0),
        Row {
            bench: "incremental",
            row: "hack-wall",
            value: ms(change.wall),
            unit: "ms",
            baseline: Some(ms(*alone)),
            ratio: Some(ratio),
        },
        count("remove-runs", most(removals).unwrap_or_default(), 0),
        count("limit-runs", most(limits).unwrap_or_default(), 0),
    ]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(
    clippy::print_stderr,
    reason = "the table alone goes to standard output"
)]
fn say(text: &str) {
    eprintln!("{text}");
}

/// A small board of its own for each number: a row with the stone at one end and the goal at the other, and two closed ones.
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

/// What a change has made the daemon do.
struct Change {
    builds: u64,
    runs: u64,
    wall: Duration,
}

/// A folder with a problem and as many students as there are submissions.
struct Course {
    folder: PathBuf,
    submissions: usize,
    _guard: tempfile::TempDir,
}

impl Course {
    fn new(submissions: usize) -> Self {
        let guard = tempfile::tempdir().expect("a scratch folder");
        let course = Self {
            folder: guard.path().to_owned(),
            submissions,
            _guard: guard,
        };
        let write = |name: &str, bytes: &[u8]| {
            let path = course.folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        };
        write("config.toml", only_c().as_bytes());
        write("problems/curling/hacks/.keep", b"");
        course.limit(2.0);
        for test in 0..TESTS {
            let name = format!("problems/curling/data/secret/{test:02}.in");
            write(&name, &board(test));
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = root.join("problems/curling/submissions/accepted/deepening.c");
        let source = fs::read_to_string(source).expect("an accepted program");
        for number in 0..submissions {
            // Another text, another artifact: no program shares its facts with another one.
            let own = format!("static const int volatile own = {number};\n{source}");
            write(&format!("submissions/s{number}/curling.c"), own.as_bytes());
        }
        course
    }

    fn limit(&self, cpu_s: f64) {
        let manifest = format!(
            "title = \"Curling\"\nreference = \"curling\"\n[limits]\ncpu_s = {cpu_s:.2}\nwall_s = 10.0\n[compare]\nmode = \"tokens\"\n"
        );
        let path = self.folder.join(PROBLEM);
        fs::write(path, manifest).expect("the problem's file");
    }

    /// Waits until every submission has been judged and published once more.
    fn published(&self, daemon: &Daemon) -> Change {
        let (mut builds, mut runs, mut published) = (0, 0, 0);
        let mut planned = None;
        loop {
            let (at, line) = daemon.next_line();
            if line.contains(" planned ") {
                planned.get_or_insert(at);
            } else if line.contains(" judged ") {
                builds += field(&line, "builds").expect("a number of builds");
                runs += field(&line, "runs").expect("a number of runs");
            } else if line.contains(" published ") {
                published += field(&line, "judgements").expect("a number of judgements");
            }
            assert!(!line.contains("fault"), "{line}");
            if published >= self.submissions as u64 {
                let wall = planned.map_or(Duration::ZERO, |planned| at.duration_since(planned));
                return Change { builds, runs, wall };
            }
        }
    }

    /// The built programs, from the store.
    fn programs(&self) -> Vec<Arc<[u8]>> {
        let file = self.folder.join("state/verdictd.db");
        let store = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .expect("the store opens");
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
        let start = Instant::now();
        std::thread::scope(|scope| {
            for trial in &mut self.trials {
                let (next, input) = (&next, Arc::clone(&input));
                scope.spawn(move || {
                    trial.set_input(input);
                    while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        trial.set_program(Arc::clone(program));
                        trial.enter().expect("a room");
                        let ran = trial.run().expect("a run");
                        assert_eq!(ran.exit, Some(0), "{ran:?}");
                    }
                });
            }
        });
        start.elapsed()
    }
}
