//! Machines that offer less, sandboxes that are killed, and what is left behind.

use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::place::{Watchdog, assert_has, wait_until};
use crate::process::{children, descendants, send};

use super::{check_by, hostile, job, number, output_of, run_one, text, trial, trial_by, written};

/// Without control groups the kernel counts the processes of a sandbox's user, and sandboxes of
/// other tests have the same users: runs jobs until they find room.
fn with_room_for_processes(run: impl Fn() -> Vec<Value>) -> Vec<Value> {
    let mut outcomes = Vec::new();
    wait_until("room for more processes", || {
        outcomes = run();
        let is_short = |outcome: &Value| {
            let fault = outcome["fault"].as_str();
            fault.is_some_and(|fault| fault.contains("short of processes"))
        };
        !outcomes.iter().any(is_short)
    });
    outcomes
}

/// Checks what must hold without control groups too.
fn check_fallback(run: impl Fn(&[Value]) -> Vec<Value>) {
    let any = json!({});
    let memory = json!({ "memory_bytes": 64 << 20 });
    let burn = json!({ "cpu_ms": 150, "wall_ms": 60_000, "processes": 16 });
    let stopped = json!({ "stop": "cpu" });
    let too_much = json!({ "memory_exceeded": true });
    // Because of memory, not of wall-clock time.
    let exceeded = json!({ "memory_exceeded": true, "stop": null });
    let collected = json!({ "files": [["out.txt", "result"]] });
    let table = [
        ("exit 3", &any, &json!({ "exited": 3 })),
        ("busy", &burn, &stopped),
        ("touch-forever", &memory, &too_much),
        ("memory-split", &memory, &too_much),
        ("forkbomb", &burn, &stopped),
        ("children-waited", &any, &any),
        ("calls", &any, &any),
        ("leave", &any, &any),
        ("leave", &any, &any),
        ("own-file", &json!({ "collect": ["out.txt"] }), &collected),
        ("memory-hidden", &memory, &exceeded),
    ];
    let outcomes = check_by(&table, run);
    assert!(number(&outcomes[1], "cpu_us") >= 150_000, "{}", outcomes[1]);
    assert!(number(&outcomes[5], "cpu_us") >= 235_000, "{}", outcomes[5]);
    let calls = text(&outcomes[6], "stdout");
    let is_refused = calls.lines().count() >= 16 && !calls.contains("allowed");
    assert!(is_refused, "{calls}");
    for outcome in &outcomes[7..9] {
        let lines = text(outcome, "stdout").matches(" allowed").count();
        assert_eq!(lines, 3, "{outcome}");
    }
}

#[test]
fn works_without_control_groups_if_that_is_allowed_and_says_so_if_not() {
    check_fallback(|jobs| {
        with_room_for_processes(|| {
            trial(json!({
                "without_cgroups": true,
                "allow_missing": ["memory", "processes", "cpu"],
                "jobs": jobs,
            }))
        })
    });
    let spec = json!({ "without_cgroups": true });
    let output = output_of(Command::new(env!("CARGO_BIN_EXE_sandbox-trial")), &spec);
    assert!(!output.status.success());
    let parts = "memory is weak: |to fix it: |\
        allow_missing = [\"memory\", \"processes\", \"cpu\"]";
    assert_has(&String::from_utf8_lossy(&output.stderr), &[parts]);
}

