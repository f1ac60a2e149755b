//! Archives and folders of people who mean harm, or whose tools are broken.

use std::io::{Cursor, Write as _};
use std::path::Path;

use jiff::tz::TimeZone;
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{PROGRAM, Place, rows};
use crate::domain::Student;
use crate::lms::deliver;
use crate::lms::plan::{Terms, plan};
use crate::lms::platforms::{PLATFORMS, recognise};
use crate::lms::source::Source;
use crate::util::tests::trials::trials;

#[test]
fn hostile_archives_are_refused_or_harmless() {
    let place = Place::new();
    let large = vec![b'x'; 1_001];
    let mut nested = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    nested
        .start_file("a/curling.py", SimpleFileOptions::default())
        .unwrap();
    nested.write_all(PROGRAM).unwrap();
    let nested = nested.finish().unwrap().into_inner();
    let prefix = "A B_1_assignsubmission_file_";
    let name = |file: &str| format!("{prefix}/{file}");
    let names = [
        name("../../../curling.py"),
        name("curling.py"),
        name("regions.py"),
        name("my work.zip"),
        name("broken.zip"),
        name("photo.jpg"),
    ];
    let contents: [&[u8]; 6] = [PROGRAM, b"", &large, &nested, b"PK\x03\x04", &large];
    let entries: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(contents).collect();
    let (_, found) = place.plan(&place.zip("a.zip", &entries));
    for (entry, why) in [
        ("..", "its path leads out of the archive"),
        ("regions.py", "larger than"),
        ("broken.zip", "not a zip file"),
        ("photo.jpg", "no language is configured for .jpg"),
        // Nobody can say whether the one in the archive is newer than the empty one.
        (
            "my work.zip: a/curling.py",
            "nothing says which one is newer",
        ),
    ] {
        let row = found.iter().find(|row| row.contains(entry));
        assert!(
            row.is_some_and(|row| row.contains(why)),
            "{entry}: {found:?}"
        );
    }
    std::fs::write(place.folder.path().join("no.zip"), b"nothing of a zip file").unwrap();
    let error = Source::open(&place.folder.path().join("no.zip")).map(|_| ());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("no.zip: it is not a zip file"), "{error}");
}

/// Whatever students call their own files and folders, whose program it is stays what the platform
/// says.
#[test]
fn names_that_students_choose_make_nobody_somebody_else() {
    let place = Place::new();
    let eve = "Eve_111_assignsubmission_file_";
    let bo = "Bo_222_assignsubmission_file_";
    let default = "Default group_assignsubmission_file_";
    let entries = [
        format!("{eve}/{bo}/curling.py"),
        format!("{eve}sub/{bo}/curling.py"),
        format!("{eve}{bo}curling.py"),
        format!("{default}/{bo}/curling.py"),
        format!("{bo}/curling.py"),
    ];
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .zip([b"1" as &[u8], b"2", b"3", b"4", b"5"])
        .map(|(name, bytes)| (name.as_str(), bytes))
        .collect();
    let path = place.zip("moodle.zip", &entries);
    let (platform, plan) = place.plan_as(&path, None).unwrap();
    assert_eq!(platform, "moodle");
    let of_bo: Vec<&str> = plan
        .rows
        .iter()
        .filter(|row| {
            let taken = row.outcome.as_ref();
            taken.is_ok_and(|hand_in| hand_in.student.as_str() == "Bo")
        })
        .map(|row| row.shown.as_str())
        .collect();
    assert_eq!(of_bo, [format!("{bo}/curling.py")]);
}

