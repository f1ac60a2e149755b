//! A course from its first command on: `verdictd init`, backups.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output};

use rustix::fs::{FileType, Mode, OFlags};

use crate::place::{Daemon, binary, output, turned_off_but, wait_until};

/// The binary as somebody in that folder types it.
pub fn here(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_LOG");
    command
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until a verdict is in the log of a course.
pub fn wait_for_log(folder: &Path, what: &str) {
    let log = folder.join("staff/verdicts.log");
    wait_until(what, || {
        fs::read_to_string(&log).is_ok_and(|text| text.contains(what))
    });
}

#[test]
fn a_new_course_judges_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let lost = output(&mut here(folder.path(), &["status"]));
    assert_eq!(lost.status.code(), Some(78));
    assert!(said(&lost).contains("verdictd init DIR"), "{}", said(&lost));

    let made = output(&mut here(folder.path(), &["init", "course"]));
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let course = folder.path().join("course");
    let page = fs::read_to_string(course.join("README.md")).unwrap();
    let files = [
        "config.toml",
        "course.toml",
        "roster.csv",
        "extensions.csv",
        "problems/sum",
    ];
    for file in files {
        assert!(course.join(file).exists() && page.contains(file), "{file}");
    }
    // The ports of the dashboard may be another test's; grading goes on without it.
    let daemon = Daemon::start(here(&course, &[]));
    fs::create_dir(course.join("submissions/ada")).unwrap();
    fs::copy(
        course.join("problems/sum/submissions/accepted/sum.py"),
        course.join("submissions/ada/sum.py"),
    )
    .unwrap();
    wait_for_log(&course, " AC ");
    let status = output(&mut here(&course, &["report", "ada", "sum"]));
    assert!(String::from_utf8_lossy(&status.stdout).starts_with("AC"));
    assert_eq!(daemon.stop().code, Some(0));
    // A course.toml in which nothing is said yet takes no points away.
    let book = fs::read_to_string(course.join("staff/gradebook.csv")).unwrap();
    let mut book = csv::Reader::from_reader(book.as_bytes());
    let headers = book.headers().unwrap().clone();
    let row = book.records().next().unwrap().unwrap();
    let field = |name| &row[headers.iter().position(|header| header == name).unwrap()];
    assert_eq!((field("score"), field("max_score")), ("1", "1"));
}

#[test]
fn the_example_problem_of_a_new_course_holds_what_it_promises() {
    let folder = tempfile::tempdir().unwrap();
    output(&mut here(folder.path(), &["init", "."]));
    let made = output(&mut here(folder.path(), &["new", "graphs"]));
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let checked = output(&mut here(folder.path(), &["check", "--json"]));
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
}

#[test]
fn built_in_problems_are_written_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let problems = folder.path().join("problems");
    let run = |arguments: &[&str]| output(&mut here(folder.path(), arguments));
    let wrong = run(&["init", ".", "--with", "chess"]);
    assert!(
        said(&wrong).contains("curling, thegame, regions"),
        "{}",
        said(&wrong)
    );
    run(&["init", ".", "--with", "curling,thegame"]);
    let made = run(&["new", "week-3", "--built-in", "regions"]);
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let there = run(&["new", "sum"]);
    assert_eq!(there.status.code(), Some(2), "{}", said(&there));
    assert!(
        said(&there).contains("is there already"),
        "{}",
        said(&there)
    );
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
    for (name, source) in [
        ("curling", "curling"),
        ("thegame", "thegame"),
        ("week-3", "regions"),
    ] {
        let mut diff = Command::new("diff");
        let diff = diff
            .arg("-r")
            .args([sources.join(source), problems.join(name)]);
        assert!(diff.status().unwrap().success(), "{name}");
    }
}

