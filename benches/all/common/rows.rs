//! Rows of figures: one table for people, or one JSON object per row for programs.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use comfy_table::{CellAlignment, Table, presets};

use super::{Pair, ms};

const HEAD: [&str; 8] = [
    "bench", "row", "value", "unit", "baseline", "ratio", "reach", "",
];
/// The columns of figures.
const FIGURES: [usize; 3] = [2, 4, 5];

/// A target: a figure that should not be exceeded.
#[derive(Debug, Clone, Copy)]
enum Reach {
    Ratio(f64),
    Value(f64),
}

/// One measured figure. In every row less is better, including the ratio.
pub struct Row {
    bench: &'static str,
    name: String,
    value: f64,
    unit: &'static str,
    baseline: Option<f64>,
    reach: Option<Reach>,
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
            reach: None,
        }
    }

    /// A time and its baseline.
    pub fn times(bench: &'static str, name: impl Into<String>, (value, baseline): Pair) -> Self {
        Self::new(bench, name, ms(value), "ms").over(ms(baseline))
    }

    /// Compares it with something measured in the same run, in the same unit.
    pub fn over(mut self, baseline: f64) -> Self {
        self.baseline = Some(baseline);
        self
    }

    /// Sets a target for the ratio.
    pub fn ratio_at_most(mut self, most: f64) -> Self {
        self.reach = Some(Reach::Ratio(most));
        self
    }

    /// Sets a target for the value.
    pub fn at_most(mut self, most: f64) -> Self {
        self.reach = Some(Reach::Value(most));
        self
    }

    fn ratio(&self) -> Option<f64> {
        let baseline = self.baseline.filter(|baseline| *baseline > 0.0)?;
        Some(self.value / baseline)
    }

    fn is_reached(&self) -> Option<bool> {
        match self.reach? {
            Reach::Ratio(most) => self.ratio().map(|ratio| ratio <= most),
            Reach::Value(most) => Some(self.value <= most),
        }
    }

    fn json(&self) -> serde_json::Value {
        let (ratio, value) = match self.reach {
            None => (None, None),
            Some(Reach::Ratio(most)) => (Some(most), None),
            Some(Reach::Value(most)) => (None, Some(most)),
        };
        serde_json::json!({
            "bench": self.bench, "row": self.name, "value": self.value, "unit": self.unit,
            "baseline": self.baseline, "ratio": self.ratio(),
            "ratio_to_reach": ratio, "value_to_reach": value, "reached": self.is_reached(),
        })
    }

    fn cells(&self) -> [String; 8] {
        let reach = match self.reach {
            None => String::new(),
            Some(Reach::Ratio(most)) => format!("ratio {}", figure(most)),
            Some(Reach::Value(most)) => format!("{} {}", figure(most), self.unit),
        };
        let outcome = match self.is_reached() {
            None => "",
            Some(true) => "reached",
            Some(false) => "missed",
        };
        [
            self.bench.into(),
            self.name.clone(),
            figure(self.value),
            self.unit.into(),
            self.baseline.map_or("no baseline".into(), figure),
            self.ratio().map_or("-".into(), figure),
            reach,
            outcome.into(),
        ]
    }
}

/// Prints the rows of all benches as one table, or as one JSON object per line.
pub fn print(rows: &[Row], as_json: bool) {
    if as_json {
        for row in rows {
            println!("{}", row.json());
        }
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(HEAD);
    table.add_rows(rows.iter().map(Row::cells));
    for column in FIGURES {
        let column = table.column_mut(column).expect("as many as in the head");
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("ratio = value / baseline, measured in one run; less is better in every row");
    println!("{}", table.trim_fmt());
}

/// Two decimal places, or more if they would say little.
fn figure(value: f64) -> String {
    if value == 0.0 || value.abs() >= 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}
