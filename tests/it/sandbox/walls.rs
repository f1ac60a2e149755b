//! What a program may see and touch, and what passes between it and the sandbox.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{check, job, run, text, trial};
use crate::place::assert_has;
use crate::skips::skipped;

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
fn nothing_of_the_machine_is_reached() {
    let outcomes = run(&[
        job(&["network"], json!({})),
        job(&["calls"], json!({})),
        job(&["files"], json!({})),
        job(&["descriptors"], json!({})),
        job(&["identity"], json!({})),
    ]);
    let tried = |outcome: &Value| {
        let lines = text(outcome, "stdout").lines();
        let allowed = lines.clone().filter(|line| line.ends_with(" allowed"));
        (allowed.collect::<String>(), lines.count())
    };
    for (outcome, (allowed, count)) in
        outcomes
            .iter()
            .zip([("unix allowed", 5), ("", 16), ("", 16)])
    {
        assert_eq!(tried(outcome), (allowed.to_owned(), count), "{outcome}");
    }
    assert!(text(&outcomes[1], "stdout").contains("clone3 ENOSYS"));
    assert_eq!(text(&outcomes[3], "stdout"), "0 1 2 ");
    assert_eq!(text(&outcomes[4], "stdout"), "1 1 1 1 /usr/bin:/bin");
}

/// How many calls a program tried, and whether none was allowed.
fn check_refused(outcome: &Value, tried: usize) {
    let lines = text(outcome, "stdout").lines();
    let said: Vec<&str> = lines
        .filter(|line| !line.starts_with("pair unix"))
        .collect();
    assert_eq!(said.len(), tried, "{outcome}");
    assert!(
        !said.iter().any(|line| line.ends_with(" allowed")),
        "{outcome}"
    );
}

#[test]
fn no_marks_are_left_on_what_others_read() {
    // The second run reads the same input as the first.
    let outcome = run(&[job(&["marks"], json!({ "stdin": "xyz", "repeat": 2 }))]).remove(0);
    check_refused(&outcome, 6);
    if rustix::process::geteuid().is_root() {
        assert_has(text(&outcome, "stdout"), &["reading unseen"]);
    } else {
        skipped("not root: whether an input tells when it was read was not looked at");
    }
}

#[test]
fn the_machine_and_init_are_left_alone() {
    let outcome = run(&[job(&["others"], json!({}))]).remove(0);
    check_refused(&outcome, 9);
    let said = text(&outcome, "stdout");
    let pairs = [
        "pair inet EAFNOSUPPORT",
        "pair netlink EAFNOSUPPORT",
        "pair unix works",
    ];
    assert_has(said, &pairs);
}

#[test]
fn a_job_and_its_children_stay_on_one_core() {
    let outcomes = run(&[
        job(&["one-core"], json!({})),
        job(&["one-core"], json!({ "alone": true })),
        job(&["one-core"], json!({})),
    ]);
    for outcome in &outcomes {
        let said = "cores 1\nwiden EPERM\ncores 1\nwiden EPERM\n";
        assert_eq!(text(outcome, "stdout"), said, "{outcome}");
    }
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
    // Its child waits for ever, but the job ended before any limit was reached.
    assert_eq!(outcomes[2]["exited"], 0, "{}", outcomes[2]);
    assert_eq!(outcomes[2]["stop"], Value::Null, "{}", outcomes[2]);
    assert_eq!(outcomes[3]["fault"], Value::Null);
    assert_eq!(text(&outcomes[4], "stdout"), "tried\n");
    assert_eq!(outcomes[5]["exited"], 5);
}

#[test]
fn files_go_in_and_come_out() {
    let files = json!([["in.txt", "given\n"], ["a/b.txt", "b"]]);
    let names = json!([
        "out.txt",
        "in.txt",
        "link",
        "fifo",
        "none",
        "../app/hostile"
    ]);
    let named = json!({ "files": files, "collect": names });
    let [all, few] = [10, 2].map(|most| json!({ "files": files, "collect_all": [1000, most] }));
    let (out, given) = (["out.txt", "result"], ["in.txt", "given\nmore"]);
    let own = [["a/b.txt", "b"], given, out, ["sub/deep.txt", "deep"]];
    check(&[
        (
            "own-file",
            &named,
            &json!({ "stdout": "given\n", "files": [out, given] }),
        ),
        (
            "own-file",
            &all,
            &json!({ "files": own, "collect_overflow": false }),
        ),
        ("own-file", &few, &json!({ "collect_overflow": true })),
        // Nothing of the job before is there.
        (
            "own-file",
            &json!({ "collect": ["in.txt"] }),
            &json!({ "files": [] }),
        ),
    ]);
}

#[test]
fn what_is_shown_is_seen_and_its_neighbours_are_not() {
    // Nothing below /tmp can be shown; the end of this test tries.
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let tool = folder.path().join("deep/tool");
    std::fs::create_dir_all(&tool).unwrap();
    std::fs::write(tool.join("file"), "shown").unwrap();
    std::fs::write(folder.path().join("deep/secret"), "hidden").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&tool, &link).unwrap();
    let shown = |path: PathBuf| json!({ "argv": ["/bin/cat", path] });
    let outcomes = trial(json!({
        // The second is inside the first, the third is a link to it.
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
    assert_has(text(&outcomes[3], "stderr"), &["Read-only"]);
    assert_eq!(text(&outcomes[4], "stdout"), "tool\n");
    let hidden = tempfile::tempdir_in("/tmp").unwrap();
    let refused =
        trial(json!({ "shown": [hidden.path()], "jobs": [job(&["exit", "0"], json!({}))] }));
    let words = ["/tmp is the sandbox's own"];
    assert_has(text(&refused[0], "fault"), &words);
}

#[test]
fn folders_that_every_program_can_read_are_refused() {
    let place = crate::place::Place::new();
    std::os::unix::fs::symlink("/usr/share", place.path("link")).unwrap();
    for folder in ["/usr/share/tests", "link/tests"] {
        let config = format!("[folders]\nproblems = \"{folder}\"\n");
        place.write("config.toml", config);
        let words = "lies in /usr, which every judged program can read";
        place.says(78, "judge x", &[words, "config.toml: the folder problems"]);
    }
}
