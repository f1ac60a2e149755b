//! Why an output is wrong: each rule holds for all of the output, or it names nothing.

use std::collections::BTreeMap;

use super::cases::{Cases, WRONG_MIN};
use super::lines::{extra_lines, lines, words_around};
use super::outputs::{Outputs, number, shown, words};
use super::spelling::spelling;
use crate::domain::Reason;
use crate::util::words::amount;

/// What is wrong with what was printed on a test as a whole.
pub fn of_whole(outputs: &Outputs<'_>) -> Option<Reason> {
    let (expected, printed) = (words(outputs.expected), words(outputs.printed));
    if expected == printed {
        return Some(layout(outputs));
    }
    whole(&expected, &printed)
}

/// What is wrong with the answers to a test; `all` and `each` are that test and some others, one
/// after the other and each for itself.
pub fn of_answers(test: &Outputs<'_>, all: &Outputs<'_>, each: &[Outputs<'_>]) -> Vec<Reason> {
    let (expected, printed) = (words(test.expected), words(test.printed));
    let (all_expected, all_printed) = (words(all.expected), words(all.printed));
    let by_case = Cases::new(all);
    let mut found: Vec<Reason> = by_case.iter().flat_map(Cases::pattern).collect();
    found.extend(Cases::new(test).iter().flat_map(Cases::neighbours));
    let rules: [&dyn Fn() -> Option<Reason>; 6] = [
        &|| numbering(&expected, &printed),
        &|| spelling(&all_expected, &all_printed),
        &|| words_around(all),
        &|| extra_lines(each),
        // Outputs whose words happen to be a permutation may have a better reason.
        &|| order(&expected, &printed),
        &|| by_case.as_ref().and_then(Cases::parted),
    ];
    if found.is_empty() {
        found.extend(rules.iter().find_map(|rule| rule()));
    }
    found
}

/// Whether one output is the other, or a part of it.
fn whole(expected: &[&[u8]], printed: &[&[u8]]) -> Option<Reason> {
    let (wanted, got) = (expected.len(), printed.len());
    if printed.is_empty() {
        let evidence = format!("0 of {wanted} words were printed");
        return Some(Reason::new("no-output", "Nothing was printed.", evidence));
    }
    if expected.concat() == printed.concat() {
        let summary = if got < wanted {
            "The answers are right, but nothing stands between them."
        } else {
            "The answers are right, but white space stands within them."
        };
        let evidence = format!("{wanted} words are printed as {got}");
        return Some(Reason::new("separators", summary, evidence));
    }
    if expected.starts_with(printed) {
        let next = shown(expected[got]);
        let summary = "What was printed is right, but the end is missing.";
        let evidence = format!("the first {got} of {wanted} words are right; {next} would be next");
        return Some(Reason::new("missing-output", summary, evidence));
    }
    if printed.starts_with(expected) {
        let next = shown(printed[wanted]);
        let summary = "The whole answer was printed, and then more.";
        let evidence = format!("after all {wanted} words of the answer comes {next}");
        return Some(Reason::new("extra-output", summary, evidence));
    }
    None
}

/// The right words in another order: turned round, sorted, or with words that occur only once in
/// places of each other. With few different words that could be chance.
fn order(expected: &[&[u8]], printed: &[&[u8]]) -> Option<Reason> {
    let [times, got] = [expected, printed].map(|words| {
        let mut times = BTreeMap::new();
        for &word in words {
            *times.entry(word).or_insert(0_usize) += 1;
        }
        times
    });
    if times != got {
        return None;
    }
    let both = expected.iter().zip(printed);
    let moved: Vec<&[u8]> = both
        .filter(|(one, other)| one != other)
        .map(|(one, _)| *one)
        .collect();
    let are_single = moved.iter().all(|word| times.get(word) == Some(&1));
    let is_turned = printed.iter().eq(expected.iter().rev());
    let is_sorted = printed.is_sorted_by_key(|word| (number(word), *word));
    let differ = times.len() >= WRONG_MIN;
    (are_single || (differ && (is_turned || is_sorted))).then(|| {
        let (moved, all) = (moved.len(), expected.len());
        let evidence = format!("{moved} of {all} words are not in their place");
        let summary = "The right words were printed in the wrong order.";
        Reason::new("wrong-order", summary, evidence)
    })
}

/// Labels such as `#2:` have the wrong numbers; everything else is right.
fn numbering(expected: &[&[u8]], printed: &[&[u8]]) -> Option<Reason> {
    let without_digits = |word: &[u8]| -> Vec<u8> {
        let letters = word.iter().filter(|byte| !byte.is_ascii_digit());
        letters.copied().collect()
    };
    let is_label = |word: &[u8]| {
        (word.starts_with(b"#") || word.ends_with(b":")) && word.iter().any(u8::is_ascii_digit)
    };
    let mut wrong = expected
        .iter()
        .zip(printed)
        .filter(|(one, other)| one != other);
    let (first, got) = wrong.clone().next()?;
    let are_labels = wrong.all(|(one, other)| {
        is_label(one) && is_label(other) && without_digits(one) == without_digits(other)
    });
    (are_labels && expected.len() == printed.len()).then(|| {
        let (got, first) = (shown(got), shown(first));
        let evidence = format!("{got} was printed where {first} was expected");
        let summary = "The answers are right, but the cases are numbered wrongly.";
        Reason::new("case-numbers", summary, evidence)
    })
}

/// The words are right, and stand in other lines.
fn layout(outputs: &Outputs<'_>) -> Reason {
    let (wanted, got) = (lines(outputs.expected), lines(outputs.printed));
    // Empty lines between others.
    let [before, after] = [outputs.expected, outputs.printed].map(|text| {
        let lines = text.trim_ascii_end().split(|&byte| byte == b'\n');
        lines.filter(|line| line.trim_ascii().is_empty()).count()
    });
    if wanted == got && before != after {
        let what = if after < before {
            "missing"
        } else {
            "too many"
        };
        let summary = format!("All lines are right; only empty lines are {what}.");
        let count = amount(after, "empty line");
        let evidence = format!("{count} between the others, where there should be {before}");
        return Reason::new("layout", &summary, evidence);
    }
    if wanted != got {
        let summary = "Every word is right; only the ends of lines are not.";
        let count = amount(got.len(), "line");
        let evidence = format!("{count} with words, where there should be {}", wanted.len());
        return Reason::new("layout", summary, evidence);
    }
    let summary = "Every word is right; only line ends or spaces are not.";
    let count = amount(words(outputs.expected).len(), "word");
    Reason::new("layout", summary, format!("all {count} are the same"))
}

/// The number of cases, from the first, whose answers are all that was printed; `None` where it
/// ends within a case, or where all of it was printed.
pub fn answered(outputs: &Outputs<'_>) -> Option<usize> {
    let (expected, printed) = (words(outputs.expected), words(outputs.printed));
    if printed.is_empty() || printed.len() >= expected.len() || !expected.starts_with(&printed) {
        return None;
    }
    let mut lines = outputs.expected.split(|&byte| byte == b'\n');
    let (mut line, mut count) = (1, 0);
    for (case, of_case) in (1..).zip(outputs.cases) {
        let left = of_case.end.saturating_sub(line);
        count += lines
            .by_ref()
            .take(left)
            .map(|line| words(line).len())
            .sum::<usize>();
        line += left;
        if count >= printed.len() {
            return (count == printed.len()).then_some(case);
        }
    }
    None
}

/// Whether every case is answered, and all of them rightly but the last.
pub fn is_only_the_last_wrong(outputs: &Outputs<'_>) -> bool {
    let are_as_many = words(outputs.expected).len() == words(outputs.printed).len();
    let cases = Cases::new(outputs).filter(|_| are_as_many);
    cases.is_some_and(|cases| cases.is_only_the_last_wrong())
}

#[cfg(test)]
pub mod tests {
    use std::ops::Range;

    use super::{Outputs, answered, is_only_the_last_wrong, of_answers, of_whole};

    pub fn outputs<'o>(
        expected: &'o str,
        printed: &'o str,
        cases: &'o [Range<usize>],
    ) -> Outputs<'o> {
        Outputs {
            expected: expected.as_bytes(),
            printed: printed.as_bytes(),
            cases,
        }
    }

    /// The codes that an output earns; each line is a case.
    fn codes(expected: &str, printed: &str) -> Vec<String> {
        let lines = 1..=expected.lines().count();
        let cases: Vec<_> = lines.map(|line| line..line + 1).collect();
        let outputs = outputs(expected, printed, &cases);
        let found = match of_whole(&outputs) {
            Some(reason) => vec![reason],
            None => of_answers(&outputs, &outputs, &[outputs]),
        };
        found.into_iter().map(|reason| reason.code).collect()
    }

    #[test]
    fn each_output_earns_its_cause_and_no_other() {
        for (expected, printed, code) in [
            ("1\n2\n3\n", "1 2 3", "layout"),
            ("1\n2\n3\n", "\n", "no-output"),
            ("1\n2\n3\n", "1\n2\n", "missing-output"),
            ("1\n2\n3\n", "1\n2\n3\n4\n", "extra-output"),
            ("1\n7\n3\n", "1\n3\n7\n", "wrong-order"),
            ("1\n3\n1\n2\n2\n", "2\n2\n1\n3\n1\n", "wrong-order"),
            ("9\n10\n9\n2\n", "2\n9\n9\n10\n", "wrong-order"),
            ("C #1: 5\nC #2: 7\n", "C #0: 5\nC #1: 7\n", "case-numbers"),
            ("P 1: 5\nP 2: 7\n", "P 0: 5\nP 1: 7\n", "case-numbers"),
            ("1\n7\n3\n", "173", "separators"),
            ("1\n7\n3\n", "2\n8\n4\n", "off-by-one"),
            ("0\n0\n0\n1\n2\n1\n", "5\n5\n5\n1\n2\n1\n", "one-answer"),
            ("7\n8\n9\n1\n2\n1\n", "6\n6\n7\n1\n2\n1\n", "large-answers"),
            ("7\n2\n3\n5\n2\n1\n", "-1\n-1\n-1\n5\n2\n1\n", "gives-up"),
            ("7\n2\n3\n5\n2\n1\n", "8\n3\n5\n6\n4\n1\n", "too-large"),
            ("No\nYes\n", "NO\nYES\n", "capitals"),
            ("1\n7\n3\n", "a = 1\na = 7\na = 3\n", "extra-words"),
            ("1\n7\n3\n", "n 2\n1\nn 4\n7\nn 1\n3\n", "extra-lines"),
            ("1: 4 m.\n2: 1 m.\n", "1: 3 m.\n2: 0 m.\n", "off-by-one"),
            ("1\n7\n3\n9\n", "-1\n-1\n-1\n-1\n", "constant"),
            ("1\n7\n3\n9\n", "1\n1\n7\n3\n", "previous-answer"),
            ("1\n7\n3\n9\n", "1 1 7 3", "previous-answer"),
            ("1\n7\n3\n9\n5\n", "1\n3\n9\n5\n5\n", "shifted"),
        ] {
            assert_eq!(codes(expected, printed), [code], "{printed:?}");
        }
    }

    #[test]
    fn an_output_that_ends_with_a_case_says_with_which() {
        let expected = "A\n1: 5\n2: 7\n\nB\n1: 9\n";
        let cases = [1..3, 3..5, 5..7];
        for (printed, answered_cases) in [
            ("", None),
            ("A\n1: 5", Some(1)),
            ("A\n1: 5\n2:", None),
            ("A\n1: 5\n2: 7\n", Some(2)),
            ("A\n1: 5\n2: 8\n", None),
            ("A\n1: 5\n2: 7\n\nB\n1: 9\n", None),
        ] {
            let found = answered(&outputs(expected, printed, &cases));
            assert_eq!(found, answered_cases, "{printed:?}");
        }
    }

    #[test]
    fn the_last_case_alone_is_wrong_where_all_are_answered() {
        let cases = [1..2, 2..3, 3..4];
        for (printed, wanted) in [
            ("1: 5\n2: 7\n3: 8\n", true),
            ("1: 5 2: 7 3: 8", true),
            ("1: 5\n2: 6\n3: 8\n", false),
            ("1: 5\n2: 7\n3: 9\n", false),
            ("1: 5\n1: 7\n1: 9\n", false),
            ("1: 5\n", false),
            ("1: 5\n2: 7\n3: 9\ndone\n", false),
            ("1: 5\n2: 7\n3: 8\n4: 1\n", false),
            ("", false),
        ] {
            let outputs = outputs("1: 5\n2: 7\n3: 9\n", printed, &cases);
            assert_eq!(is_only_the_last_wrong(&outputs), wanted, "{printed:?}");
        }
    }

    #[test]
    fn what_no_rule_explains_has_no_cause() {
        for (expected, printed) in [
            ("1\n7\n3\n", "1\n9\n3\n"),
            ("1\n7\n3\n", "2\n8\n3\n"),
            ("1\n7\n3\n", "2\n6\n4\n"),
            ("1\n1\n1\n", "2\n2\n5\n"),
            ("5\n", "6\n"),
            ("1\n7\n", "1\n1\n"),
            ("9223372036854775807\n1\n", "-9223372036854775808\n2\n"),
            ("0\n0\n", "-9223372036854775808\n-9223372036854775808\n"),
            // Patterns that one or two wrong cases make by chance.
            ("1\n7\n7\n7\n", "7\n7\n7\n7\n"),
            ("5\n2\n3\n3\n3\n", "5\n3\n3\n3\n3\n"),
            ("3\n4\n4\n4\n", "3\n3\n4\n4\n"),
            ("1\n1\n1\n5\n", "1\n1\n1\n1\n"),
            ("Y\nN\nY\nN\n", "N\nY\nN\nY\n"),
            ("Y\nN\nY\nN\n", "N\nY\nY\nN\n"),
        ] {
            assert_eq!(codes(expected, printed), [""; 0], "{printed:?}");
        }
    }
}
