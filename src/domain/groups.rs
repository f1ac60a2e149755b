//! Groups of tests that bring points: what a failing test makes needless, and what all of them
//! bring. Planning, measuring and folding all ask here.

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Verdict, words};

words! {
    /// How the points of a group depend on its tests.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Scoring by word {
        /// All points if every test is passed, else none.
        All = "all",
        /// The share of the tests that are passed, rounded down to whole points.
        Sum = "sum",
    }
}

/// Points of a program and the most that it could get, in whole points of the problem's own.
/// A problem without groups of tests has one point, for all tests together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// What the program got.
    pub got: u32,
    /// The most that it could get.
    pub of: u32,
}

impl Score {
    /// The score where only the verdict counts.
    pub fn of_verdict(verdict: Verdict) -> Self {
        Self {
            got: u32::from(verdict == Verdict::Accepted),
            of: 1,
        }
    }

    /// Whether nothing is missing.
    pub fn is_full(self) -> bool {
        self.got == self.of
    }

    /// The score where it says more than the verdict: that of a problem with groups of tests.
    pub fn shown(self) -> Option<Self> {
        (self.of > 1).then_some(self)
    }

    /// `30 of 100 points`.
    pub fn words(self) -> String {
        let points = if self.of == 1 { "point" } else { "points" };
        format!("{} of {} {points}", self.got, self.of)
    }
}

/// `30/100`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.got, self.of)
    }
}

/// A group of tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The name of its folder.
    pub name: String,
    pub points: u32,
    pub scoring: Scoring,
    /// The groups that must be passed for this one to bring anything, by their places; those that
    /// they need themselves included.
    pub needs: Vec<usize>,
    /// Whether hacks are tests of this group.
    pub takes_hacks: bool,
}

/// What a group of tests brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupResult {
    /// Its name.
    pub name: String,
    /// Its points.
    pub score: Score,
    /// Whether it brings its points only if every test is passed, or a share for each.
    pub scoring: Scoring,
    /// How many of its tests are passed.
    pub passed: usize,
    /// How many tests it has.
    pub tests: usize,
    /// The first group that it needs and that is not passed: for that it brings nothing.
    #[serde(default)]
    pub lacks: Option<String>,
}

impl GroupResult {
    /// How it came to its points.
    pub fn words(&self) -> String {
        let passed = format!("{} of {} tests passed", self.passed, self.tests);
        match (&self.lacks, self.scoring) {
            (Some(lacks), _) => {
                format!("{passed}; it counts only if all tests of {lacks} are passed")
            }
            (None, Scoring::All) if self.passed < self.tests => {
                format!("{passed}; it counts only if all are")
            }
            (None, _) => passed,
        }
    }
}

/// The groups of a problem in the order of their tests; none where only the verdict counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Groups(Vec<Group>);

impl Groups {
    pub fn new(groups: Vec<Group>) -> Self {
        Self(groups)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.0.iter()
    }

    /// The place of the group that hacks belong to.
    pub fn of_hacks(&self) -> Option<usize> {
        self.0.iter().position(|group| group.takes_hacks)
    }

    /// Whether a failure in one group makes later tests of another needless, where judging stops
    /// at failures. `None` is for tests of no group: these only decide the verdict, and the first
    /// failure of all has decided it.
    fn stops(&self, failed: Option<usize>, later: Option<usize>) -> bool {
        let Some((place, group)) = later.and_then(|place| Some((place, self.0.get(place)?))) else {
            return true;
        };
        failed.is_some_and(|failed| {
            (failed == place && group.scoring == Scoring::All) || group.needs.contains(&failed)
        })
    }

    /// What each group brings; the tests are all tests of the problem, with their groups.
    pub fn results(
        &self,
        tests: impl Iterator<Item = (Option<usize>, Verdict)>,
    ) -> Vec<GroupResult> {
        let mut counts = vec![(0, 0); self.0.len()];
        for (group, verdict) in tests {
            if let Some((passed, tests)) = group.and_then(|place| counts.get_mut(place)) {
                *passed += usize::from(verdict == Verdict::Accepted);
                *tests += 1;
            }
        }
        let is_passed = |place: usize| {
            let count = counts.get(place);
            count.is_some_and(|(passed, tests)| passed == tests)
        };
        let result = |(group, &(passed, tests)): (&Group, &(usize, usize))| {
            let lacking = group.needs.iter().find(|needed| !is_passed(**needed));
            GroupResult {
                name: group.name.clone(),
                scoring: group.scoring,
                score: Score {
                    got: if lacking.is_some() {
                        0
                    } else {
                        group.points_for(passed, tests)
                    },
                    of: group.points,
                },
                passed,
                tests,
                lacks: lacking.and_then(|place| Some(self.0.get(*place)?.name.clone())),
            }
        };
        self.0.iter().zip(&counts).map(result).collect()
    }

