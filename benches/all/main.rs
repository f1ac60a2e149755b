//! The benches, in one program: `cargo bench` runs all of them and prints one table,
//! `cargo bench -- sandbox load` some.
//!
//! `cargo test` runs each of them small: what they check is checked there, and their figures mean
//! nothing. A bench checks that what it measured was right, and fails if it was not; a missed
//! target is only reported. With `--json` the table is one JSON object per row; with `--small` no
//! more is run than by `cargo test`.

mod common;

mod cluster;
mod dashboard;
mod idle;
mod incremental;
mod load;
mod sandbox;
mod scale;
mod solvers;

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use common::{Row, Size, print, say};

type Bench = (&'static str, fn(Size) -> Vec<Row>);

/// The slow benches first, so that nothing waits for them at the end.
const BENCHES: [Bench; 8] = [
    (cluster::NAME, cluster::rows),
    (incremental::NAME, incremental::rows),
    (load::NAME, load::rows),
    (scale::NAME, scale::rows),
    (dashboard::NAME, dashboard::rows),
    (idle::NAME, idle::rows),
    (sandbox::NAME, sandbox::rows),
    (solvers::NAME, solvers::rows),
];

/// How many small benches run at a time: they mostly wait for a daemon.
const SIDE_BY_SIDE: usize = 4;

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
    let side_by_side = asked.size.pick(1, SIDE_BY_SIDE);
    let ran = run(&chosen, asked.size, side_by_side);
    let passed = ran.iter().flatten().count();
    let failed = chosen.len() - passed;
    let rows: Vec<Row> = ran.into_iter().flatten().flatten().collect();
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

/// The rows of each bench, so many benches at a time; `None` for one that failed.
fn run(benches: &[Bench], size: Size, side_by_side: usize) -> Vec<Option<Vec<Row>>> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut ran = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, rows)) = benches.get(at).copied() else {
                return ran;
            };
            let began = Instant::now();
            // In a thread of its own, so that a panic names the bench and ends nothing else.
            let thread = thread::Builder::new().name(name.to_owned());
            let thread = thread.spawn(move || rows(size)).expect("a thread");
            let rows = thread.join().ok();
            let word = rows.as_ref().map_or("FAILED", |_| "ok");
            let seconds = began.elapsed().as_secs_f64();
            say(&format!("bench {name} ... {word} ({seconds:.1} s)"));
            ran.push((at, rows));
        }
    };
    let mut ran: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..side_by_side).map(|_| scope.spawn(take)).collect();
        let end = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("a thread");
        threads.into_iter().flat_map(end).collect()
    });
    ran.sort_by_key(|(at, _)| *at);
    ran.into_iter().map(|(_, rows)| rows).collect()
}
