//! What people read, through the real binary: reports in every format, the terminal, and the
//! roster's names on staff's pages.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use crate::place::{Place, wait_until};
use crate::programs;
use crate::web::client::{addresses, get, get_with};

/// Right, except on one input that no test of the problem has.
const FRAGILE: &str = "a, b = map(int, input().split())\nprint('oops' if a == 7 else a + b)\n";

/// Prose without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_verdict_changed_by_a_hack_says_so_and_reveals_only_what_its_reader_may_know() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    let daemon = place.daemon();
    place.write("problems/sum/hacks/big.ans", "15\n");
    place.write("problems/sum/hacks/big.in", "7 8\n");
    // The pages are written last.
    wait_until("the pages with the hack", || {
        ["reports", "staff"].iter().all(|folder| {
            let page = std::fs::read_to_string(place.path(&format!("{folder}/alpha/sum/1.html")));
            page.is_ok_and(|page| page.contains("hack/big"))
        })
    });
    daemon.stop();
    let change = "This was AC until ";
    let named = "UTC; the test hack/big was added.";
    for file in ["reports/alpha/sum/1", "staff/alpha/sum/1"] {
        for ending in ["txt", "html"] {
            let text = flat(&place.read(&format!("{file}.{ending}")));
            assert!(text.contains(change) && text.contains(named), "{text}");
        }
    }
    let report = place.run(&["report", "alpha", "sum"]);
    let told = String::from_utf8(report.stdout).unwrap();
    assert!(flat(&told).contains(named), "{told}");
    assert_eq!(told.matches("Verdict history").count(), 1, "{told}");
    assert!(!place.read("reports/beta/sum/1.txt").contains(change));

    // If students may not see the hack, they read that there is one, and staff read its name.
    let manifest = place.read("problems/sum/problem.toml");
    let hidden = format!("{manifest}[disclosure]\nhack = \"verdict-only\"\n");
    place.write("problems/sum/problem.toml", hidden);
    place.serve_once();
    for ending in ["txt", "html", "json", "gradescope.json"] {
        let text = place.read(&format!("reports/alpha/sum/1.{ending}"));
        assert!(!text.contains("hack/big"), "{ending}: {text}");
        if ending != "json" {
            assert!(flat(&text).contains("a hack test was added"), "{text}");
        }
    }
    assert!(flat(&place.read("staff/alpha/sum/1.txt")).contains(named));
}

#[test]
fn the_terminal_shows_input_and_both_outputs_and_how_far_a_number_is_off() {
    let place = Place::new().only(&["python3"]);
    place.write(
        "problems/circle/problem.toml",
        "title = \"Circle\"\n[compare]\nmode = \"float\"\nabsolute = 1e-6\nrelative = 0.0\n",
    );
    for (name, input, answer) in [
        ("sample/1", "1\n", "3.14159265\n"),
        ("secret/1", "2\n", "12.56637061\n"),
    ] {
        place.write(&format!("problems/circle/data/{name}.in"), input);
        place.write(&format!("problems/circle/data/{name}.ans"), answer);
    }
    place.write("submissions/alpha/circle.py", "print(3.14)\n");
    let output = place.run(&["judge", "submissions/alpha/circle.py"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "0/2 tests (1 not run)",
        "Input: | 1",
        "Expected: | 3.14159265",
        "Printed: | 3.14",
        "It is off by 0.0016; 1e-6 is allowed.",
    ] {
        assert!(flat(&text).contains(words), "{words}\n{text}");
    }
    place.serve_once();
    for file in [
        "reports/alpha/circle/1.txt",
        "reports/alpha/circle/1.html",
        "reports/alpha/circle/1.gradescope.json",
    ] {
        let text = place.read(file);
        assert!(
            flat(&text).contains("It is off by 0.0016; 1e-6 is allowed."),
            "{text}"
        );
        assert!(!text.contains("Sandbox"), "{text}");
    }
    assert!(
        place
            .read("staff/alpha/circle/1.txt")
            .contains("\nSandbox\n")
    );
}

#[test]
fn a_program_that_waits_for_a_file_is_reported_with_the_files_name() {
    let place = Place::new().only(&["python3"]);
    let source =
        "import sys\nsys.stdin = open('numbers.in')\nprint(sum(map(int, input().split())))\n";
    place.write("submissions/alpha/sum.py", source);
    assert_eq!(place.serve_once()["alpha/sum/1"], "RE");
    for ending in ["txt", "html", "gradescope.json"] {
        let text = flat(&place.read(&format!("reports/alpha/sum/1.{ending}")));
        assert!(text.contains("opens the file “numbers.in”"), "{text}");
    }
}

/// The staff's token.
const TOKEN: &str = "correct-horse-battery-staple";

#[test]
fn only_staff_see_roster_names_and_problems_have_titles() {
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_dashboard("staff_token_file = \"token\"")
        .with_roster("alpha,Lovelace,Ada\n");
    place.write("token", TOKEN);
    set_permissions(place.path("token"), Permissions::from_mode(0o600)).unwrap();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/curling.py", "print(-1)\n");
    let daemon = place.daemon();
    let (students, staff) = addresses(&daemon);
    place.wait_for("alpha/sum/1");
    place.wait_for("beta/curling/1");
    let name = "Lovelace, Ada (alpha)";
    wait_until("the staff's pages", || {
        [
            "staff/index.html",
            "staff/alpha/index.html",
            "staff/problems/sum.html",
        ]
        .iter()
        .all(|file| std::fs::read_to_string(place.path(file)).is_ok_and(|text| text.contains(name)))
    });
    // Two problems, of which one was tried.
    let counted = "Accepted: 1 of 2 problems.";
    wait_until("the student's page", || {
        std::fs::read_to_string(place.path("reports/alpha/index.html"))
            .is_ok_and(|text| text.contains(counted))
    });
    let own = place.read("reports/alpha/index.html");
    assert!(!own.contains("Lovelace"), "{own}");
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    for page in ["/", "/projector", "/students/alpha", "/problems/sum"] {
        let body = get_with(staff.unwrap(), page, &bearer).body;
        assert!(body.contains(name), "{page}: {body}");
        let body = get(students, page).body;
        assert!(
            body.contains("alpha") && !body.contains("Lovelace"),
            "{page}: {body}"
        );
    }
    let body = get(students, "/problems/curling").body;
    assert!(body.contains("<h1>Curling 2.0 (curling)</h1>"), "{body}");
    let body = get_with(staff.unwrap(), "/problems/curling", &bearer).body;
    assert!(
        body.contains("href=\"/reports/problems/curling.html\""),
        "{body}"
    );
    wait_until("the problem's page", || {
        let page = "/reports/problems/curling.html";
        let body = get_with(staff.unwrap(), page, &bearer).body;
        body.contains("How long programs take")
    });
    // After a reload the pages have the new roster's names, even without submissions.
    place.write(
        "roster.csv",
        "student,last_name,first_name\nalpha,Byron,Ada\n",
    );
    daemon.signal("HUP");
    wait_until("the new name", || {
        place
            .read("staff/index.html")
            .contains("Byron, Ada (alpha)")
    });
}
