//! How a program's time grows, as a small picture.

use super::cases::Picture;
use super::svg::{Canvas, Drawing};
use crate::domain::{Growth, GrowthPoint};

/// The room of the plot in pixels, without the numbers beside it.
const SIDE: [f64; 2] = [400.0, 160.0];
/// Where it begins, behind the numbers at its left.
const LEFT: f64 = 50.0;
const TOP: f64 = 8.0;
const NUMBER_SIZE: f64 = 11.0;
const RADIUS: f64 = 3.5;

/// Draws the measurements. Identifiers in the picture begin with the prefix.
pub fn plot(growth: &Growth, prefix: &str) -> Picture {
    let mut drawing = Drawing::new(prefix);
    drawing.entitle(
        "Time over size",
        format!("CPU time over {}", growth.quantity),
    );
    drawing.tell(growth.summary.clone());
    let points = &growth.points;
    for point in points {
        let more = if point.is_stopped { "more than " } else { "" };
        let (size, quantity) = (point.size, &growth.quantity);
        let time = seconds(point.cpu_us);
        drawing.describe(&format!("{size} {quantity}: {more}{time:.3} s."));
    }
    let size_max = points.iter().map(|point| point.size).max().unwrap_or(1);
    let time_max = points.iter().map(|point| point.cpu_us).max().unwrap_or(1);
    let place = |size: u64, cpu_us: u64| {
        let x = LEFT + SIDE[0] * ratio(size, size_max);
        [x, TOP + SIDE[1] * (1.0 - ratio(cpu_us, time_max))]
    };
    let canvas = drawing.board([LEFT + SIDE[0] + 10.0, TOP + SIDE[1] + 24.0]);
    canvas.rect("vd-board", [LEFT, TOP], SIDE[0], SIDE[1]);
    canvas.line("vd-frame", place(0, 0), place(0, time_max));
    canvas.line("vd-frame", place(0, 0), place(size_max, 0));
    let [left, bottom] = place(0, 0);
    let time = format!("{:.2} s", seconds(time_max));
    canvas.text(
        "vd-row-number",
        [left - 5.0, TOP + 10.0],
        NUMBER_SIZE,
        &time,
    );
    canvas.text("vd-row-number", [left - 5.0, bottom], NUMBER_SIZE, "0 s");
    let [right, below] = [left + SIDE[0], bottom + 16.0];
    let size = format!("{size_max} {}", growth.quantity);
    canvas.text("vd-row-number", [right, below], NUMBER_SIZE, &size);
    canvas.text("vd-column-number", [left, below], NUMBER_SIZE, "0");
    let at = |point: &GrowthPoint| place(point.size, point.cpu_us);
    let line: Vec<[f64; 2]> = points.iter().map(at).collect();
    canvas.polyline("vd-way", &line);
    for point in points {
        if point.is_stopped {
            canvas.tag("vd-second", at(point), RADIUS + 1.5, "");
        } else {
            canvas.circle("vd-rest", at(point), RADIUS);
        }
    }
    drawing.explain("a measurement", |sign| {
        sign.circle("vd-rest", [13.0, 8.0], RADIUS);
    });
    if points.iter().any(|point| point.is_stopped) {
        let paint = |sign: &mut Canvas| {
            sign.tag("vd-second", [13.0, 8.0], RADIUS + 1.5, "");
        };
        drawing.explain("stopped at the limit", paint);
    }
    drawing.finish()
}

fn seconds(us: u64) -> f64 {
    ratio(us, 1_000_000)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sizes and times are far below 2^52"
)]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::plot;
    use crate::domain::{Growth, GrowthPoint};

    #[test]
    fn every_measurement_is_in_the_picture_and_in_its_words() {
        let point = |size, cpu_us, is_stopped| GrowthPoint {
            size,
            cpu_us,
            is_stopped,
        };
        let growth = Growth {
            quantity: "rows".to_owned(),
            points: vec![point(2, 1_000, false), point(4, 2_000_000, true)],
            law: Some("exponential".to_owned()),
            summary: "The time doubles with every added row.".to_owned(),
        };
        let picture = plot(&growth, "growth");
        for words in [
            "doubles with every added row",
            "2 rows: 0.001 s.",
            "4 rows: more than 2.000 s.",
            "2.00 s",
            "stopped at the limit",
        ] {
            assert!(picture.svg.contains(words), "{words}: {}", picture.svg);
        }
        assert_eq!(picture.svg.matches("vd-rest\"").count(), 2);
        let empty = Growth {
            points: Vec::new(),
            ..growth
        };
        assert!(!plot(&empty, "growth").svg.contains("NaN"));
    }
}