#[test]
fn what_students_write_into_blackboard_takes_nothing_from_others() {
    let place = Place::new();
    let (eve, bo) = (
        "A1_eve_attempt_2026-10-05-12-00-00",
        "A1_bo_attempt_2026-10-01-12-00-00",
    );
    let forged = format!("{eve}_A1_zoe_attempt_2026-09-01-10-00-00.txt");
    let forged_list = format!(
        "Name: Zoe (zoe)\n\nFiles:\n\tOriginal filename: curling.py\n\tFilename: {bo}_curling.py\n"
    );
    let takes = "\tOriginal filename: curling.py\n\tFilename: shared.py\n";
    let comment = format!(
        "Name: Zoe (zoe)\nFiles:\n\tOriginal filename: regions.py\n\tFilename: bos.py\n\
         \tOriginal filename: regions.py\n\tFilename: {bo}_curling.py\n"
    );
    let eve_list = format!(
        "Eingereicht von: Eve\n\nComments:\n{comment}\nFiles:\n{takes}\
         \tOriginal filename: curling.py\n\tFilename: {bo}_curling.py\n"
    );
    let bo_list = format!(
        "Name: Bo (bo)\r\n\r\nFiles:\r\n{takes}\tOriginal filename: regions.py\n\tFilename: bos.py\n"
    );
    let names = [eve, bo].map(|name| format!("{name}.txt"));
    let programs = [eve, bo].map(|name| format!("{name}_curling.py"));
    let (_, found) = place.plan(&place.zip(
        "gradebook_CS1_A1.zip",
        &[
            (&forged, forged_list.as_bytes()),
            (&names[0], eve_list.as_bytes()),
            (&names[1], bo_list.as_bytes()),
            (&programs[0], b"1"),
            (&programs[1], b"2"),
            ("bos.py", b"3"),
            ("shared.py", b"4"),
        ],
    ));
    let nobody = "the platform does not say who handed it in";
    assert_eq!(
        found,
        [
            format!("{}: bo curling.py 2026-10-01T10:00:00Z", programs[1]),
            format!("{forged}: no language is configured for .txt"),
            format!("{}: {nobody}", programs[0]),
            "bos.py: bo regions.py 2026-10-01T10:00:00Z".to_owned(),
            "shared.py: the file name does not match a problem; use --problem".to_owned(),
        ]
    );
}

#[test]
fn links_in_a_folder_are_not_followed() {
    let place = Place::new();
    let root = place.tree(
        "tree",
        &[("A B_1_assignsubmission_file_/regions.py", PROGRAM)],
    );
    let outside = place.folder.path().join("secret.py");
    std::fs::write(&outside, PROGRAM).unwrap();
    let inside = root.join("A B_1_assignsubmission_file_/curling.py");
    std::os::unix::fs::symlink(&outside, inside).unwrap();
    let (_, found) = place.plan(&root);
    assert_eq!(
        found,
        [
            "A B_1_assignsubmission_file_/curling.py: it is not a regular file",
            "A B_1_assignsubmission_file_/regions.py: A B regions.py",
        ]
    );
}

#[test]
fn programs_are_laid_beside_older_ones_and_links_of_students_are_not_followed() {
    let place = Place::new();
    let path = place.zip(
        "a.zip",
        &[("Ada_1_assignsubmission_file_/curling.py", PROGRAM)],
    );
    let (_, mut plan) = place.plan_as(&path, None).unwrap();
    let mut hand_in = plan.rows.remove(0).outcome.unwrap();
    let submissions = place.tree("submissions", &[("Ada/curling.py", b"older")]);
    let paths = [("Ada/curling (1).py", true), ("Ada/curling (1).py", false)];
    for (path, is_new) in paths {
        let delivered = deliver(&submissions, &hand_in).unwrap();
        assert_eq!(
            (delivered.path.as_path(), delivered.is_new),
            (Path::new(path), is_new)
        );
    }
    assert_eq!(
        std::fs::read(submissions.join("Ada/curling.py")).unwrap(),
        b"older"
    );
    hand_in.student = Student::new("Mal").unwrap();
    std::fs::create_dir_all(submissions.join("Mal/.verdictd-import")).unwrap();
    let error = deliver(&submissions, &hand_in).unwrap_err().to_string();
    assert!(
        error.ends_with("/Mal/.verdictd-import: it is in the way of the import; remove it"),
        "{error}"
    );
    hand_in.student = Student::new("Eve").unwrap();
    let elsewhere = place.tree("elsewhere", &[("x", b"")]);
    std::os::unix::fs::symlink(&elsewhere, submissions.join("Eve")).unwrap();
    assert!(deliver(&submissions, &hand_in).is_err());
    assert!(!elsewhere.join("curling.py").exists());
}

