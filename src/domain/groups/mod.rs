//! Groups of tests that bring points: what a failing test makes needless, and what all of them
//! bring. Planning, measuring and folding all ask here.

use std::collections::BTreeSet;
use std::fmt;
use std::iter::Sum;

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

/// What a checker gives to a test that it accepts, in millionths, where it is not simply all that the
/// test can bring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Given {
    /// Points of the problem.
    Points(u64),
    /// Less than all of what the test can bring.
    Share(u64),
}

impl Given {
    pub const ONE: u64 = 1_000_000;
    /// The largest number of points or shares.
    pub const MAX: f64 = 1_000_000.0;

    /// A number in millionths, unless it is too large or negative, or not a number.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is a whole number between two bounds"
    )]
    pub fn millionths(number: f64) -> Option<u64> {
        let is_within = (0.0..=Self::MAX).contains(&number);
        is_within.then(|| (number * Self::MAX).round() as u64)
    }

    /// `12.5 points`, `40 % of its points`.
    pub fn words(self) -> String {
        let number = |millionths: u64| {
            let thousandths = (millionths + 500) / 1_000;
            let text = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        match self {
            Self::Points(points) => format!("{} points", number(points)),
            Self::Share(share) => format!("{} % of its points", number(share * 100)),
        }
    }
}

/// Points of a program and the most that it could get, in whole points of the problem's own.
/// A problem without groups of tests has one point, for all tests together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// What the program got.
    pub got: u32,
    /// The most that it could get.
    pub of: u32,
}

impl Sum for Score {
    /// Of points beyond those that fit, as many as fit.
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            got: sum.got.saturating_add(one.got),
            of: sum.of.saturating_add(one.of),
        })
    }
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
    /// Whether a checker may not give its tests points of their own, although it does elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pass_fail: bool,
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
        let is_passed = self.passed == self.tests;
        match (&self.lacks, self.scoring) {
            (Some(lacks), _) => {
                format!("{passed}; it counts only if all tests of {lacks} are passed")
            }
            (None, Scoring::All) if !is_passed => {
                format!("{passed}; it counts only if all are")
            }
            (None, Scoring::All) if !self.score.is_full() => {
                format!("{passed}; it counts what the one with the least points brings")
            }
            (None, Scoring::Sum) if is_passed && !self.score.is_full() => {
                format!("{passed}, not each with all of its points")
            }
            (None, _) => passed,
        }
    }
}

/// The groups of a problem in the order of their tests; none where only the verdict counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Groups {
    groups: Vec<Group>,
    /// Whether they bring together what that one brings that brings the least, and not their sum.
    /// Nobody who only runs tests has to know.
    #[serde(skip)]
    takes_least: bool,
}

impl Groups {
    pub fn new(groups: Vec<Group>) -> Self {
        Self {
            groups,
            takes_least: false,
        }
    }

    /// Groups of which the one counts that brings the least.
    pub fn of_least(groups: Vec<Group>) -> Self {
        Self {
            groups,
            takes_least: true,
        }
    }

    pub fn takes_least(&self) -> bool {
        self.takes_least
    }

    /// The most that they bring together.
    pub fn points(&self) -> u32 {
        let all = self.groups.iter().map(|group| Score {
            got: 0,
            of: group.points,
        });
        self.together(all).of
    }

    fn together(&self, each: impl Iterator<Item = Score>) -> Score {
        // A group that brings nothing is only there for others to need.
        let counted = each.filter(|score| score.of > 0);
        if !self.takes_least() {
            return counted.sum();
        }
        let least = |one: Score, other: Score| Score {
            got: one.got.min(other.got),
            of: one.of.min(other.of),
        };
        counted.reduce(least).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter()
    }

    /// The place of the group that hacks belong to.
    pub fn of_hacks(&self) -> Option<usize> {
        self.groups.iter().position(|group| group.takes_hacks)
    }

    /// Whether a failure in one group makes later tests of another needless, where judging stops
    /// at failures. `None` is for tests of no group: these only decide the verdict, and the first
    /// failure of all has decided it.
    fn stops(&self, failed: Option<usize>, later: Option<usize>) -> bool {
        let Some((place, group)) = later.and_then(|place| Some((place, self.groups.get(place)?)))
        else {
            return true;
        };
        failed.is_some_and(|failed| {
            (failed == place && group.scoring == Scoring::All) || group.needs.contains(&failed)
        })
    }

    /// The group at a place.
    pub fn get(&self, place: usize) -> Option<&Group> {
        self.groups.get(place)
    }

