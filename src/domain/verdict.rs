//! What is said of a program, and why.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{NameError, words};

words! {
    /// What is said of a program on one test, or on all of them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(into = "String", try_from = "String")]
    pub enum Verdict by code {
        /// The output is right.
        Accepted = "AC",
        /// The right words in the wrong layout, where the problem says that layout counts.
        PresentationError = "PE",
        /// The output is wrong.
        WrongAnswer = "WA",
        /// More time than the limit.
        TimeLimit = "TLE",
        /// More memory than the limit.
        MemoryLimit = "MLE",
        /// More output than the limit.
        OutputLimit = "OLE",
        /// It ended with an exit code other than 0, or by a signal.
        RuntimeError = "RE",
        /// It could not be built.
        CompileError = "CE",
        /// It was not run on this test, because an earlier one had failed.
        Skipped = "SK",
    }
}

impl Verdict {
    /// Whether the program ran into a limit, which is for all cases of an input together.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::TimeLimit | Self::MemoryLimit | Self::OutputLimit
        )
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::PresentationError => "presentation error",
            Self::WrongAnswer => "wrong answer",
            Self::TimeLimit => "time limit exceeded",
            Self::MemoryLimit => "memory limit exceeded",
            Self::OutputLimit => "output limit exceeded",
            Self::RuntimeError => "runtime error",
            Self::CompileError => "compile error",
            Self::Skipped => "not run",
        }
    }
}

impl JsonSchema for Verdict {
    fn schema_name() -> Cow<'static, str> {
        "Code".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A verdict's short code.",
            "type": "string",
            "enum": Self::ALL.map(Self::code),
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

/// The largest signal number of Linux.
const SIGNAL_MAX: i32 = 64;

/// What refines a verdict, and never changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
pub enum Cause {
    /// TLE: it computed for longer than the limit.
    Cpu,
    /// TLE: it took more wall-clock time than the limit.
    Wall,
    /// TLE: it took more wall-clock time than the limit and hardly computed at all, as if it waited
    /// for something.
    Idle,
    /// RE: it ended with this exit code.
    ExitCode(i32),
    /// RE: it was ended by this signal.
    Signal(i32),
    /// WA: this output differs from the expected one.
    Differs,
    /// WA: the output ends too early.
    Missing,
    /// WA: the output goes on after its end.
    Extra,
    /// WA: there is no output.
    Empty,
    /// WA: the package's checker does not accept this output.
    Refused,
    /// CE: compilation failed.
    Compiler,
    /// CE: the compiler took too long.
    CompileTime,
    /// CE: the compiler needed too much memory.
    CompileMemory,
    /// CE: the compiler wrote too much.
    CompileOutput,
    /// CE: there is nothing to start, as in a Java program without a `main` method.
    NoEntryPoint,
}

/// Code and words of each cause without a number.
macro_rules! plain_causes {
    ($($cause:ident = $code:literal, $words:literal;)+) => {
        impl Cause {
            const PLAIN: &[Self] = &[$(Self::$cause),+];

            fn plain(&self) -> Option<(&'static str, &'static str)> {
                match self {
                    Self::ExitCode(_) | Self::Signal(_) => None,
                    $(Self::$cause => Some(($code, $words)),)+
                }
            }
        }
    };
}

plain_causes! {
    Cpu = "cpu", "it computed for longer than the limit";
    Wall = "wall", "it took longer than the limit of wall-clock time";
    Idle = "idle", "it waited for something that never came";
    Differs = "differs", "the output differs from the expected one";
    Missing = "missing", "the output ends too early";
    Extra = "extra", "there is extra output after the expected end";
    Empty = "empty", "nothing was printed";
    Refused = "refused", "the checker does not accept the output";
    Compiler = "compiler", "compilation failed";
    CompileTime = "compile-time", "the compiler took too long";
    CompileMemory = "compile-memory", "the compiler needed too much memory";
    CompileOutput = "compile-output", "the compiler wrote too much";
    NoEntryPoint = "no-entry-point", "there is nothing to start";
}

impl Cause {
    /// A short word for programs; stable.
    pub fn code(&self) -> String {
        match self {
            Self::ExitCode(code) => format!("exit-{code}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => name.to_ascii_lowercase(),
                None => format!("signal-{number}"),
            },
            plain => plain.plain().unwrap_or_default().0.to_owned(),
        }
    }

    /// Reads [`Cause::code`] back.
    pub fn from_code(code: &str) -> Option<Self> {
        if let Some(number) = code.strip_prefix("exit-") {
            return number.parse().ok().map(Self::ExitCode);
        }
        if let Some(number) = code.strip_prefix("signal-") {
            return number.parse().ok().map(Self::Signal);
        }
        let signals = (1..=SIGNAL_MAX).map(Self::Signal);
        let mut known = Self::PLAIN.iter().cloned().chain(signals);
        known.find(|cause| cause.code() == code)
    }

    /// In words, as a fragment that follows the verdict's.
    pub fn words(&self) -> String {
        match self {
            Self::ExitCode(code) => format!("it ended with exit code {code}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => {
                    format!("it was ended by {name} ({})", signal_meaning(*number))
                }
                None => format!("it was ended by signal {number}"),
            },
            plain => plain.plain().unwrap_or_default().1.to_owned(),
        }
    }
}

impl From<Verdict> for String {
    fn from(verdict: Verdict) -> Self {
        verdict.code().to_owned()
    }
}

impl TryFrom<String> for Verdict {
    type Error = NameError;

    fn try_from(code: String) -> Result<Self, NameError> {
        code.parse()
    }
}

impl From<Cause> for String {
    fn from(cause: Cause) -> Self {
        cause.code()
    }
}

impl TryFrom<String> for Cause {
    type Error = NameError;

    fn try_from(code: String) -> Result<Self, NameError> {
        Self::from_code(&code).ok_or_else(|| NameError::unknown("cause", &code))
    }
}

/// The name of a signal on Linux.
fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        16 => "SIGSTKFLT",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

fn signal_meaning(number: i32) -> &'static str {
    match number {
        4 => "an illegal instruction",
        6 => "it called abort(), often by a failed assertion or an uncaught exception",
        7 => "a misaligned or vanished memory access",
        8 => "an arithmetic error such as division by zero",
        11 => {
            "segmentation fault: an invalid memory access, often an array index or a null pointer"
        }
        13 => "broken pipe: a write to what is not read any more",
        24 => "it had used up its time",
        25 => "a file grew too large",
        31 => "a system call that is not allowed",
        _ => "a signal that it or one of its processes sent",
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, SIGNAL_MAX, Verdict};

    #[test]
    fn codes_are_read_back() {
        for verdict in Verdict::ALL {
            assert_eq!(verdict.code().parse(), Ok(verdict));
        }
        assert!("IE".parse::<Verdict>().is_err());
        let signals = (1..=SIGNAL_MAX).map(Cause::Signal);
        let exits = [-1, 0, 1, 255].map(Cause::ExitCode);
        for cause in signals.chain(exits).chain(Cause::PLAIN.iter().cloned()) {
            assert_eq!(Cause::from_code(&cause.code()), Some(cause));
        }
        assert_eq!(Cause::from_code("exit-"), None);
        assert_eq!(Cause::from_code("sigfoo"), None);
    }
}
