//! Full disks: out of blocks or inodes, while the daemon runs, before it starts, and under a
//! command.
//!
//! Each time no verdict is wrong, no program is lost, the message names the folder, and work goes
//! on once there is room.

use std::fs;
use std::process::Output;

use crate::place::{Daemon, Place, output, wait_until};
use crate::programs;

use super::small_disk::SmallDisk;
use crate::web::client::{addresses, get};

/// More than an empty store and the reports of a few programs need.
const SIZE: &str = "size=12m,mode=755";
/// Enough bytes, but few files.
const INODES: &str = "size=64m,nr_inodes=400,mode=755";

fn place() -> Place {
    Place::new().only(&["python3"])
}

/// The one line that names a full disk.
fn full_line(said: &[String]) -> &str {
    let mut lines = said.iter().filter(|line| line.contains("is full"));
    let line = lines
        .next()
        .unwrap_or_else(|| panic!("not said: {said:#?}"));
    assert_eq!(lines.next(), None, "said once: {said:#?}");
    line
}

fn lines_with(said: &[String], words: &str) -> usize {
    said.iter().filter(|line| line.contains(words)).count()
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a daemon while this folder's disk is filled and then has room again.
fn holds_out(folder: &'static str, options: &str, fill: impl Fn(&SmallDisk), hint: &str) {
    let Some(disk) = SmallDisk::of(place(), folder, options) else {
        return;
    };
    let daemon = disk.daemon();
    disk.write("submissions/alpha/sum.py", programs::PYTHON);
    wait_until("the first verdict", || disk.verdicts() == ["alpha AC"]);
    wait_until("the first page", || {
        disk.seen("staff/alpha/sum/1.html").exists()
    });
    fill(&disk);
    disk.write("submissions/beta/sum.py", "print(7)\n");
    disk.write(
        "submissions/gamma/sum.py",
        format!("{}#\n", programs::PYTHON),
    );
    disk.write("submissions/delta/sum.docx", "x");
    wait_until("the full disk in status", || {
        disk.trouble().iter().any(|line| line.contains("is full"))
    });
    let trouble = disk.trouble().join("\n");
    let named = disk.place.path(folder);
    assert!(trouble.contains(named.to_str().unwrap()), "{trouble}");
    assert!(trouble.contains(hint), "{trouble}");
    let shown = disk.run(&["status"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("trouble") && shown.contains("is full"),
        "{shown}"
    );
    let all = ["alpha AC", "beta WA", "gamma AC"];
    let told = disk.verdicts();
    let is_right = told.iter().all(|verdict| all.contains(&verdict.as_str()));
    assert!(is_right, "on a full disk: {told:?}");
    disk.make_room();
    wait_until("every verdict", || disk.verdicts().len() >= all.len());
    wait_until("the pages", || {
        ["beta", "gamma"].iter().all(|student| {
            let file = |ending: &str| disk.seen(&format!("staff/{student}/sum/1.{ending}"));
            file("html").exists() && file("json").exists()
        })
    });
    wait_until("the note on what is no submission", || {
        disk.seen("reports/delta/rejected/sum.docx.note.txt")
            .exists()
    });
    wait_until("no trouble in status", || disk.trouble().is_empty());
    assert_eq!(disk.verdicts(), all);
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:#?}", ended.said);
    let line = full_line(&ended.said);
    assert!(line.contains(named.to_str().unwrap()), "{line}");
    let count = |words: &str| lines_with(&ended.said, words);
    assert_eq!(count("room on the disk again"), 1, "{:#?}", ended.said);
    assert_eq!(count("not judged"), 0, "nobody's fault: {:#?}", ended.said);
}

#[test]
fn a_full_disk_of_the_store_costs_no_verdict() {
    holds_out("state", SIZE, |disk| disk.fill_but(0), "is full");
}

#[test]
fn a_full_disk_of_the_reports_costs_no_verdict() {
    holds_out("reports", SIZE, |disk| disk.fill_but(0), "is full");
}

#[test]
fn a_disk_of_the_staffs_files_out_of_inodes_is_told_from_one_out_of_blocks() {
    holds_out("staff", INODES, SmallDisk::take_inodes, "df -i");
}

#[test]
fn a_file_truncated_by_a_full_disk_is_not_received() {
    let Some(disk) = SmallDisk::of(place(), "submissions", SIZE) else {
        return;
    };
    // The developers' log has a line for each try; people get one message.
    let is_logged = |line: &str| line.contains("verdictd::daemon::");
    let mut command = disk.command(&["serve"]);
    command.env("RUST_LOG", "verdictd::daemon=debug");
    let daemon = Place::started(command);
    let program = format!("{}# {}\n", programs::PYTHON, "x".repeat(10_000));
    disk.write("submissions/alpha/room", "");
    disk.fill_but(0);
    // Nothing fits any more: an upload leaves an empty file.
    let path = disk.seen("submissions/alpha/sum.py");
    assert!(fs::write(&path, &program).is_err());
    let tries = || {
        let said = daemon.said();
        let full = said.iter().filter(|line| line.contains("is full"));
        full.filter(|line| is_logged(line)).count()
    };
    wait_until("the disk to be found full, and tries after that", || {
        tries() >= 3
    });
    let note = disk.seen("reports/alpha/rejected/sum.py.note.txt");
    assert!(!note.exists(), "nobody is told off for a full disk");
    // Room appears only with the whole second upload.
    disk.make_room();
    fs::write(&path, &program).unwrap();
    wait_until("the verdict", || disk.verdicts() == ["alpha AC"]);
    let mut said = daemon.stop().said;
    said.retain(|line| !is_logged(line));
    full_line(&said);
}

#[test]
fn reports_that_nobody_may_write_are_like_a_full_disk() {
    let place = place().with_dashboard("");
    let Some(disk) = SmallDisk::of(place, "reports", SIZE) else {
        return;
    };
    let daemon = disk.daemon();
    let (to, _) = addresses(&daemon);
    assert_eq!(get(to, "/healthz").status, 200);
    disk.remount("ro");
    disk.write("submissions/alpha/sum.py", programs::PYTHON);
    disk.write("submissions/beta/sum.py", "print(7)\n");
    let named = disk.place.path("reports").display().to_string();
    let words = format!("judged; the report cannot be written: {named}: Read-only file system");
    wait_until("the folder in status", || {
        disk.trouble().iter().any(|line| line.contains(&words))
    });
    wait_until("no good health", || {
        let health = get(to, "/healthz");
        health.status == 503 && health.body.contains(&words)
    });
    disk.remount("rw");
    wait_until("the reports", || {
        let file = |student: &str| disk.seen(&format!("reports/{student}/sum/1.json"));
        file("alpha").exists() && file("beta").exists()
    });
    wait_until("no trouble in status", || disk.trouble().is_empty());
    wait_until("good health", || get(to, "/healthz").status == 200);
    assert_eq!(disk.verdicts(), ["alpha AC", "beta WA"]);
    let ended = daemon.stop();
    let lines = |words: &str| lines_with(&ended.said, words);
    assert_eq!(lines("cannot be written"), 1, "{:#?}", ended.said);
    assert_eq!(lines("not judged"), 0, "{:#?}", ended.said);
}

/// One student has a verdict, a second program has been submitted, this folder's disk is full, and
/// no daemon runs.
fn left_full(folder: &'static str) -> Option<(SmallDisk, String)> {
    let disk = SmallDisk::of(place(), folder, SIZE)?;
    disk.write("submissions/alpha/sum.py", programs::PYTHON);
    assert_eq!(disk.run(&["serve", "--once"]).status.code(), Some(0));
    disk.fill_but(0);
    disk.write("submissions/beta/sum.py", "print(7)\n");
    let named = disk.place.path(folder).display().to_string();
    Some((disk, named))
}

/// Both students get the right verdict, once each.
fn goes_on(disk: &SmallDisk, daemon: Daemon) {
    let all = ["alpha AC", "beta WA"];
    wait_until("both verdicts", || disk.verdicts() == all);
    wait_until("beta's page", || {
        disk.seen("staff/beta/sum/1.html").exists()
    });
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(disk.verdicts(), all);
}

#[test]
fn a_store_whose_disk_is_full_at_the_start_says_what_to_do() {
    // Without a store nothing can be received, so the daemon refuses to start.
    let Some((disk, named)) = left_full("state") else {
        return;
    };
    let output = disk.run(&["serve"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for part in [&named, "is full", "make room"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    disk.make_room();
    let daemon = disk.daemon();
    goes_on(&disk, daemon);
}

#[test]
fn a_disk_of_reports_that_is_full_at_the_start_is_waited_for() {
    let Some((disk, named)) = left_full("reports") else {
        return;
    };
    let daemon = disk.daemon();
    wait_until("the full disk in status", || {
        let trouble = disk.trouble();
        let mut lines = trouble.iter();
        lines.any(|line| line.contains(&named) && line.contains("is full"))
    });
    disk.make_room();
    goes_on(&disk, daemon);
}

#[test]
fn a_hacks_result_that_does_not_fit_is_written_when_there_is_room() {
    let Some(disk) = SmallDisk::of(place(), "problems", SIZE) else {
        return;
    };
    for name in ["problem.toml", "data/sample/1.in", "data/sample/1.ans"] {
        let name = format!("problems/sum/{name}");
        disk.write(&name, disk.place.read(&name));
    }
    disk.write("problems/sum/submissions/accepted/sum.py", programs::PYTHON);
    let daemon = disk.daemon();
    // Right on the sample, and wrong where a sum is negative.
    disk.write(
        "submissions/alpha/sum.py",
        "a, b = map(int, input().split())\nprint(abs(a + b))\n",
    );
    wait_until("the verdict", || disk.verdicts() == ["alpha AC"]);
    let hack = "problems/sum/hacks/evil";
    disk.write(&format!("{hack}.ans"), "-3\n");
    // There is room for the input, but for nothing more.
    disk.fill_but(1);
    disk.write(&format!("{hack}.in"), "-1 -2\n");
    wait_until("the changed verdict", || {
        disk.verdicts() == ["alpha AC", "alpha WA"]
    });
    let listed = || {
        let list = disk.run(&["hack", "list"]).stdout;
        String::from_utf8(list).unwrap()
    };
    wait_until("the hack's end", || listed().contains("1 failed"));
    wait_until("the full disk in status", || {
        disk.trouble().iter().any(|line| line.contains("is full"))
    });
    let result = format!("{hack}.in.result");
    assert!(!disk.seen(&result).exists());
    disk.make_room();
    wait_until("the result", || disk.read(&result).contains("alpha"));
    let ended = daemon.stop();
    let told: Vec<_> = ended
        .lines
        .iter()
        .filter(|line| line.contains("could not be written"))
        .collect();
    let [told] = told.as_slice() else {
        panic!("{:#?}", ended.said);
    };
    let named = disk.place.path("problems");
    assert!(
        told.contains("is full") && told.contains(named.to_str().unwrap()),
        "{told}"
    );
}

#[test]
fn a_rebuild_on_a_full_disk_names_it_and_leaves_whole_files() {
    for folder in ["staff", "reports"] {
        let Some(disk) = SmallDisk::of(place(), folder, SIZE) else {
            return;
        };
        disk.write("submissions/alpha/sum.py", programs::PYTHON);
        assert_eq!(disk.run(&["serve", "--once"]).status.code(), Some(0));
        let names = [
            "reports/alpha/sum/1.json",
            "reports/alpha/sum/1.html",
            "reports/alpha/index.html",
            "staff/alpha/sum/1.json",
            "staff/verdicts.jsonl",
            "staff/verdicts.log",
            "staff/index.html",
            "staff/gradebook.csv",
        ];
        let before = names.map(|name| disk.read(name));
        disk.fill_but(0);
        let output = disk.run(&["report", "--rebuild"]);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(3), "{said}");
        let named = disk.place.path(folder);
        assert!(said.contains("is full"), "{said}");
        assert!(said.contains(named.to_str().unwrap()), "{said}");
        assert_eq!(names.map(|name| disk.read(name)), before, "none is torn");
        disk.make_room();
        let again = disk.run(&["report", "--rebuild"]);
        assert_eq!(again.status.code(), Some(0), "{}", words(&again));
        let verdicts = disk.verdicts();
        assert_eq!(verdicts, ["alpha AC"]);
    }
}

#[test]
fn a_full_folder_for_temporary_files_does_not_affect_the_store() {
    let Some(disk) = SmallDisk::of(place(), "scratch", SIZE) else {
        return;
    };
    disk.fill_but(0);
    for number in 0..400 {
        disk.write(
            &format!("submissions/s{}/odd{number}.xyz", number % 40),
            "?",
        );
    }
    disk.write("submissions/alpha/sum.py", programs::PYTHON);
    let mut command = disk.command(&["serve", "--once"]);
    command.env("TMPDIR", disk.place.path("scratch"));
    let output = output(&mut command);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains("is full"), "{said}");
    assert_eq!(disk.verdicts(), ["alpha AC"]);
}
