//! What the sandbox costs.
//!
//! - `return0`: a static `return 0` with every protection on, in a room that is ready, over a bare
//!   `posix_spawn` of it.
//! - `return0-bubblewrap`: the same program in bubblewrap with all namespaces, if it is installed.
//! - `echo-1mib`: 1 MiB of input copied to the output, over the bare program, which copies from
//!   file to file.
//! - `two-workers`: wall-clock time per run with two workers, over that with one.
//! - `rebuild`: a fresh room made from nothing. Nothing else makes such rooms, so there is no
//!   baseline.
//! - `enter`: the part of that for which a worker waits, over `rebuild`.
//! - `fork-bomb-kill`: from the decision to end a fork bomb until nothing is left and the room is
//!   ready for the next run; no baseline.
//!
//! Compared rows take turns, so that the machine's noise affects both alike.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{Row, Size, Trial, median, median_time, medians_in_turns, ms, say, timed, us};

pub const NAME: &str = "sandbox";

/// Number of timings per row; the median counts.
const RUNS: usize = 300;
const RUNS_SMALL: usize = 5;
/// Runs before the first that counts.
const WARM_UPS: usize = 10;
/// Runs of each worker per timing, and how often each number of workers has its turn.
const RUNS_A_TURN: u32 = 30;
const TURNS: usize = 10;
/// Runs between two rooms.
const RUNS_IN_A_ROOM: usize = 5;
/// Fork bombs; each takes a while to grow.
const BOMBS: usize = 30;
const BOMBS_SMALL: usize = 1;
/// Targets: ratios, and milliseconds.
const RETURN_0_MAX: f64 = 1.35;
const ECHO_MAX: f64 = 1.15;
const TWO_WORKERS_MAX: f64 = 1.0 / 1.7;
const REBUILD_MS_MAX: f64 = 2.0;
const KILL_MS_MAX: f64 = 10.0;
const MIB: usize = 1024 * 1024;

const RETURN_0: &str = "int main(void) { return 0; }";
const ECHO: &str = "#include <unistd.h>\nstatic char block[1 << 16];\nint main(void) {\n\
    for (;;) { ssize_t got = read(0, block, sizeof block); if (got <= 0) return got < 0;\n\
    for (ssize_t at = 0; at < got;) { ssize_t put = write(1, block + at, got - at); if (put < 0) return 2; at += put; } } }";
const BOMB: &str = "#include <unistd.h>\nint main(void) { for (;;) fork(); }";

pub fn rows(size: Size) -> Vec<Row> {
    let bench = Bench::new(size);
    let mut rows = bench.return_0();
    rows.push(bench.echo());
    rows.push(bench.two_workers());
    rows.extend(bench.rooms());
    rows.push(bench.bomb());
    rows
}

/// The medians of two things that take turns, once both are warm.
fn in_turns<One, Other>(
    runs: usize,
    mut one: impl FnMut() -> One,
    mut other: impl FnMut() -> Other,
) -> (Duration, Duration) {
    medians_in_turns(WARM_UPS, &mut one, &mut other);
    medians_in_turns(runs, one, other)
}

/// Programs and files of the bench.
struct Bench {
    folder: tempfile::TempDir,
    bubblewrap: bool,
    size: Size,
    runs: usize,
}

