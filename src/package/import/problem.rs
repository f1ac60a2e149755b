//! What packages of all systems are read into: our problem.toml, the tests, other files, and what
//! could not be taken over.

use std::path::Path;
use std::rc::Rc;

use serde::{Serialize, Serializer};

use super::super::manifest::{Io, Protocol};
use crate::domain::{Complaint, Scoring};
use crate::util::MIB;
use crate::util::words::listed;

/// Things about one package that are told; of more only the number is.
const TOLD_MAX: usize = 100;
/// Keys of a manifest that are named.
const KEYS_MAX: usize = 20;
/// Points are the same number up to this: shares of a hundred are no exact ones.
const SAME_POINTS: f64 = 1e-6;

/// A problem of another system.
#[derive(Debug, Default)]
pub struct Problem {
    /// What it is called there, from which the name of its folder is made.
    pub name: String,
    pub manifest: Manifest,
    pub tests: Vec<Test>,
    /// Other files of the new package, by their paths in it.
    pub files: Vec<(String, Content)>,
    /// What has to be put there before anybody can be judged: until then the package is broken.
    pub missing: Vec<Complaint>,
    /// What else is not taken over, or in another form.
    pub left_out: Vec<Complaint>,
    untold: usize,
}

/// Our problem.toml; what is not set is not written.
#[derive(Debug, Default, Serialize)]
pub struct Manifest {
    pub title: String,
    pub reference: Option<String>,
    pub validator: Option<String>,
    pub checker: Option<String>,
    pub interactor: Option<String>,
    pub protocol: Option<Protocol>,
    pub io: Option<Io>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    pub limits: Limits,
    pub compare: Option<Compare>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// The limits that packages of other systems have.
#[derive(Debug, Default, Serialize)]
pub struct Limits {
    pub cpu_s: Option<f64>,
    pub memory_mib: Option<u64>,
}

/// How outputs are compared.
#[derive(Debug, Default, Serialize)]
pub struct Compare {
    pub mode: &'static str,
    pub wrong_layout: Option<&'static str>,
    pub absolute: Option<f64>,
    pub relative: Option<f64>,
}

/// A group of tests.
#[derive(Debug, Serialize)]
pub struct Group {
    pub name: String,
    /// Other systems know parts of points.
    #[serde(serialize_with = "whole")]
    pub points: f64,
    pub score: Scoring,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The points of each test, where tests stand for themselves there.
    #[serde(skip)]
    pub each: Option<f64>,
}

fn whole<S: Serializer>(points: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it saturates, and what is too large is refused when problem.toml is read"
    )]
    serializer.serialize_i64(points.round() as i64)
}

/// A test.
#[derive(Debug)]
pub struct Test {
    /// Its name in its folder.
    pub name: String,
    pub is_sample: bool,
    /// The name of its group.
    pub group: Option<String>,
    pub input: Content,
    /// None where the reference has to answer it.
    pub answer: Option<Content>,
}

/// Where the bytes of a file come from.
#[derive(Debug, Clone)]
pub enum Content {
    /// A file of the package.
    File(String),
    Bytes(Vec<u8>),
    /// What a generator of the package prints for these arguments.
    Made(Rc<Generator>, Vec<String>),
}

/// A program that makes tests, and its headers, by their paths in the package.
#[derive(Debug)]
pub struct Generator {
    pub source: String,
    pub headers: Vec<String>,
}

impl Problem {
    pub fn new(name: impl Into<String>, title: impl Into<String>) -> Self {
        let mut problem = Self {
            name: name.into(),
            ..Self::default()
        };
        problem.manifest.title = title.into();
        problem
    }

    /// Says what is not taken over, or in another form.
    pub fn leave_out(&mut self, file: &Path, reason: impl Into<String>) {
        let told = Complaint::new(file, reason.into());
        if self.left_out.len() < TOLD_MAX {
            self.left_out.push(told);
            return;
        }
        self.untold += 1;
        if let Some(last) = self.left_out.last_mut() {
            *last = told.with_help(format!("{} more things are left out", self.untold));
        }
    }

