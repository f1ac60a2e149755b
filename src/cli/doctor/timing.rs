//! `verdictd doctor --timing`: how evenly this machine measures, and what to trust.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use serde_json::{Value, json};

use crate::cli::exit::Exit;
use crate::cli::out::{Out, Style};
use crate::cli::session::worker_count;
use crate::config::Config;
use crate::domain::{End, Fault};
use crate::judge::timing::{CLOSE_PERCENT, MEASUREMENTS_MAX, SUSPECT_PERCENT};
use crate::sandbox::{Runner, Sandbox, load};
use crate::util::cores::{Cores, stolen};
use crate::util::machine::{self, Clock};

/// Measurements alone, and of each worker beside the others.
const SAMPLES: usize = 15;
/// The least number from which anything is said, however long it takes.
const SAMPLES_MIN: usize = 3;
/// What one measurement takes, about.
const SAMPLE_TIME: Duration = Duration::from_millis(100);
/// When each of the two series is cut short.
const SERIES_TIME_MAX: Duration = Duration::from_secs(3);
/// Steps of the first try, from which the number for a sample is reckoned.
const TRY_STEPS: u64 = 2_000_000;
/// Workers that are made busy at once.
const WORKERS_MAX: usize = 256;

/// Repeats that count at least, where a run is over the limit.
const REPEATS: usize = MEASUREMENTS_MAX as usize - 1;

/// Some measurements of the same work.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Series {
    /// The shortest first.
    times: Vec<Duration>,
    /// The longest that came out where the least of as many as are repeated counts.
    counted: Duration,
}

impl Series {
    fn of(mut times: Vec<Duration>) -> Self {
        let least = |some: &[Duration]| some.iter().min().copied().unwrap_or_default();
        let counted = times.windows(REPEATS).map(least).max().unwrap_or_default();
        times.sort_unstable();
        Self { times, counted }
    }

    /// The time below which so many per cent of the measurements lie.
    fn percentile(&self, percent: usize) -> Duration {
        let at = (self.times.len() * percent).div_ceil(100).max(1) - 1;
        self.times.get(at).copied().unwrap_or_default()
    }

    fn least(&self) -> Duration {
        self.percentile(0)
    }

    fn json(&self) -> Value {
        json!({
            "measurements": self.times.len(), "least_ms": ms(self.least()),
            "median_ms": ms(self.percentile(50)), "p95_ms": ms(self.percentile(95)),
        })
    }
}

/// What was found.
struct Found {
    alone: Series,
    /// With every worker busy; none where there is one worker.
    loaded: Option<Series>,
    /// Workers as configured, and as this machine can measure.
    workers: usize,
    recommended: usize,
    cores: Cores,
    /// Share of the time that the host of a virtual machine gave to others meanwhile.
    stolen: Option<f64>,
    clock: Clock,
    is_virtual: bool,
}

/// Measures, and shows what came of it.
pub fn run(config: &Config, sandbox: &Sandbox, json: bool, out: &mut Out) -> anyhow::Result<Exit> {
    out.note("measuring the same work again and again …");
    let found = measure(config, sandbox)?;
    if json {
        out.json(&found.json());
    } else {
        found.show(out);
    }
    Ok(Exit::Good)
}

fn measure(config: &Config, sandbox: &Sandbox) -> anyhow::Result<Found> {
    let cores = Cores::find();
    let workers = worker_count(config).min(WORKERS_MAX);
    let room = load::room()?;
    let mut runners = Vec::new();
    for worker in 0..workers {
        let mut runner = sandbox.runner(worker)?;
        runner.enter(&room)?;
        runners.push(runner);
    }
    let before = stolen();
    let first = runners
        .first_mut()
        .ok_or_else(|| anyhow!("there are no workers"))?;
    let steps = steps_of_a_sample(first.as_mut())?;
    let alone = Series::of(series(first.as_mut(), steps, true)?);
    let loaded = if workers > 1 {
        Some(Series::of(side_by_side(&mut runners, steps)?))
    } else {
        None
    };
    Ok(Found {
        alone,
        loaded,
        workers,
        recommended: cores.workers(),
        cores,
        stolen: before.zip(stolen()).and_then(share_stolen),
        clock: machine::clock(),
        is_virtual: machine::is_virtual(),
    })
}

fn share_stolen(((stolen, all), (stolen_then, all_then)): ((u64, u64), (u64, u64))) -> Option<f64> {
    let all = u32::try_from(all_then.checked_sub(all)?).ok()?;
    let stolen = u32::try_from(stolen_then.checked_sub(stolen)?).ok()?;
    (all > 0).then(|| f64::from(stolen) / f64::from(all))
}

