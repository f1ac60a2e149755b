//! problem.toml as an instructor writes it.

use serde::Deserialize;
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
    pub protocol: Option<Spanned<Protocol>>,
    /// How programs read and write.
    #[serde(default)]
    pub io: Io,
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
    pub sample: Option<Level>,
    /// Of `data/secret`.
    pub secret: Option<Level>,
    /// Of `hacks`.
    pub hack: Option<Level>,
}

/// How much of a group of tests students are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Only the verdict of each test.
    VerdictOnly,
    /// Everything of the first failing test, of the others only the verdict.
    FirstFailure,
    /// Everything.
    Full,
}

/// How the programs of a package are asked, and how they say what they found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The ICPC's: exit code 42 for yes, 43 for no; words for the student in `teammessage.txt`.
    Icpc,
    /// testlib's: exit code 0 for yes; words on standard error.
    Testlib,
}

/// How programs read and write.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Io {
    /// Standard input and output.
    #[default]
    Stdio,
    /// The same, or INPUT.TXT and OUTPUT.TXT in the current folder, in upper or lower case.
    StdioOrFiles,
}

/// Limits of one problem.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitTable {
    /// Processor time in seconds.
    pub cpu_s: Option<Spanned<f64>>,
    /// Time by the clock in seconds; never below twice the processor time and one second.
    pub wall_s: Option<Spanned<f64>>,
    /// Memory in MiB.
    pub memory_mib: Option<Spanned<u64>>,
    /// Output in MiB.
    pub output_mib: Option<Spanned<u64>>,
    /// Processes and threads.
    pub processes: Option<Spanned<u32>>,
}

/// How outputs are compared.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareTable {
    /// The mode; `tokens` where nothing is said.
    #[serde(default)]
    pub mode: Mode,
    /// What the right words in the wrong layout are, in the modes `lines` and `exact`: `PE` or `WA`.
    pub wrong_layout: Option<WrongLayout>,
    /// Mode `float`: largest absolute error.
    pub absolute: Option<Spanned<f64>>,
    /// Mode `float`: largest relative error.
    pub relative: Option<Spanned<f64>>,
}

/// A comparison mode.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The same bytes.
    Exact,
    /// The same lines; white space at their ends and at the end of the file never counts.
    Lines,
    /// The same words.
    #[default]
    Tokens,
    /// The same words, numbers within a tolerance.
    Float,
}

/// What the right words in the wrong layout are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum WrongLayout {
    /// A presentation error.
    #[serde(rename = "PE")]
    Presentation,
    /// A wrong answer.
    #[serde(rename = "WA")]
    Wrong,
}
