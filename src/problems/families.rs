//! Families of inputs, each with its maker.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A named way of making inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// The word after `--family`.
    pub name: &'static str,
    /// What its inputs are like, one line.
    pub summary: &'static str,
}

/// What makes the inputs of a family.
pub type Make<T> = fn(&mut ChaCha8Rng) -> T;

/// A family and what makes its inputs; a problem has a table of them, the default one first.
pub type Maker<T> = (Family, Make<T>);

/// A row of the table.
pub const fn maker<T>(name: &'static str, summary: &'static str, make: Make<T>) -> Maker<T> {
    (Family { name, summary }, make)
}

/// The families of a table.
pub const fn families<T, const N: usize>(makers: &[Maker<T>; N]) -> [Family; N] {
    let mut families = [makers[0].0; N];
    let mut index = 0;
    while index < N {
        families[index] = makers[index].0;
        index += 1;
    }
    families
}

/// What makes the inputs of a family, and its source of randomness.
pub fn find<T>(makers: &[Maker<T>], family: &str, seed: u64) -> Option<(Make<T>, ChaCha8Rng)> {
    let (_, make) = makers.iter().find(|(known, _)| known.name == family)?;
    Some((*make, ChaCha8Rng::seed_from_u64(seed)))
}
