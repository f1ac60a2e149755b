//! What the page's template shows, already in words and numbers.

use super::block::Block;
use crate::domain::Verdict;
use crate::problems::Picture;
use crate::report::units::Side;

/// A verdict, as pages show it beside its sign.
#[derive(Debug, Clone)]
pub struct Said {
    /// The short code; also the name of its colours and its sign.
    pub code: &'static str,
    pub words: String,
}

impl Said {
    /// Of a verdict.
    pub fn of(verdict: Verdict) -> Self {
        Self {
            code: verdict.code(),
            words: sentence(verdict.words()),
        }
    }
}

/// A fragment as it begins a sentence.
pub(super) fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// One side of the first difference: what stands there, or words in its place.
pub(super) struct SideView {
    pub text: String,
    pub words: Option<&'static str>,
}

impl SideView {
    pub fn of(side: Side<'_>) -> Self {
        let text = match side {
            Side::Text(text) => text.to_owned(),
            Side::EmptyLine | Side::Nothing => String::new(),
        };
        Self {
            text,
            words: side.words(),
        }
    }
}

/// What went wrong on it.
pub(super) struct CaseView {
    pub title: String,
    pub words: String,
    pub pictures: Vec<Picture>,
    pub input: Block,
    pub answer: Option<Block>,
    pub expected: Block,
    pub got: Option<Block>,
}

/// What the compiler printed.
pub(super) struct CompilerView {
    pub title: &'static str,
    pub block: Block,
    pub notes: Vec<String>,
}

/// A row of the table of tests.
pub(super) struct Row {
    pub name: String,
    pub verdict: Said,
    pub cause: Option<String>,
    /// Whether it is the first failing one.
    pub is_first: bool,
    /// One entry a column, or none for a test that was not run.
    pub used: Vec<Use>,
}

/// What a test used of what it may.
pub(super) struct Use {
    pub label: &'static str,
    pub text: String,
    /// Of the limit, at most a hundred.
    pub percent: u64,
    pub is_over: bool,
}

impl Use {
    pub fn new(label: &'static str, text: String, used: u64, limit: u64) -> Self {
        let percent = u128::from(used) * 100 / u128::from(limit.max(1));
        Self {
            label,
            text,
            percent: u64::try_from(percent).unwrap_or(100).min(100),
            is_over: used > limit,
        }
    }
}
