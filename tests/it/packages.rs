//! Problem packages as staff see them: whatever is broken, fixed, moved, or lies where
//! nothing reads it is reported everywhere that staff look.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

use serde_json::Value;

use crate::place::{Place, wait_until};
use crate::programs;
use crate::store::count;
use crate::web::client::{addresses, get, get_with};

const TOKEN: &str = "a-password-of-the-staff";
/// The path of the checker in the fixture `anyorder`.
const CHECKER: &str = "problems/anyorder/output_validator/check.py";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A command's standard output and standard error.
fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

fn status(place: &Place) -> Value {
    serde_json::from_slice(&place.run(&["status", "--json"]).stdout).unwrap()
}

/// The lines of verdicts.jsonl about a problem's package.
fn logged(place: &Place, problem: &str) -> Vec<String> {
    let log = fs::read_to_string(place.path("staff/verdicts.jsonl")).unwrap_or_default();
    log.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["kind"] == "package" && line["problem"] == problem)
        .map(|line| line["state"].as_str().unwrap().to_owned())
        .collect()
}

fn staff_place() -> Place {
    let place = Place::new()
        .only(&["python3"])
        .with_fixture("anyorder")
        .with_dashboard("staff_token_file = \"token\"");
    place.write("token", TOKEN);
    fs::set_permissions(place.path("token"), fs::Permissions::from_mode(0o600)).unwrap();
    place
}

#[test]
fn a_package_that_fails_while_in_use_is_reported_to_everybody_concerned() {
    let place = staff_place();
    let good = place.read(CHECKER);
    let daemon = place.daemon();
    let (students, staff) = addresses(&daemon);
    let staff = staff.unwrap();
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    let as_staff = |target: &str| get_with(staff, target, &bearer).body;
    assert_eq!(get(students, "/healthz").body, "ok\n");

    // The checker looks right: only running it shows that it fails.
    place.write(CHECKER, "raise Exception(\"boom\")\n");
    wait_until("the package to be broken", || {
        count(&place, "packages WHERE broken LIKE '%boom%'") == 1
    });
    let broken = status(&place)["broken_packages"].to_string();
    assert!(broken.contains("boom"), "{broken}");
    place.write(
        "submissions/alpha/anyorder.py",
        place.read("problems/anyorder/submissions/accepted/sorted.py"),
    );
    wait_until("the student's page", || {
        let page = fs::read_to_string(place.path("reports/alpha/index.html"));
        page.is_ok_and(|page| page.contains("This problem is being repaired"))
    });
    wait_until("the red bar on the staff's page", || {
        let page = fs::read_to_string(place.path("staff/index.html")).unwrap_or_default();
        page.contains("Nobody is graded on a broken problem") && page.contains("boom")
    });
    assert!(!place.read("reports/alpha/index.html").contains("boom"));
    let whole = text(&place.run(&["status"]).stdout);
    assert!(whole.contains("broken package  anyorder: "), "{whole}");
    let report = said(&place.run(&["report", "alpha", "anyorder"]));
    assert!(
        report.contains("no verdict yet: the problem is being repaired"),
        "{report}"
    );
    assert_eq!(logged(&place, "anyorder"), ["broken"]);
    let log = place.read("staff/verdicts.log");
    assert!(log.contains("anyorder") && log.contains("broken"), "{log}");

    the_dashboard_tells(students, &as_staff);

    // Also after a sudden end, while no daemon runs.
    daemon.signal("KILL");
    drop(daemon.ended());
    let broken = status(&place)["broken_packages"].to_string();
    assert!(broken.contains("boom"), "{broken}");
    place.write(CHECKER, good);
    let broken = status(&place)["broken_packages"].to_string();
    assert!(broken.contains("changed since"), "{broken}");
    it_is_repaired(&place);
}

#[test]
fn a_failing_checker_is_found_before_anybody_is_judged_even_without_a_reference() {
    let place = Place::new().only(&["python3"]);
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\nchecker = \"check.py\"\nprotocol = \"icpc\"\n",
    );
    place.write("problems/sum/check.py", "raise Exception(\"boom\")\n");
    place.write("submissions/alpha/sum.py", crate::programs::PYTHON);
    place.run(&["serve", "--once"]);
    let status = status(&place);
    assert!(
        status["broken_packages"].to_string().contains("boom"),
        "{status}"
    );
    assert_eq!(
        (&status["faults"], &status["waiting"]),
        (&0.into(), &1.into())
    );
    let page = place.read("reports/alpha/index.html");
    assert!(page.contains("This problem is being repaired"), "{page}");
    // The checker only has to work; it need not accept the stored answer.
    let refuses = "import sys\nsys.exit(42 if sys.stdin.read() == \"3\\n\" else 43)\n";
    place.write("problems/sum/check.py", refuses);
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
}

