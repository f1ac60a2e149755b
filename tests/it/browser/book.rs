//! The book, from disk and from the dashboard.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Value, json};

use super::{assert_nothing_wrong, drive, has_browser};
use crate::place::{Place, is_soak, left_to_soak, output, root, said};
use crate::web::client::watched;

/// The pages that can be reached from the first one, by their names, with their addresses. None has
/// a dead link, and the search works.
fn followed(first: &str, host: Option<&str>) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for line in drive("book.mjs", &json!({"first": first, "host": host})).lines() {
        let page: Value = serde_json::from_str(line).unwrap();
        assert_eq!(page["wrong"], json!([]), "{page}");
        let text = |key: &str| page[key].as_str().unwrap().to_owned();
        pages.insert(text("name"), text("url"));
    }
    pages
}

#[test]
fn the_book_opens_without_a_network_and_has_no_dead_link() {
    if !is_soak() {
        return left_to_soak("the book was not built and opened");
    }
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book");
    let mut make = Command::new("make");
    make.current_dir(root())
        .args(["book", &format!("BOOK={}", book.display())]);
    said(&output(&mut make), 0, &[]);
    let first = format!("file://{}", book.join("index.html").display());
    let from_disk = followed(&first, None);
    assert!(from_disk.len() > 20, "{from_disk:?}");
    assert!(from_disk.contains_key("docs/students.html"));

    let place = Place::new().only(&["python3"]);
    let place = place.with_dashboard(&format!("book = {book:?}"));
    let (_daemon, students) = watched(&place);
    let host = students.to_string();
    let served = followed(&format!("http://{host}/help/index.html"), Some(&host));
    assert!(served.keys().eq(from_disk.keys()), "{served:?}");
    let pages = served.into_iter();
    let pages = pages.map(|(name, url)| (name.replace('/', "-"), url));
    let pages: Vec<(String, String)> = pages.collect();
    assert_nothing_wrong(&pages, json!({"host": host}));
}
