//! The folder of `verdictd cluster`: what is in it, and what is left of it when something fails.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::place::{Place, assert_has, binary, output};

/// Runs a command line that has to succeed without a warning; returns what it prints.
fn done(place: &Place, line: &str) -> String {
    let done = place.run(&line.split(' ').collect::<Vec<_>>());
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn nothing_is_overwritten_and_secrets_are_for_their_owner() {
    let place = Place::new();
    let init = "cluster init made --host grader --course algorithms";
    place.says(2, init, &["--listen"]);
    assert!(!place.path("made").exists());
    let init = format!("{init} --listen 192.0.2.7");
    let listed = done(&place, &init);
    assert_has(&listed, &["credentials/algorithms.creds: goes beside"]);
    let files = ["nats-server.conf", "cluster.toml", "ca.pem"];
    let read = || files.map(|name| place.read(&format!("made/{name}")));
    let before = read();
    assert_has(&before[0], &["\nhost: \"192.0.2.7\"\n"]);
    for file in ["server.key", "credentials/algorithms.creds"] {
        let file = place.path("made").join(file);
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file:?}");
    }
    let known = "a course `algorithms` already";
    let unknown = "no worker or course `algorithm`";
    for (line, says) in [
        (&*init, "is not empty"),
        ("cluster add-course algorithms --folder made", known),
        ("cluster add-worker Lab_7 --folder made", "not a valid name"),
        ("cluster remove algorithm --folder made", unknown),
    ] {
        place.says(2, line, &[says]);
    }
    assert_eq!(read(), before);
}

#[test]
fn what_cannot_be_written_leaves_nothing_half_made() {
    let place = Place::new();
    // On a disk on which nothing longer than 1 KiB has room.
    let fails = |line: &str| {
        let mut command = Command::new("bash");
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" $1";
        command.args(["-c", script, binary(), line]);
        let full = output(command.current_dir(place.path("")));
        assert!(!full.status.success(), "{full:?}");
    };
    let init = "cluster init made --course algorithms";
    fails(init);
    assert!(!place.path("made").exists());
    done(&place, init);
    let add = "cluster add-worker lab-07 --folder made";
    fails(add);
    done(&place, add);

    // Killed before it had said who there is.
    fs::remove_file(place.path("made/cluster.toml")).unwrap();
    place.says(2, init, &["remove it and begin again"]);
}
