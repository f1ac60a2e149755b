//! The staff's view: nobody gets in without the token, and nothing for staff only is on
//! the students' view.

use std::net::SocketAddr;

use crate::place::{Place, assert_has, bearer, wait_until};
use crate::programs;

use super::client::{addresses, get, get_with, send};

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
    for target in "/|/students/alpha|/reports/alpha/sum/1|/events|/metrics|/healthz".split('|') {
        let answer = get(staff, target);
        assert_eq!(answer.status, 401, "{target}");
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
        assert!(!answer.body.contains("alpha"), "{target}: {answer:?}");
    }
    let wrong = "Authorization: Bearer wrong-horse-battery|Authorization: Basic Y29ycmVjdA==|\
        Cookie: verdictd-staff=correct-horse-battery-staple";
    for more in wrong.split('|') {
        let answer = get_with(staff, "/", &format!("{more}\r\n"));
        assert_eq!(answer.status, 401, "{more}");
        assert_has(&answer.body, &["staff_token_file"]);
    }
    let bearer = bearer();
    assert_eq!(get_with(staff, "/metrics", &bearer).status, 200);
    // The link sets a cookie, and the token disappears from the address.
    let welcome = get(staff, &format!("/?token={token}"));
    assert_eq!((welcome.status, welcome.header("location")), (303, "/"));
    let cookie = welcome.header("set-cookie");
    assert!(!cookie.contains(&token), "{cookie}");
    assert_has(cookie, &["HttpOnly", "SameSite=Strict", "Path=/"]);
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    place.read("staff/alpha/sum/1.json");
    for target in ["/", "/students/alpha", "/reports/alpha/sum/1.json"] {
        assert_eq!(get_with(staff, target, &cookie).status, 200, "{target}");
    }
    // A page on another site cannot log anybody in.
    let cross = "Sec-Fetch-Site: cross-site\r\n";
    let elsewhere = get_with(staff, &format!("/?token={token}"), cross);
    assert_eq!(elsewhere.status, 401);
    // Nor does it answer under a name of another machine.
    let foreign = format!("GET / HTTP/1.1\r\nHost: evil.example\r\n{bearer}\r\n");
    assert_eq!(send(staff, foreign).status, 421);
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
    for target in "/?section=A|/problems/sum?section=A|/projector?section=A".split('|') {
        let page = page(target);
        assert_has(&page, &["alpha"]);
        assert!(!page.contains("beta"), "{target}: {page}");
    }
}
