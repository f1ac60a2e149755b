//! The tests of a package, in the order of their paths, and what the files in their folders say of
//! them: `testdata.yaml`, or `test_group.yaml` in its place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::error::Trouble;
use super::super::manifest;
use super::super::outline::Found;
use super::super::remarks::Remarks;
use super::super::tree::{Entry, Tree, VALIDATION_FOLDERS};
use super::super::yaml::Yaml;
use super::points::{self, Told};
use super::test_groups::{self, TestGroup};
use super::version::Version;
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, TestKind};
use crate::util::words::hint;

const FILE: &str = "testdata.yaml";
/// Every key of it.
const KEYS: &str = "on_reject grading grader_flags input_validator_flags output_validator_flags accept_score reject_score range";
const OF_POINTS: [&str; 3] = ["accept_score", "reject_score", "range"];
/// Words of `grader_flags` by which a program is accepted although it fails a test.
const LENIENT: [&str; 2] = ["accept_if_any_accepted", "always_accept"];

/// Which file says something of the tests of its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Testdata,
    TestGroup,
}

impl Style {
    /// That of a package. The error: there are files of the other one, which would not be read.
    pub fn of(tree: &Tree, version: Version, remarks: &mut Remarks) -> Result<Self, Trouble> {
        let mut files = tree.all_below("data").filter(|entry| !entry.is_folder);
        let old = files.find(|entry| entry.name() == FILE);
        let mut files = tree.all_below("data");
        let has_new = files.any(|entry| entry.name() == test_groups::FILE);
        let old = match (version, old) {
            (Version::Legacy, _) => return Ok(Self::Testdata),
            (Version::Draft, Some(_)) if !has_new => return Ok(Self::Testdata),
            (_, None) => return Ok(Self::TestGroup),
            (_, Some(old)) => old,
        };
        let new = test_groups::FILE;
        let words = format!("it is not read: in this version its name is {new}");
        let text = manifest::read(&old.file)?;
        if Yaml::read(&text, &old.file)?.entries.is_empty() {
            remarks.add(&old.file, words);
            return Ok(Self::TestGroup);
        }
        let help = "rename it, and say the same with the keys of that file";
        Err(Complaint::new(&old.file, words).with_help(help).into())
    }

    fn file(self) -> &'static str {
        match self {
            Self::Testdata => FILE,
            Self::TestGroup => test_groups::FILE,
        }
    }
}

/// The tests, what validators are told of each folder that has some, and how those folders are
/// counted that say it.
pub struct Data {
    pub tests: Vec<Found>,
    pub validation: Vec<Found>,
    pub told: BTreeMap<String, Told>,
    pub groups: BTreeMap<String, TestGroup>,
}

/// Reads which tests there are, of a package with points or without.
pub fn data(
    root: &Path,
    tree: &Tree,
    (has_points, style): (bool, Style),
    remarks: &mut Remarks,
) -> Result<Data, Trouble> {
    let mut folders = Folders {
        root,
        tree,
        has_points,
        style,
        told: BTreeMap::new(),
        groups: BTreeMap::new(),
        remarks,
    };
    let own = match style {
        Style::Testdata => BTreeSet::new(),
        Style::TestGroup => test_groups::files_of_tests(tree)?,
    };
    let mut tests = Vec::new();
    let judged = [TestKind::Sample, TestKind::Secret].map(|kind| (kind.word(), kind));
    let others = VALIDATION_FOLDERS.map(|folder| (folder, TestKind::Secret));
    for (top, kind) in judged.into_iter().chain(others) {
        let below = format!("data/{top}");
        let is_input = |entry: &&Entry| !entry.is_folder && entry.ending() == "in";
        let mut inputs: Vec<&Entry> = tree.all_below(&below).filter(is_input).collect();
        // By the names without their endings, folder by folder.
        inputs.sort_by_cached_key(|entry| {
            let stem = entry.path.strip_suffix(".in").unwrap_or(&entry.path);
            stem.split('/').map(str::to_owned).collect::<Vec<_>>()
        });
        if tests.len() + inputs.len() > TESTS_MAX {
            let words = format!("more than {TESTS_MAX} tests");
            return Err(Trouble::file(&root.join("data"), words));
        }
        for entry in inputs {
            let folder = entry.folder();
            let mut told = folders.told(folder)?;
            let file = entry.file.with_extension("yaml");
            if own.contains(file.as_path()) {
                let text = manifest::read(&file)?;
                let yaml = Yaml::read(&text, &file)?;
                told = test_groups::told(&yaml, &file, true, told, folders.remarks)?;
            }
            tests.push(Found {
                file: entry.file.clone(),
                folder: folder.strip_prefix("data/").unwrap_or(folder).to_owned(),
                kind,
                group: None,
                arguments: Some(told.input),
                told: Some(told.output),
            });
        }
    }
    // What comes without a folder of its own is told what the secret tests are.
    folders.told("data/secret")?;
    let Folders { told, groups, .. } = folders;
    let (tests, mut validation): (Vec<_>, Vec<_>) = tests.into_iter().partition(Found::is_test);
    // An output that is shown in place of the answer has to be right.
    let outputs = tree
        .all_below("data")
        .filter(|entry| entry.ending() == "out");
    let outputs: BTreeSet<&Path> = outputs.map(|entry| entry.file.as_path()).collect();
    let has_output = |test: &&Found| {
        let output = test.file.with_extension("out");
        style == Style::TestGroup && outputs.contains(output.as_path())
    };
    validation.extend(tests.iter().filter(has_output).cloned());
    Ok(Data {
        tests,
        validation,
        told,
        groups,
    })
}

