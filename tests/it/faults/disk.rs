//! Full disks: out of blocks or inodes, while the daemon runs, before it starts, and under a
//! command.
//!
//! Each time no verdict is wrong, no program is lost, the message names the folder, and work goes
//! on once there is room.

use std::fs;

use crate::place::{Place, assert_has, output, said, wait_until};
use crate::programs;

use super::small_disk::SmallDisk;
use crate::web::client::{addresses, get, shows};

/// More than an empty store and the reports of a few programs need.
const SIZE: &str = "size=12m,mode=755";
/// Enough bytes, but few files.
const INODES: &str = "size=64m,nr_inodes=400,mode=755";

fn place() -> Place {
    Place::new().only(&["lua"])
}

/// A place with a small disk in place of this folder.
fn disk(folder: &'static str) -> Option<SmallDisk> {
    SmallDisk::of(place(), folder, SIZE)
}

/// The one line that names a full disk.
fn full_line(said: &[String]) -> &str {
    let mut lines = said.iter().filter(|line| line.contains("is full"));
    let (line, more) = (lines.next(), lines.next());
    assert_eq!(more, None, "said once: {said:#?}");
    line.unwrap_or_else(|| panic!("not said: {said:#?}"))
}

fn lines_with(said: &[String], words: &str) -> usize {
    said.iter().filter(|line| line.contains(words)).count()
}

/// Runs a daemon while this folder's disk is filled and then has room again.
fn holds_out(folder: &'static str, options: &str, fill: impl Fn(&SmallDisk), hint: &str) {
    let Some(disk) = SmallDisk::of(place(), folder, options) else {
        return;
    };
    let daemon = disk.daemon();
    disk.write("submissions/alpha/sum.lua", programs::LUA);
    wait_until("the first verdict", || disk.verdicts() == ["alpha AC"]);
    let is_there = |file: &str| disk.seen(file).exists();
    wait_until("the first page", || is_there("staff/alpha/sum/1.html"));
    let is_told = |words: &str| disk.trouble().iter().any(|line| line.contains(words));
    fill(&disk);
    disk.write("submissions/beta/sum.lua", "print(7)\n");
    let right = format!("{}--\n", programs::LUA);
    disk.write("submissions/gamma/sum.lua", right);
    disk.write("submissions/delta/sum.docx", "x");
    wait_until("the full disk in status", || is_told("is full"));
    let named = disk.place.path(folder).display().to_string();
    assert_has(&disk.trouble().join("\n"), &[&named, hint]);
    said(&disk.run(&["status"]), 0, &["trouble", "is full"]);
    let all = ["alpha AC", "beta WA", "gamma AC"];
    let told = disk.verdicts();
    let is_right = told.iter().all(|verdict| all.contains(&verdict.as_str()));
    assert!(is_right, "on a full disk: {told:?}");
    disk.make_room();
    wait_until("every verdict", || disk.verdicts().len() >= all.len());
    let files = "staff/beta/sum/1.html|staff/beta/sum/1.json|staff/gamma/sum/1.html|\
        staff/gamma/sum/1.json|reports/delta/rejected/sum.docx.note.txt";
    for file in files.split('|') {
        wait_until(file, || is_there(file));
    }
    wait_until("no trouble in status", || disk.trouble().is_empty());
    assert_eq!(disk.verdicts(), all);
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0), "{:#?}", ended.said);
    assert_has(full_line(&ended.said), &[&named]);
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
    let Some(disk) = disk("submissions") else {
        return;
    };
    // The developers' log has a line for each try; people get one message.
    let is_logged = |line: &str| line.contains("verdictd::daemon::");
    let mut command = disk.command(&["serve"]);
    command.env("RUST_LOG", "verdictd::daemon=debug");
    let daemon = Place::started(command);
    let program = format!("{}-- {}\n", programs::LUA, "x".repeat(10_000));
    disk.write("submissions/alpha/room", "");
    disk.fill_but(0);
    // Nothing fits any more: an upload leaves an empty file.
    let path = disk.seen("submissions/alpha/sum.lua");
    assert!(fs::write(&path, &program).is_err());
    let tries = || {
        let said = daemon.said();
        let full = said.iter().filter(|line| line.contains("is full"));
        full.filter(|line| is_logged(line)).count()
    };
    wait_until("the disk to be found full, and more tries", || tries() >= 3);
    let note = disk.seen("reports/alpha/rejected/sum.lua.note.txt");
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
    disk.write("submissions/alpha/sum.lua", programs::LUA);
    disk.write("submissions/beta/sum.lua", "print(7)\n");
    let named = disk.place.path("reports").display().to_string();
    let words = format!("judged; the report cannot be written: {named}: Read-only file system");
    let is_told = || disk.trouble().iter().any(|line| line.contains(&words));
    wait_until("the folder in status", is_told);
    shows(to, "/healthz", &words);
    assert_eq!(get(to, "/healthz").status, 503);
    disk.remount("rw");
    for file in ["reports/alpha/sum/1.json", "reports/beta/sum/1.json"] {
        wait_until(file, || disk.seen(file).exists());
    }
    wait_until("no trouble in status", || disk.trouble().is_empty());
    wait_until("good health", || get(to, "/healthz").status == 200);
    assert_eq!(disk.verdicts(), ["alpha AC", "beta WA"]);
    let ended = daemon.stop();
    let lines = |words: &str| lines_with(&ended.said, words);
    assert_eq!(lines("cannot be written"), 1, "{:#?}", ended.said);
    assert_eq!(lines("not judged"), 0, "{:#?}", ended.said);
}

