//! What the dashboard refuses: other methods, other host names, other files, and requests beyond
//! every bound.

use std::net::SocketAddr;
use std::os::unix::fs::symlink;

use crate::place::Place;
use crate::programs;

use super::client::{ask, get, send, watched};

/// Words that are in no report.
const SECRET: &str = "nobody-may-read-this";

#[test]
fn only_reports_are_shown_and_every_response_forbids_all_but_showing_itself() {
    let place = Place::new().only(&["lua"]).with_dashboard("");
    place.write("submissions/alpha/sum.lua", programs::LUA);
    let (_daemon, to) = watched(&place);
    place.wait_for("alpha/sum/1");
    place.write("secret.html", SECRET);
    place.write("staff/secret.html", SECRET);
    place.write("reports/alpha/sum/2.exe", SECRET);
    place.write("reports/alpha/.hidden.html", SECRET);
    let link = |target, link: &str| symlink(place.path(target), place.path(link)).unwrap();
    link("secret.html", "reports/alpha/sum/7.html");
    link("staff", "reports/gamma");
    link("staff/alpha", "reports/delta");
    let long = format!("/reports/{}/sum/1.html", "x".repeat(3_000));
    let targets = "/reports/../staff/secret.html|/reports/..%2fstaff%2fsecret.html|\
        /reports/alpha/sum/7.html|/reports/gamma/secret.html|/reports/delta/sum/1.html|\
        /reports/alpha/sum/2.exe|/reports/alpha/.hidden.html|/staff/secret.html|\
        /students/nobody|/problems/none";
    for target in targets.split('|').chain([&long[..]]) {
        let answer = get(to, target);
        assert!(matches!(answer.status, 400..=499), "{target}: {answer:?}");
        assert!(!answer.body.contains(SECRET), "{target}");
    }
    // The ordinary address works throughout.
    assert_eq!(get(to, "/reports/alpha/sum/1.txt").status, 200);
    assert_policies(to);
}

/// Every response forbids a page everything but showing itself.
fn assert_policies(to: SocketAddr) {
    for target in "/|/nothing|/metrics|/healthz|/help/|/style.css|/live.js".split('|') {
        let answer = get(to, target);
        let policy = answer.header("content-security-policy");
        let all = "default-src 'none'|script-src 'self'|style-src 'self'|base-uri 'none'|\
            form-action 'none'|frame-ancestors 'none'";
        for part in all.split('|') {
            let is_there = policy.split("; ").any(|found| found == part);
            assert!(is_there, "{target}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{target}: {policy}");
        let more = "x-content-type-options: nosniff|referrer-policy: no-referrer|\
            x-frame-options: DENY|cross-origin-resource-policy: same-origin|\
            cross-origin-opener-policy: same-origin";
        for (name, value) in more.split('|').filter_map(|more| more.split_once(": ")) {
            assert_eq!(answer.header(name), value, "{target}");
        }
        assert_ne!(answer.header("cache-control"), "", "{target}");
    }
}

#[test]
fn only_get_and_head_under_a_name_of_this_machine_are_answered() {
    let place = Place::new().only(&["lua"]);
    let place = place.with_dashboard("url = \"https://grader.example\"");
    let (_daemon, to) = watched(&place);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        let answer = ask(to, method, "/");
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.header("allow"), "GET, HEAD");
    }
    let head = ask(to, "HEAD", "/");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_ne!(head.header("content-length"), "0");
    for (target, lines, status) in [
        ("/", "Host: localhost\r\n", 200),
        ("/", "Host: grader.example\r\n", 200),
        ("/", "Host: evil.example\r\n", 421),
        ("/", "Host: \r\n", 400),
        ("/", "Host: localhost\r\nHost: evil.example\r\n", 400),
        ("/", "", 400),
        ("http://evil.example/", "Host: localhost\r\n", 421),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
        assert_eq!(send(to, request).status, status, "{target} {lines:?}");
    }
    // The request is never echoed.
    let echoed = get(to, "/nothing?x=%3Cscript%3Ealert(1)%3C/script%3E");
    assert_eq!(echoed.status, 404);
    assert!(!echoed.body.contains("alert"), "{echoed:?}");
    assert_eq!(get(to, "/?page=999999999999").status, 200);
    delay_nobody(to);
}

/// Requests beyond every bound are answered, and delay nobody.
fn delay_nobody(to: SocketAddr) {
    let large = format!("X: {}\r\n", "x".repeat(100_000));
    for more in [large, "X: y\r\n".repeat(200)] {
        let head = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        let status = send(to, format!("{head}{more}\r\n")).status;
        assert_eq!(status, 431, "{} bytes", more.len());
    }
    for nonsense in ["GET\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"] {
        let answer = send(to, nonsense);
        let is_refused = matches!(answer.status, 0 | 400..=599);
        assert!(is_refused, "{nonsense:?}: {answer:?}");
    }
}
