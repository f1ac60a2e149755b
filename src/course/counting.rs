//! Attempts, which of them counts, and how many points it brings, or the best groups of tests of all
//! of them: pure arithmetic.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::decisions::Decision;
use super::late::Standing;
use super::points::Points;
use crate::config::Counts;
use crate::domain::{Attempt, GroupPoints, Score, SubmissionId, Verdict, words};

words! {
    /// Who says when an attempt was handed in.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TimeSource by words {
        /// The daemon received it then.
        Receipt = "received",
        /// The platform from which it was imported gave this time.
        Platform = "platform",
        /// The platform, or whoever imported it, says only that it was not late.
        OnTime = "received; on time by the platform",
    }
}

/// An attempt, as far as grades look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedIn {
    pub submission: SubmissionId,
    pub attempt: Attempt,
    /// When it was handed in.
    pub at: Timestamp,
    /// Who says so.
    pub source: TimeSource,
    /// The judge's; `None` until it is judged.
    pub verdict: Option<Verdict>,
    /// What its tests have brought, of what they could; `None` until it is judged.
    pub score: Option<Score>,
    /// What each group of them has brought; `None` also where there are none.
    pub groups: Option<GroupPoints>,
}

/// An attempt with what the rules make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graded {
    /// The facts.
    pub handed_in: HandedIn,
    /// How it stands to the time.
    pub standing: Standing,
    /// Whether an instructor has taken it out.
    pub is_excluded: bool,
    /// The verdict that it counts as.
    pub verdict: Option<Verdict>,
    /// What it counts as having brought, of what it could.
    pub score: Option<Score>,
    /// The verdict or the points that an instructor has given it.
    pub decision: Option<Decision>,
}

impl Graded {
    /// The points that it brings of those of the problem, if it can count. An attempt outside the
    /// window never counts, nor does one without a verdict: the one before it counts until it has
    /// one. Points that an instructor has given count whenever it was handed in.
    fn points(&self, of: Points) -> Option<Points> {
        let given = self.decision.as_ref().and_then(Decision::points);
        let earned = || {
            let score = self.score.filter(|_| self.standing.counts())?;
            Some(of.share(score.got, score.of, self.standing.percent()))
        };
        given.or_else(earned).filter(|_| !self.is_excluded)
    }

    /// The groups in which it brings points, if it can count with them: not where an instructor has
    /// given points for all of it.
    fn groups(&self) -> Option<&GroupPoints> {
        let given = self.decision.as_ref().and_then(Decision::points);
        let can_count = self.standing.counts() && !self.is_excluded && given.is_none();
        self.handed_in.groups.as_ref().filter(|_| can_count)
    }

    /// What it counts as having got in a group.
    fn got_in(&self, got: u32, of: u32) -> u32 {
        match (&self.decision, self.verdict) {
            (None, _) => got.min(of),
            (Some(_), Some(Verdict::Accepted)) => of,
            (Some(_), _) => 0,
        }
    }
}

/// The best of a group: percents of what was got, and what was got.
type Best = (u64, u32);

/// What attempts bring together where the best of each group of tests counts, and their score before
/// the late rule; `None` where none has groups. What was judged with other groups is not mixed with
/// these, so that nobody has more points than the problem.
pub fn best_of_groups(of: Points, attempts: &[Graded]) -> Option<(Points, Score)> {
    let mut best: BTreeMap<&[(String, u32)], Vec<Best>> = BTreeMap::new();
    for attempt in attempts {
        let Some(GroupPoints { of, got }) = attempt.groups() else {
            continue;
        };
        let percent = u64::from(attempt.standing.percent());
        let best = best.entry(of).or_insert_with(|| vec![(0, 0); of.len()]);
        for (best, ((_, of), got)) in best.iter_mut().zip(of.iter().zip(got.iter())) {
            let got = attempt.got_in(*got, *of);
            *best = (*best).max((u64::from(got) * percent, got));
        }
    }
    let together = best.iter().map(|(groups, best)| {
        let each = groups.iter().zip(best);
        let each = each.map(|(&(_, of), &(_, got))| Score { got, of });
        let score: Score = each.sum();
        let percents = best.iter().map(|(percents, _)| percents).sum();
        (of.hundredths_of(percents, score.of), score)
    });
    together.max_by_key(|(points, _)| *points)
}