/// Starts a sandbox with these jobs, and waits for the outcome of the first; the next lines of its
/// output are those of the others.
fn going_on(jobs: &[Value], mut spec: Value) -> (Child, Lines<BufReader<ChildStdout>>, Watchdog) {
    spec["app"] = json!([["hostile", hostile()]]);
    spec["jobs"] = jobs.into();
    let (_folder, file) = written(&spec);
    let mut command = Command::new(env!("CARGO_BIN_EXE_sandbox-trial"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.arg(&file).spawn().unwrap();
    let watchdog = Watchdog::of(&child, "a sandbox".to_owned());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    (child, lines, watchdog)
}

#[test]
fn nothing_is_left_when_the_daemon_is_killed() {
    for sigkill in [false, true] {
        let jobs = [job(&["exit", "0"], json!({}))];
        let (mut child, _lines, _watchdog) = going_on(&jobs, json!({ "hold": true }));
        let zygotes = descendants(child.id());
        // The zygote, the keeper of the room with its init, and perhaps the keeper of the next room
        // already.
        assert!(zygotes.len() >= 3, "{zygotes:?}");
        if sigkill {
            child.kill().unwrap();
        } else {
            drop(child.stdin.take());
        }
        child.wait().unwrap();
        for zygote in zygotes {
            wait_until("the zygote's end", || !alive(zygote));
        }
        let name = format!("verdictd-{}-", child.id());
        let left = groups(&name);
        if sigkill {
            // The next daemon cleans up.
            run_one(&["exit", "0"], json!({}));
            // Another one that starts at the same moment may be removing them.
            wait_until("no group", || groups(&name).is_empty());
        } else {
            assert_eq!(left, [""; 0]);
        }
    }
}

#[test]
fn a_killed_sandbox_is_a_fault_and_the_next_room_works() {
    let jobs = [
        job(&["exit", "0"], json!({})),
        job(&["sleep"], json!({ "wall_ms": 20000 })),
        job(&["exit", "6"], json!({})),
    ];
    let (mut child, mut lines, _watchdog) = going_on(&jobs, json!({}));
    // The zygote, a keeper, its init, the sleeping program.
    let mut chain = Vec::new();
    wait_until("the program's start", || {
        chain = longest_chain(child.id());
        chain.len() == 4
    });
    send("KILL", &chain[2].to_string());
    let killed: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_has(text(&killed, "fault"), &["ended unexpectedly"]);
    let next: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next["exited"], 6, "{next}");
    assert!(child.wait().unwrap().success());
    wait_until("the program's end", || !alive(chain[3]));
}

#[test]
fn limits_lowered_by_a_service_are_respected() {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -c 0 && ulimit -s 65536 && exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_sandbox-trial"));
    let spec = json!({ "jobs": [job(&["exit", "5"], json!({ "memory_bytes": 128 << 20 }))] });
    let outcomes = trial_by(command, hostile(), spec);
    assert_eq!(outcomes[0]["exited"], 5, "{}", outcomes[0]);
}

fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// The longest chain of children, grandchildren and so on.
fn longest_chain(pid: u32) -> Vec<u32> {
    let chains = children(pid).into_iter().map(|child| {
        let below = longest_chain(child);
        [vec![child], below].concat()
    });
    chains.max_by_key(Vec::len).unwrap_or_default()
}

/// Control groups with this prefix, anywhere.
pub fn groups(prefix: &str) -> Vec<String> {
    fn walk(folder: &Path, depth: usize, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth < 6 {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with(prefix) {
                    found.push(name);
                }
                walk(&entry.path(), depth + 1, prefix, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new("/sys/fs/cgroup"), 0, prefix, &mut found);
    found
}

#[test]
fn what_is_not_wanted_any_more_is_ended_and_leaves_nothing_behind() {
    let long = json!({ "cpu_ms": 60_000, "wall_ms": 60_000, "processes": 16, "cancel_ms": 50 });
    let collecting = json!({
        "cpu_ms": 60_000, "wall_ms": 60_000, "cancel_ms": 50, "collect": ["out.txt"],
    });
    for without_cgroups in [false, true] {
        let outcomes = with_room_for_processes(|| {
            trial(json!({
                "without_cgroups": without_cgroups,
                "allow_missing": ["memory", "processes", "cpu"],
                "jobs": [
                    job(&["busy"], long.clone()),
                    job(&["sleep"], long.clone()),
                    job(&["forkbomb"], long.clone()),
                    job(&["busy"], collecting.clone()),
                    job(&["exit", "3"], json!({})),
                    job(&["own-file"], json!({ "collect": ["out.txt"] })),
                ],
            }))
        });
        for outcome in &outcomes[..4] {
            assert_eq!(outcome["cancelled"], true, "{outcome}");
            assert_eq!(outcome["fault"], Value::Null, "{outcome}");
        }
        assert_eq!(outcomes[4]["exited"], 3, "{}", outcomes[4]);
        assert_eq!(outcomes[5]["files"], json!([["out.txt", "result"]]));
    }
}
