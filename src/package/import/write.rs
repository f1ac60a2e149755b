//! Writes a problem of another system as a package of ours.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::error::Trouble;
use super::super::oracle::Oracle;
use super::super::program::PackageProgram;
use super::package::{Package, name_of};
use super::problem::{Content, Generator, Problem, Test};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Digest, Fault};

use crate::util::files::make_folder;
use crate::util::hash::digest;

/// Writes all of it into a folder that is new, problem.toml last. The oracle is asked only for
/// tests that generators make.
pub fn write(
    problem: &mut Problem,
    package: &mut Package,
    folder: &Path,
    oracle: &mut dyn Oracle,
) -> Result<(), Trouble> {
    let file = package.place("");
    if problem.tests.is_empty() || problem.tests.len() > TESTS_MAX {
        let reason = format!(
            "it has {} tests; a package has from 1 to {TESTS_MAX}",
            problem.tests.len()
        );
        return Err(Complaint::new(file, reason).into());
    }
    let mut writer = Writer {
        package,
        oracle,
        folder,
        written: HashSet::new(),
        inputs: HashMap::new(),
        had_crlf: 0,
    };
    problem.settle_points(&file);
    for test in std::mem::take(&mut problem.tests) {
        writer.test(test, problem)?;
    }
    for (path, content) in std::mem::take(&mut problem.files) {
        let bytes = writer.bytes(&content)?;
        if !writer.put(&path, &bytes)? {
            problem.leave_out(&file, format!("a second file that would be {path}"));
        }
    }
    if writer.had_crlf > 0 {
        let words = format!(
            "lines end in CR LF in {} files of tests, and in LF in the new package",
            writer.had_crlf
        );
        problem.leave_out(&file, words);
    }
    let toml = toml::to_string(&problem.manifest);
    let toml = toml.map_err(|error| Fault::new("write problem.toml", error))?;
    writer.put("problem.toml", toml.as_bytes())?;
    Ok(())
}

struct Writer<'a> {
    package: &'a mut Package,
    oracle: &'a mut dyn Oracle,
    folder: &'a Path,
    written: HashSet<String>,
    /// Where each input is first.
    inputs: HashMap<Digest, String>,
    had_crlf: usize,
}

impl Writer<'_> {
    /// A test whose input is there already is run once: for a group's points it is a link.
    fn test(&mut self, test: Test, problem: &mut Problem) -> Result<(), Trouble> {
        let name = match (&test.group, test.is_sample) {
            (Some(group), _) => format!("data/secret/{group}/{}", test.name),
            (None, true) => format!("data/sample/{}", test.name),
            (None, false) => format!("data/secret/{}", test.name),
        };
        let (input, answer) = (format!("{name}.in"), format!("{name}.ans"));
        let bytes = self.bytes(&test.input)?;
        let bytes = self.with_line_feeds(bytes);
        match self.inputs.get(&digest(&bytes)) {
            Some(first) if test.group.is_none() => {
                let words =
                    format!("{name} has the same input as {first}: it would only be run twice");
                problem.leave_out(&self.package.place(""), words);
                return Ok(());
            }
            Some(first) => {
                let up = "../".repeat(input.matches('/').count());
                let link = self.path(&input)?;
                symlink(format!("{up}{first}"), &link).map_err(|error| fault(&link, error))?;
            }
            None => {
                self.put(&input, &bytes)?;
                self.inputs.insert(digest(&bytes), input);
            }
        }
        if let Some(content) = &test.answer {
            let bytes = self.bytes(content)?;
            let bytes = self.with_line_feeds(bytes);
            self.put(&answer, &bytes)?;
        }
        Ok(())
    }

    fn bytes(&mut self, content: &Content) -> Result<Vec<u8>, Trouble> {
        Ok(match content {
            Content::File(path) => self.package.test(path)?,
            Content::Bytes(bytes) => bytes.clone(),
            Content::Made(generator, arguments) => {
                let program = self.generator(generator)?;
                self.oracle
                    .generate(&program, arguments)
                    .map_err(|trouble| match trouble {
                        Trouble::Theirs(complaint) => {
                            let reason = format!(
                                "`{} {}`: {}",
                                name_of(&generator.source),
                                arguments.join(" "),
                                complaint.reason
                            );
                            Complaint::new(&program.file, reason)
                                .with_help("take a package that has the tests that it makes")
                                .into()
                        }
                        ours => ours,
                    })?
            }
        })
    }

    fn generator(&mut self, generator: &Generator) -> Result<PackageProgram, Trouble> {
        let source = Arc::from(self.package.test(&generator.source)?);
        let mut headers = Vec::new();
        for header in &generator.headers {
            headers.push((
                name_of(header).to_owned(),
                Arc::from(self.package.test(header)?),
            ));
        }
        let file = self.package.place(&generator.source);
        Ok(PackageProgram::new(
            generator.source.clone(),
            file,
            source,
            headers,
        ))
    }

    /// Bytes of a text in which every line ends as on Windows, with the ends of other systems.
    fn with_line_feeds(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let lines = || {
            bytes
                .split_inclusive(|&byte| byte == b'\n')
                .filter(|line| line.ends_with(b"\n"))
        };
        if lines().next().is_none() || !lines().all(|line| line.ends_with(b"\r\n")) {
            return bytes;
        }
        self.had_crlf += 1;
        let mut kept = bytes.iter().zip(bytes.iter().skip(1).chain([&0]));
        kept.by_ref()
            .filter(|(byte, next)| (**byte, **next) != (b'\r', b'\n'))
            .map(|(byte, _)| *byte)
            .collect()
    }

    /// Writes a file, unless there is one of this name.
    fn put(&mut self, path: &str, bytes: &[u8]) -> Result<bool, Trouble> {
        if !self.written.insert(path.to_owned()) {
            return Ok(false);
        }
        let file = self.path(path)?;
        let written = File::create_new(&file).and_then(|mut file| file.write_all(bytes));
        written.map_err(|error| fault(&file, error))?;
        Ok(true)
    }

    fn path(&self, path: &str) -> Result<PathBuf, Trouble> {
        let file = self.folder.join(path);
        file.parent()
            .map_or(Ok(()), make_folder)
            .map_err(|error| fault(&file, error))?;
        Ok(file)
    }
}

fn fault(file: &Path, error: std::io::Error) -> Trouble {
    Fault::of_call(format!("write {}", file.display()), error).into()
}
