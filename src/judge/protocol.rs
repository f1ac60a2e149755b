//! How the programs of packages are asked, and what their ends and words mean. Pure.

use crate::domain::bounds::PROGRAM_WORDS_CHARACTERS_MAX;
use crate::domain::{End, Stop, Verdict};
use crate::package::{Complaint, Protocol};
use crate::sandbox::{Outcome, WORK_FOLDER};
use crate::util::excerpt::{decode, visible_line};

/// Where a checker finds the input, the answer and the output, below the working folder.
pub const CASE_FILES: [&str; 3] = ["case/input", "case/answer", "case/output"];
/// Where an ICPC checker writes its words, directly in the working folder: those for the student,
/// and those for the judges.
pub const MESSAGE_FILES: [&str; 2] = ["teammessage.txt", "judgemessage.txt"];

/// Bytes of a program's words that are looked at.
const WORDS_BYTES_MAX: usize = 8 * 1024;
/// The largest line or column number that is taken from a validator's words.
const PLACE_MAX: usize = 100_000_000;

/// Exit codes of the ICPC's programs.
mod icpc {
    pub const YES: i32 = 42;
    pub const NO: i32 = 43;
}

/// Exit codes of testlib's programs.
mod testlib {
    pub const OK: i32 = 0;
    pub const WRONG_ANSWER: i32 = 1;
    pub const PRESENTATION_ERROR: i32 = 2;
    pub const DIRT: i32 = 4;
    pub const UNEXPECTED_EOF: i32 = 8;
    /// Words in front of a score, which there is none of here, whatever the exit code is.
    pub const SCORES: [&[u8]; 2] = [b"points ", b"partially correct"];
}

/// What a checker is started with after its own name.
pub fn checker_arguments(protocol: Protocol) -> Vec<String> {
    let [input, answer, output] = CASE_FILES.map(|name| format!("{WORK_FOLDER}/{name}"));
    match protocol {
        // The last one is the folder for its words.
        Protocol::Icpc => vec![input, answer, format!("{WORK_FOLDER}/")],
        Protocol::Testlib => vec![input, output, answer],
    }
}

/// Why a program did not come to an end of its own, if it did not.
pub fn failure(outcome: &Outcome) -> Option<String> {
    let why = match (outcome.stop, outcome.end) {
        (Some(Stop::Cpu), _) => "it computed for too long".to_owned(),
        (Some(Stop::Wall), _) => "it took too much wall-clock time".to_owned(),
        (Some(Stop::Output), _) => "it printed too much".to_owned(),
        (None, _) if outcome.memory_exceeded => "it needed too much memory".to_owned(),
        (None, End::Signalled(number)) => crate::domain::Cause::Signal(number).words(),
        (None, End::Exited(_)) => return None,
    };
    Some(with_words(why, said(&outcome.stderr)))
}

/// A reason, and what the program said on its way out.
pub fn with_words(why: String, words: Option<String>) -> String {
    match words {
        Some(words) => format!("{why}; it says: {words}"),
        None => why,
    }
}

/// What a checker says, or why it says nothing.
pub fn opinion(protocol: Protocol, outcome: &Outcome) -> Result<Verdict, String> {
    if let Some(why) = failure(outcome) {
        return Err(why);
    }
    let End::Exited(code) = outcome.end else {
        return Err("it did not exit".to_owned());
    };
    let scores = testlib::SCORES
        .iter()
        .any(|words| outcome.stderr.starts_with(words));
    match (protocol, code) {
        (Protocol::Testlib, _) if scores => Err(with_words(
            "it gives points, and there are none here".to_owned(),
            said(&outcome.stderr),
        )),
        (Protocol::Icpc, icpc::YES) | (Protocol::Testlib, testlib::OK) => Ok(Verdict::Accepted),
        (Protocol::Icpc, icpc::NO) | (Protocol::Testlib, testlib::WRONG_ANSWER) => {
            Ok(Verdict::WrongAnswer)
        }
        (
            Protocol::Testlib,
            testlib::PRESENTATION_ERROR | testlib::DIRT | testlib::UNEXPECTED_EOF,
        ) => Ok(Verdict::PresentationError),
        (_, code) => {
            let promised = match protocol {
                Protocol::Icpc => "42 for right and 43 for wrong",
                Protocol::Testlib => "0, 1 or 2",
            };
            Err(with_words(
                format!("it ended with exit code {code} in place of {promised}"),
                said(&outcome.stderr),
            ))
        }
    }
}

