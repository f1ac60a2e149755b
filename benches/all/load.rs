//! The same verdict under load: 200 C programs are judged idle and with every core kept busy by
//! other work, three times each.
//!
//! The work of each program is set by calibration on this machine, alone on a quiet core, as a
//! share of the limit; so it is known in advance which are in time (AC) and which are not (TLE). A
//! third are near the limit: evenly from 70 % to 97 % and from 110 % to 130 % of it; anything
//! nearer would be a coin toss on any machine. Of the rest, most are far below (5 % to 60 %), some
//! far above (160 % to 250 %). The bench fails if one of the rest gets a
//! verdict other than it should, or if many of the programs near the limit do.
//!
//! - `wrong-idle`, `wrong-loaded`: verdicts that were not what they should be, in all passes
//!   together.
//! - `differing`: programs whose verdict was not the same in all six passes.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use verdictd::internals::{Cores, SandboxRunner, Station};

use crate::common::{Course, Judge, Judged, MACHINE, Row, Size, figure, say};

pub const NAME: &str = "load";

/// Passes idle, and passes under load.
const REPETITIONS: usize = 3;
/// The limit: long against the start of a process, short enough for a thousand runs.
const LIMIT: Duration = Duration::from_millis(100);
/// Programs whose work is this share of the limit: how many, from and to, and whether they are so
/// near the limit that a disturbed calibration may change what is right.
type Kind = (usize, f64, f64, bool);

const KINDS: [Kind; 4] = [
    (33, 0.70, 0.97, true),
    (33, 1.10, 1.30, true),
    (118, 0.05, 0.60, false),
    (16, 1.60, 2.50, false),
];
/// The small bench's programs, so far from the limit that no other work on the machine matters.
const KINDS_SMALL: [Kind; 2] = [(2, 0.05, 0.40, false), (2, 4.00, 5.00, false)];
/// Number of calibrations; the lowest counts.
const CALIBRATIONS: usize = 15;
const CALIBRATIONS_SMALL: usize = 3;
/// Rounds of the two programs that calibrate.
const ROUNDS: [u64; 2] = [2_000_000, 40_000_000];
/// Tries per program, of which all but the last may end in a fault.
const TRIES_MAX: u32 = 10;
/// The share of verdicts near the limit that may be wrong before the bench means nothing.
const WRONG_NEAR_MAX: f64 = 0.05;

pub fn rows(size: Size) -> Vec<Row> {
    let rate = calibrate(size.pick(CALIBRATIONS, CALIBRATIONS_SMALL));
    let kinds: &[Kind] = size.pick(&KINDS, &KINDS_SMALL);
    let programs = programs(kinds, rate);
    let mut contest = Contest::new(LIMIT);
    let mut pass = |what: &str| {
        say(&format!("a pass: {what}"));
        contest.judge(programs.iter().map(|program| program.source.as_str()))
    };
    pass("building");
    let (mut idle, mut loaded) = (Vec::new(), Vec::new());
    for _ in 0..size.pick(REPETITIONS, 1) {
        idle.push(pass("idle"));
        loaded.push(under_load(|| pass("loaded")));
    }
    let wrong = [&idle, &loaded].map(|passes| wrong(&programs, passes));
    let all: Vec<&Pass> = idle.iter().chain(&loaded).collect();
    let is_differing = |at: &usize| {
        let mut verdicts = all.iter().map(|pass| pass[*at].verdict);
        verdicts.any(|verdict| verdict != all[0][*at].verdict)
    };
    let differing = (0..programs.len()).filter(is_differing).count() as u64;
    let row = |name, count| Row::new(NAME, name, figure(count), "").at_most(0.0);
    vec![
        row("wrong-idle", wrong[0]),
        row("wrong-loaded", wrong[1]),
        row("differing", differing),
    ]
}

/// A program and what it should get.
struct Program {
    source: String,
    in_time: bool,
    is_near: bool,
}

impl Program {
    fn verdict(&self) -> &'static str {
        if self.in_time { "AC" } else { "TLE" }
    }
}

/// How many verdicts were wrong: none of programs far from the limit, and few of those near it.
fn wrong(programs: &[Program], passes: &[Pass]) -> u64 {
    let (mut wrong, mut near) = (0_u32, 0_u32);
    for pass in passes {
        for (at, (program, judged)) in programs.iter().zip(pass).enumerate() {
            let (expected, found) = (program.verdict(), judged.verdict);
            near += u32::from(program.is_near);
            if found != expected {
                let cpu = judged.cpu;
                say(&format!(
                    "program {at} should be {expected} and was {found} with {cpu:?}"
                ));
                assert!(program.is_near, "program {at} is far from the limit");
                wrong += 1;
            }
        }
    }
    let is_fair = f64::from(wrong) <= WRONG_NEAR_MAX * f64::from(near);
    assert!(is_fair, "{wrong} of {near} near the limit were wrong");
    wrong.into()
}

