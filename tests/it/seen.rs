//! Who sees the smallest input on which a program fails, when, and how.

use serde_json::Value;

use crate::place::{Place, assert_has, wait_until};
use crate::programs;

/// No more than that is needed to fail.
const WRONG: &str = "print(7)\n";

/// A place with searches that break no accepted program.
fn place() -> Place {
    Place::new()
        .only(&["lua"])
        .with_searches("cpu_s = 2.0\nhacks_cpu_s = 0.0")
}

fn game(place: &Place, slug: &str, counterexample: &str) {
    let shown = format!("[disclosure]\ncounterexample = \"{counterexample}\"\n");
    place.add_game(slug, &shown);
}

fn course(place: &Place, due: &str) {
    place.write(
        "course.toml",
        format!("[[assignments]]\nname = \"first\"\ndue = \"{due}\"\npoints = {{ later = 10 }}\n"),
    );
}

fn has_smallest(document: &Value) -> bool {
    document["explanation"]["counterexample"].is_object()
}

#[test]
fn students_see_it_once_the_deadline_is_over_or_with_a_later_attempt() {
    let place = place();
    game(&place, "later", "after the deadline");
    game(&place, "twice", "after 2 attempts");
    game(&place, "hidden", "never");
    game(&place, "loud", "always");
    course(&place, "2999-01-01 00:00");
    for (name, program) in [
        ("ada/later", WRONG),
        ("bo/twice", WRONG),
        ("bo/hidden", WRONG),
        // What is beyond the output limit is no riddle: in idle time nothing is searched about it.
        ("cy/loud", "while true do print(('7'):rep(100000)) end\n"),
    ] {
        place.write(&format!("submissions/{name}.lua"), program);
    }
    let daemon = place.daemon();
    let seen_by_staff = |name: &str| {
        wait_until(&format!("the staff's report of {name}"), || {
            has_smallest(&place.json(&format!("staff/{name}.json")))
        });
    };
    for (name, when) in [
        ("ada/later/1", "after the deadline"),
        ("bo/twice/1", "after 2 attempts"),
    ] {
        seen_by_staff(name);
        let own = place.json(&format!("reports/{name}.json"));
        assert!(!has_smallest(&own));
        let words = format!("such inputs are shown {when}");
        assert_has(&own.to_string(), &[&words]);
    }
    seen_by_staff("bo/hidden/1");
    let own = place.json("reports/bo/hidden/1.json");
    assert!(!has_smallest(&own));
    assert!(!own.to_string().contains("such inputs are shown"), "{own}");
    // The second attempt shows its own, and leaves the first as it was.
    place.write("submissions/bo/twice.lua", format!("{WRONG}\n"));
    seen_by_staff("bo/twice/2");
    let is_shown = || has_smallest(&place.json("reports/bo/twice/2.json"));
    wait_until("what the second attempt shows", is_shown);
    assert!(!has_smallest(&place.json("reports/bo/twice/1.json")));

    // The instructor moves the deadline to a moment that is past.
    course(&place, "2001-02-03 04:05");
    place.shows("reports/ada/index.html", "2001-02-03");
    // Deadlines are looked at when the daemon has nothing to do again, or after a minute.
    place.write("submissions/dan/sum.lua", programs::LUA);
    let is_shown = || has_smallest(&place.json("reports/ada/later/1.json"));
    wait_until("what is shown after the deadline", is_shown);
    let loud = place.json("staff/cy/loud/1.json");
    assert_eq!(loud["verdict"], "OLE");
    assert!(loud["explanation"].is_null(), "{loud:#}");
    daemon.stop();
}
