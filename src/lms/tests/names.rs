//! Names that nobody here has made up: from the tests, fixtures and documents of platforms and of
//! tools that read their archives.

use std::sync::Arc;

use super::{People, Place};
use crate::domain::{Key, Student};
use crate::intake::Register;
use crate::lms::Reading;
use crate::lms::platforms::recognise;
use crate::lms::source::Source;

/// What an archive of these entries is, and whose they are: `key|name|file`, sorted.
fn whose(archive: &str, entries: &[(&str, &[u8])]) -> (&'static str, Vec<String>) {
    let place = Place::new();
    let path = place.tree(archive, entries);
    let mut source = Source::open(&path).unwrap();
    let found = recognise(&mut source, archive, None);
    let found = found.unwrap_or_else(|| panic!("{archive} is recognised"));
    let name = |reading: Reading| match reading {
        Reading::Claim(claim) => {
            let who = claim.who.first().cloned().unwrap_or_default();
            let key = who.keys.first().map_or("", |(_, key)| key);
            let name = who.name.unwrap_or_default();
            format!("{key}|{name}|{}", claim.file)
        }
        Reading::Own => "own".to_owned(),
        Reading::Strange => "strange".to_owned(),
    };
    let mut names: Vec<String> = found.readings.into_iter().map(name).collect();
    names.sort();
    (found.platform.id, names)
}

#[test]
fn moodles_names() {
    // mod/assign/feedback/file/tests, public repositories of courses, and VPL's own pattern.
    let (platform, found) = whose(
        "moodle",
        &[
            (
                "Student Name_12_assignsubmission_file_My_cool_filename.txt",
                b"",
            ),
            (
                "some_path/Student Name_12_assignsubmission_file_/some_path/My File.txt",
                b"",
            ),
            ("First_Last_657737_assignsubmission_file_/a.py", b""),
            ("Ada Lovelace_657738_assignsubmission_file/a.py", b""),
            (
                "Ada Lovelace_657738_assignsubmission_onlinetext/onlinetext.html",
                b"",
            ),
        ],
    );
    assert_eq!(platform, "moodle");
    assert_eq!(
        found,
        [
            "12|Student Name|My_cool_filename.txt",
            "12|Student Name|some_path/My File.txt",
            "657737|First Last|a.py",
            "657738|Ada Lovelace|a.py",
            "657738|Ada Lovelace|onlinetext.html",
        ]
    );
    let (platform, found) = whose(
        "vpl",
        &[
            ("LOVELACE ADA 17 ada/2026-10-02-23-59-01/a.py", b""),
            ("B A 18 a_b@su_se/2026-10-02-23-59-01/a.py", b""),
            (
                "B A 18 a_b@su_se/2026-10-02-23-59-01.ceg/compilation.txt",
                b"",
            ),
            ("Report.txt", b""),
            ("Errors.txt", b""),
        ],
    );
    assert_eq!(platform, "vpl");
    assert_eq!(
        found,
        [
            "a_b@su_se|B A|a.py",
            "ada|LOVELACE ADA|a.py",
            "own",
            "own",
            "own"
        ]
    );
}

#[test]
fn canvas_names() {
    // spec/lib/content_zipper_spec.rb, where names have numbers between underscores.
    let (platform, found) = whose(
        "submissions",
        &[
            (
                "doejanes_LATE_178647_16203579_ENG 301 Problem Statement.docx",
                b"",
            ),
            ("some9991234guy_5_71_homework.pdf", b""),
            ("other567guy8_6_72_homework-1.tar.gz", b""),
            ("garcíaana_late_7_73_main.py", b""),
            ("李雷_8_74_main-7.py", b""),
            ("anon_ab12C_75_main.py", b""),
            ("LATE_anon_ab12D_76_main.py", b""),
            ("doejane_9_text.html", b""),
            ("doejane_LATE_10_link.html", b""),
        ],
    );
    assert_eq!(platform, "canvas");
    assert_eq!(
        found,
        [
            "10|doejane|link.html",
            "178647|doejanes|ENG 301 Problem Statement.docx",
            "5|some9991234guy|homework.pdf",
            "6|other567guy8|homework-1.tar.gz",
            "7|garcíaana|main.py",
            "8|李雷|main-7.py",
            "9|doejane|text.html",
            "ab12C||main.py",
            "ab12D||main.py",
        ]
    );
}

