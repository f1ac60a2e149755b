//! What was found out in idle time: the smallest input on which the program fails, the reasons, how
//! its time grows.

use super::page::Page;
use crate::domain::Verdict;
use crate::report::explained::{CounterexamplePart, ExplanationPart};

/// Lines of one side; the page and the JSON report have more.
const SIDE_LINES_MAX: usize = 40;

/// All of it that there is.
pub(super) fn explanation(page: &mut Page, part: &ExplanationPart, verdict: Verdict) {
    if let Some(found) = &part.counterexample {
        counterexample(page, found, verdict);
    }
    if !part.causes.is_empty() {
        page.heading("Why it fails");
        for cause in &part.causes {
            page.labelled("-", 1, &format!("{} ({})", cause.summary, cause.evidence));
        }
    }
    if let Some(growth) = &part.growth {
        page.heading("How its CPU time grows");
        page.prose(&growth.summary);
        for point in &growth.points {
            let stopped = if point.is_stopped {
                ", then stopped"
            } else {
                ""
            };
            let ms = point.cpu_us.div_ceil(1_000);
            let label = format!("{} {}", point.size, growth.quantity);
            page.labelled(&label, label.len().max(16), &format!("{ms} ms{stopped}"));
        }
    }
}

fn counterexample(page: &mut Page, found: &CounterexamplePart, verdict: Verdict) {
    page.heading(&format!(
        "The smallest input found on which it fails ({})",
        found.size()
    ));
    page.prose(&found.words(verdict));
    side(page, "Input", &found.input, found.cut);
    side(page, "Expected", &found.expected, found.cut);
    if let Some(witness) = &found.witness {
        side(page, "Why that is right", witness, false);
    }
    side(page, "Printed", &found.printed, found.cut);
}

fn side(page: &mut Page, title: &str, text: &str, cut: bool) {
    page.line("");
    if text.is_empty() {
        page.line(&format!("  {title}: nothing"));
        return;
    }
    page.line(&format!("  {title}:"));
    let all: Vec<&str> = text.lines().collect();
    let shown = &all[..all.len().min(SIDE_LINES_MAX)];
    page.quotation_of(shown);
    if cut || shown.len() < all.len() {
        page.line("  ... and more");
    }
}
