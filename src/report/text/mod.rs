//! The report as text for a student: at most 100 columns, no colours, nothing that a terminal would act on.

mod difference;
pub mod hack;
mod width;

use crate::domain::{Rejection, Verdict};
use crate::util::clock::utc_text;

use super::advice;
use super::document::line;
use super::schema::{CasePart, Document, HoldWord, TestPart};
use super::units::{
    bytes, cpu, kib, memory, milliseconds, output, repeated as measured_again, used,
};
use width::{broken, clipped, columns, padded, wrapped};

/// Columns of a line.
const WIDTH: usize = 100;
/// Rows of the table of tests.
const TESTS_SHOWN_MAX: usize = 200;
/// Lines of a quotation.
const QUOTED_LINES_MAX: usize = 120;
/// The cause of a test's verdict, in columns of the table.
const CAUSE_COLUMNS_MAX: usize = 14;
/// Characters of a path or a reason.
const SENTENCE_CHARACTERS_MAX: usize = 1_000;

/// How many columns a line of a report takes, for the tests.
#[cfg(test)]
pub(super) fn columns_shown(line: &str) -> usize {
    columns(line)
}

/// Text that grows line by line.
#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        self.0.push_str(text.trim_end());
        self.0.push('\n');
    }

    fn heading(&mut self, text: &str) {
        self.line("");
        for line in wrapped(text, WIDTH) {
            self.line(&line);
        }
    }

    fn prose(&mut self, text: &str) {
        for line in wrapped(text, WIDTH - 2) {
            self.line(&format!("  {line}"));
        }
    }

    /// A label, and what it labels, indented under itself where it takes several lines.
    fn labelled(&mut self, label: &str, width: usize, text: &str) {
        let lines = wrapped(text, WIDTH - width - 4);
        for (index, line) in lines.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            self.line(&format!("  {}  {line}", padded(label, width)));
        }
    }

    /// Somebody else's words; a line that goes on has a colon in place of the bar.
    fn quotation(&mut self, text: &str) {
        let mut shown = 0;
        for line in text.trim_end().lines() {
            for (index, part) in broken(line, WIDTH - 4).iter().enumerate() {
                if shown == QUOTED_LINES_MAX {
                    self.line("  ... and more; the JSON report has all that was kept.");
                    return;
                }
                let bar = if index == 0 { '|' } else { ':' };
                self.line(&format!("  {bar} {part}"));
                shown += 1;
            }
        }
    }
}

/// The text of a document.
pub fn render(document: &Document) -> String {
    let mut page = Page::default();
    let verdict = document.verdict.0;
    let failing = document
        .first_failing_test
        .as_ref()
        .and_then(|name| document.tests.iter().find(|test| &test.name == name));
    headline(&mut page, document);
    facts(&mut page, document);
    page.heading("What this means");
    page.prose(advice::meaning(verdict));
    if let Some(test) = failing {
        first_failing(&mut page, test);
    }
    if let Some(case) = &document.case {
        case_that_fails(&mut page, case);
    }
    if !document.compiler.words.trim().is_empty() {
        compiler(&mut page, document);
    }
    page.heading("What to try next");
    page.prose(advice::next(verdict, document.cause.as_deref()));
    if !document.tests.is_empty() {
        tests(&mut page, &document.tests);
    }
    limits(&mut page, document);
    protections(&mut page, document);
    if !document.notes.is_empty() {
        page.heading("Notes");
        for note in &document.notes {
            page.labelled("-", 1, note);
        }
    }
    page.0
}

fn headline(page: &mut Page, document: &Document) {
    let mut text = format!("{}: {}", document.verdict.0.code(), document.verdict_words);
    if let Some(words) = &document.cause_words {
        text.push_str("; ");
        text.push_str(words);
    }
    for line in wrapped(&text, WIDTH) {
        page.line(&line);
    }
    page.line(&"=".repeat(columns(&text).min(WIDTH)));
}

