//! A language as languages.toml and config.toml spell it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// One language.
///
/// In `build` and `run` these words stand for something: `{source}` the source's name in the working folder, `{main}` the Java main class,
/// `{memory_mib}` the memory limit; a program's first word is looked up on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageSpec {
    /// Name for people: `C++17`.
    pub name: String,
    /// File extensions without the dot, without case, the usual one first.
    pub extensions: Vec<String>,
    /// The source's name in the working folder while it is built: `main.cpp`, `{main}.java`.
    pub source: String,
    /// The compile commands, one after the other; none for an interpreted language (its check goes here too, as `python3 -m py_compile`).
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The start command, in the working folder; the built files are in `/app`.
    pub run: Vec<String>,
    /// The command that prints the version.
    pub version: Vec<String>,
    /// What a person does to get it: `apt-get install g++`.
    pub install: String,
    /// A program that copies its standard input to its standard output.
    pub echo: String,
    /// Environment beside the usual one.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Files and folders beside the system's own that it needs to see.
    #[serde(default)]
    pub show: Vec<String>,
    /// Memory of the language's own run-time system, on top of the problem's limit, in MiB.
    #[serde(default)]
    pub memory_extra_mib: u64,
    /// Words on standard error by which its run-time system says that the memory is used up.
    #[serde(default)]
    pub memory_words: Vec<String>,
    /// Stack of the first thread in MiB, where as much as the memory limit does not suit it.
    #[serde(default)]
    pub stack_mib: Option<u64>,
}
