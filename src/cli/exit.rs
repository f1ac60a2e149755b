//! How a command ends: its exit code, and an error that knows its own.

/// How a command ended, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Good,
    /// A negative result: a program is not accepted, an input is invalid.
    No,
    /// The command was not understood, or a file cannot be read.
    Usage,
    /// Something failed on this side.
    Fault,
    /// config.toml is broken.
    Config,
}

impl Exit {
    /// This where something is so, and good where it is not.
    pub fn only_if(self, is_so: bool) -> Self {
        if is_so { self } else { Self::Good }
    }

    pub fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Fault => 3,
            Self::Config => 78,
        }
    }
}

/// An error that knows its exit code; any other error counts as a fault.
#[derive(Debug, thiserror::Error)]
#[error("{1}")]
pub struct CliError(pub Exit, String);

impl CliError {
    /// A command that was not understood, or a file that cannot be read.
    pub fn usage(message: impl std::fmt::Display) -> anyhow::Error {
        Self(Exit::Usage, message.to_string()).into()
    }

    /// A broken config.toml.
    pub fn config(message: impl std::fmt::Display) -> anyhow::Error {
        Self(Exit::Config, message.to_string()).into()
    }
}
