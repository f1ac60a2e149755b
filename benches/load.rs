//! Bench: the same verdict under load. 200 C programs are judged idle and with every core kept busy by other work, five times each.
//!
//! - `differing`: programs whose verdict was not the same in all ten passes; `baseline` is the same if the first measurement alone had decided.
//! - `repeats`: CPU time of all measurements (`value`) over that of the first ones (`baseline`), under load, in seconds.
//! - `repeats-idle`: the same on the idle machine.
//! - `slower`: in wall-clock time, a pass under load (`value`) over one on the idle machine (`baseline`), medians.
//!
//! The work of each program is set by calibration on this machine, alone on a quiet core, as a share of the limit.
//! A third are near the limit: evenly from 70 % to 97 % and from 110 % to 130 % of it; what is nearer would be a coin toss on any machine.
//! Of the rest, most are far below (5 % to 60 %), some far above (160 % to 250 %), and a few never end.

#[path = "common/rows.rs"]
mod common;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::Row;
use verdictd::bench::{Contest, Pass};

/// Passes idle, and passes under load.
const REPETITIONS: usize = 5;
/// The limit: long against the start of a process, short enough for two thousand runs.
const LIMIT: Duration = Duration::from_millis(100);
/// Programs of each kind: their number, and the first and the last share of the limit.
const KINDS: [(usize, f64, f64); 4] = [
    (33, 0.70, 0.97),
    (33, 1.10, 1.30),
    (114, 0.05, 0.60),
    (16, 1.60, 2.50),
];
/// Programs that never end.
const ENDLESS: usize = 4;
/// Calibrations of which the least counts.
const CALIBRATIONS: usize = 15;
/// Rounds of the two programs that calibrate.
const ROUNDS: [u64; 2] = [2_000_000, 40_000_000];

fn main() -> ExitCode {
    // The sandbox starts this program again as a part of itself.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    let sources = sources(&calibrate());
    let mut contest = contest(LIMIT);
    say("building 200 programs …");
    contest.judge(&sources).expect("a pass");
    let (mut idle, mut loaded) = (Vec::new(), Vec::new());
    for repetition in 1..=REPETITIONS {
        say(&format!("repetition {repetition} of {REPETITIONS} …"));
        idle.push(contest.judge(&sources).expect("a pass"));
        loaded.push(under_load(|| contest.judge(&sources).expect("a pass")));
    }
    let all: Vec<&Pass> = idle.iter().chain(&loaded).collect();
    for at in differing(&all, |pass, at| pass.told[at].verdict) {
        let told: Vec<String> = all
            .iter()
            .map(|pass| format!("{} {:?}", pass.told[at].verdict, pass.told[at].cpu))
            .collect();
        say(&format!("program {at} differs: {}", told.join(", ")));
    }
    common::print(&rows(&all, &idle, &loaded));
    ExitCode::SUCCESS
}

fn rows(all: &[&Pass], idle: &[Pass], loaded: &[Pass]) -> [Row; 4] {
    let row = |row, value, unit, baseline: f64| Row {
        bench: "load",
        row,
        value,
        unit,
        baseline: Some(baseline),
        ratio: (baseline > 0.0).then(|| value / baseline),
    };
    let cost = |passes: &[Pass]| {
        let of = |which: usize| passes.iter().map(|pass| pass.cpu[which]).sum::<Duration>();
        ((of(0) + of(1)).as_secs_f64(), of(0).as_secs_f64())
    };
    let count = |found: Vec<usize>| f64::from(u32::try_from(found.len()).expect("200 at most"));
    let differ = count(differing(all, |pass, at| pass.told[at].verdict));
    let would = count(differing(all, |pass, at| pass.told[at].first_over));
    let ((loaded_all, loaded_first), (idle_all, idle_first)) = (cost(loaded), cost(idle));
    [
        row("differing", differ, "-", would),
        row("repeats", loaded_all, "s", loaded_first),
        row("repeats-idle", idle_all, "s", idle_first),
        row("slower", median(loaded), "s", median(idle)),
    ]
}

fn median(passes: &[Pass]) -> f64 {
    let mut walls: Vec<Duration> = passes.iter().map(|pass| pass.wall).collect();
    walls.sort_unstable();
    walls[walls.len() / 2].as_secs_f64()
}

