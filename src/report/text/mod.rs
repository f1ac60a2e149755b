//! The report as text: at most 100 columns, no colours, nothing that a terminal would act on.

pub mod hack;
mod page;

use jiff::tz::TimeZone;

use super::advice;
use super::history::change_of_verdict;
use super::places::Audience;
use super::schema::{Document, Excerpt, ShownTalk, TestReport};
use super::shown::{
    self, FailingInput, Side, TestsTable, compiler_notes, compiler_title, growth_rows, in_text,
    least_counts,
};
use super::units::{SENTENCE_CHARACTERS_MAX, line, sentence};
use crate::domain::{Difference, Explanation, Rejection, Speaker};
use crate::util::clock::zone_text;
use crate::util::columns::{broken, clipped, columns, columns_of, padded};
use crate::util::words::amount;
use page::{Page, WIDTH};

/// Rows of the table of tests.
const TESTS_SHOWN_MAX: usize = 200;
/// The name of a group, in columns.
const GROUP_COLUMNS_MAX: usize = 40;
/// The cause of a test's verdict, in columns of the table.
const CAUSE_COLUMNS_MAX: usize = 14;
/// Lines of an input or an output; the page and the JSON report have more.
const EXCERPT_LINES_MAX: usize = 40;
/// Lines of the beginning of what was said, and as many of its end.
const TALK_HALF_LINES_MAX: usize = 25;
/// Columns of one side of the first difference.
const SIDE_COLUMNS: usize = 84;
/// Columns before the place where the sides part, if the line is long.
const BEFORE_COLUMNS: usize = 40;

