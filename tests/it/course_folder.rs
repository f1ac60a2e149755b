//! A course from its first command on: `verdictd init`, backups.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::place::{Daemon, binary, output, wait_until};

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
    for file in ["config.toml", "course.toml", "roster.csv", "problems/sum"] {
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
}

#[test]
fn the_example_problem_of_a_new_course_holds_what_it_promises() {
    let folder = tempfile::tempdir().unwrap();
    output(&mut here(folder.path(), &["init", "."]));
    let checked = output(&mut here(folder.path(), &["check", "--json"]));
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
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
