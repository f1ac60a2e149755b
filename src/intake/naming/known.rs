//! The names that mean something: problems and languages, found by spelling and listed for people;
//! and names that are nobody's work.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use super::register::Register;
use crate::domain::{ProblemSlug, words};
use crate::util::words::{listed, slips};

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

impl KnownLanguage {
    /// One that is offered.
    pub fn new(name: &str, extensions: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            extensions: extensions.to_vec(),
            unavailable: None,
        }
    }
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
            self.ignore
                .iter()
                .any(|pattern| matches_pattern(pattern, name))
        })
    }

    /// The problem that a file's name without its extension means, also where programs have marked
    /// it as a copy.
    pub fn problem_of_copy(&self, stem: &str) -> Option<&ProblemSlug> {
        let found = find(stem, &self.problems, |stem, likeness| {
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

    /// Whether a language with this extension is offered.
    pub(super) fn is_offered(&self, extension: &str) -> bool {
        self.language(extension)
            .is_some_and(|(language, _)| language.unavailable.is_none())
    }

    /// The languages that are offered.
    pub(super) fn offered(&self) -> impl Iterator<Item = &KnownLanguage> {
        self.languages
            .iter()
            .filter(|language| language.unavailable.is_none())
    }

    /// The language of an extension, one that is offered before one that is not, and the extension
    /// as it spells it.
    pub(super) fn language(&self, extension: &str) -> Option<(&KnownLanguage, &str)> {
        self.languages
            .iter()
            .filter_map(|language| {
                let mut spellings = language.extensions.iter();
                let spelled = spellings.find(|own| own.eq_ignore_ascii_case(extension))?;
                Some((language, spelled.as_str()))
            })
            .min_by_key(|(language, _)| language.unavailable.is_some())
    }

    pub(super) fn languages_text(&self) -> String {
        let offered: Vec<String> = self
            .offered()
            .map(|language| format!("{} (.{})", language.name, language.extensions.join(" .")))
            .collect();
        if offered.is_empty() {
            return "no language is offered here".into();
        }
        let names = listed(offered.iter().map(String::as_str), LISTED_MAX);
        format!("the languages here are {names}")
    }

    /// The problems whose names students may know.
    pub(super) fn slugs(&self) -> impl Iterator<Item = &str> {
        self.problems
            .iter()
            .filter(|slug| !self.hidden.contains(*slug))
            .map(ProblemSlug::as_str)
    }

    /// The student and the problem that a name without a folder most likely means.
    pub(super) fn nearest_flat<'a>(&'a self, stem: &'a str) -> Option<(&'a str, &'a str)> {
        let ends = stem.match_indices('_').filter(|&(at, _)| at > 0);
        ends.flat_map(|(at, _)| {
            let near = move |slug| Some((slips(&stem[at + 1..], slug)?, at, slug));
            self.slugs().filter_map(near)
        })
        .min()
        .map(|(_, at, slug)| (&stem[..at], slug))
    }

    pub(super) fn problems_text(&self) -> String {
        if self.slugs().next().is_none() {
            return "there are no problems here yet".into();
        }
        format!("the problems here are {}", listed(self.slugs(), LISTED_MAX))
    }
}

words! {
    /// Why a name is nobody's work, as in "its name is …".
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Ignored by words {
        Hidden = "a hidden name",
        Temporary = "a temporary file's",
        Backup = "a backup's",
        System = "a system's own name",
        PassedOver = "a name that config.toml has passed over",
    }
}

impl Ignored {
    /// Whether a folder of such a name may be a student's: it must not be passed over in silence.
    /// Hidden folders and systems' own hold nobody's work.
    pub fn may_be_a_students(self) -> bool {
        matches!(self, Self::Temporary | Self::Backup)
    }
}

/// Names that editors, browsers, copying programs and systems leave for a moment or for themselves,
/// in any folder.
pub fn ignored(name: &OsStr) -> Option<Ignored> {
    const TEMPORARY: &[&[u8]] = &[
        b"~",
        b".swp",
        b".swo",
        b".swx",
        b".tmp",
        b".temp",
        b".part",
        b".partial",
        b".filepart",
        b".crdownload",
        b".download",
        b".opdownload",
        b"___jb_tmp___",
        b"___jb_old___",
    ];
    const BACKUP: &[&[u8]] = &[b".bak", b".orig"];
    const SYSTEM: &[&[u8]] = &[
        b"thumbs.db",
        b"desktop.ini",
        b"__macosx",
        b"__pycache__",
        b"lost+found",
    ];
    let name = name.as_bytes();
    let ends_in = |ends: &[&[u8]]| {
        ends.iter().any(|end| {
            name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
        })
    };
    // Hidden names cover vim's `.x.swp`, rsync's `.x.cpp.AbC123`, `.goutputstream-…`, `.nfs…`,
    // `.#x` and `.DS_Store`.
    if name.first() == Some(&b'.') {
        Some(Ignored::Hidden)
    } else if ends_in(TEMPORARY)
        || name == b"4913"
        || name.starts_with(b"~$")
        || (name.len() > 1 && name.starts_with(b"#") && name.ends_with(b"#"))
    {
        Some(Ignored::Temporary)
    } else if ends_in(BACKUP) {
        Some(Ignored::Backup)
    } else if SYSTEM.iter().any(|it| name.eq_ignore_ascii_case(it)) {
        Some(Ignored::System)
    } else {
        None
    }
}

/// Whether a name is as a pattern says: `*` is any text, `?` any one character, case does not
/// count.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let fold = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (pattern, name) = (fold(pattern), fold(name));
    // For each beginning of the name, whether the pattern up to here matches it.
    let mut matched = vec![false; name.len() + 1];
    matched[0] = true;
    for wanted in pattern {
        let before = matched.clone();
        matched[0] = before[0] && wanted == '*';
        for (at, &character) in name.iter().enumerate() {
            matched[at + 1] = match wanted {
                '*' => matched[at] || before[at + 1],
                '?' => before[at],
                letter => before[at] && letter == character,
            };
        }
    }
    matched.last() == Some(&true)
}

