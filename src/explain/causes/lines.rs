//! Right answers with more around them, or with less.

use super::outputs::{Outputs, shown, words};
use crate::domain::Reason;
use crate::util::words::amount;

/// Answers from which on it is no chance that they are the last, or the first, of several lines.
const ANSWERS_MIN: usize = 3;

/// The lines with words, without the white space around them.
pub(super) fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = text.split(|&byte| byte == b'\n');
    let lines = lines.map(|line| words(line).join(&b' '));
    lines.filter(|line| !line.is_empty()).collect()
}

/// A text in which every number is the same.
fn shape(text: &[u8]) -> Vec<u8> {
    let mut shape = Vec::new();
    for &byte in text {
        let letter = if byte.is_ascii_digit() { b'0' } else { byte };
        if letter != b'0' || shape.last() != Some(&b'0') {
            shape.push(letter);
        }
    }
    shape
}

/// What stands before and after a text in a line, in each place where it may stand.
fn around<'l>(text: &'l [u8], line: &'l [u8]) -> impl Iterator<Item = (&'l [u8], &'l [u8])> {
    let starts = 0..=line.len().saturating_sub(text.len());
    let parts = starts.filter_map(move |at| {
        let rest = line.get(at..)?.strip_prefix(text)?;
        Some((&line[..at], rest))
    });
    parts.filter(|(before, after)| {
        let ends = before
            .last()
            .is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let goes_on = after.first().is_some_and(u8::is_ascii_alphanumeric);
        !ends && !goes_on
    })
}

/// Whether each of some lines has the other one in it, with the same around it; or is the same.
fn stands_in(inner: &[Vec<u8>], outer: &[Vec<u8>]) -> bool {
    let mut both = inner.iter().zip(outer).filter(|(one, two)| one != two);
    let Some((text, line)) = both.clone().next() else {
        return false;
    };
    let has_digits = |text: &[u8]| text.iter().any(u8::is_ascii_digit);
    around(text, line).any(|(before, after)| {
        let is_clear = inner.len() >= ANSWERS_MIN || !has_digits(before) && !has_digits(after);
        let (before, after) = (shape(before), shape(after));
        is_clear
            && both.all(|(text, line)| {
                around(text, line).any(|(one, two)| shape(one) == before && shape(two) == after)
            })
    })
}

/// The answers stand among words that were not asked for, or without those that were.
pub(super) fn words_around(outputs: &Outputs<'_>) -> Option<Reason> {
    let (expected, printed) = (lines(outputs.expected), lines(outputs.printed));
    if expected.len() != printed.len() {
        return None;
    }
    let (code, summary) = if stands_in(&expected, &printed) {
        (
            "extra-words",
            "The answers are right, but stand among words that are not asked for.",
        )
    } else if stands_in(&printed, &expected) {
        (
            "missing-words",
            "The answers are right, but words around them are missing.",
        )
    } else {
        return None;
    };
    let mut both = expected.iter().zip(&printed);
    let (wanted, got) = both.find(|(one, two)| one != two)?;
    let count = amount(expected.len(), "line");
    let evidence = format!(
        "{} was printed where {} was expected; without such words {count} of the output are right",
        shown(got),
        shown(wanted)
    );
    Some(Reason::new(code, summary, evidence))
}

/// Which lines of an output are the answers.
type Pick = fn(&[Vec<u8>], &[Vec<u8>]) -> Vec<Vec<u8>>;

/// The lines that look like answers; the last ones; the last, or the first, of every so many.
const PICKS: [(Pick, usize); 4] = [
    (
        |expected, printed| {
            let shapes: Vec<Vec<u8>> = expected.iter().map(|line| shape(line)).collect();
            let is_answer = |line: &&Vec<u8>| shapes.contains(&shape(line));
            printed.iter().filter(is_answer).cloned().collect()
        },
        1,
    ),
    (
        |expected, printed| printed[printed.len() - expected.len()..].to_vec(),
        ANSWERS_MIN,
    ),
    (
        |expected, printed| {
            let every = printed.len() / expected.len();
            printed
                .iter()
                .skip(every - 1)
                .step_by(every)
                .cloned()
                .collect()
        },
        ANSWERS_MIN,
    ),
    (
        |expected, printed| {
            let every = printed.len() / expected.len();
            printed.iter().step_by(every).cloned().collect()
        },
        ANSWERS_MIN,
    ),
];

