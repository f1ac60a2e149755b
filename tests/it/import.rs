//! `verdictd import` on archives as platforms make them: shown, taken once, judged by a daemon that
//! runs meanwhile, whole after a kill, and nothing of a hostile one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Cursor, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::crash::tree;
use crate::place::{Place, output};
use crate::programs::PYTHON;
use crate::skips::skipped;

/// The steps at which an import is killed.
const POINTS: [&str; 5] = [
    "import noted",
    "import written",
    "import written:3",
    "import delivered",
    "import delivered:4",
];

pub type Entries<'e> = &'e [(&'e str, &'e str)];

pub fn zipped(entries: Entries<'_>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A program that is right, and nobody else's.
pub fn program(whose: &str) -> String {
    format!("# {whose}\n{PYTHON}")
}

/// Its name, its entries, and who hands in.
type Archive = (&'static str, Vec<(&'static str, String)>, &'static str);

/// The archives of all platforms with what each calls a program for `sum`, and who hands it in.
fn archives() -> Vec<Archive> {
    let mut all = archives_of_courses();
    all.extend(archives_of_tools());
    all
}

/// Those of the platforms that have whole courses.
fn archives_of_courses() -> Vec<Archive> {
    let list = "Name: Bella Board (bella)\nAssignment: Sum\nDate Submitted: Tuesday, 27 November 2018 15:38:53 o'clock CET\n\nFiles:\n\tOriginal filename: sum.py\n\tFilename: Sum_bella_attempt_2018-11-27-15-38-53_sum.py\n";
    vec![
        (
            "CS1-A1-4711.zip",
            vec![
                ("Mo Odle_657737_assignsubmission_file/sum.py", program("mo")),
                (
                    "__MACOSX/Mo Odle_657737_assignsubmission_file/._sum.py",
                    String::new(),
                ),
            ],
            "mo",
        ),
        (
            "submissions.zip",
            vec![("vasca_LATE_178647_16203579_sum-1.py", program("ca"))],
            "ca",
        ),
        (
            "gradebook_CS1_A1.zip",
            vec![
                ("Sum_bella_attempt_2018-11-27-15-38-53.txt", list.to_owned()),
                (
                    "Sum_bella_attempt_2018-11-27-15-38-53_sum.py",
                    program("bella"),
                ),
            ],
            "bella",
        ),
        (
            "A1.zip",
            vec![
                (
                    "39786-640693 - Brig Space - Oct 10, 2025 1022 AM/sum.py",
                    program("brig"),
                ),
                ("index.html", "<p>".to_owned()),
            ],
            "brig",
        ),
        (
            "bulk.zip",
            vec![
                ("A1/grades.csv", "\"A1\",\"SCORE_GRADE_TYPE\"\n".to_owned()),
                (
                    "A1/Ai, Sak(sakai)/timestamp.txt",
                    "20260402040005123".to_owned(),
                ),
                (
                    "A1/Ai, Sak(sakai)/Submission attachment(s)/sum.py",
                    program("sakai"),
                ),
            ],
            "sakai",
        ),
    ]
}

/// Those of the platforms for programs, and ILIAS.
fn archives_of_tools() -> Vec<Archive> {
    let yaml = "---\nsubmission_101:\n  :submitters:\n  - :name: Greta Scope\n    :sid: greta\n    :email: greta@x.edu\n  :created_at: 2026-04-26 17:34:00.861687000 Z\n";
    vec![
        (
            "assignment_7_export.zip",
            vec![
                (
                    "assignment_7_export/submission_metadata.yml",
                    yaml.to_owned(),
                ),
                (
                    "assignment_7_export/submission_101/sum.py",
                    program("greta"),
                ),
            ],
            "greta",
        ),
        (
            "hw1-submissions.zip",
            vec![("hw1-submissions/hw1-octo-cat/sum.py", program("octo"))],
            "octo",
        ),
        (
            "inbound.zip",
            vec![(
                "nb+ps1+2015-02-02 15:58:23.948203 UTC/sum.py",
                program("nb"),
            )],
            "nb",
        ),
        (
            "vpl.zip",
            vec![("Lab Vir 17 vir/2026-10-02-23-59-01/sum.py", program("vir"))],
            "vir",
        ),
        (
            "multi_feedback.zip",
            vec![("Ias_Il_ilias_2345678/sum.py", program("ilias"))],
            "ilias",
        ),
    ]
}

pub fn course() -> Place {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    let table = "\n[overview]\nroster = \"roster.csv\"\n";
    place.write("config.toml", config + table);
    place.write(
        "roster.csv",
        "student,last_name,first_name,canvas,github\nmo,Odle,Mo,,\nca,Vas,Ca,178647,\nbella,,,,\nbrig,Space,Brig,,\nsakai,,,,\ngreta,,,,\nocto,,,,octo-cat\nnb,,,,\nvir,,,,\nilias,,,,\n",
    );
    for (name, entries, _) in archives() {
        let entries: Vec<(&str, &str)> = entries
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        place.write(&format!("in/{name}"), zipped(&entries));
    }
    place
}

fn arguments<'a>(more: &[&'a str], files: &'a [String]) -> Vec<&'a str> {
    let files = files.iter().map(String::as_str);
    ["import", "--json", "--zone", "Europe/Oslo"]
        .into_iter()
        .chain(more.iter().copied())
        .chain(files)
        .collect()
}

