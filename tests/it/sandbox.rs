//! Hostile and honest programs in the real sandbox of the real binary, through its hidden trial command.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

/// The program of many ways, compiled once.
fn hostile() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = PROGRAM.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hostile");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hostile.c");
        let status = Command::new("gcc")
            .args([
                "-O1",
                "-w",
                "-fno-optimize-sibling-calls",
                "-static",
                "-pthread",
                "-o",
            ])
            .arg(&path)
            .arg(source)
            .status()
            .unwrap();
        assert!(status.success(), "gcc");
        (folder, path)
    });
    path
}

/// A scratch folder that other users may read.
fn readable_folder() -> tempfile::TempDir {
    tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap()
}

/// A job of the program, in the way named by the arguments, with what else it says.
fn job(arguments: &[&str], more: Value) -> Value {
    let mut argv = vec!["/app/hostile"];
    argv.extend(arguments);
    let mut job = json!({ "argv": argv });
    if let Value::Object(more) = more {
        job.as_object_mut().unwrap().extend(more);
    }
    job
}

fn trial(spec: Value) -> Vec<Value> {
    trial_by(
        Command::new(env!("CARGO_BIN_EXE_verdictd")),
        hostile(),
        spec,
    )
}

fn trial_by(mut verdictd: Command, program: &Path, mut spec: Value) -> Vec<Value> {
    spec["app"] = json!([["hostile", program]]);
    let folder = readable_folder();
    let file = folder.path().join("spec.json");
    std::fs::write(&file, spec.to_string()).unwrap();
    let output = verdictd
        .arg("__sandbox-run")
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

fn run(jobs: &[Value]) -> Vec<Value> {
    let outcomes = trial(json!({ "jobs": jobs }));
    assert_eq!(outcomes.len(), jobs.len());
    outcomes
}

fn run_one(arguments: &[&str], more: Value) -> Value {
    run(&[job(arguments, more)]).remove(0)
}

/// Checks fields of outcomes against a table.
fn check(table: &[(&[&str], Value, Value)]) -> Vec<Value> {
    let jobs: Vec<Value> = table
        .iter()
        .map(|(arguments, more, _)| job(arguments, more.clone()))
        .collect();
    let outcomes = run(&jobs);
    for ((arguments, _, expected), outcome) in table.iter().zip(&outcomes) {
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&outcome[key], value, "{key} of {arguments:?}: {outcome}");
        }
    }
    outcomes
}

fn text<'a>(outcome: &'a Value, key: &str) -> &'a str {
    outcome[key].as_str().unwrap()
}

fn number(outcome: &Value, key: &str) -> u64 {
    outcome[key].as_u64().unwrap()
}

#[test]
fn ends_are_told_apart() {
    check(&[
        (
            &["exit", "0"],
            json!({}),
            json!({ "exited": 0, "stop": null, "fault": null }),
        ),
        (
            &["exit", "3"],
            json!({}),
            json!({ "exited": 3, "stop": null }),
        ),
        (
            &["segv"],
            json!({}),
            json!({ "signalled": 11, "stop": null, "memory_exceeded": false }),
        ),
        (&["fpe"], json!({}), json!({ "signalled": 8 })),
        (&["abort"], json!({}), json!({ "signalled": 6 })),
        (
            &["kill-self"],
            json!({}),
            json!({ "signalled": 9, "stop": null, "memory_exceeded": false }),
        ),
        (
            &["recurse"],
            json!({ "stack_bytes": 1 << 20 }),
            json!({ "signalled": 11, "memory_exceeded": false }),
        ),
    ]);
}

#[test]
fn a_program_that_cannot_start_is_a_fault() {
    let outcomes = run(&[
        json!({ "argv": ["/app/nothing"] }),
        json!({ "argv": ["/etc/ld.so.cache"] }),
        job(&["exit", "4"], json!({})),
    ]);
    assert!(text(&outcomes[0], "fault").starts_with("start /app/nothing: "));
    assert!(text(&outcomes[1], "fault").starts_with("start /etc/ld.so.cache: "));
    assert_eq!(outcomes[2]["exited"], 4);
}

