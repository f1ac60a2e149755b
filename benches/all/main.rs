//! The benches, in one program: `cargo bench` runs all of them and prints one table,
//! `cargo bench -- sandbox load` some.
//!
//! `cargo test` runs each of them small: what they check is checked there, and their figures mean
//! nothing. A bench checks that what it measured was right, and fails if it was not; a missed
//! target is only reported. With `--json` the table is one JSON object per row; with `--small` no
//! more is run than by `cargo test`.

#![expect(
    clippy::print_stdout,
    reason = "where test runners and the table say it"
)]

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
    // `cargo bench` passes `--bench`, and `cargo test` does not. Flags of test runners mean nothing
    // here.
    let (flags, names): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with('-'));
    let has = |name: &str| flags.iter().any(|flag| flag == name);
    let (size, side_by_side) = if has("--bench") && !has("--small") {
        (Size::Full, 1)
    } else {
        (Size::Small, SIDE_BY_SIDE)
    };
    let mut chosen = BENCHES.to_vec();
    chosen.retain(|(name, _)| names.is_empty() || names.iter().any(|asked| asked == name));
    let ran = chosen.chunks(side_by_side);
    let ran: Vec<Option<Vec<Row>>> = ran.flat_map(|benches| run(benches, size)).collect();
    let passed = ran.iter().flatten().count();
    let failed = chosen.len() - passed;
    if size == Size::Full || has("--json") {
        let rows: Vec<Row> = ran.into_iter().flatten().flatten().collect();
        print(&rows, has("--json"));
    } else {
        // In the format of the other test runners, for scripts that add them up.
        let word = if failed == 0 { "ok" } else { "FAILED" };
        println!("\ntest result: {word}. {passed} passed; {failed} failed; 0 ignored\n");
    }
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        say(&format!("{failed} of {} benches failed", chosen.len()));
        ExitCode::FAILURE
    }
}

/// The rows of each bench, all at a time; `None` for one that failed.
fn run(benches: &[Bench], size: Size) -> Vec<Option<Vec<Row>>> {
    let start = |&(name, rows): &Bench| {
        // In a thread of its own, so that a panic names the bench and ends nothing else.
        let thread = thread::Builder::new().name(name.to_owned());
        let work = move || {
            let began = Instant::now();
            (rows(size), began.elapsed().as_secs_f64())
        };
        (name, thread.spawn(work).expect("a thread"))
    };
    let threads: Vec<_> = benches.iter().map(start).collect();
    let end = |(name, thread): (&str, thread::JoinHandle<(Vec<Row>, f64)>)| {
        let Ok((rows, seconds)) = thread.join() else {
            say(&format!("bench {name} ... FAILED"));
            return None;
        };
        say(&format!("bench {name} ... ok ({seconds:.1} s)"));
        Some(rows)
    };
    threads.into_iter().map(end).collect()
}
