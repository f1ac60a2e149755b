//! Rows of figures: one table for people and one JSON object a row for programs (`--json`).

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

/// One measured figure.
#[expect(clippy::struct_field_names, reason = "the names of the JSON keys")]
pub struct Row {
    /// Which bench it belongs to.
    pub bench: &'static str,
    /// Its name within the bench.
    pub row: &'static str,
    /// The measured value, in `unit`.
    pub value: f64,
    /// The unit of `value` and `baseline`.
    pub unit: &'static str,
    /// What it is compared with, measured in the same run.
    pub baseline: Option<f64>,
    /// How the two are compared; see each bench.
    pub ratio: Option<f64>,
}

/// Prints the rows as a table, or as one JSON object a line with `--json`.
pub fn print(rows: &[Row]) {
    if std::env::args().any(|argument| argument == "--json") {
        for row in rows {
            println!(
                "{}",
                serde_json::json!({
                    "bench": row.bench, "row": row.row, "value": row.value,
                    "unit": row.unit, "baseline": row.baseline, "ratio": row.ratio,
                })
            );
        }
        return;
    }
    let shown =
        |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.2}"));
    println!(
        "{:<10} {:<28} {:>14} {:<6} {:>14} {:>9}",
        "bench", "row", "value", "unit", "baseline", "ratio"
    );
    for row in rows {
        println!(
            "{:<10} {:<28} {:>14.2} {:<6} {:>14} {:>9}",
            row.bench,
            row.row,
            row.value,
            row.unit,
            shown(row.baseline),
            shown(row.ratio)
        );
    }
}