    /// What each group brings; the tests are all tests of the problem, with their groups, and what
    /// the checker gives to them.
    pub fn results(
        &self,
        tests: impl Iterator<Item = (Option<usize>, Verdict, Option<Given>)>,
    ) -> Vec<GroupResult> {
        let mut tallies: Vec<Tally> = self.groups.iter().map(Tally::of).collect();
        for (group, verdict, given) in tests {
            if let Some(tally) = group.and_then(|place| tallies.get_mut(place)) {
                tally.add(verdict, given);
            }
        }
        let is_passed = |place: usize| {
            let tally = tallies.get(place);
            tally.is_some_and(|tally| tally.passed == tally.tests)
        };
        let result = |tally: &Tally<'_>| {
            let group = tally.group;
            let lacking = group.needs.iter().find(|needed| !is_passed(**needed));
            GroupResult {
                name: group.name.clone(),
                scoring: group.scoring,
                score: Score {
                    got: if lacking.is_some() { 0 } else { tally.points() },
                    of: group.points,
                },
                passed: tally.passed,
                tests: tally.tests,
                lacks: lacking.and_then(|place| Some(self.groups.get(*place)?.name.clone())),
            }
        };
        tallies.iter().map(result).collect()
    }

    /// The score of a program: the points of its groups, or what the verdict says where there are
    /// none.
    pub fn score(&self, verdict: Verdict, results: &[GroupResult]) -> Score {
        if self.is_empty() {
            return Score::of_verdict(verdict);
        }
        self.together(results.iter().map(|group| group.score))
    }

    /// These groups as keys are made of them, one text a group.
    pub fn key_texts(&self) -> impl Iterator<Item = String> {
        let least = self.takes_least().then(|| "the least counts".to_owned());
        let groups = self.groups.iter().map(|group| {
            let pass_fail = if group.is_pass_fail { " pass-fail" } else { "" };
            format!(
                "group points={} score={} needs={:?} hacks={}{pass_fail} name={}",
                group.points,
                group.scoring.word(),
                group.needs,
                group.takes_hacks,
                group.name
            )
        });
        groups.chain(least)
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
    /// What is wrong with what a checker gives to one of its tests, if anything is.
    pub fn refuses(&self, given: Given) -> Option<String> {
        let Self { name, points, .. } = self;
        if self.is_pass_fail {
            return Some(format!(
                "it gives points, and the group {name} is passed or failed"
            ));
        }
        let most = u64::from(*points) * Given::ONE;
        let is_more = matches!(given, Given::Points(points) if points > most);
        let gives = given.words();
        is_more.then(|| format!("it gives {gives}, and the group {name} brings {points} at most"))
    }
}

/// Parts of a point in which points are counted: halves of millionths, so that what a given number
/// has lost when it was rounded to millionths can be made good.
const PARTS: u64 = 2 * Given::ONE;

/// What the tests of a group have brought so far.
struct Tally<'g> {
    group: &'g Group,
    passed: usize,
    tests: usize,
    /// Points that were given as such, in parts of a point.
    points: u64,
    /// Shares of what a test can bring, in parts of it.
    shares: u64,
    /// What the test brings that brings the least, in parts of a point; at most what the group does.
    least: u64,
}

impl<'g> Tally<'g> {
    fn of(group: &'g Group) -> Self {
        Self {
            group,
            passed: 0,
            tests: 0,
            points: 0,
            shares: 0,
            least: u64::from(group.points) * PARTS,
        }
    }

    fn add(&mut self, verdict: Verdict, given: Option<Given>) {
        let (points, share) = match (verdict, given) {
            (Verdict::Accepted, None) => (0, PARTS),
            (Verdict::Accepted, Some(Given::Points(points))) => (2 * points + 1, 0),
            (Verdict::Accepted, Some(Given::Share(share))) => (0, 2 * share + 1),
            _ => (0, 0),
        };
        self.tests += 1;
        self.passed += usize::from(verdict == Verdict::Accepted);
        self.points += points;
        self.shares += share;
        let all = u64::from(self.group.points);
        self.least = self.least.min(points + share * all);
    }

    /// Rounded down to whole points, so that only who has every part of them has every point.
    fn points(&self) -> u32 {
        let tests = self.tests.max(1) as u64;
        let parts = match self.group.scoring {
            Scoring::All => self.least,
            Scoring::Sum => self.points + u64::from(self.group.points) * self.shares / tests,
        };
        u32::try_from(parts / PARTS).unwrap_or(u32::MAX)
    }
}

/// A group to which no hacks belong.
#[cfg(test)]
pub fn group(name: &str, points: u32, scoring: Scoring, needs: &[usize]) -> Group {
    Group {
        name: name.to_owned(),
        points,
        scoring,
        needs: needs.to_vec(),
        takes_hacks: false,
        is_pass_fail: false,
    }
}

#[cfg(test)]
mod tests;
