//! The grade book and its roster, from the real binary.

use crate::book::book;
use crate::place::{Place, assert_has, rounds, wait_until};
use crate::programs;

fn students(place: &Place) -> Vec<String> {
    book(place)
        .iter()
        .map(|row| row["student"].clone())
        .collect()
}

#[test]
fn a_broken_roster_stops_no_grading_and_is_read_again_on_a_reload() {
    let place = Place::new().only(&["lua"]);
    place.configure("[overview]\nroster = \"roster.csv\"\nunknown_students = \"accept\"\n");
    place.write("roster.csv", "name\nzoe\n");
    let mistake = "roster.csv:1: no column is called `student`";
    // Also where there is nothing to judge.
    for _ in 0..rounds(2, 100) {
        place.says(0, "serve --once", &[mistake]);
    }
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.says(0, "serve --once", &[mistake]);
    assert_eq!(place.verdicts()["alpha/sum/1"], "AC");
    assert_eq!(students(&place), ["alpha"]);
    place.says(0, "status", &["no column is called `student`"]);

    let daemon = place.daemon();
    place.write("roster.csv", "student\nzoe\nalpha\n");
    daemon.signal("HUP");
    wait_until("the grade book with the roster", || {
        students(&place) == ["zoe", "alpha"]
    });
    // Every thread has read it.
    daemon.wait_to_say("ready:");
    // If it has a mistake, the previous roster stays.
    place.write("roster.csv", "student\nzoe\nzoe\n");
    daemon.signal("HUP");
    place.write("submissions/beta/sum.lua", programs::LUA);
    wait_until("beta's row", || {
        students(&place) == ["zoe", "alpha", "beta"]
    });
    let said = daemon.stop().said.join("\n");
    assert_has(&said, &["roster.csv:3: \"zoe\" is in line 2 already"]);
}
