//! A course from its first command on: `verdictd init`, backups.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use rustix::fs::{FileType, Mode, OFlags};

use crate::book::rows;
use crate::place::{
    Daemon, Place, assert_has, binary, no_named_steps, output, said, turned_off_but, wait_until,
};
use crate::programs;

/// The binary as somebody in that folder types it.
pub fn here(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("RUST_LOG");
    command
}

/// Runs a command line in a folder, and asserts its exit code and words that it says.
#[track_caller]
fn says(folder: &Path, code: i32, line: &str, words: &[&str]) -> String {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    said(&output(&mut here(folder, &arguments)), code, words)
}

/// Waits until a verdict is in the log of a course.
fn wait_for_log(folder: &Path, what: &str) {
    let log = folder.join("staff/verdicts.log");
    let is_logged = || fs::read_to_string(&log).is_ok_and(|text| text.contains(what));
    wait_until(what, is_logged);
}

/// A new course in a new folder.
fn new_course() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    says(folder.path(), 0, "init course", &[]);
    folder
}

fn hand_in(course: &Path, student: &str, text: &str) {
    let folder = course.join("submissions").join(student);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("sum.py"), text).unwrap();
}

#[test]
fn a_new_course_judges_at_once() {
    let folder = tempfile::tempdir().unwrap();
    says(folder.path(), 78, "status", &["verdictd init DIR"]);
    let folder = new_course();
    let course = folder.path().join("course");
    let page = fs::read_to_string(course.join("README.md")).unwrap();
    for file in "config.toml|course.toml|roster.csv|extensions.csv|problems/sum".split('|') {
        assert!(course.join(file).exists() && page.contains(file), "{file}");
    }
    // The ports of the dashboard may be another test's; grading goes on without it.
    let daemon = Daemon::start(here(&course, &[]));
    let right = course.join("problems/sum/submissions/accepted/sum.py");
    hand_in(&course, "ada", &fs::read_to_string(right).unwrap());
    wait_for_log(&course, " AC ");
    assert!(says(&course, 0, "report ada sum", &[]).starts_with("AC"));
    assert_eq!(daemon.stop().code, Some(0));
    // A course.toml in which nothing is said yet takes no points away.
    let book = fs::read_to_string(course.join("staff/gradebook.csv")).unwrap();
    let row = &rows(&book)[0];
    assert_eq!([&row["score"], &row["max_score"]], ["1", "1"]);
}

#[test]
fn problems_are_written_as_they_are_and_hold_what_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let known = "curling, thegame, regions";
    says(folder, 2, "init . --with chess", &[known]);
    says(folder, 0, "init .", &[]);
    says(folder, 0, "new graphs", &[]);
    says(folder, 0, "check", &[]);
    says(folder, 0, "new week-3 --built-in regions", &[]);
    says(folder, 2, "new sum", &["is there already"]);
    std::fs::write(folder.join("problems/full.zip"), "").unwrap();
    says(folder, 2, "new full", &["full.zip is there already"]);
    says(folder, 0, "init other --with curling,thegame", &[]);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems");
    for (name, source) in [
        ("other/problems/curling", "curling"),
        ("other/problems/thegame", "thegame"),
        ("problems/week-3", "regions"),
    ] {
        let mut diff = Command::new("diff");
        let folders = [sources.join(source), folder.join(name)];
        let is_same = diff.arg("-r").args(folders).status().unwrap().success();
        assert!(is_same, "{name}");
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
        says(folder.path(), 2, "init .", &["not empty"]);
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
    let folder = new_course();
    let course = folder.path().join("course");
    let config = fs::read_to_string(course.join("config.toml")).unwrap();
    let config = config + "\n" + &turned_off_but(&["python3"]);
    fs::write(course.join("config.toml"), config).unwrap();
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
    says(&course, 0, "backup ../course.zip", &[]);
    let archive = fs::metadata(folder.path().join("course.zip")).unwrap();
    assert_eq!(archive.permissions().mode() & 0o777, 0o600);
    daemon.signal("KILL");
    drop(daemon);

    says(folder.path(), 0, "restore course.zip back", &[]);
    let back = folder.path().join("back");
    let log = fs::read_to_string(back.join("staff/verdicts.log")).unwrap();
    assert_has(&log, &["early0", "early4", "wrong"]);
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
        let told = after.matches(&format!(" early{number} ")).count();
        assert_eq!(told, 1, "{after}");
    }
    assert_eq!(after.matches(" AC ").count(), 26, "{after}");
}

