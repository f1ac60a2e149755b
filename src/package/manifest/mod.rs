//! problem.toml as an instructor writes it, and what it settles where one value has a meaning only
//! beside another.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::constants::Constants;
use super::error::Trouble;
use super::format::Format;
use super::groups::{GROUPS_MAX, GroupTable, is_folder_name};
use super::tree::Named;
use crate::compare::{self, WrongLayout};
use crate::config::{
    Check, LIMIT_RULES, LimitTable, Place, Rule, TIME_FACTOR, Wrong, check_wall, limits_toml,
    text_of,
};
use crate::domain::bounds::CONFIG_BYTES_MAX;
use crate::domain::{
    Complaint, Disclosures, LanguageId, Limits, Rounds, TimeFactor, WhenShown, words,
};

/// What a file means that says nothing, but for the limits, which config.toml has.
const DEFAULTS: &str = r#"
io = "stdio"
sources = []
groups = []
time_factors = {}
compare = { mode = "tokens", wrong_layout = "PE" }
disclosure = { sample = "full", secret = "first-failure", hack = "first-failure", counterexample = "always" }
"#;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub title: String,
    /// What answers every test: a built-in problem, or a program of the package by its path;
    /// without it every test needs a stored answer.
    pub reference: Option<Spanned<String>>,
    /// A program of the package that says whether an input is valid.
    pub validator: Option<Spanned<String>>,
    /// A program of the package that says whether an output is right, in place of a comparison; or
    /// what an interactor of testlib has written.
    pub checker: Option<Spanned<String>>,
    /// A program of the package that programs talk with, and that says in the end what they are worth.
    pub interactor: Option<Spanned<String>>,
    /// How often a program is run on one test at most, each time on what the checker or interactor has
    /// written for it.
    pub passes: Option<u32>,
    /// How these programs are asked; testlib's way for sources that include testlib.h, else
    /// the ICPC's, if nothing is said.
    pub protocol: Option<Protocol>,
    /// What the number means that checker or interactor gives to a test; none where they give none.
    pub gives: Option<Gives>,
    pub io: Io,
    /// Where the problem comes from.
    pub sources: Vec<String>,
    #[serde(with = "LimitTable")]
    pub limits: Limits,
    /// By how much programs in some languages may take longer.
    pub time_factors: BTreeMap<LanguageId, TimeFactor>,
    pub compare: CompareTable,
    pub disclosure: Disclosures,
    /// The groups of tests that bring points, in the order in which they are run.
    pub groups: Vec<GroupTable>,
}

/// What the values may be, beside those of `[limits]`.
const RULES: [Rule; 9] = [
    ("time_factors.*", Check::Keys(language)),
    ("time_factors.*", TIME_FACTOR),
    ("compare.absolute", Check::Number(0.0, f64::INFINITY)),
    ("compare.relative", Check::Number(0.0, f64::INFINITY)),
    ("disclosure.counterexample", Check::Text(when_shown)),
    (
        "groups",
        Check::AtMost(GROUPS_MAX, "put tests that belong together into one"),
    ),
    ("passes", Check::Whole(2, Rounds::PASSES_MAX as i64)),
    ("groups.*.points", Check::Whole(0, 1_000_000)),
    ("groups.*.name", Check::Text(folder_name)),
];

fn language(key: &str) -> Result<(), Wrong> {
    LanguageId::new(key).map(drop).map_err(|error| {
        Wrong::new(
            format!("`{key}` cannot be a language's key: {error}"),
            "write a key that `verdictd doctor` lists, as in `python3`",
        )
    })
}

fn when_shown(text: &str) -> Result<(), Wrong> {
    Wrong::unless(
        WhenShown::read(text).is_some(),
        format!("`{{key}}` cannot be \"{text}\""),
        "it is \"always\", \"never\", \"after the deadline\", or a number of attempts, as in \"after 3 attempts\"",
    )
}

