//! Each platform's archives: whose, for which problem, when, or why not.

use jiff::tz::TimeZone;

use super::{PROGRAM, Place, rows};
use crate::domain::{Key, ProblemSlug, Student};
use crate::lms::Reading;
use crate::lms::archive::Pattern;
use crate::lms::plan::plan;
use crate::lms::platforms::{Worksheet, recognise};
use crate::lms::source::Source;

#[test]
fn moodle_in_folders_flat_and_zipped_again() {
    let place = Place::new();
    let (platform, found) = place.plan(&place.zip(
        "CS1-A1-4711.zip",
        &[
            (
                "Ada Lovelace_657737_assignsubmission_file_/curling.py",
                PROGRAM,
            ),
            (
                "First_Last_12_assignsubmission_file/sub/Regions (1).py",
                PROGRAM,
            ),
            (
                "O_Brien Anna_13_assignsubmission_onlinetext_/onlinetext.html",
                b"<p>",
            ),
            ("Default group_assignsubmission_file_/curling.py", PROGRAM),
            ("__MACOSX/x/._curling.py", b""),
        ],
    ));
    assert_eq!(platform, "moodle");
    assert_eq!(
        found,
        [
            "Ada Lovelace_657737_assignsubmission_file_/curling.py: Ada Lovelace curling.py",
            "Default group_assignsubmission_file_/curling.py: the platform does not say who handed it in",
            "First_Last_12_assignsubmission_file/sub/Regions (1).py: First Last regions.py",
            "O_Brien Anna_13_assignsubmission_onlinetext_/onlinetext.html: no language is configured for .html",
        ]
    );
    let (platform, found) = place.plan(&place.zip(
        "flat.zip",
        &[
            (
                "x/Student Name_12_assignsubmission_file_My_cool_curling.py",
                PROGRAM,
            ),
            ("x/Student Two_13_assignsubmission_file_curling.py", PROGRAM),
        ],
    ));
    assert_eq!(platform, "moodle");
    assert!(
        found[0].contains("the file name does not match a problem"),
        "{found:?}"
    );
    assert!(found[1].ends_with(": Student Two curling.py"), "{found:?}");
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
    let path = place.tree(
        "a",
        &[
            ("Cy_14_assignsubmission_file/curling.py", b"1"),
            // The number of the group is that of a participant too.
            ("Blue Team_14_assignsubmission_file/regions.py", b"2"),
        ],
    );
    let mut source = Source::open(&path).unwrap();
    let mut readings = recognise(&mut source, "a", None).unwrap().readings;
    worksheet.complete(&mut readings);
    let zone = TimeZone::get("Europe/Oslo").unwrap();
    let made = plan(&mut source, readings, "a", "Moodle", &place.terms(&zone));
    assert_eq!(
        rows(&made),
        [
            "Blue Team_14_assignsubmission_file/regions.py: ada@x.edu regions.py 2026-10-03T21:59:00Z",
            "Blue Team_14_assignsubmission_file/regions.py: bo@x.edu regions.py 2026-10-03T21:59:00Z",
            "Cy_14_assignsubmission_file/curling.py: cy@x.edu curling.py 2026-10-03T22:30:00Z",
        ]
    );
}

#[test]
fn vpl_has_every_attempt_with_its_time() {
    let place = Place::new();
    let (platform, found) = place.plan(&place.tree(
        "vpl",
        &[
            ("Lovelace Ada 17 ada/2026-10-02-23-59-01/curling.py", b"a"),
            ("Lovelace Ada 17 ada/2026-10-03-00-01-00/curling.py", b"b"),
            (
                "Lovelace Ada 17 ada/2026-10-03-00-01-00.ceg/compilation.txt",
                b"",
            ),
            ("Report.txt", b""),
        ],
    ));
    assert_eq!(platform, "vpl");
    assert_eq!(
        found,
        [
            "Lovelace Ada 17 ada/2026-10-02-23-59-01/curling.py: ada curling.py 2026-10-02T21:59:01Z",
            "Lovelace Ada 17 ada/2026-10-03-00-01-00/curling.py: ada curling.py 2026-10-02T22:01:00Z",
        ]
    );
}

