//! From what the sandbox says of a run to a verdict, and what the sandbox is asked.

use std::sync::Arc;
use std::time::Duration;

use super::grade::{Course, prints, said};
use super::samples::{exited, package, sum, test, told};
use crate::domain::bounds::{OUTPUT_HEAD_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX};
use crate::domain::{Digest, Limits, Stop};
use crate::judge::Progress;
use crate::package::{Io, Package};
use crate::sandbox::{AppFile, Collect, Job, Outcome};
use crate::util::MIB;

/// The verdict on one run of a new course, and its cause. A repeat is the same.
fn verdict(package: &Package, outcome: Outcome) -> String {
    let script = [Outcome::printed(""), outcome.clone(), outcome];
    let judgement = Course::new().judge(package, script).unwrap().judgement;
    told(judgement.verdict, judgement.cause.as_ref())
}

/// A sleeper's repeat keeps nobody else from being measured.
#[test]
fn only_whoever_computed_or_was_kept_waiting_is_repeated_alone() {
    let sum = sum(1);
    let Limits { cpu, wall, .. } = sum.limits;
    let no = Duration::ZERO;
    for (cpu, waited, is_alone) in [(no, no, false), (no, wall, true), (cpu, no, true)] {
        let course = Course::new();
        let mut stopped = exited(0, "");
        stopped.stop = Some(Stop::Wall);
        stopped.cpu = cpu;
        stopped.waited = waited;
        let script = [Outcome::printed(""), stopped, Outcome::printed("3\n")];
        assert_eq!(course.says(&sum, script), "AC 1 2 0");
        assert_eq!(course.last_job().alone, is_alone);
    }
}

/// The job of a run on an input of so many bytes.
fn job(package: &Package, input_bytes: usize) -> Job {
    let course = Course::new();
    let mut package = package.clone();
    package.tests[0].input = Arc::<[u8]>::from(vec![b'1'; input_bytes]).into();
    course.says(&package, prints(["", "3\n"]));
    course.last_job()
}

#[test]
fn a_language_has_its_own_share_of_memory_beside_the_limit() {
    let extra_bytes = Course::new().extra_bytes();
    assert!(extra_bytes > 0);
    let sum = sum(1);
    let most = sum.limits.memory_bytes + extra_bytes;
    for (memory_bytes, expected) in [(most, "AC"), (most + 1, "MLE")] {
        let mut used = Outcome::printed("3\n");
        used.memory_bytes = memory_bytes;
        assert_eq!(verdict(&sum, used), expected, "{memory_bytes}");
    }
    assert_eq!(job(&sum, 1).caps.memory_bytes, most);
}

#[test]
fn words_about_memory_are_believed_of_a_program_that_failed_with_its_memory_in_use() {
    let sum = sum(1);
    let words = "in line 3: MemoryError: too much";
    let half = sum.limits.memory_bytes / 2;
    for (stderr, memory_bytes, code, stop, expected) in [
        (words, half, 1, None, "MLE"),
        (words, half - 1, 1, None, "RE ExitCode(1)"),
        ("ValueError", half, 1, None, "RE ExitCode(1)"),
        // It goes on and ends well: it is right.
        (words, half, 0, None, "AC"),
        // It was stopped for another reason.
        (words, half, 1, Some(Stop::Wall), "TLE Idle"),
    ] {
        let mut refused = exited(code, stderr);
        refused.stdout = b"3\n".to_vec();
        refused.stop = stop;
        refused.memory_bytes = memory_bytes;
        assert_eq!(verdict(&sum, refused), expected, "{stderr} {memory_bytes}");
    }
}

#[test]
fn the_output_file_counts_where_something_was_written_to_it() {
    let mut sum = sum(1);
    sum.io = Io::StdioOrFiles;
    for (stdout, file, expected) in [
        ("3\n", None, "AC"),
        ("", Some("3\n"), "AC"),
        ("debugging", Some("3\n"), "AC"),
        ("3\n", Some(""), "AC"),
        ("3\n", Some("4\n"), "WA Differs"),
        ("", Some(""), "WA Empty"),
    ] {
        let mut outcome = Outcome::printed(stdout);
        outcome.files.extend(file.map(|text| AppFile {
            name: "output.txt".to_owned(),
            bytes: Arc::from(text.as_bytes()),
            executable: false,
        }));
        assert_eq!(verdict(&sum, outcome), expected, "{stdout:?} {file:?}");
    }
}

#[test]
fn an_output_as_long_as_the_limit_is_compared_and_one_byte_more_is_too_much() {
    let mut sum = package(vec![test("secret/1", "777\n")]);
    sum.limits.output_bytes = 4;
    // The same to every comparison, but for its length.
    for (output, expected) in [("777\n", "AC"), ("777\n\n", "OLE")] {
        assert_eq!(verdict(&sum, Outcome::printed(output)), expected);
    }
}

