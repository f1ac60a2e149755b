//! Rows of figures: one table for people, or one JSON object per row for programs.

use serde::Serialize;

use super::{Pair, ms};

/// One measured figure. In every row less is better, including the ratio.
#[derive(Serialize)]
pub struct Row {
    bench: &'static str,
    #[serde(rename = "row")]
    name: String,
    value: f64,
    unit: &'static str,
    baseline: Option<f64>,
    ratio: Option<f64>,
    ratio_to_reach: Option<f64>,
    value_to_reach: Option<f64>,
    reached: Option<bool>,
}

impl Row {
    /// A figure without a baseline.
    pub fn new(
        bench: &'static str,
        name: impl Into<String>,
        value: f64,
        unit: &'static str,
    ) -> Self {
        Self {
            bench,
            name: name.into(),
            value,
            unit,
            baseline: None,
            ratio: None,
            ratio_to_reach: None,
            value_to_reach: None,
            reached: None,
        }
    }

    /// A time and its baseline.
    pub fn times(bench: &'static str, name: impl Into<String>, (value, baseline): Pair) -> Self {
        Self::new(bench, name, ms(value), "ms").over(ms(baseline))
    }

    /// Compares it with something measured in the same run, in the same unit.
    pub fn over(mut self, baseline: f64) -> Self {
        self.baseline = Some(baseline);
        self.ratio = (baseline > 0.0).then(|| self.value / baseline);
        self
    }

    /// Sets a target for the ratio, once there is one.
    pub fn ratio_at_most(mut self, most: f64) -> Self {
        self.ratio_to_reach = Some(most);
        self.reached = self.ratio.map(|ratio| ratio <= most);
        self
    }

    /// Sets a target for the value.
    pub fn at_most(mut self, most: f64) -> Self {
        self.value_to_reach = Some(most);
        self.reached = Some(self.value <= most);
        self
    }

    /// Its line of the table.
    fn line(&self) -> String {
        let reach = match (self.ratio_to_reach, self.value_to_reach) {
            (Some(most), _) => format!("ratio {}", figure(most)),
            (None, Some(most)) => format!("{} {}", figure(most), self.unit),
            (None, None) => String::new(),
        };
        let outcome = match self.reached {
            None => "",
            Some(true) => "reached",
            Some(false) => "missed",
        };
        line([
            self.bench,
            &self.name,
            &figure(self.value),
            self.unit,
            &self.baseline.map_or("no baseline".into(), figure),
            &self.ratio.map_or("-".into(), figure),
            &reach,
            outcome,
        ])
    }
}

fn line([bench, row, value, unit, baseline, ratio, reach, outcome]: [&str; 8]) -> String {
    format!(
        "{bench:11} {row:26} {value:>9} {unit:4} {baseline:>11} {ratio:>7}  {reach:12} {outcome}"
    )
}

/// Prints the rows of all benches as one table, or as one JSON object per line.
pub fn print(rows: &[Row], as_json: bool) {
    if as_json {
        for row in rows {
            println!("{}", serde_json::json!(row));
        }
        return;
    }
    println!("ratio = value / baseline, measured in one run; less is better in every row");
    let head = [
        "bench", "row", "value", "unit", "baseline", "ratio", "reach", "",
    ];
    for line in [line(head)].into_iter().chain(rows.iter().map(Row::line)) {
        println!("{}", line.trim_end());
    }
}

/// Two decimal places, or more if they would say little.
fn figure(value: f64) -> String {
    if value == 0.0 || value.abs() >= 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}
