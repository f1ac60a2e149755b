//! The report as text: at most 100 columns, no colours, nothing that a terminal would act on.

mod case;
mod difference;
mod explained;
pub mod hack;
mod page;
mod results;

use crate::domain::{Rejection, RejectionKind};
use crate::util::clock::zone_text;
use crate::util::columns::{columns, padded, wrapped};

use jiff::tz::TimeZone;

use super::places::Audience;
use super::schema::{Document, TestPart};
use super::units::{SENTENCE_CHARACTERS_MAX, line};
use super::units::{bytes, kib, milliseconds, repeated, used};
use super::{advice, history, units};
use page::{Page, WIDTH};

/// The text of a document, as its audience may see it.
pub fn render(document: &Document, audience: Audience) -> String {
    let mut page = Page::default();
    headline(&mut page, document);
    facts(&mut page, document, audience);
    page.heading("What this means");
    page.prose(&advice::meaning(document));
    findings(&mut page, document);
    results::groups(&mut page, document);
    if !document.tests.is_empty() {
        results::tests(&mut page, &document.tests);
    }
    limits(&mut page, document);
    if audience == Audience::Staff {
        sandbox(&mut page, document);
    }
    changes(&mut page, document);
    if !document.notes.is_empty() {
        page.heading("Notes");
        for note in &document.notes {
            page.labelled("-", 1, note);
        }
    }
    page.0
}

/// What went wrong and what to do about it, for whoever knows the rest: where it went wrong, the
/// compiler's messages, what to try next.
pub fn render_findings(document: &Document) -> String {
    let mut page = Page::default();
    findings(&mut page, document);
    page.0
}

fn findings(page: &mut Page, document: &Document) {
    if let Some(test) = document.failing() {
        first_failing(page, test);
    }
    if let Some(part) = &document.case {
        case::case(page, part);
    }
    if let Some(part) = &document.explanation {
        explained::explanation(page, part, document.verdict);
    }
    if !document.compiler.words.trim().is_empty() {
        compiler(page, document);
    }
    page.heading("What to try next");
    for hint in &document.hints {
        page.labelled("-", 1, hint);
    }
    if !document.hints.is_empty() {
        page.line("");
    }
    page.prose(advice::next(document));
}

fn headline(page: &mut Page, document: &Document) {
    let mut text = format!("{}: {}", document.verdict.code(), document.verdict_words);
    if let Some(words) = &document.cause_words {
        text.push_str("; ");
        text.push_str(words);
    }
    for line in wrapped(&text, WIDTH) {
        page.line(&line);
    }
    page.line(&"=".repeat(columns(&text).min(WIDTH)));
}

fn facts(page: &mut Page, document: &Document, audience: Audience) {
    let mut rows = units::facts(document);
    if audience == Audience::Staff {
        rows.push(("source", document.submission.source_digest.clone()));
    }
    for (label, text) in rows {
        page.labelled(label, 8, &text);
    }
    for command in &document.built_with {
        page.labelled("built", 8, command);
    }
    if let Some(command) = &document.started_with {
        page.labelled("started", 8, command);
    }
    if let Some(words) = history::change_of_verdict(document) {
        page.line("");
        page.prose(&words);
    }
}

fn first_failing(page: &mut Page, test: &TestPart) {
    page.heading(&format!("The first test that fails: {}", test.name));
    if let Some(difference) = &test.difference {
        page.line(&format!(
            "  Line {}, column {} of the output:",
            difference.line, difference.column
        ));
        page.line("");
        for line in difference::shown(test, difference) {
            page.line(&line);
        }
    } else {
        page.prose(&used(test));
        if let Some(words) = repeated(test) {
            page.prose(&words);
        }
    }
    if let Some(words) = &test.checker {
        page.line("");
        page.line("  What the problem's checker says of the output:");
        page.quotation(words);
    }
    if let Some(words) = &test.judge_message {
        page.line("");
        page.line("  For the judges (students are not shown this):");
        page.quotation(words);
    }
    if !test.stderr.trim().is_empty() {
        page.line("");
        page.line("  What it wrote to standard error:");
        page.quotation(&test.stderr);
    }
}

