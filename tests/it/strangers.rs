//! Who is who: spellings of the roster's names, strangers, and names that the roster gains.

use std::fs;

use crate::place::{Place, assert_has, wait_until};
use crate::programs::LUA;
use crate::web::client::{get, watched};

/// Canvas's own export is the roster.
const GRADEBOOK: &str = "Student,ID,SIS User ID,SIS Login ID,Section,Sum (4711)\r\n    Points Possible,,,,,10.00\r\n\"Lovelace, Ada\",71,1001,ada,CS 1,\r\n\"O'Brien, Bo\",72,1002,bo,CS 1,3\r\n\"Cy, Cyd\",73,1003,cy,CS 1,7\r\n\"Student, Test\",74,,,CS 1,\r\n";
fn course(unknown: &str) -> Place {
    let place = Place::new().only(&["lua"]);
    let table =
        format!("[overview]\nroster = \"gradebook.csv\"\nunknown_students = \"{unknown}\"\n");
    place.configure(&table);
    place.write("gradebook.csv", GRADEBOOK);
    place
}

#[test]
fn strangers_are_rejected_until_the_roster_has_their_name() {
    let place = course("reject");
    place.write("submissions/Ada/sum.lua", LUA);
    place.write("submissions/1002_sum.lua", LUA);
    place.write("submissions/bob/sum.lua", LUA);
    let daemon = place.daemon();
    // A spelling in another case and a number that the roster has are the roster's people.
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    assert_eq!(place.wait_for("bo/sum/1"), "AC");
    let note = place.path("reports/bob/rejected/sum.lua.note.txt");
    wait_until("the note on the stranger's file", || note.exists());
    let said = fs::read_to_string(&note).unwrap();
    assert_has(&said, &["bob is not on the roster", "did you mean bo?"]);
    let rows = format!("{GRADEBOOK}\"New, Bob\",75,1005,bob,CS 1,\r\n");
    place.write("gradebook.csv", rows);
    assert_eq!(place.wait_for("bob/sum/1"), "AC");
    wait_until("the note to go", || !note.exists());
    assert_eq!(daemon.stop().code, Some(0));
    // Grades go back into a column, and never over the file that was given.
    let export = "export canvas --gradebook gradebook.csv --column";
    let again = format!("{export} Sum --out .");
    place.says(2, &again, &["would replace this one"]);
    place.says(2, &format!("{export} Sun"), &["did you mean \"Sum\"?"]);
}

#[test]
fn strangers_are_judged_and_count_once_the_roster_has_their_name() {
    let place = course("").with_dashboard("");
    place.edit("config.toml", "unknown_students = \"\"\n", "");
    place.write("submissions/adda/sum.lua", LUA);
    place.write("submissions/ada/sum.lua", LUA);
    let (daemon, to) = watched(&place);
    assert_eq!(place.wait_for("adda/sum/1"), "AC");
    assert_eq!(place.wait_for("ada/sum/1"), "AC");
    assert!(!place.read("reports/adda/sum/1.txt").is_empty());
    let board = || ["/", "/projector", "/problems/sum"].map(|page| get(to, page).body);
    let is_on = |pages: &[String], name: &str| {
        let link = format!("/students/{name}\"");
        pages.iter().all(|page| page.contains(&link))
    };
    wait_until("the board", || is_on(&board(), "ada"));
    let pages = board().concat() + &place.read("staff/gradebook.csv");
    assert!(!pages.contains("adda"), "{pages}");
    assert_eq!(get(to, "/students/adda").status, 404);
    place.says(0, "status", &["not on the roster  adda"]);
    let rows = format!("{GRADEBOOK}\"New, Ada\",75,1005,adda,CS 1,\r\n");
    place.write("gradebook.csv", rows);
    wait_until("the stranger on the board", || is_on(&board(), "adda"));
    place.shows("staff/gradebook.csv", "\"adda\"");
    assert!(!place.says(0, "status", &[]).contains("not on the roster"));
    let said = daemon.stop().said.join("\n");
    assert_has(&said, &["adda is not on the roster (did you mean ada?)"]);
}
