//! Parts of the page that are prepared before the template shows them.

use super::block::Block;
use crate::domain::{Score, Verdict};
use crate::problems::{self, Picture};
use crate::report::schema::{CasePart, Document, TestPart};
use crate::report::units::{case_title, compiler_title};

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

/// A fragment as it begins a sentence.
pub(super) fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// The case that shows what went wrong on the first failing test.
pub(super) struct Case {
    pub title: String,
    pub words: String,
    pub pictures: Vec<Picture>,
    pub input: Block,
    pub answer: Option<Block>,
    pub expected: Block,
    pub got: Option<Block>,
}

impl Case {
    pub fn new(case: &CasePart, verdict: Verdict) -> Self {
        // A wrong layout differs in what cannot be seen.
        let show_spaces = verdict == Verdict::PresentationError;
        let side = |part, sign, label| Block {
            label,
            ..Block::of_excerpt(part, sign, show_spaces)
        };
        Self {
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
}

/// The case, drawn, if a built-in problem can draw it.
fn pictures(case: &CasePart) -> Vec<Picture> {
    let task = case.task.as_deref().and_then(problems::find);
    let output = case.got.as_ref().map(|got| got.text.as_bytes());
    task.and_then(|task| task.draw(case.input.text.as_bytes(), output, "case").ok())
        .unwrap_or_default()
}

/// What the compiler printed.
pub(super) struct Compiler {
    pub title: &'static str,
    pub block: Block,
    pub notes: Vec<String>,
}

impl Compiler {
    pub fn new(document: &Document, source: &mut Block) -> Option<Self> {
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
        Some(Self {
            title: compiler_title(document),
            block,
            notes,
        })
    }
}

/// A column of the table of tests: what each used of what it may, as a number and in words.
pub(super) struct Column {
    pub label: &'static str,
    pub limit: (u64, String),
    pub used: fn(&TestPart) -> (u64, String),
}

impl Column {
    pub fn text(&self, test: &TestPart) -> String {
        (self.used)(test).1
    }

    pub fn is_over(&self, test: &TestPart) -> bool {
        (self.used)(test).0 > self.limit.0
    }

    /// Of the limit, at most a hundred.
    pub fn percent(&self, test: &TestPart) -> u128 {
        (u128::from((self.used)(test).0) * 100 / u128::from(self.limit.0.max(1))).min(100)
    }
}
