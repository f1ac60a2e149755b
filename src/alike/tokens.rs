//! The tokens of a program, as far as they show how it is built: keywords and signs as they are,
//! every name, number and text as one that stands for all. Comments and white space do not count.
//!
//! One small lexer for all languages, told apart by how comments and texts begin. It never fails:
//! what it takes for something else in one program, it does in a copy of it too.

use crate::domain::Digest;
use crate::util::hash::Key;

/// How the languages of some extensions write what is not code.
struct Family {
    extensions: &'static [&'static str],
    /// What begins a comment to the end of the line.
    line: &'static [&'static str],
    /// What begins and ends other comments.
    block: &'static [(&'static str, &'static str)],
    /// What begins and ends texts, the longest first.
    texts: &'static [&'static str],
    /// Whether a line that begins with `#` says something to the preprocessor.
    preprocessor: bool,
}

const FAMILIES: [Family; 6] = [
    Family {
        extensions: &["py", "py3", "pypy", "pl", "rb"],
        line: &["#"],
        block: &[],
        texts: &["\"\"\"", "'''", "\"", "'"],
        preprocessor: false,
    },
    Family {
        extensions: &["pas", "pp", "dpr"],
        line: &["//"],
        block: &[("{", "}"), ("(*", "*)")],
        texts: &["'"],
        preprocessor: false,
    },
    Family {
        extensions: &["lua"],
        line: &["--"],
        block: &[("--[[", "]]")],
        texts: &["\"", "'"],
        preprocessor: false,
    },
    Family {
        extensions: &["hs"],
        line: &["--"],
        block: &[("{-", "-}")],
        texts: &["\""],
        preprocessor: false,
    },
    Family {
        extensions: &["ml"],
        line: &[],
        block: &[("(*", "*)")],
        texts: &["\""],
        preprocessor: false,
    },
    // C and all that look like it.
    Family {
        extensions: &[],
        line: &["//"],
        block: &[("/*", "*/")],
        texts: &["\"\"\"", "\"", "'", "`"],
        preprocessor: true,
    },
];

/// Words that stay what they are: those that say how a program is built, in any of the languages.
const KEYWORDS: [&str; 76] = [
    "and",
    "as",
    "async",
    "await",
    "begin",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "del",
    "do",
    "downto",
    "elif",
    "else",
    "elseif",
    "elsif",
    "end",
    "enum",
    "except",
    "finally",
    "fn",
    "for",
    "foreach",
    "from",
    "fun",
    "func",
    "function",
    "goto",
    "if",
    "impl",
    "import",
    "in",
    "inline",
    "is",
    "lambda",
    "let",
    "local",
    "loop",
    "match",
    "mod",
    "module",
    "mut",
    "my",
    "namespace",
    "new",
    "not",
    "null",
    "of",
    "or",
    "pass",
    "procedure",
    "program",
    "pub",
    "raise",
    "repeat",
    "return",
    "static",
    "struct",
    "sub",
    "switch",
    "then",
    "throw",
    "to",
    "try",
    "type",
    "unless",
    "until",
    "use",
    "var",
    "where",
    "while",
    "with",
];

/// What stands for every name, number and text.
const NAME: &[u8] = b"n";
const NUMBER: &[u8] = b"0";
const TEXT: &[u8] = b"\"";

/// The tokens of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    pub count: usize,
    /// Two programs with the same one have the same tokens.
    pub digest: Digest,
}

/// The tokens of a program whose file has this extension.
pub fn tokens(source: &[u8], extension: &str) -> Tokens {
    let extension = extension.to_ascii_lowercase();
    let is_of = |family: &&Family| family.extensions.contains(&extension.as_str());
    let family = FAMILIES.iter().find(is_of);
    let mut lexer = Lexer {
        rest: source,
        family: family.unwrap_or(&FAMILIES[FAMILIES.len() - 1]),
        begins_line: true,
    };
    let mut key = Key::new("tokens");
    let mut count = 0;
    while let Some(token) = lexer.next() {
        key = key.part(&token);
        count += 1;
    }
    Tokens {
        count,
        digest: key.finish(),
    }
}

struct Lexer<'s> {
    rest: &'s [u8],
    family: &'static Family,
    begins_line: bool,
}

