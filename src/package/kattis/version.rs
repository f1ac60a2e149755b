//! The versions of the format.

use std::path::Path;

use super::super::yaml::Yaml;
use crate::domain::Complaint;

/// A version of the format, by what its files say and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// `legacy`, and `legacy-icpc`, which is a part of it.
    Legacy,
    /// The draft of what became `2025-09`: its tools read `testdata.yaml` as it was before.
    Draft,
    Latest,
}

const VERSIONS: [(&str, Version); 6] = [
    ("legacy", Version::Legacy),
    ("legacy-icpc", Version::Legacy),
    ("2023-07", Version::Draft),
    ("2023-07-draft", Version::Draft),
    ("2025-09", Version::Latest),
    ("2025-09-draft", Version::Latest),
];

impl Version {
    /// The version that a problem.yaml names.
    pub fn in_text(text: &str, file: &Path) -> Result<Self, Complaint> {
        Self::of(&Yaml::read(text, file)?)
    }

    /// Which version a package is written in.
    pub fn of(yaml: &Yaml<'_>) -> Result<Self, Complaint> {
        let Some((value, named)) = yaml.get("problem_format_version") else {
            return Ok(Version::Legacy);
        };
        let found = VERSIONS.iter().find(|(name, _)| *name == named);
        found.map(|(_, version)| *version).ok_or_else(|| {
            let names = VERSIONS.map(|(name, _)| name).join(", ");
            yaml.complaint(
                value,
                format!("packages of the format `{named}` are not read"),
                format!("{names} are; or write a problem.toml in its place"),
            )
        })
    }
}
