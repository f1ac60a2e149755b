//! `verdictd strength PROBLEM`: how good a problem's tests are.

mod programs;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use super::exit::Exit;
use super::out::Out;
use super::session::{Session, read_config};
use crate::package::Package;
use crate::strength::{Strength, mutants, page};
use crate::util::files::replace;
use programs::try_programs;

/// The most that may be given to each accepted example, in seconds.
const HACKS_CPU_MAX: f64 = 3_600.0;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem.
    problem: String,
    /// One JSON object.
    #[arg(long)]
    json: bool,
    /// Also write a page with a picture of who fails on which test.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// CPU time, in seconds, in which inputs are looked for that break each accepted example.
    #[arg(long, value_name = "SECONDS", default_value = "0.3", value_parser = seconds)]
    hacks_cpu_s: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let seconds = seconds.filter(|seconds| (0.0..=HACKS_CPU_MAX).contains(seconds));
    let seconds = seconds.ok_or_else(|| format!("write seconds, from 0 to {HACKS_CPU_MAX}"))?;
    Ok(Duration::from_secs_f64(seconds))
}

pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = read_config(config_file)?;
    // A program is judged again on the tests after the first that it fails on.
    config.judge.stop_at_first_failure = true;
    config.judge.repeat_near_limit = false;
    let session = Session::new(config)?;
    let package = session.package_named(&arguments.problem)?;
    let strength = strength(&session, &package, arguments.hacks_cpu_s)?;
    if let Some(file) = &arguments.html {
        replace(file, page(&strength).as_bytes())
            .with_context(|| format!("write {}", file.display()))?;
    }
    out.as_json(arguments.json);
    out.show(&strength);
    Ok(if !strength.faults.is_empty() {
        Exit::Fault
    } else if strength.conclusions.survivors.is_empty() {
        Exit::Good
    } else {
        Exit::No
    })
}

fn strength(
    session: &Session,
    package: &Arc<Package>,
    hacks_cpu: Duration,
) -> anyhow::Result<Strength> {
    let mut trials = try_programs(session, package, hacks_cpu)?;
    if let Some(task) = package.task() {
        let inputs: Vec<&[u8]> = package.tests.iter().map(|test| &*test.input).collect();
        trials.extents = task.extents(&inputs).unwrap_or_default();
        trials.mutants = mutants(package, task, session.config.judge.workers.count());
    }
    Ok(Strength::of(package, trials))
}
