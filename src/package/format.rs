//! Whose package format a folder is written in.

use std::path::{Path, PathBuf};

/// Whose package format it is, and so what lies where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Own,
    /// That of Kattis and the ICPC, with what `DOMjudge` has added.
    Kattis,
}

/// The files that make a folder a package; the first that is there counts.
pub const MANIFESTS: [(&str, Format); 3] = [
    ("problem.toml", Format::Own),
    (PROBLEM_YAML, Format::Kattis),
    (DOMJUDGE_INI, Format::Kattis),
];
pub const PROBLEM_YAML: &str = "problem.yaml";
pub const DOMJUDGE_INI: &str = "domjudge-problem.ini";

/// The format of the package in a folder and the file that says so; none where it is no package.
pub fn format_of(folder: &Path) -> Option<(Format, PathBuf)> {
    let mut manifests = MANIFESTS.iter();
    manifests.find_map(|(name, format)| {
        let file = folder.join(name);
        file.is_file().then_some((*format, file))
    })
}
