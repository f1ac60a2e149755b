//! Rows of figures: one table for people, or one JSON object per row for programs.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

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
        let baseline = self.baseline.map_or("no baseline".into(), figure);
        let ratio = self.ratio().map_or("-".into(), figure);
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
            baseline,
            ratio,
            reach.trim_end().into(),
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
    let head = [
        "bench", "row", "value", "unit", "baseline", "ratio", "reach", "",
    ];
    let cells: Vec<[String; 8]> = std::iter::once(head.map(Into::into))
        .chain(rows.iter().map(Row::cells))
        .collect();
    let width = |column: usize| cells.iter().map(|row| row[column].len()).max();
    let widths: Vec<usize> = (0..head.len()).filter_map(width).collect();
    println!("ratio = value / baseline, measured in one run; less is better in every row");
    for row in &cells {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| match column {
                2 | 4 | 5 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            })
            .collect();
        println!("{}", line.join("  ").trim_end());
    }
}

/// Two decimal places, or more if they would all be zero.
fn figure(value: f64) -> String {
    if value == 0.0 || value.abs() >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    }
}
