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
/// The side of a cell of the matrix, and what its names take.
const CELL: usize = 14;
const NAMES: usize = 260;
const HEAD: usize = 150;
/// Room on the right for the name of the last test, which leans over its column.
const LEAN: usize = 80;

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
    fn width(&self) -> usize {
        NAMES + CELL * self.strength.tests.len() + LEAN
    }

    fn height(&self) -> usize {
        HEAD + CELL * self.rows.len() + 10
    }

    /// Where the names of the tests end.
    fn foot(&self) -> usize {
        HEAD - 4
    }

    fn x(&self, test: &usize) -> usize {
        NAMES + CELL * test
    }

    fn y(&self, row: &usize) -> usize {
        HEAD + CELL * row
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
