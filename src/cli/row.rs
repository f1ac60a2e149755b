//! One verdict as one row: for the terminal with colour and straight columns, for pipes the same
//! words.

use jiff::tz::TimeZone;

use super::out::Out;
use crate::daemon::Line;
use crate::domain::Verdict;
use crate::util::clock::on_clock;
use crate::util::columns::fitted;
use crate::view::{Span, Style, code};

/// Columns of a student's name on a terminal.
const STUDENT_COLUMNS: usize = 16;
/// Columns of a problem's name.
const PROBLEM_COLUMNS: usize = 10;
/// Columns of a language's key.
const LANGUAGE_COLUMNS: usize = 10;

/// Columns before the note.
const NOTE_BEGINS: usize = 56 + STUDENT_COLUMNS + PROBLEM_COLUMNS + LANGUAGE_COLUMNS;
/// Columns of the language, the CPU time and the memory: a terminal of 80 columns has no room for
/// them.
const LEFT_OUT: usize = LANGUAGE_COLUMNS + 23;
/// The least that is shown of a note beside everything else.
const NOTE_COLUMNS_MIN: usize = 20;
/// Less of a note says nothing.
const NOTE_COLUMNS_LEAST: usize = 6;

/// Whether the terminal is too narrow for all columns, and how many are left for the note.
fn room(columns: Option<usize>) -> (bool, Option<usize>) {
    let Some(columns) = columns else {
        return (false, None);
    };
    let is_narrow = columns < NOTE_BEGINS + NOTE_COLUMNS_MIN;
    let begins = NOTE_BEGINS - if is_narrow { LEFT_OUT } else { 0 };
    (is_narrow, Some(columns.saturating_sub(begins)))
}

/// The row's head.
pub fn head() -> Span {
    let student = fitted("STUDENT", STUDENT_COLUMNS);
    let problem = fitted("PROBLEM", PROBLEM_COLUMNS);
    let begin = format!("{:<8}  {:<3}  {student}  {problem}  TRY", "TIME", "");
    Style::Dim.on(if room(Out::columns()).0 {
        format!("{begin}  {:>7}  NOTE", "TESTS")
    } else {
        format!(
            "{begin}  {}  {:>7}  {:>8}  {:>9}  NOTE",
            fitted("LANGUAGE", LANGUAGE_COLUMNS),
            "TESTS",
            "CPU",
            "MEMORY"
        )
    })
}

/// The row; the note is cut where it would not fit the terminal.
pub fn row(line: &Line, zone: &TimeZone) -> Vec<Span> {
    let time = on_clock(line.published.judged_ms, zone, "%H:%M:%S");
    let (is_narrow, left) = room(Out::columns());
    let note = match left {
        Some(columns) if columns < NOTE_COLUMNS_LEAST => String::new(),
        Some(columns) => fitted(&note(line), columns),
        None => note(line),
    };
    let begin = format!(
        "  {}  {}  {:>3}",
        fitted(line.submission.student.as_str(), STUDENT_COLUMNS),
        fitted(line.submission.problem.as_str(), PROBLEM_COLUMNS),
        line.submission.attempt,
    );
    let tests = format!("{}/{}", line.passed, line.tests);
    let rest = if is_narrow {
        format!("{begin}  {tests:>7}  {note}")
    } else {
        format!(
            "{begin}  {}  {tests:>7}  {:>5} ms  {:>5.1} MiB  {note}",
            fitted(line.submission.language.as_str(), LANGUAGE_COLUMNS),
            line.cpu_ms,
            mebibytes(line.memory_kib),
        )
    };
    let verdict = code(line.published.verdict);
    vec![
        Style::Dim.on(time),
        "  ".into(),
        verdict,
        rest.trim_end().into(),
    ]
}

/// Why it is not accepted.
fn note(line: &Line) -> String {
    let failing = line
        .published
        .first_failing_test
        .as_deref()
        .map(|name| format!("{name}: "))
        .unwrap_or_default();
    let score = line.published.score.shown();
    let score = score.map(|score| format!("{score} points "));
    let failing = score.unwrap_or_default() + &failing;
    match (&line.published.cause, line.published.verdict) {
        (_, Verdict::Accepted) => failing.trim_end().to_owned(),
        (Some(cause), _) => format!("{failing}{}", cause.words()),
        (None, verdict) => format!("{failing}{}", verdict.words()),
    }
}

fn mebibytes(kib: u64) -> f64 {
    // A program's memory is far below the 2^52 KiB at which this would lose digits.
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let kib = kib as f64;
    kib / 1024.0
}
