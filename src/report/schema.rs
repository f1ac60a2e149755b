//! The shape of the report document; that of the lines of verdicts.jsonl is in `log_schema`.
//!
//! They are a contract with other programs: `report.schema.json` and `verdicts.schema.json` beside this file are made from them, and a test holds them to it.
//! A field may be added with `VERSION` as it is; one that changes its meaning or goes needs a new `VERSION`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Deserializer, Serialize};

use crate::domain::{
    Attempt, Cause, Difference, Disclosures, Explanation, GroupResult, LanguageId, ProblemSlug,
    Provenance, Score, Speaker, Student, TestKind, Verdict, WhenShown,
};
use crate::sandbox::Protection;

/// The version of both shapes.
pub const VERSION: u32 = 1;

/// What is said of one submission, and from what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// The version of this shape.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// What was judged.
    pub submission: Submitted,
    /// The verdict of the first failing test in order, or AC.
    pub verdict: Verdict,
    /// The verdict in words.
    pub verdict_words: String,
    /// What refines the verdict: `cpu`, `exit-1`, `sigsegv`, `differs`, `compiler`.
    pub cause: Option<Cause>,
    /// The cause in words.
    pub cause_words: Option<String>,
    /// The points; none where the problem has no groups of tests, and only the verdict counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// What each group of tests brings to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupResult>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// One result a test, in the tests' order; none for a program that could not be built.
    pub tests: Vec<TestReport>,
    /// What went wrong on the first failing test, as far as it is known.
    #[serde(default)]
    pub case: Option<ShownCase>,
    /// What the daemon found out by running the program on further inputs, while nothing else had to be judged; absent before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// What to look at first, where the source and the output show a mistake that many people make.
    #[serde(default)]
    pub hints: Vec<String>,
    /// The verdicts that the submission has had, this one last; none while it has had no other.
    #[serde(default)]
    pub history: Vec<PastVerdict>,
    /// What the compiler printed, errors or warnings.
    pub compiler: CompilerOutput,
    /// What the program was allowed to use on one test.
    pub limits: ShownLimits,
    /// The compiler or interpreter, as it names itself.
    pub language_version: String,
    /// The language's name and version, for people: `C++17 (g++ 12.2.0)`.
    #[serde(default)]
    pub language_name: String,
    /// The commands that built it, with the file's own name; none where its source is what is started.
    #[serde(default)]
    pub built_with: Vec<String>,
    /// The command that starts it, where that is more than the program itself.
    #[serde(default)]
    pub started_with: Option<String>,
    /// What the sandbox enforced; none in a student's report.
    pub protections: Vec<Protection>,
    /// What the verdict was made from, so that anyone can tell whether two verdicts rest on the same ground.
    #[serde(default)]
    pub provenance: Option<Provenance>,
    /// What students see of the tests.
    #[serde(default = "Disclosures::least", deserialize_with = "told")]
    pub disclosure: Disclosures,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// When it was judged, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub judged_at: String,
    /// The time zone on whose clock people read these times, as `Europe/Oslo`; UTC where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// What was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Submitted {
    /// The submission's number.
    pub id: i64,
    /// The student, as the submissions folder spells the name.
    pub student: Student,
    /// The problem's folder name.
    pub problem: ProblemSlug,
    /// The problem's title; empty where another version has written the report.
    #[serde(default)]
    pub problem_title: String,
    /// The language's key.
    pub language: LanguageId,
    /// How often the student has handed in something new for this problem, from 1.
    #[schemars(range(min = 1))]
    pub attempt: Attempt,
    /// The name that the file had.
    pub file_name: String,
    /// BLAKE3 digest of the source, 64 hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub source_digest: String,
    /// When it was received, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub received_at: String,
}

/// What one test says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestReport {
    /// The test's name: `sample/1`, `secret/010-two-wide`, `hack/evil`.
    pub name: String,
    /// Where the test comes from: `sample`, `secret` or `hack`.
    pub kind: TestKind,
    /// The verdict on it; SK where it was not run.
    pub verdict: Verdict,
    /// What refines the verdict.
    pub cause: Option<Cause>,
    /// Whether the program ended by itself and was not stopped.
    #[serde(default)]
    pub ended_by_itself: bool,
    /// BLAKE3 digest of the input.
    #[serde(default)]
    pub input_digest: Option<String>,
    /// BLAKE3 digest of the expected output.
    #[serde(default)]
    pub expected_digest: Option<String>,
    /// Whether students are told its verdict and no more: then times and memory are rounded up to quarters of the limits, and the rest is left out.
    #[serde(default)]
    pub withheld: bool,
    /// How often it was measured; the least CPU time counts.
    #[serde(default = "once")]
    pub measurements: u32,
    /// How many of these were on a core that other work kept busy; they do not count against the program.
    #[serde(default)]
    pub busy: u32,
    /// For how long the machine kept it waiting, at least; of several measurements the most, in milliseconds.
    #[serde(default)]
    pub waited_ms: u64,
    /// CPU time of all processes, in milliseconds.
    pub cpu_ms: u64,
    /// Wall-clock time, in milliseconds.
    pub wall_ms: u64,
    /// Most memory in use at one time, in KiB.
    pub memory_kib: u64,
    /// Length of the output, in bytes.
    pub output_bytes: u64,
    /// The first place where the output is not the expected one.
    pub difference: Option<Difference>,
    /// What the problem's checker says of the output, where it has one that says something.
    #[serde(default)]
    pub checker: Option<String>,
    /// What the checker gives to it, where it is accepted and that is not all that it can bring:
    /// `12.5 points`, `40 % of its points`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// What the checker says to the judges, or that every measurement was made on a busy machine; never in a student's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_message: Option<String>,
    /// The beginning of what the program wrote to standard error, decoded; unprintable characters as `\u{1b}`.
    pub stderr: String,
}

