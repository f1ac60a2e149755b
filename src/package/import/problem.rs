//! What packages of all systems are read into: our problem.toml, the tests, other files, and what
//! could not be taken over.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::PathBuf;

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
pub type Read<T> = Result<T, Complaint>;

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
    pub line_ends: LineEnds,
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
    /// The name of its folder.
    pub name: String,
    /// What groups that need it call it: one of another system may have become several.
    pub of: String,
    pub points: f64,
    pub score: Scoring,
    pub needs: Vec<String>,
    /// The points of each test, where tests stand for themselves there.
    each: Option<f64>,
}

/// A test.
#[derive(Debug)]
pub struct Test {
    /// Its path below `data` where it is in no group that brings points, without an ending.
    pub path: String,
    /// The name of its group; empty where it has none.
    pub group: String,
    pub pair: Pair,
}

/// An input and its answer; none where the reference has to answer it.
pub type Pair = (Content, Option<Content>);

/// What lines of tests end in.
#[derive(Debug, Default, PartialEq)]
pub enum LineEnds {
    /// In LF, where every line there ends as on Windows.
    #[default]
    Text,
    /// In LF, the last one too.
    Always,
    /// As there.
    Kept,
}

/// Where the bytes of a file come from.
#[derive(Debug)]
pub enum Content {
    /// A file of the package.
    File(String),
    Bytes(Vec<u8>),
    /// What a generator of the package prints for these arguments.
    Made(String, Vec<String>),
}

impl Problem {
    pub fn new(root: PathBuf, name: &str, title: &str) -> Self {
        let mut problem = Self::default();
        (problem.root, problem.name) = (root, name.to_owned());
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
    pub fn leave_keys(&mut self, file: &str, keys: &BTreeSet<&String>, known: &[&str]) {
        let is_other = |key: &&&String| !known.contains(&key.as_str());
        let others: Vec<_> = keys.iter().filter(is_other).collect();
        if !others.is_empty() {
            let words = format!("keys without a counterpart: {}", listed(others, KEYS_MAX));
            self.leave_out(file, words);
        }
    }

    /// Whether a file of the package is taken over.
    pub fn takes(&self, path: &str) -> bool {
        let tests = self.tests.iter();
        let pairs = tests.flat_map(|test| [Some(&test.pair.0), test.pair.1.as_ref()]);
        let files = self.files.iter().map(|(_, content)| content);
        let mut all = pairs.flatten().chain(files);
        all.any(|content| matches!(content, Content::File(taken) if taken == path))
    }

    /// Adds a file to the new package.
    pub fn file(&mut self, path: &str, content: Content) {
        self.files.push((path.to_owned(), content));
    }

    /// A program that cannot be taken over judges there, the `checker` or the `interactor`.
    /// problem.toml names the place for another one, so that nobody is judged without it.
    pub fn lack(&mut self, key: &str, file: &str, reason: impl Display) {
        for other in ["checker", "interactor", "compare", "protocol"] {
            self.toml.remove(other);
        }
        let path = format!("output_validator/{key}.cpp");
        let help = format!("write {path}, which problem.toml names: until then nobody is judged");
        let missing = self.wrong(file, reason, help);
        let is_like = |one: &Complaint| one.reason == missing.reason;
        if !self.missing.iter().any(is_like) {
            self.missing.push(missing);
        }
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

    /// A new group, that others call `of`; returns its name. Of too many, one is kept by which that
    /// is seen.
    pub fn group(&mut self, of: &str, points: f64, needs: Vec<String>) -> String {
        let (mut name, mut number) = (of.to_owned(), 1);
        while self.groups.iter().any(|group| group.name == name) {
            number += 1;
            name = format!("{of}-{number}");
        }
        let (group, of, score) = (name.clone(), of.to_owned(), Scoring::All);
        if self.groups.len() <= GROUPS_MAX {
            self.groups.push(Group {
                name,
                of,
                points,
                score,
                needs,
                each: None,
            });
        }
        group
    }

    /// The group of a test that brings points for itself: that of others that bring as many.
    pub fn part(&mut self, of: &str, points: f64, needs: Vec<String>) -> String {
        let is_near = |each: f64| (each - points).abs() < SAME_POINTS;
        let is_like = |group: &&mut Group| group.of == of && group.each.is_some_and(is_near);
        let last = self.groups.iter_mut().rfind(is_like);
        if let Some(group) = last.filter(|group| group.needs == needs) {
            group.points += points;
            return group.name.clone();
        }
        let name = self.group(of, points, needs);
        if let Some(group) = self.groups.last_mut() {
            (group.score, group.each) = (Scoring::Sum, Some(points));
        }
        name
    }

    /// A test of a group, or of none. Of too many, one is kept by which that is seen.
    pub fn test(&mut self, path: String, group: String, pair: Pair) {
        if self.tests.len() <= TESTS_MAX {
            self.tests.push(Test { path, group, pair });
        }
    }
}
