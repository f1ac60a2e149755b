//! Archives and folders of people who mean harm, or whose tools are broken.

use std::path::Path;

use proptest::prelude::*;
use zip::{ZipArchive, ZipWriter};

use super::{PROGRAM, Place, rows, zipped};
use crate::lms::deliver;
use crate::lms::platforms::PLATFORMS;
use crate::util::archive::Source;
use crate::util::samples::student;
use crate::util::tests::trials::trials;

#[test]
fn hostile_archives_are_refused_or_harmless() {
    let place = Place::new();
    let large = vec![b'x'; 1_001];
    let nested = zipped(["a/curling.py".to_owned()], PROGRAM);
    let entries: [(&str, &[u8]); 6] = [
        ("A B_1_assignsubmission_file_/../../../curling.py", PROGRAM),
        ("A B_1_assignsubmission_file_/curling.py", b""),
        ("A B_1_assignsubmission_file_/regions.py", &large),
        ("A B_1_assignsubmission_file_/my work.zip", &nested),
        ("A B_1_assignsubmission_file_/broken.zip", b"PK\x03\x04"),
        ("A B_1_assignsubmission_file_/photo.jpg", &large),
    ];
    let (_, found) = place.plan(&place.zip("a.zip", &entries));
    // Nobody can say whether the one in the archive is newer than the empty one.
    let inner = "my work.zip: a/curling.py";
    for (entry, why) in [
        ("..", "its path leads out of the archive"),
        ("regions.py", "larger than"),
        ("broken.zip", "not a zip file"),
        ("photo.jpg", "no language is configured for .jpg"),
        (inner, "nothing says which one is newer"),
    ] {
        let row = found.iter().find(|row| row.contains(entry));
        let is_told = row.is_some_and(|row| row.contains(why));
        assert!(is_told, "{entry}: {found:?}");
    }
    let file = place.folder.path().join("no.zip");
    std::fs::write(&file, b"nothing of a zip file").unwrap();
    let error = Source::open(&file).map(|_| ()).unwrap_err().to_string();
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
    let names = [
        format!("{eve}/{bo}/curling.py"),
        format!("{eve}sub/{bo}/curling.py"),
        format!("{eve}{bo}curling.py"),
        format!("{default}/{bo}/curling.py"),
        format!("{bo}/curling.py"),
    ];
    let entries = names.each_ref().map(|name| (name, name.as_bytes()));
    let (platform, mut found) = place.plan(&place.zip("moodle.zip", &entries));
    assert_eq!(platform, "moodle");
    found.retain(|row| row.contains(": Bo "));
    assert_eq!(found, [format!("{bo}/curling.py: Bo curling.py")]);
}

#[test]
fn what_students_write_into_blackboard_takes_nothing_from_others() {
    let place = Place::new();
    let eve = "A1_eve_attempt_2026-10-05-12-00-00";
    let bo = "A1_bo_attempt_2026-10-01-12-00-00";
    let forged = format!("{eve}_A1_zoe_attempt_2026-09-01-10-00-00.txt");
    let names = [eve, bo].map(|name| format!("{name}.txt"));
    let programs = [eve, bo].map(|name| format!("{name}_curling.py"));
    // A file under its own name and as it is called in the archive.
    let is = |name, file: &str| format!("\tOriginal filename: {name}\n\tFilename: {file}\n");
    let [takes, takes_bos] = ["shared.py", &programs[1]].map(|file| is("curling.py", file));
    let bos = is("regions.py", "bos.py");
    let forged_list = format!("Name: Zoe (zoe)\n\nFiles:\n{takes_bos}");
    let also_bos = is("regions.py", &programs[1]);
    let comment = format!("Name: Zoe (zoe)\nFiles:\n{bos}{also_bos}");
    let eve_list =
        format!("Eingereicht von: Eve\n\nComments:\n{comment}\nFiles:\n{takes}{takes_bos}");
    let bo_list = format!("Name: Bo (bo)\r\n\r\nFiles:\r\n{takes}{bos}");
    let entries: [(&str, &[u8]); 7] = [
        (&forged, forged_list.as_bytes()),
        (&names[0], eve_list.as_bytes()),
        (&names[1], bo_list.as_bytes()),
        (&programs[0], b"1"),
        (&programs[1], b"2"),
        ("bos.py", b"3"),
        ("shared.py", b"4"),
    ];
    let (_, found) = place.plan(&place.zip("gradebook_CS1_A1.zip", &entries));
    let [eves, bos] = programs;
    let expected = [
        format!("{bos}: bo curling.py 2026-10-01T10:00:00Z"),
        format!("{forged}: no language is configured for .txt"),
        format!("{eves}: the platform does not say who handed it in"),
        "bos.py: bo regions.py 2026-10-01T10:00:00Z".to_owned(),
        "shared.py: the file name does not match a problem; use --problem".to_owned(),
    ];
    assert_eq!(found, expected);
}

#[test]
fn links_in_a_folder_are_not_followed() {
    let place = Place::new();
    let program = ("A B_1_assignsubmission_file_/regions.py", PROGRAM);
    let root = place.tree("tree", &[program]);
    let outside = place.folder.path().join("secret.py");
    std::fs::write(&outside, PROGRAM).unwrap();
    let inside = root.join("A B_1_assignsubmission_file_/curling.py");
    std::os::unix::fs::symlink(&outside, inside).unwrap();
    let (_, found) = place.plan(&root);
    let found = found.join("; ");
    let told = "curling.py: it is not a regular file; regions.py: A B regions.py";
    assert_eq!(found.replace("A B_1_assignsubmission_file_/", ""), told);
}

