//! A language's commands with their words in braces filled: as the sandbox starts them, and as
//! people type them.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::resolve::{BUILT, Resolved};
use crate::sandbox::APP_FOLDER;
use crate::util::words::shell_word;

/// A longer file name, in characters, is not put into other people's messages.
const NAME_CHARACTERS_MAX: usize = 60;

static IN_BRACES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{(?:source|main|memory_mib|encoding)\}").expect("a test compiles it")
});

static IN_BRACKETS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[(\[][^)\]]*[)\]]?|[)\]]").expect("a test compiles it"));

/// What the words in braces stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Words<'a> {
    pub source: &'a str,
    /// What `{source}` as a word of its own stands for beside that.
    pub others: &'a [String],
    pub main: &'a str,
    pub memory_mib: u64,
    pub encoding: &'a str,
}

impl Words<'_> {
    /// A command as the sandbox starts it: its program with the path on this machine.
    pub(super) fn command(&self, words: &[String], resolved: &Resolved) -> Vec<String> {
        let mut argv = self.filled(words, &resolved.static_flags);
        if let Some(program) = argv
            .first_mut()
            .filter(|program| !program.starts_with(BUILT))
        {
            *program = resolved.program(program);
        }
        argv
    }

    /// A command as one would type it, in the folder of the source.
    pub(super) fn typed(&self, words: &[String], static_flags: &[String]) -> String {
        let typed = |word: String| match word.strip_prefix(BUILT) {
            Some(file) => quoted(file),
            None if word == APP_FOLDER => ".".to_owned(),
            None => quoted(&word),
        };
        let words = self.filled(words, static_flags).into_iter().map(typed);
        words.collect::<Vec<_>>().join(" ")
    }

    fn filled(&self, words: &[String], static_flags: &[String]) -> Vec<String> {
        let mut filled = Vec::with_capacity(words.len());
        for word in words {
            if word == "{static}" {
                filled.extend_from_slice(static_flags);
                continue;
            }
            filled.push(self.fill(word).into_owned());
            if word == "{source}" {
                filled.extend_from_slice(self.others);
            }
        }
        filled
    }

    /// One word, in one pass from left to right, so that what is filled in is not filled again.
    fn fill<'w>(&self, word: &'w str) -> Cow<'w, str> {
        IN_BRACES.replace_all(word, |name: &Captures| match &name[0] {
            "{source}" => self.source.to_owned(),
            "{main}" => self.main.to_owned(),
            "{memory_mib}" => self.memory_mib.to_string(),
            _ => self.encoding.to_owned(),
        })
    }
}

fn quoted(word: &str) -> String {
    if word.contains('\n') {
        "'…'".to_owned()
    } else {
        shell_word(word)
    }
}

/// `C++17 (g++ 12.2.0)`: what distributions and builds add in brackets tells nothing here.
pub(super) fn name_and_version(name: &str, version: &str) -> String {
    let short = IN_BRACKETS.replace_all(version, "");
    let short: Vec<&str> = short.split_whitespace().collect();
    let short = short.join(" ").replace(" ,", ",");
    if short.is_empty() {
        name.to_owned()
    } else if short.starts_with(name) {
        short
    } else if let Some(open) = name.strip_suffix(')') {
        format!("{open} {short})")
    } else {
        format!("{name} ({short})")
    }
}

/// Whether a name can stand in a compiler's message and still be read there as a file's name.
pub(super) fn is_plain(name: &str) -> bool {
    let may = |character: char| character.is_alphanumeric() || "._-+ ()".contains(character);
    let is_short = name.chars().count() <= NAME_CHARACTERS_MAX;
    is_short && name.chars().all(may) && !name.starts_with(['-', '.', ' ']) && name.contains('.')
}

#[cfg(test)]
mod tests {
    use super::{Words, is_plain, name_and_version, quoted};

    #[test]
    fn a_language_has_one_name_for_people() {
        let table = "C++17|g++ (Debian 12.2.0-14) 12.2.0|C++17 (g++ 12.2.0)
            C17|gcc 12.2.0, linked dynamically|C17 (gcc 12.2.0, linked dynamically)
            Python 3|Python 3.11.2|Python 3.11.2
            JavaScript (Node)|v18.13.0|JavaScript (Node v18.13.0)
            Rust 2021|rustc 1.63.0 (4b91a6ea7 2022)|Rust 2021 (rustc 1.63.0)
            Perl||Perl
            Odd|)) 1 ((|Odd (1)";
        for row in table.lines() {
            let parts: Vec<&str> = row.trim().split('|').collect();
            assert_eq!(name_and_version(parts[0], parts[1]), parts[2]);
        }
    }

    #[test]
    fn names_and_words_are_as_one_would_type_them() {
        for name in ["sum.cpp", "team-01_sum.c++", "sum (1).py", "сумма.py"] {
            assert!(is_plain(name), "{name}");
        }
        let long = format!("{}.c", "x".repeat(60));
        let names = "sum|.c|-o.c|a:3.c|a\"b.c|a\nb.c|a/b.c".split('|');
        for name in names.chain([&*long]) {
            assert!(!is_plain(name), "{name}");
        }
        assert_eq!(quoted("-O2"), "-O2");
        assert_eq!(quoted("sum (1).c"), "'sum (1).c'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("import sys\nx"), "'…'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn filled_once_and_only_what_is_known() {
        let words = Words {
            source: "{main}.c",
            others: &[],
            main: "A",
            memory_mib: 64,
            encoding: "UTF-8",
        };
        for (word, filled) in [
            ("-Xmx{memory_mib}m", "-Xmx64m"),
            ("{source}{main}", "{main}.cA"),
            ("print {x} {{source}", "print {x} {{main}.c"),
            ("{", "{"),
            ("", ""),
        ] {
            assert_eq!(words.fill(word), filled);
        }
    }
}
