//! Moodle's Virtual Programming Lab: "Download submissions", the latest or all.
//!
//! Source: `views/downloadallsubmissions.php` of `jcrodriguez-dis/moodle-mod_vpl`.

use std::sync::LazyLock;

use super::archive::{Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Stamp, Who};

pub const PLATFORM: Platform = Platform {
    id: "vpl",
    name: "Moodle VPL",
    read: |archive| archive.each(read),
};

static FILE: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<name>[^/]+) (?P<number>[0-9]+) (?P<login>[^\s/]*)/(?P<when>\d{4}(?:-\d{2}){5})/(?P<file>.+)$",
    )
});
// What VPL's own compiler and runs have said.
static OWN: Shape =
    LazyLock::new(|| shape(r"^(?:Report\.txt|Errors\.txt|[^/]+/\d{4}(?:-\d{2}){5}\.ceg/[^/]+)$"));

fn read(path: &str) -> Reading {
    let Some(found) = FILE.captures(path) else {
        return if OWN.is_match(path) {
            Reading::Own
        } else {
            Reading::Strange
        };
    };
    let login = captured(&found, "login");
    let mut who = Who::default().named(captured(&found, "name"));
    if !login.is_empty() {
        who.keys.push((Key::Login, login.to_owned()));
    }
    let when = captured(&found, "when");
    Reading::Claim(Claim {
        who: vec![who],
        file: captured(&found, "file").to_owned(),
        time: Stamp::read(when),
        assignment: None,
        hand_in: format!("{} {when}", captured(&found, "number")),
        late: false,
    })
}
