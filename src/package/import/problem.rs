//! What packages of all systems are read into: our problem.toml, the tests, other files, and what
//! could not be taken over.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use toml::{Table, Value};

use super::super::groups::GROUPS_MAX;
use super::super::remarks::{Remark, Remarks};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Scoring};
use crate::util::words::listed;

/// Keys of a manifest that are named.
const KEYS_MAX: usize = 20;
/// Points are the same up to this: a third of a hundred is not exact.
pub const SAME_POINTS: f64 = 1e-6;

/// What reading a part of a package comes to.
pub type Done = Result<(), Complaint>;

/// A problem of another system.
#[derive(Debug, Default)]
pub struct Problem {
    /// Its package, for messages.
    root: PathBuf,
    /// What it is called there, from which the name of its folder is made.
    pub name: String,
    /// Our problem.toml, without the groups.
    pub toml: Table,
    pub groups: Vec<Group>,
    pub tests: Vec<Test>,
    /// Other files of the new package, by their paths in it.
    pub files: Vec<(String, Content)>,
    /// What has to be put there before anybody can be judged: until then the package is broken.
    pub missing: Vec<Complaint>,
    /// What else is not taken over, or in another form.
    left_out: Remarks,
}

/// A group of tests. Other systems know parts of points.
#[derive(Debug)]
pub struct Group {
    pub name: String,
    pub points: f64,
    pub score: Scoring,
    pub needs: Vec<String>,
    /// The points of each test, where tests stand for themselves there.
    each: Option<f64>,
}

/// A test.
#[derive(Debug)]
pub struct Test {
    /// Its path below `data`, without an ending.
    pub path: String,
    pub bytes: Pair,
}

/// An input and its answer; none where the reference has to answer it.
pub type Pair = (Content, Option<Content>);

/// Where the bytes of a file come from.
#[derive(Debug, Clone)]
pub enum Content {
    /// A file of the package.
    File(String),
    Bytes(Vec<u8>),
    /// What a generator of the package prints for these arguments: its source, its headers.
    Made(Rc<(String, Vec<String>)>, Vec<String>),
}

impl Problem {
    pub fn new(root: &Path, name: impl Into<String>, title: &str) -> Self {
        let mut problem = Self::default();
        (problem.root, problem.name) = (root.to_owned(), name.into());
        problem.set("title", title);
        problem
    }

