//! Simpler texts, for inputs of which nothing is known: without some lines, without some words,
//! with smaller numbers. A validator says which of them are inputs.

use std::ops::Range;

use crate::problems::spans;

/// The most simpler texts of one text.
const CANDIDATES_MAX: usize = 512;

/// Texts one step simpler, the boldest first.
pub fn simpler(text: &[u8]) -> Vec<Vec<u8>> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    let words = words(text);
    let fewer_lines = spans(lines.len()).map(|gone| without(&lines, gone).concat());
    let fewer_words = spans(words.len()).map(|gone| without(&words, gone).concat());
    let numbers = words.iter().enumerate().flat_map(|(at, word)| {
        smaller(word).into_iter().map({
            let words = &words;
            move |number| {
                [
                    &words[..at].concat(),
                    &number[..],
                    &words[at + 1..].concat(),
                ]
                .concat()
            }
        })
    });
    fewer_lines
        .chain(fewer_words)
        .chain(spans(words.len()).filter_map(|gone| counted_down(&words, gone)))
        .chain(numbers)
        .take(CANDIDATES_MAX)
        .collect()
}

fn without<'t>(parts: &[&'t [u8]], gone: Range<usize>) -> Vec<&'t [u8]> {
    [&parts[..gone.start], &parts[gone.end..]].concat()
}

/// The text without some words, with the number before them that counts them lowered: `3` before
/// three words. Where they end a line, the word before them ends it.
fn counted_down(words: &[&[u8]], gone: Range<usize>) -> Option<Vec<u8>> {
    let counts = |at: &usize| {
        number(words[*at]).is_some_and(|count| gone.end - at <= count.saturating_add(1))
    };
    let at = (0..gone.start).rev().find(counts)?;
    let lowered = number(words[at])?.checked_sub(gone.len())?.to_string();
    let mut text = Vec::new();
    for (index, word) in words[..gone.start].iter().enumerate() {
        let bare = word.trim_ascii_end();
        text.extend_from_slice(if index == at {
            lowered.as_bytes()
        } else {
            bare
        });
        let own = &word[bare.len()..];
        let last = words[gone.end - 1];
        let ends = &last[last.trim_ascii_end().len()..];
        let is_last = index + 1 == gone.start;
        let ends_line = is_last && ends.contains(&b'\n') && !own.contains(&b'\n');
        text.extend_from_slice(if ends_line { ends } else { own });
    }
    text.extend(words[gone.end..].concat());
    Some(text)
}

/// What a word counts, if it is a number.
fn number(word: &[u8]) -> Option<usize> {
    std::str::from_utf8(word.trim_ascii_end())
        .ok()?
        .parse()
        .ok()
}

/// Words, each with the white space after it.
fn words(text: &[u8]) -> Vec<&[u8]> {
    let ends = text.windows(2).enumerate().filter_map(|(at, pair)| {
        (pair[0].is_ascii_whitespace() && !pair[1].is_ascii_whitespace()).then_some(at + 1)
    });
    let mut words = Vec::new();
    let mut start = 0;
    for end in ends.chain([text.len()]) {
        if start < end {
            words.push(&text[start..end]);
        }
        start = end;
    }
    words
}

/// Numbers nearer to zero in place of a number.
fn smaller(word: &[u8]) -> Vec<Vec<u8>> {
    let digits = word.trim_ascii_end();
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse::<i64>().ok());
    let Some(number) = number else {
        return Vec::new();
    };
    let mut nearer = vec![0, number.signum(), number / 2, number - number.signum()];
    nearer.dedup();
    nearer.retain(|&other| other != number);
    let white = &word[digits.len()..];
    nearer
        .into_iter()
        .map(|number| [number.to_string().as_bytes(), white].concat())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::simpler;

    #[test]
    fn lines_go_first_then_words_then_numbers_get_smaller() {
        let texts: Vec<String> = simpler(b"2 x\n9\n")
            .into_iter()
            .map(|text| String::from_utf8(text).unwrap())
            .collect();
        assert_eq!(
            texts,
            [
                "9\n", "2 x\n", // lines
                "9\n", "2 x\n", "x\n9\n", "2 9\n", "2 x\n", // words
                "1 x\n", "1\n9\n", "1 x\n", // counted words
                "0 x\n9\n", "1 x\n9\n", "2 x\n0\n", "2 x\n1\n", "2 x\n4\n", "2 x\n8\n",
            ]
        );
        assert!(simpler(b"").is_empty());
    }
}
