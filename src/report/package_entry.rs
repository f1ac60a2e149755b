//! What the logs tell of a package.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something became of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageEntry {
    /// The problem.
    pub problem: String,
    /// What became of it.
    pub state: PackageState,
    /// Why, or what it was before.
    pub reason: Option<String>,
}

/// What became of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackageState {
    /// It is there for the first time.
    Added,
    /// Nobody can be judged with it.
    Broken,
    /// It was broken, and people are judged with it again.
    Repaired,
    /// It has another name, or another title.
    Renamed,
    /// Its folder is gone.
    Removed,
}

impl PackageState {
    /// The word in the logs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Broken => "broken",
            Self::Repaired => "repaired",
            Self::Renamed => "renamed",
            Self::Removed => "removed",
        }
    }
}
