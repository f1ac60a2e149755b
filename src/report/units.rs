//! Numbers in the units that people read, and what a program used, in words.

use super::schema::{CasePart, DifferencePart, Document, LimitsPart, SubmissionPart, TestPart};
use crate::domain::{Cause, Verdict};
use crate::util::excerpt::visible_line;

/// A name, a path or a version, in characters.
pub(super) const NAME_CHARACTERS_MAX: usize = 300;
/// A note or a reason, in characters.
pub(super) const SENTENCE_CHARACTERS_MAX: usize = 1_000;

/// One line of harmless text of at most `characters_max` characters.
pub(super) fn line(text: &str, characters_max: usize) -> String {
    // Making characters visible never makes a text shorter, but for CRLF.
    let head: String = text.chars().take(characters_max + 1).collect();
    let shown = visible_line(&head);
    if shown.chars().count() <= characters_max {
        return shown;
    }
    let mut cut: String = shown.chars().take(characters_max - 1).collect();
    cut.push('…');
    cut
}

/// A verdict and what refines it, for other programs that show one line of it.
pub fn verdict_words(verdict: Verdict, cause: Option<&Cause>) -> String {
    match cause {
        Some(cause) => format!("{} ({})", verdict.words(), cause.code()),
        None => verdict.words().to_owned(),
    }
}

/// What went wrong on a test, line by line, for other programs that show a few lines of it.
pub fn what_went_wrong(test: &TestPart) -> Vec<String> {
    let difference = test.difference.as_ref().map(|difference| {
        let [expected, got] = sides(test, difference);
        let shown = |side: Side<'_>| match (side, side.words()) {
            (Side::Text(text), _) => text.to_owned(),
            (_, words) => format!("({})", words.unwrap_or_default()),
        };
        [
            format!(
                "first difference in line {}, column {} of the output",
                difference.line, difference.column
            ),
            format!("expected  {}", shown(expected)),
            format!("printed   {}", shown(got)),
        ]
    });
    let difference = difference.into_iter().flatten();
    difference.chain(test.checker.clone()).collect()
}

/// A problem as people name it: its title, and the name of its folder where that is another.
pub(super) fn problem(submission: &SubmissionPart) -> String {
    let SubmissionPart {
        problem,
        problem_title: title,
        ..
    } = submission;
    if title.is_empty() || title.eq_ignore_ascii_case(problem) {
        problem.clone()
    } else {
        format!("{title} ({problem})")
    }
}

/// What was judged and when, each with its label.
pub(super) fn facts(document: &Document) -> Vec<(&'static str, String)> {
    let submission = &document.submission;
    let problem = format!("{}, attempt {}", problem(submission), submission.attempt);
    let score = document.score.map(|score| ("score", score.words()));
    let mut facts = vec![
        (
            "student",
            line(&submission.student, SENTENCE_CHARACTERS_MAX),
        ),
        ("problem", problem),
        ("file", submission.file_name.clone()),
        ("language", language(document)),
        ("received", document.on_clock(&submission.received_at)),
        ("judged", document.on_clock(&document.judged_at)),
    ];
    if let Some(score) = score {
        facts.insert(2, score);
    }
    facts
}

/// What is said above the compiler's words.
pub(super) fn compiler_title(document: &Document) -> &'static str {
    if document.verdict == Verdict::CompileError {
        "What the compiler says"
    } else {
        "What the compiler warns of"
    }
}

/// What is shown of the first failing test.
pub(super) fn case_title(case: &CasePart) -> String {
    match &case.title {
        Some(title) if case.stops_here => format!("Where the output stops: {title}"),
        Some(title) => format!("The case that fails: {title}"),
        None if case.expected.mark.is_some() => "Around the first difference".to_owned(),
        None => "How the test begins".to_owned(),
    }
}

/// What the program used on a test.
pub(super) fn used(test: &TestPart) -> String {
    if test.withheld {
        return "This test is hidden: only its verdict is shown.".to_owned();
    }
    format!(
        "It used {} of CPU time, {} of wall-clock time and {} of memory, and printed {}.",
        milliseconds(test.cpu_ms),
        milliseconds(test.wall_ms),
        kib(test.memory_kib),
        bytes(test.output_bytes)
    )
}

/// How often the time of a test was measured, where that was more than once.
pub(super) fn repeated(test: &TestPart) -> Option<String> {
    let times = test.measurements;
    (times > 1).then(|| {
        let alone = match times {
            2 => "the second time",
            _ => "from the second time on",
        };
        if test.busy == 0 {
            return format!("It ran {times} times ({alone} alone); the lowest CPU time counts.");
        }
        let waited = match test.waited_ms {
            0 => String::new(),
            ms => format!(
                " and kept the program waiting for up to {}",
                milliseconds(ms)
            ),
        };
        format!(
            "It ran {times} times ({alone} alone); the lowest CPU time counts. \
             The machine was busy with other work during {} of these runs{waited}.",
            test.busy
        )
    })
}

/// The CPU time of a test.
pub(super) fn cpu(test: &TestPart) -> String {
    rounded(test, milliseconds(test.cpu_ms))
}

/// Its wall-clock time.
pub(super) fn wall(test: &TestPart) -> String {
    rounded(test, milliseconds(test.wall_ms))
}

pub(super) fn memory(test: &TestPart) -> String {
    rounded(test, kib(test.memory_kib))
}

/// The length of its output.
pub(super) fn output(test: &TestPart) -> String {
    if test.withheld {
        "not shown".to_owned()
    } else {
        bytes(test.output_bytes)
    }
}

