//! What is cut out of a test, and what of the output stands beside it.

mod found;

pub use found::own;

use std::sync::Arc;
use std::time::Duration;

use super::case;
use crate::compare::{Mode, WrongLayout};
use crate::domain::{
    Cause, Difference, Digest, Judgement, Limits, ProblemSlug, Score, Stop, TestKind, TestRef,
    TestResult, Verdict,
};
use crate::package::{Io, Package, Reference, Test};
use crate::problems;
use crate::report::{Excerpt, ShownCase};
use crate::util::samples::run_of;

const CURLING: &str = "2 1\n3 2\n2 1\n2 3\n3 1\n2 0 3\n0 0\n";
const THE_GAME: &str = "2 1\nXX\n1 1 2 1\n2 1 1 1\n0 0 0 0\n3 1\nX X\n1 1 3 1\n0 0 0 0\n0 0\n";

fn package(reference: Reference, mode: Mode, input: &str, expected: &str) -> Package {
    let test = Test {
        name: TestRef {
            name: "secret/1".to_owned(),
            kind: TestKind::Secret,
            group: None,
            input: Digest([1; 32]),
            expected: Digest([2; 32]),
        },
        file: "1.in".into(),
        input: Arc::from(input.as_bytes()),
        expected: Arc::from(expected.as_bytes()),
        notes: Vec::new(),
    };
    Package {
        slug: ProblemSlug::new("some").unwrap(),
        folder: "some".into(),
        title: "Some".to_owned(),
        sources: Vec::new(),
        reference,
        validator: None,
        checker: None,
        io: Io::Stdio,
        limits: Limits {
            cpu: Duration::from_secs(2),
            wall: Duration::from_secs(5),
            memory_bytes: 1 << 28,
            output_bytes: 1 << 24,
            processes: 64,
            open_files: 64,
        },
        time_factors: std::collections::BTreeMap::new(),
        mode,
        wrong_layout: WrongLayout::Presentation,
        disclosures: crate::domain::Disclosures::default(),
        groups: crate::domain::Groups::default(),
        tests: vec![test],
        hacks: Vec::new(),
        statement: None,
        remarks: Vec::new(),
    }
}

pub fn built_in(slug: &str, mode: Mode, input: &str) -> Package {
    let task = problems::find(slug).unwrap();
    let answer = String::from_utf8(task.answer(input.as_bytes()).unwrap()).unwrap();
    package(Reference::BuiltIn(task), mode, input, &answer)
}

pub fn judgement(
    package: &Package,
    verdict: Verdict,
    cause: Option<Cause>,
    bytes: u64,
) -> Judgement {
    let mut result = TestResult {
        verdict,
        cause: cause.clone(),
        ..TestResult::skipped(&package.tests[0].name)
    };
    run_of(&mut result).output.len_bytes = bytes;
    Judgement {
        verdict,
        cause,
        score: Score::of_verdict(verdict),
        groups: Vec::new(),
        compiler_words: Vec::new(),
        first_failing: Some(0),
        tests: vec![result],
    }
}

fn explained(package: &Package, verdict: Verdict, printed: &[u8]) -> ShownCase {
    let judgement = judgement(package, verdict, None, printed.len() as u64);
    case(package, &judgement, Some(printed)).unwrap()
}

/// The text with its mark in brackets, and where it begins.
fn marked(part: &Excerpt) -> String {
    let text: Vec<char> = part.text.chars().collect();
    let shown = |range: std::ops::Range<usize>| text[range].iter().collect::<String>();
    let at = |place: u64| usize::try_from(place).unwrap();
    let body = match part.mark {
        None => part.text.clone(),
        Some(mark) => format!(
            "{}[{}]{}",
            shown(0..at(mark.start)),
            shown(at(mark.start)..at(mark.end)),
            shown(at(mark.end)..text.len())
        ),
    };
    format!("{}: {body}", part.first_line)
}

fn got(part: &ShownCase) -> String {
    marked(part.got.as_ref().unwrap())
}

#[test]
fn the_wrong_dataset_is_cut_out_however_the_output_is_laid_out() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    for (printed, line) in [("1\n1\n-1\n", 3), ("1 1 -1", 1), ("\n\n1\n1\n\n-1\n9\n", 6)] {
        let part = explained(&curling, Verdict::WrongAnswer, printed.as_bytes());
        assert_eq!(part.title.as_deref(), Some("dataset 3 of 3"), "{part:?}");
        assert_eq!(part.input.text, "3 1\n2 0 3\n0 0\n");
        assert_eq!(part.task.as_deref(), Some("curling"));
        assert_eq!(marked(&part.expected), "3: [1]\n", "{printed:?}");
        assert!(got(&part).starts_with(&format!("{line}: [-1]")), "{part:?}");
        assert_eq!(part.answer, None, "the expected line says it");
        assert!(part.words.contains(&format!("line {line} ")), "{part:?}");
    }
}

