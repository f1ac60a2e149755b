//! The dashboard, left open, and every page of its two views.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{Site, assert_good, driver, has_browser};
use crate::place::{Place, output, wait_until};
use crate::programs;
use crate::web::client::addresses;

#[test]
fn the_dashboard_is_live_reconnects_and_works_with_the_keyboard() {
    if !has_browser() {
        return;
    }
    let place = Place::new().only(&["python3"]).with_dashboard("");
    let daemon = place.daemon();
    let (students, _) = addresses(&daemon);
    let argument = place.path("live.json");
    let text = json!({
        "host": students.to_string(),
        "submissions": place.path("submissions"),
        "log": place.path("staff/verdicts.jsonl"),
        "program": programs::PYTHON,
    });
    std::fs::write(&argument, text.to_string()).unwrap();
    let output = output(&mut driver("live.mjs", &argument));
    assert!(
        output.status.success() && output.stdout.ends_with(b"done\n"),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The staff's token.
const TOKEN: &str = "correct-horse-battery-staple";

#[test]
fn every_page_of_the_dashboard_is_good_in_every_look() {
    if !has_browser() {
        return;
    }
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_dashboard("staff_token_file = \"token\"")
        .with_roster("alpha,Wolfeschlegelsteinhausen,Maximiliane\n");
    place.write("token", TOKEN);
    set_permissions(place.path("token"), Permissions::from_mode(0o600)).unwrap();
    for (student, source) in [("alpha", programs::PYTHON), ("刘思", "print(7)\n")] {
        place.write(&format!("submissions/{student}/sum.py"), source);
    }
    place.write("submissions/beta/curling.py", "print(-1)\n");
    let daemon = place.daemon();
    let (students, staff) = addresses(&daemon);
    for attempt in ["alpha/sum/1", "刘思/sum/1", "beta/curling/1"] {
        place.wait_for(attempt);
    }
    let report = place.path("reports/beta/curling/1.html");
    wait_until("the report", || report.exists());
    for (view, address, token) in [
        ("students", students, None),
        ("staff", staff.unwrap(), Some(TOKEN)),
    ] {
        let pages = [
            ("board", "/"),
            ("student", "/students/alpha"),
            ("problem", "/problems/curling"),
            ("projector", "/projector"),
            ("report", "/reports/beta/curling/1"),
        ]
        .map(|(name, path)| (format!("{view}-{name}"), format!("http://{address}{path}")));
        let host = Some(address.to_string());
        let screen = None;
        assert_good(
            &pages,
            &Site {
                host,
                token,
                screen,
            },
        );
    }
}
