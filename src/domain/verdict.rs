//! What is said of a program, and why.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What is said of a program on one test, or on all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Verdict {
    /// The output is right.
    Accepted,
    /// The right words in the wrong layout, where the problem says that layout counts.
    PresentationError,
    /// The output is wrong.
    WrongAnswer,
    /// More time than the limit.
    TimeLimit,
    /// More memory than the limit.
    MemoryLimit,
    /// More output than the limit.
    OutputLimit,
    /// It ended with an exit code other than 0, or by a signal.
    RuntimeError,
    /// It could not be built.
    CompileError,
    /// It was not run on this test, because an earlier one had failed.
    Skipped,
}

impl Verdict {
    pub const ALL: [Self; 9] = [
        Self::Accepted,
        Self::PresentationError,
        Self::WrongAnswer,
        Self::TimeLimit,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::RuntimeError,
        Self::CompileError,
        Self::Skipped,
    ];

    /// Whether the program ran into a limit, which is for all cases of an input together.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::TimeLimit | Self::MemoryLimit | Self::OutputLimit
        )
    }

    /// The field's short code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Accepted => "AC",
            Self::PresentationError => "PE",
            Self::WrongAnswer => "WA",
            Self::TimeLimit => "TLE",
            Self::MemoryLimit => "MLE",
            Self::OutputLimit => "OLE",
            Self::RuntimeError => "RE",
            Self::CompileError => "CE",
            Self::Skipped => "SK",
        }
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

    /// Reads a short code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.code() == code)
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl Cause {
    /// A short word for programs; stable.
    pub fn code(&self) -> String {
        match self {
            Self::Cpu => "cpu".into(),
            Self::Wall => "wall".into(),
            Self::Idle => "idle".into(),
            Self::ExitCode(code) => format!("exit-{code}"),
            Self::Signal(number) => signal_name(*number)
                .map_or_else(|| format!("signal-{number}"), str::to_ascii_lowercase),
            Self::Differs => "differs".into(),
            Self::Missing => "missing".into(),
            Self::Extra => "extra".into(),
            Self::Empty => "empty".into(),
            Self::Refused => "refused".into(),
            Self::Compiler => "compiler".into(),
            Self::CompileTime => "compile-time".into(),
            Self::CompileMemory => "compile-memory".into(),
            Self::CompileOutput => "compile-output".into(),
            Self::NoEntryPoint => "no-entry-point".into(),
        }
    }

    /// Reads [`Cause::code`] back.
    pub fn from_code(code: &str) -> Option<Self> {
        const PLAIN: [Cause; 13] = [
            Cause::Cpu,
            Cause::Wall,
            Cause::Idle,
            Cause::Differs,
            Cause::Missing,
            Cause::Extra,
            Cause::Empty,
            Cause::Refused,
            Cause::Compiler,
            Cause::CompileTime,
            Cause::CompileMemory,
            Cause::CompileOutput,
            Cause::NoEntryPoint,
        ];
        if let Some(number) = code.strip_prefix("exit-") {
            return number.parse().ok().map(Self::ExitCode);
        }
        if let Some(number) = code.strip_prefix("signal-") {
            return number.parse().ok().map(Self::Signal);
        }
        let signals = (1..=SIGNAL_MAX).map(Self::Signal);
        let mut known = PLAIN.into_iter().chain(signals);
        known.find(|cause| cause.code() == code)
    }

    /// In words, as a fragment that follows the verdict's.
    pub fn words(&self) -> String {
        match self {
            Self::Cpu => "it computed for longer than the limit".into(),
            Self::Wall => "it took longer than the limit of wall-clock time".into(),
            Self::Idle => "it waited for something that never came".into(),
            Self::ExitCode(code) => format!("it ended with exit code {code}"),
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => format!("it was ended by {name} ({})", signal_meaning(*number)),
                None => format!("it was ended by signal {number}"),
            },
            Self::Differs => "the output differs from the expected one".into(),
            Self::Missing => "the output ends too early".into(),
            Self::Extra => "the output goes on after its end".into(),
            Self::Empty => "nothing was printed".into(),
            Self::Refused => "the checker does not accept the output".into(),
            Self::Compiler => "compilation failed".into(),
            Self::CompileTime => "the compiler took too long".into(),
            Self::CompileMemory => "the compiler needed too much memory".into(),
            Self::CompileOutput => "the compiler wrote too much".into(),
            Self::NoEntryPoint => "there is nothing to start".into(),
        }
    }
}

/// A code that stands for nothing.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is no code of a {1}")]
pub struct UnknownCode(String, &'static str);

impl From<Verdict> for String {
    fn from(verdict: Verdict) -> Self {
        verdict.code().to_owned()
    }
}

impl TryFrom<String> for Verdict {
    type Error = UnknownCode;

    fn try_from(code: String) -> Result<Self, UnknownCode> {
        Self::from_code(&code).ok_or(UnknownCode(code, "verdict"))
    }
}

impl From<Cause> for String {
    fn from(cause: Cause) -> Self {
        cause.code()
    }
}

impl TryFrom<String> for Cause {
    type Error = UnknownCode;

    fn try_from(code: String) -> Result<Self, UnknownCode> {
        Self::from_code(&code).ok_or(UnknownCode(code, "cause"))
    }
}

/// The name of a signal on Linux.
pub fn signal_name(number: i32) -> Option<&'static str> {
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
        6 => "it aborted itself, often by a failed assertion or an uncaught exception",
        7 => "a misaligned or vanished memory access",
        8 => "an arithmetic error such as division by zero",
        11 => "an access to memory that is not its own, often an array index or a null pointer",
        13 => "a write to something that nobody reads",
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
    fn codes_are_unique_and_read_back() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_code(verdict.code()), Some(verdict));
        }
        assert_eq!(Verdict::from_code("IE"), None);
    }

    #[test]
    fn causes_are_read_back() {
        let signals = (1..=SIGNAL_MAX).map(Cause::Signal);
        let exits = [-1, 0, 1, 255].map(Cause::ExitCode);
        let others = [
            Cause::Idle,
            Cause::Extra,
            Cause::Refused,
            Cause::NoEntryPoint,
            Cause::CompileOutput,
        ];
        for cause in signals.chain(exits).chain(others) {
            assert_eq!(Cause::from_code(&cause.code()), Some(cause));
        }
        assert_eq!(Cause::from_code("exit-"), None);
        assert_eq!(Cause::from_code("sigfoo"), None);
    }

    #[test]
    fn signals_have_names() {
        assert_eq!(Cause::Signal(11).code(), "sigsegv");
        assert_eq!(Cause::Signal(34).code(), "signal-34");
        assert!(Cause::Signal(8).words().contains("division by zero"));
    }
}
