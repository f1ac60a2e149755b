//! The CPU limit that the examples of a package ask for, as the formats of the ICPC compute it.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::programs::Tried;
use crate::domain::Limits;
use crate::package::Package;
use crate::util::words::amount;
use crate::view::{Page, Show, Span, Style};

/// How a limit follows from the times of examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multipliers {
    /// The limit is at least so many times what the slowest accepted example takes.
    pub accepted: f64,
    /// Whatever must be too slow takes at least so many times the limit.
    pub too_slow: f64,
}

/// The limit is a multiple of so many seconds.
const RESOLUTION_S: f64 = 1.0;

/// Those of the format 2025-09.
impl Default for Multipliers {
    fn default() -> Self {
        Self {
            accepted: 2.0,
            too_slow: 1.5,
        }
    }
}

/// The package under another CPU limit.
pub fn with_cpu_limit(package: &Package, cpu: Duration) -> Arc<Package> {
    let limits = Limits {
        cpu,
        ..package.limits.clone()
    };
    Arc::new(Package {
        limits: limits.with_wall_floor(),
        ..package.clone()
    })
}

/// What a program takes on its heaviest test.
#[derive(Debug, Serialize)]
pub struct Example {
    pub name: String,
    pub language: String,
    pub test: String,
    /// CPU time.
    pub cpu_s: f64,
    /// The same without what its language is allowed more.
    pub counted_s: f64,
}

impl Example {
    /// What a program took that was run under this CPU limit of its problem; `None` if it was not
    /// run.
    pub fn of(tried: &Tried, package: &Package) -> Option<Self> {
        let (test, cpu) = tried.heaviest()?;
        let factor = tried.limit.as_secs_f64() / package.limits.cpu.as_secs_f64();
        let cpu_s = cpu.as_secs_f64();
        Some(Self {
            name: tried.name.clone(),
            language: tried.language.to_string(),
            test: package.tests[test].name.name.clone(),
            cpu_s,
            counted_s: cpu_s / factor,
        })
    }
}

/// The limit that the accepted examples ask for: the least one that leaves them room.
pub fn least_limit(accepted: &[Example], multipliers: Multipliers) -> Option<Duration> {
    let times = accepted.iter().map(|example| example.counted_s);
    let slowest = times.reduce(f64::max)?;
    let steps = (slowest * multipliers.accepted / RESOLUTION_S).ceil();
    Some(Duration::from_secs_f64(steps.max(1.0) * RESOLUTION_S))
}

/// What the examples say of the limit.
#[derive(Debug, Serialize)]
pub struct Calibration {
    pub problem: String,
    /// As it is now.
    pub limit_s: f64,
    /// As it should be; `None` if no limit suits all examples.
    pub computed_s: Option<f64>,
    pub accepted: Vec<Example>,
    pub too_slow: Vec<Example>,
    /// Why there is none, or the present one does not do.
    pub complaints: Vec<String>,
    /// Programs that do not count, each with the reason.
    pub not_counted: Vec<String>,
}

impl Calibration {
    /// What follows from these times, the slowest first. Those that must be too slow were run under
    /// the present limit and the one that the accepted ones ask for, whichever is higher.
    pub fn of(
        problem: &str,
        limit: Duration,
        (accepted, too_slow): (Vec<Example>, Vec<Example>),
        not_counted: Vec<String>,
        multipliers: Multipliers,
    ) -> Self {
        let limit_s = limit.as_secs_f64();
        let least = least_limit(&accepted, multipliers).map(|limit| limit.as_secs_f64());
        let most = too_slow.iter().map(|example| example.counted_s);
        let most = most.reduce(f64::min).unwrap_or(f64::INFINITY) / multipliers.too_slow;
        let mut complaints = Vec::new();
        let computed_s = least.filter(|least| *least <= most);
        match (least, accepted.first()) {
            (Some(least), Some(slowest)) => {
                let asks = slowest.counted_s * multipliers.accepted;
                for example in too_slow.iter().filter(|one| {
                    one.counted_s < least * multipliers.too_slow
                }) {
                    complaints.push(format!(
                        "{} takes {:.2} s, which is too near to a limit of {least} s: it must take {} × as long to be too slow on every machine; give it a heavier test",
                        example.name, example.cpu_s, multipliers.too_slow
                    ));
                }
                if limit_s < asks {
                    complaints.push(format!(
                        "the limit of {limit_s} s is too low: {} needs {:.2} s, and {} × as much must be allowed",
                        slowest.name, slowest.cpu_s, multipliers.accepted
                    ));
                } else if computed_s.is_some() && limit_s > most {
                    complaints.push(format!(
                        "the limit of {limit_s} s is too high: what must be too slow may be accepted on a faster machine"
                    ));
                }
            }
            _ => complaints.push(
                "no example in submissions/accepted could be measured, so nothing says how long a right program takes".to_owned(),
            ),
        }
        Self {
            problem: problem.to_owned(),
            limit_s,
            computed_s,
            accepted,
            too_slow,
            complaints,
            not_counted,
        }
    }
}