fn files() -> Vec<String> {
    archives()
        .iter()
        .map(|(name, ..)| format!("in/{name}"))
        .collect()
}

/// What an import says of its entries, in its order.
pub fn said(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn times_are_the_platforms(taken: &[Value]) {
    let times: BTreeMap<&str, &Value> = taken
        .iter()
        .map(|said| (said["student"].as_str().unwrap(), &said["time"]))
        .collect();
    for (student, time) in [
        ("mo", Value::Null),
        ("ca", Value::Null),
        ("bella", "2018-11-27T14:38:53Z".into()),
        ("brig", "2025-10-10T08:22:00Z".into()),
        ("sakai", "2026-04-02T04:00:05Z".into()),
        ("vir", "2026-10-02T21:59:01Z".into()),
    ] {
        assert_eq!(times[student], &time, "{student}");
    }
}

#[test]
fn every_platforms_export_is_shown_taken_once_and_judged() {
    let place = course();
    let daemon = place.daemon();
    let files = files();
    let shown = place.run(&arguments(&["--dry-run"], &files));
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    assert!(tree(&place.path("submissions")).is_empty());
    assert!(!place.path("staff/imports.jsonl").exists());
    let taken = place.run(&arguments(&[], &files));
    assert_eq!(taken.status.code(), Some(0), "{taken:?}");
    let (shown, taken) = (said(&shown), said(&taken));
    assert_eq!(shown.len(), archives().len());
    for (((_, entries, student), shown), taken) in archives().iter().zip(&shown).zip(&taken) {
        for said in [shown, taken] {
            assert!(
                entries.iter().any(|(name, _)| said["entry"] == *name),
                "{said}"
            );
            assert_eq!(said["student"], *student, "{said}");
            assert_eq!(said["problem"], "sum", "{said}");
            assert_eq!(said["refused"], Value::Null, "{said}");
        }
        assert_eq!(
            (&shown["state"], &taken["state"]),
            (&Value::Null, &Value::from("new"))
        );
        assert_eq!(shown["time"], taken["time"]);
    }
    times_are_the_platforms(&taken);
    for (_, _, student) in archives() {
        assert_eq!(place.wait_for(&format!("{student}/sum/1")), "AC");
    }
    let before = (
        tree(&place.path("submissions")),
        place.read("staff/imports.jsonl"),
    );
    let again = place.run(&arguments(&[], &files));
    for said in said(&again) {
        assert_eq!(said["state"], "there already", "{said}");
    }
    assert_eq!(
        (
            tree(&place.path("submissions")),
            place.read("staff/imports.jsonl")
        ),
        before
    );
    let mode = fs::metadata(place.path("staff/imports.jsonl"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let line: Value = serde_json::from_str(before.1.lines().next().unwrap()).unwrap();
    assert_eq!(line["platform"], "moodle");
    assert_eq!(line["entry"], "Mo Odle_657737_assignsubmission_file/sum.py");
    assert_eq!(line["keys"]["moodle"], "657737");
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(
        place.verdicts().len(),
        archives().len(),
        "nothing is judged twice"
    );
}

#[test]
fn killed_in_the_middle_an_import_is_whole_after_the_next_one() {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed at a named step");
        return;
    }
    let files = files();
    let undisturbed = course();
    undisturbed.run(&arguments(&[], &files));
    let whole = tree(&undisturbed.path("submissions"));
    assert_eq!(whole.len(), archives().len());
    for point in POINTS {
        let place = course();
        let mut command = place.command(&arguments(&[], &files));
        let killed = output(command.env("VERDICTD_CRASH_AT", point));
        assert_eq!(
            killed.status.signal(),
            Some(9),
            "{point} was reached: {killed:?}"
        );
        // Whoever reads the folder meanwhile sees whole programs only.
        for (name, text) in tree(&place.path("submissions")) {
            let is_scratch = Path::new(&name)
                .file_name()
                .is_some_and(|name| name == ".verdictd-import");
            assert!(
                is_scratch || whole.get(&name) == Some(&text),
                "{point}: {name}"
            );
        }
        let again = place.run(&arguments(&[], &files));
        assert_eq!(again.status.code(), Some(0), "{point}: {again:?}");
        assert_eq!(tree(&place.path("submissions")), whole, "{point}");
        let manifests = [&place, &undisturbed].map(|place| place.read("staff/imports.jsonl"));
        assert_eq!(manifests[0], manifests[1], "{point}");
    }
}

/// Every file below a folder, and its size.
fn names(folder: &Path) -> BTreeSet<(String, u64)> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else {
                let bytes = entry.metadata().unwrap().len();
                found.insert((path.display().to_string(), bytes));
            }
        }
    }
    found
}

