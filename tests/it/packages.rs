//! Problem packages as staff see them: whatever is broken, fixed, moved, or lies where
//! nothing reads it is reported everywhere that staff look.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::place::{Daemon, Place, assert_has, bearer, wait_until};
use crate::programs;
use crate::store::count;
use crate::web::client::{addresses, get, get_with};

/// The path of the checker in the fixture `anyorder`.
const CHECKER: &str = "problems/anyorder/output_validator/check.py";

/// Why nobody is judged, as `status` has it.
fn broken(place: &Place) -> String {
    place.status()["broken_packages"].to_string()
}

/// The lines of verdicts.jsonl about a problem's package.
fn logged(place: &Place, problem: &str) -> Vec<String> {
    let lines = place.logged().into_iter();
    lines
        .filter(|line| line["kind"] == "package" && line["problem"] == problem)
        .map(|line| line["state"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_package_that_fails_while_in_use_is_reported_to_everybody_concerned() {
    let place = Place::new()
        .only(&["python3"])
        .with_fixture("anyorder")
        .with_staff("");
    let good = place.read(CHECKER);
    let daemon = place.daemon();
    let (students, staff) = addresses(&daemon);
    let staff = staff.unwrap();
    let as_staff = |target: &str| get_with(staff, target, &bearer()).body;
    assert_eq!(get(students, "/healthz").body, "ok\n");

    // The checker looks right: only running it shows that it fails.
    place.write(CHECKER, "raise Exception(\"boom\")\n");
    let is_broken = || count(&place, "packages WHERE broken LIKE '%boom%'") == 1;
    wait_until("the package to be broken", is_broken);
    assert_has(&broken(&place), &["boom"]);
    let sorted = place.read("problems/anyorder/submissions/accepted/sorted.py");
    place.write("submissions/alpha/anyorder.py", sorted);
    place.shows("reports/alpha/index.html", "This problem is being repaired");
    let bar = "Nobody is graded on a broken problem|boom";
    place.shows("staff/index.html", bar);
    assert!(!place.read("reports/alpha/index.html").contains("boom"));
    place.says(0, "status", &["broken package  anyorder: "]);
    let repaired = "no verdict yet: the problem is being repaired";
    place.says(1, "report alpha anyorder", &[repaired]);
    assert_eq!(logged(&place, "anyorder"), ["broken"]);
    assert_has(&place.read("staff/verdicts.log"), &["anyorder", "broken"]);

    the_dashboard_tells(students, &as_staff);

    // Also after a sudden end, while no daemon runs.
    daemon.signal("KILL");
    drop(daemon.ended());
    assert_has(&broken(&place), &["boom"]);
    place.write(CHECKER, good);
    assert_has(&broken(&place), &["changed since"]);
    it_is_repaired(&place);
}

/// Students read that a problem is being fixed, staff also why.
fn the_dashboard_tells(students: SocketAddr, as_staff: &dyn Fn(&str) -> String) {
    let health = get(students, "/healthz");
    assert_eq!(health.status, 200, "a restart would not help");
    assert!(health.body.starts_with("ok\n"), "{health:?}");
    assert_has(&health.body, &["broken packages: anyorder"]);
    assert!(!health.body.contains("boom"), "{health:?}");
    assert_has(&as_staff("/metrics"), &["\nverdictd_packages_broken 1\n"]);
    let told = ["Nobody is graded on a broken problem", "boom"];
    assert_has(&as_staff("/"), &told);
    let on_top = "Being repaired: <strong>anyorder</strong>";
    for (page, words) in [
        ("/", on_top),
        ("/students/alpha", "This problem is being repaired"),
        ("/problems/anyorder", on_top),
    ] {
        let body = get(students, page).body;
        assert_has(&body, &[words]);
        assert!(!body.contains("boom"), "{page}: {body}");
    }
}

/// The next daemon announces the fix, judges what was waiting, and removes the message from the
/// pages.
fn it_is_repaired(place: &Place) {
    let daemon = place.daemon();
    let repaired = |lines: &[String]| lines.iter().any(|line| line.contains("anyorder: repaired"));
    assert!(repaired(&daemon.before), "{:#?}", daemon.before);
    assert_eq!(place.wait_for("alpha/anyorder/1"), "AC");
    assert_eq!(logged(place, "anyorder"), ["broken", "repaired"]);
    assert_eq!(place.status()["broken_packages"], json!([]));
    wait_until("the pages", || {
        !place
            .read("reports/alpha/index.html")
            .contains("being repaired")
            && !place.read("staff/index.html").contains("broken problem")
    });
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn packages_that_appear_or_disappear_or_are_renamed_are_announced() {
    let place = Place::new().only(&["python3"]);
    let daemon = Daemon::start(place.command(&["serve", "--json"]));
    let sum = place.read("problems/sum/problem.toml");
    // Not with all tests, or the two would be the same problem under two names.
    place.copy_sum("more");
    wait_until("the new package", || logged(&place, "more") == ["added"]);
    place.write("problems/more/problem.toml", "title = \"M\"\nio = \"x\"\n");
    wait_until("the broken one", || logged(&place, "more").len() == 2);
    place.write("problems/more/problem.toml", sum.replace("Sum", "More"));
    wait_until("the repaired one", || logged(&place, "more").len() == 3);
    fs::rename(place.path("problems/sum"), place.path("problems/plus")).unwrap();
    wait_until("the other name", || logged(&place, "plus") == ["renamed"]);
    fs::remove_dir_all(place.path("problems/more")).unwrap();
    wait_until("the end of it", || logged(&place, "more").len() == 4);
    assert_eq!(
        logged(&place, "more").join(" "),
        "added broken repaired removed"
    );
    assert_eq!(logged(&place, "sum"), ["removed"]);
    // The log has it before the terminal.
    daemon.wait_to_say("more: removed");
    let ended = daemon.stop();
    let told = ended.lines.iter();
    let told = told.filter(|line| line.contains("\"kind\":\"package\""));
    assert_eq!(told.count(), 6, "{:#?}", ended.lines);
    let words = "more: added, 1 test|`io` cannot be `x`|the default is \"stdio\"|\
        more: repaired, 1 test|more: removed|plus: it was called sum until now";
    assert_has(&ended.said.join("\n"), &[words]);
}

#[test]
fn nothing_under_problems_is_ignored_silently() {
    let place = Place::new().only(&["python3"]);
    place.write("problems/hello/problem.xml", "<problem/>\n");
    place.write("problems/APlusB/problem.toml", "title = \"A\"\n");
    place.write("problems/sum/data/secret/7.ans", "3\n");
    place.write("problems/sum/submissions/Accepted/x.py", programs::PYTHON);
    let warnings = "hello: no problem.toml; this looks like a Polygon package|\
        APlusB: nobody can hand in for it|7.ans: an answer without an input|\
        Accepted: its programs are not judged";
    for line in ["check", "serve --once", "status", "status --json"] {
        let text = place.says(i32::from(line == "check"), line, &[]);
        for words in warnings.split('|') {
            assert_eq!(text.matches(words).count(), 1, "{line}, {words}: {text}");
        }
    }
    place.says(2, "check hello", &["this looks like a Polygon package"]);
}

#[test]
fn only_staff_may_go_into_the_staffs_folder() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    assert!(place.path("reports").is_dir(), "before the first report");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/alpha/sum.docx", "x");
    place.wait_for("alpha/sum/1");
    assert_eq!(daemon.stop().code, Some(0));
    let mode = |name: &str| {
        let found =
            fs::metadata(place.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        found.permissions().mode() & 0o777
    };
    for (name, wanted) in [
        ("staff", 0o750),
        ("staff/alpha", 0o750),
        ("staff/alpha/sum/1.json", 0o640),
        ("staff/index.html", 0o640),
        ("staff/verdicts.log", 0o640),
        ("staff/gradebook.csv", 0o640),
        ("staff/event-feed.ndjson", 0o640),
        ("reports", 0o755),
        ("reports/alpha", 0o755),
        ("reports/alpha/sum/1.html", 0o644),
    ] {
        assert_eq!(mode(name), wanted, "{name}: {:o}", mode(name));
    }
    fs::remove_dir_all(place.path("staff")).unwrap();
    place.says(0, "report --rebuild", &[]);
    assert_eq!((mode("staff"), mode("staff/verdicts.log")), (0o750, 0o640));
}