#[test]
fn programs_are_laid_beside_older_ones_and_links_of_students_are_not_followed() {
    let place = Place::new();
    let program = ("Ada_1_assignsubmission_file_/curling.py", PROGRAM);
    let path = place.zip("a.zip", &[program]);
    let (_, mut plan) = place.plan_as(&path, None).unwrap();
    let mut hand_in = plan.rows.remove(0).outcome.unwrap();
    let submissions = place.tree("submissions", &[("Ada/curling.py", b"older")]);
    for is_new in [true, false] {
        assert_eq!(deliver(&submissions, &hand_in).unwrap(), is_new);
    }
    let newer = std::fs::read(submissions.join("Ada/curling (1).py"));
    assert_eq!(newer.unwrap(), PROGRAM);
    let older = std::fs::read(submissions.join("Ada/curling.py"));
    assert_eq!(older.unwrap(), b"older");
    hand_in.student = student("Mal");
    std::fs::create_dir_all(submissions.join("Mal/.verdictd-import")).unwrap();
    let error = deliver(&submissions, &hand_in).unwrap_err().to_string();
    let words = "/Mal/.verdictd-import: it is in the way of the import; remove it";
    assert!(error.ends_with(words), "{error}");
    hand_in.student = student("Eve");
    let elsewhere = place.tree("elsewhere", &[("x", b"")]);
    std::os::unix::fs::symlink(&elsewhere, submissions.join("Eve")).unwrap();
    assert!(deliver(&submissions, &hand_in).is_err());
    assert!(!elsewhere.join("curling.py").exists());
}

/// A zip file with entries of these names; a number keeps those apart that are the same.
fn archive(names: &[Vec<u8>]) -> Vec<u8> {
    let names = (0..).zip(names.iter().map(|name| String::from_utf8_lossy(name)));
    let names = names.map(|(index, name)| format!("{name}{index}.py"));
    zipped(names, PROGRAM)
}

/// A zip file with so many entries of these bytes, each named by its number and this ending.
fn crowd(count: usize, ending: &str, bytes: &[u8]) -> Vec<u8> {
    let names = (0..count).map(|number| format!("{number:05}{ending}"));
    zipped(names, bytes)
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
fn nobody_uses_up_the_room_of_the_others() {
    let place = Place::new();
    let bomb = place.zip("bomb.zip", &[("x", &vec![b'x'; 17 << 20])]);
    let mut bomb = ZipArchive::new(std::fs::File::open(bomb).unwrap()).unwrap();
    let program = ("Zoe_2_assignsubmission_file_/curling.py", PROGRAM);
    let path = place.zip("a.zip", &[program]);
    let file = std::fs::File::options().read(true).write(true).open(&path);
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
    let zoe = "Zoe_4_assignsubmission_file_/curling.py";
    entries.push((zoe.to_owned(), PROGRAM));
    let (_, plan) = place.plan_as(&place.zip("a.zip", &entries), None).unwrap();
    let unlisted = plan.unlisted.iter();
    let unlisted: Vec<_> = unlisted.map(|(owner, count)| (&**owner, *count)).collect();
    // One of Mal's is taken.
    assert_eq!(unlisted, [("Eve", 800), ("Mal", 800), ("Sid", 200)]);
    assert_eq!(plan.rows.len(), 301);
    let found = rows(&plan);
    let many = "300 programs are in this archive";
    assert!(found[0].contains(many), "{found:?}");
    assert!(found[300].ends_with(": Zoe curling.py"), "{found:?}");
}

#[test]
fn many_students_together_refuse_nobody_else() {
    let mut place = Place::new();
    place.source_bytes_max = 100 << 10;
    let inner = crowd(10, "/curling.py", &vec![b'x'; 100 << 10]);
    let eve = |number| format!("Eve{number}_{number}_assignsubmission_file_/a.zip");
    let mut entries: Vec<_> = (10..50).map(|number| (eve(number), &inner[..])).collect();
    let zoe = "Zoe_1_assignsubmission_file_/curling.py";
    entries.push((zoe.to_owned(), PROGRAM));
    let (_, found) = place.plan(&place.zip("a.zip", &entries));
    let share = "programs have more than 199 KiB together";
    assert!(found.iter().any(|row| row.contains(share)), "{found:?}");
    assert!(found.last().unwrap().ends_with(": Zoe curling.py"));
}

#[test]
fn what_is_not_unpacked_uses_up_nothing() {
    let mut place = Place::new();
    place.source_bytes_max = 1 << 20;
    let names = (10..60).map(|number| format!("{number}/regions.py"));
    let mut inner = zipped(names.chain(["curling.py".to_owned()]), PROGRAM);
    // The flags in each header of the directory: all but the last one are encrypted.
    let headers = inner.windows(4).enumerate();
    let headers = headers.filter(|(_, bytes)| bytes == b"PK\x01\x02");
    for at in &headers.map(|(at, _)| at).collect::<Vec<_>>()[..50] {
        inner[at + 8] |= 1;
    }
    let path = place.zip("a.zip", &[("Zoe_2_assignsubmission_file_/a.zip", &inner)]);
    let (_, found) = place.plan(&path);
    assert!(found[0].contains("it is encrypted"), "{found:?}");
    assert!(found[50].ends_with(": Zoe curling.py"), "{found:?}");
}
