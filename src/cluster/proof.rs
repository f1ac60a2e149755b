//! Whether a worker is as fast as it says. The daemon gives it work whose answer nobody knows who has
//! not done it, and looks at its own clock. A machine can delay an answer, but it cannot be faster
//! than it is: one answer that comes in time is proof, and one that comes too late may have met a
//! busy moment.

use std::time::{Duration, Instant};

use crate::domain::Speed;

/// Tries that are made at once; a machine that fails all of them gets no orders.
const TRIES: u32 = 6;
/// After these, another one is made no more often than this: each costs the daemon as much work.
const PAUSE: Duration = Duration::from_secs(2);
/// So many are made that often: one try in a quiet moment is enough, and a busy daemon has few such
/// moments.
const TRIES_SOON: u32 = 60;
/// After those, tries are made no more often than this.
const LONG_PAUSE: Duration = Duration::from_secs(30);
/// The way there and back takes this part of a try at most. Who delays answers to seem far away
/// gains no more than that.
const WAY_PART: u32 = 10;
/// Rounds of the work in one try.
pub const ROUNDS_MAX: u32 = 64;

/// What is known of a worker's speed beside its word.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proof {
    /// The shortest way there and back; none before it was measured.
    way: Option<Duration>,
    /// The work as it was done fastest, a round of it, in nanoseconds.
    least_ns: Option<u64>,
    tries: u32,
    last: Option<Instant>,
    asked: Option<Asked>,
}

/// A challenge that is out.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    answer: u64,
    rounds: u32,
    since: Instant,
}

/// What the worker's word is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worth {
    /// It was as fast as it says.
    Proved,
    /// It was not tried often enough.
    Untried,
    /// In all tries it was slower: its fastest round, in nanoseconds.
    Refuted(u64),
}

impl Proof {
    /// What is known of its next life: nothing. What it has cost counts.
    pub fn of_next_life(&self) -> Self {
        Self {
            tries: self.tries,
            last: self.last,
            ..Self::default()
        }
    }

    /// Rounds of the next try, none of them to measure the way; nothing where it is too early for
    /// another one.
    pub fn next(&mut self, now: Instant) -> Option<u32> {
        let pause = match self.tries {
            0..TRIES => Duration::ZERO,
            TRIES..TRIES_SOON => PAUSE,
            TRIES_SOON.. => LONG_PAUSE,
        };
        if self.last.is_some_and(|last| now < last + pause) {
            return None;
        }
        self.last = Some(now);
        let Some(way) = self.way else { return Some(0) };
        self.tries = self.tries.saturating_add(1);
        // By what was measured, and not by what is claimed: a try is never much longer than the way.
        let round = u128::from(self.least_ns.unwrap_or(u64::MAX).max(1));
        let rounds = (way * WAY_PART).as_nanos().div_ceil(round);
        let rounds = u32::try_from(rounds).unwrap_or(ROUNDS_MAX);
        Some(rounds.clamp(1, ROUNDS_MAX))
    }

    /// A challenge with this answer goes out now.
    pub fn asks(&mut self, answer: u64, rounds: u32, now: Instant) {
        self.asked = Some(Asked {
            answer,
            rounds,
            since: now,
        });
    }

    /// An answer has come. Only the first one to each challenge counts, and only the right one.
    pub fn answered(&mut self, answer: u64, now: Instant) {
        if let Some(asked) = self.asked.take()
            && asked.answer == answer
        {
            self.took(asked.rounds, now.duration_since(asked.since));
        }
    }

    /// It has proved what it says. Where it says something else later, that is tried as often.
    pub fn is_enough(&mut self) {
        self.tries = 0;
    }

    fn took(&mut self, rounds: u32, elapsed: Duration) {
        if rounds == 0 {
            self.way = Some(self.way.map_or(elapsed, |way| way.min(elapsed)));
            return;
        }
        let way = self.way.unwrap_or_default().min(elapsed / WAY_PART);
        let round = elapsed.saturating_sub(way) / rounds;
        let round = u64::try_from(round.as_nanos()).unwrap_or(u64::MAX);
        self.least_ns = Some(self.least_ns.map_or(round, |least| least.min(round)));
    }

    /// What the worker's word is worth, where measurements may differ by so many percent.
    pub fn worth(&self, claimed: &Speed, percent: f64) -> Worth {
        let is_slower = |least_ns: u64| {
            let measured = Speed {
                least_ns,
                ..*claimed
            };
            measured.percent_slower_than(claimed) > percent
        };
        match self.least_ns {
            Some(least_ns) if !is_slower(least_ns) => Worth::Proved,
            Some(least_ns) if self.tries >= TRIES => Worth::Refuted(least_ns),
            _ => Worth::Untried,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{LONG_PAUSE, PAUSE, Proof, TRIES, TRIES_SOON, Worth};
    use crate::domain::Speed;
    use crate::util::samples::speed;

    const CLAIMED: Speed = speed(10_000_000, 2.0);

    /// What is measured of a worker that says that a round takes it 10 ms, and what that is worth
    /// within 10 percent.
    #[test]
    fn one_answer_in_time_is_proof_and_a_delay_of_the_empty_ones_is_none() {
        let slow = [(1, 66), (1, 67), (1, 80), (1, 90), (1, 66), (1, 66)];
        let far = [&[(1, 66)][..], &[(64, 4_224); 5]].concat();
        for (way_ms, tries, worth) in [
            (0, &[][..], Worth::Untried),
            (0, &[(1, 10)], Worth::Proved),
            (0, &[(1, 11)], Worth::Proved),
            (0, &[(1, 12)], Worth::Untried),
            (0, &[(1, 30), (1, 25), (1, 90), (1, 11)], Worth::Proved),
            (0, &slow, Worth::Refuted(66_000_000)),
            // Far away: more rounds, so that the way is a small part of them.
            (20, &[(1, 30), (8, 100), (18, 200)], Worth::Proved),
            // One that only seems to be: it gains a tenth.
            (20_000, &far, Worth::Refuted(59_400_000)),
        ] {
            let mut proof = Proof::default();
            let now = Instant::now();
            assert_eq!(proof.next(now), Some(0));
            proof.took(0, Duration::from_millis(way_ms));
            for (rounds, ms) in tries {
                assert_eq!(proof.next(now), Some(*rounds));
                proof.asks(7, *rounds, now);
                proof.answered(7, now + Duration::from_millis(*ms));
                // Neither a wrong answer nor a second one is any.
                proof.asks(7, *rounds, now);
                proof.answered(8, now);
                proof.answered(7, now);
            }
            assert_eq!(proof.worth(&CLAIMED, 10.0), worth, "{tries:?}");
        }
    }

    #[test]
    fn a_worker_that_is_refused_is_tried_again_now_and_then_in_whatever_life() {
        let (mut proof, now) = (Proof::default(), Instant::now());
        proof.took(0, Duration::ZERO);
        for _ in 0..TRIES {
            assert_eq!(proof.next(now), Some(1));
            proof.took(1, Duration::from_millis(66));
        }
        assert_eq!(proof.next(now), None);
        assert_eq!(proof.of_next_life().next(now), None);
        let mut now = now;
        for _ in TRIES..TRIES_SOON {
            now += PAUSE;
            assert_eq!(proof.next(now), Some(1));
        }
        assert_eq!(proof.next(now + PAUSE), None);
        assert_eq!(proof.next(now + LONG_PAUSE), Some(1));
        proof.took(1, Duration::from_millis(10));
        assert_eq!(proof.worth(&CLAIMED, 10.0), Worth::Proved);
    }
}
