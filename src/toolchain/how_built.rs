//! How a program was built and is started, as its author is told.

use super::build::runs_its_source;
use super::resolve::BUILT;
use super::source::{needs_main, prepare};
use super::words::Words;
use super::{Language, Toolchain};
use crate::domain::{BuildLimits, HowBuilt};
use crate::sandbox::APP_FOLDER;
use crate::util::MIB;
use crate::util::words::shell_word;

/// A longer file name, in characters, is not put into other people's messages.
const NAME_CHARACTERS_MAX: usize = 60;

impl Toolchain {
    /// How a source is built under these limits and started with this memory limit, by a compiler
    /// of this version.
    pub fn how_built(
        &self,
        language: &Language,
        version: &str,
        (file_name, source): (&str, &[u8]),
        limits: &BuildLimits,
        memory_bytes: u64,
    ) -> HowBuilt {
        let spec = &language.spec;
        let prepared = prepare(spec, file_name, source);
        // A Java file is called as its class, whatever its author calls it.
        let keeps_its_name = needs_main(spec) || !is_plain(file_name);
        let author_name = if keeps_its_name {
            prepared.name.clone()
        } else {
            file_name.to_owned()
        };
        let words = |memory_bytes: u64| Words {
            source: &author_name,
            main: prepared.main.as_deref().unwrap_or_default(),
            memory_mib: (memory_bytes / MIB).max(1),
            encoding: prepared.encoding,
        };
        // Where the compiler is gone meanwhile, its flags are not known; everything else is.
        let static_flags = self
            .resolve(language)
            .map(|resolved| resolved.static_flags.clone())
            .unwrap_or_default();
        let build = if runs_its_source(spec) {
            Vec::new()
        } else {
            let command =
                |command: &Vec<String>| shown(command, &words(limits.memory_bytes), &static_flags);
            spec.build.iter().map(command).collect()
        };
        let is_alone = spec.run.len() == 1 && spec.run[0].starts_with(BUILT);
        let start = (!is_alone).then(|| shown(&spec.run, &words(memory_bytes), &[]));
        HowBuilt {
            language: name_and_version(&spec.name, version),
            build,
            start,
            source_name: prepared.name,
            author_name,
        }
    }
}

/// A command as one would type it, in the folder of the source.
fn shown(command: &[String], words: &Words<'_>, static_flags: &[String]) -> String {
    let mut shown = Vec::new();
    for word in command {
        if word == "{static}" {
            shown.extend(static_flags.iter().cloned());
            continue;
        }
        let word = words.fill(word);
        let word = match word.strip_prefix(BUILT) {
            Some(file) => file,
            None if word == APP_FOLDER => ".",
            None => &word,
        };
        shown.push(quoted(word));
    }
    shown.join(" ")
}

fn quoted(word: &str) -> String {
    if word.contains('\n') {
        "'…'".to_owned()
    } else {
        shell_word(word)
    }
}

/// `C++17 (g++ 12.2.0)`: what distributions and builds add in brackets tells nothing here.
fn name_and_version(name: &str, version: &str) -> String {
    let mut depth = 0_usize;
    let mut short = String::new();
    for character in version.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => short.push(character),
            _ => {}
        }
    }
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
fn is_plain(name: &str) -> bool {
    let may = |character: char| character.is_alphanumeric() || "._-+ ()".contains(character);
    let is_short = name.chars().count() <= NAME_CHARACTERS_MAX;
    is_short && name.chars().all(may) && !name.starts_with(['-', '.', ' ']) && name.contains('.')
}

#[cfg(test)]
mod tests {
    use super::{is_plain, name_and_version, quoted};

    #[test]
    fn a_language_has_one_name_for_people() {
        for (name, version, told) in [
            (
                "C++17",
                "g++ (Debian 12.2.0-14) 12.2.0",
                "C++17 (g++ 12.2.0)",
            ),
            (
                "C17",
                "gcc 12.2.0, linked dynamically",
                "C17 (gcc 12.2.0, linked dynamically)",
            ),
            ("Python 3", "Python 3.11.2", "Python 3.11.2"),
            (
                "JavaScript (Node)",
                "v18.13.0",
                "JavaScript (Node v18.13.0)",
            ),
            (
                "Rust 2021",
                "rustc 1.63.0 (4b91a6ea7 2022)",
                "Rust 2021 (rustc 1.63.0)",
            ),
            ("Perl", "", "Perl"),
            ("Odd", ")) 1 ((", "Odd (1)"),
        ] {
            assert_eq!(name_and_version(name, version), told);
        }
    }

    #[test]
    fn names_and_words_are_as_one_would_type_them() {
        for name in ["sum.cpp", "team-01_sum.c++", "sum (1).py", "сумма.py"] {
            assert!(is_plain(name), "{name}");
        }
        let long = format!("{}.c", "x".repeat(60));
        for name in [
            "sum", ".c", "-o.c", "a:3.c", "a\"b.c", "a\nb.c", "a/b.c", &long,
        ] {
            assert!(!is_plain(name), "{name}");
        }
        assert_eq!(quoted("-O2"), "-O2");
        assert_eq!(quoted("sum (1).c"), "'sum (1).c'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("import sys\nx"), "'…'");
        assert_eq!(quoted(""), "''");
    }
}
