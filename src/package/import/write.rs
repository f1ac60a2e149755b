//! Writes a problem of another system as a package of ours.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use toml::Value;

use super::super::error::Trouble;
use super::super::oracle::Oracle;
use super::super::program::PackageProgram;
use super::package::{Package, name_of};
use super::problem::{Content, Problem, SAME_POINTS, Test};
use crate::domain::{Complaint, Digest, Fault};
use crate::util::files::make_folder;
use crate::util::hash::digest;

const FULL: &str = "take a package that has the tests themselves";

/// Writes all of it into a folder that is new, problem.toml last. The oracle is asked only for
/// tests that generators make. An input that is there twice is a link, and is run once.
pub fn write(
    problem: &mut Problem,
    package: &mut Package<'_>,
    folder: &Path,
    oracle: &mut dyn Oracle,
) -> Result<(), Trouble> {
    if problem.tests.is_empty() {
        let why = problem.wrong("", "it has no tests", "take another package");
        return Err(why.into());
    }
    if problem.groups.iter().all(|group| group.points <= 0.0) {
        problem.groups.clear();
        let is_secret = |test: &&mut Test| test.path.starts_with("secret/");
        for test in problem.tests.iter_mut().filter(is_secret) {
            test.path = format!("secret/{}", name_of(&test.path));
        }
    }
    let toml = manifest(problem)?;
    let mut bytes_of = |content: &Content| bytes_of(content, package, oracle);
    let (mut inputs, mut had_crlf) = (HashMap::<Digest, String>::new(), false);
    for test in std::mem::take(&mut problem.tests) {
        let path = format!("data/{}.in", test.path);
        let input = with_line_feeds(bytes_of(&test.bytes.0)?, &mut had_crlf);
        let first = inputs.get(&digest(&input));
        put(folder, &path, first.map_or(Ok(input.as_slice()), Err))?;
        inputs.entry(digest(&input)).or_insert(path);
        if let Some(answer) = &test.bytes.1 {
            let answer = with_line_feeds(bytes_of(answer)?, &mut had_crlf);
            put(folder, &format!("data/{}.ans", test.path), Ok(&answer))?;
        }
    }
    let mut written = BTreeSet::new();
    for (path, content) in std::mem::take(&mut problem.files) {
        if written.insert(path.clone()) {
            put(folder, &path, Ok(&bytes_of(&content)?))?;
        } else {
            problem.leave_out("", format!("a second file that would be {path}"));
        }
    }
    if had_crlf {
        problem.leave_out("", "the CR before each line feed of tests");
    }
    put(folder, "problem.toml", Ok(toml.as_bytes()))
}

/// Our problem.toml.
fn manifest(problem: &mut Problem) -> Result<String, Fault> {
    let fault = |error| Fault::new("write problem.toml", error);
    let mut texts = vec![toml::to_string(&problem.toml).map_err(fault)?];
    for group in std::mem::take(&mut problem.groups) {
        let (name, whole) = (Value::from(group.name.clone()), group.points.round());
        let (score, needs) = (group.score.word(), Value::from(group.needs));
        let text = format!("points = {whole:.0}\nscore = \"{score}\"\nneeds = {needs}\n");
        texts.push(format!("[[groups]]\nname = {name}\n{text}"));
        if (group.points - whole).abs() > SAME_POINTS {
            let (points, name) = (group.points, group.name);
            let words = format!("the {points} points of the group {name} are rounded");
            problem.leave_out("", words);
        }
    }
    Ok(texts.join("\n"))
}

fn bytes_of(
    content: &Content,
    package: &mut Package<'_>,
    oracle: &mut dyn Oracle,
) -> Result<Vec<u8>, Trouble> {
    let (generator, arguments) = match content {
        Content::File(path) => return Ok(package.file(path)?),
        Content::Bytes(bytes) => return Ok(bytes.clone()),
        Content::Made(generator, arguments) => (generator, arguments),
    };
    let (path, header_paths) = &**generator;
    let source = Arc::from(package.file(path)?);
    let mut headers = Vec::new();
    for header in header_paths {
        headers.push((name_of(header).to_owned(), Arc::from(package.file(header)?)));
    }
    let file = package.root().join(path);
    let program = PackageProgram::new(path.clone(), file.clone(), source, headers);
    let made = oracle.generate(&program, arguments);
    made.map_err(|trouble| match trouble {
        Trouble::Theirs(why) => Complaint::new(file, why.reason).with_help(FULL).into(),
        ours @ Trouble::Ours(_) => ours,
    })
}

/// A text of which every line ends as on Windows, with the line ends of other systems.
fn with_line_feeds(bytes: Vec<u8>, changed: &mut bool) -> Vec<u8> {
    let count = |end: &[u8]| bytes.windows(end.len()).filter(|part| *part == end).count();
    if count(b"\n") == 0 || count(b"\r\n") != count(b"\n") {
        return bytes;
    }
    *changed = true;
    let is_cut = |at: usize| bytes[at..].starts_with(b"\r\n");
    let kept = (0..bytes.len()).filter(|at| !is_cut(*at));
    kept.map(|at| bytes[at]).collect()
}

/// Writes a file, or a link from it to another one.
pub fn put(folder: &Path, path: &str, bytes: Result<&[u8], &String>) -> Result<(), Trouble> {
    let file = folder.join(path);
    let up = "../".repeat(path.matches('/').count());
    let made = make_folder(file.parent().unwrap_or(folder));
    let written = made.and_then(|()| match bytes {
        Ok(bytes) => fs::write(&file, bytes),
        Err(first) => symlink(up + first, &file),
    });
    written.map_err(|error| Fault::of_call(format!("write {}", file.display()), error).into())
}
