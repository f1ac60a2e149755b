//! Each platform's archives: whose, for which problem, when, or why not.

use jiff::tz::TimeZone;

use super::{PROGRAM, Place, listed, rows};
use crate::domain::Key;
use crate::lms::Reading;
use crate::lms::archive::Pattern;
use crate::lms::plan::plan;
use crate::lms::platforms::{Worksheet, recognise};
use crate::util::archive::Source;
use crate::util::samples::{slug, student};

#[test]
fn archives_of_every_platform_are_read_zipped_and_unpacked() {
    let mut place = Place::new();
    let key = [(Key::Canvas, "178647")];
    place.people.add(&student("s1"), key, ("", ""));
    place.people.add(&student("s2"), [], ("García", "Ana"));
    for listed in listed(include_str!("platforms.txt")) {
        let row = |(entry, told): (&str, String)| {
            format!("{entry}: {}", told.strip_prefix(": ").unwrap_or(&told))
        };
        let expected: Vec<String> = listed.told().map(row).collect();
        // The order is the plan's, not the archive's.
        let mut entries = listed.contents();
        entries.reverse();
        let zip = place.zip(&format!("{}.zip", listed.archive), &entries);
        for path in [zip, place.tree(&listed.archive, &entries)] {
            let found = place.plan(&path);
            assert_eq!(found, (&*listed.platform, expected.clone()), "{path:?}");
            let removed = std::fs::remove_dir_all(&path);
            removed.or_else(|_| std::fs::remove_file(&path)).unwrap();
        }
    }
}

#[test]
fn moodles_worksheet_says_who_when_and_which_team() {
    let place = Place::new();
    let list = "Identifier,Full name,Email address,Status,Group,Grade,Maximum Grade,Grade can be changed,Last modified (submission),Last modified (grade)\n\
        Participant 12,Ada Lovelace,ada@x.edu,Submitted,Blue Team,,10,Yes,\"Saturday, 3 October 2026, 11:59 PM\",-\n\
        Participant 13,Bo O'Brien,bo@x.edu,Submitted,Blue Team,,10,Yes,\"Saturday, 3 October 2026, 11:59 PM\",-\n\
        Participant 14,Cy,cy@x.edu,Submitted,,,10,Yes,\"Sunday, 4 October 2026, 12:30 AM\",-\n";
    let file = place.folder.path().join("w.csv");
    std::fs::write(&file, list).unwrap();
    let worksheet = Worksheet::load(&file).unwrap();
    let cy = ("Cy_14_assignsubmission_file/curling.py", &b"1"[..]);
    // The number of the group is that of a participant too.
    let blue = ("Blue Team_14_assignsubmission_file/regions.py", &b"2"[..]);
    let mut source = Source::open(&place.tree("a", &[cy, blue])).unwrap();
    let mut readings = recognise(&mut source, "a", None).unwrap().readings;
    worksheet.complete(&mut readings);
    let zone = TimeZone::get("Europe/Oslo").unwrap();
    let made = plan(&mut source, readings, "a", "Moodle", &place.terms(&zone));
    let expected = [
        "Blue Team_14_assignsubmission_file/regions.py: ada@x.edu regions.py 2026-10-03T21:59:00Z",
        "Blue Team_14_assignsubmission_file/regions.py: bo@x.edu regions.py 2026-10-03T21:59:00Z",
        "Cy_14_assignsubmission_file/curling.py: cy@x.edu curling.py 2026-10-03T22:30:00Z",
    ];
    assert_eq!(rows(&made), expected);
}

