//! How a command ends: its exit code, and an error that knows its own.

use crate::problems::InputError;

/// How a command ended, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    Good = 0,
    /// A negative result: a program is not accepted, an input is invalid.
    No = 1,
    /// The command was not understood, or a file cannot be read.
    Usage = 2,
    /// Something failed on this side.
    Fault = 3,
    /// config.toml is broken.
    Config = 78,
}

impl Exit {
    /// This where something is so, and good where it is not.
    pub fn only_if(self, is_so: bool) -> Self {
        if is_so { self } else { Self::Good }
    }

    pub fn code(self) -> u8 {
        self as u8
    }
}

/// An error that knows its exit code; any other error counts as a fault.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub struct CliError(pub Exit, String);

impl CliError {
    /// An error with this exit code.
    pub fn with_exit(exit: Exit, message: impl std::fmt::Display) -> anyhow::Error {
        Self(exit, message.to_string()).into()
    }

    /// An input that is wrong, with the place.
    pub fn refused(name: &str, error: &InputError) -> anyhow::Error {
        let InputError {
            line,
            column,
            reason,
        } = error;
        Self::with_exit(Exit::No, format!("{name}:{line}:{column}: {reason}"))
    }

    /// A command that was not understood, or a file that cannot be read.
    pub fn usage(message: impl std::fmt::Display) -> anyhow::Error {
        Self::with_exit(Exit::Usage, message)
    }

    /// A broken config.toml.
    pub fn config(message: impl std::fmt::Display) -> anyhow::Error {
        Self::with_exit(Exit::Config, message)
    }
}