#[test]
fn an_output_that_ends_or_goes_on_is_told_so() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    let short = explained(&curling, Verdict::WrongAnswer, b"1\n1\n");
    assert_eq!(marked(&short.expected), "3: [1]\n");
    assert_eq!(got(&short), "3: []");
    assert!(short.words.contains("ends in line 2"), "{}", short.words);
    let long = explained(&curling, Verdict::WrongAnswer, b"1\n1\n1\n1\n");
    assert_eq!(marked(&long.expected), "3: 1[]\n");
    assert_eq!(got(&long), "3: 1\n[1]\n");
    assert!(long.words.contains("goes on in line 4"), "{}", long.words);
    let empty = explained(&curling, Verdict::WrongAnswer, b"");
    assert_eq!(got(&empty), "1: []");
    assert_eq!(empty.title.as_deref(), Some("dataset 1 of 3"));
    assert!(
        empty.words.contains("Nothing was printed"),
        "{}",
        empty.words
    );
}

#[test]
fn a_query_keeps_its_board_and_the_numbers_that_it_had() {
    let game = built_in("thegame", Mode::Lines, THE_GAME);
    let printed =
        "Board #1:\nPair 1: 1 segments.\nPair 2: impossible.\n\nBoard #2:\nPair 1: 1 segments.\n\n";
    let part = explained(&game, Verdict::WrongAnswer, printed.as_bytes());
    assert_eq!(part.title.as_deref(), Some("board 1, query 2"));
    assert_eq!(part.input.text, "2 1\nXX\n2 1 1 1\n0 0 0 0\n0 0\n");
    assert_eq!(marked(&part.expected), "3: Pair 2: [1] segments.\n\n");
    assert!(
        got(&part).starts_with("3: Pair 2: [impossible.]\n"),
        "{part:?}"
    );
    let answer = part.answer.unwrap();
    assert_eq!(answer, "Board #1:\nPair 1: 1 segments.\n\n");
}

#[test]
fn a_wrong_layout_is_marked_where_it_is_wrong() {
    let game = built_in("thegame", Mode::Lines, THE_GAME);
    let printed =
        "Board #1:\nPair 1: 1 segments.\nPair 2: 1 segments.\nBoard #2:\nPair 1: 1 segments.\n";
    let part = explained(&game, Verdict::PresentationError, printed.as_bytes());
    assert_eq!(part.title.as_deref(), Some("board 1, query 2"));
    assert_eq!(marked(&part.expected), "3: Pair 2: 1 segments.\n[]\n");
    assert!(got(&part).contains("[Board #2:]"), "{part:?}");
}

#[test]
fn a_program_that_did_not_end_well_shows_how_far_it_came() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    let crashed = explained(&curling, Verdict::RuntimeError, b"1\n");
    assert_eq!(crashed.title.as_deref(), Some("dataset 2 of 3"));
    assert!(
        crashed.words.contains("right up to line 1"),
        "{}",
        crashed.words
    );
    let wrong = explained(&curling, Verdict::TimeLimit, b"1\n7\n");
    assert_eq!(wrong.title.as_deref(), Some("dataset 2 of 3"));
    assert!(
        wrong.words.contains("already wrong in line 2"),
        "{}",
        wrong.words
    );
    let silent = explained(&curling, Verdict::TimeLimit, b"");
    assert_eq!((silent.title, silent.task), (None, None));
    assert_eq!(silent.input.text, CURLING);
    assert_eq!(silent.expected.text, "1\n1\n1\n");
    let right = explained(&curling, Verdict::RuntimeError, b"1\n1\n1\n");
    assert!(
        right.words.contains("Its output is right"),
        "{}",
        right.words
    );
    let forgotten = judgement(&curling, Verdict::TimeLimit, None, 3);
    let forgotten = case(&curling, &forgotten, None).unwrap();
    assert_eq!(forgotten.got, None);
}

#[test]
fn where_a_limit_ends_the_output_no_case_is_said_to_fail() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    for (verdict, stops_here) in [
        (Verdict::TimeLimit, true),
        (Verdict::MemoryLimit, true),
        (Verdict::RuntimeError, false),
    ] {
        let part = explained(&curling, verdict, b"1\n");
        assert_eq!(part.title.as_deref(), Some("dataset 2 of 3"));
        assert_eq!(part.stops_here, stops_here, "{verdict}");
        assert_eq!(part.words.contains("need not be the case"), stops_here);
    }
    // What was already wrong is a case that fails.
    assert!(!explained(&curling, Verdict::TimeLimit, b"1\n7\n").stops_here);
}

