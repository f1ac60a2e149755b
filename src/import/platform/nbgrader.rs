//! nbgrader's exchange folder `inbound/`.
//!
//! Source: `nbgrader/exchange/default/collect.py`, which splits from the right, because a user's
//! name may have a `+`.

use std::sync::LazyLock;

use super::archive::{Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "nbgrader",
    name: "nbgrader",
    read: |archive| archive.each(read),
};

static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<hand_in>(?P<login>[^/]+)\+(?P<assignment>[^+/]+)\+(?P<when>\d{4}-\d\d-\d\d [^+/]+)(?:\+[A-Za-z0-9_-]{12})?)/(?P<file>.+)$",
    )
});

fn read(path: &str) -> Reading {
    let Some(found) = FILE.captures(path) else {
        return Reading::Strange;
    };
    let file = captured(&found, "file");
    if file == "timestamp.txt" {
        return Reading::Own;
    }
    Reading::Claim(Claim {
        who: vec![Who::by(Key::Login, captured(&found, "login"))],
        file: file.to_owned(),
        time: Stamp::read(captured(&found, "when")),
        assignment: Some(captured(&found, "assignment").to_owned()),
        hand_in: captured(&found, "hand_in").to_owned(),
        late: false,
    })
}