#[test]
fn of_a_long_output_the_beginning_is_kept() {
    for (length, kept) in [
        (OUTPUT_KEPT_WHOLE_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX),
        (OUTPUT_KEPT_WHOLE_BYTES_MAX + 1, OUTPUT_HEAD_BYTES_MAX),
    ] {
        let mut sum = sum(1);
        sum.limits.output_bytes = 64 * MIB;
        let script = [vec![], vec![b'7'; length]].map(Outcome::printed);
        let judged = Course::new().judge(&sum, script).unwrap();
        assert_eq!(said(&judged), "WA 1 1 0");
        assert_eq!(judged.printed.map(|bytes| bytes.len()), Some(kept));
    }
}

#[test]
fn a_job_has_room_for_its_files_and_its_whole_output() {
    let mut sum = sum(1);
    let plain = job(&sum, 100);
    assert!(plain.files.is_empty());
    assert!(matches!(plain.collect, Collect::Nothing));
    sum.io = Io::StdioOrFiles;
    let small = job(&sum, 100);
    // One byte beyond the limit shows that it was exceeded.
    let Collect::Named { bytes_max, .. } = small.collect else {
        panic!("{:?}", small.collect);
    };
    assert_eq!(bytes_max, sum.limits.output_bytes + 1);
    // The input lies there under two names.
    let input: usize = small.files.iter().map(|file| file.bytes.len()).sum();
    assert_eq!(input, 200);
    assert!(small.disk_bytes > sum.limits.output_bytes + 200);
    assert_eq!(job(&sum, 1_100).disk_bytes, small.disk_bytes + 2_000);
    sum.limits.output_bytes += 5_000;
    assert_eq!(job(&sum, 100).disk_bytes, small.disk_bytes + 5_000);
}

#[test]
fn only_what_is_done_is_told_of() {
    let (course, mut sum) = (Course::new(), sum(2));
    assert_eq!(course.says(&sum, prints(["", "3\n", "3\n"])), "AC 1 2 0");
    let running = |done, of| Progress::Running { done, of };
    let all = [Progress::Building, running(0, 2), running(1, 2)];
    assert_eq!(course.told(), all);
    course.says(&sum, []);
    assert_eq!(course.told(), [], "nothing was missing");
    sum.tests.push(test("hack/evil", "3\n"));
    course.says(&sum, [Outcome::printed("3\n")]);
    assert_eq!(course.told(), [running(2, 3)]);
}

#[test]
fn what_was_printed_on_the_first_failing_test_is_shown_and_of_no_other() {
    let mut course = Course::new();
    course.rules.stop_at_first_failure = false;
    let mut sum = sum(2);
    let script = prints(["", "7\n", "8\n"]);
    let both = course.judge(&sum, script).unwrap();
    assert_eq!(both.judgement.first_failing, Some(0));
    assert_eq!(both.printed.as_deref(), Some(&b"7\n"[..]));
    // One more fails now, and the first is known from before.
    sum.tests.push(test("hack/evil", "3\n"));
    let hacked = course.judge(&sum, [Outcome::printed("9\n")]).unwrap();
    assert_eq!(hacked.judgement.first_failing, Some(0));
    assert_eq!(hacked.printed.as_deref(), Some(&b"7\n"[..]));
    sum.tests.drain(..2);
    let rest = course.judge(&sum, []).unwrap().printed;
    assert_eq!(rest.as_deref(), Some(&b"9\n"[..]));
    sum.tests[0] = test("hack/evil", "9\n");
    assert_eq!(course.judge(&sum, []).unwrap().printed, None);
}

#[test]
fn a_run_is_known_of_its_program_and_under_its_policy_alone() {
    let mut course = Course::new();
    let printed = Outcome::printed;
    let sum = sum(1);
    assert_eq!(course.says(&sum, [printed(""), printed("3\n")]), "AC 1 1 0");
    // Another program under the same policy, and the same one under another.
    course.source = Arc::from(*b"print(4)");
    assert_eq!(course.says(&sum, [printed(""), printed("4\n")]), "WA 1 1 0");
    course.rules.policy = Digest([1; 32]);
    assert_eq!(course.says(&sum, [printed("3\n")]), "AC 0 1 0");
    course.rules.policy = Digest([0; 32]);
    assert_eq!(course.says(&sum, []), "WA 0 0 0");
    course.source = Arc::from(*b"print(3)");
    assert_eq!(course.says(&sum, []), "AC 0 0 0");
}
