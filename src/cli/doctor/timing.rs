//! `verdictd doctor --timing`: how evenly this machine measures, and what to trust.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::config::Config;
use crate::domain::{End, Fault, Limits};
use crate::judge::timing::{CLOSE_PERCENT, MEASUREMENTS_MAX, SUSPECT_PERCENT};
use crate::sandbox::{APP_FOLDER, AppFile, Collect, Job, Room, Runner, Sandbox};
use crate::util::MIB;
use crate::util::calibrate::Chain;
use crate::util::cores::{Cores, stolen};
use crate::util::files::read_bounded;
use crate::util::machine::{self, Clock};
use crate::util::sync::side_by_side;
use crate::util::words::amount;
use crate::view::{Page, Show, Style};

/// Measurements alone, and of each worker beside the others.
const SAMPLES: usize = 15;
/// The least number from which anything is said, however long it takes.
const SAMPLES_MIN: usize = 3;
/// What one measurement takes, about.
const SAMPLE_TIME: Duration = Duration::from_millis(100);
/// When each of the two series is cut short.
const SERIES_TIME_MAX: Duration = Duration::from_secs(3);
/// How often the work is done at the first try, from which the number for a sample is reckoned, and
/// in a sample at most.
const TRY_ROUNDS: u32 = 4;
const ROUNDS_MAX: u128 = 1_000;
/// Workers that are made busy at once.
const WORKERS_MAX: usize = 256;
/// Repeats that count at least, where a run is over the limit.
const REPEATS: usize = MEASUREMENTS_MAX as usize - 1;
/// How many times as long programs may take side by side before fewer workers are advised.
const SLOWDOWN_MAX: f64 = 1.25;
/// The share of its time that the host of a virtual machine may give to others.
const STOLEN_MAX: f64 = 0.02;

/// Some measurements of the same work, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Series {
    least_ms: f64,
    measurements: usize,
    median_ms: f64,
    p95_ms: f64,
    /// The longest that came out where the least of as many as are repeated counts.
    #[serde(skip)]
    counted_ms: f64,
}

impl Series {
    fn of(mut times: Vec<Duration>) -> Self {
        let least = |some: &[Duration]| some.iter().min().copied().unwrap_or_default();
        let counted = times.windows(REPEATS).map(least).max().unwrap_or_default();
        times.sort_unstable();
        // The time below which so many percent of the measurements lie.
        let percentile = |percent: usize| {
            let at = (times.len() * percent).div_ceil(100).max(1) - 1;
            ms(times.get(at).copied().unwrap_or_default())
        };
        Self {
            least_ms: percentile(0),
            measurements: times.len(),
            median_ms: percentile(50),
            p95_ms: percentile(95),
            counted_ms: ms(counted),
        }
    }

    fn line(&self) -> String {
        format!(
            "{} measurements: least {:.2} ms, median {:.2} ms, 95 % below {:.2} ms",
            self.measurements, self.least_ms, self.median_ms, self.p95_ms
        )
    }
}

/// What was found.
#[derive(Serialize)]
pub struct Timing {
    advice: Vec<String>,
    alone: Series,
    boost: Option<bool>,
    cores: usize,
    /// How far the least of as many as are repeated may lie above the least of all.
    doubt: f64,
    governor: Option<String>,
    /// How many times the slowest good program the limit should be: twice, and the noise.
    limit_factor: f64,
    /// With every worker busy; none where there is one worker.
    loaded: Option<Series>,
    processors: usize,
    processors_by_quota: usize,
    recommended_workers: usize,
    /// How much longer the same work takes with every worker busy.
    slowdown: Option<f64>,
    /// How far a measurement alone may lie above the least.
    spread: f64,
    /// Share of the time that the host of a virtual machine gave to others meanwhile.
    stolen: Option<f64>,
    virtual_machine: bool,
    /// As configured.
    workers: usize,
}

/// Measures this machine.
pub fn timing(config: &Config, sandbox: &Sandbox) -> anyhow::Result<Timing> {
    let workers = config.judge.workers.count().min(WORKERS_MAX);
    let room = room()?;
    let before = stolen();
    let mut first = sandbox.runner(0);
    first.enter(&room)?;
    let rounds = rounds_of_a_sample(&mut first)?;
    drop(first);
    let alone = series(sandbox, &room, 1, rounds)?;
    let loaded = (workers > 1).then(|| series(sandbox, &room, workers, rounds));
    let loaded = loaded.transpose()?;
    let stolen = before.zip(stolen()).and_then(share_stolen);
    let machine = (&Cores::find(), machine::clock(), machine::is_virtual());
    Ok(Timing::of(alone, loaded, workers, stolen, machine))
}

fn share_stolen(((stolen, all), (stolen_then, all_then)): ((u64, u64), (u64, u64))) -> Option<f64> {
    let all = u32::try_from(all_then.checked_sub(all)?).ok()?;
    let stolen = u32::try_from(stolen_then.checked_sub(stolen)?).ok()?;
    (all > 0).then(|| f64::from(stolen) / f64::from(all))
}

