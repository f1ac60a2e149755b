//! Writes a problem of another system as a package of ours.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use toml::Value;

use super::super::error::Trouble;
use super::super::groups::GROUPS_MAX;
use super::super::oracle::Oracle;
use super::super::program::PackageProgram;
use super::package::{Package, name_of};
use super::problem::{Content, Group, LineEnds, Problem, SAME_POINTS};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Digest, Fault};
use crate::util::files::make_folder;
use crate::util::hash::digest;

const FULL: &str = "take a package that has the tests themselves";

/// Writes all of it into a folder that is new, problem.toml last. The oracle is asked only for
/// tests that generators make. An input that is there twice is a link, and is run once.
pub fn write(
    problem: &mut Problem,
    package: &mut Package,
    folder: &Path,
    oracle: &mut dyn Oracle,
) -> Result<(), Trouble> {
    let counts = (problem.tests.len(), problem.groups.len());
    if counts.0 == 0 || counts.0 > TESTS_MAX || counts.1 > GROUPS_MAX {
        let reason = format!("not 1 to {TESTS_MAX} tests in up to {GROUPS_MAX} groups");
        return Err(problem.wrong("", reason, "take another package").into());
    }
    let groups = groups(problem)?;
    let fault = |error| Fault::new("write problem.toml", error);
    let mut toml = toml::to_string(&problem.toml).map_err(fault)?;
    for group in &groups {
        toml += &table(problem, group);
    }
    let mut bytes_of = |content: &Content| bytes_of(content, package, oracle);
    let (mut inputs, mut has_changed) = (HashMap::<Digest, String>::new(), false);
    for test in std::mem::take(&mut problem.tests) {
        let mut read = |content: &Content| {
            let bytes = bytes_of(content)?;
            Ok::<_, Trouble>(with_line_feeds(bytes, &problem.line_ends, &mut has_changed))
        };
        let input = read(&test.pair.0)?;
        let answer = test.pair.1.as_ref().map(read).transpose()?;
        let mut paths = vec![test.path.clone()];
        if !groups.is_empty() && !test.group.is_empty() {
            // A sample that brings points is in two places.
            paths.retain(|path| path.starts_with("sample/"));
            paths.push(format!("secret/{}/{}", test.group, name_of(&test.path)));
        }
        for path in paths {
            let first = inputs.get(&digest(&input));
            let place = format!("data/{path}.in");
            put(folder, &place, first.map_or(Ok(input.as_slice()), Err))?;
            inputs.entry(digest(&input)).or_insert(place);
            if let Some(answer) = &answer {
                put(folder, &format!("data/{path}.ans"), Ok(answer))?;
            }
        }
    }
    for (path, content) in std::mem::take(&mut problem.files) {
        if folder.join(&path).exists() {
            problem.leave_out("", format!("a second file that would be {path}"));
        } else {
            put(folder, &path, Ok(&bytes_of(&content)?))?;
        }
    }
    if has_changed {
        problem.leave_out("", "lines of tests end in LF here, not in CR LF");
    }
    put(folder, "problem.toml", Ok(toml.as_bytes()))
}

/// The groups that have tests, with what they need of them; none where nothing has points.
fn groups(problem: &mut Problem) -> Result<Vec<Group>, Complaint> {
    let mut groups = std::mem::take(&mut problem.groups);
    groups.retain(|group| problem.tests.iter().any(|test| test.group == group.name));
    if groups.iter().all(|group| group.points <= 0.0) {
        return Ok(Vec::new());
    }
    for at in 0..groups.len() {
        let is_needed = |other: &&Group| groups[at].needs.contains(&other.of);
        if groups[at..].iter().any(|other| is_needed(&other)) {
            let reason = format!("the group {} needs one that comes later", groups[at].name);
            return Err(problem.wrong("", reason, "change the order of its tests"));
        }
        let needed = groups[..at].iter().filter(is_needed);
        groups[at].needs = needed.map(|other| other.name.clone()).collect();
    }
    Ok(groups)
}

/// A group, as problem.toml has it.
fn table(problem: &mut Problem, group: &Group) -> String {
    let (name, points, whole) = (&group.name, group.points, group.points.round());
    if (points - whole).abs() > SAME_POINTS {
        let words = format!("the {points} points of the group {name} are rounded");
        problem.leave_out("", words);
    }
    let (name, needs) = (Value::from(name.as_str()), Value::from(group.needs.clone()));
    let (head, score) = (format!("\n[[groups]]\nname = {name}"), group.score.word());
    format!("{head}\npoints = {whole:.0}\nscore = \"{score}\"\nneeds = {needs}\n")
}

fn bytes_of(
    content: &Content,
    package: &mut Package,
    oracle: &mut dyn Oracle,
) -> Result<Vec<u8>, Trouble> {
    let (path, arguments) = match content {
        Content::File(path) => return Ok(package.file(path)?),
        Content::Bytes(bytes) => return Ok(bytes.clone()),
        Content::Made(generator, arguments) => (generator, arguments),
    };
    let source = Arc::from(package.file(path)?);
    let mut headers = Vec::new();
    for header in package.headers(path) {
        headers.push((
            name_of(&header).to_owned(),
            Arc::from(package.file(&header)?),
        ));
    }
    let file = package.root().join(path);
    let program = PackageProgram::new(path.clone(), source, headers);
    let made = oracle.generate(&program, arguments);
    made.map_err(|trouble| match trouble {
        Trouble::Theirs(why) => Complaint::new(file, why.reason).with_help(FULL).into(),
        ours @ Trouble::Ours(_) => ours,
    })
}

/// The bytes of a test with the line ends that it has here.
fn with_line_feeds(bytes: Vec<u8>, ends: &LineEnds, has_changed: &mut bool) -> Vec<u8> {
    let lines = || bytes.split_inclusive(|byte| *byte == b'\n');
    let is_windows = |line: &[u8]| line.ends_with(b"\r\n") || !line.ends_with(b"\n");
    if *ends == LineEnds::Kept || (*ends == LineEnds::Text && !lines().all(is_windows)) {
        return bytes;
    }
    let mut kept = Vec::with_capacity(bytes.len() + 1);
    for line in lines() {
        kept.extend_from_slice(line.strip_suffix(b"\r\n").unwrap_or(line));
        if line.ends_with(b"\r\n") {
            kept.push(b'\n');
        }
    }
    *has_changed |= *ends == LineEnds::Text && kept.len() < bytes.len();
    if *ends == LineEnds::Always && !kept.is_empty() && !kept.ends_with(b"\n") {
        kept.push(b'\n');
    }
    kept
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
