//! What is listed for texts of many kinds.

use std::collections::HashSet;

use super::simpler;

/// The texts one step simpler than this one, as words.
fn texts(text: &str) -> Vec<String> {
    let texts = simpler(text.as_bytes()).into_iter();
    texts.map(|text| String::from_utf8(text).unwrap()).collect()
}

#[test]
fn what_is_counted_goes_with_its_count_and_numbers_and_words_get_smaller() {
    for (text, wanted) in [
        // Lines, words of the next line, words after it, two lines of words, characters.
        ("3\n7\n8\n9\n", "2\n7\n9\n"),
        ("3\n7 8 9\n", "2\n7 9\n"),
        ("3 7 8 9\n", "2 7 8\n"),
        ("3 50\n7 8 9\n1 2 3\n", "1 50\n9\n3\n"),
        ("4\nabcd\n", "2\nab\n"),
        // Rows and columns of a grid, both of a square.
        ("2 3\n#..\n.#.\n", "1 3\n.#.\n"),
        ("2 3\n#..\n.#.\n", "2 2\n#.\n.#\n"),
        ("2\n4 5\n6 7\n", "1\n7\n"),
        // Edges, lines of one kind of two.
        ("9 3\n1 2\n2 3\n3 4\n", "9 2\n1 2\n3 4\n"),
        ("2 3\n5 6\n1 a\n2 b\n3 c\n", "2 2\n5 6\n1 a\n3 c\n"),
        // Cases of two lines, that say how long they are, up to a line of zeros.
        ("3\n1\n5\n2\n5 6\n1\n7\n", "2\n1\n5\n1\n7\n"),
        ("2\n2 1\n1 2\n1 2\n1 0\n9 9\n", "1\n1 0\n9 9\n"),
        ("1 1\n#\n2 1\n.\n#\n0 0\n", "2 1\n.\n#\n0 0\n"),
        // Nodes, from 0 of a tree, with lengths.
        ("4 3\n1 2\n2 3\n3 4\n", "3 2\n1 2\n2 3\n"),
        ("4\n0 1\n1 2\n0 3\n", "3\n0 1\n1 2\n"),
        ("3 2\n1 3 40\n1 2 3\n", "2 1\n1 2 40\n"),
        // Nothing says that it counts.
        ("x 5\n1\n2 3\n4\n", "x 3\n1\n"),
        // Numbers: all in their order, half of all, equal ones, one, below zero, one that counts.
        ("3\n70 800 9\n", "3\n2 3 1\n"),
        ("3\n70 800 9\n", "3\n35 400 4\n"),
        ("3\n70 5 70\n", "3\n0 5 0\n"),
        ("3\n70 5 70\n", "3\n35 5 70\n"),
        ("1 -9 x\n", "1 -4 x\n"),
        ("3\n7 8 9\n", "1\n7 8 9\n"),
        // A word, letters.
        ("abcd 2 x\n", "ab 2 x\n"),
        ("az 2 x\n", "aa 2 x\n"),
    ] {
        let listed = texts(text);
        let is_listed = listed.contains(&wanted.to_owned());
        assert!(is_listed, "{wanted:?} of {text:?}: {listed:#?}");
    }
}

#[test]
fn what_fits_comes_first() {
    assert_eq!(texts("4\n10 11 12 13\n")[..2], ["2\n12 13\n", "2\n10 11\n"]);
    assert_eq!(texts("a1\nb2\nc3\nd4\n")[..2], ["c3\nd4\n", "a1\nb2\n"]);
    let listed = texts("2 3\n#..\n.#.\n");
    let first = listed[..5].to_vec();
    for fitting in ["2 1\n.\n.\n", "2 2\n#.\n.#\n"] {
        assert!(first.contains(&fitting.to_owned()), "{listed:#?}");
    }
}

#[test]
fn each_text_is_listed_once_and_smaller() {
    for text in "|\n|x|2 x\n9\n| 3 4 \n\n1 2\n|-1 -5\n|10\n9".split('|') {
        let listed = simpler(text.as_bytes());
        let different: HashSet<_> = listed.iter().collect();
        assert_eq!(different.len(), listed.len(), "{text:?}");
        let size = (text.len(), text.as_bytes());
        let is_smaller = |other: &Vec<u8>| (other.len(), &other[..]) < size;
        assert!(listed.iter().all(is_smaller), "{text:?}");
    }
    assert_eq!(texts(""), [""; 0]);
}

#[test]
fn a_long_text_has_few_simpler_ones_and_a_huge_one_none() {
    let numbers = (0..200_000).map(|number| format!("{number} "));
    let text = format!("200000\n{}\n", numbers.collect::<String>());
    let listed = simpler(text.as_bytes());
    assert!(listed[0].starts_with(b"100000\n100000 "));
    let bytes: usize = listed.iter().map(Vec::len).sum();
    assert!(bytes < 16 * text.len(), "{bytes}");
    // Nothing here seems to count anything.
    let words = "-7 x ".repeat(100_000);
    let bytes: usize = simpler(words.as_bytes()).iter().map(Vec::len).sum();
    assert!(bytes < 16 * words.len(), "{bytes}");
    assert!(simpler(&b"1 ".repeat(3 << 20)).is_empty());
}

#[test]
fn numbers_that_are_no_counts_do_no_harm() {
    for text in [
        "9223372036854775807\n1 2\n",
        "9223372036854775807 9223372036854775807\n1 2\n9223372036854775807 1\n",
        "-9223372036854775808 -9223372036854775808\n1 2\n",
        "99999999999999999999999 1\n",
    ] {
        simpler(text.as_bytes());
    }
}
