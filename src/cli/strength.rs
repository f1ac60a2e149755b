//! `verdictd strength PROBLEM`: how good a problem's tests are.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use super::check::pieces;
use super::prelude::{Exit, Out, Piece, Progress, Recalled, Session, WorkerSlot, store_if_any};
use crate::config::Config;
use crate::domain::{Digest, Fault, LanguageId};
use crate::package::Package;
use crate::store::Reader;
use crate::strength::{CourseSearch, Hit, Kind, Strength, Trials, Tried, by_weight, mutants, page};
use crate::util::excerpt::spelled;
use crate::util::files::replace;

/// The most that may be given to each accepted example, in seconds.
const HACKS_CPU_MAX: f64 = 3_600.0;

/// Measure a problem's tests: what wrong programs or mutants pass
#[derive(Debug, Args)]
pub struct Arguments {
    /// The problem.
    problem: String,
    /// Print one JSON object
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

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let mut config = config.clone();
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
        let inputs = package.tests.iter().map(|test| test.input.read());
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let inputs: Vec<&[u8]> = inputs.iter().map(|input| &**input).collect();
        trials.extents = task.extents(&inputs).unwrap_or_default();
        trials.mutants = mutants(package, task, session.config.judge.workers.count());
    }
    Ok(Strength::of(package, trials))
}

/// Programs of the course, the latest ones.
const REJECTED_MAX: usize = 60;
/// The folders of example submissions; what does not build meets no test.
const FOLDERS: [(&str, Kind); 6] = [
    ("accepted", Kind::Intended),
    ("partially_accepted", Kind::Wrong),
    ("wrong_answer", Kind::Wrong),
    ("run_time_error", Kind::Wrong),
    ("rejected", Kind::Wrong),
    ("time_limit_exceeded", Kind::Slow),
];

/// A program, and what it is there for.
pub(super) struct Program {
    name: String,
    kind: Kind,
    piece: Piece,
}

impl Program {
    pub(super) fn not_run(&self) -> Tried {
        let Piece {
            submission,
            package,
            ..
        } = &self.piece;
        Tried::new(self.kind, &self.name, &submission.language, package)
    }

    /// The program for another package of the same problem.
    pub(super) fn on(&self, package: Arc<Package>) -> Piece {
        Piece {
            submission: self.piece.submission.clone(),
            source: self.piece.source.clone(),
            package,
        }
    }
}

/// Runs all programs, and attacks each accepted example for so long.
fn try_programs(
    session: &Session,
    package: &Arc<Package>,
    hacks_cpu: Duration,
) -> anyhow::Result<Trials> {
    let mut trials = Trials::default();
    let reader = store_if_any(&session.config)?;
    let programs = programs(session, package, reader.as_ref(), &mut trials.untried)?;
    let progress = Progress::new(programs.len(), "programs tried");
    let (slow, others): (Vec<Program>, Vec<Program>) = programs
        .into_iter()
        .partition(|program| program.kind == Kind::Slow);
    measure(session, &others, &progress, &mut trials, |slot, program| {
        let tried = program.not_run();
        tried.on_every_test(package, &mut |package| slot.judge(&program.on(package)))
    });
    let weight = by_weight(&trials.programs, package.tests.len());
    measure(session, &slow, &progress, &mut trials, |slot, program| {
        let tried = program.not_run();
        tried.on_the_heaviest(package, &weight, &mut |package| {
            slot.judge(&program.on(package))
        })
    });
    if let Some(reader) = reader {
        let hacks = reader.hack_yield(&package.slug)?;
        let found = hacks.found();
        trials.hack_search.course = Some(CourseSearch { hacks, found });
    }
    let was_run = |program: &&Program| {
        let same = |tried: &Tried| tried.kind == program.kind && tried.name == program.name;
        program.kind == Kind::Intended && trials.programs.iter().any(same)
    };
    let intended: Vec<&Program> = others.iter().filter(was_run).collect();
    if !hacks_cpu.is_zero() {
        search(session, &intended, hacks_cpu, &mut trials);
    }
    Ok(trials)
}

/// The programs, each once; those that cannot be tried join `untried`, each with its reason.
fn programs(
    session: &Session,
    package: &Arc<Package>,
    reader: Option<&Reader>,
    untried: &mut Vec<String>,
) -> anyhow::Result<Vec<Program>> {
    let mut programs = examples(session, package, &FOLDERS, untried);
    if let Some(reader) = reader {
        for entry in reader.failing(&package.slug, false, REJECTED_MAX)? {
            let Some(found) = reader.submission(entry.submission.id)? else {
                continue;
            };
            let submission = &found.0;
            let name = format!("{} #{}", submission.student, submission.attempt);
            let language = session.toolchain.language(&submission.language);
            if let Some(Err(reason)) = language.map(|language| session.usable(language)) {
                // Its language has gone since.
                untried.push(format!("{name}: {reason}"));
                continue;
            }
            let piece = Piece::of(found, Arc::clone(package));
            let kind = Kind::Wrong;
            programs.push(Program { name, kind, piece });
        }
    }
    // The same bytes may be a program in two languages.
    let mut seen: HashSet<(Digest, LanguageId)> = HashSet::new();
    programs.retain(|program| {
        let piece = &program.piece;
        seen.insert((piece.source.digest, piece.submission.language.clone()))
    });
    Ok(programs)
}

/// The example submissions in these folders; those that cannot be tried join `untried`.
pub(super) fn examples(
    session: &Session,
    package: &Arc<Package>,
    folders: &[(&str, Kind)],
    untried: &mut Vec<String>,
) -> Vec<Program> {
    let mut programs = Vec::new();
    for &(folder, kind) in folders {
        for (name, piece) in pieces(session, package, folder) {
            match piece {
                Ok(piece) => programs.push(Program { name, kind, piece }),
                Err(reason) => untried.push(format!("{name}: {reason}")),
            }
        }
    }
    programs
}

/// Runs programs side by side; one that cannot be judged is named.
pub(super) fn measure(
    session: &Session,
    programs: &[Program],
    progress: &Progress,
    trials: &mut Trials,
    work: impl Fn(&mut WorkerSlot<'_>, &Program) -> Result<Option<Tried>, Fault> + Sync,
) {
    session.side_by_side(
        Recalled::OfThisCommand,
        programs.len(),
        |slot, at| work(slot, &programs[at]),
        |at, result| {
            progress.program();
            let name = &programs[at].name;
            match result {
                Ok(Some(tried)) => trials.programs.push(tried),
                Ok(None) => trials.untried.push(format!("{name}: it does not build")),
                Err(fault) => trials.faults.push(format!("{name}: {fault}")),
            }
        },
    );
}

/// Searches for inputs that break these programs, each for so long.
fn search(session: &Session, programs: &[&Program], cpu: Duration, trials: &mut Trials) {
    session.side_by_side(
        Recalled::OfThisCommand,
        programs.len(),
        |slot, at| {
            slot.with_program(&programs[at].piece, &|| {}, |program| {
                session.attack(program, cpu, Vec::new())
            })
        },
        |at, result| {
            let name = programs[at].name.clone();
            match result {
                Err(fault) => {
                    let fault = format!("inputs that break {name}: {fault}");
                    trials.faults.push(fault);
                }
                Ok(attacked) => {
                    let search = &mut trials.hack_search;
                    search.examples += 1;
                    search.inputs += attacked.inputs;
                    search.hits.extend(attacked.broken.map(|broken| Hit {
                        input: spelled(&broken.input),
                        name,
                        verdict: broken.verdict,
                    }));
                }
            }
        },
    );
}
