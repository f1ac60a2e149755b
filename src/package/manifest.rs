//! problem.toml as an instructor writes it.

use serde::{Deserialize, Serialize};
use toml::Spanned;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Title for people.
    pub title: String,
    /// What answers every test: a built-in problem, or a program of the package by its path; without it every test needs a stored answer.
    pub reference: Option<Spanned<String>>,
    /// A program of the package that says whether an input is valid.
    pub validator: Option<Spanned<String>>,
    /// A program of the package that says whether an output is right, in place of a comparison.
    pub checker: Option<Spanned<String>>,
    /// How validator and checker are asked; testlib's way for sources that include testlib.h, else the ICPC's, where nothing is said.
    pub protocol: Option<Spanned<String>>,
    /// How programs read and write.
    pub io: Option<Spanned<String>>,
    /// Where the problem comes from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Limits; what is not set here comes from config.toml.
    #[serde(default)]
    pub limits: LimitTable,
    /// How outputs are compared.
    pub compare: Option<Spanned<CompareTable>>,
    /// What students are told of the tests.
    #[serde(default)]
    pub disclosure: DisclosureTable,
}

/// What students are told of each group of tests; what is not set here is as [`crate::domain::Disclosures`] has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisclosureTable {
    /// Of `data/sample`.
    pub sample: Option<Spanned<String>>,
    /// Of `data/secret`.
    pub secret: Option<Spanned<String>>,
    /// Of `hacks`.
    pub hack: Option<Spanned<String>>,
}

/// How the programs of a package are asked, and how they say what they found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Protocol {
    /// The ICPC's: exit code 42 for yes, 43 for no; words for the student in `teammessage.txt`.
    Icpc,
    /// testlib's: exit code 0 for yes; words on standard error.
    Testlib,
}

/// How programs read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Io {
    /// Standard input and output.
    Stdio,
    /// The same, or INPUT.TXT and OUTPUT.TXT in the current folder, in upper or lower case.
    StdioOrFiles,
}

impl Protocol {
    /// The word that keys are made of.
    pub fn key_text(self) -> &'static str {
        match self {
            Self::Icpc => "icpc",
            Self::Testlib => "testlib",
        }
    }
}

impl Io {
    /// The word that keys are made of.
    pub fn key_text(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::StdioOrFiles => "stdio-or-files",
        }
    }
}

/// Limits of one problem.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitTable {
    /// CPU time in seconds.
    pub cpu_s: Option<Spanned<f64>>,
    /// Wall-clock time in seconds; never below twice the CPU time and one second, which 0 stands for.
    pub wall_s: Option<Spanned<f64>>,
    /// Memory in MiB.
    pub memory_mib: Option<Spanned<i64>>,
    /// Output in MiB.
    pub output_mib: Option<Spanned<i64>>,
    /// Processes and threads.
    pub processes: Option<Spanned<i64>>,
}

/// How outputs are compared.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareTable {
    /// The mode; `tokens` where nothing is said.
    pub mode: Option<Spanned<String>>,
    /// What the right words in the wrong layout are, in the modes `lines` and `exact`: `PE` or `WA`.
    pub wrong_layout: Option<Spanned<String>>,
    /// Mode `float`: largest absolute error.
    pub absolute: Option<Spanned<f64>>,
    /// Mode `float`: largest relative error.
    pub relative: Option<Spanned<f64>>,
}

/// What keys of other formats mean here: the key, what is wrong with it, and the way out.
const FOREIGN: [(&[&str], &str, &str); 8] = [
    (
        &["interactive", "interactor"],
        "interactive problems are not supported",
        "a program here reads its whole input from standard input; \
         take the key out only if the problem works that way",
    ),
    (
        &["multi_pass", "multipass", "validation_passes", "run_count"],
        "problems in which a program runs several times on one test are not supported",
        "take the key out only if one run on each test is enough",
    ),
    (
        &[
            "scoring",
            "grading",
            "grader",
            "groups",
            "test_groups",
            "subtasks",
            "points",
            "score",
        ],
        "test groups and points are not supported",
        "a program is accepted if it passes every test; take the key out if that is meant",
    ),
    (
        &["type", "problem_format_version", "validation"],
        "this key is of another package format (problem.yaml)",
        "only pass-fail problems are supported; a program of your own that judges outputs is \
         `checker`, one that judges inputs is `validator`",
    ),
    (
        &[
            "validator_flags",
            "input_validator_args",
            "output_validator_args",
            "checker_args",
            "validator_args",
        ],
        "programs of a package are given no arguments here",
        "write `[compare]` with `mode`, `absolute` and `relative`, or put the values into the program",
    ),
    (
        &["name", "short_name", "short-name"],
        "this key has another name here",
        "the name for people is `title`; the short name is the name of the folder",
    ),
    (
        &["time_limit", "timelimit", "time-limit", "time"],
        "this key has another name here",
        "write `cpu_s` under `[limits]`: seconds of CPU time for each test",
    ),
    (
        &[
            "case_sensitive",
            "case",
            "space_change_sensitive",
            "float_tolerance",
        ],
        "outputs cannot be compared in this way",
        "upper and lower case count; layout counts with `mode = \"lines\"`; numbers within a \
         tolerance are `mode = \"float\"` with `absolute` and `relative`; for anything else \
         write a `checker`",
    ),
];

/// What a key of another package format means here, where the key is known.
pub fn foreign_key(key: &str) -> Option<(String, String)> {
    let (_, what, help) = FOREIGN.iter().find(|(keys, ..)| keys.contains(&key))?;
    Some((format!("`{key}`: {what}"), (*help).to_owned()))
}
