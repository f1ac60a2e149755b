//! The courses that have been heard of, and which one is asked for orders next: each in its turn, and
//! none more often than it helps.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::cluster::subjects::Name;
use crate::cluster::wire::{Id, News, SHAPE, Standing};

/// Courses that are remembered.
const COURSES_MAX: usize = 256;
/// A course that says nothing for this long is gone, until it says something.
const SILENT: Duration = Duration::from_secs(30);
/// The pause after an answer without orders. It doubles with each one, so that many places which wait
/// for a few orders do not keep the daemon busy.
const PAUSE_MIN: Duration = Duration::from_millis(15);
/// The longest such pause.
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// How often a course is asked that says that nothing waits: its news may have been lost.
const ASK_ANYWAY: Duration = Duration::from_secs(5);

/// Those that have been heard of.
#[derive(Default)]
pub struct Courses {
    known: BTreeMap<Name, Course>,
    turns: u64,
}

/// What is known of a course.
struct Course {
    daemon: Id,
    heard: Instant,
    waiting: usize,
    standing: Option<Standing>,
    /// When it had its last turn.
    turn: u64,
    asked: Option<Instant>,
    pause: Duration,
    not_before: Instant,
    /// The daemon that was told what this worker is, and which version of it.
    told: Option<(Id, u64)>,
}

/// What news mean.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A course that was not known, or has been silent.
    New,
    /// The daemon is another one: it has forgotten all orders.
    Restarted,
    /// Nothing changed but what waits.
    Same,
    /// Its messages are those of another version, for the first time.
    OtherVersion,
    /// There are too many courses, or it is still another version.
    Ignored,
}

/// How a course looks at this worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stands {
    /// Languages whose orders it gives.
    pub languages: usize,
    /// Why not all.
    pub why_not: Vec<String>,
}

impl Courses {
    /// News have come.
    pub fn heard(&mut self, name: &Name, news: &News, now: Instant) -> Heard {
        self.known
            .retain(|_, course| now < course.heard + SILENT * 10);
        let is_other = news.shape != SHAPE;
        if let Some(course) = self.known.get_mut(name) {
            let was_silent = now > course.heard + SILENT;
            course.heard = now;
            course.waiting = news.waiting;
            let is_restarted = course.daemon != news.daemon;
            if is_restarted || was_silent {
                course.begin_anew(&news.daemon, now);
            }
            return match (is_other, is_restarted, was_silent) {
                (true, true, _) => Heard::OtherVersion,
                (true, false, _) => Heard::Ignored,
                (false, true, _) => Heard::Restarted,
                (false, false, true) => Heard::New,
                (false, false, false) => Heard::Same,
            };
        }
        if self.known.len() >= COURSES_MAX {
            return Heard::Ignored;
        }
        let mut course = Course {
            daemon: news.daemon.clone(),
            heard: now,
            waiting: news.waiting,
            standing: None,
            turn: 0,
            asked: None,
            pause: PAUSE_MIN,
            not_before: now,
            told: None,
        };
        course.begin_anew(&news.daemon, now);
        self.known.insert(name.clone(), course);
        if is_other {
            Heard::OtherVersion
        } else {
            Heard::New
        }
    }

    /// The courses that hear of this worker: those that are there.
    pub fn there(&self, now: Instant) -> Vec<Name> {
        let is_there = |(_, course): &(&Name, &Course)| now <= course.heard + SILENT;
        let there = self.known.iter().filter(is_there);
        there.map(|(name, _)| name.clone()).collect()
    }

    /// Whether this version of what the worker is has to be told to a course.
    pub fn has_to_tell(&self, name: &Name, version: u64) -> bool {
        self.known
            .get(name)
            .is_some_and(|course| course.told.as_ref() != Some(&(course.daemon.clone(), version)))
    }

    /// A course has answered a beat, which told it this version of what the worker is, if any. Says
    /// how it looks at the worker, if that is news, and whether its daemon is another one.
    pub fn stands(
        &mut self,
        name: &Name,
        standing: Standing,
        told: Option<u64>,
        now: Instant,
    ) -> (Option<Stands>, bool) {
        let Some(course) = self.known.get_mut(name) else {
            return (None, false);
        };
        course.heard = now;
        let is_restarted = course.daemon != standing.daemon;
        if is_restarted {
            course.begin_anew(&standing.daemon, now);
        }
        match told {
            _ if standing.is_unknown => course.told = None,
            Some(version) => course.told = Some((standing.daemon.clone(), version)),
            None => {}
        }
        let of = |standing: &Standing| Stands {
            languages: standing.languages.len(),
            why_not: standing.why_not.clone(),
        };
        let new = of(&standing);
        let is_known = course.standing.as_ref().map(of).as_ref() == Some(&new);
        let is_final = !standing.is_unknown;
        course.standing = Some(standing);
        ((!is_known && is_final).then_some(new), is_restarted)
    }

    /// The course whose turn it is, if one may have an order for this worker.
    pub fn next(&mut self, now: Instant) -> Option<Name> {
        let ready = self.known.iter_mut();
        let ready = ready.filter(|(_, course)| course.is_ready(now));
        let (name, course) = ready.min_by_key(|(_, course)| course.turn)?;
        self.turns += 1;
        course.turn = self.turns;
        course.asked = Some(now);
        Some(name.clone())
    }

    /// Whether a course that has orders is only asked a moment later.
    pub fn is_pausing(&self, now: Instant) -> bool {
        let pauses = |course: &Course| course.waiting > 0 && now < course.not_before;
        self.known.values().any(pauses)
    }

