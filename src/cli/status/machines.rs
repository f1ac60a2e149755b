//! What `status` says of the other machines that measure for the course.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::domain::LanguageId;
use crate::judge::Progress;
use crate::places::{Counts, Doing, Machine, OtherMachines, Standing};
use crate::util::clock::now_ms;
use crate::view::{Page, Show, Style, Utc};

/// The server and its machines.
#[derive(Serialize)]
pub struct Cluster {
    server: String,
    course: String,
    connected: bool,
    trouble: Option<String>,
    machines: Vec<MachineStatus>,
    more: usize,
    #[serde(skip)]
    shown: OtherMachines,
}

#[derive(Serialize)]
struct MachineStatus {
    name: String,
    state: Standing,
    since: Utc,
    machine: String,
    version: String,
    places: usize,
    languages: BTreeSet<LanguageId>,
    why_not: Vec<String>,
    calibration_ns: Option<u64>,
    spread_percent: Option<f64>,
    slower_percent: Option<f64>,
    doing: Vec<OrderStatus>,
    out: usize,
    #[serde(flatten)]
    counts: Counts,
}

/// An order that a machine has.
#[derive(Serialize)]
struct OrderStatus {
    what: String,
    since: Utc,
    step: &'static str,
    done: Option<usize>,
    of: Option<usize>,
}

impl From<OtherMachines> for Cluster {
    fn from(shown: OtherMachines) -> Self {
        Self {
            server: shown.server.clone(),
            course: shown.course.clone(),
            connected: shown.trouble.is_none(),
            trouble: shown.trouble.clone(),
            machines: shown.machines.iter().map(MachineStatus::of).collect(),
            more: shown.more,
            shown,
        }
    }
}

impl MachineStatus {
    fn of(machine: &Machine) -> Self {
        Self {
            name: machine.name.to_string(),
            state: machine.standing,
            since: Utc(machine.since_ms),
            machine: machine.machine.clone(),
            version: machine.version.clone(),
            places: machine.places,
            languages: machine.languages.clone(),
            why_not: machine.why_not.clone(),
            calibration_ns: machine.speed.map(|speed| speed.least_ns),
            spread_percent: machine.speed.map(|speed| speed.spread_percent),
            slower_percent: machine.slower_percent,
            doing: machine.doing.iter().map(OrderStatus::of).collect(),
            out: machine.out,
            counts: machine.counts,
        }
    }
}

impl OrderStatus {
    fn of(doing: &Doing) -> Self {
        let (step, done, of) = match doing.progress {
            None => ("waiting", None, None),
            Some(Progress::Building) => ("building", None, None),
            Some(Progress::Running { done, of }) => ("running", Some(done), Some(of)),
        };
        Self {
            what: doing.what.to_string(),
            since: Utc(doing.since_ms),
            step,
            done,
            of,
        }
    }
}

impl Show for Cluster {
    /// One line each, and below it what it does or why it gets less than everything.
    fn show(&self, page: &mut Page) {
        let style = if self.connected {
            Style::Good
        } else {
            Style::Bad
        };
        page.tagged(style.on("server"), self.shown.server_line());
        let now_ms = now_ms();
        for machine in &self.shown.machines {
            let style = match machine.standing {
                Standing::Working | Standing::Idle => Style::Good,
                Standing::Unused => Style::Warn,
                Standing::Gone => Style::Bad,
            };
            page.tagged(style.on(&*machine.name), machine.line(now_ms));
            let without = machine.is_used() && !machine.why_not.is_empty();
            let without = without.then(|| format!("without {}", machine.reasons()));
            for line in without.into_iter().chain(machine.doing_lines(now_ms)) {
                page.line(format!("  {line}"));
            }
        }
        if self.more > 0 {
            page.line(format!("and {} more machines", self.more));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cluster;
    use crate::places::samples::shown;

    #[test]
    fn programs_read_everything_that_is_shown() {
        // As a value, its keys are in order.
        let value = serde_json::to_value(Cluster::from(shown())).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&value).unwrap());
    }
}
