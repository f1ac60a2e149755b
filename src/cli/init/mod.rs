//! `verdictd init DIR`: a course folder that runs at once; and the packages that the binary can
//! write: the built-in problems', and an example to begin with.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::new_folder::{self, CONFIG, error_at};
use super::prelude::{CliError, Exit, Out, built_in_names};
use crate::util::files::{create_new, make_folder};

/// A file: its path below the package, and what is in it.
pub type File = (&'static str, &'static [u8]);

/// The files of the packages, as they were when this program was built.
const PACKAGES: &[File] = &include!(concat!(env!("OUT_DIR"), "/packages.rs"));

/// The files of a new course beside its problems.
const FILES: [File; 6] = [
    (CONFIG, include_bytes!("course/config.toml")),
    ("README.md", include_bytes!("course/README.md")),
    (".gitignore", include_bytes!("course/gitignore.txt")),
    ("course.toml", include_bytes!("course/course.toml")),
    ("roster.csv", include_bytes!("course/roster.csv")),
    ("extensions.csv", b"student,assignment,due\n"),
];
/// The example's folder.
pub const EXAMPLE: &str = "sum";
/// Where students put their programs.
const SUBMISSIONS: &str = "submissions";

/// Create a course folder with settings, an example and a roster
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Built-in problems to add to the example: --with curling,thegame
    #[arg(long, value_name = "PROBLEMS", value_delimiter = ',', value_parser = PossibleValuesParser::new(built_in_names()))]
    with: Vec<String>,
}

/// Everything in a new course.
fn files(with: &[String]) -> Vec<(String, &'static [u8])> {
    let own = FILES
        .iter()
        .map(|(file, bytes)| ((*file).to_owned(), *bytes));
    let packages = [EXAMPLE].into_iter().chain(with.iter().map(String::as_str));
    let in_packages = packages.flat_map(|slug| {
        let files = package_files(slug);
        files.map(move |(file, bytes)| (format!("problems/{slug}/{file}"), bytes))
    });
    own.chain(in_packages).collect()
}

pub fn run(arguments: &Arguments, _: &Path, out: &mut Out) -> anyhow::Result<Exit> {
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

fn begin(folder: &Path, files: &[(String, &[u8])]) -> anyhow::Result<()> {
    make_folder(folder).map_err(error_at(folder))?;
    new_folder::make(folder, |scratch| {
        let permissions = fs::metadata(folder).map(|found| found.permissions());
        permissions
            .and_then(|permissions| fs::set_permissions(scratch, permissions))
            .and_then(|()| make_folder(&scratch.join(SUBMISSIONS)))
            .and_then(|()| write(scratch, files))
            .map_err(error_at(folder))
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

/// The files of a package: the example's, or a built-in problem's.
pub fn package_files(slug: &str) -> impl Iterator<Item = File> {
    let files = PACKAGES.iter();
    files.filter_map(move |(path, bytes)| {
        let path = path.strip_prefix(slug)?.strip_prefix('/')?;
        Some((path, *bytes))
    })
}
