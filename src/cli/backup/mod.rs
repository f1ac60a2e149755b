//! `verdictd backup FILE`: what cannot be made again, in one zip file; `verdictd restore FILE DIR`
//! makes a course folder from it.
//!
//! The store is copied first and the folders afterwards: what comes in between is in a folder and
//! not in the store, and is judged after a restore. The other way round, a program that a student
//! has replaced would come back as a new attempt.

pub mod contents;
mod pack;
mod unpack;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::new_folder::CONFIG;
use super::prelude::{CliError, Exit, Out, read_config, store_if_any};
use super::report;
use crate::config::{Config, tidy};
use crate::store::{Reader, Store};
use crate::util::words::amount;

pub use pack::{LeftOut, files_in};

/// Back up the course to one file, safe while the daemon runs
#[derive(Debug, Args)]
pub struct Arguments {
    /// The zip file to write; an earlier one of this name is replaced when the new one is complete
    file: PathBuf,
}

/// Make a course folder from a backup
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// A file that `verdictd backup` has written
    file: PathBuf,
    /// The course folder to make; it must be missing or empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut Out) -> anyhow::Result<Exit> {
    let file = &arguments.file;
    let store = store_if_any(config)?;
    let (files, left_out) = pack::backup(config, store.as_ref(), file)
        .with_context(|| format!("write {}", file.display()))?;
    left_out.tell(out);
    if store.is_none() {
        out.note("there is no store yet, so there are no verdicts in it");
    }
    out.note(&format!(
        "{} in {}; it holds every student's programs: keep it where only staff can read it",
        amount(files, "file"),
        file.display()
    ));
    Ok(Exit::Good)
}

pub fn restore(arguments: &RestoreArguments, _: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let RestoreArguments { file, folder } = arguments;
    let folder = tidy(&std::path::absolute(folder)?);
    let state = unpack::restore(file, &folder).map_err(CliError::usage)?;
    let config = read_config(&folder.join(CONFIG))?;
    for words in contents::elsewhere(&config, &folder) {
        out.note(&format!("to do by hand: {words}"));
    }
    let folders = &config.folders;
    let is_apart = [&folders.state, &folders.reports, &folders.staff]
        .iter()
        .all(|path| path.starts_with(&folder));
    if let Some(state) = &state {
        // One of an earlier version is converted.
        drop(Store::open(state)?);
        let reader = Reader::open(state)?;
        let counts = reader.counts()?;
        if is_apart {
            report::rebuild(&config, &reader, out)?;
        }
        out.note(&format!(
            "{}, {} of them judged",
            amount(usize::try_from(counts.received)?, "submission"),
            counts.judged
        ));
        if counts.dropped > 0 {
            out.note("the backup is of another version: reports follow as the submissions are measured again; the verdicts stand");
        }
    }
    if is_apart {
        out.line(&format!("cd {} && verdictd", folder.display()));
    } else {
        out.note(&format!(
            "no report is written: config.toml has folders outside of {0}, which may be another course's; change them, then run `verdictd --config {0}/config.toml report --rebuild`",
            folder.display()
        ));
    }
    Ok(Exit::Good)
}

/// Makes `folder` a course with the settings and the problems of another one, in which nobody is;
/// or nothing at all, where one of them cannot be read.
pub fn copy_settings(config: &Config, folder: &Path) -> anyhow::Result<LeftOut> {
    // It has no name, so a sudden end leaves nothing.
    let scratch = tempfile::tempfile_in(&config.folders.state)?;
    let left_out = pack::settings(config, scratch.try_clone()?)?;
    if let Some(unread) = left_out.unread() {
        anyhow::bail!("{unread}; make it readable, or put it elsewhere");
    }
    unpack::unpack(scratch, &config.file, folder)?;
    Ok(left_out)
}
