//! Names that nobody here has made up: from the tests, fixtures and documents of platforms and of
//! tools that read their archives.

use std::sync::Arc;

use super::{People, Place, listed};
use crate::domain::Key;
use crate::intake::Register;
use crate::lms::Reading;
use crate::lms::platforms::recognise;
use crate::util::archive::Source;
use crate::util::samples::student;

/// What an archive of these entries is, and whose they are: `key|name|file`, sorted.
fn whose(archive: &str, entries: &[(&str, &[u8])]) -> (&'static str, Vec<String>) {
    let place = Place::new();
    let mut source = Source::open(&place.tree(archive, entries)).unwrap();
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
fn names_as_platforms_and_tools_have_them() {
    for listed in listed(include_str!("names.txt")) {
        let mut expected: Vec<String> = listed.told().map(|(_, told)| told).collect();
        expected.sort();
        let found = whose(&listed.archive, &listed.contents());
        assert_eq!(found, (&*listed.platform, expected), "{}", listed.archive);
    }
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
    for (number, login) in (1..).zip(["jane_doe", "doe", "4711", "bo"]) {
        let name = student(&format!("s{number}"));
        place.people.add(&name, [(Key::Login, login)], ("", ""));
    }
    let path = place.tree("ilias", &entries);
    let (platform, plan) = place.plan_as(&path, None).unwrap();
    assert_eq!(platform, "ilias");
    let of = |row: &crate::lms::Row| match &row.outcome {
        Ok(hand_in) => format!("{} {:?}", hand_in.student, hand_in.who.keys),
        Err(why) => why.clone(),
    };
    let found: Vec<String> = plan.rows.iter().map(of).collect();
    let expected = [
        r#"s1 [(Login, "jane_doe")]"#,
        r#"s3 [(Login, "4711")]"#,
        r#"s2 [(Login, "doe")]"#,
        "nothing says which login its folder has (some_body, body); put the students on a roster",
        r#"s4 [(Login, "bo")]"#,
    ];
    assert_eq!(found, expected);
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
    let ada = student("ada");
    place.people.add(&ada, [(Key::Id, "1001")], ("", ""));
    place.known.register = Arc::new(Register::new([(&ada, ["1001", "1002"])], true));
    let dated = "1001+ps1+2015-02-02 15:58:23 UTC/curling.py";
    let nbgrader = place.tree("inbound", &[(dated, b"1")]);
    let numbered = ["anon_1001_7_curling.py", "anon_1003_8_curling.py"];
    let canvas = place.tree("submissions", &numbered.map(|name| (name, &b"1"[..])));
    for only_roster in [false, true] {
        place.only_roster = only_roster;
        let (_, found) = place.plan(&nbgrader);
        assert!(found[0].contains(": ada curling.py 2015"), "{found:?}");
        let (_, found) = place.plan(&canvas);
        // Canvas's own number is no student's number.
        assert!(found[0].contains("is the platform's number"), "{found:?}");
    }
}
