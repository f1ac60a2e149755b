//! What is found out about the tests of a problem: from who fails on which test it follows what they
//! miss and which of them say nothing new. Pure.

use std::time::Duration;

use serde::Serialize;

use super::programs::{CERTAIN, Kind, Tried};
use crate::domain::Verdict;
use crate::package::Package;
use crate::problems::Extent;
use crate::store::HackYield;

/// Up to this share of the limit, an intended program leaves room for one that is written less
/// well.
const ROOM: f64 = 0.5;

/// What came of running everything.
#[derive(Default)]
pub struct Trials {
    pub programs: Vec<Tried>,
    pub mutants: Vec<Mutant>,
    pub extents: Vec<Extent>,
    pub hack_search: HackSearch,
    /// Programs that cannot be tried, each with its reason.
    pub untried: Vec<String>,
    /// Programs that would have been tried if nothing had failed on this side, each with what did.
    pub faults: Vec<String>,
}

/// How good the tests of a problem are.
#[derive(Debug, Serialize)]
pub struct Strength {
    /// What there is to say of the limit.
    pub advice: Option<String>,
    pub bounds: Vec<Bound>,
    pub faults: Vec<String>,
    pub hack_search: HackSearch,
    pub intended: Vec<Timed>,
    pub mutants: Vec<Mutant>,
    problem: String,
    /// Those that should fail.
    pub programs: Vec<Subject>,
    pub slow: Vec<Timed>,
    pub tests: Vec<String>,
    pub title: String,
    pub untried: Vec<String>,
    #[serde(flatten)]
    pub conclusions: Conclusions,
}

/// A program or a mutant that the tests should kill.
#[derive(Debug, Clone, Serialize)]
pub struct Subject {
    pub killed_by: Vec<String>,
    /// Its verdict on each test; none where it was stopped by the time limit on other tests, or on
    /// a heavier one.
    pub marks: Vec<Option<Verdict>>,
    pub name: String,
}

/// A mutant, and what the tests make of it.
#[derive(Debug, Clone, Serialize)]
pub struct Mutant {
    #[serde(flatten)]
    pub subject: Subject,
    /// For one that no test kills, the smallest input that is found which would.
    pub missing: Option<String>,
    pub summary: &'static str,
}

/// What follows from the marks.
#[derive(Debug, Default, Serialize)]
pub struct Conclusions {
    pub killed_by_one: Vec<KilledByOne>,
    /// Tests that kill only what the tests before them kill.
    pub redundant_tests: Vec<String>,
    /// What no test kills.
    pub survivors: Vec<String>,
    /// What was not run on every test, and is killed by none of those on which it was.
    pub undecided: Vec<String>,
}

/// What one test alone kills.
#[derive(Debug, Serialize)]
pub struct KilledByOne {
    pub name: String,
    pub test: String,
}

/// How far the tests use what a quantity may be.
#[derive(Debug, Serialize)]
pub struct Bound {
    pub least: usize,
    pub met_least: Option<usize>,
    pub met_most: Option<usize>,
    pub most: usize,
    pub name: &'static str,
    /// Why tests need not reach the largest value, where they need not.
    pub on_purpose: Option<&'static str>,
}

/// A program on its heaviest test.
#[derive(Debug, Serialize)]
pub struct Timed {
    pub cpu_s: f64,
    /// Whether that is as it should be.
    pub is_fine: bool,
    pub language: String,
    pub limit_s: f64,
    pub name: String,
    /// Its time as a share of the limit.
    pub share: f64,
    pub test: String,
}

/// The search for inputs that break accepted programs: tests that kill all mutants may still
/// miss real mistakes.
#[derive(Debug, Default, Serialize)]
pub struct HackSearch {
    /// `None` without a store.
    pub course: Option<CourseSearch>,
    /// Accepted examples that were attacked.
    pub examples: usize,
    pub hits: Vec<Hit>,
    /// Inputs that they were tried on, all together.
    pub inputs: usize,
}

/// An input on which an accepted example fails.
#[derive(Debug, Serialize)]
pub struct Hit {
    pub input: String,
    pub name: String,
    pub verdict: Verdict,
}

/// What the course's own searches have brought.
#[derive(Debug, Serialize)]
pub struct CourseSearch {
    #[serde(flatten)]
    pub hacks: HackYield,
    pub found: usize,
}

