//! `verdictd calibrate PROBLEM`: the CPU limit that the examples of a package ask for.

use std::sync::Arc;

use clap::Args;

use super::prelude::{Exit, Out, Progress, Session};
use super::strength::{examples, measure};
use crate::config::Config;
use crate::package::Package;
use crate::strength::{
    Calibration, Example, Kind, Trials, Tried, by_weight, least_limit, limit_for_slow,
    with_cpu_limit,
};

/// Times the limit that an accepted example may take while it is measured.
const ROOM_TIMES: u32 = 10;

/// Compute the time limit that a package's examples ask for
#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem.
    problem: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    out.as_json(arguments.json);
    let mut config = config.clone();
    // A program is judged again on the tests after the first that it fails on.
    config.judge.stop_at_first_failure = true;
    config.judge.repeat_near_limit = false;
    let session = Session::new(config)?;
    let package = session.package_named(&arguments.problem)?;
    let (calibration, faults) = calibration(&session, &package);
    out.show(&calibration);
    for fault in &faults {
        out.error(fault);
    }
    Ok(if faults.is_empty() {
        Exit::No.only_if(!calibration.complaints.is_empty())
    } else {
        Exit::Fault
    })
}

/// What the examples ask for, and what failed on this side.
fn calibration(session: &Session, package: &Arc<Package>) -> (Calibration, Vec<String>) {
    let multipliers = package.multipliers;
    let mut trials = Trials::default();
    let mut load =
        |folder, kind| examples(session, package, &[(folder, kind)], &mut trials.untried);
    let (right, slow) = (
        load("accepted", Kind::Intended),
        load("time_limit_exceeded", Kind::Slow),
    );
    let progress = Progress::new(right.len() + slow.len(), "programs tried");
    let roomy = with_cpu_limit(package, package.limits.cpu * ROOM_TIMES);
    measure(session, &right, &progress, &mut trials, |slot, program| {
        let tried = program.not_run();
        tried.on_every_test(&roomy, &mut |part| slot.judge(&program.on(part)))
    });
    let (accepted, wrong): (Vec<Tried>, Vec<Tried>) = std::mem::take(&mut trials.programs)
        .into_iter()
        .partition(Tried::is_accepted);
    let not_accepted = wrong.iter().map(|tried| {
        let name = &tried.name;
        format!(
            "{name} is not accepted, with {ROOM_TIMES} × the limit either, so it does not count"
        )
    });
    let weight = by_weight(&accepted, package.tests.len());
    let accepted = timed(&accepted, &roomy);
    let mut too_slow = Vec::new();
    if let Some(limit) = least_limit(&accepted, multipliers) {
        let limited = limit_for_slow(limit.max(package.limits.cpu), multipliers);
        let limited = with_cpu_limit(package, limited);
        measure(session, &slow, &progress, &mut trials, |slot, program| {
            let tried = program.not_run();
            tried.on_the_heaviest(&limited, &weight, &mut |part| slot.judge(&program.on(part)))
        });
        let (waiting, busy): (Vec<Tried>, Vec<Tried>) = std::mem::take(&mut trials.programs)
            .into_iter()
            .partition(Tried::waits);
        too_slow = timed(&busy, &limited);
        let waiting = waiting.iter().map(|tried| {
            format!(
                "{}: wall-clock time ended it, which says nothing of CPU time",
                tried.name
            )
        });
        trials.untried.extend(waiting);
    }
    let times = (accepted, too_slow);
    let (problem, limit) = (package.slug.as_str(), package.limits.cpu);
    let mut calibration = Calibration::of(problem, limit, times, trials.untried, multipliers);
    if package.accepts_in_part() {
        calibration.not_counted.extend(not_accepted);
    } else {
        calibration.complaints.extend(not_accepted);
    }
    (calibration, trials.faults)
}

/// The times of programs that were run under the limit of this package, the slowest first.
fn timed(programs: &[Tried], package: &Package) -> Vec<Example> {
    let programs = programs.iter();
    let mut examples: Vec<Example> = programs
        .filter_map(|tried| Example::of(tried, package))
        .collect();
    examples.sort_by(|one, other| other.counted_s.total_cmp(&one.counted_s));
    examples
}
