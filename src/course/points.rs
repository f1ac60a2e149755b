//! Points, as whole hundredths: sums in any order are the same, and a spreadsheet gets the same
//! ones.

use std::fmt;
use std::iter::Sum;

use serde::Deserialize;

/// The most points that anything has.
pub const POINTS_MAX: u32 = 1_000_000;

/// Hundredths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
#[serde(try_from = "f64")]
pub struct Points(u64);

impl TryFrom<f64> for Points {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        Self::from_number(number).ok_or("no points")
    }
}

impl Points {
    /// No points.
    pub const ZERO: Self = Self(0);
    /// One point.
    pub const ONE: Self = Self(100);

    /// From hundredths.
    #[cfg(test)]
    pub const fn hundredths(hundredths: u64) -> Self {
        Self(hundredths)
    }

    /// From a number as people write it, rounded to hundredths; `None` for one that is negative,
    /// not a number, or larger than [`POINTS_MAX`].
    pub fn from_number(number: f64) -> Option<Self> {
        let hundredths = (number * 100.0).round();
        // At most 10^8, which both types hold exactly.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked on the left"
        )]
        (hundredths >= 0.0 && hundredths <= f64::from(POINTS_MAX) * 100.0)
            .then_some(Self(hundredths as u64))
    }

    /// A share of these points, half a hundredth rounded up: `got` of `of`, and of that `percent`.
    pub fn share(self, got: u32, of: u32, percent: u8) -> Self {
        self.hundredths_of(u64::from(got) * u64::from(percent), of)
    }

    /// The same of hundredths that were got: several parts, each times its percentage.
    pub fn hundredths_of(self, got: u64, of: u32) -> Self {
        if of == 0 {
            return Self::ZERO;
        }
        let whole = u128::from(of) * 100;
        let part = u128::from(self.0) * u128::from(got);
        // Not more than these points, unless more than everything was got.
        Self(u64::try_from((2 * part + whole) / (2 * whole)).unwrap_or(u64::MAX))
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        Self(points.fold(0, |sum, one| sum.saturating_add(one.0)))
    }
}

/// `7`, `7.5`, `7.25`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 100, self.0 % 100);
        match (rest / 10, rest % 10) {
            (0, 0) => write!(f, "{whole}"),
            (tenths, 0) => write!(f, "{whole}.{tenths}"),
            (tenths, hundredths) => write!(f, "{whole}.{tenths}{hundredths}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Points;

    #[test]
    fn shares_are_rounded_half_up_and_written_short() {
        for (points, got, of, percent, expected) in [
            (10.0, 1, 1, 100, "10"),
            (10.0, 1, 3, 100, "3.33"),
            (10.0, 2, 3, 100, "6.67"),
            (10.0, 1, 1, 85, "8.5"),
            (0.05, 1, 2, 100, "0.03"),
            (7.25, 1, 1, 50, "3.63"),
            (7.25, 0, 1, 100, "0"),
            (7.25, 0, 0, 100, "0"),
            (1_000_000.0, 1, 1, 100, "1000000"),
        ] {
            let points = Points::from_number(points).unwrap();
            assert_eq!(points.share(got, of, percent).to_string(), expected);
        }
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1_000_001.0] {
            assert_eq!(Points::from_number(wrong), None, "{wrong}");
        }
    }
}