#[test]
fn hostile_archives_write_nothing_where_they_should_not() {
    let place = course();
    let student = "Mo Odle_657737_assignsubmission_file";
    let bomb = "x".repeat(8 << 20);
    let entries = [
        (format!("{student}/../../../../config.toml"), "[web]\n"),
        (format!("/{student}/sum.py"), PYTHON),
        (format!("C:\\{student}\\sum.py"), PYTHON),
        (format!("{student}/sum.py"), bomb.as_str()),
        (format!("{student}/.git/sum.py"), PYTHON),
        (format!("{student}/sum.rar"), "Rar!"),
    ];
    let entries: Vec<(&str, &str)> = entries
        .iter()
        .map(|(name, text)| (name.as_str(), *text))
        .collect();
    let mut linked = ZipWriter::new_append(Cursor::new(zipped(&entries))).unwrap();
    let name = format!("{student}/linked.py");
    linked
        .add_symlink(&name, "/etc/passwd", SimpleFileOptions::default())
        .unwrap();
    place.write("in/hostile.zip", linked.finish().unwrap().into_inner());
    let before = names(&place.path("."));
    let run = place.run(&["import", "--json", "in/hostile.zip"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let said = said(&run);
    for (part, why) in [
        ("config.toml", "its path leads out of the archive"),
        ("C:", "its path is absolute"),
        ("sum.rar", "no language is configured for .rar"),
        (".git", ""),
    ] {
        let found = said
            .iter()
            .find(|said| said["entry"].as_str().unwrap().contains(part));
        match found {
            Some(said) => assert_eq!(said["refused"], why, "{said}"),
            None => assert!(why.is_empty(), "{part}: {said:?}"),
        }
    }
    let refused: Vec<&str> = said
        .iter()
        .map(|said| said["refused"].as_str().unwrap())
        .collect();
    assert!(
        refused.iter().any(|why| why.contains("it is larger than")),
        "{refused:?}"
    );
    assert!(refused.contains(&"it is not a regular file"), "{refused:?}");
    let mut after = names(&place.path("."));
    after.retain(|(name, _)| !name.ends_with("imports.jsonl"));
    assert_eq!(after, before);
    // One archive that cannot be read, and nothing of the sound one is written.
    place.write("in/broken.zip", "PK\x03\x04");
    let run = place.run(&["import", "in/CS1-A1-4711.zip", "in/broken.zip"]);
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert!(String::from_utf8_lossy(&run.stderr).contains("in/broken.zip: it is not a zip file"));
    assert!(tree(&place.path("submissions")).is_empty());
    // What nobody's archive looks like is asked about.
    place.write("in/own/week1/mo.py", PYTHON);
    let run = place.run(&["import", "in/own"]);
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let asked = String::from_utf8_lossy(&run.stderr).into_owned();
    for part in ["--platform (moodle, vpl, canvas,", "--pattern"] {
        assert!(asked.contains(part), "{asked}");
    }
    let own = r"week\d/(?P<student>\w+)\.(?P<ext>\w+)";
    let run = place.run(&["import", "in/own", "--pattern", own, "--problem", "sum"]);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    assert_eq!(place.read("submissions/mo/sum.py"), PYTHON);
}

#[test]
fn a_students_own_links_stop_only_their_own_import() {
    let place = course();
    fs::create_dir(place.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path("submissions/mo")).unwrap();
    let run = place.run(&arguments(&[], &files()));
    assert_eq!(run.status.code(), Some(3), "{run:?}");
    let said = said(&run);
    assert!(
        said[0]["refused"]
            .as_str()
            .unwrap()
            .contains("submissions/mo"),
        "{}",
        said[0]
    );
    assert!(
        said[1..].iter().all(|said| said["state"] == "new"),
        "{said:?}"
    );
    assert!(tree(&place.path("elsewhere")).is_empty());
}

#[test]
fn whoever_is_not_on_the_roster_is_named_before_anything_is_written() {
    let place = course();
    place.write("in/own/zoe.py", PYTHON);
    let own = r"(?P<student>\w+)\.(?P<ext>\w+)";
    let import = ["import", "in/own", "--pattern", own, "--problem", "sum"];
    let dry = place.run(&[&import[..], &["--dry-run"]].concat());
    let shown = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert!(shown.contains("zoe (not on the roster)"), "{shown}");
    let run = place.run(&import);
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(told.contains("not on the roster: zoe;"), "{told}");
    assert_eq!(place.read("submissions/zoe/sum.py"), PYTHON);
}