/// The expected lines and the printed ones.
type Both = (Vec<Vec<u8>>, Vec<Vec<u8>>);

/// Lines were printed before or among the answers, and without them all is right on every test.
pub(super) fn extra_lines(each: &[Outputs<'_>]) -> Option<Reason> {
    let of = |outputs: &Outputs<'_>| (lines(outputs.expected), lines(outputs.printed));
    let each = each
        .iter()
        .map(of)
        .filter(|(expected, _)| !expected.is_empty());
    let each: Vec<Both> = each.collect();
    let has_more = |(expected, printed): &Both| printed.len() >= expected.len();
    let answers: usize = each.iter().map(|(expected, _)| expected.len()).sum();
    let all: usize = each.iter().map(|(_, printed)| printed.len()).sum();
    if !each.iter().all(has_more) || all <= answers {
        return None;
    }
    let is_right = |(pick, answers_min): &&(Pick, usize)| {
        let is_picked = |(expected, printed): &Both| pick(expected, printed) == *expected;
        answers >= *answers_min && each.iter().all(is_picked)
    };
    PICKS.iter().find(is_right)?;
    let (expected, printed) = each
        .iter()
        .find(|(expected, printed)| expected != printed)?;
    let mut lines = printed.iter().enumerate();
    let (_, other) = lines.find(|(at, line)| expected.get(*at) != Some(line))?;
    let summary = "More lines are printed than the answers; without them all is right.";
    let evidence = format!(
        "without {}, such as {}, the other {} are right",
        amount(all - answers, "line"),
        shown(other),
        answers
    );
    Some(Reason::new("extra-lines", summary, evidence))
}

#[cfg(test)]
mod tests {
    use super::{extra_lines, words_around};
    use crate::explain::causes::output::tests::outputs;

    #[test]
    fn right_answers_are_found_among_other_words() {
        let (extra, missing) = (Some("extra-words"), Some("missing-words"));
        for (expected, printed, code) in [
            ("5\n", "Answer: 5\n", extra),
            ("5\n7\n-1\n", "1: 5\n2: 7\n3: -1\n", extra),
            ("5\n7\n", "5 moves.\n7 moves.\n", extra),
            ("1: 4 m\n2: 5 m\n3: 5 m\n", "4\n5\n5\n", missing),
            // Not the number, and another one beside it.
            ("5\n", "15\n", None),
            ("1\n", "-1\n", None),
            ("5\n", "5 3\n", None),
            ("5\n7\n", "a 5\nb 7\n", None),
            ("5\n", "6\n", None),
        ] {
            let found = words_around(&outputs(expected, printed, &[]));
            let found = found.map(|reason| reason.code);
            assert_eq!(found.as_deref(), code, "{printed:?} for {expected:?}");
        }
    }

    #[test]
    fn right_answers_are_found_among_other_lines() {
        for (expected, printed, is_found) in [
            ("5\n7\n", "w=3\n5\nw=4 h=1\n7\n", true),
            ("5\n7\n1\n", "3\n4\n9\n5\n7\n1\n", true),
            ("5\n7\n1\n", "3\n5\n9\n7\n8\n1\n", true),
            ("5\n7\n1\n", "5\n3\n7\n9\n1\n1\n", true),
            // One or two lines of several are right by chance.
            ("5\n7\n", "3\n9\n5\n7\n", false),
            ("5\n7\n1\n", "5\n3\n7\n1\n", false),
            ("5\n7\n", "w=3\n5\nw=4\n8\n", false),
            ("5\n7\n", "5\n", false),
            ("5\n7\n", "5\n8\n", false),
        ] {
            let found = extra_lines(&[outputs(expected, printed, &[])]);
            assert_eq!(found.is_some(), is_found, "{printed:?} for {expected:?}");
        }
        // The last line of each of several tests.
        let each = [("5\n", "1\n5\n"), ("7\n", "2\n2\n7\n"), ("1\n", "4\n1\n")];
        let each = each.map(|(expected, printed)| outputs(expected, printed, &[]));
        assert!(extra_lines(&each[..2]).is_none());
        assert!(extra_lines(&each).is_some());
    }
}
