//! What `check` says of time: how far the accepted examples of a package stay below its limit, and
//! how far those go beyond it that must.

use std::collections::BTreeMap;
use std::time::Duration;

use super::row::Row;
use crate::domain::{LanguageId, Limits, Verdict};
use crate::judge::Judged;

/// Up to this many per cent of the limit, an accepted example leaves room for a program that is
/// written less well, and for a slower machine.
const ROOM_PERCENT: u32 = 50;

/// The times of a package's example submissions.
pub(super) struct Times {
    /// The problem's own limit.
    limit: Duration,
    count: usize,
    /// By language, the slowest test of an accepted example.
    slowest: BTreeMap<LanguageId, Slowest>,
    /// The least time of those that must be too slow, as a share of the limit: most are stopped a
    /// little above it.
    too_slow: Option<f64>,
}

/// A test of an accepted example.
struct Slowest {
    cpu: Duration,
    /// What its language is allowed.
    limit: Duration,
    name: String,
    test: String,
}

impl Times {
    pub fn new(limits: &Limits) -> Self {
        Self {
            limit: limits.cpu,
            count: 0,
            slowest: BTreeMap::new(),
            too_slow: None,
        }
    }

    /// Counts an example, named by its folder and file, with the verdict that it must have.
    pub fn add(&mut self, name: &str, language: &LanguageId, judged: &Judged) {
        let judgement = &judged.judgement;
        if name.starts_with("accepted/") {
            self.count += 1;
            let Some(test) = judgement.tests.iter().max_by_key(|test| test.cpu) else {
                return;
            };
            let known = self.slowest.get(language);
            if known.is_none_or(|known| known.cpu < test.cpu) {
                let slowest = Slowest {
                    cpu: test.cpu,
                    limit: judged.limits.cpu,
                    name: name.to_owned(),
                    test: test.test.name.clone(),
                };
                self.slowest.insert(language.clone(), slowest);
            }
        } else if judgement.verdict == Verdict::TimeLimit
            && name.starts_with("time_limit_exceeded/")
            && let Some(at) = judgement.first_failing
        {
            self.count += 1;
            let cpu = judgement.tests[at].cpu.as_secs_f64();
            let share = cpu / judged.limits.cpu.as_secs_f64();
            self.too_slow = Some(self.too_slow.map_or(share, |least| least.min(share)));
        }
    }

    /// What leaves too little room is a warning: another machine may be quicker, and a package may
    /// mean it.
    pub fn row(&self) -> Row {
        let limit = seconds(self.limit);
        let mut parts = Vec::new();
        for (language, slowest) in &self.slowest {
            let cpu = seconds(slowest.cpu);
            // With a time factor a language has a limit of its own.
            parts.push(if slowest.limit == self.limit {
                format!("{language} {cpu}")
            } else {
                format!("{language} {cpu} of {}", seconds(slowest.limit))
            });
        }
        if let Some(first) = parts.first_mut() {
            *first = format!("slowest accepted example of {limit} allowed: {first}");
        }
        if let Some(times) = self.too_slow {
            parts.push(format!(
                "those that must be too slow take at least {times:.2} × the limit"
            ));
        }
        let mut row = Row::new("time against the limit", self.count, Vec::new());
        row.summary = Some(parts.join(" · ")).filter(|summary| !summary.is_empty());
        for Slowest {
            cpu,
            limit,
            name,
            test,
        } in self.slowest.values()
        {
            if *cpu > *limit * ROOM_PERCENT / 100 {
                let limit = seconds(*limit);
                row.warnings.push(format!(
                    "{name} takes {} of {limit} on {test}: more than half of the limit, so a correct program that is written less well may fail",
                    seconds(*cpu)
                ));
            }
        }
        row
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