/// What a checker said about the output, for a person.
pub fn checker_words(protocol: Protocol, outcome: &Outcome) -> Option<String> {
    match protocol {
        Protocol::Testlib => said(&outcome.stderr),
        Protocol::Icpc => message(outcome, MESSAGE_FILES[0]),
    }
}

/// What a checker said to the judges, which no student may read.
pub fn judge_message(protocol: Protocol, outcome: &Outcome) -> Option<String> {
    match protocol {
        Protocol::Testlib => None,
        Protocol::Icpc => message(outcome, MESSAGE_FILES[1]),
    }
}

fn message(outcome: &Outcome, name: &str) -> Option<String> {
    let file = outcome.files.iter().find(|file| file.name == name)?;
    said(&file.bytes)
}

/// Whether a validator lets an input pass, or its reason.
pub fn validity(protocol: Protocol, outcome: &Outcome) -> Result<(), Complaint> {
    if let Some(why) = failure(outcome) {
        return Err(Complaint::new(format!("the validator failed: {why}")));
    }
    let yes = match protocol {
        Protocol::Icpc => icpc::YES,
        Protocol::Testlib => testlib::OK,
    };
    if outcome.end == End::Exited(yes) {
        return Ok(());
    }
    let words = reason(&outcome.stderr).or_else(|| reason(&outcome.stdout));
    Err(Complaint {
        place: words.as_deref().and_then(place),
        reason: words.unwrap_or_else(|| "it gives no reason".to_owned()),
    })
}

/// All words on one line: printable, bounded. None where there are none.
pub fn said(bytes: &[u8]) -> Option<String> {
    let text = decode(bytes, WORDS_BYTES_MAX).text;
    one_line(text.lines())
}

fn one_line<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let lines: Vec<&str> = lines
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let joined = visible_line(&lines.join("; "));
    let mut kept: String = joined.chars().take(PROGRAM_WORDS_CHARACTERS_MAX).collect();
    if kept.len() < joined.len() {
        kept.pop();
        kept.push('…');
    }
    (!kept.is_empty()).then_some(kept)
}

/// A validator's reason: all that it said, but of a Python traceback the last line, which is the
/// reason.
fn reason(bytes: &[u8]) -> Option<String> {
    let text = decode(bytes, WORDS_BYTES_MAX).text;
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let traceback = lines
        .iter()
        .any(|line| line.starts_with("Traceback (most recent call last)"));
    let kept = if traceback {
        &lines[lines.len() - 1..]
    } else {
        &lines[..]
    };
    one_line(kept.iter().copied())
}

/// The place of the input that a reason names, as in `line 3, column 5`; the column is 1 where only
/// a line is named.
fn place(reason: &str) -> Option<(usize, usize)> {
    let lower = reason.to_ascii_lowercase();
    let line = number_after(&lower, "line")?;
    let column = number_after(&lower, "column")
        .or_else(|| number_after(&lower, "col"))
        .unwrap_or(1);
    Some((line, column))
}

