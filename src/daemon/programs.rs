//! One program is judged once at a time: of several submissions of the same one the others wait for
//! the first, and then use its facts.
//!
//! Who waits holds up no planner: the submission is put aside, and whoever has judged the first one
//! goes on with it.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::domain::Digest;
use crate::util::sync::lock;

/// How long facts may take at most from a planner into the store: that long, whoever has the same
/// program asks whether they are there.
const WRITING_MAX: Duration = Duration::from_secs(30);
/// Programs that were judged lately, at most.
const LATELY_MAX: usize = 4_096;

/// Programs that are being judged, and what waits for them.
pub struct Programs<T> {
    held: Mutex<Held<T>>,
}

struct Held<T> {
    /// By the keys of their builds.
    judged: HashMap<Digest, VecDeque<T>>,
    /// How many wait, all together.
    aside: usize,
    lately: VecDeque<(Instant, Digest)>,
}

/// Whether a submission is judged now.
#[derive(Debug, PartialEq, Eq)]
pub enum Begun<T> {
    /// It is.
    Now {
        /// The submission.
        one: T,
        /// Whether facts about its program may be on their way to the store.
        is_known: bool,
    },
    /// It waits for another one of the same program.
    Aside {
        /// How many wait so, of all programs.
        waiting: usize,
    },
}

impl<T> Default for Programs<T> {
    fn default() -> Self {
        let held = Held {
            judged: HashMap::new(),
            aside: 0,
            lately: VecDeque::new(),
        };
        Self {
            held: Mutex::new(held),
        }
    }
}

impl<T> Programs<T> {
    /// A submission of this program is to be judged.
    pub fn begin(&self, program: Digest, one: T) -> Begun<T> {
        let mut held = lock(&self.held);
        if let Some(waiting) = held.judged.get_mut(&program) {
            waiting.push_back(one);
            held.aside += 1;
            return Begun::Aside {
                waiting: held.aside,
            };
        }
        held.judged.insert(program, VecDeque::new());
        let is_over = |(since, _): &(Instant, _)| since.elapsed() > WRITING_MAX;
        while held.lately.front().is_some_and(is_over) {
            held.lately.pop_front();
        }
        let known = held.lately.iter().position(|(_, known)| *known == program);
        let is_known = known.and_then(|at| held.lately.remove(at)).is_some();
        Begun::Now { one, is_known }
    }

    /// A submission of this program was judged: the next one, which is being judged from now on.
    /// Where all its facts are in the store, nobody need ask whether they are.
    pub fn end(&self, program: &Digest, are_written: bool) -> Option<T> {
        let mut held = lock(&self.held);
        let next = held.judged.get_mut(program).and_then(VecDeque::pop_front);
        if next.is_some() {
            held.aside -= 1;
        } else {
            held.judged.remove(program);
            if held.lately.len() == LATELY_MAX {
                held.lately.pop_front();
            }
            if !are_written {
                held.lately.push_back((Instant::now(), *program));
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::{Begun, Programs};
    use crate::util::hash::digest;

    #[test]
    fn submissions_of_one_program_are_judged_one_after_the_other() {
        let programs = Programs::default();
        let (sum, other) = (digest(b"sum"), digest(b"other"));
        let now = |one, is_known| Begun::Now { one, is_known };
        let aside = |waiting| Begun::Aside { waiting };
        assert_eq!(programs.begin(sum, 1), now(1, false));
        assert_eq!(programs.begin(sum, 2), aside(1));
        assert_eq!(programs.begin(other, 3), now(3, false));
        assert_eq!(programs.begin(sum, 4), aside(2));
        assert_eq!(programs.end(&other, false), None);
        assert_eq!(programs.end(&sum, false), Some(2));
        assert_eq!(programs.begin(sum, 5), aside(2));
        for next in [Some(4), Some(5), None] {
            assert_eq!(programs.end(&sum, false), next);
        }
        // The facts may be on their way.
        assert_eq!(programs.begin(sum, 6), now(6, true));
        assert_eq!(programs.end(&sum, true), None);
        assert_eq!(programs.begin(sum, 7), now(7, false));
    }
}