/// The programs about which not all passes say the same.
fn differing<T: PartialEq>(passes: &[&Pass], what: impl Fn(&Pass, usize) -> T) -> Vec<usize> {
    let first = passes[0];
    (0..first.told.len())
        .filter(|&at| passes.iter().any(|pass| what(pass, at) != what(first, at)))
        .collect()
}

#[expect(
    clippy::print_stderr,
    reason = "the table alone goes to standard output"
)]
fn say(text: &str) {
    eprintln!("{text}");
}

/// A problem with this limit in a folder that is gone when it is opened: everything of it has been read.
fn contest(limit: Duration) -> Contest {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let at = |name: &str| folder.path().join(name);
    for sub in ["submissions", "problems/work/data/secret"] {
        fs::create_dir_all(at(sub)).expect("a folder");
    }
    fs::write(at("config.toml"), "").expect("a configuration");
    let manifest = format!(
        "title = \"Work\"\n[limits]\ncpu_s = {}\nmemory_mib = 64\n",
        limit.as_secs_f64()
    );
    fs::write(at("problems/work/problem.toml"), manifest).expect("a manifest");
    fs::write(at("problems/work/data/secret/1.in"), "1\n").expect("a test");
    fs::write(at("problems/work/data/secret/1.ans"), "done\n").expect("an answer");
    Contest::open(&at("config.toml")).expect("every protection of the sandbox is on here")
}

/// A program of so many rounds, or one without end.
fn source(rounds: Option<u64>) -> String {
    let condition = rounds.map_or_else(|| "1".to_owned(), |rounds| format!("at < {rounds}ull"));
    format!(
        "#include <stdio.h>\nstatic unsigned table[8192];\nint main(void) {{\n\
         unsigned long long state = 1;\n\
         for (unsigned long long at = 0; {condition}; at++) {{\n\
         state = state * 6364136223846793005ull + 1442695040888963407ull;\n\
         table[state >> 51] += (unsigned)state;\n}}\n\
         volatile unsigned keep = table[state >> 51]; (void)keep;\nputs(\"done\");\n}}\n"
    )
}

/// What a program of no rounds and one of a million more take, in seconds.
fn calibrate() -> (f64, f64) {
    // With a limit that nothing reaches every pass is one measurement; one program at a time is alone.
    let mut contest = contest(Duration::from_secs(10));
    let [few, many] = ROUNDS.map(|rounds| {
        let sources = [source(Some(rounds))];
        let least = (0..CALIBRATIONS)
            .map(|_| contest.judge(&sources).expect("a pass").told[0].cpu)
            .min();
        least.unwrap_or_default().as_secs_f64()
    });
    let rounds = |at: usize| f64::from(u32::try_from(ROUNDS[at]).expect("a small number")) / 1e6;
    let million = (many - few) / (rounds(1) - rounds(0));
    let start = (few - million * rounds(0)).max(0.0);
    say(&format!(
        "calibrated: {:.2} ms to start, {:.3} ms for a million rounds",
        start * 1e3,
        million * 1e3
    ));
    (start, million)
}

fn sources((start, million): &(f64, f64)) -> Vec<String> {
    let mut sources = Vec::new();
    for (count, from, to) in KINDS {
        for at in 0..count {
            let place = |at: usize| f64::from(u32::try_from(at).expect("a small number"));
            let share = from + (to - from) * place(at) / place(count - 1);
            let seconds = (LIMIT.as_secs_f64() * share - start).max(0.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of rounds far below 2^53"
            )]
            let rounds = (seconds / million * 1e6) as u64;
            sources.push(source(Some(rounds)));
        }
    }
    sources.extend((0..ENDLESS).map(|at| format!("{}/* {at} */\n", source(None))));
    sources
}

/// Does something while every core is kept busy by threads of this process that do nothing but compute.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let mut sum = 1u64;
                while !done.load(Ordering::Relaxed) {
                    for _ in 0..10_000 {
                        sum = black_box(sum.wrapping_mul(3) ^ 1);
                    }
                }
            });
        }
        // The threads end whether or not the work does well.
        let _done = SetAtEnd(&done);
        work()
    })
}

struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
