//! One student's many files, and the others'; rejected files that go, change, or are seen again.

use std::fs;

use super::{Rig, SETTLE_MS, content, known, path_of, rejection};
use crate::intake::Scanner;
use crate::intake::deliver::{ARRIVALS_MAX, OTHERS_MAX};

/// Files that one student drops.
const MANY: usize = 5_000;

/// Rounds at the moment when everything is due: the paths of each.
fn rounds(rig: &mut Rig, rounds: usize) -> Vec<Vec<String>> {
    rig.scan();
    rig.now_ms += SETTLE_MS;
    (0..rounds)
        .map(|_| {
            let round = rig.intake.round(rig.now_ms);
            rig.store(round).iter().map(path_of).collect()
        })
        .collect()
}

#[test]
fn a_folder_full_of_other_things_stands_before_nobodys_program() {
    let mut rig = Rig::new();
    for number in 0..MANY {
        rig.write(&format!("alpha/{number}.xyz"), "x");
    }
    // Those that come later, by name and by time.
    rig.write("zeta/curling.cpp", "1");
    rig.write("omega_curling.cpp", "2");
    rig.write("zeta/notes.xyz", "3");
    let rounds = rounds(&mut rig, 2);
    assert_eq!(rounds[0][..2], ["omega_curling.cpp", "zeta/curling.cpp"]);
    assert_eq!(rounds[0].len(), 2 + OTHERS_MAX);
    // Rejections take turns as well: the second one is the other student's.
    assert_eq!(rounds[0][3], "zeta/notes.xyz");
    assert_eq!(rounds[1].len(), OTHERS_MAX);
    assert_eq!(rig.all().len(), MANY - 2 * OTHERS_MAX + 1);
}

#[test]
fn a_student_with_many_programs_takes_turns_with_the_others() {
    let mut rig = Rig::new();
    let spellings = |number: usize| -> String {
        let letters = "curling".chars().enumerate();
        letters
            .map(|(at, letter)| match number >> at & 1 {
                0 => letter,
                _ => letter.to_ascii_uppercase(),
            })
            .collect()
    };
    for number in 0..128 {
        for copy in 0..4 {
            let name = format!("alpha/{} ({copy}).cpp", spellings(number));
            rig.write(&name, if number % 2 == 0 { "" } else { "x" });
        }
    }
    rig.write("beta/curling.cpp", "1");
    rig.write("chi/curling.cpp", "2");
    let rounds = rounds(&mut rig, 1);
    assert_eq!(rounds[0].len(), ARRIVALS_MAX);
    assert_eq!(rounds[0][1..3], ["beta/curling.cpp", "chi/curling.cpp"]);
}

#[test]
fn a_rejected_file_that_goes_is_released() {
    let mut rig = Rig::new();
    rig.write("alpha/x.xyz", "x");
    rig.write("alpha/curling.cpp", "");
    rig.write("alpha/regions.cpp", "x");
    rig.write("alpha/notes.xyz", "x");
    fs::create_dir_all(rig.at("beta~")).unwrap();
    assert_eq!(rig.all().len(), 5);
    assert!(rig.released.is_empty());
    // One goes, one becomes a program, one is a program when its problem comes, and one stays.
    fs::remove_file(rig.at("alpha/x.xyz")).unwrap();
    fs::remove_dir(rig.at("beta~")).unwrap();
    rig.write("alpha/curling.cpp", "1");
    let known = known(&["curling", "regions"]);
    rig.intake.set_known(known);
    let arrivals = rig.all();
    rig.released.sort();
    assert_eq!(
        rig.released,
        [
            "alpha/curling.cpp",
            "alpha/regions.cpp",
            "alpha/x.xyz",
            "beta~"
        ]
    );
    assert_eq!(arrivals.len(), 2);
}

#[test]
fn what_config_toml_has_passed_over_from_now_on_is_released() {
    let mut rig = Rig::new();
    rig.write("alpha/README.md", "x");
    assert_eq!(rig.all(), []);
    let mut other = known(&["curling"]);
    other.ignore.clear();
    rig.intake.set_known(other);
    assert_eq!(rig.all().len(), 1);
    rig.intake.set_known(known(&["curling"]));
    assert_eq!(rig.all(), []);
    assert_eq!(rig.released, ["alpha/README.md"]);
}

#[test]
fn more_than_is_looked_at_is_told_until_it_is_less() {
    let mut rig = Rig::new();
    for number in 0..5 {
        rig.write(&format!("s{number}_curling.cpp"), "x");
    }
    rig.intake.scanner = Scanner::of_at_most(rig.folder.path().to_owned(), 4);
    let arrivals = rig.all();
    let told = arrivals.iter().find(|arrival| path_of(arrival) == ".");
    let rejection = rejection(told.unwrap());
    assert_eq!(rejection.student, None);
    assert!(rejection.reason.contains("the rest is not looked at"));
    assert_eq!(rig.all(), [], "told once");
    fs::remove_file(rig.at("s0_curling.cpp")).unwrap();
    rig.all();
    assert_eq!(rig.released, ["."]);
}

#[test]
fn a_rejected_file_is_told_once_whatever_its_time_stamps() {
    let mut rig = Rig::new();
    rig.write("alpha/x.xyz", "x");
    assert_eq!(rig.all().len(), 1);
    for _ in 0..2 {
        fs::remove_file(rig.at("alpha/x.xyz")).unwrap();
        rig.write("alpha/x.xyz", "x");
        assert_eq!(rig.all(), []);
    }
    rig.restart();
    assert_eq!(rig.all(), []);
    assert!(rig.released.is_empty());
    // The words are others, and the owner decides what that means.
    rig.intake.set_known(known(&["curling", "snakes"]));
    rig.write("alpha/y.cpp", "x");
    assert_eq!(content(&rig.all()).len(), 1, "no problem is called y");
    rig.intake.set_known(known(&["curling"]));
    let arrivals = rig.all();
    assert_eq!(arrivals.len(), 1, "the list of problems is another one");
    assert_eq!(path_of(&arrivals[0]), "alpha/y.cpp");
}
