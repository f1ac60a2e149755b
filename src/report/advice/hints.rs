//! Hints for mistakes that can be recognised for certain, or nearly so, in a source and in what
//! came of it.
//!
//! Each rule is a function in the table [`RULES`]; they are asked in that order, and the first few
//! that answer are shown.

use crate::domain::{Cause, Difference, Judgement, LanguageId, SourceFile, TestResult, Verdict};
use crate::package::Io;
use crate::util::excerpt::decode;

/// Hints of one report; more of them would hide the one that helps.
const HINTS_MAX: usize = 3;
/// The part of a source that the rules read, in bytes.
const SOURCE_READ_BYTES_MAX: usize = 256 * 1024;
/// A name or a token that a hint quotes, in characters.
const QUOTED_CHARACTERS_MAX: usize = 60;

/// What the rules look at.
struct Clues<'a> {
    verdict: Verdict,
    cause: Option<&'a Cause>,
    /// The first failing test.
    failing: Option<&'a TestResult>,
    /// Whether at least one test was passed.
    has_passed: bool,
    language: &'a str,
    bytes: &'a [u8],
    /// The source as text; UTF-16 and other encodings are decoded.
    source: String,
    /// What the compiler printed.
    compiler: String,
    io: Io,
}

impl<'a> Clues<'a> {
    fn of(
        language: &'a LanguageId,
        source: &'a SourceFile,
        judgement: &'a Judgement,
        io: Io,
    ) -> Self {
        Self {
            verdict: judgement.verdict,
            cause: judgement.cause.as_ref(),
            failing: judgement.failing(),
            has_passed: judgement
                .tests
                .iter()
                .any(|test| test.verdict == Verdict::Accepted),
            language: language.as_str(),
            bytes: &source.bytes,
            source: decode(&source.bytes, SOURCE_READ_BYTES_MAX).text,
            compiler: String::from_utf8_lossy(&judgement.compiler_words).into_owned(),
            io,
        }
    }

    fn difference(&self) -> Option<&Difference> {
        self.failing.and_then(|test| test.difference.as_ref())
    }
}

