//! Hints for mistakes that can be recognised for certain, or nearly so, in a source and in what
//! came of it. What they say, when, and in which order stands in `advice.toml`.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Deserializer, de};

use super::schema::{Document, TestReport};
use crate::domain::{Cause, Difference, LanguageId, Verdict};
use crate::package::Io;
use crate::util::excerpt::decode;

/// Hints of one report; more of them would hide the one that helps.
const HINTS_MAX: usize = 3;
/// The part of a source that the rules read, in bytes.
const SOURCE_READ_BYTES_MAX: usize = 256 * 1024;
/// A name or a token that a hint quotes, in characters.
const QUOTED_CHARACTERS_MAX: usize = 60;

/// A hint, and where it applies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hint {
    rule: Rule,
    language: Option<LanguageId>,
    #[serde(default)]
    verdicts: Vec<Verdict>,
    says: String,
}

/// How a mistake is recognised.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rule {
    /// By what the compiler has said.
    #[serde(deserialize_with = "pattern")]
    Compiler(Regex),
    /// By what the program has written to standard error.
    #[serde(deserialize_with = "pattern")]
    Stderr(Regex),
    #[serde(rename = "utf-16")]
    Utf16,
    MissingFile,
    NeverCalled,
    Prompt,
    /// The right value, written otherwise.
    OtherForm(Form),
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Number,
    Case,
    Punctuation,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regex, D::Error> {
    let text = String::deserialize(deserializer)?;
    Regex::new(&text).map_err(de::Error::custom)
}

/// What the rules look at.
struct Clues<'a> {
    document: &'a Document,
    failing: Option<&'a TestReport>,
    bytes: &'a [u8],
    /// The source as text; UTF-16 and other encodings are decoded.
    source: String,
    io: Io,
}

/// Those of these hints that apply to a document of this source.
pub(super) fn hints_of(hints: &[Hint], document: &Document, source: &[u8], io: Io) -> Vec<String> {
    if document.verdict == Verdict::Accepted {
        return Vec::new();
    }
    let clues = Clues {
        document,
        failing: document.failing(),
        bytes: source,
        source: decode(source, SOURCE_READ_BYTES_MAX).text,
        io,
    };
    let found = hints.iter().filter_map(|hint| hint.of(&clues));
    found.take(HINTS_MAX).collect()
}

/// A sentence with its `{names}` filled in; `None` where one of them has no value.
pub(super) fn filled<'v>(
    sentence: &str,
    value: impl Fn(&str) -> Option<&'v str>,
) -> Option<String> {
    let mut parts = sentence.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}')?;
        text.push_str(value(name)?);
        text.push_str(rest);
    }
    Some(text)
}

impl Hint {
    fn of(&self, clues: &Clues<'_>) -> Option<String> {
        let document = clues.document;
        let is_for = |language: &LanguageId| *language == document.submission.language;
        let is_of_verdict = self.verdicts.is_empty() || self.verdicts.contains(&document.verdict);
        if !is_of_verdict || !self.language.as_ref().is_none_or(is_for) {
            return None;
        }
        let found = self.rule.found(clues)?;
        let used = clues
            .failing
            .map(|test| (test.memory_kib / 1024).to_string());
        let limit = (document.limits.memory_kib / 1024).to_string();
        filled(&self.says, |name| match name {
            "language" => Some(&*document.language_name),
            "command" => document.built_with.first().map(String::as_str),
            "used" => used.as_deref(),
            "limit" => Some(&*limit),
            number => found
                .get(number.parse::<usize>().ok()?.checked_sub(1)?)
                .map(String::as_str),
        })
    }
}

impl Rule {
    /// What its hint quotes; `None` where it does not apply.
    fn found(&self, clues: &Clues<'_>) -> Option<Vec<String>> {
        let one = |name: &str| vec![quoted(name)];
        match self {
            Self::Compiler(pattern) => captured(pattern, &clues.document.compiler.words),
            Self::Stderr(pattern) => captured(pattern, &clues.failing?.stderr),
            Self::Utf16 => {
                let marks: [&[u8]; 2] = [&[0xFF, 0xFE], &[0xFE, 0xFF]];
                let is_utf_16 = marks.iter().any(|mark| clues.bytes.starts_with(mark));
                is_utf_16.then(Vec::new)
            }
            Self::MissingFile => missing_file(clues).map(one),
            Self::NeverCalled => never_called(clues).map(|name| one(&name)),
            Self::Prompt => prompt(clues.difference()?).map(one),
            Self::OtherForm(form) => {
                let Difference { expected, got, .. } = clues.difference()?;
                let mut pairs = expected.split_whitespace().zip(got.split_whitespace());
                let (expected, got) = pairs.find(|(expected, got)| expected != got)?;
                (form_of(expected, got) == Some(*form)).then(|| vec![quoted(got), quoted(expected)])
            }
        }
    }
}

