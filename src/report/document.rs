//! Makes the report document of a judgement. Here untrusted bytes become text that is bounded and
//! harmless.

use std::collections::BTreeMap;
use std::time::Duration;

use super::advice::hints;
use super::schema::{
    CompilerOutput, Document, PastVerdict, ShownCase, ShownLimits, Submitted, TestReport, VERSION,
};
use super::units::{NAME_CHARACTERS_MAX, SENTENCE_CHARACTERS_MAX, line};
use crate::domain::bounds::{COMPILER_WORDS_BYTES_MAX, PROGRAM_WORDS_CHARACTERS_MAX};
use crate::domain::{
    Cause, Change, Counterexample, Difference, Disclosures, Explanation, Given, GroupResult,
    HowBuilt, Judgement, Limits, Provenance, Reason, RunFacts, SourceFile, Submission, TestKind,
    TestResult, TimeFactor,
};
use crate::package::Io;
use crate::sandbox::{Hold, Protection};
use crate::util::archive::shown;
use crate::util::clock::utc_text;
use crate::util::excerpt::{decode, visible_line};

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
/// An input or an output that was found, in bytes; of a longer one the beginning is shown.
const FOUND_BYTES_MAX: usize = 16 * 1024;
/// Reasons of one report.
const CAUSES_MAX: usize = 20;

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
    /// What students see of the tests.
    pub disclosures: Disclosures,
    /// What went wrong on the first failing test: bounded and printable.
    pub case: Option<&'a ShownCase>,
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
    let mut document = without_hints(submission, judgement, context);
    let found = hints(&document, &shown(context.source), context.io);
    document.hints = found.iter().map(|hint| sentence(hint)).collect();
    document
}

/// The document without the hints that follow from what stands in it.
fn without_hints(submission: &Submission, judgement: &Judgement, context: &Context) -> Document {
    let words = decode(&judgement.compiler_words, COMPILER_WORDS_BYTES_MAX);
    let how = context.how_built;
    let mut stderr = StderrShare::default();
    let tests = judgement.tests.iter().enumerate().map(|(index, result)| {
        let is_first_failing = judgement.first_failing == Some(index);
        test(result, stderr.of(result, is_first_failing), how)
    });
    Document {
        version: VERSION,
        submission: Submitted {
            id: submission.id.0,
            student: submission.student.clone(),
            problem: submission.problem.clone(),
            problem_title: name(context.title),
            language: submission.language.clone(),
            attempt: submission.attempt,
            file_name: name(&context.source.name),
            source_digest: context.source.digest.to_string(),
            received_at: utc_text(submission.received_ms),
        },
        verdict: judgement.verdict,
        verdict_words: judgement.verdict.words().to_owned(),
        cause: judgement.cause.clone(),
        cause_words: judgement.cause.as_ref().map(Cause::words),
        score: judgement.score.shown(),
        groups: judgement.groups.iter().map(group).collect(),
        first_failing_test: judgement.failing().map(|result| name(&result.test.name)),
        tests: tests.collect(),
        case: context.case.cloned(),
        explanation: None,
        hints: Vec::new(),
        history: history(context.history),
        compiler: CompilerOutput {
            words: renamed(&words.text, how),
            encoding: words.encoding.map(str::to_owned),
            cut: words.cut,
        },
        limits: limits(context.limits, context.time_factor),
        language_version: name(context.language_version),
        language_name: name(&how.language),
        built_with: how.build.iter().map(|command| sentence(command)).collect(),
        started_with: how.start.as_deref().map(sentence),
        protections: context.protections.iter().map(protection).collect(),
        provenance: context.provenance.map(|from| Provenance {
            machine: sentence(&from.machine),
            ..from.clone()
        }),
        disclosure: context.disclosures,
        notes: {
            let notes = context.notes.iter().take(NOTES_MAX);
            notes.map(|note| sentence(note)).collect()
        },
        judged_at: utc_text(context.judged_ms),
        time_zone: None,
    }
}

/// A name, a path or a version: one line, bounded.
fn name(text: &str) -> String {
    line(text, NAME_CHARACTERS_MAX)
}

