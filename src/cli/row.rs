//! One verdict as one row: for the terminal with colour and straight columns, for pipes the same words.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::out::{Out, Style};
use crate::daemon::Line;
use crate::domain::Verdict;
use crate::util::clock::utc_text;

/// Columns of a student's name on a terminal.
const STUDENT_COLUMNS: usize = 16;
/// Columns of a problem's name.
const PROBLEM_COLUMNS: usize = 10;
/// Columns of a language's key.
const LANGUAGE_COLUMNS: usize = 10;

/// Text in exactly this many columns, cut with an ellipsis or padded.
pub fn fitted(text: &str, columns: usize) -> String {
    let width = text.width();
    if width <= columns {
        return format!("{text}{}", " ".repeat(columns - width));
    }
    let mut kept = String::new();
    let mut used = 0;
    for character in text.chars() {
        let more = character.width().unwrap_or(0);
        if used + more + 1 > columns {
            break;
        }
        used += more;
        kept.push(character);
    }
    format!("{kept}…{}", " ".repeat(columns - used - 1))
}

/// The row's head.
pub fn head(out: &Out) -> String {
    out.styled(
        Style::Dim,
        &format!(
            "{:<8}  {:<3}  {}  {}  {:>3}  {}  {:>7}  {:>8}  {:>9}  NOTE",
            "TIME",
            "",
            fitted("STUDENT", STUDENT_COLUMNS),
            fitted("PROBLEM", PROBLEM_COLUMNS),
            "TRY",
            fitted("LANGUAGE", LANGUAGE_COLUMNS),
            "TESTS",
            "CPU",
            "MEMORY"
        ),
    )
}

/// Columns before the note.
const NOTE_BEGINS: usize = 56 + STUDENT_COLUMNS + PROBLEM_COLUMNS + LANGUAGE_COLUMNS;
/// The least that is shown of a note, however narrow the terminal is.
const NOTE_COLUMNS_MIN: usize = 20;

/// The row; the note is cut where it would not fit the terminal.
pub fn row(line: &Line, out: &Out) -> String {
    let time = utc_text(line.judged_ms);
    let time = time.get(11..19).unwrap_or(&time).to_owned();
    let verdict = format!("{:<3}", line.verdict.code());
    let failing = line
        .first_failing
        .as_deref()
        .map(|name| format!("{name}: "))
        .unwrap_or_default();
    let note = match (&line.cause, line.verdict) {
        (_, Verdict::Accepted) => String::new(),
        (Some(cause), _) => format!("{failing}{}", cause.words()),
        (None, verdict) => format!("{failing}{}", verdict.words()),
    };
    let note = match out.columns() {
        Some(columns) => fitted(
            &note,
            columns.saturating_sub(NOTE_BEGINS).max(NOTE_COLUMNS_MIN),
        ),
        None => note,
    };
    format!(
        "{}  {}  {}  {}  {:>3}  {}  {:>7}  {:>5} ms  {:>5.1} MiB  {}",
        out.styled(Style::Dim, &time),
        out.styled(Style::of(line.verdict), &verdict),
        fitted(line.student.as_str(), STUDENT_COLUMNS),
        fitted(line.problem.as_str(), PROBLEM_COLUMNS),
        line.attempt,
        fitted(line.language.as_str(), LANGUAGE_COLUMNS),
        format!("{}/{}", line.passed, line.tests),
        line.cpu_ms,
        mebibytes(line.memory_kib),
        note,
    )
    .trim_end()
    .to_owned()
}

fn mebibytes(kib: u64) -> f64 {
    // A program's memory is far below the 2^52 KiB at which this would lose digits.
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let kib = kib as f64;
    kib / 1024.0
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn columns_stay_straight_in_any_script() {
        for (text, shown) in [
            ("abcd", "abcd  "),
            ("abcd-e", "abcd-e"),
            ("abcd-efgh", "abcd-…"),
            ("学生", "学生  "),
            ("学生学生", "学生… "),
        ] {
            assert_eq!(fitted(text, 6), shown);
        }
    }
}
