//! Resources that the machine can run out of while the daemon runs, and files that can be taken
//! away from it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::place::{Daemon, Place, assert_has, binary, copy_program, wait_until};
use crate::process::children;
use crate::programs;
use crate::store::{count, trouble};
use rustix::process::{Pid, Signal, geteuid, kill_process};

/// An ordinary user, to whom limits apply.
const USER: u32 = 65_534;

/// A place that belongs to an ordinary user, with protections optional, and a binary that this user
/// may run.
pub fn place_of(user: u32) -> Place {
    let place = Place::new().only(&["lua"]);
    let weak =
        "[judge]\nworkers = 1\n[sandbox]\nallow_missing = [\"memory\", \"processes\", \"cpu\"]\n";
    place.configure(weak);
    copy_program(binary(), &place.path("verdictd"));
    if geteuid().is_root() {
        give(&place.path(""), user);
    }
    place
}

/// Gives a folder and all below it to a user.
pub fn give(path: &Path, user: u32) {
    chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

/// A daemon of this user.
pub fn daemon_of(user: u32, place: &Place) -> Daemon {
    let mut command = Command::new(place.path("verdictd"));
    command
        .arg("--config")
        .arg(place.path("config.toml"))
        .arg("serve")
        .current_dir(place.path(""))
        .env_remove("RUST_LOG");
    if geteuid().is_root() {
        command.gid(user).uid(user);
    }
    Daemon::start(command)
}

/// A process's soft limit on the number of its user's processes.
fn limit_of_processes(pid: u32) -> String {
    let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max processes"));
    line.unwrap().split_whitespace().nth(2).unwrap().to_owned()
}

/// Sets that limit, as the process's own user may.
fn limit_processes(pid: u32, soft: &str) {
    let mut command = Command::new("prlimit");
    command.args(["--pid", &pid.to_string(), &format!("--nproc={soft}:")]);
    if geteuid().is_root() {
        command.gid(USER).uid(USER);
    }
    assert!(command.status().unwrap().success());
}

#[test]
fn a_shortage_is_named_and_the_verdict_comes_when_it_is_over() {
    let place = place_of(USER);
    let daemon = daemon_of(USER, &place);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    let before = limit_of_processes(daemon.pid());
    limit_processes(daemon.pid(), "1");
    // The daemon needs a new process now, and gets none.
    for zygote in children(daemon.pid()) {
        let zygote = Pid::from_raw(i32::try_from(zygote).unwrap()).unwrap();
        kill_process(zygote, Signal::KILL).unwrap();
    }
    let program = format!("{}-- beta\n", programs::LUA);
    place.write("submissions/beta/sum.lua", program);
    // The trouble is told before the store has beta's fault.
    wait_until("the shortage, and when it is tried again", || {
        let next_try = &place.status()["faulted"][0]["next_try"];
        trouble(&place).contains("short of processes") && next_try.is_string()
    });
    assert_eq!(place.verdicts().len(), 1);
    limit_processes(daemon.pid(), &before);
    assert_eq!(place.wait_for("beta/sum/1"), "AC");
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:#?}", ended.said);
    let faults = ended.said.iter().filter(|line| line.contains("fault"));
    let [told] = faults.collect::<Vec<_>>()[..] else {
        panic!("said once: {:#?}", ended.said);
    };
    assert_has(told, &["the machine is short of processes", "ulimit -u"]);
}

#[test]
fn a_state_folder_that_goes_away_ends_the_daemon() {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    for is_moved in [false, true] {
        let daemon = place.daemon();
        wait_until("the verdict, and its line in the log", || {
            let log = fs::read_to_string(place.path("staff/verdicts.log"));
            count(&place, "submissions WHERE judged = 1") == 1
                && log.is_ok_and(|log| log.contains("alpha"))
        });
        if is_moved {
            fs::rename(place.path("state"), place.path("elsewhere")).unwrap();
        } else {
            fs::remove_dir_all(place.path("state")).unwrap();
        }
        let ended = daemon.ended();
        assert_eq!(ended.code, Some(3), "{:#?}", ended.said);
        assert_has(&ended.said.join("\n"), &["was removed, moved or replaced"]);
    }
    // Once the folder is put back, as the message says, the daemon continues where it stopped.
    fs::rename(place.path("elsewhere"), place.path("state")).unwrap();
    let before = place.read("staff/verdicts.log");
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    assert_eq!(place.read("staff/verdicts.log"), before);
}
