//! The report as a page: one file that needs no network and no script, opens from disk and prints
//! well.
//!
//! The template escapes everything that it is given; only the style, the signs and the pictures,
//! which the crate makes itself, are put in as they are.

mod block;
mod explained;
mod view;

use askama::Template;

use super::advice;
use super::document::Report;
use super::history;
use super::places::Audience;
use super::schema::{Document, TestPart};
use super::units::{
    self, Passed, bytes, cpu, kib, memory, milliseconds, output, repeated, used, wall,
};
use super::units::{SENTENCE_CHARACTERS_MAX, line};
use crate::domain::Verdict;
use crate::util::excerpt::decode;
use block::Block;
use explained::{Smallest, growth_picture, growth_rows};
use view::{Case, Column, Compiler, sentence};

pub use view::VerdictView;

/// The part of a source that is shown, in bytes.
const SOURCE_SHOWN_BYTES_MAX: usize = 128 * 1024;
/// Rows of the table of tests.
const TESTS_SHOWN_MAX: usize = 500;
/// Tests of which each has a small box beside the verdict; more of them would not be readable.
const STRIP_MAX: usize = 80;

/// The style of the page; it says everything about its colours in variables.
pub const STYLE: &str = include_str!("page.css");
/// One sign per verdict, so that none is told by its colour alone.
pub const SIGNS: &str = include_str!("signs.svg");

/// What the template reads: the document, and what has to be prepared before it is shown.
#[derive(Template)]
#[template(path = "report/html/page.html")]
struct Page<'a> {
    document: &'a Document,
    /// Whether it shows what the sandbox enforced and from what the verdict was made.
    is_staff: bool,
    problem: String,
    student: String,
    passed: Passed,
    failing: Option<&'a TestPart>,
    source: Block,
    stderr: Option<Block>,
    compiler: Option<Compiler>,
    case: Option<Case>,
    smallest: Option<Smallest>,
}

/// The page of a report.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    let document = report.document;
    let failing = document.failing();
    let mut source = source(report.source);
    let stderr = failing.and_then(|test| stderr(test, &mut source));
    let compiler = Compiler::new(document, &mut source);
    let page = Page {
        document,
        is_staff: audience == Audience::Staff,
        problem: units::problem(&document.submission),
        student: line(&document.submission.student, SENTENCE_CHARACTERS_MAX),
        passed: Passed::of(&document.tests),
        failing,
        source,
        stderr,
        compiler,
        case: document
            .case
            .as_ref()
            .map(|case| Case::new(case, document.verdict)),
        smallest: document
            .explanation
            .as_ref()
            .and_then(|found| found.counterexample.as_ref())
            .map(|found| Smallest::new(found, document.verdict)),
    };
    page.render()
        .expect("writing to a String fails only if a part of the template does, and none can")
}

fn source(bytes: &[u8]) -> Block {
    let decoded = decode(bytes, SOURCE_SHOWN_BYTES_MAX);
    let mut block = Block::of(&decoded.text);
    block.is_source = true;
    block.cut_after |= decoded.cut;
    block
}

fn stderr(test: &TestPart, source: &mut Block) -> Option<Block> {
    (!test.stderr.trim().is_empty()).then(|| {
        let mut block = Block::of(test.stderr.trim_end());
        block.point_to(source);
        block
    })
}

impl Page<'_> {
    /// What the program used, if that says more than what it printed.
    fn figures(&self) -> Vec<String> {
        let test = self.failing.filter(|test| test.difference.is_none());
        test.map_or_else(Vec::new, |test| {
            let on = format!("On the test {}: {}", test.name, used(test));
            [on].into_iter().chain(repeated(test)).collect()
        })
    }

    fn columns(&self) -> [Column; 4] {
        let limits = &self.document.limits;
        [
            Column {
                label: "CPU time",
                limit: (limits.cpu_ms, milliseconds(limits.cpu_ms)),
                used: |test| (test.cpu_ms, cpu(test)),
            },
            Column {
                label: "Memory",
                limit: (limits.memory_kib, kib(limits.memory_kib)),
                used: |test| (test.memory_kib, memory(test)),
            },
            Column {
                label: "Wall-clock time",
                limit: (limits.wall_ms, milliseconds(limits.wall_ms)),
                used: |test| (test.wall_ms, wall(test)),
            },
            Column {
                label: "Output",
                limit: (limits.output_bytes, bytes(limits.output_bytes)),
                used: |test| (test.output_bytes, output(test)),
            },
        ]
    }

    /// The tests that were run; the others are only counted.
    fn was_run(&self) -> Vec<&TestPart> {
        let tests = self.document.tests.iter();
        tests
            .filter(|test| test.verdict != Verdict::Skipped)
            .collect()
    }

    fn rows(&self) -> Vec<&TestPart> {
        let mut rows = self.was_run();
        rows.truncate(TESTS_SHOWN_MAX);
        rows
    }

    fn is_first_failing(&self, test: &TestPart) -> bool {
        self.document.first_failing_test.as_ref() == Some(&test.name)
    }

    fn has_strip(&self) -> bool {
        self.was_run().len() <= STRIP_MAX
    }

    fn tests_notes(&self) -> Vec<String> {
        let left_out = self.was_run().len().saturating_sub(TESTS_SHOWN_MAX);
        let left_out = (left_out > 0).then(|| {
            format!("{left_out} more tests are left out here; the JSON report lists them.")
        });
        let again = units::measured_again(self.rows().into_iter());
        let notes = [self.passed.not_run_words(), left_out, again];
        notes.into_iter().flatten().collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let mut facts = units::facts(self.document);
        let built = self.document.built_with.iter();
        facts.extend(built.map(|command| ("built with", command.clone())));
        let started = self.document.started_with.iter();
        facts.extend(started.map(|command| ("started with", command.clone())));
        facts
    }

    fn limits(&self) -> [(&'static str, String); 6] {
        let limits = &self.document.limits;
        [
            (
                "CPU time",
                milliseconds(limits.cpu_ms) + &units::time_factor(limits),
            ),
            ("wall-clock time", milliseconds(limits.wall_ms)),
            ("memory", kib(limits.memory_kib)),
            ("output", bytes(limits.output_bytes)),
            ("processes", limits.processes.to_string()),
            ("open files", limits.open_files.to_string()),
        ]
    }

    /// For the staff; students have their report as JSON.
    fn provenance(&self) -> Vec<(&'static str, &str)> {
        let mut facts = vec![("source", self.document.submission.source_digest.as_str())];
        if let Some(from) = &self.document.provenance {
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
}
