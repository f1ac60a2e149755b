//! The report as a page: one file that needs no network and no script, opens from disk and prints
//! well.
//!
//! The template escapes everything that it is given; only the style, the signs and the pictures,
//! which the crate makes itself, are put in as they are.

mod block;

use askama::Template;

use super::document::Report;
use super::places::Audience;
use super::schema::{Document, ShownTalk, TestReport};
use super::shown::{self, FailingInput, TestsTable, compiler_notes, growth_rows};
use super::units::{SENTENCE_CHARACTERS_MAX, bytes, kib, line, milliseconds, sentence};
use super::{advice, history};
use crate::domain::{Score, Speaker, Verdict};
use crate::problems::{self, Picture};
use crate::util::archive::is_zip;
use crate::util::excerpt::decode;
use block::Block;

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

/// A verdict, as pages show it beside its sign.
#[derive(Debug, Clone)]
pub struct VerdictView {
    /// The short code; also the name of its colours and its sign.
    pub code: &'static str,
    pub words: String,
    /// The points, where there are any and the page shows them.
    pub score: Option<Score>,
}

impl VerdictView {
    pub fn of(verdict: Verdict) -> Self {
        Self {
            code: verdict.code(),
            words: sentence(verdict.words()),
            score: None,
        }
    }
}

/// Where the texts of a failing input stand, and the class of each place.
const PLACES: [(&str, &str); 3] = [
    ("input", "input"),
    ("expected", "expected"),
    ("printed", "got"),
];

/// What the template reads: the document, and what has to be prepared before it is shown.
#[derive(Template)]
#[template(path = "report/html/page.html")]
struct Page<'a> {
    document: &'a Document,
    /// Whether it shows what the sandbox enforced and from what the verdict was made.
    is_staff: bool,
    problem: String,
    student: String,
    table: TestsTable<'a>,
    failing: Option<&'a TestReport>,
    source: Block,
    stderr: Option<Block>,
    compiler: Option<Block>,
    case: Option<Sides>,
    smallest: Option<Sides>,
}

/// The page of a report.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    let document = report.document;
    let failing = document.failing();
    let decoded = decode(report.source, SOURCE_SHOWN_BYTES_MAX);
    let mut source = Block::of(&decoded.text);
    source.is_source = true;
    source.cut_after |= decoded.cut;
    let mut pointing = |text: &str| {
        (!text.trim().is_empty()).then(|| {
            let mut block = Block::of(text.trim_end());
            // Of several files, nobody knows which is meant.
            if !is_zip(&document.submission.file_name) {
                block.point_to(&mut source);
            }
            block
        })
    };
    let stderr = failing.and_then(|test| pointing(&test.stderr));
    let compiler = pointing(&document.compiler.words);
    let (verdict, case) = (document.verdict, document.case.as_ref());
    let found = document.explanation.as_ref();
    let found = found.and_then(|found| found.counterexample.as_ref());
    let page = Page {
        document,
        is_staff: audience == Audience::Staff,
        problem: shown::problem(&document.submission),
        student: line(
            document.submission.student.as_str(),
            SENTENCE_CHARACTERS_MAX,
        ),
        table: TestsTable::of(&document.tests, TESTS_SHOWN_MAX),
        failing,
        source,
        stderr,
        compiler,
        case: case.map(|case| Sides::of(FailingInput::of_case(case), verdict)),
        smallest: found.map(|found| Sides::of(FailingInput::smallest(found, verdict), verdict)),
    };
    page.render()
        .expect("writing to a String fails only if a part of the template does, and none can")
}

/// An input on which the program fails, with what was expected and what was printed beside it.
struct Sides {
    about: FailingInput,
    pictures: Vec<Picture>,
    show_spaces: bool,
}

impl Sides {
    fn of(about: FailingInput, verdict: Verdict) -> Self {
        let task = about.task.as_deref().and_then(problems::find);
        let [input, printed] = ["input", "printed"].map(|place| about.text_of(place));
        let (input, printed) = (input.unwrap_or_default(), printed.map(str::as_bytes));
        let drawn = task.and_then(|task| task.draw(input.as_bytes(), printed, about.id).ok());
        Self {
            pictures: drawn.unwrap_or_default(),
            about,
            // A wrong layout differs in what cannot be seen.
            show_spaces: verdict == Verdict::PresentationError,
        }
    }

    /// Whether there is a text for a place.
    fn has(&self, place: &str) -> bool {
        self.about.sides.iter().any(|side| side.place == place)
    }

    /// The texts of a place, each with its lines.
    fn at(&self, place: &str) -> Vec<(&'static str, Option<Block>)> {
        let sign = match place {
            "expected" => "✓",
            "printed" => "✗",
            _ => "",
        };
        let sides = self.about.sides.iter().filter(|side| side.place == place);
        let shown = sides.map(|side| {
            let part = side.part.as_ref();
            let block = |part| Block::of_excerpt(part, (side.title, sign), self.show_spaces);
            (side.title, part.map(block))
        });
        shown.collect()
    }
}

/// What a test used of what it may.
struct Figure {
    label: &'static str,
    text: String,
    limit: String,
    is_over: bool,
    /// Of the limit, at most a hundred.
    percent: u128,
}

impl Page<'_> {
    /// What the program used, if that says more than what it printed.
    fn figures(&self) -> Vec<String> {
        let test = self.failing.filter(|test| test.difference.is_none());
        test.map_or_else(Vec::new, |test| {
            let on = format!("On the test {}: {}", test.name, test.used());
            [on].into_iter().chain(test.repeated()).collect()
        })
    }

    /// The columns of the table of tests; the head names their limits.
    fn columns(&self, test: &TestReport) -> [Figure; 4] {
        let limits = &self.document.limits;
        let used = [
            test.cpu_ms,
            test.memory_kib,
            test.wall_ms,
            test.output_bytes,
        ];
        let mut texts = [test.cpu(), test.memory(), test.wall(), test.output()].into_iter();
        let mut used = used.into_iter();
        [
            ("CPU time", limits.cpu_ms, milliseconds(limits.cpu_ms)),
            ("Memory", limits.memory_kib, kib(limits.memory_kib)),
            (
                "Wall-clock time",
                limits.wall_ms,
                milliseconds(limits.wall_ms),
            ),
            ("Output", limits.output_bytes, bytes(limits.output_bytes)),
        ]
        .map(|(label, most, limit)| {
            let used = used.next().unwrap_or_default();
            Figure {
                label,
                text: texts.next().unwrap_or_default(),
                limit,
                is_over: used > most,
                percent: (u128::from(used) * 100 / u128::from(most.max(1))).min(100),
            }
        })
    }

    /// What was said on the first failing test.
    fn talk(&self) -> Option<&ShownTalk> {
        self.document.case.as_ref()?.talk.as_ref()
    }

    fn is_first_failing(&self, test: &TestReport) -> bool {
        self.document.first_failing_test.as_ref() == Some(&test.name)
    }

    fn has_strip(&self) -> bool {
        self.table.shown.len() <= STRIP_MAX
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