/// A rule: a hint where it applies.
type Rule = fn(&Clues<'_>) -> Option<String>;

/// The most certain ones first.
const RULES: [Rule; 6] = [
    utf_16,
    console_header,
    missing_file,
    never_called,
    prompt,
    other_form,
];

/// The hints for a judgement.
pub fn hints(
    language: &LanguageId,
    source: &SourceFile,
    judgement: &Judgement,
    io: Io,
) -> Vec<String> {
    if judgement.verdict == Verdict::Accepted {
        return Vec::new();
    }
    let clues = Clues::of(language, source, judgement, io);
    let found = RULES.iter().filter_map(|rule| rule(&clues));
    found.take(HINTS_MAX).collect()
}

fn utf_16(clues: &Clues<'_>) -> Option<String> {
    let is_utf_16 =
        clues.bytes.starts_with(&[0xFF, 0xFE]) || clues.bytes.starts_with(&[0xFE, 0xFF]);
    (is_utf_16 && clues.verdict == Verdict::CompileError).then(|| {
        "The file is saved as UTF-16, which compilers do not read. Save it as UTF-8: most editors offer that under \"Save as\" or \"Encoding\"."
            .to_owned()
    })
}

/// Headers of DOS and Windows that are often included out of habit, and what is used of them.
const CONSOLE_HEADERS: [(&str, &str); 3] = [
    ("conio.h", "getch, clrscr and kbhit"),
    ("windows.h", "Sleep and the console functions"),
    ("dos.h", "delay and sound"),
];

fn console_header(clues: &Clues<'_>) -> Option<String> {
    if clues.verdict != Verdict::CompileError {
        return None;
    }
    let compiler = clues.compiler.to_ascii_lowercase();
    let (header, functions) = CONSOLE_HEADERS
        .into_iter()
        .find(|(header, _)| compiler.contains(&format!("{header}:")))?;
    Some(format!(
        "<{header}> belongs to DOS and Windows and does not exist here. Remove the #include and everything that you use from it ({functions}): \
         programs here only read standard input and write standard output."
    ))
}

/// What opens a file for reading, up to the quotation mark before its name.
const OPENING: [&str; 8] = [
    "freopen(\"",
    "fopen(\"",
    "open(\"",
    "open('",
    "FileReader(\"",
    "Scanner(new File(\"",
    "FileInputStream(\"",
    "File::open(\"",
];

/// Nothing was right, and the source reads a file that is not there.
fn missing_file(clues: &Clues<'_>) -> Option<String> {
    if clues.has_passed || clues.failing.is_none() {
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
    (!is_there && name != "/dev/stdin").then(|| {
        format!(
            "Your source opens the file {}, which does not exist when it is judged. Read from standard input, \
             and remove the line or leave it out with #ifndef ONLINE_JUDGE (C and C++).",
            quoted(name)
        )
    })
}

/// The file that a line of a source opens for reading.
fn file_that_is_read(line: &str) -> Option<&str> {
    let code = line.trim_start();
    if code.starts_with("//") || code.starts_with('#') || code.starts_with("/*") {
        return None;
    }
    let (at, opening): (usize, &str) = OPENING
        .iter()
        .filter_map(|opening| Some((code.find(opening)?, *opening)))
        .min()?;
    if code[..at].contains("//") {
        return None;
    }
    let rest = &code[at + opening.len()..];
    let name = &rest[..rest.find(['"', '\''])?];
    // What follows the name says how it is opened: `"r"`, `'w'`, or nothing.
    let mode: String = rest[name.len() + 1..]
        .chars()
        .take_while(|&character| character != ')')
        .filter(char::is_ascii_alphabetic)
        .collect();
    let is_written = mode.starts_with('w') || mode.starts_with('a');
    (!name.is_empty() && !is_written).then_some(name)
}

/// A Python program that defines functions and calls none.
fn never_called(clues: &Clues<'_>) -> Option<String> {
    if clues.language != "python3" || clues.cause != Some(&Cause::Empty) {
        return None;
    }
    let mut defined = None;
    let mut quoting = None;
    for line in clues.source.lines() {
        if let Some(quotes) = quoting {
            if line.contains(quotes) {
                quoting = None;
            }
            continue;
        }
        if line.starts_with([' ', '\t', ')', ']', '}', '#', '@']) || line.trim().is_empty() {
            continue;
        }
        if let Some(quotes) = ["\"\"\"", "'''"]
            .into_iter()
            .find(|quotes| line.starts_with(quotes))
        {
            quoting = (line.matches(quotes).count() < 2).then_some(quotes);
        } else if let Some(rest) = line.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap_or_default().trim();
            defined = Some(name.to_owned());
        } else if !["import ", "from ", "class "]
            .iter()
            .any(|word| line.starts_with(word))
        {
            return None;
        }
    }
    let name = defined.filter(|name| !name.is_empty())?;
    let name = quoted(&name);
    Some(format!(
        "Your program defines {name}, but nothing calls it, so nothing is run. Call it at the end of the file, without indentation."
    ))
}

/// Words of a prompt. None of them stands in an answer by chance: what was expected must not have
/// it.
const PROMPTS: [&str; 9] = [
    "enter", "input", "please", "type ", "how many", "give ", "answer", "result", "output",
];

fn prompt(clues: &Clues<'_>) -> Option<String> {
    let difference = clues.difference()?;
    let (got, expected) = (
        difference.got.to_lowercase(),
        difference.expected.to_lowercase(),
    );
    let word = PROMPTS
        .into_iter()
        .find(|word| got.contains(word) && !expected.contains(word))?;
    // Where the first difference comes later, the words stood in what was right.
    let is_prompt = got.contains([':', '?', '=']) || word == "please";
    is_prompt.then(|| {
        format!(
            "Your program prints words that are meant for a person: {}. Nobody reads them here, and they make the output wrong: \
             print only the answer.",
            quoted(&difference.got)
        )
    })
}

/// The right value, written otherwise.
fn other_form(clues: &Clues<'_>) -> Option<String> {
    let difference = clues.difference()?;
    let pairs = difference
        .expected
        .split_whitespace()
        .zip(difference.got.split_whitespace());
    let (expected, got) = pairs.into_iter().find(|(expected, got)| expected != got)?;
    let (got_shown, expected_shown) = (quoted(got), quoted(expected));
    if let Some((wanted, printed)) = number(expected).zip(number(got))
        && wanted.total_cmp(&printed).is_eq()
    {
        return Some(format!(
            "It printed {got_shown} where {expected_shown} was expected: the same number in another form. Print it as the statement shows it, \
             for example as an integer."
        ));
    }
    let is_same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
    if is_same(expected, got) {
        return Some(format!(
            "It printed {got_shown} where {expected_shown} was expected: upper and lower case matter."
        ));
    }
    let bare = |text: &str| {
        text.trim_matches(['.', ',', ';', '!', '"', '\'', '(', ')', '[', ']'])
            .to_owned()
    };
    (bare(expected) == bare(got) && !bare(got).is_empty()).then(|| {
        format!(
            "It printed {got_shown} where {expected_shown} was expected: only the punctuation differs, and it matters."
        )
    })
}

/// A decimal number without the words that Rust reads too (`inf`, `nan`).
fn number(token: &str) -> Option<f64> {
    let is_decimal = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let value: f64 = token
        .bytes()
        .all(is_decimal)
        .then(|| token.parse().ok())??;
    // 0 and -0 are the same number.
    value.is_finite().then_some(value + 0.0)
}

fn quoted(text: &str) -> String {
    let text = text.trim();
    let head: String = text.chars().take(QUOTED_CHARACTERS_MAX).collect();
    let more = if head.len() < text.len() { "…" } else { "" };
    format!("“{head}{more}”")
}
