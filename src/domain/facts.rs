//! What came of building a program, and what was measured when it ran once: facts, no opinion.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cause, Digest, Given, Limits, Verdict};

/// How a program's first process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, whoever sent it.
    Signalled(i32),
}

/// Why *we* ended a run. A run that ended by itself has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Its CPU time reached the cap.
    Cpu,
    /// The clock reached the cap.
    Wall,
    /// Its output reached the cap.
    Output,
    /// The package's program that it talked with had said no before it ended: whatever it did from
    /// then on does not count, and it was ended where it went on.
    Decided,
}

/// What names a run: everything that decides its facts, apart from the caps, which are among the
/// facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunKey {
    /// The key of the build.
    pub build: Digest,
    /// Digest of the input; where a program of the package talks with it, of all that this one is
    /// given.
    pub input: Digest,
    /// Digest of how it was run, and of what the sandbox enforced and offered.
    pub policy: Digest,
}

/// What a program printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Digest of what was read of it.
    pub digest: Digest,
    /// How many bytes were read of it.
    pub len_bytes: u64,
    /// Digest of the bytes that were kept: all of them where they are few, else their beginning.
    pub kept: Option<Digest>,
    /// The file in the working folder that it was read from; `None` for standard output.
    pub file: Option<String>,
}

impl Output {
    /// Whether all of it was kept.
    pub fn is_whole(&self) -> bool {
        self.kept == Some(self.digest)
    }
}

/// The first place where the output is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Line of the output, from 1.
    pub line: usize,
    /// Column of the output in bytes, from 1.
    pub column: usize,
    /// What was expected there: printable, bounded.
    pub expected: String,
    /// What was printed there: printable, bounded.
    pub got: String,
}

impl Difference {
    /// `line 1, column 3: expected 7, got 8`.
    pub fn words(&self) -> String {
        let (line, column) = (self.line, self.column);
        let (expected, got) = (&self.expected, &self.got);
        format!("line {line}, column {column}: expected {expected}, got {got}")
    }
}

/// What is said of a run: by how it ended, or by a comparison of its output, our own or the
/// package's checker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Of a comparison: accepted, presentation error or wrong answer.
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    /// Where the output goes wrong.
    pub difference: Option<Difference>,
    /// What the package's checker says of it, for a person: printable, bounded.
    pub words: Option<String>,
    /// What the checker says to the judges, in `judgemessage.txt`: printable, bounded.
    /// No student is ever shown it.
    pub judge_message: Option<String>,
    /// What the checker gives to the test, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
}

/// One run of one artifact on one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// How the first process ended.
    pub end: End,
    /// Why we ended it, if we did.
    pub stop: Option<Stop>,
    /// The kernel refused it memory at the cap and ended a process for that,
    /// or its run-time system said that its memory was used up.
    pub memory_exceeded: bool,
    /// How often it was measured, from 1; these facts are of the measurement with the least CPU
    /// time.
    pub measurements: u32,
    /// How many of these measurements were repeats on a core that others kept busy; they do not
    /// count against the program.
    pub busy: u32,
    /// CPU time of all processes.
    pub cpu: Duration,
    /// Wall-clock time, without that for which the machine is known to have kept it waiting.
    pub wall: Duration,
    /// For how long the machine kept it waiting, at least; of several measurements the most.
    pub waited: Duration,
    /// The most memory in use at one time, in bytes.
    pub memory_bytes: u64,
    pub output: Output,
    /// The beginning of what it wrote to standard error.
    #[serde(with = "base64")]
    pub stderr: Vec<u8>,
    pub caps: Limits,
    /// The machine that measured it.
    pub machine: Arc<str>,
}

impl Compared {
    /// The output is right, and there is nothing to add.
    pub fn accepted() -> Self {
        Self::plain(Verdict::Accepted, None)
    }

    /// A verdict without words about the output.
    pub fn plain(verdict: Verdict, cause: Option<Cause>) -> Self {
        Self {
            verdict,
            cause,
            difference: None,
            words: None,
            judge_message: None,
            given: None,
        }
    }
}

/// A build: a fact under the key of everything that can change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The program, or the cause of the compile error.
    pub result: Result<Manifest, Cause>,
    /// The compiler's errors or warnings, as the bytes they are: the beginning.
    #[serde(with = "base64")]
    pub words: Vec<u8>,
    /// CPU time of all commands.
    pub cpu: Duration,
    /// The compiler's version, as reports show it.
    pub language_version: String,
}

/// The files of a built program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// In the order of their names where they come from the store.
    pub files: Vec<FileRef>,
    /// The class to start, in a language that needs to know it.
    pub main: Option<String>,
}

/// A file by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Its path, relative.
    pub name: String,
    /// Digest of its bytes.
    pub digest: Digest,
    /// Whether it may be executed.
    pub executable: bool,
}

/// A language and what it was asked to do with a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HowBuilt {
    /// Name and version: `C++17 (g++ 12.2.0)`.
    pub language: String,
    /// The commands that built it, with the file's own name; empty if its source is what is
    /// started.
    pub build: Vec<String>,
    /// The command that starts it, where that is more than the program itself.
    pub start: Option<String>,
    /// The name that the source had while it was built, as compilers and tracebacks name it.
    pub source_name: String,
    /// The name by which its author knows it.
    pub author_name: String,
}

/// Bytes as text in JSON: as a list of numbers they would be four times as long.
pub mod base64 {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&STANDARD.encode(bytes))
        } else {
            serializer.serialize_bytes(bytes)
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        if !deserializer.is_human_readable() {
            return Vec::deserialize(deserializer);
        }
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map_err(de::Error::custom)
    }
}