impl Bench {
    fn new(size: Size) -> Self {
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
        if !bubblewrap && size == Size::Full {
            say("bubblewrap is not installed; its row is left out");
        }
        Self {
            folder,
            bubblewrap,
            size,
            runs: size.pick(RUNS, RUNS_SMALL),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn trial(&self, worker: usize, program: &str) -> Trial {
        let program = fs::read(self.path(program)).expect("a program");
        Trial::open(worker, &program).expect("every protection of the sandbox is on here")
    }

    /// Runs a program from file to file, as bare as can be: `Command` without a hook is
    /// `posix_spawn`.
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
        let (ours, bare) = in_turns(
            self.runs,
            || run_well(&mut trial),
            || self.bare("return0", "empty"),
        );
        let mut rows = vec![row("return0", ours, bare).ratio_at_most(RETURN_0_MAX)];
        if self.bubblewrap {
            // Not in the same turns: what the kernel still tidies up after it would be charged to
            // the next.
            let (theirs, bare) = in_turns(
                self.runs,
                || self.in_bubblewrap("return0"),
                || self.bare("return0", "empty"),
            );
            rows.push(row("return0-bubblewrap", theirs, bare));
        }
        rows
    }

    fn echo(&self) -> Row {
        let mut trial = self.trial(0, "echo");
        let input = vec![b'x'; MIB];
        trial.set_input(Arc::from(input.as_slice()));
        assert!(run_well(&mut trial) == input, "the echo is the input");
        let (ours, bare) = in_turns(
            self.runs,
            || assert_eq!(run_well(&mut trial).len(), MIB),
            || self.bare("echo", "mebibyte"),
        );
        let copied = fs::read(self.path("output")).expect("the output");
        assert!(copied == input, "the bare echo is the input");
        row("echo-1mib", ours, bare).ratio_at_most(ECHO_MAX)
    }

    /// Both numbers of workers take turns, a tenth of the runs at a time.
    fn two_workers(&self) -> Row {
        let (turns, each) = self.size.pick((TURNS, RUNS_A_TURN), (1, 2));
        let mut trials = [self.trial(0, "return0"), self.trial(1, "return0")];
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..turns {
            one.push(time_a_run(&mut trials[..1], each));
            two.push(time_a_run(&mut trials, each));
        }
        row("two-workers", median(two), median(one)).ratio_at_most(TWO_WORKERS_MAX)
    }

    fn rooms(&self) -> [Row; 2] {
        let mut trial = self.trial(0, "return0");
        let rebuild = median_time(self.runs, || trial.rebuild().expect("a room"));
        let entered = (0..self.runs).map(|_| {
            // What a submission does at least in its room; meanwhile the next one is begun.
            for _ in 0..RUNS_IN_A_ROOM {
                run_well(&mut trial);
            }
            timed(|| trial.enter().expect("a room"))
        });
        let entered = median(entered);
        run_well(&mut trial);
        [
            Row::new(NAME, "rebuild", ms(rebuild), "ms").at_most(REBUILD_MS_MAX),
            Row::new(NAME, "enter", ms(entered), "ms").over(ms(rebuild)),
        ]
    }

    fn bomb(&self) -> Row {
        let mut trial = self.trial(0, "bomb");
        trial.set_times(Duration::from_millis(100), Duration::from_secs(2));
        let killed = (0..self.size.pick(BOMBS, BOMBS_SMALL)).map(|_| {
            let began = Instant::now();
            let ran = trial.run().expect("a run");
            assert!(ran.stopped, "the bomb was ended: {ran:?}");
            began.elapsed().saturating_sub(ran.wall)
        });
        Row::new(NAME, "fork-bomb-kill", ms(median(killed)), "ms").at_most(KILL_MS_MAX)
    }
}

fn row(name: &str, ours: Duration, baseline: Duration) -> Row {
    Row::new(NAME, name, us(ours), "us").over(us(baseline))
}

/// Runs the program; what it printed.
fn run_well(trial: &mut Trial) -> Vec<u8> {
    let ran = trial.run().expect("a run");
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    ran.stdout
}

/// The wall-clock time of all runs together, for each of them.
fn time_a_run(trials: &mut [Trial], each: u32) -> Duration {
    let barrier = Barrier::new(trials.len() + 1);
    let count = u32::try_from(trials.len()).expect("two at most");
    let began = thread::scope(|scope| {
        for trial in trials {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                (0..each).for_each(|_| drop(run_well(trial)));
            });
        }
        barrier.wait();
        Instant::now()
    });
    began.elapsed() / (each * count)
}
