//! Which course a free place asks next: pure. Courses take turns, so that none of several on one
//! server is served first for good.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::cluster::subjects::Name;
use crate::cluster::wire::{HeartbeatReply, Id, News, PROTOCOL_VERSION};
use crate::places::are_alike;

/// Courses that a worker serves at a time; others are not heard.
const COURSES_MAX: usize = 64;
/// A course that is silent for so long is not asked.
const SILENT: Duration = Duration::from_secs(15);
/// A course that is heard and answers nothing for so long does not hear this worker.
const UNANSWERED: Duration = Duration::from_secs(10);
/// How long a place waits at the only course.
const WAIT: Duration = Duration::from_secs(2);
/// How long it waits at one of several that has nothing: another one may have something meanwhile.
const SHORT_WAIT: Duration = Duration::from_millis(500);

/// The courses on the server.
#[derive(Default)]
pub struct Courses(BTreeMap<Name, Course>);

/// A course, as it was heard last.
struct Course {
    daemon: Id,
    heard: Instant,
    /// Whether orders waited when it was heard, and it was not asked in vain since.
    has_work: bool,
    /// The same of orders that can wait.
    has_idle: bool,
    asked: Option<Instant>,
    /// Whether this worker may get any of its orders, as far as it has said.
    serves: bool,
    /// When it has answered last, or was first heard; none once it was said that it does not.
    answered: Option<Instant>,
    why_not: Vec<String>,
}

/// What news of a course says.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// The course is new here, or its daemon has started again: what was out is forgotten.
    Begins,
    /// It goes on.
    GoesOn,
    /// It speaks another language, or there are too many courses.
    Ignored,
}

/// A course that a place asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub course: Name,
    /// Whether an order is welcome that can wait: not while a course has others.
    pub takes_idle: bool,
    /// How long it may wait there.
    pub wait: Duration,
}

impl Course {
    fn may_be_asked(&self, now: Instant) -> bool {
        now.duration_since(self.heard) < SILENT && self.serves
    }
}

impl Courses {
    /// Takes in the news of a course.
    pub fn heard(&mut self, name: &Name, news: &News, now: Instant) -> Heard {
        if news.shape != PROTOCOL_VERSION
            || (self.0.len() >= COURSES_MAX && !self.0.contains_key(name))
        {
            return Heard::Ignored;
        }
        let (has_work, has_idle) = (news.waiting > 0, news.idle > 0);
        let known = self.0.get_mut(name);
        if let Some(course) = known.filter(|course| course.daemon == news.daemon) {
            (course.heard, course.has_work, course.has_idle) = (now, has_work, has_idle);
            return Heard::GoesOn;
        }
        let course = Course {
            daemon: news.daemon.clone(),
            heard: now,
            has_work,
            has_idle,
            asked: None,
            serves: true,
            answered: Some(now),
            why_not: Vec::new(),
        };
        self.0.insert(name.clone(), course);
        Heard::Begins
    }

    /// Takes in what a course says of this worker; says whether its reasons are others than before,
    /// and not only their figures.
    pub fn stands(&mut self, name: &Name, standing: &HeartbeatReply) -> bool {
        let Some(course) = self.0.get_mut(name) else {
            return false;
        };
        course.serves = standing.is_used;
        let is_other = !are_alike(&course.why_not, &standing.why_not);
        course.why_not.clone_from(&standing.why_not);
        is_other
    }

    /// The course that a place asks: of those that have work, and of all where none has, the one that
    /// was asked longest ago. Notes that it is asked.
    pub fn next(&mut self, now: Instant) -> Option<Turn> {
        let takes_idle = !self.have_work(now);
        let has = |course: &Course| course.has_work || takes_idle && course.has_idle;
        let courses = self.0.iter_mut();
        let mut courses: Vec<_> = courses
            .filter(|(_, course)| course.may_be_asked(now))
            .collect();
        let is_alone = courses.len() == 1;
        courses.sort_by_key(|(_, course)| (!has(course), course.asked));
        let (name, course) = courses.into_iter().next()?;
        course.asked = Some(now);
        let wait = match (is_alone, has(course)) {
            (true, _) => WAIT,
            (false, true) => Duration::ZERO,
            (false, false) => SHORT_WAIT,
        };
        Some(Turn {
            course: name.clone(),
            takes_idle,
            wait,
        })
    }

    /// Whether a course that may be asked has orders that cannot wait.
    pub fn have_work(&self, now: Instant) -> bool {
        let mut courses = self.0.values();
        courses.any(|course| course.has_work && course.may_be_asked(now))
    }

    /// Nothing of a course suits this worker now.
    pub fn asked_in_vain(&mut self, name: &Name) {
        if let Some(course) = self.0.get_mut(name) {
            (course.has_work, course.has_idle) = (false, false);
        }
    }

    /// Whether a course gives this worker no orders.
    pub fn is_refused(&self) -> bool {
        self.0.values().any(|course| !course.serves)
    }

    /// A course has not answered. Whether that has lasted, and was not said yet.
    pub fn unanswered(&mut self, name: &Name, now: Instant) -> bool {
        let course = self.0.get_mut(name);
        let answered = course.map(|course| &mut course.answered);
        let lasts = |answered: &mut Instant| now.duration_since(*answered) >= UNANSWERED;
        answered.is_some_and(|answered| answered.take_if(lasts).is_some())
    }

