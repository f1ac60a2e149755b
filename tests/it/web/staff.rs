//! The staff's view: nobody gets in without the token, and nothing for staff only is on
//! the students' view.

use std::fs::{Permissions, set_permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;

use crate::place::{Place, bearer, wait_until};
use crate::programs;

use super::client::{addresses, get, get_with};

#[test]
fn the_staffs_view_needs_the_token_and_shows_a_section_alone() {
    let place = Place::new().only(&["lua"]).with_staff("").with_roster("");
    let token = place.read("token");
    place.write("roster.csv", "student,section\nalpha,A\nbeta,B\n");
    for student in ["alpha", "beta"] {
        place.write(&format!("submissions/{student}/sum.lua"), programs::LUA);
    }
    let daemon = place.daemon();
    let staff = addresses(&daemon).1.unwrap();
    place.wait_for("alpha/sum/1");
    for target in [
        "/",
        "/students/alpha",
        "/reports/alpha/sum/1",
        "/events",
        "/metrics",
        "/healthz",
    ] {
        let answer = get(staff, target);
        assert_eq!(answer.status, 401, "{target}");
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
        assert!(!answer.body.contains("alpha"), "{target}: {answer:?}");
    }
    for more in [
        "Authorization: Bearer wrong-horse-battery\r\n",
        "Authorization: Basic Y29ycmVjdA==\r\n",
        "Cookie: verdictd-staff=correct-horse-battery-staple\r\n",
    ] {
        let answer = get_with(staff, "/", more);
        assert_eq!(answer.status, 401, "{more}");
        assert!(
            answer.body.contains("staff_token_file"),
            "it says what to do"
        );
    }
    let bearer = bearer();
    assert_eq!(get_with(staff, "/metrics", &bearer).status, 200);
    // The link sets a cookie, and the token disappears from the address.
    let welcome = get(staff, &format!("/?token={token}"));
    assert_eq!((welcome.status, welcome.header("location")), (303, "/"));
    let cookie = welcome.header("set-cookie");
    assert!(!cookie.contains(&token), "{cookie}");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    wait_until("the staff's report, which follows the verdict", || {
        place.path("staff/alpha/sum/1.json").exists()
    });
    for target in ["/", "/students/alpha", "/reports/alpha/sum/1.json"] {
        assert_eq!(get_with(staff, target, &cookie).status, 200, "{target}");
    }
    // A page on another site cannot log anybody in.
    let elsewhere = get_with(
        staff,
        &format!("/?token={token}"),
        "Sec-Fetch-Site: cross-site\r\n",
    );
    assert_eq!(elsewhere.status, 401);
    assert_eq!(elsewhere.header("set-cookie"), "");
    assert_eq!(get_with(staff, "/", &cookie).status, 200);
    assert_section_alone(staff);
}

fn assert_section_alone(staff: SocketAddr) {
    let page = |target: &str| get_with(staff, target, &bearer()).body;
    wait_until("both on the board", || {
        let page = page("/");
        page.matches("/reports/alpha/").count() > 1 && page.matches("/reports/beta/").count() > 1
    });
    for target in [
        "/?section=A",
        "/problems/sum?section=A",
        "/projector?section=A",
    ] {
        let page = page(target);
        assert!(
            page.contains("alpha") && !page.contains("beta"),
            "{target}: {page}"
        );
    }
}

#[test]
fn a_token_that_others_can_read_opens_no_view() {
    let place = Place::new().only(&["lua"]).with_staff("");
    let token = place.read("token");
    set_permissions(place.path("token"), Permissions::from_mode(0o644)).unwrap();
    let daemon = place.daemon();
    let (to, staff) = addresses(&daemon);
    assert_eq!(staff, None);
    let before = daemon.before.join("\n");
    assert!(
        before.contains("chmod 600") && !before.contains(&token),
        "{before}"
    );
    assert_eq!(get(to, "/").status, 200, "the students' view is there");
}
