//! The names that mean something: problems and languages, found by spelling and listed for people.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::Arc;

use super::copies::{self, Likeness};
use super::register::Register;
use crate::domain::ProblemSlug;
use crate::util::words::listed;

/// Names listed in one reason; a course with more has a page for them.
const LISTED_MAX: usize = 30;

/// A language, as far as names go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownLanguage {
    /// Its name for people: `C++17`.
    pub name: String,
    /// Its file extensions without the dot, the usual one first.
    pub extensions: Vec<String>,
    /// Why it is not offered, as what follows "is": `not installed here`. `None` where it is
    /// offered.
    pub unavailable: Option<String>,
}

/// The names that mean something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    pub problems: Vec<ProblemSlug>,
    /// The languages, also those that are not offered, so that a reason can say so.
    pub languages: Vec<KnownLanguage>,
    /// Names that are passed over, with `*` and `?`.
    pub ignore: Vec<String>,
    /// Those of the problems that have not opened: their programs are taken, and no student is told
    /// their names.
    pub hidden: BTreeSet<ProblemSlug>,
    /// Whom the roster knows.
    pub register: Arc<Register>,
}

impl Known {
    /// Whether config.toml has files of this name passed over.
    pub fn ignores(&self, name: &OsStr) -> bool {
        name.to_str().is_some_and(|name| {
            let mut patterns = self.ignore.iter();
            patterns.any(|pattern| matches_pattern(pattern, name))
        })
    }

    /// The problem that a file's name without its extension means, also where programs have marked
    /// it as a copy.
    pub fn problem_of_copy(&self, stem: &str) -> Option<&ProblemSlug> {
        let found = copies::find(stem, &self.problems, |stem, likeness| {
            Some(("", self.problem(stem, likeness)?))
        });
        found.map(|(_, problem)| problem)
    }

    /// An extension as its language spells it, whether the language is offered or not.
    pub fn extension(&self, extension: &str) -> Option<&str> {
        self.language(extension).map(|(_, spelled)| spelled)
    }

    pub(super) fn problem(&self, spelling: &str, likeness: Likeness) -> Option<&ProblemSlug> {
        let mut problems = self.problems.iter();
        // Two problems may differ only in `-` and `_`; then the exact spelling decides.
        let spelled = problems.clone().find(|slug| slug.as_str() == spelling);
        let spelled = spelled.or_else(|| problems.clone().find(|slug| slug.matches(spelling)));
        if spelled.is_some() || likeness == Likeness::Spelling {
            return spelled;
        }
        let first = problems.find(|slug| slug.is_like(spelling))?;
        let is_only = !problems.any(|slug| slug.is_like(spelling));
        is_only.then_some(first)
    }

    /// The language of an extension, one that is offered before one that is not, and the extension
    /// as it spells it.
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
        let offered: Vec<String> = offered.collect();
        names_listed(
            "the languages here are",
            "no language is offered here",
            offered.iter().map(String::as_str),
        )
    }

    /// The problems whose names students may know.
    pub(super) fn slugs(&self) -> impl Iterator<Item = &str> {
        let shown = self.problems.iter();
        let shown = shown.filter(|slug| !self.hidden.contains(*slug));
        shown.map(ProblemSlug::as_str)
    }

    pub(super) fn problems_text(&self) -> String {
        names_listed(
            "the problems here are",
            "there are no problems here yet",
            self.slugs(),
        )
    }
}

fn names_listed<'n>(lead: &str, none: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.peekable();
    if names.peek().is_none() {
        return none.into();
    }
    format!("{lead} {}", listed(names, LISTED_MAX))
}

/// Whether a name is as a pattern says: `*` is any text, `?` any one character, case does not
/// count.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let fold = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (pattern, name) = (fold(pattern), fold(name));
    let (mut at, mut seen) = (0, 0);
    // Where the last `*` stands, and how much of the name it covers: only the last one needs to be
    // tried again.
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&character) if character == '?' || character == name[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match &mut star {
                Some((place, covered)) => {
                    *covered += 1;
                    (at, seen) = (*place + 1, *covered);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&character| character == '*')
}

#[cfg(test)]
mod tests {
    use super::matches_pattern;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("README*", "readme.md", true),
            ("README*", "README", true),
            ("README*", "a README", false),
            ("*.class", "Main.CLASS", true),
            ("*.class", "Main.class.txt", false),
            ("*.class", ".class", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a?c", "aüc", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("*aab", "aaaaab", true),
            ("Makefile", "makefile", true),
            ("Makefile", "Makefile2", false),
            ("", "x", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
        // As many stars as fit take no time worth speaking of.
        let hostile = "*a".repeat(50);
        assert!(!matches_pattern(&hostile, &"a".repeat(49)));
        assert!(matches_pattern(&hostile, &"a".repeat(255)));
    }
}
