//! The report as a page: one file that needs no network and no script, opens from disk and prints
//! well.
//!
//! The template escapes everything that it is given; only the style, the signs and the pictures,
//! which the crate makes itself, are put in as they are.

mod block;
mod view;

use askama::Template;

use super::advice;
use super::document::Report;
use super::history;
use super::places::Audience;
use super::schema::{CasePart, Document, TestPart};
use super::units::{
    self, Passed, bytes, case_title, compiler_title, cpu, kib, language, measured_again, memory,
    milliseconds, output, problem, repeated, sides, used, wall,
};
use super::units::{SENTENCE_CHARACTERS_MAX, line};
use crate::domain::{Cause, Verdict};
use crate::problems::{self, Picture};
use crate::util::excerpt::decode;
use block::Block;
use view::{CaseView, CompilerView, Row, SideView, Use};

pub use view::Said;

/// The part of a source that is shown, in bytes.
const SOURCE_SHOWN_BYTES_MAX: usize = 128 * 1024;
/// Rows of the table of tests.
const TESTS_SHOWN_MAX: usize = 500;
/// Tests of which each has a small box beside the verdict; more of them would say nothing at a
/// glance.
const STRIP_MAX: usize = 80;

/// The style of the page; it says everything about its colours in variables.
pub const STYLE: &str = include_str!("page.css");
/// One sign a verdict, so that none is told by its colour alone.
pub const SIGNS: &str = include_str!("signs.svg");

/// Everything that the template shows.
#[derive(Template)]
#[template(path = "report/html/page.html")]
struct Page<'a> {
    style: &'static str,
    signs: &'static str,
    document: &'a Document,
    /// Whether it is the staff's, with what the sandbox enforced and from what the verdict was
    /// made.
    is_staff: bool,
    student: String,
    problem: String,
    /// That the verdict was another, and since when it is not.
    change: Option<String>,
    verdict: Said,
    passed: Passed,
    meaning: String,
    figures: Vec<String>,
    next: &'static str,
    failing: Option<&'a TestPart>,
    /// The sides of its first difference.
    sides: Option<[SideView; 2]>,
    stderr: Option<Block>,
    case: Option<CaseView>,
    compiler: Option<CompilerView>,
    columns: Vec<(&'static str, String)>,
    tests: Vec<Row>,
    has_strip: bool,
    tests_notes: Vec<String>,
    language: String,
    source: Block,
    facts: Vec<(&'static str, String)>,
    limits: Vec<(&'static str, String)>,
    provenance: Vec<(&'static str, &'a str)>,
}

/// The page of a report.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    page(report, audience)
        .render()
        .expect("writing to a String fails only where a part of the template does, and none can")
}

fn page<'a>(report: &Report<'a>, audience: Audience) -> Page<'a> {
    let document = report.document;
    let submission = &document.submission;
    let verdict = document.verdict;
    let failing = document.failing();
    let mut source = source(report.source);
    let stderr = failing.and_then(|test| stderr(test, &mut source));
    let compiler = compiler(document, &mut source);
    Page {
        style: STYLE,
        signs: SIGNS,
        document,
        is_staff: audience == Audience::Staff,
        student: line(&submission.student, SENTENCE_CHARACTERS_MAX),
        problem: problem(submission),
        change: history::change_of_verdict(document),
        verdict: Said::of(verdict),
        passed: Passed::of(&document.tests),
        meaning: advice::meaning(document),
        figures: failing.map(figures).unwrap_or_default(),
        next: advice::next(verdict, document.cause.as_ref()),
        failing,
        sides: failing.and_then(|test| {
            let difference = test.difference.as_ref()?;
            Some(sides(test, difference).map(SideView::of))
        }),
        stderr,
        case: document.case.as_ref().map(|case| case_view(case, verdict)),
        compiler,
        columns: columns(document),
        tests: rows(document),
        has_strip: was_run(document).count() <= STRIP_MAX,
        tests_notes: tests_notes(document),
        language: language(document),
        source,
        facts: facts(document),
        limits: limits(document),
        provenance: provenance(document),
    }
}

fn source(bytes: &[u8]) -> Block {
    let decoded = decode(bytes, SOURCE_SHOWN_BYTES_MAX);
    let mut block = Block::of(&decoded.text);
    block.is_source = true;
    block.cut_after |= decoded.cut;
    block
}

/// What the program used, where that says more than what it printed.
fn figures(test: &TestPart) -> Vec<String> {
    if test.difference.is_some() {
        return Vec::new();
    }
    let on = format!("On the test {}: {}", test.name, used(test));
    [on].into_iter().chain(repeated(test)).collect()
}

fn stderr(test: &TestPart, source: &mut Block) -> Option<Block> {
    (!test.stderr.trim().is_empty()).then(|| {
        let mut block = Block::of(test.stderr.trim_end());
        block.point_to(source);
        block
    })
}

