//! Measures how fast this machine is: a fixed piece of work of our own, of the kind that programs in
//! a course do.
//!
//! Machines that measure for one course are compared by it, so the work never depends on the machine
//! or on chance. Its CPU time is measured as that of a program: the least of several tries counts,
//! since other work only makes it longer.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::{Duration, Instant};

use super::clock::thread_cpu;
use crate::domain::Speed;

/// Tries, as long as there is time.
const TRIES: usize = 9;
/// Tries that are made in any case.
const TRIES_MIN: usize = 3;
/// After this time on the wall clock no further try begins.
const TIME_MAX: Duration = Duration::from_millis(400);
/// Words of memory that the work walks through: 4 MiB, more than the caches next to a core hold.
const WORDS: usize = 1 << 19;
/// Steps through the memory.
const WALK_STEPS: u64 = 1 << 20;
/// Numbers whose sequences are followed.
const NUMBERS: u64 = 12_000;

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
    let mut memory: Vec<u64> = Vec::new();
    let began = Instant::now();
    let mut tries = Vec::with_capacity(TRIES);
    while tries.len() < TRIES_MIN || (tries.len() < TRIES && began.elapsed() < TIME_MAX) {
        // Filled anew, so that each try is the same work and finds its pages in memory.
        memory.clear();
        memory.extend(0..WORDS as u64);
        let before = thread_cpu();
        black_box(walk(black_box(&mut memory)));
        black_box(follow(black_box(NUMBERS)));
        let used = thread_cpu().saturating_sub(before);
        tries.push(u64::try_from(used.as_nanos()).unwrap_or(u64::MAX).max(1));
    }
    tries
}

/// Reads and writes at places that depend on what was read.
#[inline(never)]
fn walk(memory: &mut [u64]) -> u64 {
    let mask = memory.len() as u64 - 1;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for step in 0..WALK_STEPS {
        let at = usize::try_from((state ^ (state >> 29)) & mask).unwrap_or(0);
        let read = memory[at];
        memory[at] = read.wrapping_add(step);
        state = (state ^ read)
            .wrapping_mul(0xBF58_476D_1CE4_E5B9)
            .rotate_left(23);
    }
    state
}

/// Branches that cannot be foretold, additions and shifts: how many steps numbers take to 1.
#[inline(never)]
fn follow(numbers: u64) -> u64 {
    let mut steps = 0;
    for first in 1..=numbers {
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
    use super::{COUNTED, Pace, WORDS, follow, walk};

    #[test]
    fn the_work_is_the_same_everywhere() {
        assert_eq!(follow(10), 67);
        let mut memory: Vec<u64> = (0..WORDS as u64).collect();
        let mut again = memory.clone();
        assert_eq!(walk(&mut memory), walk(&mut again));
        assert_eq!(memory, again);
    }

    #[test]
    fn a_machine_has_a_speed() {
        let speed = Pace::default().measure();
        assert!(speed.least_ns > 0, "{speed:?}");
        assert!(speed.spread_percent >= 0.0, "{speed:?}");
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