/// Whether a test with this mark kills.
pub fn kills(mark: Option<Verdict>) -> bool {
    mark.is_some_and(|verdict| verdict != Verdict::Accepted)
}

impl Subject {
    pub fn of(name: &str, marks: Vec<Option<Verdict>>, tests: &[String]) -> Self {
        let killers = marks.iter().zip(tests).filter(|(mark, _)| kills(**mark));
        Self {
            killed_by: killers.map(|(_, test)| test.clone()).collect(),
            marks,
            name: name.to_owned(),
        }
    }

    /// The code of each mark, also where there is no verdict.
    pub fn codes(&self) -> impl Iterator<Item = &'static str> {
        let marks = self.marks.iter();
        marks.map(|mark| mark.unwrap_or(Verdict::Skipped).code())
    }

    pub fn is_killed(&self) -> bool {
        !self.killed_by.is_empty()
    }
}

impl Conclusions {
    fn of(subjects: &[&Subject], tests: &[String]) -> Self {
        let mut found = Self::default();
        for subject in subjects {
            let is_whole = subject.marks.iter().all(Option::is_some);
            let name = subject.name.clone();
            match &subject.killed_by[..] {
                // Another test may kill what was not run on all of them.
                [] if !is_whole => found.undecided.push(name),
                [] => found.survivors.push(name),
                [only] if is_whole => {
                    let test = only.clone();
                    found.killed_by_one.push(KilledByOne { name, test });
                }
                _ => {}
            }
        }
        let is_first = |test: &String| {
            let mut first = subjects.iter().map(|subject| subject.killed_by.first());
            first.any(|first| first == Some(test))
        };
        let others = tests.iter().filter(|test| !is_first(test));
        found.redundant_tests = others.cloned().collect();
        found
    }
}

impl Strength {
    pub fn of(package: &Package, trials: Trials) -> Self {
        let tests = package.tests.iter().map(|test| test.name.name.clone());
        let tests: Vec<String> = tests.collect();
        let of_kind = |kind| {
            let programs = trials
                .programs
                .iter()
                .filter(move |tried| tried.kind == kind);
            let mut times: Vec<Timed> = programs
                .filter_map(|tried| Timed::of(tried, &tests))
                .collect();
            times.sort_by(|one, other| other.share.total_cmp(&one.share));
            times
        };
        let (slow, intended) = (of_kind(Kind::Slow), of_kind(Kind::Intended));
        let wrong = trials.programs.iter();
        let wrong = wrong.filter(|tried| tried.kind != Kind::Intended);
        let programs: Vec<Subject> = wrong
            .map(|tried| Subject::of(&tried.name, tried.marks.clone(), &tests))
            .collect();
        let mutants = trials.mutants.iter().map(|mutant| &mutant.subject);
        let subjects: Vec<&Subject> = programs.iter().chain(mutants).collect();
        Self {
            advice: advice(&slow, &intended, package.limits.cpu),
            bounds: trials.extents.iter().map(Bound::of).collect(),
            faults: trials.faults,
            hack_search: trials.hack_search,
            intended,
            conclusions: Conclusions::of(&subjects, &tests),
            mutants: trials.mutants,
            problem: package.slug.to_string(),
            programs,
            slow,
            tests,
            title: package.title.clone(),
            untried: trials.untried,
        }
    }

    /// Programs that should fail, then mutants.
    pub fn subjects(&self) -> Vec<&Subject> {
        let mutants = self.mutants.iter().map(|mutant| &mutant.subject);
        self.programs.iter().chain(mutants).collect()
    }
}

impl Bound {
    pub fn of(extent: &Extent) -> Self {
        let met = extent.met.as_ref();
        Self {
            least: *extent.bounds.start(),
            met_least: met.map(|met| *met.start()),
            met_most: met.map(|met| *met.end()),
            most: *extent.bounds.end(),
            name: extent.name,
            on_purpose: extent.beyond,
        }
    }
}

impl Timed {
    /// `None` for a program that was not run.
    fn of(tried: &Tried, tests: &[String]) -> Option<Self> {
        let (test, cpu) = tried.heaviest()?;
        let (cpu_s, limit_s) = (cpu.as_secs_f64(), tried.limit.as_secs_f64());
        let share = cpu_s / limit_s.max(f64::MIN_POSITIVE);
        Some(Self {
            cpu_s,
            is_fine: match tried.kind {
                Kind::Slow => share >= CERTAIN,
                Kind::Intended | Kind::Wrong => share <= ROOM,
            },
            language: tried.language.to_string(),
            limit_s,
            name: tried.name.clone(),
            share,
            test: tests[test].clone(),
        })
    }
}