fn once() -> u32 {
    1
}

impl TestReport {
    /// Whether it was run: what is not, an earlier test has decided.
    pub(super) fn was_run(&self) -> bool {
        self.verdict != Verdict::Skipped
    }
}

/// The case of the first failing test that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownCase {
    /// Which case of the test: `dataset 7 of 100`; none where the test as a whole is shown.
    pub title: Option<String>,
    /// Why this case is shown, in words.
    pub words: String,
    /// Whether the output only stops here, so that this case need not be the one that fails.
    #[serde(default)]
    pub stops_here: bool,
    /// The built-in problem that can draw the input, where one can and the input is whole.
    pub task: Option<String>,
    /// The input: of this case alone where there is a title, a valid input by itself.
    pub input: Excerpt,
    /// The whole answer to that input, where the expected lines are numbered otherwise in the test.
    pub answer: Option<String>,
    /// What was expected.
    pub expected: Excerpt,
    /// What was printed, where that is known.
    pub got: Option<Excerpt>,
    /// What was said, where the program talked with one of the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub talk: Option<ShownTalk>,
}

/// What a program and one of the problem said to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownTalk {
    /// How it ended, in words.
    pub ended: String,
    /// What was said, in its order.
    pub lines: Vec<ShownLine>,
}

/// A line of a talk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownLine {
    /// Whose it is: the program's or the interactor's; a pass begins with a line of its own, and so does what was said after lines that are left out.
    pub by: Speaker,
    /// The line; unprintable characters as `\u{1b}`, bytes that are not UTF-8 as `\xff`.
    pub text: String,
}

/// A verdict that a submission has had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PastVerdict {
    /// Since when, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// The verdict from then on.
    pub verdict: Verdict,
    /// The points from then on, where the problem has groups of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// Why it was judged: `received`, `hack/evil joined`, `the limits changed`.
    pub because: String,
}

/// A part of an input or an output, bounded and printable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Excerpt {
    /// The text; unprintable characters as `\u{1b}`, bytes that are not UTF-8 as `\xff`.
    pub text: String,
    /// The number of its first line in the whole, from 1.
    #[schemars(range(min = 1))]
    pub first_line: u64,
    /// What differs.
    pub mark: Option<Mark>,
    /// Whether something was left out before it.
    pub cut_before: bool,
    /// Whether something was left out after it.
    pub cut_after: bool,
}

/// A part of a text, counted in characters from 0; empty where the text ends although more was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Its first character.
    pub start: u64,
    /// The character after its last one.
    pub end: u64,
}

/// What the compiler printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompilerOutput {
    /// Its words, decoded and bounded.
    pub words: String,
    /// The encoding that was guessed, where they are not UTF-8.
    pub encoding: Option<String>,
    /// Whether there was more.
    pub cut: bool,
}

/// What a program may use on one test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShownLimits {
    /// CPU time of all processes, in milliseconds.
    pub cpu_ms: u64,
    /// The language's time factor in per cent, which is in the CPU time already; none where it is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_factor_percent: Option<u32>,
    /// Wall-clock time, in milliseconds.
    pub wall_ms: u64,
    /// Memory of all processes, in KiB.
    pub memory_kib: u64,
    /// Output, in bytes.
    pub output_bytes: u64,
    /// Processes and threads at one time.
    pub processes: u32,
    /// Open files of one process.
    pub open_files: u32,
}

impl ShownLimits {
    /// The problem's own limit of CPU time, in milliseconds.
    pub fn cpu_ms_without_factor(&self) -> u64 {
        self.cpu_ms * 100 / u64::from(self.time_factor_percent.unwrap_or(100).max(1))
    }
}

impl Document {
    /// The first failing test.
    pub(super) fn failing(&self) -> Option<&TestReport> {
        let name = self.first_failing_test.as_ref()?;
        self.tests.iter().find(|test| &test.name == name)
    }

    /// The most CPU time on one test, in milliseconds; none where nothing was run.
    pub fn slowest_ms(&self) -> Option<u32> {
        let ran = self.tests.iter().filter(|test| test.was_run());
        let slowest = ran.map(|test| test.cpu_ms).max()?;
        Some(u32::try_from(slowest).unwrap_or(u32::MAX))
    }

    /// As it is written and as the store keeps it: indented JSON with a line feed at its end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .expect("strings, numbers and lists of them always have a JSON form");
        text.push('\n');
        text
    }

    /// Reads [`Document::to_json`] back.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// What students are told, as an earlier version may have written it: what it does not say is told
/// as little as there is.
fn told<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Disclosures, D::Error> {
    let mut said = BTreeMap::<String, String>::deserialize(deserializer)?;
    said.retain(|_, words| !words.is_empty());
    let never = || WhenShown::Never.to_string();
    said.entry("counterexample".to_owned())
        .or_insert_with(never);
    Disclosures::deserialize(MapDeserializer::new(said.into_iter()))
}

#[cfg(test)]
mod tests {
    use serde::de::value::{Error, MapDeserializer};

    use super::told;
    use crate::domain::{Disclosure, WhenShown};

    #[test]
    fn a_report_of_an_earlier_version_tells_as_little_as_it_says() {
        let groups = "sample=full secret=verdict-only hack=full";
        for more in [None, Some(("counterexample", ""))] {
            let groups = groups.split(' ').map(|said| said.split_once('=').unwrap());
            let told = told(MapDeserializer::<_, Error>::new(groups.chain(more))).unwrap();
            assert_eq!(told.sample, Disclosure::Full);
            assert_eq!(told.counterexample, WhenShown::Never);
        }
    }
}
