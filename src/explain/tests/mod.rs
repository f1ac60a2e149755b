//! What is cut out of a test, and what of the output stands beside it.

mod found;

pub use found::{Plain, inputs, own};

use super::case;
use crate::compare::Mode;
use crate::domain::{Cause, Compared, Judgement, Stop, TestResult, Verdict};
use crate::judge::samples;
use crate::package::{Package, Reference};
use crate::problems;
use crate::report::{Excerpt, ShownCase};
use crate::util::samples::{difference, judged, run_of};

pub const CURLING: &str = "2 1\n3 2\n2 1\n2 3\n3 1\n2 0 3\n0 0\n";
const THE_GAME: &str = "2 1\nXX\n1 1 2 1\n2 1 1 1\n0 0 0 0\n3 1\nX X\n1 1 3 1\n0 0 0 0\n0 0\n";

fn package(reference: Reference, mode: Mode, input: &str, expected: &str) -> Package {
    let mut test = samples::test("secret/1", expected);
    test.input = std::sync::Arc::<[u8]>::from(input.as_bytes()).into();
    Package {
        reference,
        mode,
        ..samples::package(vec![test])
    }
}

pub fn built_in(slug: &str, mode: Mode, input: &str) -> Package {
    let task = problems::find(slug).unwrap();
    let answer = String::from_utf8(task.answer(input.as_bytes()).unwrap()).unwrap();
    package(Reference::BuiltIn(task), mode, input, &answer)
}

pub fn judgement(package: &Package, verdict: Verdict, cause: Option<Cause>, len: u64) -> Judgement {
    let mut result = TestResult::skipped(&package.tests[0].name);
    result.said = Compared::plain(verdict, cause);
    run_of(&mut result).output.len_bytes = len;
    judged(vec![result])
}

/// A wrong answer whose output is longer than what is kept, with a difference in this line.
fn wrong_in_line(package: &Package, line: usize) -> Judgement {
    let mut judgement = judgement(package, Verdict::WrongAnswer, None, 1 << 21);
    judgement.tests[0].said.difference = Some(difference(line, 1, ["x", "y"]));
    judgement
}

fn explained(package: &Package, verdict: Verdict, printed: &[u8]) -> ShownCase {
    let judgement = judgement(package, verdict, None, printed.len() as u64);
    case(package, &judgement, Some(printed)).unwrap()
}

/// The text with its mark in brackets, and where it begins.
fn marked(part: &Excerpt) -> String {
    let text: Vec<char> = part.text.chars().collect();
    let Some(mark) = part.mark else {
        return format!("{}: {}", part.first_line, part.text);
    };
    let [start, end] = [mark.start, mark.end].map(|at| usize::try_from(at).unwrap());
    let parts = [&text[..start], &text[start..end], &text[end..]];
    let [before, marked, after] = parts.map(|part| part.iter().collect::<String>());
    format!("{}: {before}[{marked}]{after}", part.first_line)
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
    for (printed, expected, shown, words) in [
        ("1\n1\n", "3: [1]\n", "3: []", "ends in line 2"),
        ("1\n1\n1\n1\n", "3: 1[]\n", "3: 1\n[1]\n", "in line 4"),
        ("", "1: [1]\n", "1: []", "Nothing was printed"),
    ] {
        let part = explained(&curling, Verdict::WrongAnswer, printed.as_bytes());
        assert_eq!(marked(&part.expected), expected);
        assert_eq!(got(&part), shown);
        assert!(part.words.contains(words), "{part:?}");
    }
}

#[test]
fn a_program_that_did_not_end_well_shows_how_far_it_came() {
    use Verdict::{MemoryLimit, OutputLimit, RuntimeError, TimeLimit, WrongAnswer};
    let curling = built_in("curling", Mode::Tokens, CURLING);
    // What was printed, the dataset that is shown, or 0, and what is said of it.
    for (verdict, printed, dataset, words) in [
        (RuntimeError, "1\n", 2, "right up to line 1"),
        (TimeLimit, "1\n", 2, "need not be the case"),
        (MemoryLimit, "1\n", 2, "need not be the case"),
        (TimeLimit, "1\n7\n", 2, "already wrong in line 2"),
        (RuntimeError, "1\n1\n1\n", 0, "Its output is right"),
        (TimeLimit, "", 0, "Nothing that it printed"),
        (WrongAnswer, "7\n1\n1\n", 1, "difference is in line 1"),
        (WrongAnswer, "1\n7\n1\n", 2, "difference is in line 2"),
    ] {
        let part = explained(&curling, verdict, printed.as_bytes());
        let told = format!("{verdict:?} {printed:?}: {part:?}");
        let title = (dataset > 0).then(|| format!("dataset {dataset} of 3"));
        assert_eq!(part.title, title, "{told}");
        assert!(part.words.contains(words), "{told}");
        // Where a limit ends the output, no case is said to fail.
        assert_eq!(part.stops_here, words == "need not be the case", "{told}");
        // A later case may be wrong only after what comes before it.
        let is_said = part.words.contains("after the cases before it");
        assert_eq!(is_said, dataset > 1 && !part.stops_here, "{told}");
        if dataset == 0 {
            assert_eq!((&part.task, &*part.input.text), (&None, CURLING));
            assert_eq!(part.expected.text, "1\n1\n1\n");
        }
    }
    let forgotten = judgement(&curling, TimeLimit, None, 3);
    assert_eq!(case(&curling, &forgotten, None).unwrap().got, None);
    // A word in the middle of which it was ended is not wrong, and one without an end is shown.
    let sum = package(Reference::Stored, Mode::Lines, "x\n", "1\n137\n9\n");
    for verdict in [TimeLimit, RuntimeError] {
        let words = explained(&sum, verdict, b"1\n13").words;
        assert!(words.contains("right up to"), "{words}");
        let words = explained(&sum, verdict, b"1\n13\n").words;
        assert!(words.contains("already wrong in line 2"), "{words}");
    }
    let endless = explained(&sum, OutputLimit, &[b'1'; 5_000]);
    assert!(got(&endless).starts_with("1: 1111"), "{endless:?}");
    assert!(!endless.words.contains("Nothing"), "{endless:?}");
}

