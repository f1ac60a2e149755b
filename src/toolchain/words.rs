//! The words in braces that a language's commands and its source's name may have.

use super::resolve::{BUILT, Resolved};

/// What they stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Words<'a> {
    pub source: &'a str,
    pub main: &'a str,
    pub memory_mib: u64,
    pub encoding: &'a str,
}

impl Words<'_> {
    /// Fills a command, its program with the path on this machine.
    pub(super) fn command(&self, words: &[String], resolved: &Resolved) -> Vec<String> {
        let mut argv = Vec::with_capacity(words.len());
        for (index, word) in words.iter().enumerate() {
            if index == 0 && !word.starts_with(BUILT) {
                argv.push(resolved.program(word));
            } else if word == "{static}" {
                argv.extend(resolved.static_flags.iter().cloned());
            } else {
                argv.push(self.fill(word));
            }
        }
        argv
    }

    /// Fills one word.
    pub(super) fn fill(&self, word: &str) -> String {
        // One pass from left to right, so that what is filled in is not filled again.
        let memory = self.memory_mib.to_string();
        let known = [
            ("{source}", self.source),
            ("{main}", self.main),
            ("{memory_mib}", &memory),
            ("{encoding}", self.encoding),
        ];
        let mut filled = String::with_capacity(word.len());
        let mut rest = word;
        while let Some(at) = rest.find('{') {
            filled.push_str(&rest[..at]);
            rest = &rest[at..];
            let (take, put) = known
                .iter()
                .find(|(name, _)| rest.starts_with(name))
                .map_or((1, "{"), |(name, value)| (name.len(), *value));
            filled.push_str(put);
            rest = &rest[take..];
        }
        filled + rest
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn filled_once_and_only_what_is_known() {
        let words = Words {
            source: "{main}.c",
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