fn compiler(document: &Document, source: &mut Block) -> Option<CompilerView> {
    let compiler = &document.compiler;
    if compiler.words.trim().is_empty() {
        return None;
    }
    let mut block = Block::of(compiler.words.trim_end());
    block.point_to(source);
    let mut notes = Vec::new();
    if let Some(encoding) = &compiler.encoding {
        notes.push(format!("This is not UTF-8; it was read as {encoding}."));
    }
    if compiler.cut || block.cut_after {
        notes.push("There was more.".to_owned());
    }
    Some(CompilerView {
        title: compiler_title(document),
        block,
        notes,
    })
}

fn case_view(case: &CasePart, verdict: Verdict) -> CaseView {
    // A layout that is wrong is wrong in what cannot be seen.
    let show_blanks = verdict == Verdict::PresentationError;
    let side = |part, sign, label| Block {
        label,
        ..Block::of_excerpt(part, sign, show_blanks)
    };
    CaseView {
        title: case_title(case),
        words: case.words.clone(),
        pictures: pictures(case),
        input: side(&case.input, "", "Input"),
        answer: case.answer.as_deref().map(|answer| Block {
            label: "Answer",
            ..Block::of(answer)
        }),
        expected: side(&case.expected, "✓", "Expected"),
        got: case.got.as_ref().map(|got| side(got, "✗", "Printed")),
    }
}

/// The case, drawn; none where nobody can draw it.
fn pictures(case: &CasePart) -> Vec<Picture> {
    let task = case.task.as_deref().and_then(problems::find);
    let said = case.got.as_ref().map(|got| got.text.as_bytes());
    task.and_then(|task| task.draw(case.input.text.as_bytes(), said, "case").ok())
        .unwrap_or_default()
}

fn columns(document: &Document) -> Vec<(&'static str, String)> {
    let limits = &document.limits;
    vec![
        ("CPU time", milliseconds(limits.cpu_ms)),
        ("Memory", kib(limits.memory_kib)),
        ("Wall-clock time", milliseconds(limits.wall_ms)),
        ("Output", bytes(limits.output_bytes)),
    ]
}

fn rows(document: &Document) -> Vec<Row> {
    let limits = &document.limits;
    let row = |test: &TestPart| Row {
        name: test.name.clone(),
        verdict: Said::of(test.verdict),
        cause: test.cause.as_ref().map(Cause::code),
        is_first: Some(&test.name) == document.first_failing_test.as_ref(),
        used: vec![
            Use::new("CPU time", cpu(test), test.cpu_ms, limits.cpu_ms),
            Use::new("Memory", memory(test), test.memory_kib, limits.memory_kib),
            Use::new("Wall-clock time", wall(test), test.wall_ms, limits.wall_ms),
            Use::new(
                "Output",
                output(test),
                test.output_bytes,
                limits.output_bytes,
            ),
        ],
    };
    was_run(document).take(TESTS_SHOWN_MAX).map(row).collect()
}

/// The tests that were run; of the others there is nothing to tell but how many they are.
fn was_run(document: &Document) -> impl Iterator<Item = &TestPart> {
    let is_skipped = |test: &&TestPart| test.verdict == Verdict::Skipped;
    document.tests.iter().filter(move |test| !is_skipped(test))
}

fn tests_notes(document: &Document) -> Vec<String> {
    let mut notes = Vec::new();
    let run = was_run(document).count();
    notes.extend(Passed::of(&document.tests).not_run_words());
    let left_out = run.saturating_sub(TESTS_SHOWN_MAX);
    if left_out > 0 {
        notes.push(format!(
            "{left_out} more tests are left out here; the JSON report lists them."
        ));
    }
    notes.extend(measured_again(was_run(document).take(TESTS_SHOWN_MAX)));
    notes
}

fn facts(document: &Document) -> Vec<(&'static str, String)> {
    let mut facts = units::facts(document);
    let built = document.built_with.iter();
    facts.extend(built.map(|command| ("built with", command.clone())));
    let started = document.started_with.iter();
    facts.extend(started.map(|command| ("started with", command.clone())));
    facts
}

fn limits(document: &Document) -> Vec<(&'static str, String)> {
    let limits = &document.limits;
    vec![
        ("CPU time", milliseconds(limits.cpu_ms)),
        ("wall-clock time", milliseconds(limits.wall_ms)),
        ("memory", kib(limits.memory_kib)),
        ("output", bytes(limits.output_bytes)),
        ("processes", limits.processes.to_string()),
        ("open files", limits.open_files.to_string()),
    ]
}

/// For the staff; students have their report as JSON.
fn provenance(document: &Document) -> Vec<(&'static str, &str)> {
    let mut facts = vec![("source", document.submission.source_digest.as_str())];
    if let Some(from) = &document.provenance {
        facts.extend([
            ("artifact", from.artifact.as_str()),
            ("toolchain", &from.toolchain),
            ("package", &from.package),
            ("limits", &from.limits),
            ("policy", &from.policy),
            ("fold", &from.fold),
            ("machine", &from.machine),
        ]);
    }
    facts
}
