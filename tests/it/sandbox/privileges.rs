//! What a job may do according to the kernel: its capabilities, its filter, the attributes of what
//! is mounted for it.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use serde_json::{Value, json};

use super::{hostile, job, readable_folder, text, trial, trial_by};
use crate::place::copy_program;
use crate::skips::skipped;

/// Where a job may write.
const SCRATCH: [&str; 3] = ["/box", "/tmp", "/dev/shm"];

/// A line of /proc/self/mountinfo: where, and the attributes of the mount and of its file system.
fn mount(line: &str) -> Option<(&str, Vec<&str>)> {
    let words: Vec<&str> = line.split(' ').collect();
    // Number, parent, device, root, target, attributes, …
    let is_mount = words.len() > 6 && words[2].contains(':') && words[4].starts_with('/');
    is_mount.then(|| (words[4], words[5].split(',').collect()))
}

fn check_privileges(outcome: &Value) {
    let said = text(outcome, "stdout");
    let value = |name: &str| {
        let mut lines = said.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(key, _)| *key == name);
        found.unwrap_or_else(|| panic!("{name}: {said}")).1.trim()
    };
    for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(value(set), "0000000000000000", "{set}");
    }
    assert!(!said.contains("bounding "), "{said}");
    assert_eq!(value("NoNewPrivs"), "1");
    // Seccomp's filter mode.
    assert_eq!(value("Seccomp"), "2");
    let ids: Vec<&str> = value("Uid").split_whitespace().collect();
    assert!(ids.iter().all(|id| *id == ids[0] && *id != "0"), "{ids:?}");
    let mounts: Vec<_> = said.lines().filter_map(mount).collect();
    assert!(mounts.len() > 8, "{said}");
    for (target, attributes) in mounts {
        let has = |attribute: &str| attributes.contains(&attribute);
        assert!(has("nosuid"), "{target}: {attributes:?}");
        // Devices are shown one by one, each a mount of its own.
        let is_device = target.starts_with("/dev/") && target != "/dev/shm";
        assert!(has("nodev") || is_device, "{target}: {attributes:?}");
        let expected = SCRATCH.contains(&target);
        assert_eq!(has("rw"), expected, "{target}: {attributes:?}");
    }
}

#[test]
fn a_job_has_no_capability_and_no_mount_that_could_give_it_one() {
    let jobs = json!({ "jobs": [job(&["privileges"], json!({}))] });
    check_privileges(&trial(jobs)[0]);
}

#[test]
fn a_job_of_an_ordinary_users_daemon_has_none_either() {
    if !rustix::process::geteuid().is_root() {
        skipped("not root: no job of another user's daemon was looked at");
        return;
    }
    let folder = readable_folder();
    let [own, program] = ["trial", "hostile"].map(|name| folder.path().join(name));
    copy_program(env!("CARGO_BIN_EXE_sandbox-trial"), &own);
    copy_program(hostile(), &program);
    let mut command = Command::new(own);
    command.gid(65534).uid(65534);
    let spec = json!({
        "allow_missing": ["memory", "processes", "cpu"],
        "jobs": [job(&["privileges"], json!({}))],
    });
    check_privileges(&trial_by(command, &program, spec)[0]);
}