/// The attempt that counts for somebody in one problem, if any does: its place among the attempts,
/// and its points.
pub fn counting(counts: Counts, of: Points, attempts: &[Graded]) -> Option<(usize, Points)> {
    let candidates = attempts.iter().enumerate();
    let mut candidates: Vec<(Timestamp, usize, Points)> = candidates
        .filter_map(|(index, attempt)| Some((attempt.handed_in.at, index, attempt.points(of)?)))
        .collect();
    // The platform's time decides, not the order in which an import has brought them.
    candidates.sort_by_key(|(at, index, _)| (*at, *index));
    let mut candidates = candidates
        .into_iter()
        .map(|(_, index, points)| (index, points));
    match counts {
        Counts::Best | Counts::BestOfGroups => candidates.reduce(|best, next| {
            // A hack may leave the points and take the acceptance away.
            let is_accepted = |index: usize| attempts[index].verdict == Some(Verdict::Accepted);
            let worth = |(index, points): (usize, Points)| (points, is_accepted(index));
            let is_better = worth(next) > worth(best);
            let are_worthless = next.1 == Points::ZERO && best.1 == Points::ZERO;
            if is_better || are_worthless {
                next
            } else {
                best
            }
        }),
        Counts::Last => candidates.next_back(),
        Counts::LastOnTime => {
            let all: Vec<(usize, Points)> = candidates.collect();
            let mut on_time = all
                .iter()
                .filter(|(index, _)| attempts[*index].standing == Standing::OnTime);
            on_time.next_back().or(all.last()).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Counts, Graded, best_of_groups, counting};
    use crate::course::decisions::Action;
    use crate::course::late::{Early, Window};
    use crate::course::points::Points;
    use crate::course::tests::{decision, handed_in};
    use crate::domain::{Score, Verdict};
    use crate::util::samples::groups;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn attempt(window: &Window, second: i64, got: u32) -> Graded {
        let verdicts = [Verdict::WrongAnswer, Verdict::Accepted];
        Graded {
            handed_in: handed_in(1, at(second)),
            standing: window.standing(at(second)),
            is_excluded: false,
            verdict: Some(verdicts[usize::from(got == 4)]),
            score: Some(Score { got, of: 4 }),
            decision: None,
        }
    }

    fn window() -> Window {
        Window {
            opens: Some(at(0)),
            early: Early::Reject,
            due: Some(at(100)),
            grace_end: None,
            steps: vec![(at(200), 50)],
            closes: Some(at(300)),
        }
    }

    /// One with two groups of tests: the second, the points in each, and what is special.
    #[rustfmt::skip]
    fn grouped(words: &str) -> Graded {
        let words: Vec<&str> = words.split(' ').collect();
        let of = [[30, 70], [70, 30]][usize::from(words[3] == "other")];
        let mut attempt = attempt(&window(), words[0].parse().unwrap(), 0);
        attempt.handed_in.groups = Some(groups(of, [1, 2].map(|at| words[at].parse().unwrap())));
        attempt.is_excluded = words[3] == "excluded";
        attempt.verdict = words[3].parse().ok();
        let points = words[3].parse().map(|points| Action::Points(Points::hundredths(points)));
        let action = attempt.verdict.map(Action::Verdict).or(points.ok());
        attempt.decision = action.map(|action| decision("sum", Some(1), action));
        attempt
    }

    #[test]
    #[rustfmt::skip]
    fn attempts_bring_the_best_of_each_group_together() {
        for (of, attempts, expected) in [
            (1_000, "10 30 0 -|20 0 70 -", "10 of 100/100"),
            (1_000, "10 0 20 -|20 30 7 -|30 10 15 -", "5 of 50/100"),
            (1_000, "10 30 0 -|150 0 70 -", "6.5 of 100/100"),
            (1_000, "150 30 0 -|10 20 0 -|250 30 70 -", "2 of 90/100"),
            (1_000, "10 30 0 excluded|-1 30 0 -|301 0 70 -", "-"),
            (1_000, "10 30 0 WA|20 0 70 -", "7 of 70/100"),
            (1_000, "150 0 0 AC|20 30 0 -", "6.5 of 100/100"),
            (1_000, "10 30 70 800|20 0 7 -", "0.7 of 7/100"),
            // The groups were changed meanwhile.
            (1_000, "10 30 0 -|20 70 0 other|30 0 10 -", "7 of 70/100"),
            // Only the sum is rounded.
            (5, "10 30 0 -|20 0 70 -", "0.05 of 100/100"),
        ] {
            let graded: Vec<Graded> = attempts.split('|').map(grouped).collect();
            let found = best_of_groups(Points::hundredths(of), &graded);
            let found = found.map(|(points, score)| format!("{points} of {score}"));
            assert_eq!(found.as_deref().unwrap_or("-"), expected, "{attempts}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn which_attempt_counts() {
        let window = window();
        let attempt = |(second, got)| attempt(&window, second, got);
        let attempts = |all: &[(i64, u32)]| all.iter().copied().map(attempt).collect();
        let (mut waiting, mut excluded) = (attempt((90, 0)), attempt((10, 4)));
        (waiting.score, waiting.verdict) = (None, None);
        let before_it = [attempt((10, 2)), waiting.clone()].into();
        excluded.is_excluded = true;
        // A hack has left the points and taken the acceptance away.
        let mut hacked = attempt((10, 4));
        hacked.verdict = Some(Verdict::WrongAnswer);
        let hacked = [hacked, attempt((20, 4))].into();
        let [early, closed, late] = [(-1, 4), (301, 4), (250, 4)].map(attempt);
        let others = [early, closed, excluded, late];
        let points = |points| Action::Points(Points::hundredths(points));
        let given = |given| Some(decision("sum", Some(1), points(given)));
        let decided = |points, graded| Graded { decision: given(points), ..graded };
        let (nine, eight) = (decided(900, waiting.clone()), attempt((400, 1)));
        let given = [attempt((10, 1)), nine, decided(800, eight)];
        let [equal, nothing] = [2, 0].map(|got| attempts(&[(10, got), (20, got)]));
        // Which attempt counts and what it brings: of the best, the last, the last one on time.
        let cases: [(&str, Vec<Graded>, &str); 11] = [
            ("nothing", vec![], "- - -"),
            ("only one that waits", vec![waiting], "- - -"),
            ("not better after the rule", attempts(&[(10, 3), (150, 4)]), "0=7.5 1=5 0=7.5"),
            ("better after the rule", attempts(&[(10, 1), (150, 4)]), "1=5 1=5 0=2.5"),
            ("equal: the first", equal, "0=5 1=5 1=5"),
            ("nothing: the latest", nothing, "1=0 1=0 1=0"),
            ("equal: the accepted", hacked, "1=10 1=10 1=10"),
            ("one that waits hides none", before_it, "0=5 0=5 0=5"),
            ("early, closed, excluded", others.into(), "3=0 3=0 3=0"),
            ("given, whenever it came", given.into(), "1=9 2=8 1=9"),
            ("imported in any order", attempts(&[(90, 1), (10, 2), (50, 3)]), "2=7.5 0=2.5 0=2.5"),
        ];
        for (what, attempts, expected) in cases {
            let found = [Counts::Best, Counts::Last, Counts::LastOnTime].map(|counts| {
                let found = counting(counts, Points::hundredths(1_000), &attempts);
                let found = found.map(|(index, points)| format!("{index}={points}"));
                found.unwrap_or("-".to_owned())
            });
            assert_eq!(found.join(" "), expected, "{what}");
        }
    }
}
