//! Right answers that are written otherwise.

use super::outputs::{number, shown};
use crate::domain::Reason;

/// A way of writing words that makes no difference to what they mean.
struct Spelling {
    code: &'static str,
    summary: &'static str,
    /// What is left of a word without it.
    bare: fn(&[u8]) -> Vec<u8>,
}

/// The narrowest first.
const SPELLINGS: [Spelling; 5] = [
    Spelling {
        code: "capitals",
        summary: "Only capital and small letters differ.",
        bare: <[u8]>::to_ascii_lowercase,
    },
    Spelling {
        code: "plural",
        summary: "Only singular and plural differ.",
        bare: singular,
    },
    Spelling {
        code: "punctuation",
        summary: "Only punctuation marks differ.",
        bare: without_marks,
    },
    Spelling {
        code: "number-form",
        summary: "The numbers are right, but written in another form.",
        bare: value,
    },
    Spelling {
        code: "spelling",
        summary: "Only capital letters, plurals and punctuation marks differ.",
        bare: |word| without_marks(&singular(&word.to_ascii_lowercase())),
    },
];

/// Without an `s` at the end, before punctuation marks too.
fn singular(word: &[u8]) -> Vec<u8> {
    let mut word = word.to_vec();
    let last = word.iter().rposition(u8::is_ascii_alphanumeric);
    if let Some(last) = last.filter(|&last| last > 0 && word[last].eq_ignore_ascii_case(&b's')) {
        word.remove(last);
    }
    word
}

/// A sign and a decimal point are no punctuation marks.
fn without_marks(word: &[u8]) -> Vec<u8> {
    if decimal(word).is_some() {
        return word.to_vec();
    }
    let is_mark = |byte: &u8| b".,:;!?\"'()[]{}#".contains(byte);
    let left = word.iter().filter(|byte| !is_mark(byte));
    left.copied().collect()
}

/// A decimal number in one form: `3` for `3.0`, `03` and `+3`.
fn value(word: &[u8]) -> Vec<u8> {
    match decimal(word) {
        Some(value) => (value + 0.0).to_string().into_bytes(),
        None => word.to_vec(),
    }
}

fn decimal(word: &[u8]) -> Option<f64> {
    let is_decimal = word.iter().all(|byte| b"0123456789.+-".contains(byte));
    let text = std::str::from_utf8(word).ok().filter(|_| is_decimal);
    text?.parse().ok()
}

/// The words differ in how they are written, or one word stands for another, and all else is right.
pub(super) fn spelling(expected: &[&[u8]], printed: &[&[u8]]) -> Option<Reason> {
    if expected.len() != printed.len() {
        return None;
    }
    let both = expected.iter().zip(printed);
    let wrong: Vec<(&[u8], &[u8])> = both
        .filter(|(expected, printed)| expected != printed)
        .map(|(expected, printed)| (*expected, *printed))
        .collect();
    let &(first, got) = wrong.first()?;
    let is_only = |spelling: &&Spelling| {
        wrong.iter().all(|(expected, printed)| {
            let bare = (spelling.bare)(expected);
            !bare.is_empty() && bare == (spelling.bare)(printed)
        })
    };
    let evidence = format!(
        "{} was printed where {} was expected; {} of {} words differ, all in this way",
        shown(got),
        shown(first),
        wrong.len(),
        expected.len()
    );
    if let Some(Spelling { code, summary, .. }) = SPELLINGS.iter().find(is_only) {
        return Some(Reason::new(code, summary, evidence));
    }
    // No number, and no word that is an answer elsewhere.
    let is_word = |word: &[u8]| number(word).is_none() && !word.iter().any(u8::is_ascii_digit);
    let is_same = wrong.iter().all(|&pair| pair == (first, got));
    let is_other = is_word(first) && is_word(got) && !expected.contains(&got);
    (is_same && is_other).then(|| {
        let summary = format!("It prints {} in place of {}.", shown(got), shown(first));
        Reason::new("other-word", &summary, evidence)
    })
}

#[cfg(test)]
mod tests {
    use super::spelling;

    #[test]
    fn each_way_of_writing_has_its_name() {
        for (expected, printed, code) in [
            ("impossible 3", "Impossible 3", Some("capitals")),
            ("2 cards. 1 cards.", "2 cards. 1 card.", Some("plural")),
            ("1 segments.", "1 segments", Some("punctuation")),
            ("3 7", "3.0 7.0", Some("number-form")),
            ("1 segments.", "1 Segment", Some("spelling")),
            ("1 segments.", "1 moves.", Some("other-word")),
            ("-1", "1", None),
            ("YES NO", "NO NO", None),
            ("5 segments.", "6 segments.", None),
            ("a b", "b", None),
            ("#2: 5", "#1: 5", None),
        ] {
            let [wanted, got] = [expected, printed]
                .map(|text| -> Vec<&[u8]> { text.split(' ').map(str::as_bytes).collect() });
            let found = spelling(&wanted, &got).map(|reason| reason.code);
            assert_eq!(found.as_deref(), code, "{printed} for {expected}");
        }
    }
}
