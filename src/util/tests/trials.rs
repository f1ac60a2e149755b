//! How tests with drawn inputs draw them: the same in every run, so that one that failed can be run
//! again.

use std::ops::Range;

use proptest::test_runner::{Config, RngSeed};

/// Where the drawing begins.
const SEED: u64 = 20_260_301;
/// How many times as many inputs `make soak` draws; the first ones are the same.
const SOAK_FACTOR: u32 = 50;

/// So many seeds of a generator.
pub fn seeds(count: u64) -> Range<u64> {
    0..count * u64::from(factor())
}

/// Whether this is `make soak`.
pub fn is_soak() -> bool {
    std::env::var_os("SOAK").is_some_and(|value| value == "1")
}

fn factor() -> u32 {
    if is_soak() { SOAK_FACTOR } else { 1 }
}

/// A test with so many inputs.
pub fn trials(cases: u32) -> Config {
    Config {
        cases: cases * factor(),
        rng_seed: RngSeed::Fixed(SEED),
        // The seed is enough to draw a failure again; a file in the tree would be noise.
        failure_persistence: None,
        ..Config::default()
    }
}
