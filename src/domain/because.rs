//! Why a submission was judged again, as its history says it.

/// A reason that names no test. Students read these as they are; whatever else a history says is
/// kept from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// The first judgement.
    Received,
    Away,
    Change,
    Rejudge,
    RejudgeForce,
    Limits,
    Comparison,
    Groups,
    InputAndOutput,
    Package,
    Configuration,
    Languages,
}

impl Because {
    pub const ALL: [Self; 12] = [
        Self::Received,
        Self::Away,
        Self::Change,
        Self::Rejudge,
        Self::RejudgeForce,
        Self::Limits,
        Self::Comparison,
        Self::Groups,
        Self::InputAndOutput,
        Self::Package,
        Self::Configuration,
        Self::Languages,
    ];

    /// Its words in the store, in logs and in reports; stable.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Away => "what changed while the daemon was away",
            Self::Change => "a change",
            Self::Rejudge => "rejudge",
            Self::RejudgeForce => "rejudge --force",
            Self::Limits => "the limits changed",
            Self::Comparison => "the comparison changed",
            Self::Groups => "the groups of tests changed",
            Self::InputAndOutput => "the way of input and output changed",
            Self::Package => "the package changed",
            Self::Configuration => "the configuration was read again",
            Self::Languages => "the languages changed",
        }
    }
}
