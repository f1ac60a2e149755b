//! The table of tests.

use super::page::{Page, WIDTH};
use crate::domain::{Cause, Verdict};
use crate::report::schema::{Document, TestPart};
use crate::report::units::{Passed, cpu, measured_again, memory, output};
use crate::util::columns::{clipped, columns, padded};

/// Rows of the table of tests.
const TESTS_SHOWN_MAX: usize = 200;
/// The name of a group, in columns.
const GROUP_COLUMNS_MAX: usize = 40;
/// The cause of a test's verdict, in columns of the table.
const CAUSE_COLUMNS_MAX: usize = 14;

/// The points of each group of tests.
pub(super) fn groups(page: &mut Page, document: &Document) {
    let Some(score) = document.score else { return };
    page.heading(&format!("Points: {}", score.words()));
    let names = document.groups.iter().map(|group| columns(&group.name));
    let width = names.max().unwrap_or(0).min(GROUP_COLUMNS_MAX);
    let points = document.groups.iter().map(|group| group.score.short());
    let points: Vec<String> = points.collect();
    let points_width = points.iter().map(String::len).max().unwrap_or(0);
    for (group, points) in document.groups.iter().zip(&points) {
        let name = padded(&clipped(&group.name, width), width);
        let label = format!("{name}  {points:>points_width$}");
        page.labelled(&label, width + 2 + points_width, &group.words());
    }
}

/// The tests that were run, one per line, and how many were not.
pub(super) fn tests(page: &mut Page, tests: &[TestPart]) {
    let passed = Passed::of(tests);
    let not_run = match passed.not_run {
        0 => String::new(),
        count => format!(", {count} not run"),
    };
    page.heading(&format!(
        "Tests: {} of {} passed{not_run}",
        passed.accepted, passed.of
    ));
    let run: Vec<&TestPart> = tests
        .iter()
        .filter(|test| test.verdict != Verdict::Skipped)
        .collect();
    let shown = &run[..run.len().min(TESTS_SHOWN_MAX)];
    rows(page, shown);
    if run.len() > shown.len() {
        page.line(&format!(
            "  ... and {} more, which the JSON report lists.",
            run.len() - shown.len()
        ));
    }
    if let Some(words) = passed.not_run_words() {
        page.prose(&words);
    }
    if let Some(words) = measured_again(shown.iter().copied()) {
        page.line("");
        page.prose(&words);
    }
}

fn rows(page: &mut Page, shown: &[&TestPart]) {
    let figures: Vec<[String; 3]> = shown
        .iter()
        .map(|test| [cpu(test), memory(test), output(test)])
        .collect();
    let heads = ["CPU time", "memory", "output"].map(str::to_owned);
    let mut widths = heads.each_ref().map(|head| columns(head));
    for row in &figures {
        for (width, figure) in widths.iter_mut().zip(row) {
            *width = columns(figure).max(*width);
        }
    }
    // Two spaces before each column, and the verdict.
    let others = 6 * 2 + 7 + widths.iter().sum::<usize>() + CAUSE_COLUMNS_MAX;
    let names: Vec<String> = shown
        .iter()
        .map(|test| clipped(&test.name, WIDTH - others))
        .collect();
    let width = names.iter().map(|name| columns(name)).max();
    let width = width.unwrap_or(0).max("test".len());
    let row = |name: &str, verdict: &str, figures: &[String; 3], cause: &str| {
        let [cpu, memory, output] = figures;
        let [cpu_width, memory_width, output_width] = widths;
        format!(
            "  {}  {verdict:<7}  {cpu:>cpu_width$}  {memory:>memory_width$}  {output:>output_width$}  {cause}",
            padded(name, width)
        )
    };
    page.line(&row("test", "verdict", &heads, "cause"));
    for ((test, name), figures) in shown.iter().zip(&names).zip(&figures) {
        let cause = test.cause.as_ref().map(Cause::code).unwrap_or_default();
        let cause = clipped(&cause, CAUSE_COLUMNS_MAX);
        page.line(&row(name, test.verdict.code(), figures, &cause));
    }
}
