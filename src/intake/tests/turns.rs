//! One student's many files, and the others'; rejected files that go, change, or are seen again.

use std::fs;

use super::{Rig, SETTLE_MS, path_of, rejection};
use crate::intake::Scanner;
use crate::intake::deliver::ARRIVALS_MAX;

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
