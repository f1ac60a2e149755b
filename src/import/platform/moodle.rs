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

// The first part of a path that can be a participant's decides: what follows is the student's own,
// and may be named like somebody else's folder. Students without a group hand in as `Default
// group`, in the site's language, without a number.
static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?:[^/]*/)*?(?P<name>[^/]*?)(?:_(?P<number>[0-9]+))?_assignsubmission_[a-z0-9]+(?:_?/(?P<file>.+)|_(?P<flat>.+))$",
    )
});

fn read(path: &str) -> Reading {
    let Some(found) = FILE.captures(path) else {
        return Reading::Strange;
    };
    let (name, number) = (captured(&found, "name"), captured(&found, "number"));
    // Other tools turn the spaces of a name into `_`.
    let name = name.replace('_', " ");
    let file = [captured(&found, "file"), captured(&found, "flat")].concat();
    let who = if number.is_empty() {
        Vec::new()
    } else {
        vec![Who::by(Key::Moodle, number).named(name.trim())]
    };
    Reading::Claim(Claim {
        who,
        file,
        time: None,
        assignment: None,
        hand_in: format!("{name} {number}"),
        late: false,
    })
}