    /// The same of keys of a manifest.
    pub fn leave_keys<'k>(&mut self, file: &Path, keys: impl Iterator<Item = &'k str>) {
        let keys = listed(keys, KEYS_MAX);
        if !keys.is_empty() {
            self.leave_out(
                file,
                format!("what these keys say has no counterpart: {keys}"),
            );
        }
    }

    /// A program that cannot be taken over says there what is right. problem.toml names the place
    /// for another one, so that nobody is judged without it.
    pub fn lack_checker(&mut self, file: &Path, reason: impl Into<String>) {
        let path = "output_validator/checker.cpp";
        (self.manifest.checker, self.manifest.compare) = (Some(path.to_owned()), None);
        let help =
            format!("write {path}, which problem.toml names, or `[compare]` in place of that line");
        let complaint = Complaint::new(file, reason.into());
        self.missing.push(complaint.with_help(help));
    }

    /// The same of a program that takes part in the runs.
    pub fn lack_interactor(&mut self, file: &Path, reason: impl Into<String>) {
        let path = "output_validator/interactor.cpp";
        self.manifest.interactor = Some(path.to_owned());
        (self.manifest.checker, self.manifest.compare) = (None, None);
        let help = format!(
            "write {path}, which problem.toml names: an interactor that is asked in the ICPC's way"
        );
        let complaint = Complaint::new(file, reason.into());
        self.missing.push(complaint.with_help(help));
    }

    pub fn compare(&mut self, mode: &'static str) {
        self.manifest.compare = Some(Compare {
            mode,
            // There it is never more than wrong.
            wrong_layout: (mode != "tokens").then_some("WA"),
            ..Compare::default()
        });
    }

    /// Numbers may be off by this much.
    pub fn compare_numbers(&mut self, absolute: Option<f64>, relative: Option<f64>) {
        self.manifest.compare = Some(Compare {
            mode: "float",
            wrong_layout: None,
            absolute,
            relative,
        });
    }

    pub fn limit_memory(&mut self, file: &Path, bytes: u64) {
        let mib = bytes.div_ceil(MIB);
        self.manifest.limits.memory_mib = Some(mib);
        if bytes % MIB != 0 {
            let words = format!("the memory limit of {bytes} bytes is rounded up to {mib} MiB");
            self.leave_out(file, words);
        }
    }

    /// The files that programs read and write there; empty for the standard streams.
    pub fn read_and_write(&mut self, file: &Path, input: &str, output: &str) {
        let is = |name: &str, ours| name.is_empty() || name.eq_ignore_ascii_case(ours);
        if input.is_empty() && output.is_empty() {
            return;
        }
        if is(input, "input.txt") && is(output, "output.txt") {
            self.manifest.io = Some(Io::StdioOrFiles);
            return;
        }
        let words = format!(
            "programs read `{input}` and write `{output}` there; here they have to use standard input and output"
        );
        self.leave_out(file, words);
    }

    /// The group of a test that brings points for itself: that of the test before it, where that
    /// one brings as many.
    pub fn alone(&mut self, points: f64, needs: &[String]) -> String {
        let groups = &mut self.manifest.groups;
        let number = groups.len() + 1;
        let is_like = |group: &&mut Group| {
            let each = group.each;
            each.is_some_and(|each| (each - points).abs() < SAME_POINTS)
        };
        if let Some(group) = groups.last_mut().filter(is_like) {
            group.points += points;
            return group.name.clone();
        }
        groups.push(Group {
            name: format!("part-{number}"),
            points,
            score: Scoring::Sum,
            needs: needs.to_vec(),
            each: Some(points),
        });
        format!("part-{number}")
    }

    /// Takes out groups where none brings anything, and says which points are no whole numbers.
    pub fn settle_points(&mut self, file: &Path) {
        if self.manifest.groups.iter().all(|one| one.points <= 0.0) {
            self.manifest.groups.clear();
            self.tests.iter_mut().for_each(|test| test.group = None);
        }
        let groups = self.manifest.groups.iter();
        let parts: Vec<String> = groups
            .filter(|group| (group.points - group.points.round()).abs() > SAME_POINTS)
            .map(|Group { name, points, .. }| {
                format!("the {points} points of the group `{name}` are rounded to whole ones")
            })
            .collect();
        for words in parts {
            self.leave_out(file, words);
        }
    }
}

/// A name that a group's folder can have, from one of another system.
pub fn folder_name(name: &str) -> String {
    let usable = |one: char| one.is_alphanumeric() || one == '-' || one == '_';
    name.chars()
        .map(|one| if usable(one) { one } else { '-' })
        .collect()
}
