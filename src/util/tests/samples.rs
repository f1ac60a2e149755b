//! The domain's nouns, made up for tests.

use std::sync::Arc;
use std::time::Duration;

pub use crate::domain::group;
use crate::domain::{
    Build, Cause, Change, Compared, Counterexample, Difference, Digest, End, FileRef, GroupPoints,
    Groups, Judgement, LanguageId, Limits, Manifest, Output, ProblemSlug, Published, Rejection,
    RejectionKind, RunFacts, Score, Scoring, SourceFile, Speed, Stop, Student, Submission,
    SubmissionId, TestKind, TestRef, TestResult, Verdict,
};
use crate::util::hash;

/// When the first attempt was received.
pub const RECEIVED_MS: i64 = 1_772_368_200_123;

pub fn student(name: &str) -> Student {
    Student::new(name).unwrap()
}

pub fn slug(name: &str) -> ProblemSlug {
    ProblemSlug::new(name).unwrap()
}

/// Its number is its attempt's too, and each was received a minute after the one before.
pub fn submission(number: u32, name: &str, problem: &str) -> Submission {
    Submission {
        id: SubmissionId(i64::from(number)),
        student: student(name),
        problem: slug(problem),
        language: LanguageId::new("cpp").unwrap(),
        attempt: number,
        received_ms: RECEIVED_MS + i64::from(number) * 60_000,
    }
}

pub fn source(name: &str, text: impl AsRef<[u8]>) -> SourceFile {
    SourceFile {
        name: name.to_owned(),
        digest: hash::digest(text.as_ref()),
        bytes: Arc::from(text.as_ref()),
    }
}

/// What was measured of a machine.
pub const fn speed(least_ns: u64, spread_percent: f64) -> Speed {
    Speed {
        least_ns,
        spread_percent,
    }
}

/// Where two outputs differ, and what stands there.
pub fn difference(line: usize, column: usize, [expected, got]: [&str; 2]) -> Difference {
    let [expected, got] = [expected, got].map(str::to_owned);
    Difference {
        line,
        column,
        expected,
        got,
    }
}

/// An input on which a program that prints 2 fails.
pub fn counterexample(input: &str, found_by: &str) -> Counterexample {
    Counterexample {
        input: input.to_owned(),
        expected: "1\n".to_owned(),
        printed: "2\n".to_owned(),
        cut: None,
        cells: None,
        cases: 1,
        found_by: found_by.to_owned().into(),
        is_carried_over: false,
        witness: None,
        task: None,
    }
}

pub fn rejection(name: Option<&str>, path: &str) -> Rejection {
    Rejection {
        student: name.map(student),
        path: path.to_owned(),
        kind: RejectionKind::Extension,
        reason: "no such language".to_owned(),
        seen_ms: 0,
    }
}

/// What was got in two groups, the small one and the large one.
pub fn groups(of: [u32; 2], got: [u32; 2]) -> GroupPoints {
    let of = [("small".to_owned(), of[0]), ("large".to_owned(), of[1])].into();
    GroupPoints {
        of,
        got: got.into(),
    }
}

/// A first verdict without a cause.
pub fn change(verdict: Verdict, failing: Option<&str>, judged_ms: i64) -> Change {
    Change {
        published: Published {
            verdict,
            cause: None,
            score: Score::of_verdict(verdict),
            first_failing_test: failing.map(Arc::from),
            judged_ms,
            groups: None,
        },
        because: Arc::from("received"),
    }
}

/// An output that is kept whole.
pub fn output(printed: &[u8]) -> Output {
    Output {
        digest: hash::digest(printed),
        len_bytes: printed.len() as u64,
        kept: Some(hash::digest(printed)),
        file: None,
    }
}

/// A build that made these files.
pub fn build(files: Vec<FileRef>) -> Build {
    Build {
        result: Ok(Manifest { files, main: None }),
        words: Vec::new(),
        cpu: Duration::ZERO,
        language_version: "3".to_owned(),
    }
}