#[test]
fn a_later_case_may_be_wrong_only_after_what_comes_before_it() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    for (printed, is_told) in [(&b"7\n1\n1\n"[..], false), (b"1\n7\n1\n", true)] {
        let part = explained(&curling, Verdict::WrongAnswer, printed);
        assert_eq!(part.words.contains("after the cases before it"), is_told);
    }
    // It is not where the mistake is.
    let part = explained(&curling, Verdict::TimeLimit, b"1\n");
    assert!(!part.words.contains("after the cases before it"));
}

#[test]
fn all_of_the_output_is_right_and_what_was_wrong_is_said() {
    let curling = built_in("curling", Mode::Tokens, CURLING);
    let words = |verdict, cause, ended_by_itself: bool| {
        let mut judgement = judgement(&curling, verdict, cause, 6);
        run_of(&mut judgement.tests[0]).stop = (!ended_by_itself).then_some(Stop::Cpu);
        case(&curling, &judgement, Some(b"1\n1\n1\n"))
            .unwrap()
            .words
    };
    for (verdict, cause, ended, said) in [
        (
            Verdict::TimeLimit,
            Some(Cause::Cpu),
            true,
            "Its output is right, but came too late.",
        ),
        (
            Verdict::TimeLimit,
            Some(Cause::Cpu),
            false,
            "did not end in time",
        ),
        (
            Verdict::RuntimeError,
            Some(Cause::ExitCode(1)),
            true,
            "Its output is right, but it ended with exit code 1.",
        ),
    ] {
        let words = words(verdict, cause, ended);
        assert!(words.contains(said), "{words}");
    }
}

#[test]
fn a_number_that_is_not_near_enough_is_told_with_its_error() {
    let near = Mode::Float {
        absolute: 1e-6,
        relative: 0.0,
    };
    let circle = package(Reference::Stored, near, "1\n", "3.14159265358979\n");
    let part = explained(&circle, Verdict::WrongAnswer, b"3.14\n");
    assert!(
        part.words.contains("It is off by 0.0016; 1e-6 is allowed."),
        "{}",
        part.words
    );
    let part = explained(&circle, Verdict::WrongAnswer, b"pi\n");
    assert!(!part.words.contains("off by"), "{}", part.words);
}

#[test]
fn a_test_of_one_case_is_that_case_whatever_is_known() {
    let regions = built_in("regions", Mode::Tokens, "1 2\n16\n");
    for printed in [&b""[..], b"5"] {
        let part = explained(&regions, Verdict::TimeLimit, printed);
        assert!(part.title.is_some());
        assert_eq!(part.task.as_deref(), Some("regions"));
        assert_eq!(part.input.text, "1 2\n16\n");
    }
}

/// So many lines, each with its number.
fn numbered(lines: usize) -> String {
    let numbers: Vec<String> = (1..=lines).map(|line| line.to_string()).collect();
    numbers.join("\n") + "\n"
}

#[test]
fn other_problems_show_the_lines_around_the_difference() {
    let expected = numbered(1000);
    let printed = expected.replace("500\n", "five hundred\n");
    let sum = package(Reference::Stored, Mode::Lines, "1000\n", &expected);
    let part = explained(&sum, Verdict::WrongAnswer, printed.as_bytes());
    assert_eq!((&part.title, &part.task), (&None, &None));
    assert_eq!(part.input.text, "1000\n");
    assert!(marked(&part.expected).starts_with("495: 495\n496\n497\n498\n499\n[500]\n501\n"));
    assert!(got(&part).starts_with("495: 495\n496\n497\n498\n499\n[five] hundred\n501\n"));
    assert!(part.expected.cut_after && !part.expected.cut_before);
}

#[test]
fn a_difference_beyond_what_is_kept_is_told_by_its_line() {
    let expected = numbered(1000);
    let sum = package(Reference::Stored, Mode::Lines, "1000\n", &expected);
    let mut judgement = judgement(&sum, Verdict::WrongAnswer, None, 1 << 21);
    judgement.tests[0].difference = Some(Difference {
        line: 900,
        column: 1,
        expected: "900".to_owned(),
        got: "x".to_owned(),
    });
    let part = case(&sum, &judgement, Some(&expected.as_bytes()[..500])).unwrap();
    assert_eq!((part.got, part.expected.mark), (None, None));
    assert!(
        part.expected.text.starts_with("895\n"),
        "{:?}",
        part.expected
    );
    assert!(part.words.contains("line 900, beyond"), "{}", part.words);
}

