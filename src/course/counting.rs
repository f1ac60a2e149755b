//! Which attempt counts, and how many points it brings: pure arithmetic.

use jiff::Timestamp;

use super::late::{Standing, Window};
use super::points::Points;

/// Which of somebody's attempts counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// The one with the most points after the late rule, so that no later attempt lowers a grade;
    /// of equal ones the first.
    Best,
    /// The latest that was handed in before the assignment closed.
    Last,
    /// The latest that was on time; only if there is none, the latest.
    LastOnTime,
}

/// An attempt, as far as grading looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// When it was handed in.
    pub at: Timestamp,
    /// What its tests have brought, of what they could; `None` without a verdict.
    pub score: Option<(u64, u64)>,
    /// Whether an instructor has taken it out.
    pub is_excluded: bool,
}

/// The attempt that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counting {
    /// Its place among the attempts.
    pub index: usize,
    /// How it stands to the time.
    pub standing: Standing,
    /// Its points.
    pub points: Points,
}

/// The attempt that counts for somebody in one problem, if any does. An attempt outside the window
/// never counts, nor does one without a verdict: the one before it counts until it has one.
pub fn counting(
    counts: Counts,
    points: Points,
    window: &Window,
    attempts: &[Attempt],
) -> Option<Counting> {
    let judged = attempts.iter().enumerate().filter_map(|(index, attempt)| {
        let (got, of) = attempt.score.filter(|_| !attempt.is_excluded)?;
        let standing = window.standing(attempt.at);
        let points = points.share(got, of, standing.percent());
        let is_open = !matches!(standing, Standing::TooEarly | Standing::Closed);
        is_open.then_some((
            attempt.at,
            Counting {
                index,
                standing,
                points,
            },
        ))
    });
    let mut judged: Vec<(Timestamp, Counting)> = judged.collect();
    // The platform's time decides, not the order in which an import has brought them.
    judged.sort_by_key(|(at, counting)| (*at, counting.index));
    let mut in_time = judged.into_iter().map(|(_, counting)| counting);
    match counts {
        Counts::Best => in_time.reduce(|best, next| {
            if next.points > best.points {
                next
            } else {
                best
            }
        }),
        Counts::Last => in_time.next_back(),
        Counts::LastOnTime => {
            let all: Vec<Counting> = in_time.collect();
            let mut on_time = all.iter().filter(|one| one.standing == Standing::OnTime);
            on_time.next_back().or(all.last()).copied()
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Attempt, Counts, counting};
    use crate::course::late::Window;
    use crate::course::points::Points;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn attempt(second: i64, got: u64) -> Attempt {
        Attempt {
            at: at(second),
            score: Some((got, 4)),
            is_excluded: false,
        }
    }

    #[test]
    fn which_attempt_counts() {
        let window = Window {
            opens: Some(at(0)),
            due: Some(at(100)),
            grace_end: None,
            steps: vec![(at(200), 50)],
            closes: Some(at(300)),
        };
        let waiting = Attempt {
            score: None,
            ..attempt(90, 0)
        };
        let excluded = Attempt {
            is_excluded: true,
            ..attempt(10, 4)
        };
        type Expected = Option<(usize, &'static str)>;
        let cases: [(&str, Vec<Attempt>, [Expected; 3]); 8] = [
            ("nothing", vec![], [None, None, None]),
            ("only one that waits", vec![waiting], [None, None, None]),
            (
                "a late one that is better, but not after the rule",
                vec![attempt(10, 3), attempt(150, 4)],
                [Some((0, "7.5")), Some((1, "5")), Some((0, "7.5"))],
            ),
            (
                "a late one that is better also after the rule",
                vec![attempt(10, 1), attempt(150, 4)],
                [Some((1, "5")), Some((1, "5")), Some((0, "2.5"))],
            ),
            (
                "equal points: the first",
                vec![attempt(10, 2), attempt(20, 2)],
                [Some((0, "5")), Some((1, "5")), Some((1, "5"))],
            ),
            (
                "one that waits does not hide the one before it",
                vec![attempt(10, 2), waiting],
                [Some((0, "5")), Some((0, "5")), Some((0, "5"))],
            ),
            (
                "too early, closed and excluded ones do not count",
                vec![attempt(-1, 4), attempt(301, 4), excluded, attempt(250, 4)],
                [Some((3, "0")), Some((3, "0")), Some((3, "0"))],
            ),
            (
                "an import may bring them in any order",
                vec![attempt(90, 1), attempt(10, 2), attempt(50, 3)],
                [Some((2, "7.5")), Some((0, "2.5")), Some((0, "2.5"))],
            ),
        ];
        for (what, attempts, expected) in cases {
            for (counts, expected) in [Counts::Best, Counts::Last, Counts::LastOnTime]
                .into_iter()
                .zip(expected)
            {
                let points = Points::from_number(10.0).unwrap();
                let found = counting(counts, points, &window, &attempts);
                let found = found.map(|one| (one.index, one.points.to_string()));
                let expected = expected.map(|(index, points)| (index, points.to_owned()));
                assert_eq!(found, expected, "{what}: {counts:?}");
            }
        }
    }

    /// Whatever comes later, the grade does not fall.
    #[test]
    fn no_later_attempt_lowers_the_best() {
        let window = Window {
            due: Some(at(100)),
            steps: vec![(at(200), 50)],
            ..Window::default()
        };
        let points = Points::from_number(10.0).unwrap();
        let best = |attempts: &[Attempt]| {
            counting(Counts::Best, points, &window, attempts).map(|one| one.points)
        };
        let mut attempts = Vec::new();
        let mut before = None;
        for (second, got) in [
            (5, 1),
            (50, 3),
            (60, 0),
            (150, 4),
            (160, 4),
            (250, 4),
            (90, 2),
        ] {
            attempts.push(attempt(second, got));
            let now = best(&attempts);
            assert!(now >= before, "{attempts:?}");
            before = now;
        }
    }
}