#[test]
fn a_folder_with_anything_in_it_is_left_as_it_is() {
    for (name, text) in [
        ("notes.txt", "mine"),
        ("config.toml", ""),
        ("problems/sum/problem.toml", "title = \"Mine\"\n"),
        ("problems/graphs/problem.toml", "title = \"Graphs\"\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        let refused = output(&mut here(folder.path(), &["init", "."]));
        assert_eq!(refused.status.code(), Some(2), "{name}");
        assert!(said(&refused).contains("not empty"), "{}", said(&refused));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
    }
}

/// Right, and every attempt is another text.
fn sum(number: usize) -> String {
    format!("# {number}\nn = int(input())\nprint(sum(map(int, input().split())))\n")
}

#[test]
fn a_backup_of_a_running_daemon_comes_back_with_every_verdict() {
    let folder = tempfile::tempdir().unwrap();
    output(&mut here(folder.path(), &["init", "course"]));
    let course = folder.path().join("course");
    let config = fs::read_to_string(course.join("config.toml")).unwrap();
    let config = config + "\n" + &turned_off_but(&["python3"]);
    fs::write(course.join("config.toml"), config).unwrap();
    let hand_in = |course: &Path, student: &str, text: &str| {
        fs::create_dir_all(course.join("submissions").join(student)).unwrap();
        fs::write(
            course.join("submissions").join(student).join("sum.py"),
            text,
        )
        .unwrap();
    };
    let daemon = Daemon::start(here(&course, &[]));
    for number in 0..5 {
        hand_in(&course, &format!("early{number}"), &sum(number));
    }
    hand_in(&course, "wrong", "print(6)\n");
    (0..5).for_each(|number| wait_for_log(&course, &format!("early{number}")));
    wait_for_log(&course, "wrong");
    fs::write(course.join("submissions/wrong/notes.odt"), "x").unwrap();
    fs::write(course.join("staff/imports.jsonl"), "").unwrap();
    // More are being judged while it is copied.
    for number in 5..25 {
        hand_in(&course, &format!("late{number}"), &sum(number));
    }
    wait_for_log(&course, "late");
    let saved = output(&mut here(&course, &["backup", "../course.zip"]));
    assert_eq!(saved.status.code(), Some(0), "{}", said(&saved));
    let archive = folder.path().join("course.zip");
    assert_eq!(
        fs::metadata(&archive).unwrap().permissions().mode() & 0o777,
        0o600
    );
    daemon.signal("KILL");
    drop(daemon);

    let back = output(&mut here(folder.path(), &["restore", "course.zip", "back"]));
    assert_eq!(back.status.code(), Some(0), "{}", said(&back));
    let back = folder.path().join("back");
    let log = fs::read_to_string(back.join("staff/verdicts.log")).unwrap();
    for known in ["early0", "early4", "wrong"] {
        assert!(log.contains(known), "{log}");
    }
    assert!(back.join("reports/early0/sum/1.txt").is_file());
    assert!(back.join("staff/imports.jsonl").is_file());
    let daemon = Daemon::start(here(&back, &[]));
    (5..25).for_each(|number| wait_for_log(&back, &format!("late{number}")));
    hand_in(&back, "later", &sum(99));
    wait_for_log(&back, "later");
    assert_eq!(daemon.stop().code, Some(0));
    // Whoever had a verdict has the same line in the log, and no other one.
    let after = fs::read_to_string(back.join("staff/verdicts.log")).unwrap();
    assert!(after.starts_with(&log), "{log}\n{after}");
    for number in 0..5 {
        assert_eq!(
            after.matches(&format!(" early{number} ")).count(),
            1,
            "{after}"
        );
    }
    assert_eq!(after.matches(" AC ").count(), 26, "{after}");
}

#[test]
fn what_is_no_backup_makes_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    output(&mut here(folder.path(), &["init", "course"]));
    output(&mut here(
        &folder.path().join("course"),
        &["backup", "../whole.zip"],
    ));
    let whole = fs::read(folder.path().join("whole.zip")).unwrap();
    let mut damaged = whole.clone();
    // In the middle of what is packed first.
    damaged[120] ^= 0xff;
    fs::write(folder.path().join("damaged.zip"), damaged).unwrap();
    fs::write(folder.path().join("half.zip"), &whole[..whole.len() / 2]).unwrap();
    fs::write(folder.path().join("text.zip"), "text").unwrap();
    for name in ["damaged.zip", "half.zip", "text.zip", "missing.zip"] {
        let refused = output(&mut here(folder.path(), &["restore", name, "back"]));
        assert_eq!(refused.status.code(), Some(2), "{name}: {}", said(&refused));
        assert!(!folder.path().join("back").exists(), "{name}");
    }
    let refused = output(&mut here(
        folder.path(),
        &["restore", "whole.zip", "course"],
    ));
    assert!(said(&refused).contains("not empty"), "{}", said(&refused));
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        5,
        "no scratch is left"
    );
}

#[test]
fn a_backup_that_is_killed_leaves_the_one_before() {
    if !cfg!(debug_assertions) {
        crate::skips::skipped("a release build cannot be killed at a named step");
        return;
    }
    let place = crate::place::Place::new().only(&["python3"]);
    place.write("submissions/ada/sum.py", crate::programs::PYTHON);
    place.serve_once();
    place.run(&["backup", "course.zip"]);
    let before = fs::read(place.path("course.zip")).unwrap();
    for point in ["store copied", "backup written"] {
        let mut command = place.command(&["backup", "course.zip"]);
        let killed = output(command.env("VERDICTD_CRASH_AT", point));
        assert_eq!(killed.status.signal(), Some(9), "{point} was never reached");
        assert_eq!(
            fs::read(place.path("course.zip")).unwrap(),
            before,
            "{point}"
        );
    }
    let saved = place.run(&["backup", "course.zip"]);
    assert_eq!(saved.status.code(), Some(0), "{}", said(&saved));
    for folder in ["", "state"] {
        let mut names = fs::read_dir(place.path(folder)).unwrap();
        let is_half = |entry: fs::DirEntry| entry.file_name().to_string_lossy().contains("backup-");
        assert!(
            !names.any(|entry| is_half(entry.unwrap())),
            "what was half written is removed"
        );
    }
}

