//! Who reads the roster's names: staff, on every page, and nobody else.

use crate::place::{Place, assert_has, bearer, wait_until};
use crate::programs;
use crate::web::client::{addresses, get, get_with};

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
