//! A hidden command that runs jobs written as JSON and prints what came of them: the sandbox's own tests drive the real binary with it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::wire::{TrialJob, TrialOutcome, TrialSpec};
use super::{AppFile, Collect, Job, Outcome, Room, Runner, Sandbox, cgroup};
use crate::domain::{Caps, End, Fault, Stop};

/// The hidden first argument. The second is a file with the specification.
pub const ARGUMENT: &str = "__sandbox-run";

/// Runs the specification of the file named by the second argument.
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reader of standard error is a test.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(2).ok_or("no specification")?;
    let spec: TrialSpec = serde_json::from_slice(&fs::read(path)?)?;
    let allowed: BTreeSet<String> = spec.allow_missing.iter().cloned().collect();
    let sandbox = if spec.without_cgroups {
        Sandbox::open_with(cgroup::none(), &allowed)?
    } else {
        Sandbox::open(&allowed)?
    };
    let mut runner = sandbox.runner(0).map_err(|fault| fault.to_string())?;
    let mut room = Room {
        shown: spec.shown.clone(),
        app: Vec::new(),
    };
    for (name, file) in &spec.app {
        room.app.push(AppFile {
            name: name.clone(),
            bytes: fs::read(file)?.into(),
            executable: true,
        });
    }
    let mut enters = Vec::new();
    for _ in 0..spec.enters.max(1) {
        let began = Instant::now();
        // Where it fails, so does the job below, which says so.
        let _ = runner.enter(&room);
        enters.push(began.elapsed());
    }
    let enter_us = median_us(enters);
    let mut out = io::stdout().lock();
    for job in &spec.jobs {
        let mut outcome = repeat(runner.as_mut(), &room, job);
        outcome.enter_us = enter_us;
        serde_json::to_writer(&mut out, &outcome)?;
        writeln!(out)?;
        out.flush()?;
    }
    if spec.hold {
        io::stdin().read_to_end(&mut Vec::new())?;
    }
    Ok(())
}

fn median_us(mut times: Vec<Duration>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0, |&time| us(time))
}

fn us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn repeat(runner: &mut dyn Runner, room: &Room, trial: &TrialJob) -> TrialOutcome {
    let job = job(trial);
    let mut times = Vec::new();
    let mut last = Err(Fault::new("repeat", "not at all"));
    for _ in 0..trial.repeat {
        let began = Instant::now();
        last = runner.run(&job);
        times.push(began.elapsed());
        if last.is_err() {
            // The next job gets a room again, as a daemon would do. A room that cannot be made says more than a job without one.
            last = runner.enter(room).and(last);
            break;
        }
    }
    let mut outcome = match last {
        Ok(outcome) => shown(&outcome),
        Err(fault) => TrialOutcome {
            fault: Some(fault.to_string()),
            ..TrialOutcome::default()
        },
    };
    outcome.run_us = median_us(times);
    outcome
}

fn job(trial: &TrialJob) -> Job {
    let mut stdin: Vec<u8> = trial.stdin.chars().map(|byte| byte as u8).collect();
    stdin.resize(stdin.len() + trial.stdin_zero_bytes, 0);
    let collect = match (trial.collect_all, trial.collect.is_empty()) {
        (Some((bytes_max, files_max)), _) => Collect::All {
            bytes_max,
            files_max,
        },
        (None, false) => Collect::Named {
            names: trial.collect.clone(),
            bytes_max: 1024,
        },
        (None, true) => Collect::Nothing,
    };
    Job {
        argv: trial.argv.clone(),
        env: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
        stdin: stdin.into(),
        files: trial
            .files
            .iter()
            .map(|(name, text)| AppFile {
                name: name.clone(),
                bytes: text.as_bytes().into(),
                executable: false,
            })
            .collect(),
        collect,
        caps: Caps {
            cpu: Duration::from_millis(trial.cpu_ms),
            wall: Duration::from_millis(trial.wall_ms),
            memory_bytes: trial.memory_bytes,
            output_bytes: trial.output_bytes,
            processes: trial.processes,
            open_files: trial.open_files,
        },
        stderr_bytes_max: trial.stderr_bytes,
        disk_bytes: trial.disk_bytes,
        stack_bytes: trial.stack_bytes,
        alone: trial.alone,
    }
}

fn shown(outcome: &Outcome) -> TrialOutcome {
    let text = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect();
    let stop = outcome.stop.map(|stop| match stop {
        Stop::Cpu => "cpu",
        Stop::Wall => "wall",
        Stop::Output => "output",
    });
    let (exited, signalled) = match outcome.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal)),
    };
    TrialOutcome {
        fault: None,
        exited,
        signalled,
        stop: stop.map(str::to_owned),
        memory_exceeded: outcome.memory_exceeded,
        cpu_us: us(outcome.cpu),
        wall_us: us(outcome.wall),
        waited_us: us(outcome.waited),
        memory_bytes: outcome.memory_bytes,
        stdout: text(&outcome.stdout),
        stderr: text(&outcome.stderr),
        files: outcome
            .files
            .iter()
            .map(|file| (file.name.clone(), text(&file.bytes)))
            .collect(),
        collect_overflow: outcome.collect_overflow,
        run_us: 0,
        enter_us: 0,
    }
}
