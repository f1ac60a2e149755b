//! When which overview is written again. Pure: moments come in, nothing is waited for.
//!
//! Each is written at most once a second, and after each the others wait twenty times as long as it took:
//! so however many there are, all of them together take at most a twentieth of one core.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The least time between two writings of one overview.
pub const PAUSE: Duration = Duration::from_secs(1);
/// How many times as long as a writing took is rested after it.
const REST: u32 = 19;

/// What is to be written, and what was written lately.
#[derive(Debug)]
pub struct Schedule<K> {
    due: BTreeSet<K>,
    /// When each was written last, as far as that still matters.
    written: BTreeMap<K, Instant>,
    rest_until: Option<Instant>,
}

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self {
            due: BTreeSet::new(),
            written: BTreeMap::new(),
            rest_until: None,
        }
    }
}

impl<K: Ord + Clone> Schedule<K> {
    /// Something that it shows has changed.
    pub fn touch(&mut self, overview: K) {
        self.due.insert(overview);
    }

    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// The one to write now; the one whose turn is the longest ago.
    pub fn next(&self, now: Instant) -> Option<K> {
        if self.rest_until.is_some_and(|until| now < until) {
            return None;
        }
        self.longest_ago()
            .filter(|(_, at)| at.is_none_or(|at| now >= at + PAUSE))
            .map(|(overview, _)| overview.clone())
    }

    /// The one to write when nothing is rested for any more.
    pub fn next_at_once(&self) -> Option<K> {
        self.due.first().cloned()
    }

    /// How long nothing is to be done; none where nothing is due at all.
    pub fn pause(&self, now: Instant) -> Option<Duration> {
        let (_, written) = self.longest_ago()?;
        let turn = written.map_or(now, |at| at + PAUSE);
        let moment = self.rest_until.map_or(turn, |rest| rest.max(turn));
        Some(moment.saturating_duration_since(now))
    }

    fn longest_ago(&self) -> Option<(&K, Option<Instant>)> {
        let due = self.due.iter();
        due.map(|overview| (overview, self.written.get(overview).copied()))
            .min_by_key(|(_, at)| *at)
    }

    /// It was written, which took a while until now.
    pub fn done(&mut self, overview: K, now: Instant, took: Duration) {
        self.due.remove(&overview);
        self.written
            .retain(|_, at| now.saturating_duration_since(*at) < PAUSE);
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
    fn each_at_most_once_a_second() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        assert_eq!((schedule.next(start), schedule.pause(start)), (None, None));
        schedule.touch("a");
        assert_eq!(schedule.next(start), Some("a"));
        schedule.done("a", start, Duration::ZERO);
        assert!(schedule.is_empty());
        schedule.touch("a");
        assert_eq!(schedule.next(start + 400 * MS), None);
        assert_eq!(schedule.pause(start + 400 * MS), Some(600 * MS));
        assert_eq!(schedule.next_at_once(), Some("a"));
        assert_eq!(schedule.next(start + PAUSE), Some("a"));
    }

    #[test]
    fn all_together_take_a_twentieth() {
        let mut schedule = Schedule::default();
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
        assert!(worked * 20 <= now - start + 20 * took, "{worked:?}");
        assert!(
            worked * 21 >= now - start,
            "and it does not rest for longer"
        );
    }

    #[test]
    fn nobody_waits_for_ever() {
        let mut schedule = Schedule::default();
        let mut now = Instant::now();
        let mut written = Vec::new();
        for _ in 0..6 {
            for key in ["a", "b", "c"] {
                schedule.touch(key);
            }
            now += schedule.pause(now).unwrap();
            let key = schedule.next(now).unwrap();
            schedule.done(key, now, MS);
            written.push(key);
        }
        assert_eq!(written, ["a", "b", "c", "a", "b", "c"]);
    }
}
