//! SIGHUP, after which the daemon starts anew; and the second signal that stops it at once.

use std::fs;
use std::process::{Command, Stdio};

use crate::place::{Daemon, Place, assert_has, wait_until};
use crate::process::descendants;
use crate::programs;
use crate::skips::skipped;
use crate::web::client::{get, watched};

#[test]
fn a_reload_starts_anew_with_every_setting_and_refuses_no_connection() {
    let place = Place::new().only(&["python3"]);
    let place = place.with_dashboard("public = \"reports\"");
    place.configure("[judge]\nworkers = 1\n");
    place.write("elsewhere/delta/sum.py", programs::PYTHON);
    let (daemon, to) = watched(&place);
    place.write("submissions/alpha/sum.py", "print('x' * 3_000_000)\n");
    place.write("submissions/beta/sum.docx", "x");
    assert_eq!(place.wait_for("alpha/sum/1"), "WA");
    let note = "reports/beta/rejected/sum.docx.note.txt";
    wait_until("the note", || place.path(note).exists());

    for (from, to) in [
        ("workers = 1", "workers = 2"),
        ("public = \"reports\"", "public = \"names\""),
        ("[intake]\n", "[intake]\nignore = [\"*.docx\"]\n"),
    ] {
        place.edit("config.toml", from, to);
    }
    place.configure("[limits]\noutput_mib = 1\n[folders]\nsubmissions = \"elsewhere\"\n");
    daemon.signal("HUP");
    wait_until("a verdict in the other folder", || {
        // Whoever comes meanwhile waits a moment.
        get(to, "/");
        place.verdicts().contains_key("delta/sum/1")
    });
    // A lower limit and ignored names hold for what was there before, too.
    place.becomes("alpha/sum/1", "OLE");
    wait_until("the note to go", || !place.path(note).exists());
    assert_eq!(place.verdicts()["delta/sum/1"], "AC");
    place.read("reports/delta/sum/1.txt");
    assert_eq!(get(to, "/").status, 200);
    assert_eq!(get(to, "/reports/delta/sum/1.txt").status, 404);
    let said = daemon.said();
    let ready = said.iter().find(|line| line.starts_with("ready:")).unwrap();
    assert_has(ready, &["2 programs at a time", "elsewhere"]);
    // Whoever asks it to stop while it starts anew is heard.
    let is_start = |line: &&String| line.contains("trying the languages");
    let starts = || daemon.said().iter().filter(is_start).count();
    let before = starts();
    daemon.signal("HUP");
    wait_until("the next start", || starts() > before);
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0));
    // Each verdict was shown, before and after.
    for (verdict, student) in [(" WA ", "alpha"), (" OLE ", "alpha"), (" AC ", "delta")] {
        let lines = &ended.lines;
        let is_it = |line: &String| line.contains(verdict) && line.contains(student);
        assert!(lines.iter().any(is_it), "{verdict}{student}: {lines:#?}");
    }
}

#[test]
fn what_is_away_when_it_starts_anew_is_waited_for() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    fs::rename(place.path("submissions"), place.path("away")).unwrap();
    daemon.signal("HUP");
    daemon.wait_to_say("submissions: there is no such folder");
    fs::rename(place.path("away"), place.path("submissions")).unwrap();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    // What is only found when everything is opened.
    fs::rename(place.path("reports"), place.path("away")).unwrap();
    place.write("reports", "");
    daemon.signal("HUP");
    daemon.wait_to_say("fault: start again: ");
    fs::remove_file(place.path("reports")).unwrap();
    fs::rename(place.path("away"), place.path("reports")).unwrap();
    place.write("submissions/beta/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("beta/sum/1"), "AC");
    assert_eq!(daemon.stop().code, Some(0));
}

/// The descendants of a process that have this name.
fn running(pid: u32, name: &str) -> Vec<u32> {
    let mut found = descendants(pid);
    found.retain(|pid| {
        let comm = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        comm.starts_with(name)
    });
    found
}

/// Whether a process sleeps: in `clock_nanosleep`, or in `select` if Python is older.
fn sleeps(pid: u32) -> bool {
    let call = fs::read_to_string(format!("/proc/{pid}/syscall")).unwrap_or_default();
    call.starts_with("230 ") || call.starts_with("23 ")
}

/// A daemon that judges a program which sleeps for minutes.
fn at_work(place: &Place) -> Daemon {
    let daemon = place.daemon();
    // The syntax check is a Python process too, but a short one.
    wait_until("the program to run", || {
        let programs = running(daemon.pid(), "python3");
        programs.len() == 1 && sleeps(programs[0])
    });
    daemon
}

#[test]
fn the_first_signal_drains_and_the_second_stops_at_once() {
    for (first, second) in [("TERM", "INT"), ("INT", "TERM")] {
        let place = Place::new().only(&["python3"]);
        place.limit_cpu("sum", "1.0\nwall_s = 600.0");
        let slow = format!("import time\ntime.sleep(500)\n{}", programs::PYTHON);
        place.write("submissions/alpha/sum.py", slow);
        let daemon = at_work(&place);
        daemon.signal(first);
        // A file that arrives now is not judged, and not lost.
        place.write("submissions/beta/sum.py", programs::PYTHON);
        let program = running(daemon.pid(), "python3");
        assert_eq!(program.len(), 1, "it is finished, not broken off");
        daemon.signal(second);
        let ended = daemon.ended();
        assert_eq!(ended.code, Some(3), "{:#?}", ended.said);
        assert_has(&ended.said.join("\n"), &["a second signal stops at once"]);
        let is_gone = || !fs::exists(format!("/proc/{}", program[0])).unwrap();
        wait_until("the program's end", is_gone);
        assert!(place.verdicts().is_empty(), "nobody has a verdict for that");
        let limits = "cpu_s = 1.0\nwall_s = 600.0";
        place.edit("problems/sum/problem.toml", limits, "cpu_s = 0.5");
        let verdicts = place.serve_once();
        assert_eq!(verdicts["alpha/sum/1"], "TLE");
        assert_eq!(verdicts["beta/sum/1"], "AC");
    }
}

/// A user that no other test needs, so that nothing else runs out of what this test takes.
const USER: u32 = 65_533;
/// Takes every instance of inotify that its user may have, and holds them until its standard input
/// is closed.
const TAKE_ALL: &str = "
import ctypes, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
library = ctypes.CDLL(None)
taken = 0
while taken < 100000 and library.inotify_init() >= 0:
    taken += 1
print(taken, flush=True)
sys.stdin.read()
";

#[test]
fn a_folder_that_cannot_be_watched_is_scanned_periodically() {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::process::CommandExt as _;

    if !rustix::process::geteuid().is_root() {
        skipped("not root: nobody was kept from watching a folder");
        return;
    }
    let place = crate::shortage::place_of(USER);
    let mut taker = Command::new("python3");
    taker.args(["-c", TAKE_ALL]).gid(USER).uid(USER);
    taker.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut taker = taker.spawn().unwrap();
    let mut taken = String::new();
    let mut printed = BufReader::new(taker.stdout.take().unwrap());
    printed.read_line(&mut taken).unwrap();
    assert_ne!(taken.trim(), "0");
    let daemon = crate::shortage::daemon_of(USER, &place);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    place.write("submissions/alpha/sum.lua", "print(7)\n");
    assert_eq!(place.wait_for("alpha/sum/2"), "WA");
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:#?}", ended.said);
    let said = ended.said.join("\n");
    let told = said.matches("fs.inotify.max_user_instances").count();
    assert_eq!(told, 1, "{said}");
    drop(taker.stdin.take());
    taker.wait().unwrap();
}
