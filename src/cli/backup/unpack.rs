//! Reads an archive into a new folder. Whoever wrote it, nothing lands outside that folder, and
//! nothing is left behind if it is no backup.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::contents::{CONFIG, COURSE, FOLDERS, OUTSIDE, STATE, folder_of, inside, named_files};
use crate::config::{self, Config};
use crate::store::{self, STORE_FILE, StoreError};
use crate::util::files::{read_at_most, sync_file_systems, sync_name};

/// The largest configuration, in bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// How the name begins of what is not whole yet.
const UNFINISHED: &str = ".verdictd-restore-";
/// Names of a folder that must be empty.
const NAMES_MAX: usize = 1_000;
/// All files of a backup together, in bytes.
const BYTES_MAX: u64 = 1 << 40;

/// Why a backup cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    #[error("{}: it is not a backup that can be read ({reason})", .file.display())]
    NotABackup { file: PathBuf, reason: String },
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: its store is damaged ({reason}); use an earlier backup", .file.display())]
    Damaged { file: PathBuf, reason: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What came out.
pub struct Unpacked {
    /// The state folder with the store, where there was one.
    pub state: Option<PathBuf>,
    /// What the configuration expects elsewhere.
    pub notes: Vec<String>,
}

/// Makes `folder`, an absolute path, from an archive; what is in it appears when it is complete.
pub fn unpack(file: &Path, folder: &Path) -> Result<Unpacked, UnpackError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| UnpackError::Io { path, source }
    };
    let not_a_backup = |error: ZipError| UnpackError::NotABackup {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    let is_there = folder.is_dir();
    if is_there {
        sweep(folder).map_err(failed(folder))?;
    } else if fs::symlink_metadata(folder).is_ok() {
        return Err(failed(folder)(io::ErrorKind::NotADirectory.into()));
    }
    let opened = File::open(file).map_err(failed(file))?;
    let mut archive = ZipArchive::new(opened).map_err(not_a_backup)?;
    let config = config_of(&mut archive, file, folder)?;
    // A folder that is there may be where somebody works, a mount point, or behind a link: it stays,
    // and is filled.
    let near = if is_there { None } else { folder.parent() };
    let near = near.unwrap_or(folder);
    let scratch = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(near)
        .map_err(failed(near))?;
    for (name, mode) in FOLDERS {
        let path = scratch.path().join(inside(&config, name));
        make_folder(&path, mode).map_err(failed(&path))?;
    }
    let mut left = BYTES_MAX;
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(not_a_backup)?;
        let name = entry.name().map_err(not_a_backup)?;
        let Some(place) = place_of(&name, &config) else {
            continue;
        };
        let path = scratch.path().join(place);
        let mode = entry.unix_mode().unwrap_or(0o600) & 0o777;
        if entry.is_dir() {
            let mode = Permissions::from_mode(mode | 0o700);
            make_folder(&path, 0o700)
                .and_then(|()| fs::set_permissions(&path, mode))
                .map_err(failed(&path))?;
            continue;
        }
        make_folder(path.parent().unwrap_or(&path), 0o755).map_err(failed(&path))?;
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(mode | 0o600);
        let mut written = options.open(&path).map_err(failed(&path))?;
        // A damaged entry is noticed at its end, by its sum.
        let copied = io::copy(&mut io::Read::take(&mut entry, left), &mut written);
        left -= copied.map_err(failed(&path))?;
        if left == 0 {
            return Err(UnpackError::Io {
                path: file.to_owned(),
                source: io::ErrorKind::FileTooLarge.into(),
            });
        }
    }
    let state = inside(&config, STATE);
    let has_store = check(file, &scratch.path().join(&state))?;
    sync_file_systems([scratch.path()]).map_err(failed(folder))?;
    if is_there {
        fill(folder, scratch.path()).map_err(failed(folder))?;
    } else {
        fs::rename(scratch.path(), folder).map_err(failed(folder))?;
        // There is nothing left of this name to remove.
        let _ = scratch.keep();
        sync_name(folder).map_err(failed(folder))?;
    }
    Ok(Unpacked {
        state: has_store.then(|| folder.join(state)),
        notes: notes(&config, folder),
    })
}

/// Removes what a restore that was killed has left in a folder, which must be empty otherwise.
fn sweep(folder: &Path) -> Result<(), io::Error> {
    let names: Vec<_> = fs::read_dir(folder)?
        .take(NAMES_MAX)
        .collect::<Result<_, _>>()?;
    let is_unfinished =
        |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(UNFINISHED);
    if !names.iter().all(is_unfinished) {
        let why = "it is not empty; name a folder that does not exist yet";
        return Err(io::Error::other(why));
    }
    names
        .iter()
        .try_for_each(|entry| fs::remove_dir_all(entry.path()))
}

/// Whether there is a store in a state folder; one that is damaged is refused.
fn check(file: &Path, state: &Path) -> Result<bool, UnpackError> {
    if !state.join(STORE_FILE).is_file() {
        return Ok(false);
    }
    let complaints = store::check(state)?;
    match complaints.into_iter().next() {
        Some(reason) => Err(UnpackError::Damaged {
            file: file.to_owned(),
            reason,
        }),
        None => Ok(true),
    }
}

/// Moves everything from one folder into another, the configuration last: with it, the folder is a
/// course.
fn fill(folder: &Path, from: &Path) -> io::Result<()> {
    let mut names: Vec<_> = fs::read_dir(from)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<_>>()?;
    names.sort_by_key(|name| name == CONFIG);
    for name in names {
        fs::rename(from.join(&name), folder.join(&name))?;
    }
    File::open(folder)?.sync_all()
}

/// The archive's configuration, as it will be in the folder.
fn config_of(
    archive: &mut ZipArchive<File>,
    file: &Path,
    folder: &Path,
) -> Result<Config, UnpackError> {
    let wrong = |reason: String| UnpackError::NotABackup {
        file: file.to_owned(),
        reason,
    };
    let entry = archive.by_name(&format!("{COURSE}/{CONFIG}"));
    let entry = entry.map_err(|error| wrong(format!("{COURSE}/{CONFIG}: {error}")))?;
    let bytes = read_at_most(entry, CONFIG_BYTES_MAX).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
    config::parse(&text, &folder.join(CONFIG)).map_err(|error| wrong(error.to_string()))
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
    for (folder, _) in FOLDERS {
        if let Ok(below) = path.strip_prefix(folder) {
            return Some(inside(config, folder).join(below));
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

/// What the configuration expects outside of the folder.
fn notes(config: &Config, folder: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |key: &str, path: &Path, here: PathBuf| {
        if !path.starts_with(folder) {
            notes.push(format!(
                "config.toml says {key} = {:?}; what the backup has of it is {}",
                path.display().to_string(),
                folder.join(here).display()
            ));
        }
    };
    for (name, _) in FOLDERS {
        if let Some(path) = folder_of(config, name) {
            note(name, path, PathBuf::from(name));
        }
    }
    for (key, path) in named_files(config) {
        let here = Path::new(OUTSIDE).join(path.file_name().unwrap_or_default());
        note(key, &path, here);
    }
    let reports = &config.folders.reports;
    if !reports.starts_with(folder) {
        notes.push(format!(
            "config.toml says reports = {:?}; change that if another course writes there",
            reports.display().to_string()
        ));
    }
    notes
}
