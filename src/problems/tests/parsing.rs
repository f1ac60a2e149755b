//! What every parser promises: the inputs that each problem lists are refused where they go wrong or
//! read as what they are, and so is whatever people and editors make of an input.

use proptest::prelude::*;

use crate::problems::curling::Curling;
use crate::problems::regions::Regions;
use crate::problems::thegame::TheGame;
use crate::problems::{Parsed, Problem};
use crate::util::tests::trials::trials;

/// The bytes that a text stands for, with escapes as in Rust.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if character != '\\' {
            bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        let (kind, after) = rest.split_at(1);
        rest = after;
        match kind {
            "n" => bytes.push(b'\n'),
            "r" => bytes.push(b'\r'),
            "t" => bytes.push(b'\t'),
            "0" => bytes.push(0),
            "\\" => bytes.push(b'\\'),
            "x" => {
                bytes.push(u8::from_str_radix(&rest[..2], 16).unwrap());
                rest = &rest[2..];
            }
            "u" => {
                let (number, after) = rest[1..].split_once('}').unwrap();
                let character = u32::from_str_radix(number, 16).unwrap();
                let character = char::from_u32(character).unwrap();
                bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = after;
            }
            other => panic!("\\{other} in {text}"),
        }
    }
    bytes
}

/// What a parser says of its own list.
fn says_what_is_listed<P: Problem>(problem: &P, list: &str) {
    let mut normal = Vec::new();
    for line in list.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(text) = line.strip_prefix("= ") {
            normal = unescaped(text);
            continue;
        }
        let (what, input) = line.split_once(" <-").unwrap();
        let input = input.strip_prefix(' ').unwrap_or(input);
        let parsed = problem.parse(&unescaped(input));
        if !what.starts_with(|first: char| first.is_ascii_digit()) {
            let parsed = parsed.unwrap_or_else(|error| panic!("{input}: {error}"));
            assert_eq!(problem.render(&parsed.input), normal, "{input}");
            let notes = parsed.notes.iter().map(|note| format!("{note:?}"));
            let expected = if what == "nothing" { "" } else { what };
            assert_eq!(notes.collect::<Vec<_>>().join(" "), expected, "{input}");
            continue;
        }
        let (place, reason) = what.split_once(' ').unwrap();
        let error = parsed.err().unwrap_or_else(|| panic!("{input} is read"));
        let found = format!("{}:{}", error.line, error.column);
        assert_eq!(found, place, "{input}: {error}");
        assert!(error.reason.contains(reason), "{input}: {error}");
    }
}

#[test]
fn listed_inputs_are_refused_where_they_go_wrong_or_normalised_and_noted() {
    says_what_is_listed(&Curling, include_str!("../curling/tests/inputs.txt"));
    says_what_is_listed(&TheGame, include_str!("../thegame/tests/inputs.txt"));
    says_what_is_listed(&Regions, include_str!("../regions/tests/inputs.txt"));
}

/// A change of the kind that people and editors make: what, where, and a byte for it.
pub type Change = (u8, usize, usize, u8);

pub fn apply(input: &mut Vec<u8>, (kind, at, other, byte): Change) {
    if input.is_empty() {
        return;
    }
    let size = input.len();
    match kind {
        0 => drop(input.remove(at % size)),
        1 => input.insert(at % (size + 1), byte),
        2 => input[at % size] = byte,
        3 => input.truncate(at % size),
        _ => {
            let lines = input.split_inclusive(|&byte| byte == b'\n');
            let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
            let (at, other) = (at % lines.len(), other % lines.len());
            match kind {
                4 => drop(lines.remove(at)),
                5 => lines.insert(at, lines[at].clone()),
                _ => lines.swap(at, other),
            }
            *input = lines.concat();
        }
    }
}

/// A change; most bytes that it brings are ones that stand in inputs.
pub fn change(alphabet: &[u8]) -> impl Strategy<Value = Change> + use<> {
    let byte = prop_oneof![
        3 => prop::sample::select(alphabet.to_vec()),
        1 => any::<u8>(),
    ];
    (0_u8..7, any::<usize>(), any::<usize>(), byte)
}

/// Whatever these bytes are, they are refused at a place in them, or read as an instance whose normal
/// form is read as the same one; only what is in its normal form needs no note.
fn refused_or_round_trips<P: Problem>(problem: &P, bytes: &[u8]) -> Result<(), TestCaseError> {
    match problem.parse(bytes) {
        Ok(Parsed { input, notes }) => {
            let normal = problem.render(&input);
            prop_assert_eq!(notes.is_empty(), normal == bytes);
            let notes = Vec::new();
            prop_assert_eq!(problem.parse(&normal), Ok(Parsed { input, notes }));
        }
        Err(error) => {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            let is_placed = (1..=lines + 1).contains(&error.line) && error.column >= 1;
            prop_assert!(is_placed && !error.reason.is_empty(), "{}", error);
        }
    }
    Ok(())
}

/// Changes of generated inputs, any bytes, and texts of what stands in inputs.
fn refuses_or_reads<P: Problem>(problem: &P, families: &[&'static str], words: &[&'static str]) {
    let alphabet = [&words.concat().into_bytes()[..], b" 0123459\n\r\t-+x."].concat();
    let families = prop::sample::select(families.to_vec());
    let changes = prop::collection::vec(change(&alphabet), 1..4);
    proptest!(trials(1_500), |(family in families, seed in 0_u64..200, changes in changes)| {
        let mut input = problem.render(&problem.generate(family, seed).unwrap());
        for change in changes {
            apply(&mut input, change);
        }
        refused_or_round_trips(problem, &input)?;
    });
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    proptest!(trials(1_500), |(bytes in bytes)| {
        refused_or_round_trips(problem, &bytes)?;
    });
    let words = prop::collection::vec(prop::sample::select(words.to_vec()), 0..40);
    proptest!(trials(1_500), |(words in words)| {
        refused_or_round_trips(problem, words.concat().as_bytes())?;
    });
}

#[test]
fn any_change_of_an_input_is_refused_or_read_as_what_it_says() {
    let words = ["0", "1", "2", "3", " ", "\n", "2 1\n", "2 3\n", "0 0\n"];
    refuses_or_reads(&Curling, &["small", "two-wide", "one-high"], &words);
    let words = "X| |1 1\n|2 1\n|X\n|XX\n|1 1 2 1\n|0 0 0 0\n|0 0\n";
    let words: Vec<&str> = words.split('|').collect();
    refuses_or_reads(&TheGame, &["small", "spaces", "narrow", "edge"], &words);
    let families: Vec<&str> = Regions::FAMILIES.iter().map(|one| one.name).collect();
    let words: Vec<&str> = "1|2|3|4|5|6|7| |\n|1 2\n|12\n".split('|').collect();
    refuses_or_reads(&Regions, &families, &words);
}