#[test]
fn blackboards_names() {
    // Names as in nbgrader's guide and its tests: without a list, one `_` says who it is.
    let (platform, found) = whose(
        "archive",
        &[
            (
                "ps1_bitdiddle_attempt_2016-01-30-15-30-10_problem1.ipynb",
                b"",
            ),
            ("ps1_hacker_attempt_2016-01-30-16-30-10_problem1.ipynb", b""),
            (
                "Opgave week 4_GEEN_INT_attempt_2017-10-01-00-00-01_a.py",
                b"",
            ),
            (
                "Opgave week 4_GEEN_INT_attempt_2017-10-01-00-00-01.txt",
                b"Name: Geen Int (GEEN_INT)\n",
            ),
            (
                "Python_Assignment_Anna_van_der_Schip_attempt_2018-11-27-15-38-53_a.py",
                b"",
            ),
        ],
    );
    assert_eq!(platform, "blackboard");
    assert_eq!(
        found,
        [
            "GEEN_INT|Geen Int|a.py",
            "bitdiddle||problem1.ipynb",
            "hacker||problem1.ipynb",
            "own",
            // Nothing says where the assignment's name ends.
            "||a.py",
        ]
    );
}

#[test]
fn brightspaces_names() {
    for (archive, entries, expected) in [
        (
            "exam",
            vec![
                "Programming Exam 1/39786-640693 - Aiden Rodriguez - Oct 10, 2025 1022 AM/Main.java",
                "Programming Exam 1/397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM/Main.java",
                "Programming Exam 1/index.html",
            ],
            vec![
                "own",
                "|Aiden Rodriguez|Main.java",
                "|Mary-Ann Smith|Main.java",
            ],
        ),
        (
            "hw",
            vec!["13394-80551 - Charlie Brown - Mar 29, 2018 1205 PM - CBrown - Homework 6.zip"],
            vec!["|Charlie Brown|CBrown - Homework 6.zip"],
        ),
    ] {
        let entries: Vec<(&str, &[u8])> = entries.iter().map(|name| (*name, &b""[..])).collect();
        assert_eq!(
            whose(archive, &entries),
            (
                "brightspace",
                expected.into_iter().map(str::to_owned).collect()
            )
        );
    }
}

#[test]
fn names_of_sakai_and_ilias() {
    let folder = "A1/Snake, Solidus(de2caa5dd90df87e03cfe62780a58c94)";
    let file = format!("{folder}/Submission attachment(s)/a.py");
    let time = format!("{folder}/timestamp.txt");
    let (platform, found) = whose(
        "sakai",
        &[(&file, b""), (&time, b""), ("A1/grades.csv", b"")],
    );
    assert_eq!(platform, "sakai");
    let key = "de2caa5dd90df87e03cfe62780a58c94|Snake, Solidus|a.py";
    assert_eq!(found, [key, "own", "own"]);
    // tests/preprocessors/files of ilias2nbgrader; the number may be missing.
    let (platform, found) = whose(
        "multi_feedback",
        &[
            ("Doe_Jane_jdoe12s_2345678/problem1.ipynb", b""),
            ("Norbert_Notebookless_nnote2s/problem1.ipynb", b""),
            ("Doe_Jane_jdoe12s_2345678/.ipynb_checkpoints/x.ipynb", b""),
        ],
    );
    assert_eq!(platform, "ilias");
    assert_eq!(
        found,
        [
            "jdoe12s|Doe Jane|problem1.ipynb",
            "nnote2s|Norbert Notebookless|problem1.ipynb",
        ]
    );
}