/// Runs the work once: its CPU time.
fn sample(runner: &mut dyn Runner, steps: u64, alone: bool) -> Result<Duration, Fault> {
    let outcome = runner.run(&load::job(steps, alone))?;
    match (outcome.stop, outcome.end) {
        (None, End::Exited(0)) => Ok(outcome.cpu),
        other => Err(Fault::new(
            "measure this machine",
            format!("the work ended with {other:?}"),
        )),
    }
}

fn steps_of_a_sample(runner: &mut dyn Runner) -> Result<u64, Fault> {
    let tried = sample(runner, TRY_STEPS, true)?.as_micros().max(1);
    let steps = u128::from(TRY_STEPS) * SAMPLE_TIME.as_micros() / tried;
    Ok(u64::try_from(steps)
        .unwrap_or(TRY_STEPS)
        .clamp(TRY_STEPS / 10, TRY_STEPS * 1_000))
}

fn series(runner: &mut dyn Runner, steps: u64, alone: bool) -> Result<Vec<Duration>, Fault> {
    let began = Instant::now();
    let mut times = Vec::new();
    // Each has an end of its own: the sandbox gives up on a job that gets no core.
    while times.len() < SAMPLES_MIN || (times.len() < SAMPLES && began.elapsed() < SERIES_TIME_MAX)
    {
        times.push(sample(runner, steps, alone)?);
    }
    Ok(times)
}

/// The same with every worker busy.
fn side_by_side(runners: &mut [Box<dyn Runner>], steps: u64) -> Result<Vec<Duration>, Fault> {
    let barrier = Barrier::new(runners.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = runners
            .iter_mut()
            .map(|runner| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    series(runner.as_mut(), steps, false)
                })
            })
            .collect();
        let mut all = Vec::new();
        for thread in threads {
            let times = thread
                .join()
                .map_err(|_| Fault::new("measure this machine", "a thread failed"))?;
            all.extend(times?);
        }
        Ok(all)
    })
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e5).round() / 100.0
}

fn ratio(over: Duration, under: Duration) -> f64 {
    over.as_secs_f64() / under.as_secs_f64().max(f64::EPSILON)
}

/// By how many per cent it is more than one.
fn percent(ratio: f64) -> f64 {
    ((ratio - 1.0) * 1_000.0).round().max(0.0) / 10.0
}

impl Found {
    /// How far a measurement alone may lie above the least.
    fn spread(&self) -> f64 {
        ratio(self.alone.percentile(95), self.alone.least())
    }

    /// The same for the least of as many as are repeated.
    fn doubt(&self) -> f64 {
        ratio(self.alone.counted, self.alone.least())
    }

    /// How much longer the same work takes with every worker busy.
    fn slowdown(&self) -> Option<f64> {
        let loaded = self.loaded.as_ref()?;
        Some(ratio(loaded.percentile(50), self.alone.percentile(50)))
    }

    /// How many times the slowest good program the limit should be: twice, and the noise.
    fn factor(&self) -> f64 {
        (2.0 * self.doubt() * 10.0).ceil() / 10.0
    }

    fn advice(&self) -> Vec<String> {
        let mut advice = vec![
            format!(
                "a run over the limit by less than {} % is measured again, alone on a quiet core, and once more where it then is over by less than {} %: at most {MEASUREMENTS_MAX} times, and the least counts",
                SUSPECT_PERCENT - 100,
                CLOSE_PERCENT - 100
            ),
            format!(
                "times within {} % of the limit may come out either way; further away they do not",
                percent(self.doubt()).ceil().max(1.0)
            ),
            format!(
                "set the limit to at least {:.1} × what the slowest good program takes here",
                self.factor()
            ),
            format!("recommended workers = {}", self.recommended),
        ];
        if self.workers > self.recommended {
            advice.push(format!(
                "config.toml asks for {} workers, of which some share a core: their times are longer than they should be, and many runs are measured again",
                self.workers
            ));
        }
        if let Some(slowdown) = self.slowdown()
            && slowdown > 1.25
        {
            advice.push(format!(
                "side by side, programs take {slowdown:.2} × as long: the cores share more than the kernel knows; fewer workers would measure more evenly"
            ));
        }
        if self.stolen.is_some_and(|share| share > 0.02) {
            advice.push(
                "the host of this virtual machine gives a part of its time to others: measure on a machine of your own if you can"
                    .to_owned(),
            );
        }
        let changing = |governor: &String| governor != "performance";
        if let Some(governor) = self.clock.governor.as_ref().filter(|one| changing(one)) {
            advice.push(format!(
                "the clock follows the load (governor `{governor}`): `cpupower frequency-set -g performance` keeps it steady"
            ));
        }
        advice
    }