impl Show for Calibration {
    fn show(&self, page: &mut Page) {
        page.line(match self.computed_s {
            Some(computed) => format!(
                "{}: {computed} s on this machine, by {} and {}; it has {} s now",
                self.problem,
                amount(self.accepted.len(), "accepted example"),
                amount(self.too_slow.len(), "slow one"),
                self.limit_s
            ),
            None => format!("{}: no limit suits all examples", self.problem),
        });
        for (title, examples) in [("ACCEPTED", &self.accepted), ("TOO SLOW", &self.too_slow)] {
            if !examples.is_empty() {
                let header = [title, "LANGUAGE", "HEAVIEST TEST", "CPU TIME"];
                page.table(&header, examples.iter().map(Example::cells).collect());
            }
        }
        page.each(&Style::Warn.on("limit"), &self.complaints);
        page.each(&Style::Dim.on("not counted"), &self.not_counted);
    }
}

impl Example {
    fn cells(&self) -> Vec<Span> {
        vec![
            self.name.as_str().into(),
            self.language.as_str().into(),
            self.test.as_str().into(),
            format!("{:.2} s", self.cpu_s).into(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Calibration, Example, Multipliers, least_limit};

    fn examples(times: &[f64]) -> Vec<Example> {
        let example = |(number, &counted_s): (usize, &f64)| Example {
            name: format!("example {number}"),
            language: "c".to_owned(),
            test: "1".to_owned(),
            cpu_s: counted_s,
            counted_s,
        };
        times.iter().enumerate().map(example).collect()
    }

    #[test]
    fn the_limit_is_the_least_that_leaves_room_and_parts_right_from_slow() {
        for (now, accepted, too_slow, computed, words) in [
            (1, &[0.01][..], &[9.0][..], Some(1.0), ""),
            (2, &[0.7, 0.1], &[4.4], Some(2.0), ""),
            (1, &[0.7, 0.1], &[4.4], Some(2.0), "is too low: example 0"),
            (3, &[0.7], &[4.4], Some(2.0), "is too high"),
            (2, &[0.7], &[9.0, 2.9], None, "example 1 takes 2.90 s"),
            (1, &[1.2], &[4.0], None, "is too low"),
            (1, &[], &[4.0], None, "nothing says how long"),
            (1, &[0.5], &[], Some(1.0), ""),
        ] {
            let (now, times) = (
                Duration::from_secs(now),
                (examples(accepted), examples(too_slow)),
            );
            let found = Calibration::of("sum", now, times, Vec::new(), Multipliers::default());
            assert_eq!(found.computed_s, computed, "{accepted:?} {too_slow:?}");
            let said = found.complaints.join("; ");
            assert!(
                said.contains(words) && said.is_empty() == words.is_empty(),
                "{accepted:?} {too_slow:?}: {said}"
            );
        }
    }

    #[test]
    fn a_limit_is_a_whole_number_of_seconds() {
        for (slowest, limit) in [(0.001, 1), (0.5, 1), (0.51, 2), (2.0, 4)] {
            let found = least_limit(&examples(&[slowest]), Multipliers::default());
            assert_eq!(found, Some(Duration::from_secs(limit)), "{slowest}");
        }
        assert_eq!(least_limit(&[], Multipliers::default()), None);
    }
}