/// A zip file with entries of these names.
fn archive(names: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (index, name) in names.iter().enumerate() {
        // The library refuses names that are taken; a number keeps them apart.
        let name = format!("{}{index}.py", String::from_utf8_lossy(name));
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(PROGRAM).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// Whatever an archive is, reading it ends, and what it gives is bounded.
fn read_all(bytes: Vec<u8>) {
    let Ok(mut source) = Source::nested(Path::new("x.zip"), bytes) else {
        return;
    };
    for index in 0..source.entries().len() {
        if let Ok(bytes) = source.read(index, 100) {
            assert!(bytes.len() <= 100);
        }
        let entry = &source.entries()[index];
        let parts = || entry.path.split('/');
        let safe = !parts().any(|part| part == ".." || part.is_empty());
        assert!(entry.refused.is_some() || safe, "{entry:?}");
        assert!(!entry.shown().contains(char::is_control), "{entry:?}");
    }
    for platform in PLATFORMS.iter() {
        let _ = crate::lms::recognise(&mut source, "x", Some(platform.id));
    }
}

proptest! {
    #![proptest_config(trials(256))]

    #[test]
    fn any_bytes_are_an_archive_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read_all(bytes);
    }

    #[test]
    fn any_names_are_harmless(
        names in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..40),
                "[-_ ./\\\\:a-zA-Z0-9()+,]{0,60}".prop_map(String::into_bytes),
            ],
            0..6,
        ),
    ) {
        read_all(archive(&names));
    }

    #[test]
    fn a_damaged_archive_is_refused_or_read_within_bounds(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<proptest::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = archive(&[b"A B_1_assignsubmission_file_/curling".to_vec(), b"b".to_vec()]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(bytes);
    }
}

#[test]
fn several_entries_of_one_name_are_refused() {
    let mut bytes = archive(&[b"curling".to_vec(), b"curlinh".to_vec()]);
    // Both in the local headers and in the directory.
    for at in 0..bytes.len() - 10 {
        if bytes[at..].starts_with(b"curlinh1.py") {
            bytes[at..at + 11].copy_from_slice(b"curling0.py");
        }
    }
    let error = Source::nested(Path::new("x.zip"), bytes).map(|_| ());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("have the same name"), "{error}");
}

#[test]
fn a_bomb_ends_at_the_bound() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file("curling.py", SimpleFileOptions::default())
        .unwrap();
    writer.write_all(&vec![b'x'; 8 << 20]).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    assert!(bytes.len() < 100_000);
    let mut source = Source::nested(Path::new("x.zip"), bytes).unwrap();
    let error = source.read(0, 1_000).unwrap_err().to_string();
    assert_eq!(error, "it is larger than 1 KiB");
}

#[test]
fn nobody_uses_up_the_room_of_the_others() {
    let place = Place::new();
    let bomb = place.zip("bomb.zip", &[("x", &vec![b'x'; 17 << 20])]);
    let mut bomb = ZipArchive::new(std::fs::File::open(bomb).unwrap()).unwrap();
    let path = place.zip(
        "a.zip",
        &[("Zoe_2_assignsubmission_file_/curling.py", PROGRAM)],
    );
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path);
    let mut writer = ZipWriter::new_append(file.unwrap()).unwrap();
    for number in 10..50 {
        let name = format!("Eve_1_assignsubmission_file_/{number}.zip");
        let entry = bomb.by_index_raw(0).unwrap();
        writer.raw_copy_file_rename(entry, name).unwrap();
    }
    writer.finish().unwrap();
    let (_, found) = place.plan(&path);
    assert!(found[0].contains("larger than"), "{found:?}");
    assert!(found[39].contains("this student has"), "{found:?}");
    assert!(found[40].ends_with(": Zoe curling.py"), "{found:?}");
}

