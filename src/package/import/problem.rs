//! What packages of all systems are read into: our problem.toml, the tests, other files, and what
//! could not be taken over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use toml::{Table, Value};

use crate::domain::{Complaint, Scoring};
use crate::util::words::listed;

/// Keys of a manifest that are named.
const KEYS_MAX: usize = 20;
/// Things about one package that are told; of more only the number is.
const TOLD_MAX: usize = 100;
/// Points are the same up to this: a third of a hundred is not exact.
pub const SAME_POINTS: f64 = 1e-6;

/// Whether the names of programs can end so here.
pub type HasLanguage<'a> = &'a dyn Fn(&str) -> bool;

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
    pub left_out: Vec<Complaint>,
    untold: usize,
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
    /// What a generator of the package prints for these arguments: its source, its headers.
    Made(Rc<(String, Vec<String>)>, Vec<String>),
}

impl Problem {
    pub fn new(root: &Path, name: impl Into<String>, title: &str) -> Self {
        let (root, name) = (root.to_owned(), name.into());
        let toml = Table::from_iter([("title".to_owned(), title.into())]);
        #[rustfmt::skip]
        let problem = Self { root, name, toml, ..Self::default() };
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

    /// What is wrong with a file of the package.
    pub fn complaint(&self, file: &str, reason: impl Into<String>) -> Complaint {
        Complaint::new(self.root.join(file), reason.into())
    }

    /// Says what is not taken over, or in another form.
    pub fn leave_out(&mut self, file: &str, reason: impl Into<String>) {
        let told = self.complaint(file, reason);
        if self.left_out.len() == TOLD_MAX {
            self.left_out.pop();
            self.untold += 1;
        }
        let more = format!("{} more things are left out", self.untold);
        let told = if self.untold > 0 {
            told.with_help(more)
        } else {
            told
        };
        self.left_out.push(told);
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

    /// A program that cannot be taken over judges there, the `checker` or the `interactor`.
    /// problem.toml names the place for another one, so that nobody is judged without it.
    pub fn lack(&mut self, key: &str, file: &str, reason: impl Into<String>) {
        for other in ["checker", "interactor", "compare", "protocol"] {
            self.toml.remove(other);
        }
        let path = format!("output_validator/{key}.cpp");
        let help = format!("write {path}, which problem.toml names: until then nobody is judged");
        self.missing
            .push(self.complaint(file, reason).with_help(help));
        self.set(key, path);
    }

    /// How far numbers may be off.
    pub fn compare_numbers(&mut self, absolute: Option<f64>, relative: Option<f64>) {
        self.set("compare.mode", "float");
        for (key, error) in [
            ("compare.absolute", absolute),
            ("compare.relative", relative),
        ] {
            error.into_iter().for_each(|error| self.set(key, error));
        }
    }

    /// The memory limit, of which ours are whole MiB.
    pub fn limit_memory(&mut self, file: &str, mib: f64) {
        let whole: i64 = format!("{:.0}", mib.ceil()).parse().unwrap_or(i64::MAX);
        self.set("limits.memory_mib", whole);
        if mib.fract() > 0.0 {
            self.leave_out(
                file,
                format!("the memory limit is rounded up to {whole} MiB"),
            );
        }
    }

    /// The files that programs read and write there; empty for the standard streams.
    pub fn read_and_write(&mut self, file: &str, input: &str, output: &str) {
        let is = |name: &str, ours| name.is_empty() || name.eq_ignore_ascii_case(ours);
        match input.is_empty() && output.is_empty() {
            true => {}
            false if is(input, "input.txt") && is(output, "output.txt") => {
                self.set("io", "stdio-or-files");
            }
            false => {
                let words = "programs have to use standard input and output here, and no files";
                self.leave_out(file, format!("{words} `{input}` and `{output}`"));
            }
        }
    }

    /// A new group; returns its name.
    pub fn group(&mut self, name: &str, points: f64, score: Scoring, needs: Vec<String>) -> String {
        let (name, each) = (name.to_owned(), None);
        #[rustfmt::skip]
        self.groups.push(Group { name: name.clone(), points, score, needs, each });
        name
    }

    /// The group of a test that brings points for itself: that of the test before it, where that
    /// one brings as many.
    pub fn alone(&mut self, points: f64, needs: Vec<String>) -> String {
        let is_near = |each: f64| (each - points).abs() < SAME_POINTS;
        let is_like = |group: &&mut Group| group.each.is_some_and(is_near);
        if let Some(group) = self.groups.last_mut().filter(is_like) {
            group.points += points;
            return group.name.clone();
        }
        let name = format!("part-{}", self.groups.len() + 1);
        let name = self.group(&name, points, Scoring::Sum, needs);
        self.groups
            .iter_mut()
            .next_back()
            .into_iter()
            .for_each(|one| one.each = Some(points));
        name
    }

    /// A test of a group or of none. A sample that brings points is in two places.
    pub fn test(
        &mut self,
        name: &str,
        is_sample: bool,
        group: Option<&str>,
        (input, answer): (Content, Option<Content>),
    ) {
        let group = group.map(|group| format!("secret/{group}"));
        let alone = if is_sample { "sample" } else { "secret" };
        let alone = (is_sample || group.is_none()).then(|| alone.to_owned());
        for folder in alone.into_iter().chain(group) {
            let (input, answer) = (input.clone(), answer.clone());
            let path = format!("{folder}/{name}");
            self.tests.push(Test {
                path,
                input,
                answer,
            });
        }
    }
}