#[test]
fn names_of_classroom_and_nbgrader() {
    let (platform, found) = whose(
        "hw1-submissions",
        &[
            ("hw1-octo-cat/src/main.rs", b""),
            ("hw1-bonus-me/main.rs", b""),
            (
                "grades.csv",
                b"assignment_name,assignment_url,starter_code_url,github_username,roster_identifier,student_repository_name,student_repository_url,submission_timestamp,points_awarded,points_available\n",
            ),
        ],
    );
    assert_eq!(platform, "classroom");
    assert_eq!(found, ["bonus-me||main.rs", "octo-cat||src/main.rs", "own"]);
    let (platform, found) = whose(
        "inbound",
        &[
            ("bitdiddle+ps1+2015-02-02 15:58:23.948203 UTC/p.ipynb", b""),
            (
                "bitdiddle+ps1+2015-02-02 15:58:23.948203 UTC/timestamp.txt",
                b"",
            ),
            ("a+b+ps1+2015-02-02 15:58:23 UTC+AbCdEfGhIj_-/p.ipynb", b""),
        ],
    );
    assert_eq!(platform, "nbgrader");
    assert_eq!(found, ["a+b||p.ipynb", "bitdiddle||p.ipynb", "own"]);
}

#[test]
fn a_folder_of_ilias_is_whose_login_the_roster_has() {
    let entries: [(&str, &[u8]); 5] = [
        ("Doe_Jane_jane_doe_123/curling.py", b"1"),
        ("Doe_John_doe_124/curling.py", b"2"),
        ("Doe_Jim_4711/curling.py", b"3"),
        ("von_der_Au_Bo_bo_125/curling.py", b"4"),
        ("X_Y_some_body_126/curling.py", b"5"),
    ];
    let mut place = Place::new();
    for (name, login) in [
        ("s1", "jane_doe"),
        ("s2", "doe"),
        ("s3", "4711"),
        ("s4", "bo"),
    ] {
        let student = Student::new(name).unwrap();
        place.people.add(&student, [(Key::Login, login)], ("", ""));
    }
    let path = place.tree("ilias", &entries);
    let (platform, plan) = place.plan_as(&path, None).unwrap();
    assert_eq!(platform, "ilias");
    let of = |row: &crate::lms::Row| match &row.outcome {
        Ok(hand_in) => format!("{} {:?}", hand_in.student, hand_in.who.keys),
        Err(why) => why.clone(),
    };
    let found: Vec<String> = plan.rows.iter().map(of).collect();
    assert_eq!(
        found,
        [
            r#"s1 [(Login, "jane_doe")]"#,
            r#"s3 [(Login, "4711")]"#,
            r#"s2 [(Login, "doe")]"#,
            "nothing says which login its folder has (some_body, body); put the students on a roster",
            r#"s4 [(Login, "bo")]"#,
        ]
    );
    // Without a roster too, nobody is guessed.
    place.people = People::default();
    let (_, plan) = place.plan_as(&path, None).unwrap();
    let taken = plan.rows.iter().filter_map(|row| row.outcome.as_ref().ok());
    let taken: Vec<&str> = taken.map(|hand_in| hand_in.student.as_str()).collect();
    assert_eq!(taken, ["4711", "doe"]);
}

#[test]
fn somebody_new_is_whom_the_daemon_takes_the_folder_for() {
    let mut place = Place::new();
    let ada = Student::new("ada").unwrap();
    place.people.add(&ada, [(Key::Id, "1001")], ("", ""));
    place.known.register = Arc::new(Register::new([(&ada, ["1001", "1002"])], true));
    let nbgrader = place.tree(
        "inbound",
        &[("1001+ps1+2015-02-02 15:58:23 UTC/curling.py", b"1")],
    );
    let canvas = place.tree(
        "submissions",
        &[
            ("anon_1001_7_curling.py", b"1"),
            ("anon_1003_8_curling.py", b"2"),
        ],
    );
    for only_roster in [false, true] {
        place.only_roster = only_roster;
        let (_, found) = place.plan(&nbgrader);
        assert!(found[0].contains(": ada curling.py 2015"), "{found:?}");
        let (_, found) = place.plan(&canvas);
        // Canvas's own number is no student's number.
        assert!(found[0].contains("is the platform's number"), "{found:?}");
    }
}
