//! `verdictd init DIR`: a course folder that runs at once; and the packages that the binary can
//! write: the built-in problems', and an example to begin with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::exit::{CliError, Exit};
use super::new_folder::{self, CONFIG, FolderError};
use super::out::Out;
use crate::problems;
use crate::util::files::{create_new, make_folder};

/// A file: its path below the package, and what is in it.
pub type File = (&'static str, &'static [u8]);

/// The files of `problems/`, as they were when this program was built.
const BUILT_IN: &[File] = &include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// The example's.
pub const EXAMPLE_FILES: [File; 13] = [
    example!("problem.toml"),
    example!("statement.md"),
    example!("data/sample/1.in"),
    example!("data/sample/1.ans"),
    example!("data/secret/1-no-number.in"),
    example!("data/secret/2-negative.in"),
    example!("data/secret/3-large.in"),
    example!("data/invalid_input/one-number-missing.in"),
    example!("data/invalid_input/too-large.in"),
    example!("input_validators/validate.py"),
    example!("submissions/accepted/sum.py"),
    example!("submissions/wrong_answer/only_positive.py"),
    example!("submissions/time_limit_exceeded/one_by_one.py"),
];

/// A file of the example.
macro_rules! example {
    ($file:literal) => {
        (
            $file,
            include_bytes!(concat!("course/problems/sum/", $file)),
        )
    };
}
use example;

/// The files of a new course beside its problems.
const FILES: [File; 5] = [
    ("README.md", include_bytes!("course/README.md")),
    (".gitignore", include_bytes!("course/gitignore.txt")),
    ("course.toml", include_bytes!("course/course.toml")),
    ("roster.csv", include_bytes!("course/roster.csv")),
    ("extensions.csv", b"student,assignment,due\n"),
];
/// The example's folder.
const EXAMPLE: &str = "sum";
/// Where students put their programs.
const SUBMISSIONS: &str = "submissions";

#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The built-in problems to begin with, beside the example: --with curling,thegame
    #[arg(long, value_name = "PROBLEMS", value_delimiter = ',', value_parser = PossibleValuesParser::new(built_in_names()))]
    with: Vec<String>,
}

/// Everything in a new course.
fn files(with: &[String]) -> Vec<(String, &'static [u8])> {
    let in_package = |slug: &str, (file, bytes): File| (format!("problems/{slug}/{file}"), bytes);
    let own = FILES
        .iter()
        .map(|(file, bytes)| ((*file).to_owned(), *bytes));
    let example = EXAMPLE_FILES.map(|file| in_package(EXAMPLE, file));
    let built_in = with
        .iter()
        .flat_map(|slug| built_in(slug).map(move |file| in_package(slug, file)));
    let config = include_bytes!("course/config.toml") as &[u8];
    own.chain(example)
        .chain(built_in)
        .chain([(CONFIG.to_owned(), config)])
        .collect()
}

pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    begin(folder, &files(&arguments.with)).map_err(CliError::usage)?;
    let shown = folder.display();
    let problems = match &arguments.with[..] {
        [] => "one example problem".to_owned(),
        with => format!("one example problem, {}", with.join(", ")),
    };
    out.note(&format!(
        "{shown} is a course with {problems}; {shown}/README.md says what to do next"
    ));
    out.line(&format!("cd {shown} && verdictd"));
    Ok(Exit::Good)
}

fn begin(folder: &Path, files: &[(String, &[u8])]) -> Result<(), FolderError> {
    make_folder(folder).map_err(FolderError::at(folder))?;
    new_folder::make(folder, |scratch| {
        let permissions = fs::metadata(folder).map(|found| found.permissions());
        permissions
            .and_then(|permissions| fs::set_permissions(scratch, permissions))
            .and_then(|()| make_folder(&scratch.join(SUBMISSIONS)))
            .and_then(|()| write(scratch, files))
            .map_err(FolderError::at(folder))
    })
}

/// Writes files of a folder that is new.
pub fn write(folder: &Path, files: &[(String, &[u8])]) -> io::Result<()> {
    for (name, bytes) in files {
        let path = folder.join(name);
        path.parent().map_or(Ok(()), make_folder)?;
        create_new(&path, bytes)?;
    }
    Ok(())
}

/// The files of a built-in problem's package.
pub fn built_in(slug: &str) -> impl Iterator<Item = File> {
    let files = BUILT_IN.iter();
    files.filter_map(move |(path, bytes)| {
        let path = path.strip_prefix(slug)?.strip_prefix('/')?;
        Some((path, *bytes))
    })
}

/// The names of the built-in problems.
pub fn built_in_names() -> Vec<&'static str> {
    problems::ALL.iter().map(|task| task.slug()).collect()
}
