//! Makes the report document of a judgement. Here untrusted bytes become text that is bounded and
//! harmless.

use std::collections::BTreeMap;
use std::time::Duration;

use super::advice::{hints, hints_of_words};
use super::explained::ExplanationPart;
use super::schema::{
    CasePart, ChangePart, CompilerPart, DifferencePart, DisclosurePart, DisclosureWord, Document,
    HoldWord, LimitsPart, ProtectionPart, ProvenancePart, SubmissionPart, TestPart, VERSION,
};
use super::score::{GroupPart, ScorePart};
use super::units::{NAME_CHARACTERS_MAX, SENTENCE_CHARACTERS_MAX, line};
use crate::domain::bounds::{COMPILER_WORDS_BYTES_MAX, PROGRAM_WORDS_CHARACTERS_MAX};
use crate::domain::{
    Cause, Change, Difference, Disclosure, Disclosures, HowBuilt, Judgement, Limits, Provenance,
    SourceFile, Submission, TestKind, TestResult, TimeFactor, Verdict,
};
use crate::package::Io;
use crate::sandbox::{Hold, Protection};
use crate::util::clock::utc_text;
use crate::util::excerpt::decode;

/// Standard error of one test that is shown, in bytes.
const STDERR_SHOWN_BYTES_MAX: usize = 4 * 1024;
/// Standard error of all tests of one group together, in bytes; the first tests have it, and the
/// first failing one beside them.
/// Each group has its own, so that what is shown of one tells nothing of another that is not shown.
const STDERR_OF_A_GROUP_BYTES_MAX: usize = 20 * 1024;
/// One side of a difference, in characters.
const DIFFERENCE_CHARACTERS_MAX: usize = 400;
/// Where a program's own files are while it runs.
const APP_FOLDER_BEFORE: &str = "/app/";
/// Beyond this, in bytes, names in what a compiler says are left as they are: a longer name must
/// not make it much longer.
const RENAMED_BYTES_MAX: usize = 2 * COMPILER_WORDS_BYTES_MAX;
/// Notes of one document.
const NOTES_MAX: usize = 50;
/// Verdicts that a report tells of, the latest ones.
const HISTORY_MAX: usize = 20;

/// What a report tells beside the judgement.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    pub source: &'a SourceFile,
    /// The limits that the judgement was made with.
    pub limits: &'a Limits,
    /// By how much the language's programs may take longer, which the limits have in them.
    pub time_factor: TimeFactor,
    /// The compiler or interpreter, as it names itself.
    pub language_version: &'a str,
    /// How it was built, in words for people.
    pub how_built: &'a HowBuilt,
    pub title: &'a str,
    /// How programs read their input.
    pub io: Io,
    /// The verdicts before this one, and this one last where it is another.
    pub history: &'a [Change],
    /// What the sandbox enforced.
    pub protections: &'a [Protection],
    /// What else there is to know.
    pub notes: &'a [String],
    /// What the judgement was made from.
    pub provenance: Option<&'a Provenance>,
    /// What students are told of the tests.
    pub disclosures: Disclosures,
    /// What went wrong on the first failing test: bounded and printable.
    pub case: Option<&'a CasePart>,
    /// What was found out in idle time: bounded and printable.
    pub explanation: Option<&'a ExplanationPart>,
    /// When it was judged, in milliseconds since 1970 UTC.
    pub judged_ms: i64,
}

/// What reports are made from. The source lies in the store once, and not in each document again.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What is said of the submission.
    pub document: &'a Document,
    /// Its source, as the bytes it is.
    pub source: &'a [u8],
}

/// The document of a judgement.
pub fn document(submission: &Submission, judgement: &Judgement, context: &Context) -> Document {
    let mut document = without_words(submission, judgement, context);
    let hints = hints_of_words(&document);
    let hints = hints.iter().map(|hint| line(hint, SENTENCE_CHARACTERS_MAX));
    document.hints.extend(hints);
    document
}