#[test]
fn processor_time_is_bounded_and_counts_everyone() {
    let caps = json!({ "cpu_ms": 300, "wall_ms": 5000 });
    let outcomes = check(&[
        (
            &["busy"],
            caps.clone(),
            json!({ "stop": "cpu", "signalled": 9 }),
        ),
        (&["children-busy"], caps.clone(), json!({ "stop": "cpu" })),
        (
            &["forkbomb"],
            json!({ "cpu_ms": 300, "wall_ms": 5000, "processes": 16 }),
            json!({ "stop": "cpu" }),
        ),
        (
            &["daemon-burns"],
            caps.clone(),
            json!({ "exited": 0, "stop": null }),
        ),
    ]);
    for outcome in &outcomes[..3] {
        let cpu_us = number(outcome, "cpu_us");
        assert!((300_000..450_000).contains(&cpu_us), "{outcome}");
    }
    let outcomes = run(&[
        job(&["children-waited"], json!({})),
        job(&["children-left"], json!({})),
        job(&["threads"], json!({})),
    ]);
    for outcome in &outcomes {
        let cpu_us = number(outcome, "cpu_us");
        assert_eq!(outcome["exited"], 0);
        assert!((235_000..300_000).contains(&cpu_us), "{outcome}");
    }
}

#[test]
fn the_clock_is_bounded() {
    let caps = json!({ "cpu_ms": 1000, "wall_ms": 150 });
    let outcomes = check(&[
        (
            &["sleep"],
            caps.clone(),
            json!({ "stop": "wall", "signalled": 9 }),
        ),
        (&["stop-self"], caps.clone(), json!({ "stop": "wall" })),
        (&["drip"], caps, json!({ "stop": "wall" })),
    ]);
    for outcome in &outcomes {
        assert!(number(outcome, "wall_us") >= 150_000, "{outcome}");
        assert!(number(outcome, "cpu_us") < 100_000, "{outcome}");
    }
    assert!(text(&outcomes[2], "stdout").len() > 10);
}

#[test]
fn memory_is_bounded_and_counts_everyone() {
    let caps = json!({ "memory_bytes": 64 << 20, "cpu_ms": 3000 });
    let exceeded = json!({ "memory_exceeded": true, "stop": null });
    let outcomes = check(&[
        (&["touch-forever"], caps.clone(), exceeded.clone()),
        (&["static"], caps.clone(), exceeded.clone()),
        (
            &["memory-split"],
            caps.clone(),
            json!({ "memory_exceeded": true }),
        ),
        (
            &["memory-child"],
            caps.clone(),
            json!({ "memory_exceeded": true, "exited": 0, "stdout": "child 9\n" }),
        ),
        (
            &["reserve"],
            caps.clone(),
            json!({ "memory_exceeded": false, "exited": 0 }),
        ),
        (
            &["memory-20"],
            caps.clone(),
            json!({ "memory_exceeded": false, "exited": 0 }),
        ),
        (
            &["memory-tmpfs"],
            caps.clone(),
            json!({ "memory_exceeded": false, "exited": 0 }),
        ),
        (&["recurse"], caps, exceeded),
    ]);
    assert!(number(&outcomes[0], "memory_bytes") > 63 << 20);
    assert!(number(&outcomes[4], "memory_bytes") < 2 << 20);
    assert!((20 << 20..23 << 20).contains(&number(&outcomes[5], "memory_bytes")));
    assert!((10 << 20..13 << 20).contains(&number(&outcomes[6], "memory_bytes")));
}

