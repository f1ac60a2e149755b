//! Compares what a program printed with what was expected, and keeps the first difference in a form
//! for a person.
//!
//! Pure: no I/O, no clock. Time is linear in the two outputs, memory is the bounded excerpts alone.
//! White space is what `util::text` takes for it.

mod difference;
mod excerpt;
mod float;
mod lines;
mod tokens;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::domain::words;

pub use difference::{Difference, Kind};

/// What counts as the same output.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Mode {
    /// Every byte counts.
    Exact,
    /// Line by line; white space at the end of a line and at the end of the output does not count.
    Lines,
    /// Token by token; white space only separates.
    Tokens,
    /// As [`Mode::Tokens`], but where a finite decimal number is expected, a number near enough
    /// will do.
    ///
    /// Near enough is within `absolute` of the expected number, or within `relative` times its
    /// magnitude.
    /// What is expected and is not a finite decimal number (a word, `nan`, `inf`, `0x10`) must be
    /// printed exactly.
    Float {
        /// The largest difference that is always forgiven.
        #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
        absolute: f64,
        /// The largest difference that is forgiven, as a part of the expected number's magnitude.
        #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
        relative: f64,
    },
}

impl Mode {
    /// The mode as keys are made of it, numbers by their bits: changing a letter here compares
    /// every output anew.
    pub fn key_text(&self) -> String {
        match self {
            Self::Exact => "exact".to_owned(),
            Self::Lines => "lines".to_owned(),
            Self::Tokens => "tokens".to_owned(),
            Self::Float { absolute, relative } => {
                format!(
                    "float {:016x} {:016x}",
                    absolute.to_bits(),
                    relative.to_bits()
                )
            }
        }
    }
}

/// A number in JSON may come back a last digit off, and then two machines would have two keys.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn write_bits<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(number.to_bits())
}

fn read_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    u64::deserialize(deserializer).map(f64::from_bits)
}

words! {
    /// What a problem makes of [`Outcome::Layout`], the right tokens in the wrong layout.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    pub enum WrongLayout by key_text {
        /// A presentation error.
        #[serde(rename = "PE")]
        Presentation = "presentation",
        /// A wrong answer like any other.
        #[serde(rename = "WA")]
        Wrong = "wrong",
    }
}

/// How two outputs compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// They are the same under the mode.
    Same,
    /// The mode is [`Mode::Exact`] or [`Mode::Lines`], the tokens are all right, and the white
    /// space between them is not.
    Layout(Difference),
    /// At least one token differs.
    Different(Difference),
}

impl Outcome {
    /// The first difference, whatever it is called.
    pub fn difference(self) -> Option<Difference> {
        match self {
            Self::Same => None,
            Self::Layout(difference) | Self::Different(difference) => Some(difference),
        }
    }
}

/// Compares a program's output with the expected one.
pub fn compare(expected: &[u8], got: &[u8], mode: &Mode) -> Outcome {
    if expected == got {
        return Outcome::Same;
    }
    let same = |wanted: &[u8], printed: &[u8]| match *mode {
        Mode::Float { absolute, relative } => {
            float::near_enough(wanted, printed, absolute, relative)
        }
        Mode::Exact | Mode::Lines | Mode::Tokens => wanted == printed,
    };
    if let Some(difference) = tokens::first_difference(expected, got, same) {
        return Outcome::Different(difference);
    }
    let layout = match mode {
        Mode::Exact => Some(lines::first_byte_difference(expected, got)),
        Mode::Lines => lines::first_line_difference(expected, got),
        Mode::Tokens | Mode::Float { .. } => None,
    };
    layout.map_or(Outcome::Same, Outcome::Layout)
}

/// By how much a printed number misses the expected one, and what is allowed, in words; none unless
/// both are numbers that are compared as such.
pub fn error_of_number(expected: &[u8], got: &[u8], mode: &Mode) -> Option<String> {
    match *mode {
        Mode::Float { absolute, relative } => {
            float::error_in_words(expected, got, absolute, relative)
        }
        Mode::Exact | Mode::Lines | Mode::Tokens => None,
    }
}