pub fn file(name: &str, digest: Digest, executable: bool) -> FileRef {
    FileRef {
        name: name.to_owned(),
        digest,
        executable,
    }
}

/// A run that took 12 ms, printed 42 bytes and ended by itself.
pub fn run() -> RunFacts {
    RunFacts {
        end: End::Exited(0),
        stop: None,
        memory_exceeded: false,
        measurements: 1,
        busy: 0,
        cpu: Duration::from_micros(12_345),
        wall: Duration::from_micros(20_001),
        waited: Duration::ZERO,
        memory_bytes: 3 << 20,
        output: Output {
            digest: hash::digest(b"printed"),
            len_bytes: 42,
            kept: None,
            file: None,
        },
        stderr: Vec::new(),
        caps: Limits {
            cpu: Duration::from_secs(2),
            wall: Duration::from_secs(5),
            memory_bytes: 256 << 20,
            output_bytes: 16 << 20,
            processes: 64,
            open_files: 64,
        },
        machine: Arc::from("Linux 6.8"),
    }
}

/// The run of a test, made up where it was not run, to be changed.
pub fn run_of(result: &mut TestResult) -> &mut RunFacts {
    Arc::make_mut(result.run.get_or_insert_with(|| Arc::new(run())))
}

/// What a test whose name says its kind came to, as if it had taken 12 ms.
pub fn test(name: &str, verdict: Verdict, cause: Option<Cause>) -> TestResult {
    let kind = name.split_once('/').and_then(|(kind, _)| kind.parse().ok());
    let test = TestRef {
        name: name.to_owned(),
        kind: kind.unwrap_or(TestKind::Secret),
        group: None,
        input: hash::digest(name.as_bytes()),
        expected: hash::digest(b"1\n"),
        told: None,
    };
    let stop = (verdict == Verdict::TimeLimit).then_some(Stop::Cpu);
    TestResult {
        said: Compared::plain(verdict, cause),
        run: (verdict != Verdict::Skipped).then(|| Arc::new(RunFacts { stop, ..run() })),
        ..TestResult::skipped(&test)
    }
}

/// The judgement that follows from these tests.
pub fn judged(tests: Vec<TestResult>) -> Judgement {
    let is_failing = |test: &TestResult| test.said.verdict != Verdict::Accepted;
    let first_failing = tests.iter().position(is_failing);
    let failing = first_failing.map(|index| &tests[index]);
    let verdict = failing.map_or(Verdict::Accepted, |test| test.said.verdict);
    Judgement {
        verdict,
        cause: failing.and_then(|test| test.said.cause.clone()),
        score: Score::of_verdict(verdict),
        groups: Vec::new(),
        compiler_words: Vec::new(),
        first_failing,
        tests,
    }
}

/// One passes, one fails like this, one is not run.
pub fn failing(verdict: Verdict, cause: Option<Cause>) -> Judgement {
    judged(vec![
        test("sample/1", Verdict::Accepted, None),
        test("secret/010-two-wide", verdict, cause),
        test("hack/evil", Verdict::Skipped, None),
    ])
}

/// Two groups of tests: one passed, and half of another, which together bring 65 of 100 points.
pub fn with_groups() -> Judgement {
    let easy = group("easy", 30, Scoring::All, &[]);
    let groups = Groups::new(vec![easy, group("hard", 70, Scoring::Sum, &[])]);
    let mut judgement = judged(vec![
        test("sample/1", Verdict::Accepted, None),
        test("secret/easy/1", Verdict::Accepted, None),
        test("secret/hard/1", Verdict::WrongAnswer, None),
        test("secret/hard/2", Verdict::Accepted, None),
    ]);
    let places = [None, Some(0), Some(1), Some(1)];
    for (test, group) in judgement.tests.iter_mut().zip(places) {
        test.test.group = group;
    }
    let tests = judgement.tests.iter();
    judgement.groups = groups.results(tests.map(|test| (test.test.group, test.said.verdict, None)));
    judgement.score = groups.score(judgement.verdict, &judgement.groups);
    judgement
}
