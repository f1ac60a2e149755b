//! A course folder that is made: it is whole or not there, however its making ends.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use anyhow::anyhow;

use super::exit::CliError;
use crate::util::excerpt::visible_line;
use crate::util::files::{sync_file_systems, sync_name};

/// The file that makes a folder a course.
pub const CONFIG: &str = "config.toml";
/// How the name begins of what is not whole yet.
const UNFINISHED: &str = ".verdictd-new-";
/// Names of a folder that must be empty.
const NAMES_MAX: usize = 1_000;

/// What went wrong with a file or a folder.
pub fn error_at(path: &Path) -> impl FnOnce(io::Error) -> anyhow::Error {
    let path = path.display().to_string();
    move |error| anyhow!("{path}: {error}")
}

/// Makes a folder, which must be missing or empty: what is filled in beside it or in it appears when
/// all of it is on the disk.
pub fn make<T>(folder: &Path, fill: impl FnOnce(&Path) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let failed = || error_at(folder);
    let is_there = folder.is_dir();
    if is_there {
        sweep(folder).map_err(|error| CliError::usage(failed()(error)))?;
    } else if fs::symlink_metadata(folder).is_ok() {
        let error = failed()(io::ErrorKind::NotADirectory.into());
        return Err(CliError::usage(error));
    }
    // A folder that is there may be where somebody works, a mount point, or behind a link: it stays,
    // and is filled.
    let near = if is_there { None } else { folder.parent() };
    let near = near.unwrap_or(folder);
    let scratch = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(near)
        .map_err(error_at(near))?;
    let made = fill(scratch.path())?;
    sync_file_systems([scratch.path()]).map_err(failed())?;
    if is_there {
        move_all(scratch.path(), folder).map_err(failed())?;
    } else {
        fs::rename(scratch.path(), folder).map_err(failed())?;
        // There is nothing left of this name to remove.
        let _ = scratch.keep();
        sync_name(folder).map_err(failed())?;
    }
    Ok(made)
}

/// Removes what was not finished in a folder, which must be empty otherwise.
fn sweep(folder: &Path) -> io::Result<()> {
    let names: Vec<_> = fs::read_dir(folder)?
        .take(NAMES_MAX)
        .collect::<Result<_, _>>()?;
    let name = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut strangers = names.iter().map(name);
    if let Some(stranger) = strangers.find(|name| !name.starts_with(UNFINISHED)) {
        return Err(io::Error::other(format!(
            "it is not empty: there is {} in it; name a new folder, or an empty one",
            visible_line(&stranger)
        )));
    }
    names
        .iter()
        .try_for_each(|entry| fs::remove_dir_all(entry.path()))
}

/// Moves everything from one folder into another, the configuration last: with it, the folder is a
/// course.
fn move_all(from: &Path, to: &Path) -> io::Result<()> {
    let mut names: Vec<_> = fs::read_dir(from)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<_>>()?;
    names.sort_by_key(|name| name == CONFIG);
    for name in names {
        fs::rename(from.join(&name), to.join(&name))?;
    }
    File::open(to)?.sync_all()
}
