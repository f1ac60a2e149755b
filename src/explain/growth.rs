//! The law by which a program's time grows with the size of its input, and the inputs to measure it
//! with. Pure.
//!
//! Each law is `start + scale × shape(size)`, fitted so that the relative errors of all measured
//! times are smallest: a relative error is the difference of two logarithms as long as it is small,
//! and the start-up time of the program, which is in every measurement, can be a part of the law. A
//! law is named if it fits, and if no law of another kind fits nearly as well.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::domain::{Growth, GrowthPoint};
use crate::problems::{Family, Growing, Law, Task};
use crate::util::words::amount;

/// Inputs that are made of a family that grows; several may have the same size.
const SEEDS: u64 = 40;
/// So many times as many inputs have about every size that there can be.
const MORE: u64 = 10;

/// Measurements that a law is fitted to, at least.
const POINTS_MIN: usize = 5;
/// The largest time must be so many times the smallest, or the time is constant.
const RANGE_MIN: f64 = 2.0;
/// The average relative error with which a law still fits.
const ERROR_MAX: f64 = 0.12;
/// A law of another kind must have so many times the error.
const CLEARLY: f64 = 1.3;
/// What a clock and a busy machine add to or take from any measurement, in microseconds.
const NOISE_US: f64 = 4_000.0;
/// Added to a time before an error is related to it, in microseconds: the scheduler's ticks are a
/// large part of the small times, which say little about the law.
const SMALL_US: f64 = 20_000.0;
/// How far an exponent may be from the whole number that it is named after.
const EXPONENT_OFF_MAX: f64 = 0.3;
/// Parameters of a law that are tried: from where to where, in which steps, and what one is in it.
type Parameters = (std::ops::RangeInclusive<u32>, usize, f64);

/// Exponents that are tried, in hundredths. On the sizes that there are, a higher one can hardly be
/// told from an exponential law, and hardly any algorithm has one.
const EXPONENTS: Parameters = (50..=500, 5, 100.0);
/// Factors per unit of size that are tried: e to the power of so many thousandths.
const RATES: Parameters = (10..=6_000, 10, 1_000.0);

/// What the fit says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fitted {
    /// The size makes no difference.
    Constant,
    /// A power of the size with this exponent.
    Power(f64),
    /// So many times as long for each unit of size.
    Exponential(f64),
    /// Nothing that is known here.
    Nothing,
}

/// A shape with the start and the scale that fit it best, and its average relative error.
#[derive(Debug, Clone, Copy)]
struct Fit {
    parameter: f64,
    start: f64,
    scale: f64,
    error: f64,
}

/// A family whose inputs differ in their size alone, with one input of each size, the smallest first.
pub struct Series {
    pub family: &'static Family,
    pub growing: Growing,
    pub inputs: Vec<(u64, Vec<u8>)>,
}

/// What a problem has of them, the one that shows most first.
pub fn series(task: &dyn Task) -> impl Iterator<Item = Series> {
    task.families().iter().filter_map(|family| {
        let mut series = Series {
            family,
            growing: family.growing?,
            inputs: Vec::new(),
        };
        series.inputs = series.made(task, 0..SEEDS);
        Some(series)
    })
}

impl Series {
    /// An input of each size that these seeds bring.
    fn made(&self, task: &dyn Task, seeds: Range<u64>) -> Vec<(u64, Vec<u8>)> {
        let quantity = self.growing.quantity();
        let sized = |seed| {
            let input = task.generate(self.family.name, seed)?;
            let size = task.size(&input, &quantity).ok()??;
            Some((u64::try_from(size).ok()?, input))
        };
        let inputs: BTreeMap<u64, Vec<u8>> = seeds.filter_map(sized).collect();
        inputs.into_iter().collect()
    }

    /// More inputs, with sizes between these two.
    pub fn between(&self, task: &dyn Task, smaller: u64, larger: u64) -> Vec<(u64, Vec<u8>)> {
        let mut inputs = self.made(task, SEEDS..SEEDS * MORE);
        inputs.retain(|(size, _)| smaller < *size && *size < larger);
        inputs
    }
}

/// How time grows; `None` where that was not measured often enough.
pub fn growth(growing: Growing, points: Vec<GrowthPoint>) -> Option<Growth> {
    let measured = points.iter().filter(|point| !point.is_stopped).count();
    let is_enough = measured >= POINTS_MIN;
    is_enough.then(|| {
        let fitted = fitted(&points);
        Growth {
            quantity: growing.quantity(),
            law: law(fitted).map(|law| law.word().to_owned()),
            summary: summary(growing, fitted, &points),
            points,
        }
    })
}

