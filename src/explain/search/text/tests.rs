//! What is listed for texts of many kinds.

use super::simpler;

/// The texts one step simpler than this one, as words.
fn texts(text: &str) -> Vec<String> {
    let texts = simpler(text.as_bytes()).into_iter();
    texts.map(|text| String::from_utf8(text).unwrap()).collect()
}

#[test]
fn what_is_counted_goes_with_its_count() {
    for (what, text, wanted) in [
        ("lines", "3\n7\n8\n9\n", "2\n7\n9\n"),
        ("words of the next line", "3\n7 8 9\n", "2\n7 9\n"),
        ("words after it", "3 7 8 9\n", "2 7 8\n"),
        ("two lines of words", "3 50\n7 8 9\n1 2 3\n", "1 50\n9\n3\n"),
        ("characters", "4\nabcd\n", "2\nab\n"),
        ("rows of a grid", "2 3\n#..\n.#.\n", "1 3\n.#.\n"),
        ("columns of a grid", "2 3\n#..\n.#.\n", "2 2\n#.\n.#\n"),
        ("both of a square", "2\n4 5\n6 7\n", "1\n7\n"),
        ("edges", "9 3\n1 2\n2 3\n3 4\n", "9 2\n1 2\n3 4\n"),
        (
            "lines of one kind of two",
            "2 3\n5 6\n1 a\n2 b\n3 c\n",
            "2 2\n5 6\n1 a\n3 c\n",
        ),
        (
            "cases of two lines",
            "3\n1\n5\n2\n5 6\n1\n7\n",
            "2\n1\n5\n1\n7\n",
        ),
        (
            "cases that say how long they are",
            "2\n2 1\n1 2\n1 2\n1 0\n9 9\n",
            "1\n1 0\n9 9\n",
        ),
        (
            "cases up to a line of zeros",
            "1 1\n#\n2 1\n.\n#\n1 1\n.\n0 0\n",
            "2 1\n.\n#\n1 1\n.\n0 0\n",
        ),
        ("nodes", "4 3\n1 2\n2 3\n3 4\n", "3 2\n1 2\n2 3\n"),
        (
            "a node, and later ones",
            "4 3\n1 2\n2 3\n3 4\n",
            "3 2\n1 2\n2 3\n",
        ),
        (
            "nodes from 0 of a tree",
            "4\n0 1\n1 2\n0 3\n",
            "3\n0 1\n1 2\n",
        ),
        (
            "nodes with lengths",
            "3 2\n1 3 40\n1 2 3\n",
            "2 1\n1 2 40\n",
        ),
        (
            "nothing says that it counts",
            "x 5\n1\n2 3\n4\n",
            "x 3\n1\n",
        ),
    ] {
        let texts = texts(text);
        assert!(texts.contains(&wanted.to_owned()), "{what}: {texts:#?}");
    }
}

#[test]
fn what_fits_comes_first() {
    let half = ["2\n12 13\n", "2\n10 11\n"];
    assert_eq!(texts("4\n10 11 12 13\n")[..2], half);
    assert_eq!(texts("a1\nb2\nc3\nd4\n")[..2], ["c3\nd4\n", "a1\nb2\n"]);
    let listed = texts("2 3\n#..\n.#.\n");
    let first = listed[..5].to_vec();
    for fitting in ["2 1\n.\n.\n", "2 2\n#.\n.#\n"] {
        assert!(first.contains(&fitting.to_owned()), "{listed:#?}");
    }
}

#[test]
fn numbers_and_words_get_smaller() {
    for (what, text, wanted) in [
        ("all in their order", "3\n70 800 9\n", "3\n2 3 1\n"),
        ("half of all", "3\n70 800 9\n", "3\n35 400 4\n"),
        ("equal ones", "3\n70 5 70\n", "3\n0 5 0\n"),
        ("one", "3\n70 5 70\n", "3\n35 5 70\n"),
        ("below zero", "1 -9 x\n", "1 -4 x\n"),
        ("a word", "abcd 2 x\n", "ab 2 x\n"),
        ("letters", "az 2 x\n", "aa 2 x\n"),
        ("a number that counts", "3\n7 8 9\n", "1\n7 8 9\n"),
    ] {
        let texts = texts(text);
        assert!(texts.contains(&wanted.to_owned()), "{what}: {texts:#?}");
    }
}

#[test]
fn each_text_is_listed_once_and_smaller() {
    for text in [
        "",
        "\n",
        "x",
        "2 x\n9\n",
        " 3 4 \n\n1 2\n",
        "-1 -5\n",
        "10\n9",
    ] {
        let listed = simpler(text.as_bytes());
        let mut sorted = listed.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), listed.len(), "{text:?}");
        let is_smaller =
            |other: &Vec<u8>| (other.len(), &other[..]) < (text.len(), text.as_bytes());
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
