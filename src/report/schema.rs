//! The shape of the report document; that of the lines of verdicts.jsonl is in `log_schema`.
//!
//! They are a contract with other programs: `report.schema.json` and `verdicts.schema.json` beside this file are made from them, and a test holds them to it.
//! A field may be added with `VERSION` as it is; one that changes its meaning or goes needs a new `VERSION`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::explained::ExplanationPart;
use super::score::{GroupPart, ScorePart};
use crate::domain::{Cause, TestKind, Verdict};

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
    pub submission: SubmissionPart,
    /// The verdict of the first failing test in order, or AC.
    #[schemars(with = "Code")]
    pub verdict: Verdict,
    /// The verdict in words.
    pub verdict_words: String,
    /// What refines the verdict: `cpu`, `exit-1`, `sigsegv`, `differs`, `compiler`.
    #[schemars(with = "Option<String>")]
    pub cause: Option<Cause>,
    /// The cause in words.
    pub cause_words: Option<String>,
    /// The points; none where the problem has no groups of tests, and only the verdict counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScorePart>,
    /// What each group of tests brings to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupPart>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// One result a test, in the tests' order; none for a program that could not be built.
    pub tests: Vec<TestPart>,
    /// What went wrong on the first failing test, as far as it is known.
    #[serde(default)]
    pub case: Option<CasePart>,
    /// What the daemon found out by running the program on further inputs, while nothing else had to be judged; absent before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<ExplanationPart>,
    /// What to look at first, where the source and the output show a mistake that many people make.
    #[serde(default)]
    pub hints: Vec<String>,
    /// The verdicts that the submission has had, this one last; none while it has had no other.
    #[serde(default)]
    pub history: Vec<ChangePart>,
    /// What the compiler printed, errors or warnings.
    pub compiler: CompilerPart,
    /// What the program was allowed to use on one test.
    pub limits: LimitsPart,
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
    pub protections: Vec<ProtectionPart>,
    /// What the verdict was made from, so that anyone can tell whether two verdicts rest on the same ground.
    #[serde(default)]
    pub provenance: Option<ProvenancePart>,
    /// What students are told of the tests.
    #[serde(default)]
    pub disclosure: DisclosurePart,
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
pub struct SubmissionPart {
    /// The submission's number.
    pub id: i64,
    /// The student, as the submissions folder spells the name.
    pub student: String,
    /// The problem's folder name.
    pub problem: String,
    /// The problem's title; empty where another version has written the report.
    #[serde(default)]
    pub problem_title: String,
    /// The language's key.
    pub language: String,
    /// How often the student has handed in something new for this problem, from 1.
    #[schemars(range(min = 1))]
    pub attempt: u32,
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
pub struct TestPart {
    /// The test's name: `sample/1`, `secret/010-two-wide`, `hack/evil`.
    pub name: String,
    /// Where the test comes from: `sample`, `secret` or `hack`.
    #[schemars(with = "String")]
    pub kind: TestKind,
    /// The verdict on it; SK where it was not run.
    #[schemars(with = "Code")]
    pub verdict: Verdict,
    /// What refines the verdict.
    #[schemars(with = "Option<String>")]
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
    pub difference: Option<DifferencePart>,
    /// What the problem's checker says of the output, where it has one that says something.
    #[serde(default)]
    pub checker: Option<String>,
    /// What the checker says to the judges, or that every measurement was made on a busy machine; never in a student's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_message: Option<String>,
    /// The beginning of what the program wrote to standard error, decoded; unprintable characters as `\u{1b}`.
    pub stderr: String,
}

fn once() -> u32 {
    1
}

/// What a verdict was made from: BLAKE3 digests, 64 hexadecimal digits each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProvenancePart {
    /// Everything that decides what the source is built to: source, language, commands, compiler version.
    pub artifact: String,
    /// The compiler or interpreter: commands and version.
    pub toolchain: String,
    /// The package: tests, answers, limits, comparison.
    pub package: String,
    /// The limits.
    pub limits: String,
    /// What the sandbox enforced, and how the program was run in it.
    pub policy: String,
    /// All of the above that the verdict was folded from.
    pub fold: String,
    /// The machine that measured: its kernel, cores and processor, and before them its name where it is not the daemon's own. Several where runs are of several.
    pub machine: String,
}

/// The first place where an output is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DifferencePart {
    /// Line of the output, from 1.
    pub line: u64,
    /// Column of the output in bytes, from 1.
    pub column: u64,
    /// What was expected there.
    pub expected: String,
    /// What was printed there.
    pub got: String,
}

/// The case of the first failing test that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CasePart {
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
    pub input: ExcerptPart,
    /// The whole answer to that input, where the expected lines are numbered otherwise in the test.
    pub answer: Option<String>,
    /// What was expected.
    pub expected: ExcerptPart,
    /// What was printed, where that is known.
    pub got: Option<ExcerptPart>,
}

/// A verdict that a submission has had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePart {
    /// Since when, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// The verdict from then on.
    #[schemars(with = "Code")]
    pub verdict: Verdict,
    /// The points from then on, where the problem has groups of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScorePart>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// Why it was judged: `received`, `hack/evil joined`, `the limits changed`.
    pub because: String,
}

/// A part of an input or an output, bounded and printable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExcerptPart {
    /// The text; unprintable characters as `\u{1b}`, bytes that are not UTF-8 as `\xff`.
    pub text: String,
    /// The number of its first line in the whole, from 1.
    #[schemars(range(min = 1))]
    pub first_line: u64,
    /// What differs.
    pub mark: Option<MarkPart>,
    /// Whether something was left out before it.
    pub cut_before: bool,
    /// Whether something was left out after it.
    pub cut_after: bool,
}

/// A part of a text, counted in characters from 0; empty where the text ends although more was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkPart {
    /// Its first character.
    pub start: u64,
    /// The character after its last one.
    pub end: u64,
}

/// What students are told of each group of tests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DisclosurePart {
    /// Of the tests of the statement.
    pub sample: DisclosureWord,
    /// Of the instructor's tests.
    pub secret: DisclosureWord,
    /// Of tests that were dropped in later.
    pub hack: DisclosureWord,
    /// When they are shown the smallest input on which the program fails: `always`, `after 3 attempts`, `after the deadline`, `never`.
    pub counterexample: String,
}

/// How much of a group of tests students are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DisclosureWord {
    /// Only the verdict of each test.
    #[default]
    VerdictOnly,
    /// Everything of the first failing test, of the others only the verdict.
    FirstFailure,
    /// Everything.
    Full,
}

/// What the compiler printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompilerPart {
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
pub struct LimitsPart {
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

impl LimitsPart {
    /// The problem's own limit of CPU time, in milliseconds.
    pub fn cpu_ms_without_factor(&self) -> u64 {
        self.cpu_ms * 100 / u64::from(self.time_factor_percent.unwrap_or(100).max(1))
    }
}

/// One protection of the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProtectionPart {
    /// Its name: `network`, `memory`.
    pub name: String,
    /// How well it holds.
    pub hold: HoldWord,
    /// By which means, or why not.
    pub how: String,
}

/// How well a protection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HoldWord {
    /// As it should be.
    On,
    /// In a weaker form.
    Weak,
    /// Not at all.
    Missing,
}

impl HoldWord {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Weak => "weak",
            Self::Missing => "missing",
        }
    }
}

/// How the schemas describe a verdict.
pub(super) struct Code;

impl JsonSchema for Code {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A verdict's short code.",
            "type": "string",
            "enum": Verdict::ALL.map(Verdict::code),
        })
    }
}

impl Document {
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