impl Clues<'_> {
    fn difference(&self) -> Option<&Difference> {
        self.failing.and_then(|test| test.difference.as_ref())
    }
}

fn captured(pattern: &Regex, text: &str) -> Option<Vec<String>> {
    let captures = pattern.captures(text)?;
    let groups = captures.iter().skip(1).flatten();
    Some(groups.map(|group| group.as_str().to_owned()).collect())
}

/// Nothing was right, and the source reads a file that is not there.
fn missing_file<'a>(clues: &'a Clues<'_>) -> Option<&'a str> {
    clues.failing?;
    let mut tests = clues.document.tests.iter();
    if tests.any(|test| test.verdict == Verdict::Accepted) {
        return None;
    }
    // Such a source means the judge to leave the file out, and it does.
    if clues.source.contains("ONLINE_JUDGE") {
        return None;
    }
    let name = clues.source.lines().find_map(file_that_is_read)?;
    let is_there = match clues.io {
        Io::Stdio => false,
        Io::StdioOrFiles => ["input.txt", "INPUT.TXT"].contains(&name),
    };
    (!is_there && name != "/dev/stdin").then_some(name)
}

/// What opens a file: what stands before, the file's name, and what says how it is opened: `"r"`,
/// `'w'`, or nothing.
static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    let opening =
        r#"^(.*?)(?:open|FileReader|Scanner\(new File|FileInputStream)\(["']([^"']+)["']([^)]*)"#;
    Regex::new(opening).expect("the pattern is well-formed")
});

/// The file that a line of a source opens for reading.
fn file_that_is_read(line: &str) -> Option<&str> {
    let code = line.trim_start();
    if ["//", "#", "/*"].iter().any(|mark| code.starts_with(mark)) {
        return None;
    }
    let (_, [before, name, mode]) = OPENING.captures(code)?.extract();
    let mode = mode.trim_start_matches(|character: char| !character.is_ascii_alphabetic());
    let is_written = mode.starts_with(['w', 'a']);
    (!before.contains("//") && !is_written).then_some(name)
}

static QUOTED_LINES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(?s)""".*?"""|'''.*?'''"#).expect("the pattern is well-formed"));

/// The last function of a Python program that defines functions and calls none.
fn never_called(clues: &Clues<'_>) -> Option<String> {
    if clues.document.cause != Some(Cause::Empty) {
        return None;
    }
    let mut defined = None;
    let source = QUOTED_LINES.replace_all(&clues.source, "");
    let inside = [' ', '\t', ')', ']', '}', '#', '@'];
    let is_outside = |line: &&str| !line.starts_with(inside) && !line.trim().is_empty();
    for line in source.lines().filter(is_outside) {
        if let Some(rest) = line.strip_prefix("def ") {
            defined = rest.split('(').next().map(|name| name.trim().to_owned());
        } else if !["import ", "from ", "class "]
            .iter()
            .any(|word| line.starts_with(word))
        {
            return None;
        }
    }
    defined.filter(|name| !name.is_empty())
}

/// Words of a prompt. None of them stands in an answer by chance: what was expected must not have
/// it.
const PROMPTS: [&str; 9] = [
    "enter", "input", "please", "type ", "how many", "give ", "answer", "result", "output",
];

fn prompt(difference: &Difference) -> Option<&str> {
    let [got, expected] = [&difference.got, &difference.expected].map(|side| side.to_lowercase());
    let mut words = PROMPTS.into_iter();
    let word = words.find(|word| got.contains(word) && !expected.contains(word))?;
    // Where the first difference comes later, the words stood in what was right.
    let is_prompt = got.contains([':', '?', '=']) || word == "please";
    is_prompt.then_some(&*difference.got)
}

/// How two spellings of a value differ, where they are of the same one.
fn form_of(expected: &str, got: &str) -> Option<Form> {
    let bare = |text: &str| {
        let marks = ['.', ',', ';', '!', '"', '\'', '(', ')', '[', ']'];
        text.trim_matches(marks).to_owned()
    };
    let numbers = number(expected).zip(number(got));
    if numbers.is_some_and(|(wanted, printed)| wanted.total_cmp(&printed).is_eq()) {
        Some(Form::Number)
    } else if expected.to_lowercase() == got.to_lowercase() {
        Some(Form::Case)
    } else {
        let is_same = bare(expected) == bare(got) && !bare(got).is_empty();
        is_same.then_some(Form::Punctuation)
    }
}

/// A decimal number without the words that Rust reads too (`inf`, `nan`).
fn number(token: &str) -> Option<f64> {
    let is_decimal = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let is_decimal = token.bytes().all(is_decimal);
    let value: f64 = token.parse().ok().filter(|_| is_decimal)?;
    // 0 and -0 are the same number.
    value.is_finite().then_some(value + 0.0)
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    let head: String = text.chars().take(QUOTED_CHARACTERS_MAX).collect();
    let more = if head.len() < text.len() { "…" } else { "" };
    format!("“{head}{more}”")
}
