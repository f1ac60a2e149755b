//! Bench: what the sandbox costs, as ratios to a bare `posix_spawn` of the same static program in the same run.
//!
//! - `return0`: a static `return 0` with every protection on, in a room that stands; `ratio` is over the bare program.
//! - `return0-bubblewrap`: the same program in bubblewrap with all namespaces, where it is installed.
//! - `echo-1mib`: 1 MiB of input copied to the output; the bare program copies from file to file.
//! - `two-workers`: runs a second of two workers (`value`) over those of one (`baseline`).
//! - `rebuild`: a fresh room made from nothing; `enter`: what of it a worker waits for.
//! - `fork-bomb-kill`: from the decision to end a fork bomb to nothing left and the room ready for the next run.
//!
//! Runs of the rows that are compared take turns, so that noise of the machine meets both alike.

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use common::Row;
use verdictd::bench::Trial;

/// Timings of each row, of which the median counts.
const RUNS: usize = 300;
/// Runs before the first that counts.
const WARM_UPS: usize = 10;
/// Runs of each worker between two looks at the clock.
const RUNS_A_TURN: u32 = 30;
/// Runs between two rooms.
const RUNS_IN_A_ROOM: usize = 5;
/// Fork bombs; each takes a while to grow.
const BOMBS: usize = 30;
const MIB: usize = 1024 * 1024;

const RETURN_0: &str = "int main(void) { return 0; }";
const ECHO: &str = "#include <unistd.h>\nstatic char block[1 << 16];\nint main(void) {\n\
    for (;;) { ssize_t got = read(0, block, sizeof block); if (got <= 0) return got < 0;\n\
    for (ssize_t at = 0; at < got;) { ssize_t put = write(1, block + at, got - at); if (put < 0) return 2; at += put; } } }";
const BOMB: &str = "#include <unistd.h>\nint main(void) { for (;;) fork(); }";

fn main() -> ExitCode {
    // The sandbox starts this program again as a part of itself.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    let bench = Bench::new();
    let mut rows = bench.return_0();
    rows.push(bench.echo());
    rows.push(bench.two_workers());
    rows.extend(bench.rooms());
    rows.push(bench.bomb());
    common::print(&rows);
    ExitCode::SUCCESS
}

