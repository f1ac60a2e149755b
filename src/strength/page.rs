//! The page: one file that needs no network and no script, with the matrix as a picture.

use askama::Template;

use super::matrix::{Conclusions, Mark, Row};
use super::mutants::Mutant;
use super::programs::Kind;
use super::strong::{Strength, sign};
use super::times::Timed;
use super::yields::Hit;
use crate::report::STYLE;
use crate::util::excerpt::spelled;

/// Bytes of an input that are shown.
const INPUT_BYTES_MAX: usize = 1024;
/// The side of a cell of the matrix.
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
    rows: Vec<&'s Row>,
    conclusions: Conclusions,
    times: [(&'static str, Vec<Timed>); 2],
    advice: Option<String>,
    unmet: Vec<String>,
    yields: Vec<String>,
    style: &'static str,
}

/// The page about the tests of a problem.
pub fn page(strength: &Strength) -> String {
    let page = Page {
        strength,
        rows: strength.rows(),
        conclusions: strength.conclusions(),
        times: [
            ("Intended solutions", strength.times(Kind::Intended)),
            ("Slow families", strength.times(Kind::Slow)),
        ],
        advice: strength.advice(),
        unmet: strength.unmet(),
        yields: strength.yields(),
        style: STYLE,
    };
    page.render()
        .expect("writing to a String fails only if a part of the template does, and none can")
}

#[expect(
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    reason = "the template calls them as methods, with references"
)]
impl Page<'_> {
    /// What the names of the rows take.
    fn names(&self) -> usize {
        length_of(self.rows.iter().map(|row| row.name.as_str())) + GAP
    }

    /// How far the names of the tests rise, and how far the last one leans over the edge.
    fn heads(&self) -> [usize; 2] {
        let length = length_of(self.strength.tests.iter().map(String::as_str));
        ANGLE.map(|share| length * share / 100 + GAP)
    }

    fn width(&self) -> usize {
        let [_, lean] = self.heads();
        self.x(&self.strength.tests.len()) + lean
    }

    fn height(&self) -> usize {
        self.y(&self.rows.len()) + GAP
    }

    /// Where the names of the tests end.
    fn foot(&self) -> usize {
        self.y(&0) - 4
    }

    fn x(&self, test: &usize) -> usize {
        self.names() + CELL * test
    }

    fn y(&self, row: &usize) -> usize {
        let [rise, _] = self.heads();
        rise + CELL * row
    }

    /// A name as it is drawn.
    fn drawn(&self, name: &str) -> String {
        if name.chars().count() <= NAME_MAX {
            return name.to_owned();
        }
        let kept = name.chars().take(NAME_MAX - 1);
        kept.chain(['…']).collect()
    }

    /// Where text stands that is centred in a cell that begins here.
    fn middle(&self, from: usize) -> usize {
        from + CELL - 3
    }

    fn code(&self, mark: &Mark) -> &'static str {
        sign(*mark).unwrap_or("SK")
    }

    fn percent(&self, timed: &Timed) -> String {
        format!("{:.2}", timed.share())
    }

    fn seconds(&self, timed: &Timed) -> String {
        format!(
            "{:.2} s of {:.2} s",
            timed.cpu.as_secs_f64(),
            timed.limit.as_secs_f64()
        )
    }

    /// What is shown of it; all of it is in the JSON.
    fn input(&self, hit: &Hit) -> String {
        let whole = spelled(&hit.input);
        let shown = &whole[..whole.floor_char_boundary(INPUT_BYTES_MAX)];
        let more = if shown.len() < whole.len() {
            "\n…"
        } else {
            ""
        };
        format!("{shown}{more}")
    }

    fn missing(&self, mutant: &Mutant) -> Option<String> {
        mutant.missing.as_deref().map(spelled)
    }
}

/// The length of the longest name as it is drawn.
fn length_of<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let longest = names.map(|name| name.chars().count().min(NAME_MAX)).max();
    longest.unwrap_or_default() * CHARACTER
}
