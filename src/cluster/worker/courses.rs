//! Which course a free place asks next: pure. Courses take turns, so that none of several on one
//! server is served first for good.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::cluster::subjects::Name;
use crate::cluster::wire::{Id, News, SHAPE, Standing};

/// Courses that a worker serves at a time; others are not heard.
pub const COURSES_MAX: usize = 64;
/// A course that is silent for so long is not asked.
const SILENT: Duration = Duration::from_secs(15);
/// A course that is heard and answers nothing for so long does not hear this worker.
const UNANSWERED: Duration = Duration::from_secs(10);
/// A course that had nothing that suits is asked again after this pause, because news may be lost.
const AGAIN: Duration = Duration::from_secs(5);

/// The pause after an answer without orders. It doubles with each one, so that many places which
/// wait for a few orders do not keep the daemon busy.
const PAUSE_MIN: Duration = Duration::from_millis(15);
/// The longest such pause.
const PAUSE_MAX: Duration = Duration::from_millis(500);

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
    /// When it was asked last.
    asked: Option<Instant>,
    /// Nobody asks it before, because it was asked in vain, and how long the next such pause is.
    not_before: Option<Instant>,
    pause: Duration,
    /// Whether this worker may get any of its orders, as far as it has said.
    serves: bool,
    /// When it has answered last, or was first heard; none once it was said that it does not.
    answered: Option<Instant>,
    why_not: Vec<String>,
    /// Which version of what the worker is it was told of.
    said: Option<u64>,
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

impl Course {
    fn may_be_asked(&self, now: Instant) -> bool {
        let pauses = self.not_before.is_some_and(|until| now < until);
        now.duration_since(self.heard) < SILENT && self.serves && !pauses
    }
}

impl Courses {
    /// Takes in the news of a course.
    pub fn heard(&mut self, name: &Name, news: &News, now: Instant) -> Heard {
        if news.shape != SHAPE || (self.0.len() >= COURSES_MAX && !self.0.contains_key(name)) {
            return Heard::Ignored;
        }
        let known = self.0.get_mut(name);
        if let Some(course) = known.filter(|course| course.daemon == news.daemon) {
            course.heard = now;
            course.has_work |= news.waiting > 0;
            course.has_idle |= news.idle > 0;
            return Heard::GoesOn;
        }
        let course = Course {
            daemon: news.daemon.clone(),
            heard: now,
            has_work: news.waiting > 0,
            has_idle: news.idle > 0,
            asked: None,
            not_before: None,
            pause: PAUSE_MIN,
            serves: true,
            why_not: Vec::new(),
            said: None,
            answered: Some(now),
        };
        self.0.insert(name.clone(), course);
        Heard::Begins
    }

    /// Takes in what a course says of this worker; says whether its reasons are others than before.
    pub fn stands(&mut self, name: &Name, standing: &Standing) -> bool {
        let Some(course) = self.0.get_mut(name) else {
            return false;
        };
        course.serves = !standing.languages.is_empty() || standing.is_unknown;
        if standing.is_unknown {
            course.said = None;
        }
        let is_other = course.why_not != standing.why_not;
        course.why_not.clone_from(&standing.why_not);
        is_other
    }

    /// The course that a place asks which is free since `free`: of those that may have work, the one
    /// that was asked longest ago. Notes that it is asked. Says too whether an order is welcome that
    /// can wait: not while a course has others.
    pub fn next(&mut self, free: Instant, now: Instant) -> Option<(Name, bool)> {
        let takes_idle = !self.have_work(now);
        let may_have = |course: &Course| {
            let is_due = course
                .asked
                .is_none_or(|asked| asked < free || now.duration_since(asked) >= AGAIN);
            course.may_be_asked(now) && (course.has_work || takes_idle && course.has_idle || is_due)
        };
        let courses = self.0.iter_mut().filter(|(_, course)| may_have(course));
        let (name, course) = courses.min_by_key(|(_, course)| course.asked)?;
        course.asked = Some(now);
        Some((name.clone(), takes_idle))
    }

    /// Whether a course that may be asked has orders that cannot wait.
    pub fn have_work(&self, now: Instant) -> bool {
        let mut courses = self.0.values();
        courses.any(|course| course.has_work && course.may_be_asked(now))
    }

    /// Nothing of a course suits this worker now.
    pub fn asked_in_vain(&mut self, name: &Name, now: Instant) {
        if let Some(course) = self.0.get_mut(name) {
            (course.has_work, course.has_idle) = (false, false);
            course.not_before = Some(now + course.pause);
            course.pause = (course.pause * 2).min(PAUSE_MAX);
        }
    }