/// The document without the hints that follow from what stands in it.
fn without_words(submission: &Submission, judgement: &Judgement, context: &Context) -> Document {
    let words = decode(&judgement.compiler_words, COMPILER_WORDS_BYTES_MAX);
    let how = context.how_built;
    let mut stderr = StderrShare::default();
    let failing = judgement.failing();
    Document {
        version: VERSION,
        submission: SubmissionPart {
            id: submission.id.0,
            student: submission.student.to_string(),
            problem: submission.problem.to_string(),
            problem_title: line(context.title, NAME_CHARACTERS_MAX),
            language: submission.language.to_string(),
            attempt: submission.attempt,
            file_name: line(&context.source.name, NAME_CHARACTERS_MAX),
            source_digest: context.source.digest.to_string(),
            received_at: utc_text(submission.received_ms),
        },
        verdict: judgement.verdict,
        verdict_words: judgement.verdict.words().to_owned(),
        cause: judgement.cause.clone(),
        cause_words: judgement.cause.as_ref().map(Cause::words),
        score: ScorePart::shown(judgement.score),
        groups: judgement.groups.iter().map(GroupPart::of).collect(),
        first_failing_test: failing.map(|result| line(&result.test.name, NAME_CHARACTERS_MAX)),
        tests: judgement
            .tests
            .iter()
            .enumerate()
            .map(|(index, result)| {
                let is_first_failing = judgement.first_failing == Some(index);
                test(result, stderr.of(result, is_first_failing), how)
            })
            .collect(),
        case: context.case.cloned(),
        explanation: context.explanation.cloned(),
        hints: hints(&submission.language, context.source, judgement, context.io)
            .iter()
            .map(|hint| line(hint, SENTENCE_CHARACTERS_MAX))
            .collect(),
        history: history(context.history),
        compiler: CompilerPart {
            words: renamed(&words.text, how),
            encoding: words.encoding.map(str::to_owned),
            cut: words.cut,
        },
        limits: limits(context.limits, context.time_factor),
        language_version: line(context.language_version, NAME_CHARACTERS_MAX),
        language_name: line(&how.language, NAME_CHARACTERS_MAX),
        built_with: how
            .build
            .iter()
            .map(|command| line(command, SENTENCE_CHARACTERS_MAX))
            .collect(),
        started_with: how
            .start
            .as_ref()
            .map(|command| line(command, SENTENCE_CHARACTERS_MAX)),
        protections: context.protections.iter().map(protection).collect(),
        provenance: context.provenance.map(provenance),
        disclosure: disclosure(context.disclosures),
        notes: context
            .notes
            .iter()
            .take(NOTES_MAX)
            .map(|note| line(note, SENTENCE_CHARACTERS_MAX))
            .collect(),
        judged_at: utc_text(context.judged_ms),
        time_zone: None,
    }
}

/// What a compiler or a traceback says, with the name by which the author knows the file.
/// Facts stay as they were measured: equal sources of two students share them.
fn renamed(text: &str, how: &HowBuilt) -> String {
    let (from, to) = (how.source_name.as_str(), how.author_name.as_str());
    if from == to || from.is_empty() {
        return text.to_owned();
    }
    let is_of_a_name =
        |character: char| character.is_alphanumeric() || "._-+/\\".contains(character);
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        let after = &found[from.len()..];
        renamed.push_str(before);
        let in_app = renamed.strip_suffix(APP_FOLDER_BEFORE).map(str::len);
        let begins = in_app.is_some() || !renamed.ends_with(is_of_a_name);
        // A full stop or a hyphen may follow a name, but no longer name.
        let ends = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        let has_room = renamed.len() <= RENAMED_BYTES_MAX;
        if begins && ends && has_room {
            renamed.truncate(in_app.unwrap_or(renamed.len()));
            renamed.push_str(to);
        } else {
            renamed.push_str(from);
        }
        rest = after;
    }
    renamed + rest
}

/// A single verdict has no history.
fn history(changes: &[Change]) -> Vec<ChangePart> {
    if changes.len() < 2 {
        return Vec::new();
    }
    let latest = changes.len().saturating_sub(HISTORY_MAX);
    changes[latest..]
        .iter()
        .map(|Change { published, because }| {
            let failing = published.first_failing_test.as_deref();
            ChangePart {
                at: utc_text(published.judged_ms),
                verdict: published.verdict,
                score: ScorePart::shown(published.score),
                first_failing_test: failing.map(|name| line(name, NAME_CHARACTERS_MAX)),
                because: line(because, SENTENCE_CHARACTERS_MAX),
            }
        })
        .collect()
}

fn disclosure(disclosures: Disclosures) -> DisclosurePart {
    let word = |disclosure| match disclosure {
        Disclosure::VerdictOnly => DisclosureWord::VerdictOnly,
        Disclosure::FirstFailure => DisclosureWord::FirstFailure,
        Disclosure::Full => DisclosureWord::Full,
    };
    DisclosurePart {
        sample: word(disclosures.sample),
        secret: word(disclosures.secret),
        hack: word(disclosures.hack),
        counterexample: disclosures.counterexample.to_string(),
    }
}

fn provenance(provenance: &Provenance) -> ProvenancePart {
    ProvenancePart {
        artifact: provenance.artifact.to_string(),
        toolchain: provenance.toolchain.to_string(),
        package: provenance.package.to_string(),
        limits: provenance.limits.to_string(),
        policy: provenance.policy.to_string(),
        fold: provenance.fold.to_string(),
        machine: line(&provenance.machine, SENTENCE_CHARACTERS_MAX),
    }
}

/// How much of standard error was shown of each group.
#[derive(Default)]
struct StderrShare {
    used: BTreeMap<TestKind, usize>,
}

impl StderrShare {
    /// How much of this test's is shown, in bytes.
    fn of(&mut self, result: &TestResult, is_first_failing: bool) -> usize {
        if is_first_failing {
            return STDERR_SHOWN_BYTES_MAX;
        }
        let used = self.used.entry(result.test.kind).or_default();
        let left = STDERR_OF_A_GROUP_BYTES_MAX - *used;
        let share = result.stderr.len().min(STDERR_SHOWN_BYTES_MAX).min(left);
        *used += share;
        share
    }
}

