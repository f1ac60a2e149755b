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
    limit: Duration,
    count: usize,
    /// By language, the slowest test of an accepted example: its time, the example and the test.
    slowest: BTreeMap<LanguageId, (Duration, String, String)>,
    /// The least time of those that must be too slow: most are stopped a little above the limit.
    too_slow: Option<Duration>,
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
            if known.is_none_or(|(cpu, ..)| *cpu < test.cpu) {
                let slowest = (test.cpu, name.to_owned(), test.test.name.clone());
                self.slowest.insert(language.clone(), slowest);
            }
        } else if judgement.verdict == Verdict::TimeLimit
            && name.starts_with("time_limit_exceeded/")
            && let Some(at) = judgement.first_failing
        {
            self.count += 1;
            let cpu = judgement.tests[at].cpu;
            self.too_slow = Some(self.too_slow.map_or(cpu, |least| least.min(cpu)));
        }
    }

    /// What leaves too little room is a warning: another machine may be quicker, and a package may
    /// mean it.
    pub fn row(&self) -> Row {
        let limit = seconds(self.limit);
        let mut parts = Vec::new();
        for (language, (cpu, ..)) in &self.slowest {
            parts.push(format!("{language} {}", seconds(*cpu)));
        }
        if let Some(first) = parts.first_mut() {
            *first = format!("slowest accepted example of {limit} allowed: {first}");
        }
        if let Some(cpu) = self.too_slow {
            let times = cpu.as_secs_f64() / self.limit.as_secs_f64();
            parts.push(format!(
                "those that must be too slow take at least {times:.2} × the limit"
            ));
        }
        let mut row = Row::new("time against the limit", self.count, Vec::new());
        row.summary = Some(parts.join(" · ")).filter(|summary| !summary.is_empty());
        for (cpu, name, test) in self.slowest.values() {
            if *cpu > self.limit * ROOM_PERCENT / 100 {
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
