//! `verdictd init DIR`: a course folder that runs at once.

pub mod packages;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;

use self::packages::File;
use super::exit::{CliError, Exit};
use super::out::Out;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, create_new, is_same, make_folder, sweep};

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
/// The file that every command looks for.
const CONFIG: &str = "config.toml";
/// Where students put their programs.
const SUBMISSIONS: &str = "submissions";
/// Entries of a folder that are looked at: one that is to become a course is empty.
const ENTRIES_MAX: usize = 1_000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The built-in problems to begin with, beside the example: --with curling,thegame
    #[arg(long, value_name = "PROBLEMS", value_delimiter = ',', value_parser = PossibleValuesParser::new(packages::names()))]
    with: Vec<String>,
}

/// Everything in a new course. The last file makes the folder a course, so that one that was begun
/// and not finished is none.
fn files(with: &[String]) -> Vec<(String, &'static [u8])> {
    let in_package = |slug: &str, (file, bytes): File| (format!("problems/{slug}/{file}"), bytes);
    let own = FILES
        .iter()
        .map(|(file, bytes)| ((*file).to_owned(), *bytes));
    let example = packages::EXAMPLE.map(|file| in_package(EXAMPLE, file));
    let built_in = with
        .iter()
        .flat_map(|slug| packages::built_in(slug).map(move |file| in_package(slug, file)));
    let config = include_bytes!("course/config.toml") as &[u8];
    own.chain(example)
        .chain(built_in)
        .chain([(CONFIG.to_owned(), config)])
        .collect()
}

pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    let files = files(&arguments.with);
    if let Some(stranger) = stranger_in(folder, &files)? {
        let stranger = stranger.strip_prefix(folder).unwrap_or(&stranger);
        return Err(CliError::usage(format!(
            "{} is not empty: there is {} in it; name a new folder, or an empty one",
            folder.display(),
            visible_line(&stranger.to_string_lossy())
        )));
    }
    begin(folder, &files).with_context(|| format!("begin a course in {}", folder.display()))?;
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

/// Writes what is not there yet.
fn begin(folder: &Path, files: &[(String, &[u8])]) -> io::Result<()> {
    make_folder(&folder.join(SUBMISSIONS))?;
    write(folder, files)
}

/// Writes those files that are not there yet.
pub fn write(folder: &Path, files: &[(String, &[u8])]) -> io::Result<()> {
    for (name, bytes) in files {
        let path = folder.join(name);
        if let Some(above) = path.parent() {
            make_folder(above)?;
            // What an earlier try was killed at.
            sweep(above);
        }
        if !path.exists() {
            create_new(&path, bytes)?;
        }
    }
    Ok(())
}

/// Something in a folder that an earlier try of this command has not put there. A configuration
/// says that the folder is a course already.
fn stranger_in(folder: &Path, files: &[(String, &[u8])]) -> anyhow::Result<Option<PathBuf>> {
    let mut folders = vec![folder.to_owned()];
    let mut left = ENTRIES_MAX;
    while let Some(next) = folders.pop() {
        let entries = match fs::read_dir(&next) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && next == folder => {
                return Ok(None);
            }
            Err(error) => {
                return Err(CliError::usage(format!("{}: {error}", next.display())));
            }
            Ok(entries) => entries,
        };
        for entry in entries {
            let entry = entry?;
            let path = entry.path();
            left = left.saturating_sub(1);
            let name = path.strip_prefix(folder).unwrap_or(&path);
            let is_scratch = entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(SCRATCH.as_bytes());
            if entry.file_type()?.is_dir() && is_ours(name, files) {
                folders.push(path);
            } else if left == 0 || !is_scratch && !is_written(name, &path, files) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Whether a folder is one that this command makes.
fn is_ours(name: &Path, files: &[(String, &[u8])]) -> bool {
    name == Path::new(SUBMISSIONS)
        || files
            .iter()
            .any(|(file, _)| Path::new(file).starts_with(name))
}

fn is_written(name: &Path, path: &Path, files: &[(String, &[u8])]) -> bool {
    name != Path::new(CONFIG)
        && files
            .iter()
            .any(|(file, bytes)| Path::new(file) == name && is_same(path, bytes))
}
