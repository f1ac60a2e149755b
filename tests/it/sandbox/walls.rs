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
    let programs = ["network", "calls", "files", "descriptors", "identity"];
    let outcomes = run(&programs.map(|program| job(&[program], json!({}))));
    let tried = |outcome: &Value| {
        let lines = text(outcome, "stdout").lines();
        let allowed = lines.clone().filter(|line| line.ends_with(" allowed"));
        (allowed.collect::<String>(), lines.count())
    };
    for (at, (allowed, count)) in [("unix allowed", 5), ("", 16), ("", 16)].iter().enumerate() {
        let expected = ((*allowed).to_owned(), *count);
        assert_eq!(tried(&outcomes[at]), expected, "{}", outcomes[at]);
    }
    assert!(text(&outcomes[1], "stdout").contains("clone3 ENOSYS"));
    assert_eq!(text(&outcomes[3], "stdout"), "0 1 2 ");
    assert_eq!(text(&outcomes[4], "stdout"), "1 1 1 1 /usr/bin:/bin");
}

/// How many calls a program tried, and whether none was allowed.
fn check_refused(outcome: &Value, tried: usize) {
    let lines = text(outcome, "stdout").lines();
    let said = lines.filter(|line| !line.starts_with("pair unix"));
    assert_eq!(said.clone().count(), tried, "{outcome}");
    let allowed: Vec<&str> = said.filter(|line| line.ends_with(" allowed")).collect();
    assert!(allowed.is_empty(), "{outcome}");
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
    let pairs = ["pair inet EAFNOSUPPORT|pair netlink EAFNOSUPPORT|pair unix works"];
    assert_has(text(&outcome, "stdout"), &pairs);
}

#[test]
fn a_job_and_its_children_stay_on_one_core() {
    let settings = [json!({}), json!({ "alone": true }), json!({})];
    for outcome in &run(&settings.map(|more| job(&["one-core"], more))) {
        let said = "cores 1\nwiden EPERM\ncores 1\nwiden EPERM\n";
        assert_eq!(text(outcome, "stdout"), said, "{outcome}");
    }
}

#[test]
fn jobs_do_not_meet() {
    let none = &json!({});
    let programs = "leave|leave|daemon|kill-all|stop-parent|exit 5".split('|');
    let outcomes = check(&programs.map(|one| (one, none, none)).collect::<Vec<_>>());
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
    let names = "out.txt|in.txt|link|fifo|none|../app/hostile".split('|');
    let named = json!({ "files": files, "collect": names.collect::<Vec<_>>() });
    let [all, few] = [10, 2].map(|most| json!({ "files": files, "collect_all": [1000, most] }));
    let (out, given) = (["out.txt", "result"], ["in.txt", "given\nmore"]);
    let own = [["a/b.txt", "b"], given, out, ["sub/deep.txt", "deep"]];
    let rows = [
        (named, json!({ "stdout": "given\n", "files": [out, given] })),
        (all, json!({ "files": own, "collect_overflow": false })),
        (few, json!({ "collect_overflow": true })),
        // Nothing of the job before is there.
        (json!({ "collect": ["in.txt"] }), json!({ "files": [] })),
    ];
    let rows = rows.each_ref();
    check(&rows.map(|(more, expected)| ("own-file", more, expected)));
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
    let jobs = [job(&["exit", "0"], json!({}))];
    let refused = trial(json!({ "shown": [hidden.path()], "jobs": jobs }));
    assert_has(text(&refused[0], "fault"), &["/tmp is the sandbox's own"]);
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