fn row(name: &'static str, value: f64, unit: &'static str, baseline: Option<f64>) -> Row {
    Row {
        bench: "sandbox",
        row: name,
        value,
        unit,
        baseline,
        ratio: baseline.map(|baseline| value / baseline),
    }
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[expect(
    clippy::print_stderr,
    reason = "the table alone goes to standard output"
)]
fn say(text: &str) {
    eprintln!("{text}");
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn timed<T>(work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    work();
    us(began.elapsed())
}

/// The medians of two things in microseconds, measured in turns.
fn in_turns<One, Other>(
    mut one: impl FnMut() -> One,
    mut other: impl FnMut() -> Other,
) -> (f64, f64) {
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for turn in 0..RUNS + WARM_UPS {
        let times = (timed(&mut one), timed(&mut other));
        if turn >= WARM_UPS {
            ones.push(times.0);
            others.push(times.1);
        }
    }
    (median(ones), median(others))
}

/// Programs and files of the bench.
struct Bench {
    folder: tempfile::TempDir,
    bubblewrap: bool,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        for (name, source) in [("return0", RETURN_0), ("echo", ECHO), ("bomb", BOMB)] {
            let file = folder.path().join(format!("{name}.c"));
            fs::write(&file, source).expect("a source");
            let status = Command::new("gcc")
                .args(["-O2", "-static", "-o"])
                .args([folder.path().join(name), file])
                .status()
                .expect("gcc is installed");
            assert!(status.success(), "gcc builds {name}");
        }
        let path = folder.path();
        fs::write(path.join("empty"), "").expect("an input");
        fs::write(path.join("mebibyte"), vec![b'x'; MIB]).expect("an input");
        let bubblewrap = Command::new("bwrap")
            .arg("--version")
            .stdout(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !bubblewrap {
            say("bubblewrap is not installed; its row is left out");
        }
        Self { folder, bubblewrap }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn trial(&self, worker: usize, program: &str) -> Trial {
        let program = fs::read(self.path(program)).expect("a program");
        Trial::open(worker, &program).expect("every protection of the sandbox is on here")
    }

    /// Runs a program from file to file, as bare as can be: `Command` without a hook is `posix_spawn`.
    fn spawn(&self, mut command: Command, input: &str) {
        let input = File::open(self.path(input)).expect("the input");
        let output = File::create(self.path("output")).expect("the output");
        let status = command
            .stdin(input)
            .stdout(output)
            .env_clear()
            .status()
            .expect("the program starts");
        assert!(status.success(), "{status}");
    }

    fn bare(&self, program: &str, input: &str) {
        self.spawn(Command::new(self.path(program)), input);
    }

    fn in_bubblewrap(&self, program: &str) {
        let mut command = Command::new("/usr/bin/bwrap");
        command.args(["--unshare-all", "--die-with-parent", "--new-session"]);
        for folder in ["/usr", "/bin", "/lib", "/lib64"] {
            if Path::new(folder).exists() {
                command.args(["--ro-bind", folder, folder]);
            }
        }
        command
            .args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/box"])
            .args(["--chdir", "/box", "--ro-bind"])
            .arg(self.path(program))
            .args(["/program", "/program"]);
        self.spawn(command, "empty");
    }

    fn return_0(&self) -> Vec<Row> {
        let mut trial = self.trial(0, "return0");
        let (ours, bare) = in_turns(|| run_well(&mut trial), || self.bare("return0", "empty"));
        let mut rows = vec![row("return0", ours, "us", Some(bare))];
        if self.bubblewrap {
            // Not in the same turns: what the kernel still tidies up after it would be charged to the next.
            let (theirs, bare) = in_turns(
                || self.in_bubblewrap("return0"),
                || self.bare("return0", "empty"),
            );
            rows.push(row("return0-bubblewrap", theirs, "us", Some(bare)));
        }
        rows
    }

    fn echo(&self) -> Row {
        let mut trial = self.trial(0, "echo");
        trial.set_input(Arc::from(vec![b'x'; MIB]));
        let (ours, bare) = in_turns(
            || assert_eq!(run_well(&mut trial), MIB),
            || self.bare("echo", "mebibyte"),
        );
        row("echo-1mib", ours, "us", Some(bare))
    }

    /// Both numbers of workers take turns, a tenth of the runs at a time.
    fn two_workers(&self) -> Row {
        let mut trials = [self.trial(0, "return0"), self.trial(1, "return0")];
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            one.push(runs_a_second(&mut trials[..1]));
            two.push(runs_a_second(&mut trials));
        }
        row("two-workers", median(two), "runs/s", Some(median(one)))
    }

    fn rooms(&self) -> [Row; 2] {
        let mut trial = self.trial(0, "return0");
        let rebuild = common::median_us(RUNS, || trial.rebuild().expect("a room"));
        let entered = (0..RUNS)
            .map(|_| {
                // What a submission does at least in its room; meanwhile the next one is begun.
                for _ in 0..RUNS_IN_A_ROOM {
                    run_well(&mut trial);
                }
                timed(|| trial.enter().expect("a room"))
            })
            .collect();
        [
            row("rebuild", rebuild / 1e3, "ms", None),
            row("enter", median(entered) / 1e3, "ms", None),
        ]
    }

    fn bomb(&self) -> Row {
        let mut trial = self.trial(0, "bomb");
        trial.set_times(Duration::from_millis(100), Duration::from_secs(2));
        let mut killed = Vec::new();
        for _ in 0..BOMBS {
            let began = Instant::now();
            let ran = trial.run().expect("a run");
            killed.push(us(began.elapsed().saturating_sub(ran.wall)));
            assert!(ran.stopped, "the bomb was ended: {ran:?}");
        }
        row("fork-bomb-kill", median(killed) / 1e3, "ms", None)
    }
}

/// Runs the program; how much it printed.
fn run_well(trial: &mut Trial) -> usize {
    let ran = trial.run().expect("a run");
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    ran.stdout.len()
}

fn runs_a_second(trials: &mut [Trial]) -> f64 {
    let each = RUNS_A_TURN;
    let barrier = Barrier::new(trials.len() + 1);
    let count = u32::try_from(trials.len()).expect("two at most");
    thread::scope(|scope| {
        for trial in trials {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..each {
                    run_well(trial);
                }
                barrier.wait();
            });
        }
        barrier.wait();
        let began = Instant::now();
        barrier.wait();
        f64::from(each) * f64::from(count) / began.elapsed().as_secs_f64()
    })
}