/// One problem, and as many workers as the machine can measure.
struct Contest {
    judge: Judge,
    runners: Vec<SandboxRunner>,
}

/// All programs judged once, in their order.
type Pass = Vec<Judged>;

impl Contest {
    fn new(limit: Duration) -> Self {
        // The folder is deleted at the end: everything in it has been read.
        let course = Course::new("");
        let limit = limit.as_secs_f64();
        let manifest = format!("title = \"Work\"\n[limits]\ncpu_s = {limit}\nmemory_mib = 64\n");
        course.write("problems/work/problem.toml", manifest);
        course.write("problems/work/data/secret/1.in", "1\n");
        course.write("problems/work/data/secret/1.ans", "done\n");
        let places = Cores::find().workers();
        let judge = Judge::open(&course.folder, places);
        let runner = |place| judge.sandbox.runner(place);
        Self {
            runners: (0..places).map(runner).collect(),
            judge,
        }
    }

    /// Judges programs side by side; those that were judged before are not built again.
    fn judge<'a>(&mut self, sources: impl Iterator<Item = &'a str>) -> Pass {
        let sources: Vec<&str> = sources.collect();
        let (judge, next) = (&self.judge, AtomicUsize::new(0));
        let work = |runner: &mut SandboxRunner| {
            let mut judged = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(source) = sources.get(at) else {
                    return judged;
                };
                judged.push((at, in_the_end(judge, runner, source)));
            }
        };
        let mut judged: Vec<_> = thread::scope(|scope| {
            let work = &work;
            let start = |runner| scope.spawn(move || work(runner));
            let threads: Vec<_> = self.runners.iter_mut().map(start).collect();
            let end = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("a worker");
            threads.into_iter().flat_map(end).collect()
        });
        judged.sort_by_key(|(at, _)| *at);
        judged.into_iter().map(|(_, judged)| judged).collect()
    }
}

/// If the machine was too busy for a verdict, the daemon tries again later, and so does this.
fn in_the_end(judge: &Judge, runner: &mut SandboxRunner, source: &str) -> Judged {
    let mut tries = (0..TRIES_MAX).map(|_| {
        let mut station = Station::new(runner, &judge.toolchain, MACHINE.into());
        judge.judge(&mut station, source)
    });
    let judged = tries.find_map(|judged| judged.inspect_err(|fault| say(&fault.to_string())).ok());
    judged.expect("a verdict")
}

/// A program of this many rounds.
fn source(rounds: u64) -> String {
    format!(
        "#include <stdio.h>\nstatic unsigned table[8192];\nint main(void) {{\n\
         unsigned long long state = 1;\n\
         for (unsigned long long at = 0; at < {rounds}ull; at++) {{\n\
         state = state * 6364136223846793005ull + 1442695040888963407ull;\n\
         table[state >> 51] += (unsigned)state;\n}}\n\
         volatile unsigned keep = table[state >> 51]; (void)keep;\nputs(\"done\");\n}}\n"
    )
}

/// The time of a program of no rounds, and of a million rounds more, in seconds.
fn calibrate(calibrations: usize) -> (f64, f64) {
    // With a limit that nothing reaches, every pass is one measurement; with one program at a time,
    // it is alone.
    let mut contest = Contest::new(Duration::from_secs(10));
    let [few, many] = ROUNDS.map(|rounds| {
        let source = source(rounds);
        let calibrations = (0..calibrations).map(|_| {
            let judged = contest.judge([&*source].into_iter()).remove(0);
            assert_eq!(judged.verdict, "AC", "a program that calibrates");
            judged.cpu
        });
        calibrations.min().unwrap_or_default().as_secs_f64()
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

fn programs(kinds: &[Kind], (start, million): (f64, f64)) -> Vec<Program> {
    let mut programs = Vec::new();
    for &(count, from, to, is_near) in kinds {
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
            programs.push(Program {
                source: source(rounds),
                in_time: share < 1.0,
                is_near,
            });
        }
    }
    programs
}

/// Does something while every core is kept busy by threads of this process that do nothing but
/// compute.
fn under_load<T>(work: impl FnOnce() -> T) -> T {
    let load = Arc::new(());
    for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
        let goes_on = Arc::downgrade(&load);
        thread::spawn(move || {
            let mut sum = 1u64;
            while goes_on.strong_count() > 0 {
                for _ in 0..10_000 {
                    sum = black_box(sum.wrapping_mul(3) ^ 1);
                }
            }
        });
    }
    let done = work();
    drop(load);
    done
}
