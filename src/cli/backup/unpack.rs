//! Reads an archive into a new folder. Whoever wrote it, nothing lands outside that folder, and
//! nothing is left behind if it is no backup.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use anyhow::{anyhow, bail};
use zip::ZipArchive;

use super::contents::{COURSE, OUTSIDE, folders, state};
use crate::cli::new_folder::{self, CONFIG, error_at};
use crate::config::{self, Config};
use crate::store::{self, STORE_FILE};
use crate::util::files::read_at_most;

/// The largest configuration, in bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// All files of a backup together, in bytes.
const BYTES_MAX: u64 = 1 << 40;

/// Makes `folder`, an absolute path, from a file. The state folder with the store, where there was
/// one.
pub fn restore(file: &Path, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let opened = File::open(file).map_err(error_at(file))?;
    unpack(opened, file, folder)
}

/// The same from an archive of this name.
pub fn unpack(archive: File, file: &Path, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    new_folder::make(folder, |scratch| {
        let mut archive = ZipArchive::new(archive).map_err(not_a_backup(file))?;
        let config = config_of(&mut archive, file, folder)?;
        for one in folders(&config) {
            let path = scratch.join(one.inside());
            make_folder(&path, one.mode).map_err(error_at(&path))?;
        }
        fill(&mut archive, file, scratch, &config)?;
        let state = state(&config).inside();
        let has_store = check(file, &scratch.join(state))?;
        Ok(has_store.then(|| folder.join(state)))
    })
}

fn not_a_backup<E: Display>(file: &Path) -> impl Fn(E) -> anyhow::Error {
    let file = file.display();
    move |reason| anyhow!("{file}: it is not a backup that can be read ({reason})")
}

/// Writes every entry to its place below a folder.
fn fill(
    archive: &mut ZipArchive<File>,
    file: &Path,
    folder: &Path,
    config: &Config,
) -> anyhow::Result<()> {
    let mut left = BYTES_MAX;
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(not_a_backup(file))?;
        let name = entry.name().map_err(not_a_backup(file))?;
        let Some(place) = place_of(&name, config) else {
            continue;
        };
        let path = folder.join(place);
        let mode = entry.unix_mode().unwrap_or(0o600) & 0o777;
        if entry.is_dir() {
            let mode = Permissions::from_mode(mode | 0o700);
            make_folder(&path, 0o700)
                .and_then(|()| fs::set_permissions(&path, mode))
                .map_err(error_at(&path))?;
            continue;
        }
        let above = path.parent().unwrap_or(&path);
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(mode | 0o600);
        let mut written = make_folder(above, 0o755)
            .and_then(|()| options.open(&path))
            .map_err(error_at(&path))?;
        // A damaged entry is noticed at its end, by its sum.
        let copied = io::copy(&mut io::Read::take(&mut entry, left), &mut written);
        left -= copied.map_err(error_at(&path))?;
        if left == 0 {
            return Err(error_at(file)(io::ErrorKind::FileTooLarge.into()));
        }
    }
    Ok(())
}

/// Whether there is a store in a state folder; one that is damaged is refused.
fn check(file: &Path, state: &Path) -> anyhow::Result<bool> {
    if !state.join(STORE_FILE).is_file() {
        return Ok(false);
    }
    let complaints = store::check(state)?;
    match complaints.into_iter().next() {
        Some(reason) => bail!(
            "{}: its store is damaged ({reason}); use an earlier backup",
            file.display()
        ),
        None => Ok(true),
    }
}

/// The archive's configuration, as it will be in the folder.
fn config_of(archive: &mut ZipArchive<File>, file: &Path, folder: &Path) -> anyhow::Result<Config> {
    let name = format!("{COURSE}/{CONFIG}");
    let entry = archive.by_name(&name);
    let entry = entry.map_err(|error| not_a_backup(file)(format!("{name}: {error}")))?;
    let bytes = read_at_most(entry, CONFIG_BYTES_MAX).map_err(not_a_backup(file))?;
    let text = String::from_utf8(bytes).map_err(not_a_backup(file))?;
    config::parse(&text, &folder.join(CONFIG)).map_err(not_a_backup(file))
}

/// Where an entry goes, below the new folder; `None` for a name that no backup has.
fn place_of(name: &str, config: &Config) -> Option<PathBuf> {
    let path = Path::new(name);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !path.components().all(is_plain) {
        return None;
    }
    if let Ok(own) = path.strip_prefix(COURSE) {
        return Some(own.to_owned());
    }
    for folder in folders(config) {
        if let Ok(below) = path.strip_prefix(folder.name) {
            return Some(folder.inside().join(below));
        }
    }
    path.starts_with(OUTSIDE).then(|| path.to_owned())
}

fn make_folder(path: &Path, mode: u32) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
}
