//! ILIAS's "Download all submissions": a folder per student, `Last_First_login_number`.
//!
//! The number may be missing, and names and logins may have a `_` themselves, so that a folder may
//! be read in several ways: the roster says which one it is. Many folders of other origins have a `_` as well, so that an archive
//! is ILIAS's only if one of its folders has the number.

use std::sync::LazyLock;

use super::archive::{Archive, Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Who};

pub const PLATFORM: Platform = Platform {
    id: "ilias",
    name: "ILIAS",
    read,
};

static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<folder>(?P<person>[^_/]+(?:_[^_/]*)+?_[^_/]+)(?:_(?P<number>[0-9]+))?)/(?P<file>.+)$",
    )
});
/// Family name and given name, which stand before the login.
const NAMES: usize = 2;

fn read(archive: &mut Archive<'_>) -> Vec<Reading> {
    let has_number = |path: Option<&str>| {
        let found = path.and_then(|path| FILE.captures(path));
        found.is_some_and(|found| found.name("number").is_some())
    };
    if archive.paths().any(has_number) {
        archive.each(reading)
    } else {
        archive.each(|_| Reading::Strange)
    }
}

fn reading(path: &str) -> Reading {
    let Some(found) = FILE.captures(path) else {
        return Reading::Strange;
    };
    let person = captured(&found, "person");
    let parts: Vec<&str> = person.split('_').collect();
    // The longest first: `Doe_Jane_jane_doe` is rather jane_doe's than doe's.
    let logins = (NAMES..parts.len()).map(|from| (Key::Login, parts[from..].join("_")));
    Reading::Claim(Claim {
        who: vec![Who {
            keys: logins.collect(),
            name: Some(parts[..parts.len() - 1].join(" ")),
        }],
        file: captured(&found, "file").to_owned(),
        time: None,
        assignment: None,
        hand_in: captured(&found, "folder").to_owned(),
        late: false,
    })
}