fn folder_name(name: &str) -> Result<(), Wrong> {
    Wrong::unless(
        is_folder_name(name),
        format!("`{}` is not the name of a folder", name.escape_debug()),
        "write the name of a folder below data/secret, as in \"easy\" for data/secret/easy",
    )
}

words! {
    /// How the programs of a package are asked, and how they say what they found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Protocol by key_text {
        /// The ICPC's: exit code 42 for yes, 43 for no; words for the student in `teammessage.txt`.
        Icpc = "icpc",
        /// testlib's: exit code 0 for yes; words on standard error.
        Testlib = "testlib",
    }
}

words! {
    /// What the number means that a checker gives to a test: that of the ICPC's `score.txt`, or of
    /// testlib's `points` and `partially correct`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Gives by key_text {
        /// Points of the problem.
        Points = "points",
        /// So many hundredths of what the test can bring.
        Percent = "percent",
        /// What the test can bring, times a number up to 1.
        Share = "share",
    }
}

words! {
    /// How programs read and write.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Io by key_text {
        /// Standard input and output.
        Stdio = "stdio",
        /// The same, or INPUT.TXT and OUTPUT.TXT in the current folder, in upper or lower case.
        StdioOrFiles = "stdio-or-files",
    }
}

/// How outputs are compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareTable {
    mode: Mode,
    /// What the right words in the wrong layout are, in the modes `lines` and `exact`.
    pub wrong_layout: WrongLayout,
    /// Mode `float`: largest absolute error.
    absolute: Option<f64>,
    /// Mode `float`: largest relative error.
    relative: Option<f64>,
}

/// A way to compare, without its tolerances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Tokens,
    Lines,
    Exact,
    Float,
}

/// Both tolerances of `mode = "float"` if the file has neither: what most problems with numbers
/// allow. Without any tolerance a right program would fail for its last digit.
const TOLERANCE: f64 = 1e-6;

impl CompareTable {
    /// How outputs are compared.
    pub fn mode(&self) -> compare::Mode {
        let (absolute, relative) = match (self.absolute, self.relative) {
            (None, None) => (TOLERANCE, TOLERANCE),
            (absolute, relative) => (absolute.unwrap_or(0.0), relative.unwrap_or(0.0)),
        };
        match self.mode {
            Mode::Tokens => compare::Mode::Tokens,
            Mode::Lines => compare::Mode::Lines,
            Mode::Exact => compare::Mode::Exact,
            Mode::Float => compare::Mode::Float { absolute, relative },
        }
    }
}

impl Manifest {
    /// Reads the file's text and checks what concerns several of its values.
    pub fn parse(place: &Place<'_>, defaults: &Limits) -> Result<Self, Complaint> {
        let rules = [&LIMIT_RULES[..], &RULES].concat();
        let defaults = [DEFAULTS, &limits_toml(defaults)];
        let manifest: Self = place.shape(&defaults, &rules, foreign_key)?;
        let (has_checker, talks) = (manifest.checker.is_some(), manifest.interactor.is_some());
        let is_judged = has_checker || talks;
        let has_helper = is_judged || manifest.validator.is_some();
        let has_passes = manifest.passes.is_some();
        let by_testlib = manifest.protocol == Some(Protocol::Testlib);
        let has_files = manifest.io == Io::StdioOrFiles && (talks || has_passes);
        let is_float = manifest.compare.mode == Mode::Float;
        for (is_wrong, key, message, help) in [
            (is_judged, "compare", NO_COMPARE, "take one of the two out"),
            (!is_judged, "passes", NO_PASSES, NAME_IT),
            (!is_judged, "gives", NO_GIVES, NAME_IT),
            (has_passes && by_testlib, "protocol", BY_ICPC, ICPC_ONLY),
            (has_files, "io", NO_FILES, "take the key out"),
            (!is_float, "compare.absolute", NO_ABSOLUTE, WITHOUT_FLOAT),
            (!is_float, "compare.relative", NO_RELATIVE, WITHOUT_FLOAT),
            (!has_helper, "protocol", NO_PROTOCOL, NAME_IT),
        ] {
            let path: Vec<&str> = key.split('.').collect();
            if is_wrong && let Some(span) = place.span_of(&path) {
                return Err(place.error(span, message, help));
            }
        }
        check_wall(&manifest.limits, place)?;
        Ok(manifest)
    }
}