#[test]
fn canvas_with_its_marks() {
    let mut place = Place::new();
    let student = |name| Student::new(name).unwrap();
    place
        .people
        .add(&student("s1"), [(Key::Canvas, "178647")], ("", ""));
    place.people.add(&student("s2"), [], ("García", "Ana"));
    let (platform, found) = place.plan(&place.zip(
        "submissions.zip",
        &[
            ("doejanes_LATE_178647_16203579_curling-1.py", PROGRAM),
            ("garcíaana_22_33_curling.py", PROGRAM),
            ("李雷_23_34_hw-1.py", PROGRAM),
            ("LATE_anon_7xY_35_curling.py", PROGRAM),
            ("某_24_text.html", b"<p>"),
        ],
    ));
    assert_eq!(platform, "canvas");
    assert_eq!(
        found,
        [
            "LATE_anon_7xY_35_curling.py: 7xY curling.py",
            "doejanes_LATE_178647_16203579_curling-1.py: s1 curling.py",
            "garcíaana_22_33_curling.py: s2 curling.py",
            "李雷_23_34_hw-1.py: 李雷 hw-1.py",
            "某_24_text.html: no language is configured for .html",
        ]
    );
}

#[test]
fn blackboard_is_read_by_its_lists() {
    let place = Place::new();
    let prefix = "Python_Assignment_Anna_van_der_Schip_attempt_2018-11-27-15-38-53";
    let list = format!(
        "Name: Anna van der Schip (Anna_van_der_Schip)\nAssignment: Curling\n\
         Date Submitted: Tuesday, 27 November 2018 15:38:53 o'clock CET\nCurrent Grade: Not Yet Graded\n\n\
         Submission Field:\nThere is no student submission text data for this assignment.\n\nFiles:\n\
         \tOriginal filename: curling.py\n\tFilename: {prefix}_curling.py\n\
         \tOriginal filename: regions.py\n\tFilename: regions_own.py\n"
    );
    let (list_name, file_name) = (format!("{prefix}.txt"), format!("{prefix}_curling.py"));
    let (platform, found) = place.plan(&place.zip(
        "gradebook_CS1_A1.zip",
        &[
            (&list_name, list.as_bytes()),
            (&file_name, PROGRAM),
            ("regions_own.py", PROGRAM),
            ("A_b_c_attempt_2018-11-27-15-38-53_curling.py", PROGRAM),
        ],
    ));
    assert_eq!(platform, "blackboard");
    assert_eq!(
        found,
        [
            "A_b_c_attempt_2018-11-27-15-38-53_curling.py: the platform does not say who handed it in",
            &format!("{file_name}: Anna_van_der_Schip curling.py 2018-11-27T14:38:53Z"),
            "regions_own.py: Anna_van_der_Schip regions.py 2018-11-27T14:38:53Z",
        ]
    );
}

#[test]
fn brightspace_in_folders_and_flat() {
    let place = Place::new();
    let (platform, found) = place.plan(&place.zip(
        "A1.zip",
        &[
            ("Programming Exam 1/39786-640693 - Aiden Rodriguez - Oct 10, 2025 1022 AM/curling.py", PROGRAM),
            ("Programming Exam 1/397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM/curling.py", PROGRAM),
            ("Programming Exam 1/index.html", b""),
        ],
    ));
    assert_eq!(platform, "brightspace");
    assert!(
        found[0].ends_with(": Mary-Ann Smith curling.py 2024-09-24T19:26:00Z"),
        "{found:?}"
    );
    assert!(
        found[1].ends_with(": Aiden Rodriguez curling.py 2025-10-10T08:22:00Z"),
        "{found:?}"
    );
    let (platform, found) = place.plan(&place.zip(
        "hw.zip",
        &[(
            "13394-80551 - Charlie Brown - Mar 29, 2018 1205 PM - CBrown - curling.py",
            PROGRAM,
        )],
    ));
    assert_eq!(platform, "brightspace");
    assert!(
        found[0].contains("the file name does not match a problem"),
        "{found:?}"
    );
}