impl Lexer<'_> {
    /// The next token; each round takes at least one byte.
    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let &first = self.rest.first()?;
            if first.is_ascii_whitespace() {
                self.begins_line |= first == b'\n';
                self.rest = &self.rest[1..];
                continue;
            }
            let begins_line = std::mem::take(&mut self.begins_line);
            if begins_line && first == b'#' && self.family.preprocessor {
                self.skip_past(b"\n");
                self.begins_line = true;
                continue;
            }
            if self.comment() {
                continue;
            }
            return Some(self.token(first));
        }
    }

    fn comment(&mut self) -> bool {
        for (begin, end) in self.family.block {
            if let Some(rest) = self.rest.strip_prefix(begin.as_bytes()) {
                self.rest = rest;
                self.skip_past(end.as_bytes());
                return true;
            }
        }
        let mut lines = self.family.line.iter();
        let is_one = lines.any(|begin| self.rest.starts_with(begin.as_bytes()));
        if is_one {
            self.skip_past(b"\n");
            self.begins_line = true;
        }
        is_one
    }

    fn token(&mut self, first: u8) -> Vec<u8> {
        for quote in self.family.texts {
            if let Some(rest) = self.rest.strip_prefix(quote.as_bytes()) {
                self.rest = rest;
                self.skip_text(quote.as_bytes());
                return TEXT.to_vec();
            }
        }
        if is_of_word(first) {
            let end = self.rest.iter().position(|&byte| !is_of_word(byte));
            let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = rest;
            return of_word(word);
        }
        self.rest = &self.rest[1..];
        vec![first]
    }

    /// A text ends with its quote, unless a backslash stands before it; a short one also with its
    /// line.
    fn skip_text(&mut self, quote: &[u8]) {
        let mut at = 0;
        while at < self.rest.len() && !self.rest[at..].starts_with(quote) {
            if quote.len() == 1 && self.rest[at] == b'\n' {
                break;
            }
            at += if self.rest[at] == b'\\' { 2 } else { 1 };
        }
        self.rest = self.rest.get(at + quote.len()..).unwrap_or_default();
    }

    fn skip_past(&mut self, end: &[u8]) {
        let found = self.rest.windows(end.len()).position(|part| part == end);
        self.rest = found.map_or(&[], |at| &self.rest[at + end.len()..]);
    }
}

/// Letters of other scripts too.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn of_word(word: &[u8]) -> Vec<u8> {
    let lower = word.to_ascii_lowercase();
    if word[0].is_ascii_digit() {
        NUMBER.to_vec()
    } else if KEYWORDS.iter().any(|keyword| keyword.as_bytes() == lower) {
        lower
    } else {
        NAME.to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::{KEYWORDS, tokens};

    #[test]
    fn names_comments_and_layout_do_not_count() {
        for (extension, one, other) in [
            (
                "py",
                "n = int(input())  # reads\nprint(n * 2)\n",
                "value=int( input() )\n\nprint(value*3)",
            ),
            (
                "cpp",
                "#include <cstdio>\nint main() { /* twice */ int x; scanf(\"%d\", &x); }",
                "// mine\n#include <iostream>\n#include <cstdio>\nint main()\n{\n\tint value;\n\tscanf(\"%i\",&value);\n}\n",
            ),
            (
                "pas",
                "begin { reads } writeln('It''s', 1 + a) end.",
                "BEGIN\n  WriteLn('x''y', 22+Total) // here\nEnd.",
            ),
            ("lua", "--[[ a\nb ]] local a = 1", "local b = 2 -- c"),
            (
                "java",
                "String s = \"a\\\"b // c\"; x(s);",
                "String text=\"\"; y(text);",
            ),
            ("js", "f('a', `b`)", "g(\"c\", 'd')"),
        ] {
            let (one, other) = (
                tokens(one.as_bytes(), extension),
                tokens(other.as_bytes(), extension),
            );
            assert_eq!(one, other, "{extension}");
        }
    }

    #[test]
    fn what_a_program_does_counts() {
        let python = |text: &str| tokens(text.as_bytes(), "py");
        assert_ne!(python("a + b"), python("a - b"));
        assert_ne!(python("if a: b"), python("while a: b"));
        assert_ne!(python("f(a)"), python("f(a, b)"));
        assert_eq!(python("for i in range(3): print('x')").count, 12);
    }

    #[test]
    fn every_text_has_tokens() {
        let strange = [
            "\"",
            "'''",
            "/*",
            "\\",
            "\"\\",
            "#",
            "{",
            "--[[",
            "\u{e9}\0\u{1f600}",
            "",
        ];
        for text in strange {
            for extension in ["py", "c", "pas", "lua", "hs", "ml", "?"] {
                let count = tokens(text.as_bytes(), extension).count;
                assert!(count <= text.len(), "{text:?}");
            }
        }
        assert!(KEYWORDS.is_sorted());
    }
}
