//! For programs that watch over the daemon: figures as Prometheus reads them, and whether it is
//! well.

use std::fmt::{Display, Write as _};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;

use super::answer::{TEXT, answer, later, unavailable};
use super::state::{AppState, Asked, Counted, Dashboard};
use crate::domain::{ProblemSlug, Verdict};
use crate::places::{Machine, OtherMachines};
use crate::util::words::listed;

/// The type of the text.
const TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A dispatcher that was not seen for this long does not work any more: it looks at the clock every
/// second.
const SILENCE_MAX: Duration = Duration::from_mins(1);
/// Broken packages that are named.
const BROKEN_NAMED_MAX: usize = 20;

/// What the figures are made from.
struct Figures<'a> {
    counted: &'a Counted,
    running: usize,
    workers: usize,
    queued: usize,
    faulted: usize,
    listeners: usize,
    broken: usize,
    uptime: Duration,
    /// The other machines, for the staff.
    machines: Option<&'a OtherMachines>,
}

/// The figures.
pub fn metrics(dashboard: &Arc<Dashboard>, _: &Asked) -> Response {
    let state = &dashboard.state;
    let counted = match state.counted() {
        Ok(counted) => counted,
        Err(error) => return unavailable(&error),
    };
    let runs = state.view.activity.runs();
    let line = state.view.activity.line();
    let machines = state.view.activity.machines();
    let shown = machines.as_deref();
    let (out, places) = shown.map_or((0, 0), |shown| (shown.out(), shown.used().1));
    let figures = Figures {
        machines: shown.filter(|_| dashboard.is_staff()),
        counted: &counted,
        running: runs.iter().flatten().count() + out,
        workers: runs.len() + places,
        queued: line.waiting,
        faulted: line.faulted,
        listeners: state.streams(),
        broken: state.board().broken().len(),
        uptime: state.start.elapsed(),
    };
    answer(StatusCode::OK, TYPE, text(&figures))
}

/// Single figures: name, kind, what it is, value.
#[rustfmt::skip]
fn singles(figures: &Figures<'_>) -> [(&'static str, &'static str, &'static str, u64); 13] {
    let counts = &figures.counted.counts;
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    [
        ("submissions_received", "gauge", "Submissions in the store.", counts.received),
        ("submissions_judged", "gauge", "Submissions with a verdict.", counts.judged),
        ("submissions_waiting", "gauge", "Submissions without a verdict.", counts.waiting),
        ("submissions_queued", "gauge", "Submissions that wait for a worker, rejudged ones too.", number(figures.queued)),
        ("submissions_faulted", "gauge", "Submissions whose last try failed on the grader's side.", number(figures.faulted)),
        ("files_rejected", "gauge", "Files in the submissions folder that are not submissions.", counts.rejected),
        ("runs_in_progress", "gauge", "Submissions that are being judged.", number(figures.running)),
        ("workers", "gauge", "Submissions that can be judged at a time.", number(figures.workers)),
        ("faults", "gauge", "Faults that are remembered.", counts.faults),
        ("packages_broken", "gauge", "Problems that nobody is graded on, because their packages are broken.", number(figures.broken)),
        ("reports_due", "gauge", "Judgements whose reports are not known to be on disk.", counts.unreported),
        ("listeners", "gauge", "Open streams of events.", number(figures.listeners)),
        ("uptime_seconds", "gauge", "How long the dashboard has been there.", figures.uptime.as_secs()),
    ]
}

fn text(figures: &Figures<'_>) -> String {
    let mut text = Text::default();
    for (name, kind, help, value) in singles(figures) {
        text.one(name, kind, help, value);
    }
    text.head(
        "verdicts",
        "gauge",
        "Submissions by the verdict that they have now.",
    );
    let verdicts = &figures.counted.counts.verdicts;
    for verdict in Verdict::ALL {
        let of = |(known, count): &(Verdict, u64)| (*known == verdict).then_some(*count);
        let count = verdicts.iter().find_map(of).unwrap_or(0);
        let label = format!("{{verdict=\"{}\"}}", verdict.code());
        text.line("verdicts", &label, count);
    }
    if let Some(ms) = figures.counted.last_verdict_ms {
        text.one(
            "last_verdict_timestamp_seconds",
            "gauge",
            "When the last verdict was published.",
            format!("{}.{:03}", ms / 1_000, ms.rem_euclid(1_000)),
        );
    }
    if let Some(shown) = figures.machines {
        machines(&mut text, shown);
    }
    text.head("build_info", "gauge", "The version.");
    let version = concat!("{version=\"", env!("CARGO_PKG_VERSION"), "\"}");
    text.line("build_info", version, 1);
    text.0
}

/// A figure of each machine: name, kind, what it is, value.
type OfMachine = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Machine) -> String,
);

