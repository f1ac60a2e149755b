//! The protections of the sandbox, and how well each holds on a machine.

/// Files, processes and messages of the machine are out of reach: without it there is no sandbox.
pub const ISOLATION: &str = "isolation";
/// Jobs are a user of their own without capabilities.
pub const IDENTITY: &str = "identity";
/// Jobs reach no network.
pub const NETWORK: &str = "network";
/// The seccomp filter.
pub const SYSTEM_CALLS: &str = "system-calls";
/// The second wall.
pub const LANDLOCK: &str = "landlock";
/// The kernel holds a job to its memory cap and counts what it uses.
pub const MEMORY: &str = "memory";
/// The kernel bounds a job's processes.
pub const PROCESSES: &str = "processes";
/// The kernel counts a job's CPU time.
pub const CPU: &str = "cpu";

/// Those that `sandbox.allow_missing` in config.toml may name: all but [`ISOLATION`].
pub const ALLOWED_MISSING: [&str; 7] = [
    IDENTITY,
    NETWORK,
    SYSTEM_CALLS,
    LANDLOCK,
    MEMORY,
    PROCESSES,
    CPU,
];

/// How well one protection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// As it should be.
    On,
    /// In a weaker form.
    Weak,
    /// Not at all.
    Missing,
}

/// One protection, for `doctor` and for every report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// Its stable name, the one that `sandbox.allow_missing` in config.toml uses: `network`,
    /// `memory`.
    pub name: &'static str,
    /// How well it holds.
    pub hold: Hold,
    /// By which means, or why not.
    pub how: String,
    /// What would fix it, where it is not on: a command or a setting.
    pub fix: Option<String>,
}

impl Protection {
    /// One that holds by these means.
    pub fn on(name: &'static str, how: impl Into<String>) -> Self {
        Self {
            name,
            hold: Hold::On,
            how: how.into(),
            fix: None,
        }
    }

    /// What of it counts where machines are compared: the reason why it does not hold changes
    /// nothing that is measured.
    pub fn compared(&self) -> String {
        let how = match self.hold {
            Hold::On => self.how.as_str(),
            Hold::Weak => "in a weaker form",
            Hold::Missing => "off",
        };
        format!("{}: {how}", self.name)
    }

    /// One that does not hold as it should: why not, and what would fix it.
    pub fn not_on(hold: Hold, name: &'static str, how: String, fix: &str) -> Self {
        Self {
            name,
            hold,
            how,
            fix: Some(fix.to_owned()),
        }
    }
}
