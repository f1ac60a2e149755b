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

/// The files by which packages of other formats are known, what those are, and how they become
/// ours.
const FORMATS: [(&str, &str, &str); 4] = [
    (
        "problem.yml",
        "a Kattis/ICPC package",
        "rename it to problem.yaml, which is read, or write a problem.toml (docs/problem.toml shows every key)",
    ),
    ("init.yml", "a DMOJ package", IMPORT),
    ("problem.xml", "a Polygon package", IMPORT),
    ("task.yaml", "a CMS task", IMPORT),
];
const IMPORT: &str =
    "take it out of the problems folder, and `verdictd import-problem` writes it as one of ours";

/// The format of the package in a folder and the file that says so; none where it is no package.
pub fn format_of(folder: &Path) -> Option<(Format, PathBuf)> {
    let mut manifests = MANIFESTS.iter();
    manifests.find_map(|(name, format)| {
        let file = folder.join(name);
        file.is_file().then_some((*format, file))
    })
}

/// What is said of a package of another format, which is known by a file that it has.
pub fn another_format(has: impl Fn(&str) -> bool) -> Option<String> {
    let (file, format, how) = FORMATS.iter().find(|(file, ..)| has(file))?;
    Some(format!(
        "no problem.toml; this looks like {format} ({file}), which is not read: {how}"
    ))
}