/// Runs the work once: its CPU time.
fn sample(runner: &mut dyn Runner, rounds: u32, alone: bool) -> Result<Duration, Fault> {
    let outcome = runner.run(&job(rounds, alone))?;
    match (outcome.stop, outcome.end) {
        (None, End::Exited(0)) => Ok(outcome.cpu),
        other => Err(Fault::new(
            "measure this machine",
            format!("the work ended with {other:?}"),
        )),
    }
}

fn rounds_of_a_sample(runner: &mut dyn Runner) -> Result<u32, Fault> {
    let tried = sample(runner, TRY_ROUNDS, true)?.as_micros().max(1);
    let rounds = u128::from(TRY_ROUNDS) * SAMPLE_TIME.as_micros() / tried;
    Ok(u32::try_from(rounds.clamp(1, ROUNDS_MAX)).unwrap_or(TRY_ROUNDS))
}

/// The same work again and again, by so many workers at once. Each measurement has an end of its
/// own: the sandbox gives up on a job that gets no core.
fn series(sandbox: &Sandbox, room: &Room, workers: usize, rounds: u32) -> Result<Series, Fault> {
    let began = Instant::now();
    let mut times = Ok(Vec::new());
    side_by_side(
        workers,
        workers * SAMPLES,
        |number| {
            let mut runner = sandbox.runner(number);
            runner.enter(room).map(|()| runner)
        },
        |runner, at| {
            let runner = runner.as_mut().map_err(|fault| fault.clone())?;
            let is_needed = at < workers * SAMPLES_MIN || began.elapsed() < SERIES_TIME_MAX;
            let time = is_needed.then(|| sample(runner, rounds, workers == 1));
            time.transpose()
        },
        |_, time| match (&mut times, time) {
            (Ok(times), Ok(time)) => times.extend(time),
            (_, Ok(_)) => {}
            (times, Err(fault)) => *times = Err(fault),
        },
    );
    Ok(Series::of(times?))
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

/// By how many percent it is more than one.
fn percent(ratio: f64) -> f64 {
    ((ratio - 1.0) * 1_000.0).round().max(0.0) / 10.0
}

impl Timing {
    fn of(
        alone: Series,
        loaded: Option<Series>,
        workers: usize,
        stolen: Option<f64>,
        (cores, clock, virtual_machine): (&Cores, Clock, bool),
    ) -> Self {
        let ratio = |over: f64, under: f64| over / under.max(f64::EPSILON);
        let doubt = ratio(alone.counted_ms, alone.least_ms);
        let of_medians = |loaded: &Series| ratio(loaded.median_ms, alone.median_ms);
        let mut found = Self {
            advice: Vec::new(),
            boost: clock.boost,
            cores: cores.cores.len(),
            doubt,
            governor: clock.governor,
            limit_factor: (2.0 * doubt * 10.0).ceil() / 10.0,
            processors: cores.processors(),
            processors_by_quota: cores.parallelism,
            recommended_workers: cores.workers(),
            slowdown: loaded.as_ref().map(of_medians),
            spread: ratio(alone.p95_ms, alone.least_ms),
            stolen,
            virtual_machine,
            workers,
            alone,
            loaded,
        };
        found.advice = found.advice();
        found
    }

    /// What to trust: a line where a figure is beyond its threshold.
    fn advice(&self) -> Vec<String> {
        let (suspect, close) = (SUSPECT_PERCENT - 100, CLOSE_PERCENT - 100);
        let doubt = percent(self.doubt).ceil().max(1.0);
        let slowdown = self.slowdown.unwrap_or(1.0);
        let governor = self.governor.as_deref().unwrap_or("performance");
        let lines = [
            (true, format!("a run over the limit by less than {suspect} % is measured again, alone on a quiet core, and once more if it is over by less than {close} %: at most {MEASUREMENTS_MAX} times, and the least counts")),
            (true, format!("times within {doubt} % of the limit may come out either way; further away they do not")),
            (true, format!("set the limit to at least {:.1} × what the slowest good program takes here", self.limit_factor)),
            (true, format!("recommended workers = {}", self.recommended_workers)),
            (self.workers > self.recommended_workers, format!("config.toml asks for {} workers: some share a core, and many runs are measured again", self.workers)),
            (slowdown > SLOWDOWN_MAX, format!("side by side, programs take {slowdown:.2} × as long: fewer workers measure more evenly")),
            (self.stolen > Some(STOLEN_MAX), "the host of this virtual machine gives some of its time to others: use a machine of your own if you can".to_owned()),
            (governor != "performance", format!("the clock follows the load (governor `{governor}`): `cpupower frequency-set -g performance` keeps it steady")),
        ];
        let said = lines.into_iter().filter(|(is_said, _)| *is_said);
        said.map(|(_, line)| line).collect()
    }

    fn machine(&self) -> String {
        let (processors, quota) = (self.processors, self.processors_by_quota);
        let kind = if self.virtual_machine { "a" } else { "not a" };
        let governor = self.governor.as_ref();
        let words = [
            Some(amount(self.cores, "core")),
            (processors != self.cores)
                .then(|| format!("{processors} hyper-threads, which are not used side by side")),
            (quota < processors).then(|| format!("a quota of {quota} of them")),
            Some(format!("{kind} virtual machine")),
            self.stolen
                .map(|share| format!("{:.1} % of its time stolen", share * 100.0)),
            Some(governor.map_or_else(
                || "its clock cannot be seen".to_owned(),
                |governor| format!("governor {governor}"),
            )),
            self.boost
                .map(|boost| format!("boost {}", if boost { "on" } else { "off" })),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Show for Timing {
    fn show(&self, page: &mut Page) {
        let mut row = |name: &str, text: &str| page.line(format!("{name:<14}{text}"));
        row("alone", &self.alone.line());
        if let Some(loaded) = &self.loaded {
            row(&format!("{} workers", self.workers), &loaded.line());
        }
        let (spread, doubt) = (percent(self.spread), percent(self.doubt));
        row(
            "spread",
            &format!(
                "{spread} % of one measurement, {doubt} % where the least of {REPEATS} counts"
            ),
        );
        row(
            "side by side",
            &match self.slowdown {
                Some(slowdown) => format!("{slowdown:.2} × as long"),
                None => "nothing runs beside the one worker".to_owned(),
            },
        );
        row("machine", &self.machine());
        page.line("");
        page.spans([Style::Good.on("what to trust")]);
        for line in &self.advice {
            page.line(format!("- {line}"));
        }
    }
}

// A fixed amount of work for the processor: this binary itself, run in the sandbox under a hidden
// argument.

/// The hidden first argument. The second is how often the work is done.
const ARGUMENT: &str = "__doctor-load";
/// The binary's name in its room.
const NAME: &str = "verdictd";
/// This binary, in bytes.
const BINARY_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Where the work begins.
const SEED: u64 = 1;

/// Does the work and prints its sum, where this process was started for that.
pub fn reenter() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    arguments.next().filter(|first| first == ARGUMENT)?;
    let rounds = arguments
        .next()
        .and_then(|rounds| rounds.to_str()?.parse().ok());
    let sum = Chain::default().run(SEED, rounds.unwrap_or(0));
    Some(match writeln!(io::stdout(), "{sum}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// The room of the work.
fn room() -> Result<Room, Fault> {
    let binary = read_bounded(Path::new("/proc/self/exe"), BINARY_BYTES_MAX)
        .map_err(|error| Fault::new("read this binary", error))?;
    Ok(Room {
        shown: Vec::new(),
        app: vec![AppFile {
            name: NAME.to_owned(),
            bytes: binary.into(),
            executable: true,
        }],
    })
}

/// The work, so often.
fn job(rounds: u32, alone: bool) -> Job {
    let cpu = Duration::from_secs(5);
    Job {
        argv: vec![
            format!("{APP_FOLDER}/{NAME}"),
            ARGUMENT.to_owned(),
            rounds.to_string(),
        ],
        env: BTreeMap::new(),
        stdin: Arc::from([]),
        files: Vec::new(),
        collect: Collect::Nothing,
        caps: Limits {
            cpu,
            wall: Limits::wall_floor(cpu),
            memory_bytes: 256 * MIB,
            output_bytes: MIB,
            processes: 8,
            open_files: 64,
        },
        stderr_bytes_max: 1024,
        disk_bytes: MIB,
        stack_bytes: None,
        alone,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Series, Timing};
    use crate::util::cores::Cores;
    use crate::util::machine::Clock;

    fn series(times: &[u64]) -> Series {
        let times = times.iter().map(|&one| Duration::from_millis(one));
        Series::of(times.collect())
    }

    fn timing(
        alone: &[u64],
        loaded: &[u64],
        workers: usize,
        (stolen, clock): (Option<f64>, Clock),
    ) -> String {
        let cores = Cores {
            cores: vec![vec![0], vec![1]],
            parallelism: 2,
        };
        let machine = (&cores, clock, true);
        let loaded = Some(series(loaded));
        let found = Timing::of(series(alone), loaded, workers, stolen, machine);
        found.advice.join("\n")
    }

    #[test]
    fn the_advice_follows_the_noise() {
        let machine = (None, Clock::default());
        let quiet = timing(&[100, 100, 101], &[101, 102, 103], 2, machine);
        let good = "within 1 % of the limit|at least 2.0 ×|recommended workers = 2";
        for words in good.split('|') {
            assert!(quiet.contains(words), "{words}: {quiet}");
        }
        assert!(!quiet.contains("side by side, programs"), "{quiet}");
        let clock = Clock {
            governor: Some("powersave".to_owned()),
            boost: None,
        };
        let (alone, loaded) = ([100, 160, 130, 135, 110], [150, 190, 200]);
        let advice = timing(&alone, &loaded, 4, (Some(0.1), clock));
        let bad = "within 30 % of the limit|at least 2.6 ×|asks for 4 workers|\
                   take 1.46 × as long|host of this virtual machine|governor `powersave`";
        for words in bad.split('|') {
            assert!(advice.contains(words), "{words}: {advice}");
        }
    }
}
