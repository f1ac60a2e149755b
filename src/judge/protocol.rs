//! How the programs of packages are asked, and what their ends and words mean. Pure.

use std::time::Duration;

use super::given::{SCORE_FILES, by_testlib, file, in_files};
use super::order::{CallEnd, CallOutcome, CallRun, Helper, RunSpec};
use super::outcome::{INPUT_NAMES, OUTPUT_NAMES, chosen_output};
use crate::domain::bounds::{PROGRAM_WORDS_CHARACTERS_MAX, STDERR_KEPT_BYTES_MAX};
use crate::domain::{
    Cause, Compared, Complaint, Digest, End, FileRef, Given, Limits, Stop, Verdict,
};
use crate::package::{Io, Protocol};
use crate::sandbox::WORK_FOLDER;
use crate::util::MIB;
use crate::util::excerpt::{decode, visible_line};

/// CPU time of a validator or checker on one test.
const HELPER_CPU: Duration = Duration::from_secs(30);
/// Memory of a validator or checker, beside its run-time system's.
const HELPER_MEMORY_BYTES: u64 = 1024 * MIB;
/// What a validator or checker may print.
const HELPER_OUTPUT_BYTES: u64 = 8 * MIB;
/// Its processes and threads, and its open files.
const HELPER_PROCESSES: u32 = 64;
const HELPER_OPEN_FILES: u32 = 256;
/// A reference may take this many times the CPU time of a student's program: it need not be quick,
/// only right.
const REFERENCE_CPU_TIMES: u32 = 5;
/// The same for memory.
const REFERENCE_MEMORY_TIMES: u64 = 2;

/// Where a checker finds the input, the answer and the output, below the working folder.
pub(super) const CASE_FILES: [&str; 3] = ["case/input", "case/answer", "case/output"];
/// Where an ICPC checker writes its words, directly in the working folder: those for the student,
/// and those for the judges.
const MESSAGE_FILES: [&str; 2] = ["teammessage.txt", "judgemessage.txt"];

/// Bytes of a program's words that are looked at, and the largest line or column in them.
const WORDS_BYTES_MAX: usize = 8 * 1024;
const PLACE_MAX: usize = 100_000_000;

/// Exit codes of the ICPC's programs.
pub(super) mod icpc {
    pub const YES: i32 = 42;
    pub const NO: i32 = 43;
}

/// Exit codes of testlib's programs.
pub(super) mod testlib {
    pub const OK: i32 = 0;
    pub const WRONG_ANSWER: i32 = 1;
    pub const PRESENTATION_ERROR: i32 = 2;
    pub const DIRT: i32 = 4;
    pub const UNEXPECTED_EOF: i32 = 8;
}

/// What a validator or checker may use.
pub(super) fn helper_caps() -> Limits {
    Limits {
        cpu: HELPER_CPU,
        wall: Limits::wall_floor(HELPER_CPU),
        memory_bytes: HELPER_MEMORY_BYTES,
        output_bytes: HELPER_OUTPUT_BYTES,
        processes: HELPER_PROCESSES,
        open_files: HELPER_OPEN_FILES,
    }
}

/// How a validator is asked about an input.
pub fn validator_run(input: Digest, arguments: &[String]) -> CallRun {
    CallRun {
        arguments: arguments.to_vec(),
        stdin: Some(input),
        files: Vec::new(),
        collect: Vec::new(),
        collect_bytes_max: 0,
        caps: helper_caps(),
    }
}

/// How a checker is asked about an output: digests of the input, the answer and the output.
pub fn checker_run(checker: &Helper, case: [Digest; 3]) -> CallRun {
    let protocol = checker.protocol;
    let [input, answer, output] = CASE_FILES.map(|name| format!("{WORK_FOLDER}/{name}"));
    CallRun {
        arguments: match protocol {
            // The last one is the folder for its words.
            Protocol::Icpc => [input, answer, format!("{WORK_FOLDER}/")],
            Protocol::Testlib => [input, output, answer],
        }
        .into_iter()
        .chain(checker.arguments.iter().cloned())
        .collect(),
        stdin: (protocol == Protocol::Icpc).then_some(case[2]),
        files: files(&CASE_FILES, &case),
        collect: feedback_files(),
        collect_bytes_max: STDERR_KEPT_BYTES_MAX as u64,
        caps: helper_caps(),
    }
}

