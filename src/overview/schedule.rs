//! When which overview is written again. Pure: moments come in, nothing is waited for.
//!
//! Each is written at most once in its pause, a second for most, and after each the others wait
//! a hundred times as long as it took: so however many there are, all of them together take at most
//! a hundredth of one core.
//! The one that was touched first is written first, so that none waits for ever, however long the
//! writings take.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The least time between two writings of one overview, where it has none of its own.
pub const PAUSE: Duration = Duration::from_secs(1);
/// How many times as long as a writing took is rested after it.
const REST: u32 = 99;

/// What is to be written, and what was written lately.
#[derive(Debug)]
pub struct Schedule<K> {
    /// What is to be written, and the number of the touch that asked for it first.
    due: BTreeMap<K, u64>,
    /// The same in the order of the touches.
    order: BTreeMap<u64, K>,
    touches: u64,
    /// When each was written last, as far as that still matters.
    written: BTreeMap<K, Instant>,
    rest_until: Option<Instant>,
    /// The least time between two writings of one.
    pause_of: fn(&K) -> Duration,
}

impl<K> Schedule<K> {
    /// Nothing is to be written yet.
    pub fn new(pause_of: fn(&K) -> Duration) -> Self {
        Self {
            due: BTreeMap::new(),
            order: BTreeMap::new(),
            touches: 0,
            written: BTreeMap::new(),
            rest_until: None,
            pause_of,
        }
    }
}

impl<K: Ord + Clone> Schedule<K> {
    /// Something that it shows has changed.
    pub fn touch(&mut self, overview: K) {
        if !self.due.contains_key(&overview) {
            self.touches += 1;
            self.order.insert(self.touches, overview.clone());
            self.due.insert(overview, self.touches);
        }
    }

    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// The one to write now: of those whose pause is over the one that was touched first.
    pub fn next(&self, now: Instant) -> Option<K> {
        if self.rest_until.is_some_and(|until| now < until) {
            return None;
        }
        let mut due = self.order.values();
        due.find(|overview| self.turn(overview).is_none_or(|turn| now >= turn))
            .cloned()
    }

    /// The one to write when nothing is rested for any more.
    pub fn next_at_once(&self) -> Option<K> {
        self.order.values().next().cloned()
    }

    /// How long nothing is to be done; `None` if nothing is due at all.
    pub fn pause(&self, now: Instant) -> Option<Duration> {
        let due = self.order.values();
        let turn = due
            .map(|overview| self.turn(overview).unwrap_or(now))
            .min()?;
        let moment = self.rest_until.map_or(turn, |rest| rest.max(turn));
        Some(moment.saturating_duration_since(now))
    }

    /// When its pause is over; `None` if it was not written lately.
    fn turn(&self, overview: &K) -> Option<Instant> {
        let written = self.written.get(overview)?;
        Some(*written + (self.pause_of)(overview))
    }

    /// It was written, which took so much CPU time.
    pub fn done(&mut self, overview: K, now: Instant, took: Duration) {
        if let Some(touch) = self.due.remove(&overview) {
            self.order.remove(&touch);
        }
        let pause_of = self.pause_of;
        self.written
            .retain(|one, at| now.saturating_duration_since(*at) < pause_of(one));
        self.written.insert(overview, now);
        self.rest_until = now.checked_add(took.saturating_mul(REST));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{PAUSE, Schedule};

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn all_together_take_a_hundredth() {
        let mut schedule = Schedule::new(|_| PAUSE);
        let start = Instant::now();
        let mut now = start;
        let took = 10 * MS;
        let mut worked = Duration::ZERO;
        for _ in 0..1_000 {
            for key in 0..50 {
                schedule.touch(key);
            }
            if let Some(key) = schedule.next(now) {
                now += took;
                worked += took;
                schedule.done(key, now, took);
            } else {
                now += schedule.pause(now).unwrap();
            }
        }
        assert!(worked * 100 <= now - start + 100 * took, "{worked:?}");
        // And it does not rest for longer.
        assert!(worked * 101 >= now - start, "{worked:?}");
    }

    #[test]
    fn nobody_waits_for_ever() {
        // The rest after a long writing is longer than the pause.
        for took in [MS, 100 * MS] {
            let mut schedule = Schedule::new(|_| PAUSE);
            let mut now = Instant::now();
            let mut written = Vec::new();
            for _ in 0..6 {
                for key in ["a", "b", "c"] {
                    schedule.touch(key);
                }
                now += schedule.pause(now).unwrap();
                let key = schedule.next(now).unwrap();
                now += took;
                schedule.done(key, now, took);
                written.push(key);
            }
            assert_eq!(written, ["a", "b", "c", "a", "b", "c"], "{took:?}");
        }
    }

    #[test]
    fn one_with_a_longer_pause_holds_up_no_other() {
        let start = Instant::now();
        let mut schedule = Schedule::new(|key| if *key == "slow" { 30 * PAUSE } else { PAUSE });
        for key in ["slow", "quick"] {
            schedule.touch(key);
            schedule.done(key, start, Duration::ZERO);
            schedule.touch(key);
        }
        assert_eq!(schedule.pause(start), Some(PAUSE));
        assert_eq!(schedule.next(start + PAUSE), Some("quick"));
        schedule.done("quick", start + PAUSE, Duration::ZERO);
        assert_eq!(schedule.next(start + 29 * PAUSE), None);
        assert_eq!(schedule.pause(start + PAUSE), Some(29 * PAUSE));
        assert_eq!(schedule.next_at_once(), Some("slow"));
        assert_eq!(schedule.next(start + 30 * PAUSE), Some("slow"));
    }
}
