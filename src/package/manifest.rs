//! problem.toml as an instructor writes it.

use std::collections::BTreeMap;

use serde::de::Deserializer;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::groups::{GROUPS_MAX, GroupTable, is_folder_name, tables};
use crate::compare::{Mode, WrongLayout};
use crate::config::{LimitTable, Wrong, one_of, text, time_factor};
use crate::domain::{Disclosure, LanguageId, TimeFactor, WhenShown};

/// What a file means that says nothing, but for the limits, which config.toml has.
pub(super) const DEFAULTS: &str = r#"
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
    /// A program of the package that says whether an output is right, in place of a comparison.
    pub checker: Option<Spanned<String>>,
    /// How validator and checker are asked; testlib's way for sources that include testlib.h, else
    /// the ICPC's, if nothing is said.
    #[serde(default, deserialize_with = "protocol")]
    pub protocol: Option<Protocol>,
    #[serde(deserialize_with = "io")]
    pub io: Io,
    /// Where the problem comes from.
    pub sources: Vec<String>,
    pub limits: LimitTable,
    /// By how much programs in some languages may take longer.
    #[serde(deserialize_with = "time_factors")]
    pub time_factors: BTreeMap<LanguageId, TimeFactor>,
    pub compare: CompareTable,
    pub disclosure: DisclosureTable,
    /// The groups of tests that bring points, in the order in which they are run.
    #[serde(deserialize_with = "tables")]
    pub groups: Vec<GroupTable>,
}

/// Of a file, what it names in the package, whatever else is wrong with it.
#[derive(Debug, Deserialize)]
pub struct Named {
    reference: Option<String>,
    validator: Option<String>,
    checker: Option<String>,
    #[serde(default)]
    groups: Vec<NamedGroup>,
}

#[derive(Debug, Deserialize)]
struct NamedGroup {
    #[serde(default)]
    name: String,
}

impl Named {
    /// The paths of its programs.
    pub fn programs(&self) -> Vec<&str> {
        let paths = [&self.reference, &self.validator, &self.checker];
        let paths = paths.into_iter().flatten().map(String::as_str);
        paths.filter(|path| is_path(path)).collect()
    }

    /// The folders of its groups below `data/secret`.
    pub fn groups(&self) -> Vec<&str> {
        let names = self.groups.iter().take(GROUPS_MAX);
        let names = names.map(|group| group.name.as_str());
        names.filter(|name| is_folder_name(name)).collect()
    }
}

/// Whether a reference is meant as a file of the package and not as the name of a built-in problem.
pub(super) fn is_path(reference: &str) -> bool {
    reference.contains(['/', '.'])
}

/// What students are shown of each group of tests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisclosureTable {
    /// Of `data/sample`.
    #[serde(deserialize_with = "disclosure")]
    pub sample: Disclosure,
    /// Of `data/secret`.
    #[serde(deserialize_with = "disclosure")]
    pub secret: Disclosure,
    #[serde(deserialize_with = "disclosure")]
    pub hack: Disclosure,
    /// Of the smallest input on which a program fails.
    #[serde(deserialize_with = "when_shown")]
    pub counterexample: WhenShown,
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

/// How outputs are compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareTable {
    /// Without the tolerances of [`Mode::Float`], which have keys of their own.
    #[serde(deserialize_with = "mode")]
    pub mode: Mode,
    /// What the right words in the wrong layout are, in the modes `lines` and `exact`.
    #[serde(deserialize_with = "wrong_layout")]
    pub wrong_layout: WrongLayout,
    /// Mode `float`: largest absolute error.
    #[serde(default, deserialize_with = "tolerance")]
    pub absolute: Option<f64>,
    /// Mode `float`: largest relative error.
    #[serde(default, deserialize_with = "tolerance")]
    pub relative: Option<f64>,
}

/// Both tolerances of `mode = "float"` if the file has neither: what most problems with numbers
/// allow. Without any tolerance a right program would fail for its last digit.
pub(super) const TOLERANCE: f64 = 1e-6;

#[derive(Deserialize)]
#[serde(transparent)]
struct FactorOf(#[serde(deserialize_with = "time_factor")] TimeFactor);

fn time_factors<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<LanguageId, TimeFactor>, D::Error> {
    let factors = BTreeMap::<Spanned<String>, FactorOf>::deserialize(from)?;
    let checked = |(key, factor): (Spanned<String>, FactorOf)| {
        let id = LanguageId::new(key.get_ref()).map_err(|error| {
            Wrong::new(
                format!("`{}` cannot be a language's key: {error}", key.get_ref()),
                "write a key that `verdictd doctor` lists, as in `python3`",
            )
            .error(Some(key.span()))
        })?;
        Ok((id, factor.0))
    };
    factors.into_iter().map(checked).collect()
}

fn protocol<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Protocol>, D::Error> {
    let choices = [("icpc", Protocol::Icpc), ("testlib", Protocol::Testlib)];
    one_of(from, &choices).map(Some)
}

fn io<'de, D: Deserializer<'de>>(from: D) -> Result<Io, D::Error> {
    let choices = [("stdio", Io::Stdio), ("stdio-or-files", Io::StdioOrFiles)];
    one_of(from, &choices)
}

fn disclosure<'de, D: Deserializer<'de>>(from: D) -> Result<Disclosure, D::Error> {
    one_of(
        from,
        &[
            ("full", Disclosure::Full),
            ("first-failure", Disclosure::FirstFailure),
            ("verdict-only", Disclosure::VerdictOnly),
        ],
    )
}

fn when_shown<'de, D: Deserializer<'de>>(from: D) -> Result<WhenShown, D::Error> {
    text(from, |text| {
        WhenShown::read(text).ok_or_else(|| {
            Wrong::new(
                format!("`{{key}}` cannot be \"{text}\""),
                "it is \"always\", \"never\", \"after the deadline\", or a number of attempts, as in \"after 3 attempts\"",
            )
        })
    })
}

fn mode<'de, D: Deserializer<'de>>(from: D) -> Result<Mode, D::Error> {
    let float = Mode::Float {
        absolute: 0.0,
        relative: 0.0,
    };
    one_of(
        from,
        &[
            ("tokens", Mode::Tokens),
            ("lines", Mode::Lines),
            ("exact", Mode::Exact),
            ("float", float),
        ],
    )
}

fn wrong_layout<'de, D: Deserializer<'de>>(from: D) -> Result<WrongLayout, D::Error> {
    let choices = [
        ("PE", WrongLayout::Presentation),
        ("WA", WrongLayout::Wrong),
    ];
    one_of(from, &choices)
}

fn tolerance<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let number = f64::deserialize(from)?;
    if number.is_finite() && number >= 0.0 {
        return Ok(Some(number));
    }
    Err(Wrong::new(
        format!("`{{key}}` cannot be {number}"),
        format!(
            "it is the largest error that is allowed, 0 or more; \
             without `absolute` and `relative` both are {TOLERANCE:e}"
        ),
    )
    .error(None))
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
            "test_groups",
            "subtasks",
            "points",
            "score",
        ],
        "points are given in another way here",
        "write [[groups]] with `name` (a folder below data/secret) and `points`; without groups a \
         program has one point if it is accepted",
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

/// What a key of another package format means here, if the key is known.
pub fn foreign_key(key: &str) -> Option<(String, String)> {
    let (_, what, help) = FOREIGN.iter().find(|(keys, ..)| keys.contains(&key))?;
    Some((format!("`{key}`: {what}"), (*help).to_owned()))
}
