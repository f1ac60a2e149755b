//! The page: one file that needs no network and no script, with who fails on which test as a picture.

use askama::Template;

use super::strong::{Strength, Subject, Timed};
use crate::report::STYLE;

/// Bytes of an input that are shown; all of it is in the JSON.
const INPUT_BYTES_MAX: usize = 1024;
/// The side of a cell of the picture.
const CELL: usize = 14;
/// What a character of a name takes at most, in a font of ten pixels, and what is left beside it.
const CHARACTER: usize = 7;
const GAP: usize = 10;
/// Characters of a name that are drawn; of a longer one the rest is replaced by a sign.
const NAME_MAX: usize = 60;
/// The sine and the cosine of the angle at which the names of the tests stand, in percent: how far
/// they rise, and how far the last one leans over its column.
const ANGLE: [usize; 2] = [87, 50];

#[derive(Template)]
#[template(path = "strength/page.html")]
struct Page<'s> {
    strength: &'s Strength,
    subjects: Vec<&'s Subject>,
    times: [(&'static str, &'s [Timed]); 2],
    /// What the names of the rows take, and how far those of the columns rise.
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    style: &'static str,
}

/// The page about the tests of a problem.
pub fn page(strength: &Strength) -> String {
    let subjects = strength.subjects();
    let left = length_of(subjects.iter().map(|subject| subject.name.as_str())) + GAP;
    let names = length_of(strength.tests.iter().map(String::as_str));
    let [top, lean] = ANGLE.map(|share| names * share / 100 + GAP);
    let page = Page {
        strength,
        left,
        top,
        width: left + CELL * strength.tests.len() + lean,
        height: top + CELL * subjects.len() + GAP,
        subjects,
        times: [
            ("Intended solutions", &strength.intended),
            ("Slow families", &strength.slow),
        ],
        style: STYLE,
    };
    page.render()
        .expect("writing to a String fails only if a part of the template does, and none can")
}

/// The length of the longest name as it is drawn.
fn length_of<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let longest = names.map(|name| name.chars().count().min(NAME_MAX)).max();
    longest.unwrap_or_default() * CHARACTER
}

/// A name as it is drawn.
fn drawn(name: &str) -> String {
    if name.chars().count() <= NAME_MAX {
        return name.to_owned();
    }
    let kept = name.chars().take(NAME_MAX - 1);
    kept.chain(['…']).collect()
}

/// An input as it is shown.
fn shown(input: &str) -> String {
    let end = input.floor_char_boundary(INPUT_BYTES_MAX);
    let more = if end < input.len() { "\n…" } else { "" };
    format!("{}{more}", &input[..end])
}