    /// The score of a program: the points of its groups, or what the verdict says where there are
    /// none.
    pub fn score(&self, verdict: Verdict, results: &[GroupResult]) -> Score {
        if self.is_empty() {
            return Score::of_verdict(verdict);
        }
        Score {
            got: results.iter().map(|group| group.score.got).sum(),
            of: results.iter().map(|group| group.score.of).sum(),
        }
    }

    /// These groups as keys are made of them, one text a group.
    pub fn key_texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|group| {
            format!(
                "group points={} score={} needs={:?} hacks={} name={}",
                group.points,
                group.scoring.word(),
                group.needs,
                group.takes_hacks,
                group.name
            )
        })
    }
}

/// The failures among the tests so far, where judging stops at them.
#[derive(Debug)]
pub struct Failures<'g> {
    groups: &'g Groups,
    stop: bool,
    /// The groups in which a test has failed, each once.
    failed: BTreeSet<Option<usize>>,
}

impl<'g> Failures<'g> {
    pub fn new(groups: &'g Groups, stop: bool) -> Self {
        let failed = BTreeSet::new();
        Self {
            groups,
            stop,
            failed,
        }
    }

    /// Counts what a test came to.
    pub fn note(&mut self, group: Option<usize>, verdict: Verdict) {
        if self.stop && verdict != Verdict::Accepted {
            self.failed.insert(group);
        }
    }

    /// Whether they make a later test of this group needless.
    pub fn stop(&self, group: Option<usize>) -> bool {
        let mut failed = self.failed.iter();
        failed.any(|failed| self.groups.stops(*failed, group))
    }
}

impl Group {
    /// Rounded down, so that only who passes every test has every point.
    fn points_for(&self, passed: usize, tests: usize) -> u32 {
        if passed == tests {
            return self.points;
        }
        match self.scoring {
            Scoring::All => 0,
            Scoring::Sum => {
                let share = u64::from(self.points) * passed as u64 / tests as u64;
                u32::try_from(share).unwrap_or(self.points)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Groups, Scoring};
    use crate::domain::Verdict;

    fn group(name: &str, points: u32, scoring: Scoring, needs: &[usize]) -> Group {
        Group {
            name: name.to_owned(),
            points,
            scoring,
            needs: needs.to_vec(),
            takes_hacks: false,
        }
    }

    /// `easy` needs nothing, `sums` is counted test by test, `hard` needs `easy`, `last` needs both.
    fn groups() -> Groups {
        Groups::new(vec![
            group("easy", 30, Scoring::All, &[]),
            group("sums", 10, Scoring::Sum, &[]),
            group("hard", 50, Scoring::All, &[0]),
            group("last", 10, Scoring::Sum, &[2, 0]),
        ])
    }

    #[test]
    fn points_are_summed_by_group() {
        // Per group, what its tests came to: + passed, - failed, . not run.
        for (tests, points, lacks) in [
            ("++ +++ + +++", [30, 10, 50, 10], ["", ""]),
            ("++ ++- + -++", [30, 6, 50, 6], ["", ""]),
            ("+- +-- + +++", [0, 3, 0, 0], ["easy", "easy"]),
            ("++ --- . +++", [30, 0, 0, 0], ["", "hard"]),
            ("-. +++ . ...", [0, 10, 0, 0], ["easy", "hard"]),
        ] {
            let verdicts = tests.split(' ').enumerate().flat_map(|(place, group)| {
                group.chars().map(move |test| match test {
                    '+' => (Some(place), Verdict::Accepted),
                    '-' => (Some(place), Verdict::WrongAnswer),
                    _ => (Some(place), Verdict::Skipped),
                })
            });
            // A test of no group changes nothing.
            let results = groups().results(verdicts.chain([(None, Verdict::WrongAnswer)]));
            let got: Vec<u32> = results.iter().map(|group| group.score.got).collect();
            assert_eq!(got, points, "{tests:?}");
            let lacking = results.iter().map(|group| group.lacks.as_deref());
            let lacking: Vec<&str> = lacking.map(Option::unwrap_or_default).collect();
            assert_eq!(lacking, [&["", ""], &lacks[..]].concat(), "{tests}");
            let score = groups().score(Verdict::WrongAnswer, &results);
            assert_eq!((score.got, score.of), (points.iter().sum(), 100));
        }
    }

    #[test]
    fn only_who_passes_everything_has_every_point() {
        for (points, passed, tests, expected) in [
            (100, 2, 3, 66),
            (1, 9_999, 10_000, 0),
            (1_000_000, 9_999, 10_000, 999_900),
            (5, 11, 12, 4),
            (5, 12, 12, 5),
            (0, 1, 2, 0),
        ] {
            let group = group("g", points, Scoring::Sum, &[]);
            let found = group.points_for(passed, tests);
            assert_eq!(found, expected, "{passed}/{tests}");
        }
    }
}