    /// A course had orders for this worker.
    pub fn asked_well(&mut self, name: &Name) {
        if let Some(course) = self.0.get_mut(name) {
            course.not_before = None;
            course.pause = PAUSE_MIN;
        }
    }

    /// How long it is until the next course may be asked that has work; none where none has.
    pub fn pause(&self, now: Instant) -> Option<Duration> {
        let with_work = |course: &&Course| course.has_work || course.has_idle;
        let with_work = self.0.values().filter(with_work);
        let pauses = with_work.filter_map(|course| course.not_before?.checked_duration_since(now));
        pauses.min()
    }

    /// A course may not have heard what this worker is.
    pub fn unsay(&mut self, name: &Name) {
        if let Some(course) = self.0.get_mut(name) {
            course.said = None;
        }
    }

    /// Whether a course was told of this version of what the worker is; from now on it was.
    pub fn is_said(&mut self, name: &Name, version: u64) -> bool {
        let course = self.0.get_mut(name);
        course.is_some_and(|course| course.said.replace(version) == Some(version))
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
        let is_there = |course: &Course| now.duration_since(course.heard) < SILENT;
        let silent = self.0.iter().filter(|(_, course)| !is_there(course));
        let silent: Vec<Name> = silent.map(|(name, _)| name.clone()).collect();
        self.0.retain(|_, course| is_there(course));
        (self.0.keys().cloned().collect(), silent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::LanguageId;

    fn name(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    fn news(daemon: &str, waiting: usize) -> News {
        News {
            shape: SHAPE,
            daemon: Id(daemon.to_owned()),
            waiting,
            idle: 0,
        }
    }

    fn standing(languages: &[&str], why_not: &[&str]) -> Standing {
        Standing {
            daemon: Id("a".to_owned()),
            is_unknown: false,
            languages: languages
                .iter()
                .map(|id| LanguageId::new(id).unwrap())
                .collect(),
            why_not: why_not.iter().map(|&why| why.to_owned()).collect(),
            drop: Vec::new(),
        }
    }

    #[test]
    fn courses_with_work_take_turns() {
        let mut courses = Courses::default();
        let start = Instant::now();
        for course in ["algo", "beta", "ceta"] {
            let waiting = usize::from(course != "beta");
            assert_eq!(
                courses.heard(&name(course), &news("a", waiting), start),
                Heard::Begins
            );
        }
        let at = |ms| start + Duration::from_millis(ms);
        // A place that has just become free asks each once, whatever the news say.
        let asked = |courses: &mut Courses, free, ms| {
            let asked = courses.next(at(free), at(ms));
            asked.map(|(name, _)| name)
        };
        for (ms, course) in [(1, "algo"), (2, "beta"), (3, "ceta")] {
            assert_eq!(asked(&mut courses, 1, ms), Some(name(course)));
        }
        courses.asked_in_vain(&name("beta"), at(3));
        for (ms, course) in [(4, "algo"), (5, "ceta"), (6, "algo"), (7, "ceta")] {
            assert_eq!(asked(&mut courses, 1, ms), Some(name(course)), "{ms}");
        }
        courses.asked_in_vain(&name("algo"), at(7));
        courses.asked_in_vain(&name("ceta"), at(7));
        assert_eq!(asked(&mut courses, 1, 8), None);
        // News, or a pause, or a place that is free since then.
        assert_eq!(
            courses.heard(&name("beta"), &news("a", 2), at(9)),
            Heard::GoesOn
        );
        assert_eq!(asked(&mut courses, 1, 30), Some(name("beta")));
        courses.asked_in_vain(&name("beta"), at(31));
        assert_eq!(asked(&mut courses, 31, 32), Some(name("algo")));
        assert_eq!(asked(&mut courses, 1, 5_008), Some(name("ceta")));
    }

    #[test]
    fn what_can_wait_is_taken_only_while_no_course_has_other_work() {
        let mut courses = Courses::default();
        let start = Instant::now();
        let idle = |course: &str, waiting, idle| {
            let news = News {
                idle,
                ..news("a", waiting)
            };
            (name(course), news)
        };
        for (course, news) in [idle("algo", 0, 3), idle("beta", 1, 0)] {
            courses.heard(&course, &news, start);
            // Each was asked since the place is free, so that only news count.
            courses.0.get_mut(&course).unwrap().asked = Some(start);
        }
        let next = |courses: &mut Courses| courses.next(start, start);
        assert_eq!(next(&mut courses), Some((name("beta"), false)));
        assert_eq!(next(&mut courses), Some((name("beta"), false)));
        courses.asked_in_vain(&name("beta"), start);
        assert_eq!(next(&mut courses), Some((name("algo"), true)));
        courses.asked_in_vain(&name("algo"), start);
        assert_eq!(next(&mut courses), None);
        // A course with work that this worker gets nothing of holds up nobody.
        let later = start + PAUSE_MIN;
        for (course, news) in [idle("algo", 0, 1), idle("beta", 1, 0)] {
            courses.heard(&course, &news, later);
        }
        courses.stands(&name("beta"), &standing(&[], &["it is too slow"]));
        assert_eq!(courses.next(start, later), Some((name("algo"), true)));
        // Work that comes before the answer is there goes first.
        assert!(!courses.have_work(later));
        courses.heard(&name("ceta"), &news("a", 1), later);
        assert!(courses.have_work(later));
    }

    #[test]
    fn places_that_wait_for_a_few_orders_ask_less_and_less() {
        let mut courses = Courses::default();
        let mut now = Instant::now();
        let mut last = Duration::ZERO;
        courses.heard(&name("algo"), &news("a", 1), now);
        for _ in 0..10 {
            assert_eq!(courses.next(now, now), Some((name("algo"), false)));
            courses.asked_in_vain(&name("algo"), now);
            courses.heard(&name("algo"), &news("a", 1), now);
            assert_eq!(courses.next(now, now), None);
            let pause = courses.pause(now).unwrap();
            assert!(pause >= last && pause <= PAUSE_MAX, "{pause:?}");
            (now, last) = (now + pause, pause);
        }
        assert_eq!(last, PAUSE_MAX);
        courses.asked_well(&name("algo"));
        courses.asked_in_vain(&name("algo"), now);
        courses.heard(&name("algo"), &news("a", 1), now);
        assert_eq!(courses.pause(now), Some(PAUSE_MIN));
    }

    #[test]
    fn a_course_that_never_answers_is_told_of_once() {
        let mut courses = Courses::default();
        let (algo, start) = (name("algo"), Instant::now());
        courses.heard(&algo, &news("a", 1), start);
        let late = start + UNANSWERED;
        assert!(!courses.unanswered(&algo, start));
        assert!(courses.unanswered(&algo, late) && !courses.unanswered(&algo, late));
        assert!(courses.answered(&algo, late) && !courses.answered(&algo, late));
        assert!(!courses.unanswered(&algo, late));
        assert!(courses.unanswered(&algo, late + UNANSWERED));
    }

    #[test]
    fn what_a_course_may_not_have_heard_is_said_again() {
        let mut courses = Courses::default();
        courses.heard(&name("algo"), &news("a", 1), Instant::now());
        for (is_lost, version, is_said) in [
            (false, 0, false),
            (false, 0, true),
            (true, 0, false),
            (false, 1, false),
            (false, 1, true),
        ] {
            if is_lost {
                courses.unsay(&name("algo"));
            }
            assert_eq!(courses.is_said(&name("algo"), version), is_said);
        }
    }

    #[test]
    fn a_course_that_gives_nothing_here_or_is_silent_is_not_asked() {
        let mut courses = Courses::default();
        let start = Instant::now();
        courses.heard(&name("algo"), &news("a", 1), start);
        assert!(courses.stands(&name("algo"), &standing(&[], &["it is too slow"])));
        assert!(!courses.stands(&name("algo"), &standing(&[], &["it is too slow"])));
        assert_eq!(courses.next(start, start), None);
        assert!(courses.stands(&name("algo"), &standing(&["c"], &[])));
        assert_eq!(courses.next(start, start), Some((name("algo"), false)));
        let later = start + SILENT;
        assert_eq!(courses.next(later, later), None);
        assert_eq!(courses.there(later), (vec![], vec![name("algo")]));
        assert!(courses.0.is_empty());
    }

    #[test]
    fn another_life_begins_anew_and_another_shape_is_ignored() {
        let mut courses = Courses::default();
        let start = Instant::now();
        courses.heard(&name("algo"), &news("a", 0), start);
        assert_eq!(
            courses.heard(&name("algo"), &news("b", 0), start),
            Heard::Begins
        );
        assert_eq!(courses.0[&name("algo")].daemon, Id("b".to_owned()));
        let other = News {
            shape: SHAPE + 1,
            ..news("c", 1)
        };
        assert_eq!(courses.heard(&name("algo"), &other, start), Heard::Ignored);
        for number in 0..2 * COURSES_MAX {
            courses.heard(&name(&format!("c{number}")), &news("a", 0), start);
        }
        assert_eq!(courses.there(start).0.len(), COURSES_MAX);
    }
}