/// The text of a document, as its audience may see it.
pub fn render(document: &Document, audience: Audience) -> String {
    let is_staff = audience == Audience::Staff;
    let mut page = Page::default();
    headline(&mut page, document);
    facts(&mut page, document, is_staff);
    page.heading("What this means");
    page.prose(&advice::meaning(document));
    findings(&mut page, document);
    groups(&mut page, document);
    if !document.tests.is_empty() {
        tests(&mut page, &document.tests);
    }
    limits(&mut page, document);
    if is_staff {
        sandbox(&mut page, document);
    }
    history(&mut page, document);
    page.list("Notes", &document.notes);
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
    if let Some(case) = &document.case {
        failing_input(page, &FailingInput::of_case(case));
        if let Some(said) = &case.talk {
            talk(page, said);
        }
    }
    if let Some(found) = &document.explanation {
        explanation(page, found, document);
    }
    if !document.compiler.words.trim().is_empty() {
        page.heading(compiler_title(document));
        page.quotation(&document.compiler.words);
        for note in compiler_notes(document, false) {
            page.prose(&format!("({note})"));
        }
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
    let cause = document.cause_words.as_ref();
    let cause = cause.map(|words| format!("; {words}")).unwrap_or_default();
    page.title(&format!(
        "{}: {}{cause}",
        document.verdict.code(),
        document.verdict_words
    ));
}

fn facts(page: &mut Page, document: &Document, is_staff: bool) {
    let mut rows = shown::facts(document);
    if is_staff {
        rows.push(("source", document.submission.source_digest.clone()));
    }
    for (label, text) in rows {
        page.labelled(label, 8, &text);
    }
    if let Some(words) = change_of_verdict(document) {
        page.line("");
        page.prose(&words);
    }
}

fn first_failing(page: &mut Page, test: &TestReport) {
    page.heading(&format!("The first test that fails: {}", test.name));
    if let Some(difference) = &test.difference {
        page.line(&format!(
            "  Line {}, column {} of the output:",
            difference.line, difference.column
        ));
        page.line("");
        for line in both_sides(test, difference) {
            page.line(&line);
        }
    } else {
        page.prose(&test.used());
        if let Some(words) = test.repeated() {
            page.prose(&words);
        }
    }
    let stderr = ("What it wrote to standard error", test.stderr.as_str());
    let stderr = Some(stderr).filter(|(_, words)| !words.trim().is_empty());
    for (title, words) in test.remarks().chain(stderr) {
        page.line("");
        page.line(&format!("  {title}:"));
        page.quotation(words);
    }
}

/// The first difference in three lines: expected and printed, one above the other, with a caret
/// where they part.
fn both_sides(test: &TestReport, difference: &Difference) -> [String; 3] {
    let pairs = difference.expected.chars().zip(difference.got.chars());
    let same = pairs.take_while(|(one, other)| one == other);
    let same: String = same.map(|(one, _)| one).collect();
    let skipped = start(&same);
    let caret = columns(&same[skipped..]) + usize::from(skipped > 0);
    let [expected, printed] = shown::sides(test, difference).map(|(label, side)| {
        let text = match side {
            Ok(text) if skipped > 0 => clipped(&format!("…{}", &text[skipped..]), SIDE_COLUMNS),
            Ok(text) => clipped(text, SIDE_COLUMNS),
            Err(_) => in_text(side),
        };
        format!("  {label:<8}  {text}")
    });
    [
        expected,
        printed,
        format!("            {}^", " ".repeat(caret)),
    ]
}

/// Where a long line begins to be shown, in bytes of the part that both sides share.
fn start(same: &str) -> usize {
    if columns(same) <= SIDE_COLUMNS - BEFORE_COLUMNS {
        return 0;
    }
    let mut left = columns(same);
    for (index, character) in same.char_indices() {
        if left <= BEFORE_COLUMNS {
            return index;
        }
        left -= columns_of(character);
    }
    same.len()
}

fn failing_input(page: &mut Page, shown: &FailingInput) {
    page.heading(&shown.title);
    page.prose(&shown.words);
    for Side { title, part, .. } in &shown.sides {
        page.line("");
        match part {
            None => page.line(&format!("  {title}: not known")),
            Some(part) if part.text.is_empty() => page.line(&format!("  {title}: nothing")),
            Some(part) => excerpt(page, title, part),
        }
    }
}

/// What was said: `>` by the program, `<` to it.
fn talk(page: &mut Page, talk: &ShownTalk) {
    page.heading("What was said (> by the program, < to it)");
    let count = talk.lines.len();
    let is_shown = |at: usize| at < TALK_HALF_LINES_MAX || at + TALK_HALF_LINES_MAX >= count;
    if count > 2 * TALK_HALF_LINES_MAX {
        let lines = amount(count - 2 * TALK_HALF_LINES_MAX, "line");
        page.prose(&format!(
            "{lines} in the middle are left out; the page and the JSON report have more."
        ));
    }
    for (at, line) in talk.lines.iter().enumerate() {
        if at == TALK_HALF_LINES_MAX && !is_shown(at) {
            page.line("  -- …");
        }
        if !is_shown(at) {
            continue;
        }
        let sign = match line.by {
            Speaker::Program => ">",
            Speaker::Interactor => "<",
            Speaker::Pass => "--",
        };
        let parts = broken(&line.text, WIDTH - 5);
        for (index, part) in parts.iter().enumerate() {
            let sign = if index == 0 { sign } else { ":" };
            page.line(&format!("  {sign} {part}"));
        }
    }
    page.line("");
    page.prose(&sentence(&talk.ended));
}

fn excerpt(page: &mut Page, title: &str, part: &Excerpt) {
    let from = if part.cut_before || part.first_line > 1 {
        format!(", from line {} on", part.first_line)
    } else {
        String::new()
    };
    page.line(&format!("  {title}{from}:"));
    let all: Vec<&str> = part.text.lines().collect();
    let shown = &all[..all.len().min(EXCERPT_LINES_MAX)];
    // An empty line has a bar as any other.
    page.quotation_of(shown);
    if part.cut_after || shown.len() < all.len() {
        page.line("  ... and more");
    }
}

fn explanation(page: &mut Page, part: &Explanation, document: &Document) {
    if let Some(found) = &part.counterexample {
        failing_input(page, &FailingInput::smallest(found, document.verdict));
    }
    let causes = part.causes.iter();
    let causes = causes.map(|cause| format!("{} ({})", cause.summary, cause.evidence));
    page.list("Why it fails", &causes.collect::<Vec<_>>());
    if let Some(growth) = &part.growth {
        page.heading("How its CPU time grows");
        page.prose(&growth.summary);
        for (label, time) in growth_rows(growth) {
            page.labelled(&label, label.len().max(16), &time);
        }
    }
}

/// The points of each group of tests.
fn groups(page: &mut Page, document: &Document) {
    let Some(score) = document.score else { return };
    page.heading(&format!("Points: {}", score.words()));
    let names = document.groups.iter().map(|group| columns(&group.name));
    let width = names.max().unwrap_or(0).min(GROUP_COLUMNS_MAX);
    let points = document.groups.iter().map(|group| group.score.to_string());
    let points: Vec<String> = points.collect();
    let points_width = points.iter().map(String::len).max().unwrap_or(0);
    for (group, points) in document.groups.iter().zip(&points) {
        let name = padded(&clipped(&group.name, width), width);
        let label = format!("{name}  {points:>points_width$}");
        page.labelled(&label, width + 2 + points_width, &group.words());
    }
    if let Some(words) = least_counts(document) {
        page.prose(words);
    }
}

/// The tests that were run, one per line, and how many were not.
fn tests(page: &mut Page, tests: &[TestReport]) {
    let table = TestsTable::of(tests, TESTS_SHOWN_MAX);
    page.heading(&format!("Tests: {}", table.passed()));
    let TestsTable { shown, notes, .. } = table;
    let figures = shown
        .iter()
        .map(|test| [test.cpu(), test.memory(), test.output()]);
    let figures: Vec<[String; 3]> = figures.collect();
    let heads = ["CPU time", "memory", "output"].map(str::to_owned);
    let mut widths = [0; 3];
    for row in figures.iter().chain([&heads]) {
        for (width, figure) in widths.iter_mut().zip(row) {
            *width = columns(figure).max(*width);
        }
    }
    // Two spaces before each column, and the verdict.
    let others = 6 * 2 + 7 + widths.iter().sum::<usize>() + CAUSE_COLUMNS_MAX;
    let names = shown.iter().map(|test| clipped(&test.name, WIDTH - others));
    let names: Vec<String> = names.collect();
    let width = names.iter().map(|name| columns(name)).max();
    let width = width.unwrap_or(0).max("test".len());
    let mut row = |name: &str, verdict: &str, [cpu, memory, output]: &[String; 3], cause: &str| {
        let [cpu_width, memory_width, output_width] = widths;
        page.line(&format!(
            "  {}  {verdict:<7}  {cpu:>cpu_width$}  {memory:>memory_width$}  {output:>output_width$}  {cause}",
            padded(name, width)
        ));
    };
    row("test", "verdict", &heads, "cause");
    for ((test, name), figures) in shown.iter().zip(&names).zip(&figures) {
        let cause = test.refined().unwrap_or_default();
        row(
            name,
            test.verdict.code(),
            figures,
            &clipped(&cause, CAUSE_COLUMNS_MAX),
        );
    }
    for note in &notes {
        page.prose(note);
    }
}

fn limits(page: &mut Page, document: &Document) {
    page.heading("Limits on each test");
    let limits = shown::limits(document).map(|(label, limit)| {
        let is_count = limit.ends_with(|last: char| last.is_ascii_digit());
        let of = if is_count { "" } else { "of " };
        format!("{limit} {of}{label}")
    });
    page.prose(&limits.join(", "));
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

fn history(page: &mut Page, document: &Document) {
    if !document.history.is_empty() {
        page.heading("Verdict history");
    }
    for change in &document.history {
        let code = change.verdict.code();
        let label = format!("{}  {code:<3}", document.moment(&change.at));
        let score = change.score.map(|score| score.to_string());
        let because = format!("because: {}", change.in_words());
        let parts = [score, change.first_failing_test.clone(), Some(because)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        page.labelled(&label, 25, &parts.join("  "));
    }
}

/// The text beside the reports for a file that is not a submission.
pub fn render_rejection(rejection: &Rejection, zone: &TimeZone) -> String {
    let mut page = Page::default();
    page.title("Not judged: this file is not a submission");
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
        advice::about_rejected(rejection.kind)
    ));
    page.0
}

/// The text beside the notes on rejected files where there are too many for a note each.
pub fn render_more_rejections(more: usize) -> String {
    let mut page = Page::default();
    page.title(&format!("And {more} more"));
    page.prose(&format!(
        "{more} more files are not submissions either. They are only counted; each gets a note when others are removed."
    ));
    page.0
}
