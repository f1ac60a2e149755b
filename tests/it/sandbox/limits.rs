//! What a program may use is bounded, and what it uses is counted.

use std::process::Command;

use serde_json::{Value, json};

use super::{check, hostile, job, number, run, text, trial_by};
use crate::busy::{Busy, pinned};

/// A limit that no machine is slow enough to reach.
const FAR_MS: u64 = 60_000;

#[test]
fn cpu_time_is_bounded_and_counts_every_process() {
    // The wall-clock limit is high, so that a busy machine does not reach it before the CPU limit.
    let caps = json!({ "cpu_ms": 300, "wall_ms": FAR_MS });
    let few = json!({ "cpu_ms": 300, "wall_ms": FAR_MS, "processes": 16 });
    let stopped = json!({ "stop": "cpu" });
    let ended = json!({ "exited": 0, "stop": null });
    let outcomes = check(&[
        ("busy", &caps, &json!({ "stop": "cpu", "signalled": 9 })),
        ("children-busy", &caps, &stopped),
        // Its children are handed to init, which reaps them as fast as it can: that is not the job's
        // time.
        ("orphans", &caps, &stopped),
        ("forkbomb", &few, &stopped),
        ("daemon-burns", &caps, &ended),
    ]);
    for outcome in &outcomes[..4] {
        assert!(number(outcome, "cpu_us") >= 300_000, "{outcome}");
    }
    let enough = json!({ "cpu_ms": FAR_MS, "wall_ms": FAR_MS });
    let programs = ["children-waited", "children-left", "threads", "exit 0"];
    let outcomes = check(&programs.map(|program| (program, &enough, &ended)));
    for outcome in &outcomes[..3] {
        assert!(number(outcome, "cpu_us") >= 235_000, "{outcome}");
        // A job is not charged for what earlier jobs used, nor for what the sandbox uses itself.
        let idle_us = number(&outcomes[3], "cpu_us");
        assert!(idle_us < number(outcome, "cpu_us") / 2, "{}", outcomes[3]);
    }
}

/// Runs jobs where nothing gets half of a core.
fn run_on_the_busy_core(jobs: &[Value]) -> Vec<Value> {
    let command = pinned(&Command::new(env!("CARGO_BIN_EXE_sandbox-trial")));
    trial_by(command, hostile(), json!({ "jobs": jobs }))
}

#[test]
fn wall_clock_time_does_not_run_while_the_machine_keeps_a_job_waiting() {
    let busy = Busy::core();
    // On less than half of a core it takes more than 1.6 s. Waiting for anything but the core
    // counts.
    let caps = json!({ "cpu_ms": 5_000, "wall_ms": 1_500 });
    let outcomes = run_on_the_busy_core(&[job(&["burn-800"], caps.clone()), job(&["sleep"], caps)]);
    drop(busy);
    assert_eq!(outcomes[0]["exited"], 0, "{}", outcomes[0]);
    assert_eq!(outcomes[0]["stop"], Value::Null, "{}", outcomes[0]);
    let wall_us = number(&outcomes[0], "wall_us");
    assert!(wall_us <= 1_500_000, "{}", outcomes[0]);
    // A sleeping job is not waiting for the core.
    assert_eq!(outcomes[1]["stop"], "wall", "{}", outcomes[1]);
}

#[test]
fn a_job_is_scheduled_as_usual_however_the_daemon_is() {
    let mut command = Command::new("chrt");
    command.args(["--idle", "0", env!("CARGO_BIN_EXE_sandbox-trial")]);
    let jobs = json!({ "jobs": [{ "argv": ["/bin/cat", "/proc/self/stat"] }] });
    let outcome = trial_by(command, hostile(), jobs).remove(0);
    let (_, fields) = text(&outcome, "stdout").rsplit_once(") ").unwrap();
    // The policy, which proc(5) calls field 41: SCHED_OTHER.
    assert_eq!(fields.split(' ').nth(38), Some("0"), "{outcome}");
}

/// A program that writes much waits for its reader, which has to wait for the core too.
pub fn a_slow_reader() {
    let busy = Busy::core();
    let caps = json!({ "output_bytes": 8 << 20, "cpu_ms": FAR_MS, "wall_ms": 25 });
    let flood = job(&["flood"], caps);
    let outcomes = run_on_the_busy_core(&[flood.clone(), flood.clone(), flood]);
    drop(busy);
    for outcome in &outcomes {
        assert_eq!(outcome["stop"], "output", "{}", outcome["wall_us"]);
    }
}

