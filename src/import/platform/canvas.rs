//! Canvas's "Download submissions": one flat folder.
//!
//! Source: `lib/content_zipper.rb` of `instructure/canvas-lms`. The second number is that of the
//! attachment. When something was handed in stands nowhere, only that it was late.

use std::sync::LazyLock;

use super::archive::{Platform, Shape, captured, shape};
use crate::domain::Key;
use crate::import::claim::{Claim, Reading, Who};

pub const PLATFORM: Platform = Platform {
    id: "canvas",
    name: "Canvas",
    read: |archive| archive.each(read),
};

// With anonymous grading; tried first, because the others fit these names too.
static ANONYMOUS: Shape = LazyLock::new(|| {
    shape(
        r"^(?:(?P<late>LATE)_)?anon_(?P<user>[0-9A-Za-z]+)_(?P<attachment>[0-9]+)_(?P<file>[^/]+)$",
    )
});
static UPLOAD: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<name>[^/]+?)(?:_(?P<late>(?i:LATE)))?_(?P<user>[0-9]+)_(?P<attachment>[0-9]+)_(?P<file>[^/]+)$",
    )
});
// Text that was typed into the page, and links.
static TYPED: Shape = LazyLock::new(|| {
    shape(
        r"^(?P<name>[^/]+?)(?:_(?P<late>(?i:LATE)))?_(?P<user>[0-9]+)_(?P<file>(?:text|link)\.html)$",
    )
});

fn read(path: &str) -> Reading {
    let mut matching = [&ANONYMOUS, &UPLOAD, &TYPED].into_iter();
    let Some(found) = matching.find_map(|shape| shape.captures(path)) else {
        return Reading::Strange;
    };
    let user = captured(&found, "user");
    let mut who = Who::by(Key::Canvas, user);
    if let Some(name) = found.name("name") {
        who = who.named(name.as_str());
    }
    Reading::Claim(Claim {
        who: vec![who],
        file: captured(&found, "file").to_owned(),
        time: None,
        assignment: None,
        hand_in: user.to_owned(),
        late: found.name("late").is_some(),
    })
}