/// Students read that a problem is being fixed, staff also why.
fn the_dashboard_tells(students: SocketAddr, as_staff: &dyn Fn(&str) -> String) {
    let health = get(students, "/healthz");
    assert_eq!(health.status, 200, "a restart would not help");
    assert!(health.body.starts_with("ok\n"), "{health:?}");
    assert!(
        health.body.contains("broken packages: anyorder"),
        "{health:?}"
    );
    assert!(!health.body.contains("boom"), "{health:?}");
    let metrics = as_staff("/metrics");
    assert!(
        metrics.contains("\nverdictd_packages_broken 1\n"),
        "{metrics}"
    );
    let board = as_staff("/");
    assert!(
        board.contains("Nobody is graded on a broken problem"),
        "{board}"
    );
    assert!(board.contains("boom"), "{board}");
    for (page, words) in [
        ("/", "Being repaired: <strong>anyorder</strong>"),
        ("/students/alpha", "This problem is being repaired"),
        (
            "/problems/anyorder",
            "Being repaired: <strong>anyorder</strong>",
        ),
    ] {
        let body = get(students, page).body;
        assert!(
            body.contains(words) && !body.contains("boom"),
            "{page}: {body}"
        );
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
    assert_eq!(status(place)["broken_packages"], serde_json::json!([]));
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
    let daemon = Place::started(place.command(&["serve", "--json"]));
    let sum = place.read("problems/sum/problem.toml");
    for name in ["problem.toml", "data/secret/1.in", "data/secret/1.ans"] {
        // A different test, or the two would be the same problem under two names.
        let text = place.read(&format!("problems/sum/{name}"));
        place.write(&format!("problems/more/{name}"), text);
    }
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
        logged(&place, "more"),
        ["added", "broken", "repaired", "removed"]
    );
    assert_eq!(logged(&place, "sum"), ["removed"]);
    let ended = daemon.stop();
    let lines: Vec<Value> = ended
        .lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["kind"] == "package")
        .collect();
    let told = |problem: &str, state: &str| {
        let is_it = |line: &&Value| line["problem"] == problem && line["state"] == state;
        lines.iter().filter(is_it).count()
    };
    for (problem, state) in [
        ("more", "added"),
        ("more", "broken"),
        ("more", "repaired"),
        ("more", "removed"),
        ("sum", "removed"),
        ("plus", "renamed"),
    ] {
        assert_eq!(told(problem, state), 1, "{problem} {state}: {lines:#?}");
    }
    let terminal = ended.said.join("\n");
    for words in [
        "more: added, 1 test",
        "`io` cannot be `x`",
        "the default is \"stdio\"",
        "more: repaired, 1 test",
        "more: removed",
        "plus: it was called sum until now",
    ] {
        assert!(terminal.contains(words), "{words}: {terminal}");
    }
}

#[test]
fn nothing_under_problems_is_ignored_silently() {
    let place = Place::new().only(&["python3"]);
    place.write("problems/hello/problem.yaml", "name: Hello\n");
    place.write("problems/APlusB/problem.toml", "title = \"A\"\n");
    place.write("problems/sum/data/secret/7.ans", "3\n");
    place.write(
        "problems/sum/submissions/accepted/good.py",
        programs::PYTHON,
    );
    place.write("problems/sum/submissions/Accepted/x.py", programs::PYTHON);
    let warnings = [
        "hello: no problem.toml; this looks like a Kattis/ICPC package",
        "APlusB: nobody can hand in for it",
        "7.ans: an answer without an input",
        "Accepted: its programs are not judged",
    ];
    let check = place.run(&["check"]);
    assert_eq!(check.status.code(), Some(1));
    let daemon = place.run(&["serve", "--once"]);
    for (name, text) in [
        ("check", said(&check)),
        ("serve", said(&daemon)),
        ("status", said(&place.run(&["status"]))),
        ("status --json", status(&place)["warnings"].to_string()),
    ] {
        for words in warnings {
            assert_eq!(text.matches(words).count(), 1, "{name}, {words}: {text}");
        }
    }
    let unknown = place.run(&["check", "hello"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown).contains("this looks like a Kattis/ICPC package"));

    // A test in a sub-folder is an error: nobody is judged on fewer tests than there are.
    place.write("problems/sum/data/secret/group1/1.in", "1 1\n");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    assert_eq!(place.run(&["serve", "--once"]).status.code(), Some(3));
    assert!(place.verdicts().is_empty());
    let words = "group1: tests in folders are not read; move them to data/secret";
    assert!(
        status(&place)["broken_packages"]
            .to_string()
            .contains(words)
    );
    assert!(said(&place.run(&["check", "sum"])).contains(words));
    fs::remove_dir_all(place.path("problems/sum/data/secret/group1")).unwrap();
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
}