    /// Sets a key of problem.toml, which may be that of a table: `limits.cpu_s`.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        let (mut table, mut last) = (&mut self.toml, key);
        if let Some((name, key)) = key.split_once('.') {
            let inner = table.entry(name).or_insert(Value::Table(Table::new()));
            let Value::Table(inner) = inner else { return };
            (table, last) = (inner, key);
        }
        table.insert(last.to_owned(), value.into());
    }

    /// What is wrong with a file of the package, and the way out.
    pub fn wrong(&self, file: &str, reason: impl Display, help: impl Into<String>) -> Complaint {
        Complaint::new(self.root.join(file), reason).with_help(help)
    }

    /// Says what is not taken over, or in another form.
    pub fn leave_out(&mut self, file: &str, reason: impl Into<String>) {
        self.left_out.add(&self.root.join(file), reason);
    }

    /// All of that.
    pub fn left_out(&mut self) -> Vec<Remark> {
        std::mem::take(&mut self.left_out).finish()
    }

    /// The same of the keys of a manifest that are none of these.
    pub fn leave_keys<V>(&mut self, file: &str, keys: &BTreeMap<String, V>, known: &[&str]) {
        let others = keys.keys().filter(|key| !known.contains(&key.as_str()));
        let others: Vec<&String> = others.collect();
        if !others.is_empty() {
            let words = format!("keys without a counterpart: {}", listed(others, KEYS_MAX));
            self.leave_out(file, words);
        }
    }

    /// Adds a file to the new package.
    pub fn file(&mut self, path: impl Into<String>, content: Content) {
        self.files.push((path.into(), content));
    }

    /// A program that cannot be taken over judges there, the `checker` or the `interactor`.
    /// problem.toml names the place for another one, so that nobody is judged without it.
    pub fn lack(&mut self, key: &str, file: &str, reason: impl Display) {
        for other in ["checker", "interactor", "compare", "protocol"] {
            self.toml.remove(other);
        }
        let path = format!("output_validator/{key}.cpp");
        let help = format!("write {path}, which problem.toml names: until then nobody is judged");
        self.missing.push(self.wrong(file, reason, help));
        self.set(key, path);
    }

    /// How far numbers may be off, `absolute` or `relative` or both.
    pub fn compare_numbers(&mut self, error: f64, by: &[&str]) {
        self.set("compare.mode", "float");
        for key in by {
            self.set(&format!("compare.{key}"), error);
        }
    }

    /// The memory limit, of which ours are whole MiB.
    pub fn limit_memory(&mut self, file: &str, mib: f64) {
        let whole: i64 = format!("{:.0}", mib.ceil()).parse().unwrap_or(i64::MAX);
        self.set("limits.memory_mib", whole);
        if mib.fract() > 0.0 {
            self.leave_out(file, format!("the limit is rounded up to {whole} MiB"));
        }
    }

    /// The files that programs read and write there; empty for the standard streams.
    pub fn read_and_write(&mut self, file: &str, names: [&str; 2]) {
        let mut ours = names.iter().zip(["input.txt", "output.txt"]);
        if names.iter().all(|name| name.is_empty()) {
            return;
        }
        if ours.all(|(name, ours)| name.is_empty() || name.eq_ignore_ascii_case(ours)) {
            return self.set("io", "stdio-or-files");
        }
        let words = "programs cannot use these files here, but standard input and output";
        self.leave_out(file, format!("{words}: {}", names.join(" ")));
    }

    /// A new group; returns its name.
    pub fn group(
        &mut self,
        name: &str,
        points: f64,
        score: Scoring,
        needs: Vec<String>,
    ) -> Result<String, Complaint> {
        if self.groups.len() == GROUPS_MAX {
            let reason = format!("it has more than {GROUPS_MAX} groups of tests");
            return Err(self.wrong("", reason, "join some of them"));
        }
        self.groups.push(Group {
            name: name.to_owned(),
            points,
            score,
            needs,
            each: None,
        });
        Ok(name.to_owned())
    }

    /// The group of a test that brings points for itself: that of the test before it, where that
    /// one brings as many.
    pub fn alone(&mut self, points: f64, needs: Vec<String>) -> Result<String, Complaint> {
        let number = self.groups.len() + 1;
        let is_near = |each: f64| (each - points).abs() < SAME_POINTS;
        let is_like = |group: &&mut Group| group.each.is_some_and(is_near);
        if let Some(group) = self.groups.last_mut().filter(is_like) {
            group.points += points;
            return Ok(group.name.clone());
        }
        let name = self.group(&format!("part-{number}"), points, Scoring::Sum, needs)?;
        self.groups[number - 1].each = Some(points);
        Ok(name)
    }

    /// A test of a group, or of none. A sample that brings points is in two places.
    pub fn test(&mut self, name: &str, is_sample: bool, group: &str, bytes: &Pair) -> Done {
        if self.tests.len() >= TESTS_MAX {
            let reason = format!("it has more than {TESTS_MAX} tests");
            return Err(self.wrong("", reason, "take some of them out"));
        }
        let alone = if is_sample { "sample" } else { "secret" };
        let alone = Some(alone.to_owned()).filter(|_| is_sample || group.is_empty());
        let group = Some(format!("secret/{group}")).filter(|_| !group.is_empty());
        for folder in alone.into_iter().chain(group) {
            let (path, bytes) = (format!("{folder}/{name}"), bytes.clone());
            self.tests.push(Test { path, bytes });
        }
        Ok(())
    }
}