    /// A course has answered. Whether it was said that it does not.
    pub fn answered(&mut self, name: &Name, now: Instant) -> bool {
        let course = self.0.get_mut(name);
        course.is_some_and(|course| course.answered.replace(now).is_none())
    }

    /// The courses that are heard; those that are silent are taken out and returned.
    pub fn there(&mut self, now: Instant) -> (Vec<Name>, Vec<Name>) {
        let is_silent = |_: &Name, course: &mut Course| now.duration_since(course.heard) >= SILENT;
        let silent = self.0.extract_if(.., is_silent).map(|(name, _)| name);
        let silent = silent.collect();
        (self.0.keys().cloned().collect(), silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    fn news(daemon: &str, waiting: usize, idle: usize) -> News {
        News {
            shape: PROTOCOL_VERSION,
            daemon: Id(daemon.to_owned()),
            waiting,
            idle,
        }
    }

    fn standing(is_used: bool, why_not: &[&str]) -> HeartbeatReply {
        HeartbeatReply {
            is_unknown: false,
            has_to_prove: false,
            is_used,
            why_not: why_not.iter().map(|&why| why.to_owned()).collect(),
            drop: Vec::new(),
        }
    }

    /// Courses that have said what waits, and what can wait.
    fn courses(said: &[(&str, usize, usize)], now: Instant) -> Courses {
        let mut courses = Courses::default();
        for (course, waiting, idle) in said {
            let heard = courses.heard(&name(course), &news("a", *waiting, *idle), now);
            assert_eq!(heard, Heard::Begins);
        }
        courses
    }

    fn asked(courses: &mut Courses, now: Instant) -> Option<(String, bool, bool)> {
        let next = courses.next(now)?;
        let (takes_idle, waits) = (next.takes_idle, !next.wait.is_zero());
        Some((next.course.to_string(), takes_idle, waits))
    }

    fn turn(course: &str, takes_idle: bool, waits: bool) -> (String, bool, bool) {
        (course.to_owned(), takes_idle, waits)
    }

    #[test]
    fn courses_with_work_take_turns_and_a_place_waits_only_where_none_has_any() {
        let now = Instant::now();
        let at = |ms| now + Duration::from_millis(ms);
        let mut all = courses(&[("algo", 1, 0), ("beta", 0, 0), ("ceta", 1, 0)], now);
        for (ms, course) in [(1, "algo"), (2, "ceta"), (3, "algo"), (4, "ceta")] {
            assert_eq!(asked(&mut all, at(ms)), Some(turn(course, false, false)));
        }
        for course in ["algo", "ceta"] {
            all.asked_in_vain(&name(course));
        }
        assert_eq!(asked(&mut all, at(6)), Some(turn("beta", true, true)));
        all.heard(&name("algo"), &news("a", 1, 0), at(7));
        assert_eq!(asked(&mut all, at(8)), Some(turn("algo", false, false)));
        // The only course is waited at whether it has something or not.
        let mut one = courses(&[("algo", 1, 0)], now);
        assert_eq!(asked(&mut one, now), Some(turn("algo", false, true)));
    }

    #[test]
    fn what_can_wait_is_taken_only_while_no_course_has_other_work() {
        let now = Instant::now();
        let mut all = courses(&[("algo", 0, 3), ("beta", 1, 0)], now);
        assert_eq!(asked(&mut all, now), Some(turn("beta", false, false)));
        // A course with work that this worker gets nothing of holds up nobody.
        all.stands(&name("beta"), &standing(false, &["it is too slow"]));
        assert_eq!(asked(&mut all, now), Some(turn("algo", true, true)));
        assert!(!all.have_work(now));
        all.heard(&name("ceta"), &news("a", 1, 0), now);
        assert!(all.have_work(now));
    }

    #[test]
    fn a_course_that_gives_nothing_here_or_is_silent_is_not_asked() {
        let start = Instant::now();
        let mut all = courses(&[("algo", 1, 0)], start);
        let slow = standing(false, &["it is 12 % slower"]);
        assert!(all.stands(&name("algo"), &slow) && !all.stands(&name("algo"), &slow));
        // Figures change with each measurement.
        assert!(!all.stands(&name("algo"), &standing(false, &["it is 14 % slower"])));
        assert!(all.is_refused());
        assert_eq!(asked(&mut all, start), None);
        assert!(all.stands(&name("algo"), &standing(true, &[])));
        assert_eq!(asked(&mut all, start), Some(turn("algo", false, true)));
        let late = start + SILENT;
        assert_eq!(asked(&mut all, late), None);
        assert_eq!(all.there(late), (vec![], vec![name("algo")]));
        // Its daemon starts again, and has forgotten what was out.
        let heard = all.heard(&name("algo"), &news("b", 0, 0), late);
        assert_eq!(heard, Heard::Begins);
        let mut other = news("c", 1, 0);
        other.shape = PROTOCOL_VERSION + 1;
        assert_eq!(all.heard(&name("algo"), &other, late), Heard::Ignored);
    }
}