/// A command with an unknown name, and words of its error message.
#[rustfmt::skip]
const UNKNOWN: [(&[&str], &str); 17] = [
    (&["rejudge", "--problem", "nosuch"], "no problem `nosuch`; there are sum"),
    (&["rejudge", "--dry-run", "--problem", "sun"], "did you mean `sum`?"),
    (&["rejudge", "--student", "s1002"], "did you mean `s1001`?"),
    (&["report", "s1002"], "nobody has submitted anything as `s1002`"),
    (&["report", "s1001", "nosuch"], "s1001 has submitted nothing for `nosuch`; there are sum"),
    (&["report", "s1001", "sum", "7"], "no such attempt for sum; there are #1"),
    (&["hack", "add", "nosuch", "evil.in"], "no problem `nosuch`; there are sum"),
    (&["hack", "list", "nosuch"], "no problem `nosuch`; there are sum"),
    (&["hack", "remove", "nosuch", "evil"], "no problem `nosuch`; there are sum"),
    (&["hack", "remove", "sum", "evil"], "sum has no hack `evil`"),
    (&["replay", "s1002/sum"], "nobody has submitted anything as `s1002`"),
    (&["replay", "s1001/nosuch"], "s1001 has submitted nothing for `nosuch`"),
    (&["replay", "s1001/sum/7"], "no such attempt for sum; there are #1"),
    (&["replay", "s1001/sum/1", "secret/7"], "no test `secret/7`"),
    (&["judge", "--problem", "nosuch", "submissions/s1001/sum.py"], "no problem `nosuch`; there are sum"),
    (&["check", "nosuch"], "no problem `nosuch`; there are sum"),
    (&["validate", "nosuch", "evil.in"], "no problem `nosuch`; there are"),
];

#[test]
fn unknown_names_are_errors_that_list_the_known_ones() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/s1001/sum.py", programs::PYTHON);
    place.write("evil.in", "1 1\n");
    place.serve_once();
    for (arguments, words) in UNKNOWN {
        let output = place.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            said(&output)
        );
        assert!(
            said(&output).contains(words),
            "{arguments:?}: {}",
            said(&output)
        );
    }
    let known = said(&place.run(&["rejudge", "--problem", "SUM", "--student", "s1001"]));
    assert!(known.contains("0 verdicts have changed"), "{known}");
}

#[test]
fn tests_run_in_numerical_order() {
    let place = Place::new().only(&["python3"]);
    for (name, a, b) in [
        ("sample/2", 2, 2),
        ("sample/10", 5, 5),
        ("secret/10", 20, 21),
        ("secret/11-neg", -1, -1),
    ] {
        place.write(
            &format!("problems/sum/data/{name}.in"),
            format!("{a} {b}\n"),
        );
        place.write(
            &format!("problems/sum/data/{name}.ans"),
            format!("{}\n", a + b),
        );
    }
    // Right except on the tests 2 and 10 of data/secret.
    let wrong = "a, b = map(int, input().split())\nprint(a + b if a + b < 30 else 0)\n";
    place.write("submissions/alpha/sum.py", wrong);
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    let names = |file: &str| -> Vec<String> {
        let report: Value = serde_json::from_str(&place.read(file)).unwrap();
        let tests = report["tests"].as_array().unwrap().iter();
        tests
            .map(|test| test["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let whole = [
        "sample/1",
        "sample/2",
        "sample/10",
        "secret/1",
        "secret/2",
        "secret/10",
        "secret/11-neg",
    ];
    assert_eq!(names("staff/alpha/sum/1.json"), whole);
    // The first failing test is secret/2, not secret/10; hidden tests are numbered in that order.
    let shown = names("reports/alpha/sum/1.json");
    assert_eq!(
        shown,
        [
            "sample/1",
            "sample/2",
            "sample/10",
            "secret/#1",
            "secret/2",
            "secret/#3",
            "secret/#4"
        ]
    );
}

#[test]
fn only_staff_may_go_into_the_staffs_folder() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    assert!(
        place.path("reports").is_dir(),
        "there before the first report"
    );
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
    assert!(place.run(&["report", "--rebuild"]).status.success());
    assert_eq!((mode("staff"), mode("staff/verdicts.log")), (0o750, 0o640));
}

#[test]
fn a_checkers_messages_to_judges_are_only_for_staff() {
    let place = Place::new().only(&["python3"]).with_fixture("anyorder");
    let checker = place.read(CHECKER).replace(
        "    sys.exit(43)",
        "    open(sys.argv[3] + \"judgemessage.txt\", \"w\").write(\"the secret is 4711\")\n    sys.exit(43)",
    );
    place.write(CHECKER, checker);
    // Students see everything about every test, but not this.
    let manifest = place.read("problems/anyorder/problem.toml");
    let shown = "\n[disclosure]\nsecret = \"full\"\nhack = \"full\"\n";
    place.write("problems/anyorder/problem.toml", manifest + shown);
    place.write("submissions/alpha/anyorder.py", "print(7)\n");
    assert_eq!(place.serve_once()["alpha/anyorder/1"], "WA");
    for ending in ["txt", "json", "html", "gradescope.json"] {
        let own = place.read(&format!("reports/alpha/anyorder/1.{ending}"));
        assert!(own.contains("numbers are printed"), "{ending}: {own}");
        assert!(
            !own.contains("4711") && !own.contains("For the judges"),
            "{ending}: {own}"
        );
        let whole = place.read(&format!("staff/alpha/anyorder/1.{ending}"));
        assert!(whole.contains("the secret is 4711"), "{ending}: {whole}");
    }
    let report = said(&place.run(&["report", "alpha", "anyorder"]));
    assert!(
        report.contains("For the judges (students are not shown this)"),
        "{report}"
    );
}