#[test]
fn a_query_keeps_its_board_and_the_numbers_that_it_had_also_where_the_layout_is_wrong() {
    let game = built_in("thegame", Mode::Lines, THE_GAME);
    let printed =
        "Board #1:\nPair 1: 1 segments.\nPair 2: impossible.\n\nBoard #2:\nPair 1: 1 segments.\n\n";
    let part = explained(&game, Verdict::WrongAnswer, printed.as_bytes());
    assert_eq!(part.title.as_deref(), Some("board 1, query 2"));
    assert_eq!(part.input.text, "2 1\nXX\n2 1 1 1\n0 0 0 0\n0 0\n");
    assert_eq!(marked(&part.expected), "3: Pair 2: [1] segments.\n\n");
    let printed_wrong = "3: Pair 2: [impossible.]\n";
    assert!(got(&part).starts_with(printed_wrong), "{part:?}");
    assert_eq!(part.answer.unwrap(), "Board #1:\nPair 1: 1 segments.\n\n");
    // A wrong layout is marked where it is wrong.
    let printed =
        "Board #1:\nPair 1: 1 segments.\nPair 2: 1 segments.\nBoard #2:\nPair 1: 1 segments.\n";
    let part = explained(&game, Verdict::PresentationError, printed.as_bytes());
    assert_eq!(part.title.as_deref(), Some("board 1, query 2"));
    assert_eq!(marked(&part.expected), "3: Pair 2: 1 segments.\n[]\n");
    assert!(got(&part).contains("[Board #2:]"), "{part:?}");
}

#[test]
fn all_of_the_output_is_right_and_what_was_wrong_is_said() {
    use Verdict::{RuntimeError, TimeLimit};
    let curling = built_in("curling", Mode::Tokens, CURLING);
    let (stopped, exited) = (Some(Stop::Cpu), "but it ended with exit code 1.");
    for (verdict, cause, stop, said) in [
        (TimeLimit, Cause::Cpu, None, "but came too late."),
        (TimeLimit, Cause::Cpu, stopped, "did not end in time"),
        (RuntimeError, Cause::ExitCode(1), None, exited),
    ] {
        let mut judgement = judgement(&curling, verdict, Some(cause), 6);
        run_of(&mut judgement.tests[0]).stop = stop;
        let shown = case(&curling, &judgement, Some(b"1\n1\n1\n")).unwrap();
        assert!(shown.words.contains("output is right, "), "{shown:?}");
        assert!(shown.words.contains(said), "{shown:?}");
    }
}

#[test]
fn a_number_that_is_not_near_enough_is_told_with_its_error() {
    let near = crate::compare::tests::mode(1e-6, 0.0);
    let circle = package(Reference::Stored, near, "1\n", "3.14159265358979\n");
    for (printed, is_number) in [(&b"3.14\n"[..], true), (b"pi\n", false)] {
        let words = explained(&circle, Verdict::WrongAnswer, printed).words;
        let is_told = words.contains("It is off by 0.0016; 1e-6 is allowed.");
        assert_eq!(is_told, is_number, "{words}");
    }
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
    let judgement = wrong_in_line(&sum, 900);
    let part = case(&sum, &judgement, Some(&expected.as_bytes()[..500])).unwrap();
    assert_eq!((&part.got, part.expected.mark), (&None, None));
    assert!(part.expected.text.starts_with("895\n"), "{part:?}");
    assert!(part.words.contains("line 900, beyond"), "{}", part.words);
}

#[test]
fn beyond_what_is_kept_no_case_is_guessed_where_the_lines_differ() {
    let the_game = built_in("thegame", Mode::Tokens, THE_GAME);
    let expected = String::from_utf8(the_game.tests[0].expected.read().unwrap().to_vec()).unwrap();
    let without_empty_lines = expected.replace("\n\n", "\n");
    let judgement = wrong_in_line(&the_game, 3);
    let of = |kept: &str| case(&the_game, &judgement, Some(kept.as_bytes())).unwrap();
    let same = of(expected.split_inclusive("\n\n").next().unwrap());
    assert_eq!(same.title.as_deref(), Some("board 1, query 2"));
    let other = of(&without_empty_lines[..without_empty_lines.rfind('#').unwrap()]);
    assert_eq!((other.title, other.task), (None, None));
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
                        check(&case(&package, &judgement, Some(printed)).unwrap());
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