const NO_COMPARE: &str =
    "`[compare]` has no meaning beside a `checker` or an `interactor`, which does the comparing";
const NO_PASSES: &str =
    "`passes` has a meaning only with a `checker` or an `interactor`, which asks for the next one";
const NO_GIVES: &str =
    "`gives` has a meaning only with a `checker` or an `interactor`, which gives points";
const NO_PROTOCOL: &str =
    "`protocol` has a meaning only with `validator`, `checker` or `interactor`";
const NAME_IT: &str = "take it out, or name the program that it is about";
const BY_ICPC: &str = "what asks for passes is asked in the ICPC's way";
const NO_FILES: &str = "where a program of the package takes part in the runs there are no files";
const NO_ABSOLUTE: &str = "`absolute` has a meaning only with mode = \"float\"";
const NO_RELATIVE: &str = "`relative` has a meaning only with mode = \"float\"";
pub const ICPC_ONLY: &str = "exit code 42 for right and 43 for wrong, with the arguments input, answer and folder for its words: testlib's programs are not supported there";
const WITHOUT_FLOAT: &str = "write `mode = \"float\"` under `[compare]`, or take the key out";

/// The text of the file.
pub(super) fn read(file: &Path) -> Result<String, Trouble> {
    read_with(file, &Constants::default())
}

/// The same of a file in which constants stand by their names.
pub(super) fn read_with(file: &Path, constants: &Constants) -> Result<String, Trouble> {
    let bytes = constants.file(file, CONFIG_BYTES_MAX);
    let bytes = bytes.map_err(|error| Trouble::unread(file, error))?;
    Ok(text_of(&bytes, file)?.to_owned())
}

/// What a file names in its package, whatever else is wrong with it.
pub(super) fn named(place: &Place<'_>) -> Result<Named, Complaint> {
    let table = place.table()?;
    let table: &DeTable<'_> = table.get_ref();
    let text = |value: &Spanned<DeValue<'_>>| value.get_ref().as_str().map(str::to_owned);
    let programs = ["reference", "validator", "checker", "interactor"].into_iter();
    let groups = table
        .get("groups")
        .and_then(|groups| groups.get_ref().as_array());
    let groups = groups.into_iter().flatten().take(GROUPS_MAX);
    Ok(Named {
        constants: Constants::default(),
        format: Format::Own,
        programs: programs
            .filter_map(|key| text(table.get(key)?))
            .filter(|path| is_path(path))
            .collect(),
        groups: groups
            .filter_map(|group| text(group.get_ref().get("name")?))
            .filter(|name| is_folder_name(name))
            .collect(),
    })
}

/// Whether a reference is meant as a file of the package and not as the name of a built-in problem.
pub(super) fn is_path(reference: &str) -> bool {
    reference.contains(['/', '.'])
}

/// What keys of other formats mean here.
#[derive(Deserialize)]
struct Foreign {
    keys: Vec<String>,
    what: String,
    help: String,
}

static FOREIGN: LazyLock<BTreeMap<String, Vec<Foreign>>> = LazyLock::new(|| {
    toml::from_str(include_str!("foreign.toml")).expect("a test reads the file as it is here")
});

/// What a key of another package format means here, if the key is known.
pub fn foreign_key(key: &str) -> Option<(String, String)> {
    let mut foreign = FOREIGN.values().flatten();
    let known = foreign.find(|known| known.keys.iter().any(|one| one == key))?;
    Some((format!("`{key}`: {}", known.what), known.help.clone()))
}

#[cfg(test)]
mod tests;
