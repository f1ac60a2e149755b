//! What run-time systems say when they end a program; the words stand in `stderr.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::Reason;
use crate::util::excerpt::visible_line;

/// Characters of a line that is quoted.
const QUOTED_MAX: usize = 120;

/// How run-time systems call one thing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    code: String,
    summary: String,
    /// How a line begins, and what it has in it.
    signs: Vec<(String, String)>,
    /// How the last line begins.
    last: Vec<String>,
}

static SAID: LazyLock<BTreeMap<String, Vec<Said>>> = LazyLock::new(|| {
    toml::from_str(include_str!("stderr.toml")).expect("a test reads the file as it is here")
});

/// The code of a stack that overflows.
pub const STACK: &str = "stack-overflow";

fn all() -> impl Iterator<Item = &'static Said> {
    SAID.values().flatten()
}

/// The stack overflows.
pub(super) fn stack(evidence: String) -> Reason {
    let summary = all().find(|said| said.code == STACK);
    Reason::new(STACK, summary.map_or("", |said| &said.summary), evidence)
}

/// What ended the program, where its run-time system says so.
pub fn of_stderr(stderr: &[u8]) -> Option<Reason> {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    all().find_map(|said| {
        let begins = |line: &&str| said.last.iter().any(|begins| line.starts_with(begins));
        let says = |line: &&str| {
            let mut signs = said.signs.iter();
            signs.any(|(begins, has)| line.starts_with(begins) && line.contains(has))
        };
        let line = last.filter(begins).or_else(|| text.lines().find(says))?;
        let shown: String = visible_line(line.trim()).chars().take(QUOTED_MAX).collect();
        let evidence = format!("the program ended with “{shown}”");
        Some(Reason::new(&said.code, &said.summary, evidence))
    })
}

#[cfg(test)]
mod tests {
    use super::{STACK, of_stderr};

    #[test]
    fn each_end_has_its_reason() {
        let stack = [
            "Traceback:\nRecursionError: maximum recursion depth exceeded in comparison\n",
            "Exception in thread \"main\" java.lang.StackOverflowError\n\tat Main.f\n",
            "RangeError: Maximum call stack size exceeded\n",
            "\nthread 'main' has overflowed its stack\n",
            "lua5.4: a.lua:1: stack overflow (message handler)\n",
            "Stack overflow.\n   at Program.F(Int32)\n",
            "runtime: goroutine stack exceeds 1000000000-byte limit\n",
            "a.rb:1:in `f': stack level too deep (SystemStackError)\n",
            "Runtime error 202 at $0000000000401136\n",
        ];
        let index = [
            "Traceback:\nIndexError: list index out of range\n",
            "stack overflow? no\nIndexError: list index out of range\n",
            "RecursionError: caught\nIndexError: list index out of range\n",
            "thread 'main' panicked at a.rs:1:1:\nindex out of bounds: the len is 3 but the index is 3\n",
        ];
        let input = ["ValueError: invalid literal for int() with base 10: 'a'\n"];
        let nothing =
            ["/a.js:3\nTypeError: Cannot read properties of undefined (reading '0')\n    at x\n"];
        for (code, stderrs) in [
            (STACK, &stack[..]),
            ("index", &index),
            ("unexpected-input", &input),
            ("nothing-there", &nothing),
            ("reads-on", &["EOFError: EOF when reading a line\n"]),
            ("division", &["ZeroDivisionError: division by zero\n"]),
        ] {
            for stderr in stderrs {
                assert_eq!(of_stderr(stderr.as_bytes()).unwrap().code, code, "{stderr}");
            }
        }
        for other in [
            "terminate called after throwing an instance of 'std::runtime_error'\n  what():  stack overflow\n",
            "java.lang.StackOverflowError\n\tat Main.f\nException in thread \"main\" java.lang.Error\n",
        ] {
            let found = of_stderr(other.as_bytes());
            assert!(found.is_none_or(|found| found.code != STACK), "{other}");
        }
        assert!(of_stderr(b"IndexError: caught\ngoing on\n").is_none());
        let long = format!("lua5.4: {}", "stack overflow ".repeat(100));
        assert!(of_stderr(long.as_bytes()).unwrap().evidence.len() < 200);
    }
}
