//! `verdictd archive`: a term is put away whole, and the course begins empty with the same problems.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use crate::course_folder::here;
use crate::place::{Place, no_named_steps, output, said};
use crate::programs;

/// The steps at which the command is killed.
const POINTS: &str = "archive begun|settings copied|one folder moved|one folder moved:3|\
    people removed|store moved";

fn place() -> Place {
    let place = Place::new().only(&["lua"]).with_roster("ada,L,Ada\n");
    place.configure("[cluster]\ncredentials = \"people/course.creds\"\n");
    place.write("people/course.creds", "ours");
    place.write("submissions/ada/sum.lua", programs::LUA);
    place.write("submissions/bo/sum.lua", "print(1)\n");
    place.serve_once();
    place.write("staff/imports.jsonl", "");
    // A list in a folder, and one behind a link.
    place.write(
        "course.toml",
        "extensions = \"people/extensions.csv\"\n[[assignments]]\nname = \"week-1\"\npoints = { sum = 1 }\n",
    );
    let rows = "student,assignment,due\nada,week-1,2026-10-02 10:00\n";
    place.write("people/extensions.csv", rows);
    place.write("elsewhere/teams.csv", "student,team\nada,1\n");
    symlink("elsewhere/teams.csv", place.path("teams.csv")).unwrap();
    place
}

fn assert_put_away(place: &Place) {
    let all = "config.toml|roster.csv|people/extensions.csv|people/course.creds|\
        problems/sum/problem.toml|submissions/ada/sum.lua|reports/ada/sum/1.html|\
        staff/gradebook.csv|staff/verdicts.log|staff/imports.jsonl|\
        state/verdictd.db";
    for kept in all.split('|') {
        assert!(place.path("term").join(kept).is_file(), "{kept}");
    }
    for list in ["roster.csv", "teams.csv", "people/extensions.csv"] {
        assert!(place.read(&format!("term/{list}")).contains("ada"));
        assert!(!place.read(list).contains("ada"));
    }
    assert!(!place.path("term/.verdictd-unfinished").exists());
    let old = output(&mut here(&place.path("term"), &["report", "ada", "sum"]));
    assert!(said(&old, 0, &[]).starts_with("AC"));

    assert_eq!(place.read("roster.csv"), "student,last_name,first_name\n");
    assert_eq!(fs::read_dir(place.path("submissions")).unwrap().count(), 0);
    assert!(!place.path("state").exists());
    // The first program of the next term.
    place.write("submissions/zoe/sum.lua", programs::LUA);
    assert_eq!(place.serve_once()["zoe/sum/1"], "AC");
    let log = place.read("staff/verdicts.log");
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn a_term_is_put_away_and_the_next_one_begins() {
    let place = place();
    let daemon = place.daemon();
    place.says(2, "archive term", &["stop it first"]);
    daemon.stop();
    place.says(2, "archive submissions/term", &[]);
    place.says(2, "archive problems", &[]);
    // What cannot be copied stops it before anything is moved.
    let config = place.read("config.toml");
    place.write("state/keys/course.creds", "ours");
    place.edit("config.toml", "people/course", "state/keys/course");
    place.says(2, "archive term", &["leads through the state folder"]);
    place.write("config.toml", config);
    // A link that leads nowhere can be read by nobody, root neither.
    symlink("nowhere", place.path("broken.csv")).unwrap();
    place.says(2, "archive term", &["broken.csv"]);
    assert!(place.path("submissions/ada/sum.lua").is_file());
    assert!(!place.path("term").exists());
    fs::remove_file(place.path("broken.csv")).unwrap();

    // A list is cleared only where the archive has its copy.
    let name = OsStr::from_bytes(b"extra-\xff.csv");
    let people = "student,note\nada,1\n";
    fs::write(place.path(".").join(name), people).unwrap();
    place.write("odd.csv", b"student,n\xe4me\nada,L\n");
    let told = place.says(0, "archive term", &["its name is not text"]);
    let kept = fs::read_to_string(place.path(".").join(name)).unwrap();
    assert_eq!(kept, people);
    // What no copy is of, and what cannot be read as a list, is named.
    for list in ["extra-", "odd.csv"] {
        let is_named = |line: &str| line.contains(list) && line.contains("left as it is");
        assert!(told.lines().any(is_named), "{list}: {told}");
    }
    assert!(place.path("term/odd.csv").is_file());
    assert_put_away(&place);
}

#[test]
fn after_a_kill_the_same_command_does_the_rest() {
    if no_named_steps() {
        return;
    }
    let prepared = place();
    for point in POINTS.split('|') {
        let place = prepared.copy();
        place.kill_at(point, "archive term");
        // What a service starts at the next boot, and what a student hands in meanwhile.
        let is_late = ["one folder moved", "people removed"].contains(&point);
        if is_late {
            place.says(2, "serve --once", &["again, which does the rest"]);
            place.write("submissions/ada/sum.lua", "late");
            // Nor does the rest go elsewhere.
            place.says(2, "archive other", &[]);
            assert!(!place.path("other").exists(), "{point}");
        }
        place.says(0, "archive term", &[]);
        assert_eq!(place.read("term/submissions/ada/sum.lua"), programs::LUA);
        // It is still hers.
        let mut programs = fs::read_dir(place.path("term/submissions/ada")).unwrap();
        let late = programs.find_map(|entry| {
            let file = entry.unwrap().path();
            let is_other = file.file_name().unwrap() != "sum.lua";
            is_other.then(|| fs::read_to_string(file).unwrap())
        });
        assert_eq!(late.as_deref(), is_late.then_some("late"), "{point}");
        assert_put_away(&place);
    }
}