/// The folders of tests.
struct Folders<'t> {
    root: &'t Path,
    tree: &'t Tree,
    has_points: bool,
    style: Style,
    told: BTreeMap<String, Told>,
    groups: BTreeMap<String, TestGroup>,
    remarks: &'t mut Remarks,
}

impl Folders<'_> {
    /// What validators are told about a folder's tests, and how these are counted: what its own file
    /// says, and else what the folder above does.
    fn told(&mut self, folder: &str) -> Result<Told, Trouble> {
        if let Some(told) = self.told.get(folder) {
            return Ok(told.clone());
        }
        let above = match folder.rsplit_once('/') {
            Some((above, _)) => self.told(above)?,
            None => Told::default(),
        };
        let name = self.style.file();
        let mut files = self.tree.below(folder);
        let told = if files.any(|entry| entry.name() == name) {
            let file = self.root.join(folder).join(name);
            let text = match self.style {
                Style::Testdata => manifest::read(&file)?,
                Style::TestGroup => manifest::read_with(&file, &self.tree.constants)?,
            };
            let yaml = Yaml::read(&text, &file)?;
            match self.style {
                Style::Testdata => self.read(&yaml, &file, above)?,
                Style::TestGroup => {
                    let group = TestGroup::read(&yaml, &file, self.has_points, self.remarks)?;
                    self.groups.insert(folder.to_owned(), group);
                    test_groups::told(&yaml, &file, false, above, self.remarks)?
                }
            }
        } else {
            above
        };
        self.told.insert(folder.to_owned(), told.clone());
        Ok(told)
    }

    fn read(&mut self, yaml: &Yaml<'_>, file: &Path, above: Told) -> Result<Told, Complaint> {
        for (key, value) in &yaml.entries {
            if KEYS.split(' ').any(|known| known == key) {
                continue;
            }
            if test_groups::is_key(key) {
                let words = format!("`{key}` is a key of {}", test_groups::FILE);
                let help = format!("give every {FILE} that name and the keys of that file");
                return Err(yaml.complaint(value, words, help));
            }
            let hint = hint(key, KEYS.split(' '));
            self.remarks
                .add(file, format!("the key `{key}` is not known{hint}"));
        }
        let grading = if self.has_points {
            points::read(yaml, file, &above.grading)?
        } else {
            without_points(yaml, file, self.remarks)?;
            above.grading
        };
        Ok(Told {
            input: yaml.words("input_validator_flags")?.unwrap_or(above.input),
            output: yaml
                .words("output_validator_flags")?
                .unwrap_or(above.output),
            grading,
        })
    }
}

/// What is said of points where there are none.
fn without_points(yaml: &Yaml<'_>, file: &Path, remarks: &mut Remarks) -> Result<(), Complaint> {
    for key in OF_POINTS
        .iter()
        .filter(|key| yaml.entries.contains_key(**key))
    {
        let words = format!("`{key}` has no effect in a package without points");
        remarks.add(
            file,
            format!("{words}: problem.yaml does not say `type: scoring`"),
        );
    }
    if let Some((value, grading)) = yaml.get("grading")
        && grading == "custom"
    {
        return Err(yaml.complaint(
            value,
            "graders of packages are not run",
            "take the line out if a program has to pass every test",
        ));
    }
    let flags = yaml.words("grader_flags")?.unwrap_or_default();
    if let (Some(flag), Some((value, _))) = (
        flags.iter().find(|flag| LENIENT.contains(&flag.as_str())),
        yaml.get("grader_flags"),
    ) {
        return Err(yaml.complaint(
            value,
            format!("`{flag}` accepts programs that fail a test, which is not supported"),
            "take it out if a program has to pass every test",
        ));
    }
    if flags.iter().any(|flag| flag == "ignore_sample") {
        remarks.add(
            file,
            "`ignore_sample` has no effect: a program has to pass the samples too",
        );
    }
    Ok(())
}