fn facts(page: &mut Page, document: &Document) {
    let submission = &document.submission;
    let rows = [
        (
            "student",
            line(&submission.student, SENTENCE_CHARACTERS_MAX),
        ),
        (
            "problem",
            format!("{}, attempt {}", submission.problem, submission.attempt),
        ),
        ("file", submission.file_name.clone()),
        (
            "language",
            format!("{} ({})", submission.language, document.language_version),
        ),
        ("received", submission.received_at.clone()),
        ("judged", document.judged_at.clone()),
        ("source", submission.source_digest.clone()),
    ];
    for (label, text) in rows {
        page.labelled(label, 8, &text);
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
        for line in difference::shown(difference) {
            page.line(&line);
        }
    } else {
        page.prose(&used(test));
        if let Some(words) = measured_again(test) {
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
        page.line("  What it says to the judges (students are not shown this):");
        page.quotation(words);
    }
    if !test.stderr.trim().is_empty() {
        page.line("");
        page.line("  What it wrote to standard error:");
        page.quotation(&test.stderr);
    }
}

/// The case alone, so that it can be tried at home; a test as a whole is too long for this.
fn case_that_fails(page: &mut Page, case: &CasePart) {
    let Some(title) = &case.title else { return };
    page.heading(&format!("The case that fails: {title}"));
    page.prose(&case.words);
    if case.input.cut_after {
        return;
    }
    page.line("");
    page.line("  Its input, as a test of its own:");
    page.quotation(&case.input.text);
    page.line("");
    page.line("  The answer to that:");
    page.quotation(case.answer.as_ref().unwrap_or(&case.expected.text));
}

fn compiler(page: &mut Page, document: &Document) {
    let title = match document.verdict.0 {
        Verdict::CompileError => "What the compiler says",
        _ => "What the compiler warns of",
    };
    page.heading(title);
    page.quotation(&document.compiler.words);
    if let Some(encoding) = &document.compiler.encoding {
        page.prose(&format!("(This is not UTF-8; it was read as {encoding}.)"));
    }
    if document.compiler.cut {
        page.prose("(There was more.)");
    }
}

fn tests(page: &mut Page, tests: &[TestPart]) {
    let passed = tests
        .iter()
        .filter(|test| test.verdict.0 == Verdict::Accepted);
    page.heading(&format!(
        "Tests: {} of {} passed",
        passed.count(),
        tests.len()
    ));
    let shown = &tests[..tests.len().min(TESTS_SHOWN_MAX)];
    let figures: Vec<[String; 3]> = shown
        .iter()
        .map(|test| [cpu(test), memory(test), output(test)])
        .collect();
    let heads = ["processor", "memory", "output"].map(str::to_owned);
    let mut widths = heads.each_ref().map(|head| columns(head));
    for row in &figures {
        for (width, figure) in widths.iter_mut().zip(row) {
            *width = columns(figure).max(*width);
        }
    }
    // Two blanks before each column, and the verdict.
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
        if test.verdict.0 == Verdict::Skipped {
            page.line(&format!("  {}  SK       not run", padded(name, width)));
            continue;
        }
        let cause = clipped(test.cause.as_deref().unwrap_or(""), CAUSE_COLUMNS_MAX);
        page.line(&row(name, test.verdict.0.code(), figures, &cause));
    }
    repeated(page, shown, &names);
    if tests.len() > shown.len() {
        page.line(&format!(
            "  ... and {} more, which the JSON report lists.",
            tests.len() - shown.len()
        ));
    }
}

/// Which of the tests were measured more than once.
fn repeated(page: &mut Page, tests: &[TestPart], names: &[String]) {
    let repeated: Vec<String> = tests
        .iter()
        .zip(names)
        .filter(|(test, _)| test.measurements > 1)
        .map(|(test, name)| format!("{name} {} times", test.measurements))
        .collect();
    if !repeated.is_empty() {
        page.line("");
        page.prose(&format!(
            "Measured more than once because of the time limit, the least processor time counting: {}.",
            repeated.join(", ")
        ));
    }
}

fn limits(page: &mut Page, document: &Document) {
    let limits = &document.limits;
    page.heading("Limits on each test");
    page.prose(&format!(
        "{} of processor time, {} by the clock, {} of memory, {} of output, {} processes, {} open files",
        milliseconds(limits.cpu_ms),
        milliseconds(limits.wall_ms),
        kib(limits.memory_kib),
        bytes(limits.output_bytes),
        limits.processes,
        limits.open_files
    ));
}

fn protections(page: &mut Page, document: &Document) {
    if document.protections.is_empty() {
        return;
    }
    page.heading("How the program was held");
    let names = document.protections.iter().map(|row| columns(&row.name));
    let width = names.max().unwrap_or(0);
    for protection in &document.protections {
        let hold = match protection.hold {
            HoldWord::On => "on",
            HoldWord::Weak => "weak",
            HoldWord::Missing => "missing",
        };
        let label = format!("{}  {hold:<7}", padded(&protection.name, width));
        page.labelled(&label, width + 9, &protection.how);
    }
}

/// The text beside the reports for a file that is not a submission.
pub fn render_rejection(rejection: &Rejection) -> String {
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
    page.labelled("seen", 8, &utc_text(rejection.seen_ms));
    page.heading("Why");
    page.prose(&line(&rejection.reason, SENTENCE_CHARACTERS_MAX));
    page.heading("What to try next");
    page.prose(
        "Hand in one source file with the problem's name and the language's ending, as curling.cpp, in the folder with your name. \
         This note stays until the file is replaced by one that can be judged.",
    );
    page.0
}
