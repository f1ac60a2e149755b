//! The names that mean something: problems and languages, found by spelling and listed for people.

use std::fmt::Write as _;

use crate::domain::ProblemSlug;

/// Names listed in one reason; a course with more has a page for them.
const LISTED_MAX: usize = 30;

/// A language, as far as names go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownLanguage {
    /// Its name for people: `C++17`.
    pub name: String,
    /// Its file extensions without the dot, the usual one first.
    pub extensions: Vec<String>,
    /// Why it is not offered, as what follows "is": `not installed here`. `None` where it is offered.
    pub unavailable: Option<String>,
}

/// The names that mean something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// The problems.
    pub problems: Vec<ProblemSlug>,
    /// The languages, also those that are not offered, so that a reason can say so.
    pub languages: Vec<KnownLanguage>,
}

impl Known {
    pub(super) fn problem(&self, spelling: &str) -> Option<&ProblemSlug> {
        // Two problems may differ only in `-` and `_`; then the exact spelling decides.
        self.problems
            .iter()
            .find(|slug| slug.as_str() == spelling)
            .or_else(|| self.problems.iter().find(|slug| slug.matches(spelling)))
    }

    /// The language of an extension, one that is offered before one that is not, and the extension as it spells it.
    pub(super) fn language(&self, extension: &str) -> Option<(&KnownLanguage, &str)> {
        let spelled = |language: &'_ KnownLanguage| {
            language
                .extensions
                .iter()
                .position(|own| own.eq_ignore_ascii_case(extension))
        };
        let mut found = self
            .languages
            .iter()
            .filter_map(|language| spelled(language).map(|at| (language, at)));
        let first = found.next()?;
        let (language, at) = if first.0.unavailable.is_none() {
            first
        } else {
            found
                .find(|(language, _)| language.unavailable.is_none())
                .unwrap_or(first)
        };
        Some((language, language.extensions[at].as_str()))
    }

    pub(super) fn languages_text(&self) -> String {
        let offered = self
            .languages
            .iter()
            .filter(|language| language.unavailable.is_none())
            .map(|language| format!("{} (.{})", language.name, language.extensions.join(" .")));
        listed(
            "the languages here are",
            "no language is offered here",
            offered,
        )
    }

    pub(super) fn problems_text(&self) -> String {
        let slugs = self.problems.iter().map(ToString::to_string);
        listed(
            "the problems here are",
            "there are no problems here yet",
            slugs,
        )
    }
}

fn listed(lead: &str, none: &str, names: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    for (index, name) in names.enumerate() {
        if index >= LISTED_MAX {
            left_out += 1;
            continue;
        }
        text.push_str(if index == 0 { lead } else { "," });
        text.push(' ');
        text.push_str(&name);
    }
    if text.is_empty() {
        return none.into();
    }
    if left_out > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, " and {left_out} more");
    }
    text
}