fn law(fitted: Fitted) -> Option<Law> {
    match fitted {
        Fitted::Constant => Some(Law::Constant),
        Fitted::Exponential(_) => Some(Law::Exponential),
        Fitted::Power(exponent) => {
            let laws = [(1.0, Law::Linear), (2.0, Law::Quadratic), (3.0, Law::Cubic)];
            let mut near = laws
                .into_iter()
                .filter(|(whole, _)| (whole - exponent).abs() <= EXPONENT_OFF_MAX);
            near.next().map(|(_, law)| law)
        }
        Fitted::Nothing => None,
    }
}

fn fitted(points: &[GrowthPoint]) -> Fitted {
    let of = |point: &GrowthPoint| (number(point.size), number(point.cpu_us));
    let (stopped, measured): (Vec<_>, Vec<_>) = points.iter().partition(|point| point.is_stopped);
    let measured: Vec<(f64, f64)> = measured.into_iter().map(of).collect();
    let stopped: Vec<(f64, f64)> = stopped.into_iter().map(of).collect();
    let times = measured.iter().map(|&(_, time)| time);
    let (least, most) = times.fold((f64::MAX, 0.0_f64), |(least, most), time| {
        (least.min(time), most.max(time))
    });
    if most + NOISE_US < RANGE_MIN * (least + NOISE_US) {
        let is_constant = stopped.is_empty() && is_flat(&measured);
        return if is_constant {
            Fitted::Constant
        } else {
            Fitted::Nothing
        };
    }
    let best = |(tried, step, unit): Parameters, shape: &dyn Fn(f64, f64) -> f64| {
        let fits = tried.step_by(step).filter_map(|units| {
            let parameter = f64::from(units) / unit;
            let shape = |size| shape(parameter, size);
            fit(parameter, shape, &measured).filter(|fit| reaches(fit, shape, &stopped))
        });
        fits.min_by(|one, other| one.error.total_cmp(&other.error))
    };
    let power = best(EXPONENTS, &|exponent, size| size.powf(exponent));
    let largest = measured.iter().map(|&(size, _)| size).fold(0.0, f64::max);
    // So that nothing overflows, the largest size has the value one.
    let rate = best(RATES, &|rate, size| (rate * (size - largest)).exp());
    let error = |fit: Option<Fit>| fit.map_or(f64::MAX, |fit| fit.error);
    if error(power).min(error(rate)) > ERROR_MAX {
        return Fitted::Nothing;
    }
    if let Some(fit) = power
        && fit.error * CLEARLY <= error(rate)
    {
        return Fitted::Power(fit.parameter);
    }
    match rate {
        Some(fit) if fit.error * CLEARLY <= error(power) => {
            Fitted::Exponential(fit.parameter.exp())
        }
        _ => Fitted::Nothing,
    }
}