fn compiler(page: &mut Page, document: &Document) {
    page.heading(units::compiler_title(document));
    page.quotation(&document.compiler.words);
    if let Some(encoding) = &document.compiler.encoding {
        page.prose(&format!("(This is not UTF-8; it was read as {encoding}.)"));
    }
    if document.compiler.cut {
        page.prose("(There was more.)");
    }
}

fn limits(page: &mut Page, document: &Document) {
    let limits = &document.limits;
    page.heading("Limits on each test");
    page.prose(&format!(
        "{} of CPU time{}, {} of wall-clock time, {} of memory, {} of output, {} processes, {} open files",
        milliseconds(limits.cpu_ms),
        units::time_factor(limits),
        milliseconds(limits.wall_ms),
        kib(limits.memory_kib),
        bytes(limits.output_bytes),
        limits.processes,
        limits.open_files
    ));
}

fn sandbox(page: &mut Page, document: &Document) {
    if document.protections.is_empty() {
        return;
    }
    page.heading("Sandbox");
    let names = document.protections.iter().map(|row| columns(&row.name));
    let width = names.max().unwrap_or(0);
    for protection in &document.protections {
        let hold = protection.hold.word();
        let label = format!("{}  {hold:<7}", padded(&protection.name, width));
        page.labelled(&label, width + 9, &protection.how);
    }
}

fn changes(page: &mut Page, document: &Document) {
    if document.history.is_empty() {
        return;
    }
    page.heading("How the verdict came to be");
    for change in &document.history {
        let test = change.first_failing_test.as_deref().unwrap_or_default();
        let text = format!(
            "{test}{}because: {}",
            if test.is_empty() { "" } else { "  " },
            change.because
        );
        let score = change.score.map(|score| format!("{}  ", score.short()));
        let text = score.unwrap_or_default() + &text;
        let label = format!(
            "{}  {:<3}",
            document.moment(&change.at),
            change.verdict.code()
        );
        page.labelled(&label, 25, &text);
    }
}

/// The text beside the reports for a file that is not a submission.
pub fn render_rejection(rejection: &Rejection, zone: &TimeZone) -> String {
    let mut page = Page::default();
    page.line("Not judged: this file is not a submission");
    page.line(&"=".repeat(41));
    page.labelled("file", 8, &line(&rejection.path, SENTENCE_CHARACTERS_MAX));
    if let Some(student) = &rejection.student {
        page.labelled(
            "student",
            8,
            &line(student.as_str(), SENTENCE_CHARACTERS_MAX),
        );
    }
    page.labelled("seen", 8, &zone_text(rejection.seen_ms, zone));
    page.heading("Why");
    page.prose(&line(&rejection.reason, SENTENCE_CHARACTERS_MAX));
    page.heading("What to try next");
    page.prose(&format!(
        "{} This note disappears when the file is removed or replaced by one that can be judged.",
        next_step(rejection.kind)
    ));
    page.0
}

/// What its student can do about a file that was rejected.
fn next_step(kind: RejectionKind) -> &'static str {
    match kind {
        RejectionKind::TooSoon => "Submitting it again changes nothing.",
        RejectionKind::NotOffered => "Submit the program in one of the languages here.",
        RejectionKind::Empty | RejectionKind::Unreadable => "Save the file again.",
        RejectionKind::TooLarge => "Submit only the source, without data.",
        RejectionKind::TooMany => "Remove what you do not want to submit.",
        RejectionKind::Place
        | RejectionKind::Name
        | RejectionKind::Problem
        | RejectionKind::Extension
        | RejectionKind::NotAFile
        | RejectionKind::HardLink => {
            "Submit one source file named after the problem, with the ending of its language, such as curling.cpp, in the folder with your name."
        }
    }
}

/// The text beside the notes on rejected files where there are too many for a note each.
pub fn render_more_rejections(more: usize) -> String {
    let mut page = Page::default();
    let title = format!("And {more} more");
    page.line(&title);
    page.line(&"=".repeat(title.len()));
    page.prose(&format!(
        "{more} more files are not submissions either. They are only counted; each gets a note when others are removed."
    ));
    page.0
}
