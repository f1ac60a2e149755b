//! Measures how fast this machine is: a fixed piece of work of our own, of the kind that programs in
//! a course do.
//!
//! Machines that measure for one course are compared by it, so the work never depends on the machine
//! or on chance. Its CPU time is measured as that of a program: the least of several tries counts,
//! since other work only makes it longer.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::{Duration, Instant};

use super::clock::{as_ns, thread_cpu};
use crate::domain::Speed;

/// Tries, as long as there is time.
const TRIES: usize = 9;
/// Tries that are made in any case.
const TRIES_MIN: usize = 3;
/// After this time on the wall clock no further try begins.
const TIME_MAX: Duration = Duration::from_millis(100);
/// Words of memory that the work walks through: 4 MiB, more than the caches next to a core hold.
const WORDS: usize = 1 << WORDS_BITS;
const WORDS_BITS: u32 = 19;
/// Steps through the memory.
const WALK_STEPS: u64 = 1 << 18;
/// Numbers whose sequences are followed.
const NUMBERS: u64 = 1_500;
/// Where a machine begins when it measures itself.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Measurements that count together: other work on the machine makes some of them too long.
const COUNTED: usize = 8;

/// How fast this machine is, as far as it was measured lately.
#[derive(Debug, Clone, Default)]
pub struct Pace(VecDeque<Vec<u64>>);

impl Pace {
    /// Measures once more: the least of this and the last measurements.
    pub fn measure(&mut self) -> Speed {
        self.add(tries())
    }

    fn add(&mut self, tries: Vec<u64>) -> Speed {
        self.0.push_back(tries);
        if self.0.len() > COUNTED {
            self.0.pop_front();
        }
        // There is one try at least.
        Speed::of(self.0.iter().flatten().copied().collect()).unwrap_or(Speed {
            least_ns: 1,
            spread_percent: 0.0,
        })
    }
}

/// CPU times of the work by this thread: takes about a tenth of a second, and never a whole one on a
/// machine on which anything else can be measured.
fn tries() -> Vec<u64> {
    let mut chain = Chain::default();
    let began = Instant::now();
    let mut tries = Vec::with_capacity(TRIES);
    while tries.len() < TRIES_MIN || (tries.len() < TRIES && began.elapsed() < TIME_MAX) {
        let before = thread_cpu();
        black_box(chain.run(black_box(SEED), 1));
        let used = thread_cpu().saturating_sub(before);
        tries.push(as_ns(used).max(1));
    }
    tries
}

/// The work, once or several times in a chain. What comes of it depends on the seed, and nobody knows
/// it who has not done the work.
#[derive(Default)]
pub struct Chain(Vec<u64>);

impl Chain {
    /// Does the work as often, each time from what came of it before.
    pub fn run(&mut self, seed: u64, rounds: u32) -> u64 {
        (0..rounds).fold(seed, |state, _| {
            // Filled anew, so that each round is the same work and finds its pages in memory.
            self.0.clear();
            self.0.extend(0..WORDS as u64);
            let walked = walk(&mut self.0, state);
            walked ^ follow(walked >> 32)
        })
    }
}

/// Reads and writes at places that depend on what was read. The place is in the upper bits, and what
/// is read there goes into the lower ones, so that no two seeds meet.
#[inline(never)]
fn walk(memory: &mut [u64], seed: u64) -> u64 {
    let mut state = seed;
    for step in 0..WALK_STEPS {
        let at = usize::try_from(state >> (u64::BITS - WORDS_BITS)).unwrap_or(0);
        let read = memory[at];
        memory[at] = read.wrapping_add(step);
        state = (state ^ read)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9)
            .rotate_left(23);
    }
    state
}

/// Branches that cannot be foretold, additions and shifts: how many steps numbers take to 1, from one
/// of 32 bits on, from which no sequence leaves 64 bits.
#[inline(never)]
fn follow(from: u64) -> u64 {
    let mut steps = 0;
    for first in from.max(1)..from + NUMBERS {
        let mut number = first;
        while number > 1 {
            number = if number % 2 == 0 {
                number / 2
            } else {
                3 * number + 1
            };
            steps += 1;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::{COUNTED, Chain, Pace, SEED, follow};

    #[test]
    fn the_work_is_the_same_everywhere_and_each_seed_has_its_own_answer() {
        let mut chain = Chain::default();
        let once = chain.run(SEED, 1);
        assert_eq!(chain.run(SEED, 0), SEED);
        assert_eq!(Chain::default().run(SEED, 1), once);
        assert_eq!(chain.run(SEED, 2), chain.run(once, 1));
        assert_ne!(chain.run(!SEED, 1), once);
        // The numbers with the longest way up that begin below 2^32.
        assert!(follow(1_410_123_943) > 0 && follow(u64::from(u32::MAX)) > 0);
    }

    #[test]
    fn a_busy_moment_is_made_up_for_and_a_slow_machine_is_found_out() {
        let mut pace = Pace::default();
        assert_eq!(pace.add(vec![100, 120]).least_ns, 100);
        for _ in 1..COUNTED {
            assert_eq!(pace.add(vec![200]).least_ns, 100);
        }
        assert_eq!(pace.add(vec![200]).least_ns, 200);
    }
}
