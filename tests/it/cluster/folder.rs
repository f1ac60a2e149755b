//! The folder of `verdictd cluster`: what is in it, and what is left of it when something fails.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::place::{binary, output};

#[test]
fn nothing_is_overwritten_and_secrets_are_for_their_owner() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("cluster");
    let run = |arguments: &[&str]| {
        let mut command = Command::new(binary());
        output(command.arg("cluster").args(arguments).arg(&made))
    };
    let init = ["init", "--host", "grader", "--course", "algorithms"];
    let refused = run(&init);
    let words = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{words}");
    assert!(words.contains("--listen") && !made.exists(), "{words}");
    let init = [&init[..], &["--listen", "192.0.2.7"]].concat();
    let said = run(&init);
    assert!(said.status.success(), "{said:?}");
    let listed = String::from_utf8(said.stdout).unwrap();
    assert!(
        said.stderr.is_empty() && listed.contains("credentials/algorithms.creds: goes beside"),
        "{listed}"
    );
    let configuration = fs::read_to_string(made.join("nats-server.conf")).unwrap();
    assert!(
        configuration.contains("\nhost: \"192.0.2.7\"\n"),
        "{configuration}"
    );
    for file in ["server.key", "credentials/algorithms.creds"] {
        let mode = fs::metadata(made.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let files = || {
        let read = |name: &str| fs::read(made.join(name)).unwrap();
        ["cluster.toml", "nats-server.conf", "ca.pem"].map(read)
    };
    let before = files();
    for (arguments, says) in [
        (&init[..], "is not empty"),
        (
            &["add-course", "algorithms", "--folder"],
            "a course `algorithms` already",
        ),
        (
            &["add-worker", "Lab 7", "--folder"],
            "`Lab 7` is not a valid name",
        ),
        (
            &["remove", "algorithm", "--folder"],
            "no worker or course `algorithm`",
        ),
    ] {
        let said = run(arguments);
        let words = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{words}");
        assert!(words.contains(says), "{words}");
    }
    assert_eq!(files(), before);
}

/// On a disk on which nothing longer than 1 KiB has room.
fn with_little_room(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new("bash");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "-"]);
    output(command.arg(binary()).arg("cluster").args(arguments))
}

#[test]
fn what_cannot_be_written_leaves_nothing_half_made() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("cluster");
    let path = made.to_str().unwrap();
    let init = ["init", path, "--course", "algorithms"];
    let full = with_little_room(&init);
    assert!(!full.status.success() && !made.exists(), "{full:?}");

    let run = |arguments: &[&str]| {
        let said = output(Command::new(binary()).arg("cluster").args(arguments));
        let words = String::from_utf8_lossy(&said.stderr).into_owned();
        (said.status.success(), words)
    };
    assert_eq!(run(&init), (true, String::new()));
    let add = ["add-worker", "lab-07", "--folder", path];
    let full = with_little_room(&add);
    assert!(!full.status.success(), "{full:?}");
    assert_eq!(run(&add), (true, String::new()), "it is not there already");

    // Killed before it had said who there is.
    fs::remove_file(made.join("cluster.toml")).unwrap();
    let (is_good, words) = run(&init);
    assert!(
        !is_good && words.contains("remove it and begin again"),
        "{words}"
    );
}