/// The files that a checker or interactor may write.
pub(super) fn feedback_files() -> Vec<String> {
    let names = MESSAGE_FILES.iter().chain(&SCORE_FILES);
    names.map(|name| (*name).to_owned()).collect()
}

/// How a reference is asked for the answer to an input; the limits are the students', of which it
/// gets a multiple.
pub fn reference_run(spec: &RunSpec, input: Digest) -> CallRun {
    let limits = &spec.limits;
    let cpu = limits.cpu * REFERENCE_CPU_TIMES;
    let (files, collect) = match spec.io {
        Io::Stdio => (Vec::new(), Vec::new()),
        Io::StdioOrFiles => (
            files(&INPUT_NAMES, &[input, input]),
            OUTPUT_NAMES.map(str::to_owned).to_vec(),
        ),
    };
    CallRun {
        arguments: Vec::new(),
        stdin: Some(input),
        files,
        collect,
        collect_bytes_max: limits.output_bytes + 1,
        caps: Limits {
            cpu,
            wall: Limits::wall_floor(cpu).max(limits.wall),
            memory_bytes: spec.advertised_memory_bytes * REFERENCE_MEMORY_TIMES,
            output_bytes: limits.output_bytes,
            processes: limits.processes.max(HELPER_PROCESSES),
            open_files: limits.open_files.max(HELPER_OPEN_FILES),
        },
    }
}

fn files(names: &[&str], digests: &[Digest]) -> Vec<FileRef> {
    let files = names.iter().zip(digests).map(|(name, digest)| FileRef {
        name: (*name).to_owned(),
        digest: *digest,
        executable: false,
    });
    files.collect()
}

/// How a program ended that was run, or why it could not be.
pub fn ended(helper: &Helper, outcome: CallOutcome) -> Result<CallEnd, Complaint> {
    let path = &helper.path;
    Err(Complaint::new(
        path,
        match outcome {
            CallOutcome::Ran(end) => return Ok(end),
            CallOutcome::Built => format!("`{path}` was not run"),
            CallOutcome::NotBuilt(cause, words) => with_words(
                format!("`{path}` cannot be built: {}", cause.words()),
                said(&words),
            ),
        },
    ))
}

/// Why a program did not come to an end of its own, if it did not.
fn failure(end: &CallEnd) -> Option<String> {
    let why = match (end.stop, end.end) {
        (Some(Stop::Cpu), _) => "it computed for too long".to_owned(),
        (Some(Stop::Wall), _) => "it took too much wall-clock time".to_owned(),
        (Some(Stop::Output), _) => "it printed too much".to_owned(),
        (None, _) if end.memory_exceeded => "it needed too much memory".to_owned(),
        (Some(Stop::Decided) | None, End::Signalled(number)) => Cause::Signal(number).words(),
        (Some(Stop::Decided) | None, End::Exited(_)) => return None,
    };
    Some(with_words(why, said(&end.stderr)))
}

/// A reason, and what the program said on its way out.
fn with_words(why: String, words: Option<String>) -> String {
    match words {
        Some(words) => format!("{why}; it says: {words}"),
        None => why,
    }
}

/// What a checker says of an output, or why it says nothing.
pub fn compared(checker: &Helper, end: &CallEnd, output: &[u8]) -> Result<Compared, Complaint> {
    let (verdict, given) =
        checker_verdict(checker, end).map_err(|reason| Complaint::new(&checker.path, reason))?;
    let is_blank = output.iter().all(u8::is_ascii_whitespace);
    let message = |name| said(file(end, name)?);
    let (words, judge_message) = match checker.protocol {
        Protocol::Testlib => (said(&end.stderr), None),
        // No student may read the second one.
        Protocol::Icpc => (message(MESSAGE_FILES[0]), message(MESSAGE_FILES[1])),
    };
    let cause = match verdict {
        Verdict::WrongAnswer if is_blank => Some(Cause::Empty),
        Verdict::WrongAnswer => Some(Cause::Refused),
        _ => None,
    };
    Ok(Compared {
        words,
        judge_message,
        given,
        ..Compared::plain(verdict, cause)
    })
}

