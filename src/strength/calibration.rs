//! The CPU limit that the examples of a package ask for, as the formats of the ICPC compute it.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::programs::{CERTAIN, Tried};
use crate::domain::Multipliers;
use crate::package::Package;
use crate::util::words::amount;
use crate::view::{Page, Show, Span, Style};

/// The limit is a multiple of so many seconds.
const RESOLUTION_S: f64 = 1.0;

/// The package under another CPU limit.
pub fn with_cpu_limit(package: &Package, cpu: Duration) -> Arc<Package> {
    Arc::new(Package {
        limits: package.limits.with_cpu(cpu),
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

/// The limit under which a slow program has to be run, for whatever is stopped there to be too slow
/// for this limit: it is stopped soon after `CERTAIN` times that.
pub fn limit_for_slow(limit: Duration, multipliers: Multipliers) -> Duration {
    limit.mul_f64((multipliers.too_slow / CERTAIN).max(1.0))
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
        let complaints = match (least, accepted.first()) {
            (Some(least), Some(slowest)) => {
                let asks = slowest.counted_s * multipliers.accepted;
                if (asks..=most).contains(&limit_s) {
                    Vec::new()
                } else if limit_s < asks {
                    let low = slowest.is_too_slow_for(limit_s, multipliers);
                    let near = too_slow.iter().filter_map(|one| one.too_near(least, multipliers));
                    std::iter::once(low).chain(near).collect()
                } else if least > most {
                    let near = too_slow.iter().filter_map(|one| one.too_near(least, multipliers));
                    near.collect()
                } else {
                    vec![format!(
                        "the limit of {limit_s} s is too high: what must be too slow may be accepted on a faster machine"
                    )]
                }
            }
            _ => vec![
                "no example in submissions/accepted could be measured, so nothing says how long a right program takes".to_owned(),
            ],
        };
        Self {
            problem: problem.to_owned(),
            limit_s,
            computed_s: least.filter(|least| *least <= most),
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
            None if self.accepted.is_empty() => {
                format!("{}: nothing to compute a limit from", self.problem)
            }
            None => format!(
                "{}: no whole number of seconds suits all examples",
                self.problem
            ),
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
    fn is_too_slow_for(&self, limit_s: f64, multipliers: Multipliers) -> String {
        format!(
            "the limit of {limit_s} s is too low: {} needs {:.2} s, and {} × as much must be allowed",
            self.name, self.counted_s, multipliers.accepted
        )
    }

    /// What is wrong if it would not be too slow for this limit on every machine.
    fn too_near(&self, limit_s: f64, multipliers: Multipliers) -> Option<String> {
        (self.counted_s < limit_s * multipliers.too_slow).then(|| {
            format!(
                "{} takes {:.2} s, which is too near to a limit of {limit_s} s: it must take {} × as long to be too slow on every machine; give it a heavier test",
                self.name, self.counted_s, multipliers.too_slow
            )
        })
    }

    fn time(&self) -> String {
        let Self {
            cpu_s, counted_s, ..
        } = self;
        // A language with a time factor.
        if (cpu_s - counted_s).abs() > 0.005 {
            format!("{cpu_s:.2} s, counted as {counted_s:.2} s")
        } else {
            format!("{cpu_s:.2} s")
        }
    }

    fn cells(&self) -> Vec<Span> {
        vec![
            self.name.as_str().into(),
            self.language.as_str().into(),
            self.test.as_str().into(),
            self.time().into(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Calibration, Example};
    use crate::domain::Multipliers;

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
            (4, &[0.7], &[2.4], None, "example 0 takes 2.40 s"),
        ] {
            let now = Duration::from_secs(now);
            let times = (examples(accepted), examples(too_slow));
            let found = Calibration::of("sum", now, times, Vec::new(), Multipliers::default());
            let said = found.complaints.join("; ");
            let told = format!("{accepted:?} {too_slow:?}: {said}");
            assert_eq!(found.computed_s, computed, "{told}");
            assert!(said.contains(words), "{told}");
            assert_eq!(said.is_empty(), words.is_empty(), "{told}");
        }
    }
}
