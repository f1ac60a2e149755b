//! The dashboard, left open, and every page of its two views.

use serde_json::json;

use super::{assert_good, drive, has_browser};
use crate::place::Place;
use crate::programs;
use crate::web::client::{addresses, watched};

#[test]
fn the_dashboard_is_live_reconnects_and_works_with_the_keyboard() {
    if !has_browser() {
        return;
    }
    let place = Place::new().only(&["lua"]).with_dashboard("");
    let (_daemon, students) = watched(&place);
    let argument = json!({
        "host": students.to_string(),
        "submissions": place.path("submissions"),
        "log": place.path("staff/verdicts.jsonl"),
        "program": programs::LUA,
    });
    let told = drive("live.mjs", &argument);
    assert!(told.ends_with("done\n"), "{told}");
}

#[test]
fn every_page_of_the_dashboard_is_good_in_every_look() {
    if !has_browser() {
        return;
    }
    let place = Place::new().only(&["lua"]).with_staff("book = \"none\"");
    let place = place.with_roster("alpha,Wolfeschlegelsteinhausen,Maximiliane\n");
    let place = place.with_problem("curling");
    for (student, source) in [("alpha", programs::LUA), ("刘思", "print(7)\n")] {
        place.write(&format!("submissions/{student}/sum.lua"), source);
    }
    place.write("submissions/beta/curling.lua", "print(-1)\n");
    let daemon = place.daemon();
    let (students, staff) = addresses(&daemon);
    for attempt in ["alpha/sum/1", "刘思/sum/1", "beta/curling/1"] {
        place.wait_for(attempt);
    }
    place.read("reports/beta/curling/1.html");
    let student = ("student", "/students/alpha");
    let problem = ("problem", "/problems/curling");
    let report = ("report", "/reports/beta/curling/1");
    let pages = [("board", "/"), student, problem, report, ("help", "/help/")];
    assert_good(students, &pages, json!({}));
    let pages = [
        ("staff-board", "/"),
        student,
        problem,
        ("projector", "/projector"),
    ];
    let site = json!({"token": place.read("token")});
    assert_good(staff.unwrap(), &pages, site);
}