/// What there is to say of the limit, if slow programs or intended ones are too near to it.
fn advice(slow: &[Timed], intended: &[Timed], limit: Duration) -> Option<String> {
    if slow.iter().chain(intended).all(|timed| timed.is_fine) {
        return None;
    }
    let shares = |times: &[Timed]| times.iter().map(|timed| timed.share).collect::<Vec<f64>>();
    let least_slow = shares(slow).into_iter().fold(f64::INFINITY, f64::min);
    let most_intended = shares(intended).into_iter().fold(0.0, f64::max);
    let limit = limit.as_secs_f64();
    let (from, to) = (most_intended / ROOM * limit, least_slow / CERTAIN * limit);
    Some(if from <= to && to.is_finite() {
        format!(
            "A limit from {from:.2} s to {to:.2} s leaves room for all intended solutions and is certainly too low for all slow ones."
        )
    } else if to.is_finite() {
        format!(
            "Both cannot hold with these tests: the intended solutions need a limit of at least {from:.2} s, and the slow ones need one of at most {to:.2} s. A heavier test, or a time factor for a language, would part them."
        )
    } else {
        format!("The intended solutions need a limit of at least {from:.2} s.")
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Conclusions, Subject, Timed, advice};
    use crate::domain::Verdict;

    /// `x` for killed, `.` for passed, `?` for not run.
    fn subject(marks: &str) -> Subject {
        let mark = |one| match one {
            'x' => Some(Verdict::WrongAnswer),
            '.' => Some(Verdict::Accepted),
            _ => None,
        };
        Subject::of(marks, marks.chars().map(mark).collect(), &tests())
    }

    fn tests() -> Vec<String> {
        ["0", "1", "2"].map(str::to_owned).to_vec()
    }

    #[test]
    fn conclusions_follow_from_the_marks() {
        // Survivors, what is undecided, what one test alone kills, tests that kill nothing new.
        for (marks, survivors, undecided, by_one, redundant_tests) in [
            ("", "", "", "", "0 1 2"),
            ("...", "...", "", "", "0 1 2"),
            ("x.. .x. ..x", "", "", "x..:0 .x.:1 ..x:2", ""),
            ("xxx .xx ...", "...", "", "", "2"),
            ("x?? ?x.", "", "", "", "2"),
            ("..?", "", "..?", "", "0 1 2"),
            ("... ???", "...", "???", "", "0 1 2"),
        ] {
            let subjects: Vec<Subject> = marks.split_whitespace().map(subject).collect();
            let subjects: Vec<&Subject> = subjects.iter().collect();
            let found = Conclusions::of(&subjects, &tests());
            let by_one_found = found.killed_by_one.iter();
            let by_one_found = by_one_found.map(|one| format!("{}:{}", one.name, one.test));
            let by_one_found: Vec<String> = by_one_found.collect();
            assert_eq!(found.survivors.join(" "), survivors, "{marks}");
            assert_eq!(found.undecided.join(" "), undecided, "{marks}");
            assert_eq!(by_one_found.join(" "), by_one, "{marks}");
            assert_eq!(found.redundant_tests.join(" "), redundant_tests, "{marks}");
        }
    }

    fn timed(share: f64, is_fine: bool) -> Timed {
        Timed {
            cpu_s: 2.0 * share,
            is_fine,
            language: String::new(),
            limit_s: 2.0,
            name: String::new(),
            share,
            test: String::new(),
        }
    }

    #[test]
    fn what_is_too_near_to_the_limit_is_said() {
        let limit = Duration::from_secs(2);
        let say = |slow: &[Timed], intended: &[Timed]| advice(slow, intended, limit);
        assert_eq!(say(&[timed(3.0, true)], &[timed(0.1, true)]), None);
        let parted = say(&[timed(1.5, false)], &[timed(0.1, true)]).unwrap();
        let words = "A limit from 0.40 s to 1.50 s";
        assert!(parted.starts_with(words), "{parted}");
        let near = say(&[timed(1.5, false)], &[timed(0.9, false)]).unwrap();
        assert!(near.starts_with("Both cannot hold"), "{near}");
        let alone = say(&[], &[timed(0.9, false)]).unwrap();
        assert!(alone.contains("at least 3.60 s"), "{alone}");
    }
}
