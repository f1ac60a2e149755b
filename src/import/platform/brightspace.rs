//! Brightspace's folders: one per hand-in, with the full name and a time to the minute.
//!
//! The two numbers in a name are in no list of students, so that only the name says who it is.

use std::sync::LazyLock;

use super::archive::{Platform, Shape, captured, shape};
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "brightspace",
    name: "Brightspace",
    read: |archive| archive.each(read),
};

static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<hand_in>[0-9]+-[0-9]+ - (?P<name>[^/]+?) - (?P<when>[^-/]*?\d{1,2}, \d{4} \d{3,4} [AP]M))(?: - |/)(?P<file>.+)$",
    )
});

fn read(path: &str) -> Reading {
    let Some(found) = FILE.captures(path) else {
        return if path == "index.html" {
            Reading::Own
        } else {
            Reading::Strange
        };
    };
    Reading::Claim(Claim {
        who: vec![Who::default().named(captured(&found, "name"))],
        file: captured(&found, "file").to_owned(),
        time: Stamp::read_words(captured(&found, "when")),
        assignment: None,
        hand_in: captured(&found, "hand_in").to_owned(),
        late: false,
    })
}