    /// A course had an order, or had none.
    pub fn answered(&mut self, name: &Name, had_orders: bool, now: Instant) {
        let Some(course) = self.known.get_mut(name) else {
            return;
        };
        if had_orders {
            course.pause = PAUSE_MIN;
            course.not_before = now;
        } else {
            course.not_before = now + course.pause;
            course.pause = (course.pause * 2).min(PAUSE_MAX);
            course.waiting = 0;
        }
    }

    /// Whether these orders' daemon is still the one that gave them.
    pub fn is_daemon(&self, name: &Name, daemon: &Id) -> bool {
        let course = self.known.get(name);
        course.is_some_and(|course| course.daemon == *daemon)
    }
}

impl Course {
    fn begin_anew(&mut self, daemon: &Id, now: Instant) {
        self.daemon = daemon.clone();
        self.standing = None;
        self.told = None;
        self.pause = PAUSE_MIN;
        self.not_before = now;
    }

    fn is_ready(&self, now: Instant) -> bool {
        let standing = self.standing.as_ref();
        let may_get = standing.is_some_and(|standing| !standing.languages.is_empty());
        let is_due = self.asked.is_none_or(|asked| now >= asked + ASK_ANYWAY);
        may_get
            && now <= self.heard + SILENT
            && now >= self.not_before
            && (self.waiting > 0 || is_due)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{ASK_ANYWAY, Courses, Heard, PAUSE_MAX, SILENT};
    use crate::cluster::subjects::Name;
    use crate::cluster::wire::{Id, News, SHAPE, Standing};
    use crate::domain::LanguageId;

    fn name(text: &str) -> Name {
        Name::new(text).unwrap()
    }

    fn news(daemon: &str, waiting: usize) -> News {
        News {
            shape: SHAPE,
            daemon: Id(daemon.to_owned()),
            waiting,
        }
    }

    fn standing(daemon: &str, languages: &[&str]) -> Standing {
        Standing {
            daemon: Id(daemon.to_owned()),
            is_unknown: false,
            languages: languages
                .iter()
                .map(|id| LanguageId::new(id).unwrap())
                .collect(),
            why_not: Vec::new(),
            drop: Vec::new(),
        }
    }

    fn joined(courses: &[&str], now: Instant) -> Courses {
        let mut all = Courses::default();
        for course in courses {
            all.heard(&name(course), &news("a", 9), now);
            all.stands(&name(course), standing("a", &["c"]), Some(1), now);
        }
        all
    }

    #[test]
    fn courses_are_asked_in_turn() {
        let now = Instant::now();
        let mut courses = joined(&["one", "three", "two"], now);
        let mut asked = Vec::new();
        for _ in 0..9 {
            let next = courses.next(now).unwrap();
            courses.answered(&next, true, now);
            asked.push(next);
        }
        for course in ["one", "two", "three"] {
            let turns = asked.iter().filter(|next| **next == name(course));
            assert_eq!(turns.count(), 3, "{course}");
        }
    }

    #[test]
    fn a_course_without_orders_is_asked_less_and_less_and_never_forgotten() {
        let mut now = Instant::now();
        let mut courses = joined(&["one"], now);
        let mut last = Duration::ZERO;
        for _ in 0..10 {
            assert!(courses.next(now).is_some());
            courses.answered(&name("one"), false, now);
            courses.heard(&name("one"), &news("a", 1), now);
            let begin = now;
            while courses.known[&name("one")].not_before > now {
                assert!(courses.next(now).is_none());
                now += Duration::from_millis(1);
            }
            assert!(now - begin >= last && now - begin <= PAUSE_MAX);
            last = now - begin;
        }
        courses.next(now).unwrap();
        courses.answered(&name("one"), false, now);
        now += PAUSE_MAX;
        assert!(courses.next(now).is_none(), "nothing waits");
        now += ASK_ANYWAY;
        assert!(courses.next(now).is_some(), "news may be lost");
        courses.heard(&name("one"), &news("a", 0), now);
        now += SILENT + ASK_ANYWAY;
        assert!(courses.next(now).is_none(), "it is gone");
        assert!(courses.there(now).is_empty());
        assert_eq!(courses.heard(&name("one"), &news("a", 1), now), Heard::New);
        courses.stands(&name("one"), standing("a", &["c"]), None, now);
        assert!(courses.next(now).is_some());
    }

    #[test]
    fn another_daemon_is_told_anew_what_the_worker_is() {
        let now = Instant::now();
        let mut courses = joined(&["one"], now);
        let one = name("one");
        assert!(!courses.has_to_tell(&one, 1));
        assert!(courses.has_to_tell(&one, 2), "it has changed");
        assert_eq!(courses.heard(&one, &news("a", 0), now), Heard::Same);
        assert_eq!(courses.heard(&one, &news("b", 5), now), Heard::Restarted);
        assert!(courses.has_to_tell(&one, 1));
        assert!(
            courses.next(now).is_none(),
            "it has said nothing of this worker"
        );
        let (news, is_restarted) = courses.stands(&one, standing("b", &[]), Some(1), now);
        assert_eq!(news.unwrap().languages, 0);
        assert!(!is_restarted);
        assert!(courses.next(now).is_none(), "no language");
        let (news, is_restarted) = courses.stands(&one, standing("c", &["c"]), Some(1), now);
        assert!(news.is_some() && is_restarted);
        assert!(courses.is_daemon(&one, &Id("c".to_owned())));
        let (news, _) = courses.stands(&one, standing("c", &["c"]), None, now);
        assert_eq!(news, None, "it is said once");
    }
}