fn rounded(test: &TestPart, figure: String) -> String {
    if test.withheld {
        format!("up to {figure}")
    } else {
        figure
    }
}

/// With up to two decimals, rounded up as all times are.
pub(super) fn seconds(ms: u64) -> String {
    let ms = ms.div_ceil(10) * 10;
    if ms.is_multiple_of(1_000) {
        return format!("{} s", ms / 1_000);
    }
    let hundredths = ms.div_ceil(10);
    let decimals = format!("{:02}", hundredths % 100);
    format!("{}.{} s", hundredths / 100, decimals.trim_end_matches('0'))
}

/// `2 of 8`, and how many were not run.
pub(super) struct Passed {
    pub accepted: usize,
    pub of: usize,
    pub not_run: usize,
}

impl Passed {
    pub fn of(tests: &[TestPart]) -> Self {
        let count = |verdict| tests.iter().filter(|test| test.verdict == verdict).count();
        Self {
            accepted: count(Verdict::Accepted),
            of: tests.len(),
            not_run: count(Verdict::Skipped),
        }
    }

    /// For a line about the tests that were not run; none where all were.
    pub fn not_run_words(&self) -> Option<String> {
        match self.not_run {
            0 => None,
            1 => Some("1 more test was not run: the verdict was already known.".to_owned()),
            count => Some(format!(
                "{count} more tests were not run: the verdict was already known."
            )),
        }
    }
}

/// Which tests were measured more than once, in words.
pub(super) fn measured_again<'a>(tests: impl Iterator<Item = &'a TestPart>) -> Option<String> {
    let repeated: Vec<String> = tests
        .filter(|test| test.measurements > 1)
        .map(|test| format!("{} {} times", test.name, test.measurements))
        .collect();
    (!repeated.is_empty()).then(|| {
        format!(
            "Measured more than once because of the time limit; the lowest CPU time counts: {}.",
            repeated.join(", ")
        )
    })
}

/// One side of the first difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side<'a> {
    /// Something stands there.
    Text(&'a str),
    /// It is an empty line.
    EmptyLine,
    /// That side had ended.
    Nothing,
}

impl<'a> Side<'a> {
    pub fn text(self) -> &'a str {
        match self {
            Side::Text(text) => text,
            Side::EmptyLine | Side::Nothing => "",
        }
    }

    /// What is shown where there is no text.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Side::Text(_) => None,
            Side::EmptyLine => Some("an empty line"),
            Side::Nothing => Some("nothing"),
        }
    }
}

/// What was expected and what was printed at the first difference.
///
/// Nothing stands there either for an empty line or for the end of a side. Where the layout of
/// lines is compared, both sides have the same words, so neither has ended while the other still
/// has one.
pub(super) fn sides<'a>(test: &TestPart, difference: &'a DifferencePart) -> [Side<'a>; 2] {
    let is_layout =
        test.verdict == Verdict::PresentationError || test.cause == Some(Cause::Differs);
    let side = |own: &'a str, other: &str| {
        if !own.is_empty() {
            Side::Text(own)
        } else if is_layout && has_words(other) {
            Side::EmptyLine
        } else {
            Side::Nothing
        }
    };
    let (expected, got) = (difference.expected.as_str(), difference.got.as_str());
    [side(expected, got), side(got, expected)]
}

/// The same, each with its label.
pub(super) fn labelled_sides<'a>(
    test: &TestPart,
    difference: &'a DifferencePart,
) -> [(&'static str, Side<'a>); 2] {
    let [expected, got] = sides(test, difference);
    [("expected", expected), ("printed", got)]
}

/// Whether a printable excerpt has more than spelt-out white space.
fn has_words(printable: &str) -> bool {
    let mut rest = printable;
    loop {
        rest = rest.trim_start();
        let white = ["\\n", "\\r", "\\t", "\\x0b", "\\x0c"];
        match white.iter().find_map(|spelt| rest.strip_prefix(spelt)) {
            Some(after) => rest = after,
            None => return !rest.is_empty(),
        }
    }
}

pub(super) fn milliseconds(ms: u64) -> String {
    if ms > 0 && ms.is_multiple_of(1_000) {
        format!("{} s", ms / 1_000)
    } else if ms < 10_000 {
        format!("{ms} ms")
    } else {
        format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
    }
}

/// How a time factor comes into the limit of CPU time; "" where there is none.
pub(super) fn time_factor(limits: &LimitsPart) -> String {
    let Some(percent) = limits.time_factor_percent else {
        return String::new();
    };
    let factor = format!("{}.{:02}", percent / 100, percent % 100);
    let factor = factor.trim_end_matches('0').trim_end_matches('.');
    format!(" ({factor} × the problem's limit, for this language)")
}

pub(super) fn kib(kib: u64) -> String {
    if kib >= 1_024 && kib.is_multiple_of(1_024) {
        format!("{} MiB", kib / 1_024)
    } else if kib >= 10 * 1_024 {
        format!("{}.{} MiB", kib / 1_024, kib % 1_024 * 10 / 1_024)
    } else {
        format!("{kib} KiB")
    }
}

pub(super) fn bytes(bytes: u64) -> String {
    if bytes >= 10 * 1_024 {
        kib(bytes / 1_024)
    } else {
        format!("{bytes} bytes")
    }
}

/// The language as people call it.
pub fn language(document: &Document) -> String {
    if document.language_name.is_empty() {
        // A document from before there was a name.
        let key = &document.submission.language;
        return format!("{key} ({})", document.language_version);
    }
    document.language_name.clone()
}