#[test]
fn a_tiny_program_is_charged_little_however_late() {
    let outcomes = run(&[
        job(&["touch-forever"], json!({ "memory_bytes": 64 << 20 })),
        job(
            &["exit", "0"],
            json!({ "memory_bytes": 64 << 20, "repeat": 20 }),
        ),
    ]);
    assert!(
        number(&outcomes[1], "memory_bytes") < 2 << 20,
        "{}",
        outcomes[1]
    );
    assert!(number(&outcomes[1], "cpu_us") < 20_000);
}

#[test]
fn output_is_bounded() {
    let outcomes = check(&[
        (
            &["flood"],
            json!({ "output_bytes": 100_000 }),
            json!({ "stop": "output" }),
        ),
        (
            &["flood-then-exit"],
            json!({ "output_bytes": 65_537 }),
            json!({ "stop": "output" }),
        ),
        (
            &["exactly"],
            json!({ "output_bytes": 4096 }),
            json!({ "stop": null, "exited": 0 }),
        ),
        (
            &["exactly"],
            json!({ "output_bytes": 4095 }),
            json!({ "stop": "output" }),
        ),
        (
            &["stderr-flood"],
            json!({ "stderr_bytes": 1000 }),
            json!({ "stop": null, "exited": 0, "stdout": "fine\n" }),
        ),
        (
            &["ignore-stdin"],
            json!({ "stdin_zero_bytes": 1 << 20 }),
            json!({ "stdout": "fine\n", "exited": 0 }),
        ),
        (
            &["close-stdout"],
            json!({}),
            json!({ "stdout": "before\n", "exited": 0 }),
        ),
        (&["nul"], json!({}), json!({ "stdout": "a\0b\u{ff}\n" })),
        (
            &["echo"],
            json!({ "stdin": "x\u{ff}", "stdin_zero_bytes": 3 << 20, "output_bytes": 8 << 20 }),
            json!({ "exited": 0 }),
        ),
    ]);
    let lengths: Vec<usize> = outcomes
        .iter()
        .map(|outcome| text(outcome, "stdout").chars().count())
        .collect();
    assert_eq!(lengths[..4], [100_000, 65_537, 4096, 4095]);
    assert_eq!(lengths[8], (3 << 20) + 2);
    assert_eq!(text(&outcomes[4], "stderr").len(), 1000);
}

#[test]
fn the_disk_is_bounded() {
    let outcomes = run(&[
        job(&["xfsz"], json!({ "disk_bytes": 1 << 20, "cpu_ms": 3000 })),
        job(&["many-files"], json!({ "cpu_ms": 3000 })),
        job(&["deep"], json!({ "cpu_ms": 3000 })),
        job(&["exit", "0"], json!({})),
    ]);
    assert_eq!(text(&outcomes[0], "stdout"), "1048576 EFBIG\n");
    assert_eq!(text(&outcomes[1], "stdout"), "ENOSPC\n");
    assert_eq!(outcomes[1]["exited"], 0);
    assert_eq!(outcomes[2]["exited"], 0);
    assert_eq!(outcomes[3]["exited"], 0);
}