/// The number that follows a word, with spaces, a colon or an equals sign between them.
fn number_after(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).find_map(|(at, _)| {
        let own_word = !text[..at].ends_with(|before: char| before.is_alphanumeric());
        let rest = text[at + word.len()..].trim_start_matches([' ', ':', '=', '#']);
        let digits = rest.len()
            - rest
                .trim_start_matches(|next: char| next.is_ascii_digit())
                .len();
        let number: usize = rest[..digits].parse().ok()?;
        (own_word && (1..=PLACE_MAX).contains(&number)).then_some(number)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{checker_words, judge_message, opinion, place, said, validity};
    use crate::domain::{End, Stop, Verdict};
    use crate::package::Protocol;
    use crate::sandbox::{AppFile, Outcome};

    fn exited(code: i32, stderr: &str) -> Outcome {
        Outcome {
            end: End::Exited(code),
            stderr: stderr.as_bytes().to_vec(),
            ..Outcome::printed("")
        }
    }

    #[test]
    fn ends_of_checkers() {
        use Protocol::{Icpc, Testlib};
        use Verdict::{Accepted, PresentationError, WrongAnswer};
        for (protocol, code, words, expected) in [
            (Icpc, 42, "", Some(Accepted)),
            (Icpc, 43, "", Some(WrongAnswer)),
            (Icpc, 0, "", None),
            (Icpc, 1, "Traceback", None),
            (Testlib, 0, "ok 3 numbers", Some(Accepted)),
            (Testlib, 1, "wrong answer 2nd differs", Some(WrongAnswer)),
            (Testlib, 2, "wrong output format x", Some(PresentationError)),
            (Testlib, 4, "", Some(PresentationError)),
            (Testlib, 8, "unexpected eof", Some(PresentationError)),
            (Testlib, 3, "FAIL the jury is wrong", None),
            (Testlib, 7, "points 0.5", None),
            (Testlib, 0, "partially correct (0)", None),
            (Testlib, 42, "", None),
        ] {
            let said = opinion(protocol, &exited(code, words));
            assert_eq!(said.clone().ok(), expected, "{protocol:?} {code} {said:?}");
        }
    }

    #[test]
    fn a_checker_that_is_stopped_says_nothing() {
        let ends: [fn(&mut Outcome); 5] = [
            |outcome| outcome.stop = Some(Stop::Cpu),
            |outcome| outcome.stop = Some(Stop::Wall),
            |outcome| outcome.stop = Some(Stop::Output),
            |outcome| outcome.memory_exceeded = true,
            |outcome| outcome.end = End::Signalled(11),
        ];
        for change in ends {
            for (protocol, yes) in [(Protocol::Icpc, 42), (Protocol::Testlib, 0)] {
                let mut outcome = exited(yes, "");
                change(&mut outcome);
                assert!(opinion(protocol, &outcome).is_err(), "{outcome:?}");
                assert!(validity(protocol, &outcome).is_err(), "{outcome:?}");
            }
        }
    }

    #[test]
    fn only_words_for_the_student_are_told() {
        let file = |name: &str, text: &str| AppFile {
            name: name.into(),
            bytes: Arc::from(text.as_bytes()),
            executable: false,
        };
        let mut outcome = exited(43, "noise");
        assert_eq!(checker_words(Protocol::Icpc, &outcome), None);
        outcome.files = vec![file("judgemessage.txt", "the answer is 7")];
        assert_eq!(
            checker_words(Protocol::Icpc, &outcome),
            None,
            "that is for judges, and may hold the answer"
        );
        let message = judge_message(Protocol::Icpc, &outcome);
        assert_eq!(message.as_deref(), Some("the answer is 7"));
        assert_eq!(judge_message(Protocol::Testlib, &outcome), None);
        outcome
            .files
            .push(file("teammessage.txt", "case 2:\nnot sorted\n"));
        let words = checker_words(Protocol::Icpc, &outcome);
        assert_eq!(words.as_deref(), Some("case 2:; not sorted"));
        let words = checker_words(Protocol::Testlib, &exited(1, "wrong answer x\n"));
        assert_eq!(words.as_deref(), Some("wrong answer x"));
    }

    #[test]
    fn ends_of_validators() {
        let icpc = |outcome: &Outcome| validity(Protocol::Icpc, outcome);
        assert_eq!(icpc(&exited(42, "")), Ok(()));
        assert!(icpc(&exited(0, "")).is_err());
        assert_eq!(validity(Protocol::Testlib, &exited(0, "")), Ok(()));
        assert!(validity(Protocol::Testlib, &exited(42, "")).is_err());
        let traceback = "Traceback (most recent call last):\n  File \"/app/main.py\", line 7\nAssertionError: n is 0\n";
        let complaint = icpc(&exited(1, traceback)).unwrap_err();
        assert_eq!(complaint.reason, "AssertionError: n is 0");
        assert_eq!(complaint.place, None, "not a line of the program");
        let printed = Outcome {
            end: End::Exited(43),
            ..Outcome::printed("line 3: n is too large\n")
        };
        assert_eq!(icpc(&printed).unwrap_err().place, Some((3, 1)));
    }

    #[test]
    fn places_are_found_in_words() {
        for (words, expected) in [
            ("line 3, column 5: a blank", Some((3, 5))),
            (
                "FAIL n violates the range [1, 9] (stdin, line 12)",
                Some((12, 1)),
            ),
            ("Line: 4 Col: 2", Some((4, 2))),
            ("outline 3", None),
            ("line zero", None),
            ("line 0", None),
            ("line 99999999999999999999", None),
            ("", None),
        ] {
            assert_eq!(place(words), expected, "{words}");
        }
    }

    #[test]
    fn words_are_bounded_and_printable() {
        assert_eq!(said(b" \n\n"), None);
        let long = said(&vec![b'x'; 100_000]).unwrap();
        assert_eq!(long.chars().count(), 400);
        assert!(long.ends_with('…'));
        assert!(!said(b"a\x1b[31m\xff").unwrap().contains('\x1b'));
    }
}