#[test]
fn a_store_whose_disk_is_full_at_the_start_says_what_to_do() {
    let Some(disk) = disk("state") else { return };
    disk.write("submissions/alpha/sum.lua", programs::LUA);
    assert_eq!(disk.run(&["serve", "--once"]).status.code(), Some(0));
    disk.fill_but(0);
    disk.write("submissions/beta/sum.lua", "print(7)\n");
    // Without a store nothing can be received, so the daemon refuses to start.
    let named = disk.place.path("state").display().to_string();
    said(&disk.run(&["serve"]), 3, &[&named, "is full", "make room"]);
    disk.make_room();
    said(&disk.run(&["serve", "--once"]), 0, &[]);
    assert_eq!(disk.verdicts(), ["alpha AC", "beta WA"]);
}

#[test]
fn a_rebuild_on_a_full_disk_names_it_and_leaves_whole_files() {
    for folder in ["staff", "reports"] {
        let Some(disk) = disk(folder) else { return };
        disk.write("submissions/alpha/sum.lua", programs::LUA);
        assert_eq!(disk.run(&["serve", "--once"]).status.code(), Some(0));
        let names = "reports/alpha/sum/1.json|reports/alpha/sum/1.html|reports/alpha/index.html|\
            staff/alpha/sum/1.json|staff/verdicts.jsonl|staff/verdicts.log|staff/index.html|\
            staff/gradebook.csv";
        let files = || names.split('|').map(|name| (name, disk.read(name)));
        let before: Vec<_> = files().collect();
        disk.fill_but(0);
        let named = disk.place.path(folder).display().to_string();
        let rebuild = || disk.run(&["report", "--rebuild"]);
        said(&rebuild(), 3, &["is full", &named]);
        assert_eq!(files().collect::<Vec<_>>(), before, "none is torn");
        disk.make_room();
        said(&rebuild(), 0, &[]);
        assert_eq!(disk.verdicts(), ["alpha AC"]);
    }
}

#[test]
fn a_full_folder_for_temporary_files_does_not_affect_the_store() {
    let Some(disk) = disk("scratch") else { return };
    disk.fill_but(0);
    for number in 0..400 {
        let file = format!("submissions/s{}/odd{number}.xyz", number % 40);
        disk.write(&file, "?");
    }
    disk.write("submissions/alpha/sum.lua", programs::LUA);
    let mut command = disk.command(&["serve", "--once"]);
    command.env("TMPDIR", disk.place.path("scratch"));
    let told = said(&output(&mut command), 0, &[]);
    assert!(!told.contains("is full"), "{told}");
    assert_eq!(disk.verdicts(), ["alpha AC"]);
}