#[rustfmt::skip]
const OF_MACHINE: [OfMachine; 9] = [
    ("machine_used", "gauge", "Whether the machine is there and gets orders.", |one| u8::from(one.is_used()).to_string()),
    ("machine_places", "gauge", "Orders that the machine does at a time.", |one| one.places.to_string()),
    ("machine_orders_out", "gauge", "Orders that the machine has.", |one| one.out.to_string()),
    ("machine_orders_done", "counter", "Orders that the machine has done.", |one| one.counts.done.to_string()),
    ("machine_orders_failed", "counter", "Orders that the machine could not do.", |one| one.counts.failed.to_string()),
    ("machine_orders_lost", "counter", "Orders of the machine that were given to others.", |one| one.counts.lost.to_string()),
    ("machine_facts_dropped", "counter", "Facts of the machine that came twice or too late.", |one| one.counts.dropped.to_string()),
    ("machine_calibration_ns", "gauge", "CPU time of a fixed piece of work on the machine.", |one| one.speed.map_or(0, |speed| speed.least_ns).to_string()),
    ("machine_slower_percent", "gauge", "By how many percent the machine is slower than the daemon's.", |one| one.slower_percent.unwrap_or(0.0).to_string()),
];

fn machines(text: &mut Text, shown: &OtherMachines) {
    text.one(
        "server_connected",
        "gauge",
        "Whether other machines can be reached.",
        u8::from(shown.trouble.is_none()),
    );
    for (name, kind, help, value) in OF_MACHINE {
        text.head(name, kind, help);
        for machine in &shown.machines {
            // A name on the server has nothing that a label could not have.
            let label = format!("{{machine=\"{}\"}}", machine.name);
            text.line(name, &label, value(machine));
        }
    }
}

#[derive(Default)]
struct Text(String);

impl Text {
    // Writing to a String cannot fail.
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP verdictd_{name} {help}");
        let _ = writeln!(self.0, "# TYPE verdictd_{name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "verdictd_{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.line(name, "", value);
    }
}

/// `ok`, or what is wrong. A broken package is its instructor's to fix: the daemon is well all the
/// same, and a restart would not help.
pub fn health(dashboard: &Arc<Dashboard>, _: &Asked) -> Response {
    let state = &dashboard.state;
    match trouble(state) {
        None => answer(StatusCode::OK, TEXT, format!("ok\n{}", broken_words(state))),
        Some(reason) => later(answer(
            StatusCode::SERVICE_UNAVAILABLE,
            TEXT,
            format!("{reason}\n"),
        )),
    }
}

fn broken_words(state: &AppState) -> String {
    let board = state.board();
    let broken: Vec<&str> = board.broken().keys().map(ProblemSlug::as_str).collect();
    if broken.is_empty() {
        return String::new();
    }
    let named = listed(broken.iter().copied(), BROKEN_NAMED_MAX);
    format!("nobody is graded on broken packages: {named}; `verdictd status` says why\n")
}

fn trouble(state: &AppState) -> Option<String> {
    if let Err(error) = state.read(crate::store::Reader::last_event) {
        tracing::warn!(%error, "/healthz cannot read the store");
        return Some("the store cannot be read".to_owned());
    }
    let silence = state.view.activity.silence();
    if silence > SILENCE_MAX {
        return Some(format!(
            "nothing was given out for {} s: the dispatcher does not answer",
            silence.as_secs()
        ));
    }
    state.view.activity.standstill()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::{Duration, Instant};

    use super::{Counted, Figures, text};
    use crate::domain::Verdict;
    use crate::places::samples::shown;
    use crate::store::Counts;

    #[test]
    fn the_text_is_what_prometheus_reads() {
        let counted = Counted {
            at: Instant::now(),
            counts: Counts {
                received: 7,
                verdicts: vec![(Verdict::Accepted, 4), (Verdict::WrongAnswer, 1)],
                ..Counts::default()
            },
            last_verdict_ms: Some(1_772_368_200_123),
        };
        let text = text(&Figures {
            counted: &counted,
            running: 1,
            workers: 2,
            queued: 1,
            faulted: 0,
            listeners: 3,
            broken: 2,
            uptime: Duration::from_secs(90),
            machines: Some(&shown()),
        });
        for line in [
            // It falls when a student is forgotten, which a counter must not.
            "# TYPE verdictd_submissions_received gauge",
            "verdictd_submissions_received 7",
            "verdictd_verdicts{verdict=\"AC\"} 4",
            "verdictd_verdicts{verdict=\"TLE\"} 0",
            "verdictd_last_verdict_timestamp_seconds 1772368200.123",
            "verdictd_listeners 3",
            "verdictd_packages_broken 2",
            "verdictd_server_connected 1",
            "verdictd_machine_orders_out{machine=\"lab-07\"} 2",
            "verdictd_machine_used{machine=\"lab-09\"} 0",
            "verdictd_machine_slower_percent{machine=\"lab-08\"} -4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let mut typed = BTreeSet::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                assert!(matches!(kind, "counter" | "gauge"), "{line}");
                assert!(typed.insert(name.to_owned()), "twice: {line}");
            } else if !line.starts_with('#') {
                let (name, value) = line.rsplit_once(' ').unwrap();
                let name = name.split('{').next().unwrap();
                assert!(typed.contains(name), "no type: {line}");
                assert!(value.parse::<f64>().is_ok(), "{line}");
            }
        }
        assert!(text.ends_with('\n'));
    }
}
