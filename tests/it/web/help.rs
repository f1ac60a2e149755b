//! The book at `/help/`: the files of its folder and nothing else; and what is said where there is
//! none.

use std::os::unix::fs::symlink;

use super::client::{addresses, get, shows};
use super::{attributes, texts};
use crate::place::{Place, assert_has};

/// Words that are in no file of the book.
const SECRET: &str = "nobody-may-read-this";

#[test]
fn the_book_is_shown_from_its_folder_alone_and_without_one_it_is_said_how_to_get_it() {
    let settings = "book = \"book\"\npublic = \"nothing\"";
    let place = Place::new().only(&["lua"]).with_staff(settings);
    let daemon = place.daemon();
    let (to, staff) = addresses(&daemon);
    // The scoreboard is read a moment after the start.
    shows(to, "/help/", "/problems/sum");
    for target in ["/help/", "/help/docs/students.html", "/help/none.exe"] {
        let page = get(to, target);
        assert_eq!(page.status, 200, "{target}");
        assert_has(&page.body, &["not installed", "<code>make book</code>"]);
        assert_eq!(attributes(&page.body, "main a", "href"), ["/problems/sum"]);
        // Students are led to their own part.
        let links = attributes(&page.body, "header a", "href");
        assert_eq!(links, ["/", "/help/docs/students.html"]);
    }
    place.write("book/index.html", "<title>The book</title>");
    place.write("book/docs/students.html", "<title>Why</title>");
    place.write("book/searchindex.js", "window.search = {};");
    for secret in ["secret.html", "book/docs/x.exe"] {
        place.write(secret, SECRET);
    }
    symlink("../secret.html", place.path("book/link.html")).unwrap();
    symlink("..", place.path("book/up")).unwrap();
    let moved = get(to, "/help");
    assert_eq!((moved.status, moved.header("location")), (308, "/help/"));
    for (target, kind, words) in [
        ("/help/", "text/html", "The book"),
        ("/help/docs/students.html", "text/html", "Why"),
        ("/help/searchindex.js", "text/javascript", "window"),
    ] {
        let file = get(to, target);
        assert_eq!(file.status, 200, "{target}");
        assert!(file.header("content-type").starts_with(kind), "{target}");
        assert_has(&file.body, &[words]);
        let policy = file.header("content-security-policy");
        assert!(policy.contains("script-src 'self';"), "{policy}");
    }
    let all = "/help/../secret.html|/help/%2e%2e/secret.html|/help/link.html|\
        /help/up/secret.html|/help/docs/x.exe";
    for target in all.split('|') {
        let answer = get(to, target);
        assert_eq!(answer.status, 404, "{target}");
        assert!(!answer.body.contains(SECRET), "{target}");
        assert_eq!(texts(&answer.body, "h1"), ["There is nothing here"]);
    }
    let why = "the staff's view shows nothing without the token";
    assert_eq!(get(staff.unwrap(), "/help/").status, 401, "{why}");
}
