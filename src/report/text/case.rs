//! The case of the first failing test: its input, what was expected and what was printed.

use super::page::Page;
use crate::report::schema::{CasePart, ExcerptPart};
use crate::report::units::case_title;

/// Lines of one side; the page and the JSON report have more.
const SIDE_LINES_MAX: usize = 40;

/// The case as far as it is known.
pub(super) fn case(page: &mut Page, case: &CasePart) {
    page.heading(&case_title(case));
    page.prose(&case.words);
    let is_alone = case.title.is_some() && !case.input.cut_after;
    let title = if is_alone {
        "Its input, as a test of its own"
    } else {
        "Input"
    };
    side(page, title, &case.input);
    if let Some(answer) = &case.answer {
        page.line("");
        page.line("  The answer to that:");
        page.quotation(answer);
    }
    side(page, "Expected", &case.expected);
    if let Some(got) = &case.got {
        side(page, "Printed", got);
    } else {
        page.line("");
        page.line("  Printed: not known");
    }
}

fn side(page: &mut Page, title: &str, part: &ExcerptPart) {
    page.line("");
    if part.text.is_empty() {
        page.line(&format!("  {title}: nothing"));
        return;
    }
    let from = if part.cut_before || part.first_line > 1 {
        format!(", from line {} on", part.first_line)
    } else {
        String::new()
    };
    page.line(&format!("  {title}{from}:"));
    let all: Vec<&str> = part.text.lines().collect();
    let shown = &all[..all.len().min(SIDE_LINES_MAX)];
    // An empty line has a bar as any other.
    page.quotation_of(shown);
    if part.cut_after || shown.len() < all.len() {
        page.line("  ... and more");
    }
}