    fn json(&self) -> Value {
        json!({
            "alone": self.alone.json(), "spread": self.spread(), "doubt": self.doubt(),
            "loaded": self.loaded.as_ref().map(Series::json), "slowdown": self.slowdown(),
            "workers": self.workers, "recommended_workers": self.recommended,
            "cores": self.cores.cores.len(), "processors": self.cores.processors(),
            "processors_by_quota": self.cores.parallelism,
            "stolen": self.stolen, "governor": self.clock.governor, "boost": self.clock.boost,
            "virtual_machine": self.is_virtual,
            "limit_factor": self.factor(), "advice": self.advice(),
        })
    }

    fn show(&self, out: &mut Out) {
        let series = |name: &str, series: &Series| {
            format!(
                "{name:<14}{} measurements: least {:.2} ms, median {:.2} ms, 95 % below {:.2} ms",
                series.times.len(),
                ms(series.least()),
                ms(series.percentile(50)),
                ms(series.percentile(95))
            )
        };
        out.line(&series("alone", &self.alone));
        if let Some(loaded) = &self.loaded {
            out.line(&series(&format!("{} workers", self.workers), loaded));
        }
        out.line(&format!(
            "spread        {} % of one measurement, {} % where the least of {REPEATS} counts",
            percent(self.spread()),
            percent(self.doubt())
        ));
        match self.slowdown() {
            Some(slowdown) => out.line(&format!("side by side  {slowdown:.2} × as long")),
            None => out.line("side by side  nothing runs beside the one worker"),
        }
        out.line(&format!("machine       {}", self.machine().join(", ")));
        out.line("");
        out.line(&out.styled(Style::Good, "what to trust"));
        for line in self.advice() {
            out.line(&format!("- {line}"));
        }
    }

    fn machine(&self) -> Vec<String> {
        let (cores, processors) = (self.cores.cores.len(), self.cores.processors());
        let mut words = vec![match (cores, processors) {
            (1, 1) => "1 core".to_owned(),
            (cores, processors) if cores == processors => format!("{cores} cores"),
            (cores, processors) => {
                format!(
                    "{cores} cores with {processors} hyper-threads, which are not used side by side"
                )
            }
        }];
        if self.cores.parallelism < processors {
            words.push(format!("a quota of {} of them", self.cores.parallelism));
        }
        let kind = if self.is_virtual {
            "a virtual machine"
        } else {
            "not a virtual machine"
        };
        words.push(kind.to_owned());
        if let Some(share) = self.stolen {
            words.push(format!("{:.1} % of its time stolen", share * 100.0));
        }
        words.push(match &self.clock.governor {
            Some(governor) => format!("governor {governor}"),
            None => "its clock cannot be seen".to_owned(),
        });
        if let Some(boost) = self.clock.boost {
            words.push(format!("boost {}", if boost { "on" } else { "off" }));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Found, Series, share_stolen};
    use crate::util::cores::Cores;
    use crate::util::machine::Clock;

    fn series(times: &[u64]) -> Series {
        let times = times.iter().map(|&one| Duration::from_millis(one));
        Series::of(times.collect())
    }

    fn found(alone: &[u64], loaded: &[u64]) -> Found {
        Found {
            alone: series(alone),
            loaded: Some(series(loaded)),
            workers: 2,
            recommended: 2,
            cores: Cores {
                cores: vec![vec![0], vec![1]],
                parallelism: 2,
            },
            stolen: None,
            clock: Clock::default(),
            is_virtual: true,
        }
    }

    #[test]
    fn percentiles_of_few_measurements() {
        let times = series(&[30, 10, 20, 40]);
        for (percent, expected) in [(0, 10), (50, 20), (75, 30), (95, 40), (100, 40)] {
            let expected = Duration::from_millis(expected);
            assert_eq!(times.percentile(percent), expected, "{percent}");
        }
    }

    #[test]
    fn the_advice_follows_the_noise() {
        let quiet = found(&[100, 100, 101], &[101, 102, 103])
            .advice()
            .join("\n");
        assert!(quiet.contains("within 1 % of the limit"), "{quiet}");
        assert!(quiet.contains("at least 2.0 ×"), "{quiet}");
        assert!(quiet.contains("recommended workers = 2"), "{quiet}");
        assert!(!quiet.contains("side by side, programs"), "{quiet}");
        let mut noisy = found(&[100, 160, 130, 135, 110], &[150, 190, 200]);
        noisy.workers = 4;
        noisy.stolen = Some(0.1);
        noisy.clock.governor = Some("powersave".to_owned());
        let advice = noisy.advice().join("\n");
        for words in [
            "within 30 % of the limit",
            "at least 2.6 ×",
            "asks for 4 workers",
            "take 1.46 × as long",
            "host of this virtual machine",
            "governor `powersave`",
        ] {
            assert!(advice.contains(words), "{words}: {advice}");
        }
    }

    #[test]
    fn what_was_stolen_is_a_share() {
        assert_eq!(share_stolen(((5, 100), (10, 200))), Some(0.05));
        assert_eq!(share_stolen(((5, 100), (5, 100))), None);
    }
}
