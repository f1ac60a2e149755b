//! The report as a page: one file that needs no network and no script, opens from disk and prints well.
//!
//! The template escapes everything that it is given; only the style, the signs and the pictures, which the crate makes itself, are put in as they are.

mod block;
mod view;

use askama::Template;

use super::advice;
use super::document::line;
use super::files::Report;
use super::history;
use super::places::Audience;
use super::schema::{CasePart, ChangePart, DifferencePart, Document, HoldWord, TestPart};
use super::units::{
    Passed, bytes, case_title, cpu, kib, language, measured_again, memory, milliseconds, output,
    problem, repeated, sides, used, wall,
};
use crate::domain::{Cause, Verdict};
use crate::problems::{self, Picture};
use crate::util::excerpt::decode;
use block::Block;
use view::{
    CaseView, Changed, CompilerView, DifferenceView, Fact, Failing, Hold, Row, SideView, Use,
};

pub use view::Said;

/// The part of a source that is shown, in bytes.
const SOURCE_SHOWN_BYTES_MAX: usize = 128 * 1024;
/// Rows of the table of tests.
const TESTS_SHOWN_MAX: usize = 500;
/// Tests of which each has a small box beside the verdict; more of them would say nothing at a glance.
const STRIP_MAX: usize = 80;
/// A name or a reason, in characters.
const SENTENCE_CHARACTERS_MAX: usize = 1_000;

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
    student: String,
    problem: String,
    /// That the verdict was another, and since when it is not.
    change: Option<String>,
    attempt: u32,
    verdict: Said,
    cause: Option<String>,
    passed: Passed,
    meaning: String,
    figures: Vec<String>,
    hints: &'a [String],
    next: &'static str,
    failing: Option<Failing>,
    case: Option<CaseView>,
    compiler: Option<CompilerView>,
    columns: Vec<Fact>,
    tests: Vec<Row>,
    has_strip: bool,
    tests_notes: Vec<String>,
    file_name: &'a str,
    language: String,
    source: Block,
    facts: Vec<Fact>,
    limits: Vec<Fact>,
    protections: Vec<Hold<'a>>,
    notes: &'a [String],
    provenance: Vec<Fact>,
    changes: Vec<Changed<'a>>,
    judged_at: &'a str,
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
    let verdict = document.verdict.0;
    let is_staff = audience == Audience::Staff;
    let first = document.failing();
    let mut source = source(report.source);
    let failing = first.map(|test| failing(test, &mut source));
    let compiler = compiler(document, &mut source);
    Page {
        style: STYLE,
        signs: SIGNS,
        student: line(&submission.student, SENTENCE_CHARACTERS_MAX),
        problem: problem(submission),
        change: history::change_of_verdict(document),
        attempt: submission.attempt,
        verdict: Said::of(verdict),
        cause: document.cause_words.as_deref().map(view::sentence),
        passed: Passed::of(&document.tests),
        meaning: advice::meaning(document),
        figures: first.map(figures).unwrap_or_default(),
        hints: &document.hints,
        next: advice::next(verdict, document.cause.as_ref()),
        failing,
        case: document.case.as_ref().map(|case| case_view(case, verdict)),
        compiler,
        columns: columns(document),
        tests: rows(document),
        has_strip: was_run(document).count() <= STRIP_MAX,
        tests_notes: tests_notes(document),
        file_name: &submission.file_name,
        language: language(document),
        source,
        facts: facts(document),
        limits: limits(document),
        protections: protections(document, is_staff),
        notes: &document.notes,
        provenance: provenance(document, is_staff),
        changes: document.history.iter().map(changed).collect(),
        judged_at: &document.judged_at,
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

fn failing(test: &TestPart, source: &mut Block) -> Failing {
    let stderr = (!test.stderr.trim().is_empty()).then(|| {
        let mut block = Block::of(test.stderr.trim_end());
        block.point_to(source);
        block
    });
    Failing {
        name: test.name.clone(),
        verdict: Said::of(test.verdict.0),
        difference: test
            .difference
            .as_ref()
            .map(|difference| difference_view(test, difference)),
        checker: test.checker.clone(),
        judge_message: test.judge_message.clone(),
        stderr,
    }
}

fn difference_view(test: &TestPart, difference: &DifferencePart) -> DifferenceView {
    let [expected, got] = sides(test, difference).map(SideView::of);
    DifferenceView {
        line: difference.line,
        column: difference.column,
        expected,
        got,
    }
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
        title: match document.verdict.0 {
            Verdict::CompileError => "What the compiler says",
            _ => "What the compiler warns of",
        },
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

fn columns(document: &Document) -> Vec<Fact> {
    let limits = &document.limits;
    vec![
        Fact::new("CPU time", milliseconds(limits.cpu_ms)),
        Fact::new("Memory", kib(limits.memory_kib)),
        Fact::new("Wall-clock time", milliseconds(limits.wall_ms)),
        Fact::new("Output", bytes(limits.output_bytes)),
    ]
}

fn rows(document: &Document) -> Vec<Row> {
    let limits = &document.limits;
    let row = |test: &TestPart| Row {
        name: test.name.clone(),
        verdict: Said::of(test.verdict.0),
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
    let is_skipped = |test: &&TestPart| test.verdict.0 == Verdict::Skipped;
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

fn facts(document: &Document) -> Vec<Fact> {
    let submission = &document.submission;
    let mut facts = vec![
        Fact::new(
            "student",
            line(&submission.student, SENTENCE_CHARACTERS_MAX),
        ),
        Fact::new(
            "problem",
            format!("{}, attempt {}", problem(submission), submission.attempt),
        ),
        Fact::new("file", submission.file_name.clone()),
        Fact::new("language", language(document)),
        Fact::new("received", submission.received_at.clone()),
        Fact::new("judged", document.judged_at.clone()),
    ];
    let built = document.built_with.iter();
    facts.extend(built.map(|command| Fact::new("built with", command.clone())));
    let started = document.started_with.iter();
    facts.extend(started.map(|command| Fact::new("started with", command.clone())));
    facts
}

fn limits(document: &Document) -> Vec<Fact> {
    let limits = &document.limits;
    vec![
        Fact::new("CPU time", milliseconds(limits.cpu_ms)),
        Fact::new("wall-clock time", milliseconds(limits.wall_ms)),
        Fact::new("memory", kib(limits.memory_kib)),
        Fact::new("output", bytes(limits.output_bytes)),
        Fact::new("processes", limits.processes.to_string()),
        Fact::new("open files", limits.open_files.to_string()),
    ]
}

/// What the sandbox enforced, for the staff.
fn protections(document: &Document, is_staff: bool) -> Vec<Hold<'_>> {
    let rows = document.protections.iter().filter(|_| is_staff);
    rows.map(hold).collect()
}

fn changed(change: &ChangePart) -> Changed<'_> {
    Changed {
        at: history::moment(&change.at),
        said: Said::of(change.verdict.0),
        test: change.first_failing_test.as_deref(),
        because: history::in_words(&change.because),
    }
}

fn hold(row: &super::schema::ProtectionPart) -> Hold<'_> {
    Hold {
        name: &row.name,
        state: match row.hold {
            HoldWord::On => "on",
            HoldWord::Weak => "weak",
            HoldWord::Missing => "missing",
        },
        how: &row.how,
    }
}

/// For the staff; students have their report as JSON.
fn provenance(document: &Document, is_staff: bool) -> Vec<Fact> {
    if !is_staff {
        return Vec::new();
    }
    let source = &document.submission.source_digest;
    let mut facts = vec![Fact::new("source", source.clone())];
    if let Some(from) = &document.provenance {
        facts.extend([
            Fact::new("artifact", from.artifact.clone()),
            Fact::new("toolchain", from.toolchain.clone()),
            Fact::new("package", from.package.clone()),
            Fact::new("limits", from.limits.clone()),
            Fact::new("policy", from.policy.clone()),
            Fact::new("fold", from.fold.clone()),
            Fact::new("machine", from.machine.clone()),
        ]);
    }
    facts
}