#[test]
fn repositories_are_recognised_by_what_their_names_begin_with() {
    let mut place = Place::new();
    place.known.ignore = vec!["README*".to_owned()];
    let repositories: [(&str, &[u8]); 4] = [
        ("lab-1-ADA/README.md", b"#"),
        ("lab-1-ADA/Cur-ling.py", PROGRAM),
        ("lab-1-mary-ann/src/main.py", PROGRAM),
        ("lab-1-mary-ann/readme.txt", b"#"),
    ];
    let path = place.tree("downloads", &repositories);
    let (platform, plan) = place.plan_as(&path, None).unwrap();
    assert_eq!((platform, plan.passed_over), ("classroom", 2));
    let why = "the file name does not match a problem; use --problem";
    let ada = "lab-1-ADA/Cur-ling.py: ADA curling.py";
    let mary = format!("lab-1-mary-ann/src/main.py: {why}");
    assert_eq!(rows(&plan), [ada, &mary]);
    // The folder is called like the assignment, and one student is enough.
    let mary = ("hw-1-mary-ann/main.py", PROGRAM);
    let (_, found) = place.plan(&place.tree("hw-1", &[mary, ("hw-1-mary-ann/README.md", b"#")]));
    assert_eq!(found, ["hw-1-mary-ann/main.py: mary-ann hw-1.py"]);
    // Weeks are nobody's, and neither are folders that look like no repository.
    for (name, entries) in [
        ("weeks", ["week-1/README.md", "week-2/README.md"]),
        ("parts", ["part-one/curling.py", "part-two/curling.py"]),
    ] {
        let path = place.tree(name, &entries.map(|name| (name, PROGRAM)));
        assert!(place.plan_as(&path, None).is_none(), "{name}");
        let said = place.plan_as(&path, Some("classroom"));
        assert_eq!(said.is_some(), name == "parts", "{name}");
    }
}

#[test]
fn a_courses_own_layout_by_a_pattern() {
    let place = Place::new();
    let alice = ("week1/alice__curling__20260102T030405.py", PROGRAM);
    let path = place.tree("own", &[alice, ("week1/list.txt", b"")]);
    let pattern = r"week\d/(?P<student>\w+?)__(?P<problem>\w+?)__(?P<time>\w+)\.(?P<ext>\w+)";
    let pattern = Pattern::new(pattern).unwrap();
    let zone = TimeZone::UTC;
    let mut source = Source::open(&path).unwrap();
    let readings = pattern.readings(source.entries());
    let terms = place.terms(&zone);
    let made = plan(&mut source, readings, "own", "the pattern", &terms);
    let expected = [
        "week1/alice__curling__20260102T030405.py: alice curling.py 2026-01-02T03:04:05Z",
        "week1/list.txt: its name is not what the pattern makes of a student's file",
    ];
    assert_eq!(rows(&made), expected);
    for (text, part) in [
        ("(?P<student>", "unclosed group"),
        ("(?P<problem>a)", "no group"),
        ("(?P<student>a)(?P<who>b)", "`who` means nothing"),
    ] {
        let error = Pattern::new(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn what_is_no_platforms_is_asked_about_and_nobody_is_guessed() {
    let mut place = Place::new();
    let path = place.tree("stuff", &[("a.py", PROGRAM), ("b/c.py", PROGRAM)]);
    assert!(place.plan_as(&path, None).is_none());
    for name in ["s1", "s2"] {
        place.people.add(&student(name), [], ("Doe", "Jane"));
    }
    let files =
        "Jane Doe_1|curling.py, Li Lei_2|curling.py, Li Lei_3|curling.py, New One_4|main.py";
    let files = files.replace('|', "_assignsubmission_file_/");
    let files: Vec<_> = files.split(", ").map(|name| (name, PROGRAM)).collect();
    let path = place.tree("names", &files);
    let other = "it is for curling, and this import is for regions";
    for (problem, only_roster, row, words) in [
        (Some("regions"), false, 0, other),
        (Some("regions"), false, 3, ": New One regions.py"),
        (None, false, 0, "Jane Doe may be any of s1, s2"),
        (None, false, 1, "two people are called Li Lei"),
        (None, true, 1, "Li Lei is not on the roster"),
    ] {
        (place.problem, place.only_roster) = (problem.map(slug), only_roster);
        let (_, found) = place.plan(&path);
        assert!(found[row].contains(words), "{found:?}");
    }
}

#[test]
fn every_share_counts_what_is_not_noise() {
    let place = Place::new();
    let path = place.tree("empty", &[(".DS_Store", b"")]);
    assert!(place.plan_as(&path, None).is_none());
    let mut source = Source::open(&path).unwrap();
    assert!(recognise(&mut source, "x", Some("canvas")).is_none());
    let readings = vec![Reading::Own];
    let zone = TimeZone::UTC;
    let made = plan(&mut source, readings, "x", "Canvas", &place.terms(&zone));
    assert_eq!((made.rows.len(), made.passed_over), (0, 1));
}
