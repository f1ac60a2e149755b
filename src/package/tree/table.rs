//! What lies where in a package, and what it is there for.

use std::str::Split;

use super::super::constants::Constants;
use super::super::format::Format;
use super::entry::Entry;
use crate::domain::is_header;

/// The folders of example submissions; `verdictd check` knows what each of them promises.
pub const EXAMPLE_FOLDERS: [&str; 7] = [
    "accepted",
    "partially_accepted",
    "wrong_answer",
    "time_limit_exceeded",
    "run_time_error",
    "compile_error",
    "rejected",
];
/// Folders of `data` that only try the package's own programs.
pub const VALIDATION_FOLDERS: [&str; 3] = ["invalid_input", "invalid_output", "valid_output"];
/// Folders of `data`.
const DATA_FOLDERS: [&str; 5] = [
    "sample",
    "secret",
    "invalid_input",
    "invalid_output",
    "valid_output",
];

/// What something in a package is there for.
#[derive(Debug, Clone, Copy)]
pub enum Meaning {
    /// It is read: another one is another package.
    Read,
    /// It is for people, or for other programs.
    Known,
    /// An answer, which is read if its input is there.
    Answer,
    /// Nothing reads it, and this is what to do about it.
    Remark(&'static str),
    /// The same; one of these names may be meant.
    Meant(&'static str, &'static [&'static str]),
    /// It holds programs, none of which this key of the manifest names.
    Unused(&'static str),
    /// A test that would not be run.
    Lost(&'static str),
    /// A folder that is not read, whose tests belong there.
    Nested(&'static str, Option<&'static [&'static str]>),
}

/// What a row of the table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    /// A file that is known to be harmless.
    ForPeople,
    Folder,
    Either,
}

/// What lies where, and what it means: the first row that fits counts. `*` stands for any
/// characters of a name, `|` for another name; a name that is empty is that of a group's folder,
/// which lies below `data/secret`; `**` is any number of names.
#[rustfmt::skip]
const TABLE: &[(Kind, &str, Meaning)] = {
    use Kind::{Either, File, Folder, ForPeople};
    use Meaning::{Answer, Known, Lost, Meant, Nested, Read, Remark, Unused};
    &[
        (File, "problem.toml", Read),
        (Folder, "data|hacks|submissions|statement|problem_statement", Read),
        (File, "statement|problem_statement/*", Read),
        (Folder, "data/sample|secret|", Read),
        (File, "data/sample|secret|/*.in", Read),
        (File, "data/sample|secret|/*.ans", Answer),
        (File, "hacks/*.result", Known),
        (File, "hacks/*.in|*.txt|*.ans|*.note|*.force", Read),
        (Folder, "submissions/accepted|partially_accepted|wrong_answer|time_limit_exceeded|run_time_error|compile_error|rejected", Read),
        (Either, "submissions/accepted/*", Read),
        (File, "submissions/accepted/*/*", Read),
        (Either, "submissions/*/*", Known),
        // Pictures of the statement among them.
        (ForPeople, "*", Read),
        (ForPeople, "**", Known),
        (Folder, "solution|generators|attachments|input_visualizer|output_visualizer", Known),
        (Folder, "data/invalid_input|invalid_output|valid_output", Read),
        (File, "data/invalid_input|invalid_output|valid_output/*.in|*.ans|*.out", Read),
        (Folder, "data/sample/*", Nested("data/sample", None)),
        (Folder, "data/secret/*", Nested("data/secret, or declare the folder in problem.toml as a group of tests with [[groups]]", None)),
        (Folder, "data//*", Nested("", None)),
        (Folder, "data/*", Nested("data/secret", Some(&DATA_FOLDERS))),
        (File, "data/*.in", Lost("tests directly in data are not read; move them to data/secret or data/sample")),
        (File, "data/*", Remark(FILE)),
        (File, "data/*/*", Remark("it is not read: an input ends in .in, its answer in .ans")),
        (Folder, "hacks/*", Remark("hacks in folders are not read; move them to hacks")),
        (File, "hacks/*", Remark("it is not read: a hack ends in .in or .txt")),
        (Folder, "submissions/*", Meant("its programs are not judged; the folders are accepted, partially_accepted, wrong_answer, time_limit_exceeded, run_time_error, compile_error, rejected", &EXAMPLE_FOLDERS)),
        (File, "submissions/*", Remark("it is not judged: put it into the folder that says what is expected, as in submissions/accepted")),
        (Either, "input_validators|input_validator|input_format_validators", Unused("validator")),
        (Either, "output_validators|output_validator", Unused("checker")),
        (Either, "problem.yaml|problem.yml|domjudge-problem.ini|init.yml|problem.xml", Remark("it is of another package format and is not read: what it sets must stand in problem.toml; then delete it")),
        (Either, ".timelimit", Remark("it is not read: write `cpu_s` under [limits] of problem.toml")),
        (Folder, "include", Read),
        (Folder, "include/*", Read),
        (File, "include/*", Remark("it is not read: put it into the folder of a language, as in include/cpp")),
        (File, "include/*/*", Read),
        (Folder, "*", Remark("nothing reads this folder")),
        (File, "*.in|*.ans", Remark("tests are read from data/sample and data/secret: move it there")),
        (File, "*", Remark(FILE)),
        // What lies beside a program may be compiled with it.
        (Either, "**", Known),
    ]
};
const FILE: &str = "nothing reads this file";

/// The same for a package of the Kattis and ICPC format, in which much more lies that is for other
/// programs.
#[rustfmt::skip]
const KATTIS_TABLE: &[(Kind, &str, Meaning)] = {
    use Kind::{Either, File, Folder, ForPeople};
    use Meaning::{Answer, Known, Meant, Read, Remark};
    &[
        (File, "problem.yaml|domjudge-problem.ini|.timelimit", Read),
        (Folder, "data|hacks|submissions|statement|problem_statement|input_validators|input_format_validators|output_validators|output_validator", Read),
        (File, "statement|problem_statement/*", Read),
        (Folder, "data/sample|secret/**", Read),
        (File, "data/**/testdata.yaml|test_group.yaml", Read),
        (File, "data/sample|secret/**/*.yaml", Read),
        (File, "data/sample|secret/**/*.in", Read),
        (File, "data/sample|secret/**/*.ans", Answer),
        (File, "data/*.in", Remark("it is not run: tests are read from data/sample and data/secret")),
        (Folder, "data/invalid_input|invalid_output|valid_output/**", Read),
        (File, "data/invalid_input|invalid_output|valid_output/**/*.in|*.ans|*.out|*.yaml", Read),
        (File, "data/sample|secret/**/*.out", Read),
        (Folder, "data/*", Meant("tests are read from data/sample and data/secret only", &DATA_FOLDERS)),
        (File, "hacks/*.result", Known),
        (File, "hacks/*.in|*.txt|*.ans|*.note|*.force", Read),
        (Folder, "hacks/*", Remark("hacks in folders are not read; move them to hacks")),
        (File, "hacks/*", Remark("it is not read: a hack ends in .in or .txt")),
        (Folder, "submissions/*", Read),
        (Either, "submissions/accepted/*", Read),
        (File, "submissions/accepted/*/*", Read),
        (File, "submissions/submissions.yaml", Read),
        (ForPeople, "**", Known),
        (Either, "input_validators|input_format_validators|output_validators|output_validator/*", Read),
        (File, "input_validators|input_format_validators|output_validators|output_validator/*/*", Read),
        (Folder, "include", Read),
        (Folder, "include/*", Read),
        (File, "include/*", Remark("it is not read: put it into the folder of a language, as in include/cpp")),
        (File, "include/*/*", Read),
        (Either, "input_validator", Remark("it is not read in a package of this format: the folders are input_validators and output_validators")),
        (Either, "static_validator", Remark("it is not used: no program says anything of sources here")),
        (Either, "input_visualizer|output_visualizer", Remark("it is not used: its pictures are not made")),
        (Either, "graders", Remark("it is not used: graders of packages are not run")),
        (Either, "problem.yml|init.yml|problem.xml", Remark(FILE)),
        (Either, "**", Known),
    ]
};

/// Whether a path fits a pattern of the table.
fn fits(mut patterns: Split<'_, char>, mut names: Split<'_, char>) -> bool {
    let is_name = |pattern: &str, name: &str| match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            let rest = name.strip_prefix(begin);
            !name.is_empty() && rest.is_some_and(|rest| rest.ends_with(end))
        }
    };
    let Some(one_of) = patterns.next() else {
        return names.next().is_none();
    };
    if one_of == "**" {
        return loop {
            if fits(patterns.clone(), names.clone()) {
                break true;
            }
            if names.next().is_none() {
                break false;
            }
        };
    }
    let mut one_of = one_of.split('|');
    names
        .next()
        .is_some_and(|name| one_of.any(|pattern| is_name(pattern, name)))
        && fits(patterns, names)
}

/// What a manifest names in its package: the paths of programs, the folders of groups below
/// `data/secret`.
#[derive(Debug, Clone, Default)]
pub struct Named {
    pub format: Format,
    pub constants: Constants,
    pub programs: Vec<String>,
    pub groups: Vec<String>,
}

impl Named {
    /// What a path means for the programs; none where it has nothing to do with them.
    fn meaning(&self, path: &str, is_folder: bool) -> Option<Meaning> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let first = path.split('/').next().unwrap_or_default();
        self.programs.iter().find_map(|program| {
            let (beside, _) = program.rsplit_once('/').unwrap_or(("", program));
            let leads_there = format!("{beside}/").starts_with(&format!("{path}/"));
            let is_used = match (is_folder, beside) {
                (true, _) => leads_there,
                (false, "") => program == path || (folder.is_empty() && is_header(name)),
                (false, beside) => folder == beside,
            };
            let is_below = beside.split('/').next() == Some(first)
                && !["data", "hacks", "submissions"].contains(&first);
            match (is_used, is_below) {
                (true, _) => Some(Meaning::Read),
                (false, true) => Some(Meaning::Known),
                (false, false) => None,
            }
        })
    }

    /// The group whose folder a path lies in, or is, and the rest of the path.
    fn group<'p>(&self, path: &'p str) -> Option<(&str, &'p str)> {
        let below = path.strip_prefix("data/secret/")?;
        let (name, rest) = below.split_at(below.find('/').unwrap_or(below.len()));
        let group = self.groups.iter().find(|group| *group == name)?;
        Some((group, rest))
    }

    pub fn meaning_of(&self, entry: &Entry) -> Meaning {
        if let Some(meaning) = self.meaning(&entry.path, entry.is_folder) {
            return meaning;
        }
        let of_group = self.group(&entry.path);
        let path = of_group.map(|(_, rest)| format!("data/{rest}"));
        let path = path.as_deref().unwrap_or(&entry.path);
        let is_kind = |kind| match kind {
            Kind::File => !entry.is_folder,
            Kind::ForPeople => entry.is_harmless_file(),
            Kind::Folder => entry.is_folder,
            Kind::Either => true,
        };
        let table = match self.format {
            Format::Own => TABLE,
            Format::Kattis => KATTIS_TABLE,
        };
        let mut rows = table.iter();
        let row = rows
            .find(|(kind, pattern, _)| is_kind(*kind) && fits(pattern.split('/'), path.split('/')));
        row.map_or(Meaning::Known, |(.., meaning)| *meaning)
    }
}