#[test]
fn sakai_has_its_time_in_utc() {
    let place = Place::new();
    let (platform, found) = place.plan(&place.zip(
        "bulk.zip",
        &[
            ("A1/grades.csv", b"\"A1\",\"SCORE_GRADE_TYPE\"\n"),
            ("A1/Doe, Jane(jdoe)/timestamp.txt", b"20260402040005123"),
            (
                "A1/Doe, Jane(jdoe)/Submission attachment(s)/curling.py",
                PROGRAM,
            ),
            ("A1/Doe, Jane(jdoe)/Feedback Attachment(s)/old.py", PROGRAM),
            ("A1/Li, Lei(lei)/提出物の添付ファイル/regions.py", PROGRAM),
        ],
    ));
    assert_eq!(platform, "sakai");
    assert_eq!(
        found,
        [
            "A1/Doe, Jane(jdoe)/Submission attachment(s)/curling.py: jdoe curling.py 2026-04-02T04:00:05Z",
            "A1/Li, Lei(lei)/提出物の添付ファイル/regions.py: lei regions.py",
        ]
    );
}

#[test]
fn gradescope_with_teams_and_numbers_that_are_numbers() {
    let place = Place::new();
    let list = b"---\nsubmission_101:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: 4711\n    :email: ada@x.edu\n  - :name: Bo\n    :email: bo@x.edu\n  :created_at: 2026-04-26 17:34:00.861687000 Z\n  :score: 1.0\nsubmission_102:\n  :submitters: []\n";
    let (platform, found) = place.plan(&place.tree(
        "assignment_7_export",
        &[
            ("submission_metadata.yml", list),
            ("submission_101/curling.py", PROGRAM),
            ("submission_102/curling.py", PROGRAM),
            ("submission_102/.DS_Store", b""),
        ],
    ));
    assert_eq!(platform, "gradescope");
    assert_eq!(
        found,
        [
            "submission_101/curling.py: 4711 curling.py 2026-04-26T17:34:00Z",
            "submission_101/curling.py: bo@x.edu curling.py 2026-04-26T17:34:00Z",
            "submission_102/curling.py: the platform does not say who handed it in",
        ]
    );
}

#[test]
fn classroom_and_nbgrader() {
    let place = Place::new();
    let grades = b"assignment_name,github_username,submission_timestamp\nhw1,octo-cat,2026-01-02T03:04:05Z\n";
    let (platform, found) = place.plan(&place.tree(
        "hw1-submissions",
        &[
            ("hw1-octo-cat/curling.py", PROGRAM),
            ("hw1-octo-cat/.git/config", b""),
            ("hw1-bonus-me/README.md", b""),
            ("grades.csv", grades),
        ],
    ));
    assert_eq!(platform, "classroom");
    assert_eq!(
        found,
        [
            "hw1-bonus-me/README.md: no language is configured for .md",
            "hw1-octo-cat/curling.py: octo-cat curling.py 2026-01-02T03:04:05Z",
        ]
    );
    let (platform, found) = place.plan(&place.tree(
        "inbound",
        &[
            ("a+b+ps1+2015-02-02 15:58:23.948203 UTC/curling.py", b"1"),
            ("a+b+ps1+2015-02-02 15:58:23.948203 UTC/timestamp.txt", b""),
            (
                "bo+ps1+2015-02-02 15:58:23 UTC+AbCdEfGhIj_-/curling.py",
                b"1",
            ),
        ],
    ));
    assert_eq!(platform, "nbgrader");
    assert!(
        found[0].ends_with(": a+b curling.py 2015-02-02T15:58:23Z"),
        "{found:?}"
    );
    assert!(
        found[1].ends_with(": bo curling.py 2015-02-02T15:58:23Z"),
        "{found:?}"
    );
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
    assert_eq!(
        rows(&plan),
        [
            "lab-1-ADA/Cur-ling.py: ADA curling.py".to_owned(),
            format!("lab-1-mary-ann/src/main.py: {why}"),
        ]
    );
    // The folder is called like the assignment, and one student is enough.
    let path = place.tree(
        "hw-1",
        &[
            ("hw-1-mary-ann/main.py", PROGRAM),
            ("hw-1-mary-ann/README.md", b"#"),
        ],
    );
    let (_, found) = place.plan(&path);
    assert_eq!(found, ["hw-1-mary-ann/main.py: mary-ann hw-1.py"]);
    // Weeks are nobody's, and neither are folders that look like no repository.
    for (name, entries) in [
        (
            "weeks",
            [("week-1/README.md", b"#"), ("week-2/README.md", b"#")],
        ),
        (
            "parts",
            [("part-one/curling.py", b"1"), ("part-two/curling.py", b"1")],
        ),
    ] {
        let path = place.tree(name, &entries.map(|(name, bytes)| (name, bytes as &[u8])));
        assert!(place.plan_as(&path, None).is_none(), "{name}");
        let said = place.plan_as(&path, Some("classroom"));
        assert_eq!(said.is_some(), name == "parts", "{name}");
    }
}