/// A note or a reason: one line, bounded.
fn sentence(text: &str) -> String {
    line(text, SENTENCE_CHARACTERS_MAX)
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
fn history(changes: &[Change]) -> Vec<PastVerdict> {
    if changes.len() < 2 {
        return Vec::new();
    }
    let latest = changes.len().saturating_sub(HISTORY_MAX);
    let past = |Change { published, because }: &Change| PastVerdict {
        at: utc_text(published.judged_ms),
        verdict: published.verdict,
        score: published.score.shown(),
        first_failing_test: published.first_failing_test.as_deref().map(name),
        because: sentence(because),
    };
    changes[latest..].iter().map(past).collect()
}

fn group(group: &GroupResult) -> GroupResult {
    GroupResult {
        name: visible_line(&group.name),
        lacks: group.lacks.as_deref().map(visible_line),
        ..group.clone()
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
        let length = result.run.as_ref().map_or(0, |run| run.stderr.len());
        let share = length.min(STDERR_SHOWN_BYTES_MAX).min(left);
        *used += share;
        share
    }
}

fn test(result: &TestResult, stderr_bytes_max: usize, how: &HowBuilt) -> TestReport {
    let run = result.run.as_deref();
    let stderr = run.map_or(&[][..], |run| &run.stderr);
    let stderr = decode(stderr, stderr_bytes_max);
    let time = |of: fn(&RunFacts) -> Duration| milliseconds(run.map_or(Duration::ZERO, of));
    let said = |words: &String| line(words, PROGRAM_WORDS_CHARACTERS_MAX);
    TestReport {
        name: name(&result.test.name),
        kind: result.test.kind,
        verdict: result.said.verdict,
        cause: result.said.cause.clone(),
        ended_by_itself: result.ended_by_itself(),
        input_digest: Some(result.test.input.to_string()),
        expected_digest: Some(result.test.expected.to_string()),
        withheld: false,
        measurements: run.map_or(0, |run| run.measurements),
        busy: run.map_or(0, |run| run.busy),
        waited_ms: time(|run| run.waited),
        cpu_ms: time(|run| run.cpu),
        wall_ms: time(|run| run.wall),
        memory_kib: result.memory_bytes().div_ceil(1024),
        output_bytes: result.output_bytes(),
        difference: result
            .said
            .difference
            .as_ref()
            .map(|difference| Difference {
                expected: line(&difference.expected, DIFFERENCE_CHARACTERS_MAX),
                got: line(&difference.got, DIFFERENCE_CHARACTERS_MAX),
                ..difference.clone()
            }),
        checker: result.said.words.as_ref().map(said),
        given: {
            let given = result.test.group.and(result.said.given);
            given.map(Given::words)
        },
        stderr: renamed(&stderr.text, how),
        judge_message: result.said.judge_message.as_ref().map(said),
    }
}

fn limits(limits: &Limits, time_factor: TimeFactor) -> ShownLimits {
    ShownLimits {
        cpu_ms: milliseconds(limits.cpu),
        time_factor_percent: time_factor.percent(),
        wall_ms: milliseconds(limits.wall),
        memory_kib: limits.memory_bytes / 1024,
        output_bytes: limits.output_bytes,
        processes: limits.processes,
        open_files: limits.open_files,
    }
}

fn protection(protection: &Protection) -> Protection {
    let how = match protection.hold {
        Hold::On => Some(protection.how.as_str()),
        // Behind the semicolon of a weak one stands why, with this machine's paths: that is for
        // `doctor`.
        Hold::Weak | Hold::Missing => protection.how.split("; ").next(),
    };
    Protection {
        how: sentence(how.unwrap_or_default()),
        fix: None,
        ..protection.clone()
    }
}

/// What a report tells of what was found out. `is_shown`: whether its student is shown the
/// counterexample now.
pub fn reported(found: &Explanation, is_shown: bool) -> Explanation {
    Explanation {
        counterexample: found.counterexample.as_ref().map(bounded),
        causes: found.causes.iter().take(CAUSES_MAX).map(reason).collect(),
        is_shown: Some(is_shown),
        ..found.clone()
    }
}

/// Evidence may quote what the program printed.
fn reason(reason: &Reason) -> Reason {
    Reason {
        code: name(&reason.code),
        summary: sentence(&reason.summary),
        evidence: sentence(&reason.evidence),
    }
}

/// At most so much of an input that makes a program fail as is shown.
fn bounded(found: &Counterexample) -> Counterexample {
    let beginning = |text: &str| text[..text.floor_char_boundary(FOUND_BYTES_MAX)].to_owned();
    let texts = [&found.input, &found.expected, &found.printed];
    let cut = texts.iter().any(|text| text.len() > FOUND_BYTES_MAX);
    let [input, expected, printed] = texts.map(|text| beginning(text));
    Counterexample {
        input,
        expected,
        printed,
        cut: Some(cut),
        task: found.task.clone().filter(|_| !cut),
        witness: found.witness.as_deref().map(beginning),
        ..found.clone()
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
        // The file's name stands where `@` is.
        for (source, said) in [
            ("main.cpp", "@:3:5: error"),
            ("main.cpp", "In file included from @:1:"),
            ("main.pas", "@(3,5) Error"),
            ("main.pl", "error at @ line 3."),
            ("main.c", "domain.c main.cpp x/main.c main.c_"),
            ("main.c", "@"),
            ("main.c", "`@'. @."),
        ] {
            let [said, told] = [source, "my sum.x"].map(|name| said.replace('@', name));
            assert_eq!(renamed(&said, &how(source, "my sum.x")), told);
        }
        let (said, told) = ("  File \"/app/main.py\"", "  File \"my sum.x\"");
        assert_eq!(renamed(said, &how("main.py", "my sum.x")), told);
        assert_eq!(renamed("A.java:3", &how("A.java", "A.java")), "A.java:3");
        let many = "m.c ".repeat(RENAMED_BYTES_MAX / 4);
        let long = "x".repeat(60) + ".c";
        assert!(renamed(&many, &how("m.c", &long)).len() < 2 * RENAMED_BYTES_MAX);
    }
}
