//! What people read, through the real binary: reports in every format, the terminal, and the
//! roster's names on staff's pages.

use crate::hacks::FRAGILE;
use crate::place::{Place, assert_has, bearer, flat, wait_until};
use crate::programs;
use crate::web::client::{addresses, get, get_with};

#[test]
fn a_verdict_changed_by_a_hack_says_so_and_reveals_only_what_its_reader_may_know() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    let daemon = place.daemon();
    place.add_hack("big", "7 8\n", "15\n");
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
            assert_has(&text, &[change, named]);
        }
    }
    let told = place.says(0, "report alpha sum", &[]);
    assert_has(&flat(&told), &[named]);
    assert_eq!(told.matches("Verdict history").count(), 1, "{told}");
    assert!(!place.read("reports/beta/sum/1.txt").contains(change));

    // If students may not see the hack, they read that there is one, and staff read its name.
    let hidden = "[disclosure]\nhack = \"verdict-only\"\n[compare]";
    place.edit("problems/sum/problem.toml", "[compare]", hidden);
    place.serve_once();
    for ending in ["txt", "html", "json", "gradescope.json"] {
        let text = place.read(&format!("reports/alpha/sum/1.{ending}"));
        assert!(!text.contains("hack/big"), "{ending}: {text}");
        if ending != "json" {
            assert_has(&flat(&text), &["a hack test was added"]);
        }
    }
    assert!(flat(&place.read("staff/alpha/sum/1.txt")).contains(named));
}

#[test]
fn only_staff_see_roster_names_and_problems_have_titles() {
    let place = Place::new()
        .only(&["python3"])
        .with_problem("curling")
        .with_staff("")
        .with_roster("alpha,Lovelace,Ada\n");
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
    let for_staff = |page: &str| get_with(staff.unwrap(), page, &bearer()).body;
    for page in ["/", "/projector", "/students/alpha", "/problems/sum"] {
        assert_has(&for_staff(page), &[name]);
        let body = get(students, page).body;
        assert_has(&body, &["alpha"]);
        assert!(!body.contains("Lovelace"), "{page}: {body}");
    }
    let titled = "<h1>Curling 2.0 (curling)</h1>";
    assert_has(&get(students, "/problems/curling").body, &[titled]);
    let page = "/reports/problems/curling.html";
    let link = format!("href=\"{page}\"");
    assert_has(&for_staff("/problems/curling"), &[&link]);
    wait_until("the problem's page", || {
        for_staff(page).contains("How long programs take")
    });
    // After a reload the pages have the new roster's names, even without submissions.
    place.write(
        "roster.csv",
        "student,last_name,first_name\nalpha,Byron,Ada\n",
    );
    daemon.signal("HUP");
    wait_until("the new name", || {
        let index = place.read("staff/index.html");
        index.contains("Byron, Ada (alpha)")
    });
}