/// Folders inside folders, until no path leads to the last one.
fn dig(folder: &Path) {
    let mut at = rustix::fs::open(folder, OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "d".repeat(250);
    for _ in 0..20 {
        rustix::fs::mkdirat(&at, &name, Mode::RWXU).unwrap();
        at = rustix::fs::openat(&at, &name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
}

#[test]
fn whatever_students_make_the_others_are_in_the_backup() {
    let folder = tempfile::tempdir().unwrap();
    output(&mut here(folder.path(), &["init", "course"]));
    let course = folder.path().join("course");
    let ada = course.join("submissions/ada");
    fs::create_dir(&ada).unwrap();
    fs::create_dir(course.join("submissions/bo")).unwrap();
    fs::write(course.join("submissions/bo/sum.py"), sum(1)).unwrap();
    dig(&ada);
    let huge = fs::File::create(ada.join("huge.py")).unwrap();
    huge.set_len(1 << 41).unwrap();
    symlink("/etc/passwd", ada.join("link.py")).unwrap();
    let pipe = FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, ada.join("pipe.py"), pipe, Mode::RWXU, 0).unwrap();
    // The instructor's own: in a folder, behind a link, and not there.
    let terms = "extensions = \"people/extensions.csv\"\n";
    fs::write(folder.path().join("terms.toml"), terms).unwrap();
    fs::remove_file(course.join("course.toml")).unwrap();
    symlink("../terms.toml", course.join("course.toml")).unwrap();
    fs::create_dir(course.join("people")).unwrap();
    fs::write(course.join("people/extensions.csv"), "student\n").unwrap();
    fs::write(course.join("people/course.creds"), "ours").unwrap();
    let config = fs::read_to_string(course.join("config.toml")).unwrap();
    let roster = "roster = \"people/gone.csv\"";
    let config = config.replace("roster = \"roster.csv\"", roster);
    assert!(config.contains(roster), "{config}");
    let cluster = "\n[cluster]\ncredentials = \"people/course.creds\"\n";
    fs::write(course.join("config.toml"), config + cluster).unwrap();

    let saved = output(&mut here(&course, &["backup", "../course.zip"]));
    assert_eq!(saved.status.code(), Some(0), "{}", said(&saved));
    for left_out in ["huge.py: it is larger", "link.py: it is a link", "gone.csv"] {
        assert!(said(&saved).contains(left_out), "{}", said(&saved));
    }
    assert!(said(&saved).contains("name too long"), "{}", said(&saved));
    // A folder that is there is filled, also the one that somebody is in.
    let back = folder.path().join("back");
    fs::create_dir(&back).unwrap();
    let restored = output(&mut here(&back, &["restore", "../course.zip", "."]));
    assert_eq!(restored.status.code(), Some(0), "{}", said(&restored));
    assert_eq!(
        fs::read_to_string(back.join("submissions/bo/sum.py")).unwrap(),
        sum(1)
    );
    assert_eq!(fs::read_to_string(back.join("course.toml")).unwrap(), terms);
    assert!(back.join("people/extensions.csv").is_file());
    assert!(back.join("people/course.creds").is_file());
    assert_eq!(
        fs::read_dir(back.join("submissions/ada")).unwrap().count(),
        1
    );
    let is_scratch = |entry: fs::DirEntry| {
        entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(b".verdictd")
    };
    let mut names = fs::read_dir(&back).unwrap();
    assert!(!names.any(|entry| is_scratch(entry.unwrap())));
    // A link that leads nowhere is in the way, and nothing is left beside it.
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let before = fs::read_dir(folder.path()).unwrap().count();
    let refused = output(&mut here(
        folder.path(),
        &["restore", "course.zip", "dangling"],
    ));
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn a_trial_restore_writes_into_no_other_course() {
    let place = crate::place::Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    let folders = format!(
        "[folders]\nreports = {:?}\nstaff = \"staff\"\n",
        place.path("reports")
    );
    place.write("config.toml", folders + &config);
    place.write("submissions/ada/sum.py", crate::programs::PYTHON);
    place.serve_once();
    let saved = place.run(&["backup", "course.zip"]);
    assert_eq!(saved.status.code(), Some(0), "{}", said(&saved));
    fs::remove_dir_all(place.path("reports/ada")).unwrap();
    let restored = place.run(&["restore", "course.zip", "trial"]);
    assert_eq!(restored.status.code(), Some(0), "{}", said(&restored));
    for told in [
        "reports =",
        "1 submission, 1 of them judged",
        "report --rebuild",
    ] {
        assert!(said(&restored).contains(told), "{}", said(&restored));
    }
    assert!(
        !place.path("reports/ada").exists(),
        "it writes into the live course"
    );
}
