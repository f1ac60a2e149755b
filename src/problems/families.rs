//! Families of inputs, each with its maker.

use std::ops::RangeInclusive;

use rand::distr::uniform::SampleUniform;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::domain::words;

/// A named way of making inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// The word after `--family`.
    pub name: &'static str,
    /// What its inputs are like, one line.
    pub summary: &'static str,
    /// For inputs that are alike in everything but their size: what it counts.
    pub growing: Option<Growing>,
}

/// What the inputs of a family have more and more of, and what that means for the reference solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growing {
    /// One of them: `cell`. With an `s` it names a quantity of the problem.
    pub unit: &'static str,
    /// How the reference solver's own time grows.
    pub reference: Law,
}

impl Growing {
    /// The name of the quantity: `cells`.
    pub fn quantity(&self) -> String {
        format!("{}s", self.unit)
    }
}

words! {
    /// How time or steps grow with a size.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Law by word {
        Constant = "constant",
        Linear = "linear",
        Quadratic = "quadratic",
        Cubic = "cubic",
        Exponential = "exponential",
    }
}

/// A family and what makes its inputs; a problem has a table of them, the default one first.
pub struct Maker<I> {
    pub family: Family,
    pub make: fn(&mut ChaCha8Rng) -> I,
}

/// A row of the table.
pub const fn maker<I>(
    name: &'static str,
    summary: &'static str,
    make: fn(&mut ChaCha8Rng) -> I,
) -> Maker<I> {
    let family = Family {
        name,
        summary,
        growing: None,
    };
    Maker { family, make }
}

impl<I> Maker<I> {
    /// The same for a family whose inputs differ in their size alone.
    pub const fn growing(mut self, unit: &'static str, reference: Law) -> Self {
        self.family.growing = Some(Growing { unit, reference });
        self
    }
}

/// The families of a table.
pub const fn families<I, const N: usize>(makers: &[Maker<I>; N]) -> [Family; N] {
    let mut families = [makers[0].family; N];
    let mut index = 0;
    while index < N {
        families[index] = makers[index].family;
        index += 1;
    }
    families
}

/// The maker of this family, and its source of randomness.
pub fn find<'m, I>(
    makers: &'m [Maker<I>],
    family: &str,
    seed: u64,
) -> Option<(&'m Maker<I>, ChaCha8Rng)> {
    let maker = makers.iter().find(|maker| maker.family.name == family)?;
    Some((maker, ChaCha8Rng::seed_from_u64(seed)))
}

/// A number from a range; from a range of one number nothing is drawn.
pub fn within<T: SampleUniform + PartialOrd + Copy>(
    rng: &mut ChaCha8Rng,
    range: RangeInclusive<T>,
) -> T {
    if range.start() == range.end() {
        *range.start()
    } else {
        rng.random_range(range)
    }
}
