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
pub mod tests;

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
    /// As the default output validator of the ICPC's packages compares, where its flags mean none
    /// of the other modes.
    Icpc(Flags),
}

/// What that validator's flags say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Flags {
    /// `case_sensitive`: upper and lower case count. That of ASCII is meant.
    pub case_sensitive: bool,
    /// `space_change_sensitive`: every byte of white space counts.
    pub space_change_sensitive: bool,
    /// The tolerances: with one, where a number is expected, a number near enough will do.
    pub tolerance: Option<Tolerance>,
}

/// How far a number may be off: by one or the other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
    pub absolute: f64,
    #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
    pub relative: f64,
}

impl Flags {
    /// The mode that compares in this way.
    pub fn mode(self) -> Mode {
        match (
            self.case_sensitive,
            self.space_change_sensitive,
            self.tolerance,
        ) {
            (true, true, None) => Mode::Exact,
            (true, false, None) => Mode::Tokens,
            (true, false, Some(Tolerance { absolute, relative })) => {
                Mode::Float { absolute, relative }
            }
            _ => Mode::Icpc(self),
        }
    }

    /// Whether two tokens agree.
    fn agree(self, expected: &[u8], got: &[u8]) -> bool {
        match self.tolerance {
            Some(Tolerance { absolute, relative }) if float::is_number(expected) => {
                float::near_enough(expected, got, absolute, relative)
            }
            _ if self.case_sensitive => expected == got,
            _ => expected.eq_ignore_ascii_case(got),
        }
    }
}

impl Mode {
    /// How far a number may be off, where numbers are compared as such.
    fn tolerance(&self) -> Option<Tolerance> {
        match *self {
            Self::Float { absolute, relative } => Some(Tolerance { absolute, relative }),
            Self::Icpc(flags) => flags.tolerance,
            Self::Exact | Self::Lines | Self::Tokens => None,
        }
    }

    /// Whether it counts how the words are set in lines.
    pub fn is_by_lines(&self) -> bool {
        match self {
            Self::Exact | Self::Lines => true,
            Self::Tokens | Self::Float { .. } => false,
            Self::Icpc(flags) => flags.space_change_sensitive,
        }
    }

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
            Self::Icpc(flags) => {
                let case = u8::from(flags.case_sensitive);
                let space = u8::from(flags.space_change_sensitive);
                let tolerance = flags.tolerance.map_or(String::new(), |tolerance| {
                    let Tolerance { absolute, relative } = tolerance;
                    format!(" {:016x} {:016x}", absolute.to_bits(), relative.to_bits())
                });
                format!("icpc case={case} space={space}{tolerance}")
            }
        }
    }

    /// The mode in a few words, for people.
    pub fn words(&self) -> String {
        let tolerance = self.tolerance().map(|Tolerance { absolute, relative }| {
            format!(", numbers with a tolerance of {absolute:e} absolute or {relative:e} relative")
        });
        let (how, more) = match self {
            Self::Exact => ("byte by byte", ""),
            Self::Lines => ("line by line", ""),
            Self::Tokens | Self::Float { .. } => ("word by word", ""),
            Self::Icpc(flags) => (
                if flags.space_change_sensitive {
                    "word by word and with their white space"
                } else {
                    "word by word"
                },
                if flags.case_sensitive {
                    ""
                } else {
                    ", upper and lower case alike"
                },
            ),
        };
        format!("{how}{more}{}", tolerance.unwrap_or_default())
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
    /// The tokens are all right, and the white space between them is not, in a mode in which that
    /// counts.
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
        Mode::Icpc(flags) => flags.agree(wanted, printed),
        Mode::Exact | Mode::Lines | Mode::Tokens => wanted == printed,
    };
    if let Some(difference) = tokens::first_difference(expected, got, same) {
        return Outcome::Different(difference);
    }
    let layout = match mode {
        Mode::Exact => Some(lines::first_byte_difference(expected, got)),
        Mode::Lines => lines::first_line_difference(expected, got),
        Mode::Icpc(flags) if flags.space_change_sensitive => {
            tokens::first_space_difference(expected, got)
        }
        Mode::Tokens | Mode::Float { .. } | Mode::Icpc(_) => None,
    };
    layout.map_or(Outcome::Same, Outcome::Layout)
}

/// By how much a printed number misses the expected one, and what is allowed, in words; none unless
/// both are numbers that are compared as such.
pub fn error_of_number(expected: &[u8], got: &[u8], mode: &Mode) -> Option<String> {
    let Tolerance { absolute, relative } = mode.tolerance()?;
    float::error_in_words(expected, got, absolute, relative)
}
