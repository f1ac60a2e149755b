//! Moodle's "Download all submissions" (`mod_assign`), in folders or flat.
//!
//! The number in a name is that of a participant in this one assignment: neither the user's nor the
//! student's number. Source: `mod/assign/classes/downloader.php` of Moodle 3.1 to 5.

use std::sync::LazyLock;

use super::archive::{Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Who};

pub const PLATFORM: Platform = Platform {
    id: "moodle",
    name: "Moodle",
    read: |archive| archive.each(read),
};

// Anchored at the right: other tools turn the spaces of a name into `_`.
static FOLDER: Shape = LazyLock::new(|| {
    shape(r"^(?:.*/)?(?P<name>[^/]*)_(?P<number>[0-9]+)_assignsubmission_[a-z0-9]+_?/(?P<file>.+)$")
});
static FLAT: Shape = LazyLock::new(|| {
    shape(
        r"^(?:.*/)?(?P<name>[^/]*)_(?P<number>[0-9]+)_assignsubmission_[a-z0-9]+_(?P<file>[^/]+)$",
    )
});
// Students without a group hand in as `Default group`, in the site's language, without a number.
static GROUPLESS: Shape = LazyLock::new(|| {
    shape(r"^(?:.*/)?(?P<name>[^_/]+)_assignsubmission_[a-z0-9]+_?/(?P<file>.+)$")
});

fn read(path: &str) -> Reading {
    let mut matching = [&FOLDER, &FLAT, &GROUPLESS].into_iter();
    let Some(found) = matching.find_map(|shape| shape.captures(path)) else {
        return Reading::Strange;
    };
    let (name, number) = (captured(&found, "name"), captured(&found, "number"));
    let name = name.replace('_', " ");
    let who = if number.is_empty() {
        Vec::new()
    } else {
        vec![Who::by(Key::Moodle, number).named(name.trim())]
    };
    Reading::Claim(Claim {
        who,
        file: captured(&found, "file").to_owned(),
        time: None,
        assignment: None,
        hand_in: format!("{name} {number}"),
        late: false,
    })
}