#[test]
fn a_courses_own_layout_by_a_pattern() {
    let place = Place::new();
    let path = place.tree(
        "own",
        &[
            ("week1/alice__curling__20260102T030405.py", PROGRAM),
            ("week1/list.txt", b""),
        ],
    );
    let pattern = r"week\d/(?P<student>\w+?)__(?P<problem>\w+?)__(?P<time>\w+)\.(?P<ext>\w+)";
    let pattern = Pattern::new(pattern).unwrap();
    let zone = TimeZone::UTC;
    let mut source = Source::open(&path).unwrap();
    let readings = pattern.readings(source.entries());
    let made = plan(
        &mut source,
        readings,
        "own",
        "the pattern",
        &place.terms(&zone),
    );
    assert_eq!(
        rows(&made),
        [
            "week1/alice__curling__20260102T030405.py: alice curling.py 2026-01-02T03:04:05Z",
            "week1/list.txt: its name is not what the pattern makes of a student's file",
        ]
    );
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
    let student = |name| Student::new(name).unwrap();
    place.people.add(&student("s1"), [], ("Doe", "Jane"));
    place.people.add(&student("s2"), [], ("Doe", "Jane"));
    let path = place.tree(
        "names",
        &[
            ("Jane Doe_1_assignsubmission_file_/curling.py", PROGRAM),
            ("Li Lei_2_assignsubmission_file_/curling.py", PROGRAM),
            ("Li Lei_3_assignsubmission_file_/curling.py", PROGRAM),
            ("New One_4_assignsubmission_file_/main.py", PROGRAM),
        ],
    );
    place.problem = Some(ProblemSlug::new("regions").unwrap());
    let (_, found) = place.plan(&path);
    assert!(
        found[0].contains("it is for curling, and this import is for regions"),
        "{found:?}"
    );
    assert!(found[3].ends_with(": New One regions.py"), "{found:?}");
    place.problem = None;
    let (_, found) = place.plan(&path);
    assert!(
        found[0].contains("Jane Doe may be any of s1, s2"),
        "{found:?}"
    );
    assert!(
        found[1].contains("two people are called Li Lei"),
        "{found:?}"
    );
    place.only_roster = true;
    let (_, found) = place.plan(&path);
    assert!(
        found[1].contains("Li Lei is not on the roster"),
        "{found:?}"
    );
}

#[test]
fn every_share_counts_what_is_not_noise() {
    let place = Place::new();
    let path = place.tree("empty", &[(".DS_Store", b"")]);
    assert!(place.plan_as(&path, None).is_none());
    let mut source = Source::open(&path).unwrap();
    let found = recognise(&mut source, "x", Some("canvas"));
    assert!(found.is_none());
    let readings = vec![Reading::Own];
    let zone = TimeZone::UTC;
    let made = plan(&mut source, readings, "x", "Canvas", &place.terms(&zone));
    assert_eq!((made.rows.len(), made.passed_over), (0, 1));
}
