//! The tests of a package, in the order of their paths, and what `testdata.yaml` in their folders
//! says of them.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::error::Trouble;
use super::super::manifest;
use super::super::outline::Found;
use super::super::remarks::Remarks;
use super::super::tree::Tree;
use super::super::yaml::Yaml;
use super::points::{self, Grading};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, TestKind};
use crate::util::words::hint;

const FILE: &str = "testdata.yaml";
/// Every key of it.
const KEYS: [&str; 8] = [
    "on_reject",
    "grading",
    "grader_flags",
    "input_validator_flags",
    "output_validator_flags",
    "accept_score",
    "reject_score",
    "range",
];
const OF_POINTS: [&str; 3] = ["accept_score", "reject_score", "range"];
/// Words of `grader_flags` by which a program is accepted although it fails a test.
const LENIENT: [&str; 2] = ["accept_if_any_accepted", "always_accept"];

/// What is said of the tests of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// What input validators are told.
    pub input: Vec<String>,
    /// What the output validator is told.
    pub output: Vec<String>,
    /// How they are counted in a package with points.
    pub grading: Grading,
}

/// The tests, and what validators are told of each folder that has some.
pub struct Data {
    pub tests: Vec<Found>,
    pub told: BTreeMap<String, Told>,
}

/// Reads which tests there are, of a package with points or without.
pub fn data(
    root: &Path,
    tree: &Tree,
    has_points: bool,
    remarks: &mut Remarks,
) -> Result<Data, Trouble> {
    let folders = Folders {
        root,
        tree,
        has_points,
    };
    let mut told = BTreeMap::new();
    let mut tests = Vec::new();
    for kind in [TestKind::Sample, TestKind::Secret] {
        let top = format!("data/{}", kind.word());
        let mut inputs = tree.inputs_below(&top);
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
            let told = folders.told(folder, &mut told, remarks)?;
            tests.push(Found {
                file: entry.file.clone(),
                folder: folder.strip_prefix("data/").unwrap_or(folder).to_owned(),
                kind,
                group: None,
                arguments: Some(told.input),
            });
        }
    }
    // What comes without a folder of its own is told what the secret tests are.
    folders.told("data/secret", &mut told, remarks)?;
    Ok(Data { tests, told })
}

/// The folders of tests.
struct Folders<'t> {
    root: &'t Path,
    tree: &'t Tree,
    has_points: bool,
}

impl Folders<'_> {
    /// What validators are told about a folder's tests, and how these are counted: what its own file
    /// says, and else what the folder above does.
    fn told(
        &self,
        folder: &str,
        known: &mut BTreeMap<String, Told>,
        remarks: &mut Remarks,
    ) -> Result<Told, Trouble> {
        if let Some(told) = known.get(folder) {
            return Ok(told.clone());
        }
        let above = match folder.rsplit_once('/') {
            Some((above, _)) => self.told(above, known, remarks)?,
            None => Told::default(),
        };
        let mut files = self.tree.below(folder);
        let told = if files.any(|entry| entry.name() == FILE) {
            let file = self.root.join(folder).join(FILE);
            let text = manifest::read(&file)?;
            self.read(&Yaml::read(&text, &file)?, &file, above, remarks)?
        } else {
            above
        };
        known.insert(folder.to_owned(), told.clone());
        Ok(told)
    }

    fn read(
        &self,
        yaml: &Yaml<'_>,
        file: &Path,
        above: Told,
        remarks: &mut Remarks,
    ) -> Result<Told, Complaint> {
        let unknown = yaml.entries.keys();
        for key in unknown.filter(|key| !KEYS.contains(&key.as_str())) {
            let hint = hint(key, KEYS);
            remarks.add(file, format!("the key `{key}` is not known{hint}"));
        }
        let grading = if self.has_points {
            points::read(yaml, file, &above.grading)?
        } else {
            without_points(yaml, file, remarks)?;
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