#[test]
fn a_backup_that_is_killed_leaves_the_one_before() {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    let reports = place.path("reports");
    let folders = format!("[folders]\nreports = {reports:?}\nstaff = \"staff\"\n");
    place.write("config.toml", folders + &config);
    place.write("submissions/ada/sum.py", programs::PYTHON);
    place.serve_once();
    place.says(0, "backup course.zip", &[]);
    let before = || fs::read(place.path("course.zip")).unwrap();
    let whole = before();
    if !no_named_steps() {
        for point in ["store copied", "backup written"] {
            place.kill_at(point, "backup course.zip");
            assert_eq!(before(), whole, "{point}");
        }
    }
    place.says(0, "backup course.zip", &[]);
    for folder in ["", "state"] {
        let mut names = fs::read_dir(place.path(folder)).unwrap();
        let is_half = |entry: fs::DirEntry| entry.file_name().to_string_lossy().contains("backup-");
        let is_left = names.any(|entry| is_half(entry.unwrap()));
        assert!(!is_left, "what was half written is removed");
    }
    // What is no backup makes no folder.
    let mut damaged = whole.clone();
    // In the middle of what is packed first.
    damaged[120] ^= 0xff;
    place.write("damaged.zip", damaged);
    place.write("half.zip", &whole[..whole.len() / 2]);
    place.write("text.zip", "text");
    let there = || fs::read_dir(place.path("")).unwrap().count();
    let files = there();
    for name in ["damaged.zip", "half.zip", "text.zip", "missing.zip"] {
        place.says(2, &format!("restore {name} trial"), &[]);
    }
    place.says(2, "restore course.zip submissions", &["not empty"]);
    assert_eq!(there(), files, "no folder and no scratch is left");
    // A trial writes into no other course.
    fs::remove_dir_all(place.path("reports/ada")).unwrap();
    let told = ["reports =|1 submission, 1 of them judged|report --rebuild"];
    place.says(0, "restore course.zip trial", &told);
    let is_written = place.path("reports/ada").exists();
    assert!(!is_written, "it writes into the live course");
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
    let folder = new_course();
    let course = folder.path().join("course");
    let ada = course.join("submissions/ada");
    fs::create_dir(&ada).unwrap();
    hand_in(&course, "bo", &sum(1));
    dig(&ada);
    let huge = fs::File::create(ada.join("huge.py")).unwrap();
    huge.set_len(1 << 41).unwrap();
    symlink("/etc/passwd", ada.join("link.py")).unwrap();
    let pipe = FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, ada.join("pipe.py"), pipe, Mode::RWXU, 0).unwrap();
    fs::remove_file(course.join("roster.csv")).unwrap();
    let left_out = ["huge.py: it is larger|link.py: it is a link|roster.csv|name too long"];
    says(&course, 0, "backup ../course.zip", &left_out);
    // A folder that is there is filled, also the one that somebody is in.
    let back = folder.path().join("back");
    fs::create_dir(&back).unwrap();
    says(&back, 0, "restore ../course.zip .", &[]);
    let read = |name: &str| fs::read_to_string(back.join(name)).unwrap();
    assert_eq!(read("submissions/bo/sum.py"), sum(1));
    let of_ada = fs::read_dir(back.join("submissions/ada")).unwrap();
    assert_eq!(of_ada.count(), 1);
    let files = fs::read_dir(&back).unwrap().map(Result::unwrap);
    let mut names = files.map(|entry| entry.file_name());
    assert!(!names.any(|name| name.as_encoded_bytes().starts_with(b".verdictd")));
    // A link that leads nowhere is in the way, and nothing is left beside it.
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let before = fs::read_dir(folder.path()).unwrap().count();
    says(folder.path(), 2, "restore course.zip dangling", &[]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before);
}