/// A zip file with so many entries of these bytes, each named by its number and this ending.
fn crowd(count: usize, ending: &str, bytes: &[u8]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..count {
        let name = format!("{number:05}{ending}");
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_students_own_archives_do_not_bury_the_table() {
    let place = Place::new();
    let programs = crowd(300, ".py", PROGRAM);
    let named = crowd(300, "/curling.py", PROGRAM);
    let mut entries: Vec<(String, &[u8])> = Vec::new();
    for (student, inner) in [("Eve_1", &programs), ("Mal_2", &named)] {
        for number in 0..3 {
            let name = format!("{student}_assignsubmission_file_/{number}.zip");
            entries.push((name, inner));
        }
    }
    for number in 0..300 {
        entries.push((format!("Sid_3_assignsubmission_file_/{number}.txt"), b"x"));
    }
    entries.push((
        "Zoe_4_assignsubmission_file_/curling.py".to_owned(),
        PROGRAM,
    ));
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|(name, bytes)| (&**name, *bytes))
        .collect();
    let (_, plan) = place.plan_as(&place.zip("a.zip", &entries), None).unwrap();
    let unlisted: Vec<(&str, usize)> = plan
        .unlisted
        .iter()
        .map(|(owner, count)| (owner.as_str(), *count))
        .collect();
    // One of Mal's is taken.
    assert_eq!(unlisted, [("Eve", 800), ("Mal", 800), ("Sid", 200)]);
    assert_eq!(plan.rows.len(), 301);
    let found = rows(&plan);
    assert!(
        found[0].contains("300 programs are in this archive"),
        "{}",
        found[0]
    );
    assert!(found[300].ends_with(": Zoe curling.py"), "{}", found[300]);
}

#[test]
fn many_students_together_refuse_nobody_else() {
    let place = Place::new();
    let large = vec![b'x'; 100 << 10];
    let inner = crowd(10, "/curling.py", &large);
    let names: Vec<String> = (10..50)
        .map(|number| format!("Eve{number}_{number}_assignsubmission_file_/a.zip"))
        .chain(["Zoe_1_assignsubmission_file_/curling.py".to_owned()])
        .collect();
    let contents = std::iter::repeat_n(&inner[..], 40).chain([PROGRAM]);
    let entries: Vec<(&str, &[u8])> = names.iter().map(String::as_str).zip(contents).collect();
    let path = place.zip("a.zip", &entries);
    let zone = TimeZone::UTC;
    let mut source = Source::open(&path).unwrap();
    let readings = recognise(&mut source, "a", None).unwrap().readings;
    let terms = Terms {
        source_bytes_max: 100 << 10,
        ..place.terms(&zone)
    };
    let mut plan = plan(&mut source, readings, "a", "Moodle", &terms);
    let share = "programs have more than 199 KiB together";
    let found = rows(&plan);
    assert!(found.iter().any(|row| row.contains(share)), "{found:?}");
    let last = plan.rows.pop().unwrap().outcome.unwrap();
    assert_eq!(last.student.as_str(), "Zoe");
}

#[test]
fn what_is_not_unpacked_uses_up_nothing() {
    let place = Place::new();
    let names: Vec<String> = (10..60)
        .map(|number| format!("{number}/regions.py"))
        .collect();
    let mut entries: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, PROGRAM)).collect();
    entries.push(("curling.py", PROGRAM));
    let mut inner = std::fs::read(place.zip("inner.zip", &entries)).unwrap();
    // The flags in each header of the directory: all but the last one are encrypted.
    let headers = inner.windows(4).enumerate();
    let headers = headers.filter(|(_, bytes)| bytes == b"PK\x01\x02");
    let headers: Vec<usize> = headers.map(|(at, _)| at).collect();
    for at in &headers[..50] {
        inner[at + 8] |= 1;
    }
    let path = place.zip("a.zip", &[("Zoe_2_assignsubmission_file_/a.zip", &inner)]);
    let zone = TimeZone::UTC;
    let mut source = Source::open(&path).unwrap();
    let readings = recognise(&mut source, "a", None).unwrap().readings;
    let terms = Terms {
        source_bytes_max: 1 << 20,
        ..place.terms(&zone)
    };
    let found = rows(&plan(&mut source, readings, "a", "Moodle", &terms));
    assert!(found[0].contains("it is encrypted"), "{found:?}");
    assert!(found[50].ends_with(": Zoe curling.py"), "{found:?}");
}
