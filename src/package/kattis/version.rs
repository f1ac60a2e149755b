//! The versions of the format.

use std::path::Path;

use super::super::error::Trouble;
use super::super::format::PROBLEM_YAML;
use super::super::manifest;
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
    /// That of a package in a folder; one without a problem.yaml is `DOMjudge`'s.
    pub fn of_package(folder: &Path) -> Result<Self, Trouble> {
        let file = folder.join(PROBLEM_YAML);
        if !file.is_file() {
            return Ok(Self::Legacy);
        }
        Ok(Self::of(&Yaml::read(&manifest::read(&file)?, &file)?)?)
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