/// What a checker's end says, and what it gives to the test; or why it says nothing.
fn checker_verdict(checker: &Helper, end: &CallEnd) -> Result<(Verdict, Option<Given>), String> {
    if let Some(why) = failure(end) {
        return Err(why);
    }
    let End::Exited(code) = end.end else {
        return Err("it did not exit".to_owned());
    };
    let protocol = checker.protocol;
    if protocol == Protocol::Testlib
        && let words = decode(&end.stderr, WORDS_BYTES_MAX).text
        && let Some(given) = by_testlib(checker.gives, code, &words)
    {
        return match given {
            // It has no other way to say that nothing is right.
            Ok(Some(Given::Points(0) | Given::Share(0))) => Ok((Verdict::WrongAnswer, None)),
            Ok(given) => Ok((Verdict::Accepted, given)),
            Err(why) => Err(with_words(why, said(&end.stderr))),
        };
    }
    let verdict = match (protocol, code) {
        (Protocol::Icpc, icpc::YES) | (Protocol::Testlib, testlib::OK) => Verdict::Accepted,
        (Protocol::Icpc, icpc::NO) | (Protocol::Testlib, testlib::WRONG_ANSWER) => {
            Verdict::WrongAnswer
        }
        (
            Protocol::Testlib,
            testlib::PRESENTATION_ERROR | testlib::DIRT | testlib::UNEXPECTED_EOF,
        ) => Verdict::PresentationError,
        (_, code) => {
            let promised = match protocol {
                Protocol::Icpc => "42 for right and 43 for wrong",
                Protocol::Testlib => "0, 1 or 2",
            };
            return Err(with_words(
                format!("it ended with exit code {code} in place of {promised}"),
                said(&end.stderr),
            ));
        }
    };
    let gives = checker.gives.filter(|_| protocol == Protocol::Icpc);
    let given = gives.map_or(Ok(None), |gives| in_files(gives, end))?;
    match (verdict, given) {
        (Verdict::Accepted, given) => Ok((verdict, given)),
        // Many write that nothing is given, too.
        (_, None | Some(Given::Points(0) | Given::Share(0))) => Ok((verdict, None)),
        (_, Some(given)) => Err(format!(
            "it refuses the output, and gives {}",
            given.words()
        )),
    }
}

/// Whether a validator lets an input pass.
pub fn validity(validator: &Helper, end: &CallEnd) -> Result<(), Complaint> {
    let complain = |reason: String| Complaint::new(&validator.path, reason);
    if let Some(why) = failure(end) {
        return Err(complain(format!("the validator failed: {why}")));
    }
    let yes = match validator.protocol {
        Protocol::Icpc => icpc::YES,
        Protocol::Testlib => testlib::OK,
    };
    if end.end == End::Exited(yes) {
        return Ok(());
    }
    let words = reason(&end.stderr).or_else(|| reason(&end.stdout));
    let place = words.as_deref().and_then(place);
    let complaint = complain(words.unwrap_or_else(|| "it gives no reason".to_owned()));
    Err(match place {
        Some((line, column)) => complaint.at(line, column),
        None => complaint,
    })
}

/// What a reference or a generator printed, which may be no longer than this.
pub fn answer(reference: &Helper, end: &CallEnd, bytes_max: u64) -> Result<Vec<u8>, Complaint> {
    let complain = |reason: String| Err(Complaint::new(&reference.path, reason));
    if let Some(why) = failure(end) {
        return complain(why);
    }
    if let End::Exited(code) = end.end
        && code != 0
    {
        return complain(with_words(Cause::ExitCode(code).words(), said(&end.stderr)));
    }
    let files = end.files.iter().map(|(name, bytes)| (&**name, &**bytes));
    let output = chosen_output(&end.stdout, files).map_or(&*end.stdout, |(_, bytes)| bytes);
    if output.len() as u64 > bytes_max {
        return complain("it printed more than a program for this problem may".to_owned());
    }
    Ok(output.to_vec())
}