/// Digits of the number that is put behind a name.
const DIGITS_MAX: usize = 3;
/// What file managers put behind it, in lower case.
const WORDS: [&str; 2] = [" - copy", " copy"];

/// How much a name has to be like a problem's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// But for case, and `-` for `_`.
    Spelling,
    /// In its letters and digits, where no other problem has the same.
    Letters,
}

/// Looks for a problem by a name, then by what is left of it without what marks a copy; only where
/// no problem is spelled like that, by the letters alone.
pub(super) fn find<'stem, 'known>(
    stem: &'stem str,
    problems: &[ProblemSlug],
    look: impl Fn(&'stem str, Likeness) -> Option<(&'stem str, &'known ProblemSlug)>,
) -> Option<(&'stem str, &'known ProblemSlug)> {
    let bare = without_words(without_number(stem));
    [Likeness::Spelling, Likeness::Letters]
        .into_iter()
        .find_map(|likeness| {
            look(stem, likeness)
                .or_else(|| look(bare, likeness))
                // As Canvas does. Where problems themselves are numbered, `hw-3` is a problem that
                // is not here, and no copy of `hw`.
                .or_else(|| {
                    look(without_dash(bare)?, likeness)
                        .filter(|(_, slug)| !is_numbered(slug, problems))
                })
        })
}

/// Drops what browsers put behind the name of a file that they have saved before: ` (1)`, `(2)`.
pub(super) fn without_number(stem: &str) -> &str {
    let digits = stem
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    match digits {
        Some((front, digits)) if is_number(digits) => front.trim_end_matches(' '),
        _ => stem,
    }
}

fn without_words(stem: &str) -> &str {
    let bytes = stem.as_bytes();
    let word = WORDS.iter().find(|word| {
        let begin = bytes.len().checked_sub(word.len());
        begin.is_some_and(|begin| bytes[begin..].eq_ignore_ascii_case(word.as_bytes()))
    });
    // The words are plain letters, so the cut is between characters.
    word.map_or(stem, |word| &stem[..stem.len() - word.len()])
}

fn without_dash(stem: &str) -> Option<&str> {
    let (front, digits) = stem.rsplit_once(['-', '_'])?;
    is_number(digits).then_some(front)
}

fn is_number(text: &str) -> bool {
    (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a problem has this name with a number behind it.
fn is_numbered(slug: &ProblemSlug, problems: &[ProblemSlug]) -> bool {
    problems.iter().any(|other| {
        other
            .as_str()
            .strip_prefix(slug.as_str())
            .and_then(|rest| rest.strip_prefix(['-', '_']))
            .is_some_and(is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::{find, matches_pattern};
    use crate::intake::naming::Known;
    use crate::util::samples::slug;

    #[test]
    fn patterns() {
        for (pattern, matching, others) in [
            ("README*", "readme.md|README", "a README"),
            ("*.class", "Main.CLASS|.class", "Main.class.txt"),
            ("a?c", "abc|aüc", "ac"),
            ("*a*b*", "xxaxxbxx", "xxbxxaxx"),
            ("*aab", "aaaaab", "aaaaba"),
            ("Makefile", "makefile", "Makefile2"),
        ] {
            for (names, expected) in [(matching, true), (others, false)] {
                for name in names.split('|') {
                    assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
                }
            }
        }
        // As many stars as fit take no time worth speaking of.
        let hostile = "*a".repeat(50);
        assert!(!matches_pattern(&hostile, &"a".repeat(49)));
        assert!(matches_pattern(&hostile, &"a".repeat(255)));
    }

    #[test]
    fn a_copy_is_what_it_was_copied_from() {
        let slugs = ["sum", "hw", "hw-1", "hw-2", "a-1", "x_10", "thegame"];
        let known = Known {
            problems: slugs.map(slug).into(),
            ..Known::default()
        };
        let found = |stem| {
            find(stem, &known.problems, |stem, likeness| {
                Some(("", known.problem(stem, likeness)?))
            })
        };
        let sums = "sum|sum (1)|sum(12)|sum-1|SUM_2|sum-123|sum - Copy|sum copy (2)|sum-";
        for (stems, expected) in [
            (sums, Some("sum")),
            // A problem's own number is no copy's.
            ("a-1", Some("a-1")),
            ("x-10|x-10-1", Some("x_10")),
            ("hw-1|hw-1-1|hw1 (1)", Some("hw-1")),
            ("hw-2 (1)", Some("hw-2")),
            ("The-Game|the game - Copy|the_game-2", Some("thegame")),
            ("hw-3|sum-1234|sum-a|sumcopy|-1|(1)|é - Copy", None),
        ] {
            for stem in stems.split('|') {
                let slug = found(stem).map(|(_, slug)| slug.as_str());
                assert_eq!(slug, expected, "{stem}");
            }
        }
    }
}