/// Whether larger sizes do not take longer than smaller ones, but for noise.
fn is_flat(measured: &[(f64, f64)]) -> bool {
    let (smaller, larger) = measured.split_at(measured.len() / 2);
    let middle = |half: &[(f64, f64)]| {
        let mut times: Vec<f64> = half.iter().map(|&(_, time)| time).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    let (smaller, larger) = (middle(smaller), middle(larger));
    larger - smaller <= NOISE_US.max(0.25 * smaller)
}

/// The start and the scale, neither below zero, that fit a shape best.
fn fit(parameter: f64, shape: impl Fn(f64) -> f64, measured: &[(f64, f64)]) -> Option<Fit> {
    let weighted = measured.iter().map(|&(size, time)| {
        let weight = 1.0 / (time + SMALL_US).powi(2);
        (shape(size), time, weight)
    });
    let (mut w, mut ws, mut wss, mut wt, mut wst) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (shape, time, weight) in weighted.clone() {
        w += weight;
        ws += weight * shape;
        wss += weight * shape * shape;
        wt += weight * time;
        wst += weight * shape * time;
    }
    let determinant = w * wss - ws * ws;
    let (mut start, mut scale) = (
        (wss * wt - ws * wst) / determinant,
        (w * wst - ws * wt) / determinant,
    );
    if start < 0.0 {
        (start, scale) = (0.0, wst / wss);
    }
    let squares = weighted.map(|(shape, time, weight)| {
        let off = start + scale * shape - time;
        weight * off * off
    });
    let error = (squares.sum::<f64>() / length(measured.len())).sqrt();
    (scale > 0.0 && error.is_finite()).then_some(Fit {
        parameter,
        start,
        scale,
        error,
    })
}

/// Whether a law takes as long as the runs that were stopped.
fn reaches(fit: &Fit, shape: impl Fn(f64) -> f64, stopped: &[(f64, f64)]) -> bool {
    let mut stopped = stopped.iter();
    stopped.all(|&(size, time)| fit.start + fit.scale * shape(size) >= 0.75 * time)
}

fn summary(growing: Growing, fitted: Fitted, points: &[GrowthPoint]) -> String {
    let unit = growing.unit;
    let reference = format!("the reference is {}", growing.reference.word());
    let words = match (fitted, law(fitted)) {
        (Fitted::Exponential(factor), _) => {
            format!("The time {}: exponential", steepness(factor, unit))
        }
        (Fitted::Constant, _) => "The time is the same for every size: constant".to_owned(),
        (Fitted::Power(exponent), law) => {
            let whole = law.map_or(exponent, |_| exponent.round());
            let times = 2.0_f64.powf(whole);
            let name = match law {
                Some(law) => law.word().to_owned(),
                None => format!("about {unit}s^{exponent:.1}"),
            };
            format!("Twice as many {unit}s take about {times:.0} times as long: {name}")
        }
        (Fitted::Nothing, _) => "No law fits the measured times".to_owned(),
    };
    match span(points, unit) {
        Some(span) => format!("{words}; {reference}. {span}"),
        None => format!("{words}; {reference}."),
    }
}

/// How fast an exponential law grows, in numbers that a few measured points carry: a rate is known to
/// a tenth or so, and with it the factor and the step.
fn steepness(factor: f64, unit: &str) -> String {
    let step = 2.0_f64.ln() / factor.ln();
    if factor >= 2.5 {
        format!("grows about {factor:.0}-fold with every added {unit}")
    } else if step < 1.5 {
        format!("about doubles with every added {unit}")
    } else {
        format!("doubles with about every {step:.0} added {unit}s")
    }
}

/// The smallest and the largest measurement.
fn span(points: &[GrowthPoint], unit: &str) -> Option<String> {
    let (first, last) = (points.first()?, points.last()?);
    let time = |point: &GrowthPoint| format!("{:.2} s", number(point.cpu_us) / 1e6);
    let size = |point: &GrowthPoint| Some(amount(usize::try_from(point.size).ok()?, unit));
    let (small, large) = (size(first)?, size(last)?);
    let more = if last.is_stopped { "more than " } else { "" };
    Some(format!(
        "{small}: {}; {large}: {more}{}.",
        time(first),
        time(last)
    ))
}

fn length(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sizes and times are far below 2^52"
)]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{growth, series};
    use crate::domain::{Growth, GrowthPoint};
    use crate::problems::{ALL, Growing, Law};

    const ROWS: Growing = Growing {
        unit: "row",
        reference: Law::Linear,
    };
    const LIMIT_US: f64 = 2e6;

    /// Measurements up to the limit, each off by up to 8 percent and 1 ms.
    fn measured(sizes: &[u16], seed: u64, time_us: impl Fn(f64) -> f64) -> Option<Growth> {
        let mut state = seed * 2 + 1;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        };
        let mut points = Vec::new();
        for &size in sizes {
            let time = time_us(f64::from(size)) * (1.0 + 0.08 * noise()) + 1_000.0 * noise();
            let is_stopped = time > LIMIT_US;
            let cpu = Duration::from_secs_f64(time.clamp(0.0, LIMIT_US) / 1e6);
            points.push(GrowthPoint {
                size: size.into(),
                cpu_us: u64::try_from(cpu.as_micros()).unwrap(),
                is_stopped,
            });
            if is_stopped {
                break;
            }
        }
        growth(ROWS, points)
    }

    #[test]
    fn every_problem_has_valid_inputs_of_one_case_that_grow() {
        for task in ALL {
            assert!(series(task).count() >= 2, "{}", task.slug());
            for series in series(task) {
                let name = series.family.name;
                let sizes = series.inputs.iter().map(|(size, _)| *size);
                assert!(sizes.len() >= 8 && sizes.is_sorted(), "{name}");
                for (size, input) in series.inputs {
                    assert_eq!(task.validate(&input).unwrap().input, input, "{name} {size}");
                    assert_eq!(task.cases(&input).unwrap().len(), 1, "{name} {size}");
                }
            }
        }
    }

    const DOUBLING: [u16; 12] = [2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 75];
    const EVERY: [u16; 24] = [
        2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48,
    ];

    /// What is said of points that were measured so, whatever the noise.
    fn says(sizes: &[u16], law: Option<&str>, words: &str, time_us: impl Fn(f64) -> f64) {
        for seed in 0..20 {
            let growth = measured(sizes, seed, &time_us).unwrap();
            assert_eq!(growth.law.as_deref(), law, "{growth:#?}");
            assert!(growth.summary.contains(words), "{growth:#?}");
        }
    }

    #[test]
    fn the_law_is_found_through_noise_and_start_up_time() {
        let start = 20_000.0;
        let law = Some("exponential");
        let words = "about doubles with every added row: exponential; the reference is linear";
        says(&EVERY, law, words, |n| start + 0.5 * 2_f64.powf(n));
        let words = "doubles with about every 3 added rows";
        says(&EVERY, law, words, |n| start + 50.0 * 1.27_f64.powf(n));
        let words = "grows about 4-fold with every added row";
        says(&EVERY, law, words, |n| 1_000.0 + 4_f64.powf(n));
        let words = "Twice as many rows take about 2 times as long: linear";
        says(&DOUBLING, Some("linear"), words, |n| start + 10_000.0 * n);
        let (law, words) = (Some("quadratic"), "about 4 times");
        says(&DOUBLING, law, words, |n| start + 300.0 * n * n);
        says(&DOUBLING, law, words, |n| 500.0 + 300.0 * n * n);
        let (law, words) = (Some("cubic"), "about 8 times");
        says(&DOUBLING, law, words, |n| start + 20.0 * n * n * n);
        let (law, words) = (Some("constant"), "the same for every size");
        says(&DOUBLING, law, words, |_| 900_000.0);
    }

    #[test]
    fn what_follows_no_law_has_none() {
        // A step: two sizes of a table, or an endless loop from some size on.
        let step = |high: f64| move |n: f64| if n < 10.0 { 5_000.0 } else { high };
        says(&DOUBLING, None, "No law fits", step(1_000_000.0));
        says(&DOUBLING, None, "", step(1e9));
        // Up and down, and between two laws.
        says(&DOUBLING, None, "", |n| 20_000.0 + 500_000.0 * (n % 3.0));
        let between = |n: f64| 1_000.0 + n.powf(1.5) * 1_000.0;
        says(&DOUBLING, None, "about rows^1.", between);
    }

    #[test]
    fn the_words_are_as_rough_as_the_points() {
        // Times with the ticks of a scheduler in them.
        let ticks = [
            "736 3295 2151 2105 6420 5931 13853 21848 41381 85202 164342 305469",
            "1658 2181 3162 5532 3385 6691 12461 24836 45179 84043 167916 307724",
        ];
        let ticks = ticks.map(|times| {
            let times = times.split(' ').map(|time| time.parse::<u64>().unwrap());
            (1..).map(|at| 2 * at).zip(times).collect()
        });
        // 2 to the power of half the rows, and the same with the last times a little off: one fits a
        // step of 2.0 rows, the others 1.9 and 2.1.
        let off = [90, 100, 110].map(|percent| {
            let percent = |half: u64| if half >= 12 { percent } else { 100 };
            let points = (2..15).map(|half| (2 * half, (20 << half) * percent(half) / 100));
            points.chain([(30, 300_000)]).collect()
        });
        for points in ticks.into_iter().chain(off) {
            let points: Vec<(u64, u64)> = points;
            let last = points.len() - 1;
            let points = points.into_iter().enumerate();
            let points = points.map(|(at, (size, cpu_us))| GrowthPoint {
                size,
                cpu_us,
                is_stopped: at == last,
            });
            let growth = growth(ROWS, points.collect()).unwrap();
            assert_eq!(growth.law.as_deref(), Some("exponential"), "{growth:#?}");
            let words = "doubles with about every 2 added rows";
            assert!(growth.summary.contains(words), "{growth:#?}");
        }
    }

    #[test]
    fn a_few_measurements_are_not_enough() {
        assert_eq!(measured(&EVERY[..4], 1, |n| 10_000.0 * n), None);
        assert_eq!(measured(&EVERY, 1, |n| 100.0 * 12_f64.powf(n)), None);
        assert_eq!(growth(ROWS, Vec::new()), None);
    }
}