/// All words on one line: printable, bounded. None where there are none.
fn said(bytes: &[u8]) -> Option<String> {
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
    let first = if traceback { lines.len() - 1 } else { 0 };
    one_line(lines[first..].iter().copied())
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
    use super::{Helper, checker_verdict, compared, place, said, validity};
    use crate::domain::{Cause, Complaint, End, Stop, Verdict};
    use crate::judge::order::{CallEnd, OutputCheck};
    use crate::judge::samples::{self, case, checked, rules, toolchain};
    use crate::package::Protocol;

    fn exited(code: i32, stderr: &str) -> CallEnd {
        CallEnd::from(samples::exited(code, stderr))
    }

    fn helper(protocol: Protocol) -> Helper {
        let (package, toolchain) = (checked(Vec::new(), ""), toolchain());
        let OutputCheck::Checker(helper) = case(&package, &toolchain, &rules()).spec.check else {
            panic!("no checker");
        };
        Helper {
            protocol,
            ..*helper
        }
    }

    fn valid(protocol: Protocol, end: &CallEnd) -> Result<(), Complaint> {
        validity(&helper(protocol), end)
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
            (Testlib, 42, "", None),
        ] {
            let said = checker_verdict(&helper(protocol), &exited(code, words));
            let expected = expected.map(|verdict| (verdict, None));
            assert_eq!(said.clone().ok(), expected, "{protocol:?} {code} {said:?}");
        }
    }

    #[test]
    fn a_checker_that_is_stopped_says_nothing() {
        let ends: [fn(&mut CallEnd); 5] = [
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
                assert!(checker_verdict(&helper(protocol), &outcome).is_err());
                assert!(valid(protocol, &outcome).is_err(), "{outcome:?}");
            }
        }
    }

    #[test]
    fn a_student_is_told_only_what_is_meant_for_students() {
        use Protocol::{Icpc, Testlib};
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let hidden = file("judgemessage.txt", "the answer is 7");
        let told = file("teammessage.txt", "case 2:\nnot sorted\n");
        let (team, judges) = (Some("case 2:; not sorted"), Some("the answer is 7"));
        for (protocol, code, stderr, files, words, judge_message) in [
            (Icpc, 43, "noise", vec![], None, None),
            // That is for judges, and may hold the answer.
            (Icpc, 43, "noise", vec![hidden.clone()], None, judges),
            (Icpc, 43, "noise", vec![hidden, told], team, judges),
            (Testlib, 1, "wrong x\n", vec![], Some("wrong x"), None),
        ] {
            let mut end = exited(code, stderr);
            end.files = files;
            for (output, cause) in [(&b"7"[..], Cause::Refused), (b" \n", Cause::Empty)] {
                let judged = compared(&helper(protocol), &end, output).unwrap();
                assert_eq!(judged.words.as_deref(), words);
                assert_eq!(judged.judge_message.as_deref(), judge_message);
                assert_eq!(judged.cause, Some(cause));
            }
        }
    }

    #[test]
    fn ends_of_validators() {
        let icpc = |end: &CallEnd| valid(Protocol::Icpc, end);
        assert_eq!(icpc(&exited(42, "")), Ok(()));
        assert!(icpc(&exited(0, "")).is_err());
        assert_eq!(valid(Protocol::Testlib, &exited(0, "")), Ok(()));
        assert!(valid(Protocol::Testlib, &exited(42, "")).is_err());
        let traceback = "Traceback (most recent call last):\n  File \"/app/main.py\", line 7\nAssertionError: n is 0\n";
        let complaint = icpc(&exited(1, traceback)).unwrap_err();
        assert_eq!(complaint.reason, "AssertionError: n is 0");
        assert_eq!(complaint.place, None, "not a line of the program");
        let mut printed = exited(43, "");
        printed.stdout = b"line 3: n is too large\n".to_vec();
        assert_eq!(icpc(&printed).unwrap_err().place, Some((3, Some(1))));
    }

    #[test]
    fn places_are_found_in_words() {
        for (words, expected) in [
            ("line 3, column 5: a space", Some((3, 5))),
            ("FAIL n violates [1, 9] (stdin, line 12)", Some((12, 1))),
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
