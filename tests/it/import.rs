//! `verdictd import` on archives as platforms make them: shown, taken once, judged by a daemon that
//! runs meanwhile, whole after a kill, and nothing of one that cannot be read.

use std::fs;
use std::io::{Cursor, Write as _};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::crash::tree;
use crate::place::{Place, no_named_steps};
use crate::programs::PYTHON;

/// The steps at which an import is killed.
const POINTS: &str = "import noted|import written|import written:2|import delivered|\
    import delivered:2";

pub fn zipped<T: AsRef<str>>(entries: &[(T, T)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        let (name, options) = (name.as_ref(), SimpleFileOptions::default());
        writer.start_file(name, options).unwrap();
        writer.write_all(text.as_ref().as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A program that is right, and nobody else's.
pub fn program(whose: &str) -> String {
    format!("# {whose}\n{PYTHON}")
}

/// Its name, its entries, and who hands in.
type Archive = (&'static str, Vec<(String, String)>, &'static str);

/// What Moodle calls a program of one student.
const MOODLE: &str = "Mo Odle_657737_assignsubmission_file/sum.py";

/// Archives of two platforms with what each calls a program for `sum`, and who hands it in. Those
/// of all platforms are in `term`.
fn archives() -> [Archive; 2] {
    let list = "Name: Bella Board (bella)\nAssignment: Sum\nDate Submitted: Tuesday, 27 November 2018 15:38:53 o'clock CET\n\nFiles:\n\tOriginal filename: sum.py\n\tFilename: Sum_bella_attempt_2018-11-27-15-38-53_sum.py\n";
    let sum = "Sum_bella_attempt_2018-11-27-15-38-53";
    let moodle = vec![(MOODLE.to_owned(), program("mo"))];
    let blackboard = vec![
        (format!("{sum}.txt"), list.to_owned()),
        (format!("{sum}_sum.py"), program("bella")),
    ];
    [
        ("CS1-A1-4711.zip", moodle, "mo"),
        ("gradebook_CS1_A1.zip", blackboard, "bella"),
    ]
}

pub fn course() -> Place {
    let place = Place::new().only(&["python3"]);
    place.configure("[overview]\nroster = \"roster.csv\"\n");
    let rows = "student,last_name,first_name,canvas\nmo,Odle,Mo,\nca,Vas,Ca,178647\nbella,,,\n";
    place.write("roster.csv", rows);
    for (name, entries, _) in archives() {
        place.write(&format!("in/{name}"), zipped(&entries));
    }
    place
}

fn import(more: &str) -> String {
    let files = archives().map(|(name, ..)| format!("in/{name}"));
    format!(
        "import --json --zone Europe/Oslo {more} {}",
        files.join(" ")
    )
}

#[test]
fn an_export_is_shown_taken_once_and_judged() {
    let place = course();
    let daemon = place.daemon();
    // One that cannot be read, and nothing of any is written.
    place.write("in/broken.zip", "PK\x03\x04");
    let both = "import in/CS1-A1-4711.zip in/broken.zip";
    place.says(2, both, &["in/broken.zip: it is not a zip file"]);
    let shown = place.objects(&import("--dry-run"));
    assert!(tree(&place.path("submissions")).is_empty());
    assert!(!place.path("staff/imports.jsonl").exists());
    let taken = place.objects(&import(""));
    assert_eq!(shown.len(), archives().len());
    for (((_, entries, student), shown), taken) in archives().iter().zip(&shown).zip(&taken) {
        for said in [shown, taken] {
            let holds = entries.iter().any(|(name, _)| said["entry"] == *name);
            assert!(holds, "{said}");
            assert_eq!(said["student"], *student, "{said}");
            assert_eq!(said["problem"], "sum", "{said}");
            assert_eq!(said["refused"], Value::Null, "{said}");
        }
        let states = (&shown["state"], &taken["state"]);
        assert_eq!(states, (&Value::Null, &"new".into()));
        assert_eq!(shown["time"], taken["time"]);
    }
    let times = [&taken[0]["time"], &taken[1]["time"]];
    assert_eq!(times, [&Value::Null, &"2018-11-27T14:38:53Z".into()]);
    for (_, _, student) in archives() {
        assert_eq!(place.wait_for(&format!("{student}/sum/1")), "AC");
    }
    let there = || {
        let manifest = place.read("staff/imports.jsonl");
        (tree(&place.path("submissions")), manifest)
    };
    let before = there();
    for said in place.objects(&import("")) {
        assert_eq!(said["state"], "there already", "{said}");
    }
    assert_eq!(there(), before);
    let manifest = fs::metadata(place.path("staff/imports.jsonl")).unwrap();
    assert_eq!(manifest.permissions().mode() & 0o777, 0o600);
    let line: Value = serde_json::from_str(before.1.lines().next().unwrap()).unwrap();
    assert_eq!(line["platform"], "moodle");
    assert_eq!(line["entry"], MOODLE);
    assert_eq!(line["keys"]["moodle"], "657737");
    assert_eq!(daemon.stop().code, Some(0));
    let verdicts = place.verdicts().len();
    assert_eq!(verdicts, archives().len(), "nothing is judged twice");
}

#[test]
fn killed_in_the_middle_an_import_is_whole_after_the_next_one() {
    if no_named_steps() {
        return;
    }
    let undisturbed = course();
    undisturbed.says(0, &import(""), &[]);
    let whole = tree(&undisturbed.path("submissions"));
    assert_eq!(whole.len(), archives().len());
    for point in POINTS.split('|') {
        let place = course();
        place.kill_at(point, &import(""));
        // Whoever reads the folder meanwhile sees whole programs only.
        for (name, text) in tree(&place.path("submissions")) {
            let is_scratch = name.ends_with("/.verdictd-import");
            let holds = is_scratch || whole.get(&name) == Some(&text);
            assert!(holds, "{point}: {name}");
        }
        place.says(0, &import(""), &[]);
        assert_eq!(tree(&place.path("submissions")), whole, "{point}");
        let manifests = [&place, &undisturbed].map(|place| place.read("staff/imports.jsonl"));
        assert_eq!(manifests[0], manifests[1], "{point}");
    }
}