fn test(result: &TestResult, stderr_bytes_max: usize, how: &HowBuilt) -> TestPart {
    let stderr = decode(&result.stderr, stderr_bytes_max);
    TestPart {
        name: line(&result.test.name, NAME_CHARACTERS_MAX),
        kind: result.test.kind,
        verdict: result.verdict,
        cause: result.cause.clone(),
        ended_by_itself: result.ended_by_itself,
        input_digest: Some(result.test.input.to_string()),
        expected_digest: Some(result.test.expected.to_string()),
        withheld: false,
        measurements: result.measurements,
        busy: result.busy,
        waited_ms: milliseconds(result.waited),
        cpu_ms: milliseconds(result.cpu),
        wall_ms: milliseconds(result.wall),
        memory_kib: result.memory_bytes.div_ceil(1024),
        output_bytes: result.output_bytes,
        difference: result.difference.as_ref().map(difference),
        checker: result
            .checker
            .as_ref()
            .map(|words| line(words, PROGRAM_WORDS_CHARACTERS_MAX)),
        stderr: renamed(&stderr.text, how),
        judge_message: result
            .judge_message
            .as_ref()
            .map(|words| line(words, PROGRAM_WORDS_CHARACTERS_MAX)),
    }
}

fn difference(difference: &Difference) -> DifferencePart {
    DifferencePart {
        line: difference.line as u64,
        column: difference.column as u64,
        expected: line(&difference.expected, DIFFERENCE_CHARACTERS_MAX),
        got: line(&difference.got, DIFFERENCE_CHARACTERS_MAX),
    }
}

fn limits(limits: &Limits, time_factor: TimeFactor) -> LimitsPart {
    LimitsPart {
        cpu_ms: milliseconds(limits.cpu),
        time_factor_percent: time_factor.percent(),
        wall_ms: milliseconds(limits.wall),
        memory_kib: limits.memory_bytes / 1024,
        output_bytes: limits.output_bytes,
        processes: limits.processes,
        open_files: limits.open_files,
    }
}

fn protection(protection: &Protection) -> ProtectionPart {
    ProtectionPart {
        name: protection.name.to_owned(),
        hold: match protection.hold {
            Hold::On => HoldWord::On,
            Hold::Weak => HoldWord::Weak,
            Hold::Missing => HoldWord::Missing,
        },
        // Behind the semicolon of a weak one stands why, with this machine's paths: that is for
        // `doctor`.
        how: match protection.hold {
            Hold::On => line(&protection.how, SENTENCE_CHARACTERS_MAX),
            Hold::Weak | Hold::Missing => line(
                protection.how.split("; ").next().unwrap_or_default(),
                SENTENCE_CHARACTERS_MAX,
            ),
        },
    }
}

impl Document {
    /// The first failing test.
    pub(super) fn failing(&self) -> Option<&TestPart> {
        let name = self.first_failing_test.as_ref()?;
        self.tests.iter().find(|test| &test.name == name)
    }

    /// The most CPU time on one test, in milliseconds; none where nothing was run.
    pub fn slowest_ms(&self) -> Option<u32> {
        let ran = self
            .tests
            .iter()
            .filter(|test| test.verdict != Verdict::Skipped);
        let slowest = ran.map(|test| test.cpu_ms).max()?;
        Some(u32::try_from(slowest).unwrap_or(u32::MAX))
    }
}

/// Rounds up: a program that ran never took no time, and one over a limit is never shown as below
/// it.
fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{RENAMED_BYTES_MAX, renamed};
    use crate::domain::HowBuilt;

    #[test]
    fn messages_name_the_file_as_its_author_does() {
        let how = |source: &str, author: &str| HowBuilt {
            source_name: source.to_owned(),
            author_name: author.to_owned(),
            ..HowBuilt::default()
        };
        for (source, said, told) in [
            ("main.cpp", "main.cpp:3:5: error", "my sum.x:3:5: error"),
            (
                "main.cpp",
                "In file included from main.cpp:1:",
                "In file included from my sum.x:1:",
            ),
            (
                "main.py",
                "  File \"/app/main.py\", line 3",
                "  File \"my sum.x\", line 3",
            ),
            ("main.pas", "main.pas(3,5) Error", "my sum.x(3,5) Error"),
            (
                "main.pl",
                "error at main.pl line 3.",
                "error at my sum.x line 3.",
            ),
            (
                "main.c",
                "domain.c main.cpp x/main.c main.c_",
                "domain.c main.cpp x/main.c main.c_",
            ),
            ("main.c", "main.c", "my sum.x"),
            ("main.c", "`main.c'. main.c.", "`my sum.x'. my sum.x."),
        ] {
            assert_eq!(renamed(said, &how(source, "my sum.x")), told);
        }
        assert_eq!(renamed("A.java:3", &how("A.java", "A.java")), "A.java:3");
        let many = "m.c ".repeat(RENAMED_BYTES_MAX / 4);
        let long = "x".repeat(60) + ".c";
        assert!(renamed(&many, &how("m.c", &long)).len() < 2 * RENAMED_BYTES_MAX);
    }
}
