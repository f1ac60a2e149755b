//! `verdictd strength PROBLEM`: how good a problem's tests are.

mod hacks;
mod programs;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::exit::{CliError, Exit};
use super::names::problem_named;
use super::out::Out;
use super::progress::Progress;
use super::session::{Session, read_config, worker_count};
use super::slot::{Recalled, WorkerSlot};
use crate::domain::Fault;
use crate::package::Package;
use crate::strength::{Kind, Strength, Tried, by_weight, mutants, page, tried, tried_to_the_end};
use crate::util::files::replace;
use crate::util::pool::side_by_side;
use hacks::hack_search;
use programs::{Program, programs};

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
    let folder = &session.config.folders.problems;
    let slug = problem_named(&arguments.problem, &session.slugs, folder)?;
    let package = match session.package(&slug) {
        Some(Ok(package)) => package,
        Some(Err(error)) if error.ours => return Err(anyhow!("{error}")),
        Some(Err(error)) => return Err(CliError::usage(error.to_string())),
        None => return Err(CliError::usage(format!("there is no problem `{slug}`"))),
    };
    let strength = strength(&session, &package, arguments.hacks_cpu_s)?;
    if let Some(file) = &arguments.html {
        replace(file, page(&strength).as_bytes())
            .with_context(|| format!("write {}", file.display()))?;
    }
    if arguments.json {
        out.json(&strength.object());
    } else {
        words::show(&strength, out);
    }
    Ok(if !strength.faults.is_empty() {
        Exit::Fault
    } else if strength.is_strong() {
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
    let workers = worker_count(&session.config);
    let (programs, untried) = programs(session, package)?;
    let mut left = Left {
        untried,
        faults: Vec::new(),
    };
    let (slow, others): (Vec<Program>, Vec<Program>) = programs
        .into_iter()
        .partition(|program| program.kind == Kind::Slow);
    let progress = Progress::new(slow.len() + others.len(), "programs tried");
    let mut found = measured(session, &others, &progress, &mut left, |slot, program| {
        let language = &program.piece.submission.language;
        let about = (program.kind, program.name.as_str(), language);
        tried(about, package, &mut |package| {
            slot.judge(&program.on(package))
        })
    });
    let weight = by_weight(&found, package.tests.len());
    found.extend(measured(
        session,
        &slow,
        &progress,
        &mut left,
        |slot, program| {
            let about = (program.name.as_str(), &program.piece.submission.language);
            tried_to_the_end(about, package, &weight, &mut |package| {
                slot.judge(&program.on(package))
            })
        },
    ));
    let was_run = |program: &&Program| {
        let same = |tried: &Tried| tried.kind == program.kind && tried.row.name == program.name;
        program.kind == Kind::Intended && found.iter().any(same)
    };
    let intended: Vec<&Program> = others.iter().filter(was_run).collect();
    let hack_search = hack_search(session, package, &intended, hacks_cpu, &mut left.faults)?;
    let task = package.task();
    let inputs: Vec<&[u8]> = package.tests.iter().map(|test| &*test.input).collect();
    let extents = task.map(|task| task.extents(&inputs)).transpose();
    Ok(Strength {
        problem: package.slug.to_string(),
        title: package.title.clone(),
        limit: package.limits.cpu,
        tests: package
            .tests
            .iter()
            .map(|test| test.name.name.clone())
            .collect(),
        programs: found,
        mutants: task.map_or_else(Vec::new, |task| mutants(package, task, workers)),
        extents: extents.unwrap_or_default().unwrap_or_default(),
        hack_search,
        untried: left.untried,
        faults: left.faults,
    })
}

/// What was not tried, as in [`Strength`].
struct Left {
    untried: Vec<String>,
    faults: Vec<String>,
}

/// Runs programs side by side; one that cannot be judged is named.
fn measured(
    session: &Session,
    programs: &[Program],
    progress: &Progress,
    left: &mut Left,
    work: impl Fn(&mut WorkerSlot<'_>, &Program) -> Result<Option<Tried>, Fault> + Sync,
) -> Vec<Tried> {
    let mut found = Vec::new();
    side_by_side(
        worker_count(&session.config),
        programs.len(),
        |number| WorkerSlot::new(session, number, Recalled::OfThisCommand),
        |slot, at| work(slot, &programs[at]),
        |at, result| {
            progress.program();
            let name = &programs[at].name;
            match result {
                Ok(Some(tried)) => found.push(tried),
                Ok(None) => left.untried.push(format!("{name}: it does not build")),
                Err(fault) => left.faults.push(format!("{name}: {fault}")),
            }
        },
    );
    found
}
