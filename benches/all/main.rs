//! The benches, in one program: `cargo bench` runs all of them and prints one table,
//! `cargo bench -- sandbox load` some.
//!
//! `cargo test` runs each of them small: what they check is checked there, and their figures mean
//! nothing. A bench checks that what it measured was right, and fails if it was not; a missed
//! target is only reported. With `--json` the table is one JSON object per row; with `--small` no
//! more is run than by `cargo test`.

mod common;

mod cluster;
mod curling;
mod daemon;
mod dashboard;
mod idle;
mod incremental;
mod load;
mod pages;
mod regions;
mod sandbox;
mod scale;
mod thegame;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use common::{Row, Size, print, say};

type Bench = (&'static str, fn(Size) -> Vec<Row>);

/// The slow benches first, so that nothing waits for them at the end.
const BENCHES: [Bench; 12] = [
    (cluster::NAME, cluster::rows),
    (incremental::NAME, incremental::rows),
    (load::NAME, load::rows),
    (pages::NAME, pages::rows),
    (scale::NAME, scale::rows),
    (dashboard::NAME, dashboard::rows),
    (daemon::NAME, daemon::rows),
    (idle::NAME, idle::rows),
    (sandbox::NAME, sandbox::rows),
    (curling::NAME, curling::rows),
    (thegame::NAME, thegame::rows),
    (regions::NAME, regions::rows),
];

/// How many small benches run at a time: they mostly wait for a daemon.
const SIDE_BY_SIDE: usize = 4;
/// How long all small benches may take before those that hang are named.
const HANGS: Duration = Duration::from_mins(8);

fn main() -> ExitCode {
    // The sandbox starts this program again as a part of itself.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    let asked = Asked::new(std::env::args().skip(1));
    let chosen: Vec<Bench> = BENCHES
        .into_iter()
        .filter(|(name, _)| asked.wants(name))
        .collect();
    let ran = match asked.size {
        Size::Full => in_turn(&chosen),
        Size::Small => side_by_side(&chosen),
    };
    let passed = ran.values().filter(|rows| rows.is_some()).count();
    let failed = chosen.len() - passed;
    let rows: Vec<Row> = ran.into_values().flatten().flatten().collect();
    if asked.size == Size::Full || asked.json {
        print(&rows, asked.json);
    } else {
        // In the format of the other test runners, for scripts that add them up.
        say_result(passed, failed);
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        say(&format!("{failed} of {} benches failed", chosen.len()));
        ExitCode::FAILURE
    }
}

#[expect(clippy::print_stdout, reason = "where test runners say it")]
fn say_result(passed: usize, failed: usize) {
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!("\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored\n");
}

/// What the command line asks for.
struct Asked {
    size: Size,
    json: bool,
    names: Vec<String>,
}

impl Asked {
    /// `cargo bench` passes `--bench`, and `cargo test` does not. Flags of test runners mean
    /// nothing here.
    fn new(arguments: impl Iterator<Item = String>) -> Self {
        let (flags, names): (Vec<String>, Vec<String>) =
            arguments.partition(|argument| argument.starts_with('-'));
        let has = |name: &str| flags.iter().any(|flag| flag == name);
        Self {
            size: if has("--bench") && !has("--small") {
                Size::Full
            } else {
                Size::Small
            },
            json: has("--json"),
            names,
        }
    }

    fn wants(&self, bench: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == bench)
    }
}

/// The rows of each bench; `None` for one that failed.
type Ran = BTreeMap<usize, Option<Vec<Row>>>;

/// One after the other, each with the machine to itself.
fn in_turn(benches: &[Bench]) -> Ran {
    let one = |(at, bench): (usize, &Bench)| {
        say(&format!("{} …", bench.0));
        (at, run(*bench, Size::Full))
    };
    benches.iter().enumerate().map(one).collect()
}

/// In a thread of its own, so that a panic names the bench and ends nothing else.
fn run((name, rows): Bench, size: Size) -> Option<Vec<Row>> {
    let thread = thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || rows(size))
        .expect("a thread");
    thread.join().ok()
}

/// Several at a time. One that hangs is named, and fails.
fn side_by_side(benches: &[Bench]) -> Ran {
    let (sender, done) = channel();
    let next = Arc::new(AtomicUsize::new(0));
    for _ in 0..SIDE_BY_SIDE {
        let (benches, next, sender) = (benches.to_vec(), Arc::clone(&next), sender.clone());
        thread::spawn(move || take(&benches, &next, &sender));
    }
    drop(sender);
    let began = Instant::now();
    let mut ran = Ran::new();
    while let Ok((at, took, rows)) = done.recv_timeout(HANGS.saturating_sub(began.elapsed())) {
        let word = rows.as_ref().map_or("FAILED", |_| "ok");
        let name = benches[at].0;
        say(&format!(
            "bench {name} ... {word} ({:.1} s)",
            took.as_secs_f64()
        ));
        ran.insert(at, rows);
    }
    for (_, (name, _)) in benches
        .iter()
        .enumerate()
        .filter(|(at, _)| !ran.contains_key(at))
    {
        say(&format!("bench {name} ... FAILED: it hangs"));
    }
    ran
}

fn take(benches: &[Bench], next: &AtomicUsize, done: &Sender<(usize, Duration, Option<Vec<Row>>)>) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(bench) = benches.get(at) else { return };
        let began = Instant::now();
        let rows = run(*bench, Size::Small);
        // If nobody receives any more, another bench has hung.
        if done.send((at, began.elapsed(), rows)).is_err() {
            return;
        }
    }
}