#[test]
fn the_time_that_a_job_alone_was_kept_waiting_is_known() {
    // Four threads that compute on one core keep each other waiting, which is not the machine's
    // fault.
    let caps = json!({ "cpu_ms": 900, "wall_ms": FAR_MS, "alone": true });
    let jobs = [job(&["burn-800"], caps.clone()), job(&["threads"], caps)];
    let busy = Busy::core();
    let outcomes = run_on_the_busy_core(&jobs);
    drop(busy);
    let waited = number(&outcomes[0], "waited_us");
    let holds = 5 * waited > number(&outcomes[0], "cpu_us");
    assert!(holds, "{}", outcomes[0]);
    // However busy this machine is, the reported time never exceeds the real one.
    for outcome in outcomes.iter().chain(&run(&jobs)) {
        assert_eq!(outcome["exited"], 0, "{outcome}");
        let whole = number(outcome, "wall_us") + number(outcome, "waited_us");
        let others = whole - number(outcome, "cpu_us").min(whole);
        assert!(number(outcome, "waited_us") <= others + 20_000, "{outcome}");
    }
}

#[test]
fn memory_is_bounded_and_counts_every_process() {
    let caps = json!({ "memory_bytes": 64 << 20, "cpu_ms": FAR_MS, "wall_ms": FAR_MS });
    let repeated = json!({ "memory_bytes": 64 << 20, "repeat": 20 });
    let exceeded = json!({ "memory_exceeded": true, "stop": null });
    let within = json!({ "memory_exceeded": false, "exited": 0 });
    let outcomes = check(&[
        ("touch-forever", &caps, &exceeded),
        ("static", &caps, &exceeded),
        ("memory-split", &caps, &json!({ "memory_exceeded": true })),
        // Whether the parent is killed too depends on the version of control groups.
        ("memory-child", &caps, &exceeded),
        ("reserve", &caps, &within),
        ("memory-20", &caps, &within),
        ("memory-tmpfs", &caps, &within),
        ("recurse", &caps, &exceeded),
        // A tiny program is charged little, however late.
        ("exit 0", &repeated, &json!({ "exited": 0 })),
    ]);
    assert!(number(&outcomes[0], "memory_bytes") > 63 << 20);
    assert!(number(&outcomes[4], "memory_bytes") < 2 << 20);
    assert!((20 << 20..23 << 20).contains(&number(&outcomes[5], "memory_bytes")));
    assert!((10 << 20..13 << 20).contains(&number(&outcomes[6], "memory_bytes")));
    assert!(number(&outcomes[8], "memory_bytes") < 2 << 20);
}

#[test]
fn output_is_bounded_and_passed_on_byte_by_byte() {
    let (any, ended) = (json!({}), json!({ "stop": null, "exited": 0 }));
    let long = json!({ "stdin": "x\u{ff}", "stdin_zero_bytes": 3 << 20, "output_bytes": 8 << 20 });
    let fine = json!({ "stop": null, "exited": 0, "stdout": "fine\n" });
    let both = json!({ "stdout": "out", "stderr": "err", "exited": 0 });
    let short = json!({ "output_bytes": 100_000 });
    let outcomes = check(&[
        ("flood", &short, &json!({ "stop": "output" })),
        ("exactly", &json!({ "output_bytes": 4096 }), &ended),
        ("stderr-flood", &json!({ "stderr_bytes": 1000 }), &fine),
        ("output-again", &any, &both),
        ("nul", &any, &json!({ "stdout": "a\0b\u{ff}\n" })),
        ("echo", &long, &json!({ "exited": 0 })),
    ]);
    let length = |index: usize| text(&outcomes[index], "stdout").chars().count();
    assert_eq!([0, 1].map(length), [100_000, 4096]);
    assert_eq!(length(5), (3 << 20) + 2);
    assert_eq!(text(&outcomes[2], "stderr").len(), 1000);
}

#[test]
fn the_disk_is_bounded() {
    let far = json!({ "cpu_ms": FAR_MS, "wall_ms": FAR_MS });
    let small = json!({ "disk_bytes": 1 << 20, "cpu_ms": FAR_MS, "wall_ms": FAR_MS });
    let ended = json!({ "exited": 0 });
    let outcomes = check(&[
        ("xfsz", &small, &json!({})),
        ("many-files", &far, &ended),
        ("deep", &far, &ended),
        ("exit 0", &json!({}), &ended),
    ]);
    assert_eq!(text(&outcomes[0], "stdout"), "1048576 EFBIG\n");
    assert_eq!(text(&outcomes[1], "stdout"), "ENOSPC\n");
}

#[test]
fn what_a_job_leaves_is_not_the_next_ones() {
    let caps = json!({ "memory_bytes": 64 << 20, "cpu_ms": 3000 });
    // Thousands of files, their folders and names: the kernel takes a while to free that memory
    let messy = || job(&["many-files"], caps.clone());
    let outcomes = run(&[
        messy(),
        job(&["memory-70"], caps.clone()),
        messy(),
        job(&["memory-20"], caps.clone()),
        messy(),
        job(&["exit", "0"], caps.clone()),
    ]);
    assert_eq!(outcomes[1]["memory_exceeded"], true, "{}", outcomes[1]);
    assert_eq!(number(&outcomes[1], "memory_bytes"), 64 << 20);
    assert!((20 << 20..23 << 20).contains(&number(&outcomes[3], "memory_bytes")));
    assert!(number(&outcomes[5], "memory_bytes") < 2 << 20);
}
