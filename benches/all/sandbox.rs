//! What the sandbox costs.
//!
//! - `return0`: a static `return 0` with every protection on, in a room that is ready, over a bare
//!   `posix_spawn` of it.
//! - `return0-bubblewrap`: the same program in bubblewrap with all namespaces, if it is installed.
//! - `echo-1mib`: 1 MiB of input copied to the output, over the bare program, which copies from
//!   file to file.
//! - `talk`: two programs that talk, ten questions and answers, over two plain runs of a program
//!   that reads and writes as much.
//! - `rebuild`: a fresh room made from nothing. Nothing else makes such rooms, so there is no
//!   baseline.
//!
//! Compared rows take turns, so that the machine's noise affects both alike.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Pair, Row, Size, Trial, in_turns, median_time, ms, say};

pub const NAME: &str = "sandbox";

/// Number of timings per row; the median counts.
const RUNS: usize = 300;
const RUNS_SMALL: usize = 5;
/// Runs before the first that counts.
const WARM_UPS: usize = 10;
/// Targets: ratios, and milliseconds.
const RETURN_0_MAX: f64 = 1.35;
const ECHO_MAX: f64 = 1.15;
const TALK_MAX: f64 = 2.5;
const REBUILD_MS_MAX: f64 = 2.0;
const MIB: usize = 1024 * 1024;

/// The whole machine, to read.
const BUBBLEWRAP: &str = "/usr/bin/bwrap --unshare-all --die-with-parent --new-session \
    --ro-bind / / --proc /proc --dev /dev --tmpfs /var/tmp";

const RETURN_0: &str = "int main(void) { return 0; }";
const ECHO: &str = "#include <unistd.h>\nstatic char block[1 << 16];\nint main(void) {\n\
    for (;;) { ssize_t got = read(0, block, sizeof block); if (got <= 0) return got < 0;\n\
    for (ssize_t at = 0; at < got;) { ssize_t put = write(1, block + at, got - at); if (put < 0) return 2; at += put; } } }";
const ASK: &str = "#include <unistd.h>\nint main(void) { char word[2];\n\
    for (int n = 0; n < 10; n++) if (write(1, \"?\\n\", 2) != 2 || read(0, word, 2) != 2) return 1;\n\
    return 0; }";
/// What it says in all.
const ASKED: &[u8] = b"?\n?\n?\n?\n?\n?\n?\n?\n?\n?\n";
pub fn rows(size: Size) -> Vec<Row> {
    let bench = Bench::new(size);
    let mut rows = bench.return_0();
    rows.push(bench.echo());
    rows.push(bench.talk());
    rows.push(bench.rebuild());
    rows
}

/// The medians of two things that take turns, once both are warm.
fn warm<One, Other>(
    runs: usize,
    mut one: impl FnMut() -> One,
    mut other: impl FnMut() -> Other,
) -> Pair {
    in_turns(WARM_UPS, &mut one, &mut other);
    in_turns(runs, one, other)
}

/// Programs and files of the bench.
struct Bench {
    folder: tempfile::TempDir,
    runs: usize,
}

impl Bench {
    fn new(size: Size) -> Self {
        let folder = tempfile::tempdir().expect("a scratch folder");
        for (name, source) in [("return0", RETURN_0), ("echo", ECHO), ("ask", ASK)] {
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
        Self {
            folder,
            runs: size.pick(RUNS, RUNS_SMALL),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    fn trial(&self, worker: usize, program: &str) -> Trial {
        Trial::open(worker, &self.read(program))
    }

    /// Runs a program from file to file, as bare as can be: `Command` without a hook is
    /// `posix_spawn`.
    fn bare(&self, program: &str, input: &str, around: &str) {
        let words = around.split_whitespace().map(PathBuf::from);
        let mut words = words.chain([self.path(program)]);
        let mut command = Command::new(words.next().expect("a program"));
        let input = File::open(self.path(input)).expect("the input");
        let output = File::create(self.path("output")).expect("the output");
        command.args(words).stdin(input).stdout(output).env_clear();
        let status = command.status().expect("the program starts");
        assert!(status.success(), "{status}");
    }

    fn return_0(&self) -> Vec<Row> {
        let mut trial = self.trial(0, "return0");
        let bare = || self.bare("return0", "empty", "");
        let pair = warm(self.runs, || trial.run_well(), bare);
        let mut rows = vec![Row::times(NAME, "return0", pair).ratio_at_most(RETURN_0_MAX)];
        if Path::new("/usr/bin/bwrap").exists() {
            // Not in the same turns: what the kernel still tidies up after it would be charged to
            // the next.
            let pair = warm(
                self.runs,
                || self.bare("return0", "empty", BUBBLEWRAP),
                bare,
            );
            rows.push(Row::times(NAME, "return0-bubblewrap", pair));
        } else {
            say("bubblewrap is not installed; its row is left out");
        }
        rows
    }

    fn echo(&self) -> Row {
        let mut trial = self.trial(0, "echo");
        let input = vec![b'x'; MIB];
        trial.job.stdin = input.as_slice().into();
        assert!(trial.run_well() == input, "the echo is the input");
        let pair = warm(
            self.runs,
            || assert_eq!(trial.run_well().len(), MIB),
            || self.bare("echo", "mebibyte", ""),
        );
        assert!(self.read("output") == input, "the bare echo is the input");
        Row::times(NAME, "echo-1mib", pair).ratio_at_most(ECHO_MAX)
    }

    fn talk(&self) -> Row {
        let (mut talk, mut plain) = (self.trial(0, "ask"), self.trial(1, "echo"));
        talk.talk_with(self.read("echo").into());
        plain.job.stdin = ASKED.into();
        let pair = warm(
            self.runs,
            || assert_eq!(talk.converse(), ASKED.len() as u64),
            || {
                for _ in 0..2 {
                    assert_eq!(plain.run_well(), ASKED);
                }
            },
        );
        Row::times(NAME, "talk", pair).ratio_at_most(TALK_MAX)
    }

    fn rebuild(&self) -> Row {
        let mut trial = self.trial(0, "return0");
        let rebuild = median_time(self.runs, || trial.rebuild());
        trial.run_well();
        Row::new(NAME, "rebuild", ms(rebuild), "ms").at_most(REBUILD_MS_MAX)
    }
}
