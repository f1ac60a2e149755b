//! `verdictd init DIR`: a course folder that runs at once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::exit::{CliError, Exit};
use super::out::Out;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, create_new, is_same, make_folder, sweep};

/// The files of a new course: where they lie, and what is in them. The last one makes the folder a
/// course, so that one that was begun and not finished is none.
const FILES: [(&str, &[u8]); 18] = [
    ("README.md", include_bytes!("course/README.md")),
    (".gitignore", include_bytes!("course/gitignore.txt")),
    ("course.toml", include_bytes!("course/course.toml")),
    ("roster.csv", include_bytes!("course/roster.csv")),
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
    (CONFIG, include_bytes!("course/config.toml")),
];

/// The file that every command looks for.
const CONFIG: &str = "config.toml";
/// Where students put their programs.
const SUBMISSIONS: &str = "submissions";
/// Entries of a folder that are looked at: one that is to become a course is empty.
const ENTRIES_MAX: usize = 1_000;

/// A file of the example problem.
macro_rules! example {
    ($file:literal) => {
        (
            concat!("problems/sum/", $file),
            include_bytes!(concat!("course/problems/sum/", $file)),
        )
    };
}
use example;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder; it is made if it is missing, and must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    if let Some(stranger) = stranger_in(folder)? {
        let stranger = stranger.strip_prefix(folder).unwrap_or(&stranger);
        return Err(CliError::usage(format!(
            "{} is not empty: there is {} in it; name a new folder, or an empty one",
            folder.display(),
            visible_line(&stranger.to_string_lossy())
        )));
    }
    begin(folder).with_context(|| format!("begin a course in {}", folder.display()))?;
    let shown = folder.display();
    out.note(&format!(
        "{shown} is a course with one example problem; {shown}/README.md says what to do next"
    ));
    out.line(&format!("cd {shown} && verdictd"));
    Ok(Exit::Good)
}

/// Writes what is not there yet.
fn begin(folder: &Path) -> io::Result<()> {
    make_folder(&folder.join(SUBMISSIONS))?;
    for (name, bytes) in FILES {
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
fn stranger_in(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
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
            if entry.file_type()?.is_dir() && is_ours(name) {
                folders.push(path);
            } else if left == 0 || !is_scratch && !is_written(name, &path) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Whether a folder is one that this command makes.
fn is_ours(name: &Path) -> bool {
    name == Path::new(SUBMISSIONS)
        || FILES
            .iter()
            .any(|(file, _)| Path::new(file).starts_with(name))
}

fn is_written(name: &Path, path: &Path) -> bool {
    name != Path::new(CONFIG)
        && FILES
            .iter()
            .any(|(file, bytes)| Path::new(file) == name && is_same(path, bytes))
}