#[test]
fn nothing_of_the_machine_is_reached() {
    let outcomes = run(&[
        job(&["network"], json!({})),
        job(&["calls"], json!({})),
        job(&["files"], json!({})),
        job(&["descriptors"], json!({})),
        job(&["identity"], json!({})),
    ]);
    let allowed = |outcome: &Value| -> Vec<String> {
        text(outcome, "stdout")
            .lines()
            .filter(|line| line.ends_with(" allowed"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(allowed(&outcomes[0]), ["unix allowed"]);
    assert_eq!(text(&outcomes[0], "stdout").lines().count(), 5);
    assert_eq!(allowed(&outcomes[1]), [""; 0], "{}", outcomes[1]);
    assert_eq!(text(&outcomes[1], "stdout").lines().count(), 16);
    assert!(text(&outcomes[1], "stdout").contains("clone3 ENOSYS"));
    assert_eq!(allowed(&outcomes[2]), [""; 0], "{}", outcomes[2]);
    assert_eq!(text(&outcomes[2], "stdout").lines().count(), 16);
    assert_eq!(text(&outcomes[3], "stdout"), "0 1 2 ");
    assert_eq!(text(&outcomes[4], "stdout"), "1 1 1 1 /usr/bin:/bin");
}

#[test]
fn jobs_do_not_meet() {
    let outcomes = run(&[
        job(&["leave"], json!({})),
        job(&["leave"], json!({})),
        job(&["daemon"], json!({})),
        job(&["kill-all"], json!({})),
        job(&["stop-parent"], json!({})),
        job(&["exit", "5"], json!({})),
    ]);
    for outcome in &outcomes[..2] {
        let lines = text(outcome, "stdout").matches(" allowed").count();
        assert_eq!(lines, 3, "{outcome}");
    }
    assert_eq!(text(&outcomes[2], "stdout"), "parent\n");
    assert!(
        number(&outcomes[2], "wall_us") < 1_000_000,
        "{}",
        outcomes[2]
    );
    assert_eq!(outcomes[3]["fault"], Value::Null);
    assert_eq!(text(&outcomes[4], "stdout"), "tried\n");
    assert_eq!(outcomes[5]["exited"], 5);
}

#[test]
fn files_go_in_and_come_out() {
    let files = json!([["in.txt", "given\n"], ["a/b.txt", "b"]]);
    let outcomes = run(&[
        job(
            &["own-file"],
            json!({ "files": files, "collect": ["out.txt", "in.txt", "link", "fifo", "none", "../app/hostile"] }),
        ),
        job(
            &["own-file"],
            json!({ "files": files, "collect_all": [1000, 10] }),
        ),
        job(
            &["own-file"],
            json!({ "files": files, "collect_all": [1000, 2] }),
        ),
        job(&["own-file"], json!({ "collect": ["in.txt"] })),
    ]);
    assert_eq!(text(&outcomes[0], "stdout"), "given\n", "{}", outcomes[0]);
    assert_eq!(
        outcomes[0]["files"],
        json!([["out.txt", "result"], ["in.txt", "given\nmore"]])
    );
    assert_eq!(
        outcomes[1]["files"],
        json!([
            ["a/b.txt", "b"],
            ["in.txt", "given\nmore"],
            ["out.txt", "result"],
            ["sub/deep.txt", "deep"]
        ])
    );
    assert_eq!(outcomes[1]["collect_overflow"], false);
    assert_eq!(outcomes[2]["collect_overflow"], true);
    assert_eq!(
        outcomes[3]["files"],
        json!([]),
        "nothing of the job before is there"
    );
}

#[test]
fn what_is_shown_is_seen_and_its_neighbours_are_not() {
    // Below /tmp nothing can be shown, which is asked at the end.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let tool = folder.path().join("deep/tool");
    std::fs::create_dir_all(&tool).unwrap();
    std::fs::write(tool.join("file"), "shown").unwrap();
    std::fs::write(folder.path().join("deep/secret"), "hidden").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&tool, &link).unwrap();
    let shown = |path: PathBuf| json!({ "argv": ["/bin/cat", path] });
    let outcomes = trial(json!({
        // The second lies in the first, the third leads to it.
        "shown": [tool, tool.join("file"), link, "/usr/bin"],
        "jobs": [
            shown(tool.join("file")),
            shown(link.join("file")),
            shown(folder.path().join("deep/secret")),
            json!({ "argv": ["/bin/sh", "-c", "echo x > $0/new", tool] }),
            json!({ "argv": ["/bin/ls", folder.path().join("deep")] }),
        ],
    }));
    assert_eq!(text(&outcomes[0], "stdout"), "shown", "{}", outcomes[0]);
    assert_eq!(text(&outcomes[1], "stdout"), "shown", "{}", outcomes[1]);
    assert_eq!(outcomes[2]["exited"], 1);
    assert!(
        text(&outcomes[3], "stderr").contains("Read-only"),
        "{}",
        outcomes[3]
    );
    assert_eq!(text(&outcomes[4], "stdout"), "tool\n");
    let hidden = tempfile::tempdir_in("/tmp").unwrap();
    let refused =
        trial(json!({ "shown": [hidden.path()], "jobs": [job(&["exit", "0"], json!({}))] }));
    assert!(
        text(&refused[0], "fault").contains("/tmp is the sandbox's own"),
        "{}",
        refused[0]
    );
}

#[test]
fn runtimes_work() {
    let caps = |argv: Value| json!({ "argv": argv, "cpu_ms": 10000, "wall_ms": 20000, "processes": 64, "open_files": 256 });
    let outcomes = trial(json!({ "jobs": [
        caps(json!(["/usr/bin/python3", "-c", "print('hello')"])),
        caps(json!(["/usr/bin/java", "-Xmx64m", "-XX:+UseSerialGC", "-version"])),
        caps(json!(["/usr/bin/node", "-e", "console.log('hello')"])),
    ]}));
    for (outcome, program) in outcomes.iter().zip(["python3", "java", "node"]) {
        let there = Path::new("/usr/bin").join(program).exists();
        let fine = if there { json!(0) } else { Value::Null };
        assert_eq!(outcome["exited"], fine, "{outcome}");
    }
}

/// What must hold without control groups too.
fn check_fallback(outcomes: &[Value]) {
    assert_eq!(outcomes[0]["exited"], 3, "{}", outcomes[0]);
    assert_eq!(outcomes[1]["stop"], "cpu", "{}", outcomes[1]);
    assert!(number(&outcomes[1], "cpu_us") >= 150_000, "{}", outcomes[1]);
    for outcome in &outcomes[2..4] {
        assert_eq!(outcome["memory_exceeded"], true, "{outcome}");
    }
    assert_eq!(outcomes[4]["stop"], "cpu", "{}", outcomes[4]);
    assert!(number(&outcomes[5], "cpu_us") >= 235_000, "{}", outcomes[5]);
    assert!(!text(&outcomes[6], "stdout").contains("allowed"));
    for outcome in &outcomes[7..9] {
        let lines = text(outcome, "stdout").matches(" allowed").count();
        assert_eq!(lines, 3, "{outcome}");
    }
    assert_eq!(outcomes[9]["files"], json!([["out.txt", "result"]]));
}

fn fallback_spec(without_cgroups: bool) -> Value {
    let memory = json!({ "memory_bytes": 64 << 20 });
    let burn = json!({ "cpu_ms": 150, "wall_ms": 9000, "processes": 16 });
    json!({
        "without_cgroups": without_cgroups,
        "allow_missing": ["memory", "processes", "cpu"],
        "jobs": [
            job(&["exit", "3"], json!({})),
            job(&["busy"], burn.clone()),
            job(&["touch-forever"], memory.clone()),
            job(&["memory-split"], memory),
            job(&["forkbomb"], burn),
            job(&["children-waited"], json!({})),
            job(&["calls"], json!({})),
            job(&["leave"], json!({})),
            job(&["leave"], json!({})),
            job(&["own-file"], json!({ "collect": ["out.txt"] })),
        ],
    })
}

#[test]
fn works_without_control_groups_where_that_is_allowed() {
    check_fallback(&trial(fallback_spec(true)));
}

#[test]
fn works_for_an_ordinary_user_where_that_is_allowed() {
    // Whoever runs the tests as an ordinary user has had that in every test above.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = readable_folder();
    let [verdictd, program] = ["verdictd", "hostile"].map(|name| folder.path().join(name));
    std::fs::copy(env!("CARGO_BIN_EXE_verdictd"), &verdictd).unwrap();
    std::fs::copy(hostile(), &program).unwrap();
    let mut command = Command::new(verdictd);
    std::os::unix::process::CommandExt::gid(&mut command, 65534);
    std::os::unix::process::CommandExt::uid(&mut command, 65534);
    check_fallback(&trial_by(command, &program, fallback_spec(false)));
}

#[test]
fn refuses_with_an_explanation_where_it_is_not_allowed() {
    let folder = readable_folder();
    let file = folder.path().join("spec.json");
    std::fs::write(&file, json!({ "without_cgroups": true }).to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_verdictd"))
        .arg("__sandbox-run")
        .arg(file)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let words = String::from_utf8_lossy(&output.stderr);
    for part in [
        "memory is weak: ",
        "to mend it: ",
        "allow_missing = [\"memory\", \"processes\", \"cpu\"]",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn nothing_is_left_when_the_daemon_is_killed() {
    let spec = json!({ "hold": true, "app": [["hostile", hostile()]], "jobs": [job(&["exit", "0"], json!({}))] });
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(spec.to_string().as_bytes()).unwrap();
    for sigkill in [false, true] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verdictd"))
            .arg("__sandbox-run")
            .arg(file.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The first line says that the room stands.
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut String::new()).unwrap();
        let zygotes = descendants(child.id());
        assert_eq!(zygotes.len(), 2, "the zygote and its init");
        if sigkill {
            child.kill().unwrap();
        } else {
            drop(child.stdin.take());
        }
        child.wait().unwrap();
        for zygote in zygotes {
            wait_until(|| !alive(zygote));
        }
        let name = format!("verdictd-{}-", child.id());
        let left = groups(&name);
        if sigkill {
            // The next daemon sweeps.
            run_one(&["exit", "0"], json!({}));
            assert_eq!(groups(&name), [""; 0]);
        } else {
            assert_eq!(left, [""; 0]);
        }
    }
}

#[test]
fn a_killed_sandbox_is_a_fault_and_the_next_room_works() {
    let spec = json!({
        "app": [["hostile", hostile()]],
        "jobs": [job(&["exit", "0"], json!({})), job(&["sleep"], json!({ "wall_ms": 20000 })), job(&["exit", "6"], json!({}))],
    });
    let folder = readable_folder();
    let file = folder.path().join("spec.json");
    std::fs::write(&file, spec.to_string()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_verdictd"))
        .arg("__sandbox-run")
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut lines = std::io::BufRead::lines(out);
    lines.next().unwrap().unwrap();
    // The zygote, its init, the sleeping program.
    wait_until(|| descendants(child.id()).len() == 3);
    let processes = descendants(child.id());
    let init = rustix::process::Pid::from_raw(i32::try_from(processes[1]).unwrap()).unwrap();
    rustix::process::kill_process(init, rustix::process::Signal::KILL).unwrap();
    let killed: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert!(
        text(&killed, "fault").contains("ended unexpectedly"),
        "{killed}"
    );
    let next: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next["exited"], 6, "{next}");
    assert!(child.wait().unwrap().success());
    wait_until(|| !alive(processes[2]));
}

fn wait_until(mut done: impl FnMut() -> bool) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !done() {
        assert!(std::time::Instant::now() < end, "waited in vain");
        std::thread::yield_now();
    }
}

fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn descendants(pid: u32) -> Vec<u32> {
    let children = std::fs::read_dir(format!("/proc/{pid}/task"))
        .unwrap()
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|line| {
            line.split_whitespace()
                .map(|pid| pid.parse().unwrap())
                .collect::<Vec<u32>>()
        })
        .collect::<Vec<u32>>();
    let below: Vec<u32> = children
        .iter()
        .flat_map(|&child| descendants(child))
        .collect();
    children.into_iter().chain(below).collect()
}

/// Control groups of this prefix, anywhere.
fn groups(prefix: &str) -> Vec<String> {
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