#[test]
fn beyond_what_is_kept_no_case_is_guessed_where_the_lines_differ() {
    let the_game = built_in("thegame", Mode::Tokens, THE_GAME);
    let expected = String::from_utf8(the_game.tests[0].expected.to_vec()).unwrap();
    let without_empty_lines = expected.replace("\n\n", "\n");
    let mut judgement = judgement(&the_game, Verdict::WrongAnswer, None, 1 << 21);
    judgement.tests[0].difference = Some(Difference {
        line: 3,
        column: 1,
        expected: "x".to_owned(),
        got: "y".to_owned(),
    });
    let of = |kept: &str| case(&the_game, &judgement, Some(kept.as_bytes())).unwrap();
    let same = of(expected.split_inclusive("\n\n").next().unwrap());
    assert_eq!(same.title.as_deref(), Some("board 1, query 2"));
    let other = of(&without_empty_lines[..without_empty_lines.rfind('#').unwrap()]);
    assert_eq!((other.title, other.task), (None, None));
}

#[test]
fn one_word_without_an_end_is_shown_as_it_is() {
    let sum = package(Reference::Stored, Mode::Lines, "1 2\n", "3\n");
    let endless = [b'1'; 5_000];
    let judgement = judgement(&sum, Verdict::OutputLimit, None, 1 << 24);
    let part = case(&sum, &judgement, Some(&endless)).unwrap();
    assert!(got(&part).starts_with("1: 1111"), "{}", got(&part));
    assert!(!part.words.contains("Nothing"), "{}", part.words);
}

#[test]
fn a_word_in_the_middle_of_which_a_program_was_ended_is_not_wrong() {
    let sum = package(Reference::Stored, Mode::Lines, "x\n", "1\n137\n9\n");
    for verdict in [Verdict::TimeLimit, Verdict::RuntimeError] {
        let part = explained(&sum, verdict, b"1\n13");
        assert!(part.words.contains("right up to"), "{}", part.words);
        let part = explained(&sum, verdict, b"1\n13\n");
        assert!(
            part.words.contains("already wrong in line 2"),
            "{}",
            part.words
        );
    }
}

#[test]
fn nothing_is_found_for_a_program_that_was_accepted_or_not_built() {
    let sum = package(Reference::Stored, Mode::Lines, "1\n", "1\n");
    let mut judgement = judgement(&sum, Verdict::CompileError, None, 0);
    judgement.first_failing = None;
    judgement.tests.clear();
    assert_eq!(case(&sum, &judgement, None), None);
}

#[test]
fn hostile_outputs_stay_bounded_and_printable() {
    let long = "刘".repeat(100_000);
    let expected = format!("{long}x\n");
    let feeds = "\n".repeat(100_000);
    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let late = [vec![b'a'; 1 << 19], bytes.clone()].concat();
    let printed: [&[u8]; 7] = [
        long.as_bytes(),
        feeds.as_bytes(),
        &bytes,
        &late,
        "\u{202e}\0\x1b[2J</pre><script>".as_bytes(),
        &[0xff; 5_000],
        b"\xd0",
    ];
    for mode in [Mode::Exact, Mode::Lines, Mode::Tokens] {
        for package in [
            package(Reference::Stored, mode, &long, &expected),
            built_in("curling", mode, CURLING),
            built_in("thegame", mode, THE_GAME),
        ] {
            for printed in printed {
                for verdict in [Verdict::WrongAnswer, Verdict::OutputLimit] {
                    // Whole, and as the beginning of something longer.
                    for more in [0, 1] {
                        let length = printed.len() as u64 + more;
                        let judgement = judgement(&package, verdict, None, length);
                        let part = case(&package, &judgement, Some(printed)).unwrap();
                        check(&part);
                    }
                }
            }
        }
    }
}

fn check(part: &ShownCase) {
    for excerpt in [Some(&part.input), Some(&part.expected), part.got.as_ref()] {
        let Some(excerpt) = excerpt else { continue };
        let count = excerpt.text.chars().count() as u64;
        assert!(count <= 8 * 8 * 1024, "{count} characters");
        assert!(excerpt.text.lines().count() <= 201);
        let bad = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
        assert!(!excerpt.text.contains(bad));
        assert!(!excerpt.text.contains(['\u{202e}', '\u{feff}']));
        if let Some(mark) = excerpt.mark {
            assert!(mark.start <= mark.end && mark.end <= count);
        }
    }
}
