//! What `check` says of time: how far the accepted examples of a package stay below its limit, and how far those go beyond it that must.

use std::collections::BTreeMap;
use std::time::Duration;

use super::check::Row;
use crate::domain::{LanguageId, Limits, ProblemSlug, Verdict};
use crate::judge::Judged;

/// Up to this many per cent of the limit, an accepted example leaves room for a program that is written less well, and for a slower machine.
const ROOM_PERCENT: u32 = 50;

/// The times of a package's example submissions.
#[derive(Default)]
pub(super) struct Times {
    /// By language, the slowest test of an accepted example: its time, the example and the test.
    slowest: BTreeMap<LanguageId, (Duration, String, String)>,
    accepted: usize,
    /// How many of those that must be too slow are, and the least time that one of them took: most are stopped a little above the limit.
    too_slow: usize,
    least: Option<Duration>,
    limit: Duration,
}

impl Times {
    pub(super) fn of(limits: &Limits) -> Self {
        Self {
            limit: limits.cpu,
            ..Self::default()
        }
    }

    /// What came of an example, named by its folder and file.
    pub(super) fn add(&mut self, name: &str, language: &LanguageId, judged: &Judged) {
        let judgement = &judged.judgement;
        if name.starts_with("accepted/") && judgement.verdict == Verdict::Accepted {
            self.accepted += 1;
            let slowest = judgement.tests.iter().max_by_key(|test| test.cpu);
            if let Some(test) = slowest
                && self
                    .slowest
                    .get(language)
                    .is_none_or(|(cpu, ..)| *cpu < test.cpu)
            {
                let entry = (test.cpu, name.to_owned(), test.test.name.clone());
                self.slowest.insert(language.clone(), entry);
            }
        } else if name.starts_with("time_limit_exceeded/")
            && let Some(test) = judgement.first_failing.map(|at| &judgement.tests[at])
            && test.verdict == Verdict::TimeLimit
        {
            self.too_slow += 1;
            self.least = Some(self.least.map_or(test.cpu, |least| least.min(test.cpu)));
        }
    }

    /// The row of the table. What leaves too little room is a warning: another machine may be quicker, and a package may mean it.
    pub(super) fn row(&self, problem: &ProblemSlug) -> Row {
        let limit = seconds(self.limit);
        let mut parts: Vec<String> = self
            .slowest
            .iter()
            .map(|(language, (cpu, ..))| format!("{language} {}", seconds(*cpu)))
            .collect();
        if !parts.is_empty() {
            parts[0] = format!("slowest accepted example of {limit} allowed: {}", parts[0]);
        }
        if let Some(cpu) = self.least {
            let times = cpu.as_secs_f64() / self.limit.as_secs_f64();
            parts.push(format!(
                "those that must be too slow take at least {times:.2} × the limit"
            ));
        }
        let warnings = self
            .slowest
            .values()
            .filter(|(cpu, ..)| *cpu > self.limit * ROOM_PERCENT / 100)
            .map(|(cpu, name, test)| {
                format!(
                    "{name} takes {} of {limit} on {test}: more than half of the limit, so a right program that is written less well may fail",
                    seconds(*cpu)
                )
            })
            .collect();
        Row {
            warnings,
            says: Some(parts.join(" · ")).filter(|says| !says.is_empty()),
            ..Row::new(
                problem,
                "time against the limit",
                self.accepted + self.too_slow,
            )
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
