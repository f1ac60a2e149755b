//! The staff's view: nobody gets in without the token, and nothing for staff only is on
//! the students' view.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;

use crate::place::{Place, wait_until};
use crate::programs;

use super::client::{addresses, get, get_with};

const TOKEN: &str = "correct-horse-battery";

fn place_with_token(text: &str, mode: u32) -> Place {
    let place = Place::new()
        .only(&["python3"])
        .with_dashboard("staff_token_file = \"token\"");
    place.write("token", text);
    set_permissions(place.path("token"), Permissions::from_mode(mode)).unwrap();
    place
}

#[test]
fn without_the_token_nothing_is_shown() {
    let place = place_with_token(&format!("{TOKEN}\n"), 0o600);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
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
        "Cookie: verdictd-staff=correct-horse-battery\r\n",
    ] {
        let answer = get_with(staff, "/", more);
        assert_eq!(answer.status, 401, "{more}");
        assert!(
            answer.body.contains("staff_token_file"),
            "it says what to do"
        );
    }
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(get_with(staff, "/metrics", &bearer).status, 200);
    // The link sets a cookie, and the token disappears from the address.
    let welcome = get(staff, &format!("/?token={TOKEN}"));
    assert_eq!((welcome.status, welcome.header("location")), (303, "/"));
    let cookie = welcome.header("set-cookie");
    assert!(!cookie.contains(TOKEN), "{cookie}");
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
    // Guessing is slowed down; clients that are logged in are not.
    let guessed: Vec<u16> = (0..30)
        .map(|number| get(staff, &format!("/?token=wrong-horse-{number}")).status)
        .collect();
    assert_eq!(guessed.last(), Some(&429), "{guessed:?}");
    // Wrong tokens from the same address lock nobody out.
    assert_eq!(get(staff, &format!("/?token={TOKEN}")).status, 303);
    assert_eq!(get_with(staff, "/metrics", &bearer).status, 200);
    // A page on another site cannot log anybody in.
    let elsewhere = get_with(
        staff,
        &format!("/?token={TOKEN}"),
        "Sec-Fetch-Site: cross-site\r\n",
    );
    assert_eq!(elsewhere.status, 401);
    assert_eq!(elsewhere.header("set-cookie"), "");
    assert_eq!(get_with(staff, "/", &cookie).status, 200);
}

#[test]
fn a_token_that_is_not_secret_opens_no_view() {
    for (text, mode, said) in [
        (TOKEN, 0o644, "chmod 600"),
        ("short", 0o600, "16 to"),
        ("with spaces in between", 0o600, "no spaces"),
    ] {
        let place = place_with_token(text, mode);
        let daemon = place.daemon();
        let (to, staff) = addresses(&daemon);
        assert_eq!(staff, None, "{said}");
        let before = daemon.before.join("\n");
        assert!(before.contains(said) && !before.contains(TOKEN), "{before}");
        assert_eq!(get(to, "/").status, 200, "the students' view is there");
    }
}

#[test]
fn a_section_of_the_roster_is_shown_alone() {
    let place = place_with_token(TOKEN, 0o600).with_roster("");
    place.write("roster.csv", "student,section\nalpha,A\nbeta,B\n");
    for student in ["alpha", "beta"] {
        place.write(&format!("submissions/{student}/sum.py"), programs::PYTHON);
    }
    let daemon = place.daemon();
    let staff = addresses(&daemon).1.unwrap();
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    let page = |target: &str| get_with(staff, target, &bearer).body;
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
