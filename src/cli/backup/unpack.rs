//! Reads an archive into a new folder. Whoever wrote it, nothing lands outside that folder, and
//! nothing is left behind if it is no backup.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::contents::{CONFIG, COURSE, FOLDERS, OUTSIDE, STATE, folder_of, inside};
use crate::config::{self, Config};
use crate::store::{Reader, StoreError};
use crate::util::files::{SCRATCH, read_at_most, sync_file_systems, sync_name};

/// The largest configuration, in bytes.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// All files of a backup together, in bytes.
const BYTES_MAX: u64 = 1 << 40;

/// Why a backup cannot be restored.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    #[error("{}: it is not a backup that can be read ({reason})", .file.display())]
    NotABackup { file: PathBuf, reason: String },
    #[error("{} is not empty; name a folder that does not exist yet", .0.display())]
    NotEmpty(PathBuf),
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: its store is damaged ({reason}); use an earlier backup", .file.display())]
    Damaged { file: PathBuf, reason: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What came out.
pub struct Unpacked {
    pub has_store: bool,
    /// What the configuration expects elsewhere.
    pub notes: Vec<String>,
}

/// Makes `folder` from an archive; it appears when it is complete.
pub fn unpack(file: &Path, folder: &Path) -> Result<Unpacked, UnpackError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| UnpackError::Io { path, source }
    };
    let not_a_backup = |error: ZipError| UnpackError::NotABackup {
        file: file.to_owned(),
        reason: error.to_string(),
    };
    let folder = std::path::absolute(folder).map_err(failed(folder))?;
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(UnpackError::NotEmpty(folder));
    }
    let opened = File::open(file).map_err(failed(file))?;
    let mut archive = ZipArchive::new(opened).map_err(not_a_backup)?;
    let config = config_of(&mut archive, file, &folder)?;
    let above = folder.parent().unwrap_or(Path::new("/"));
    let scratch = tempfile::Builder::new()
        .prefix(SCRATCH)
        .tempdir_in(above)
        .map_err(failed(above))?;
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
    let state = scratch.path().join(inside(&config, STATE));
    let has_store = state.join(crate::store::STORE_FILE).is_file();
    if has_store {
        let complaints = Reader::open(&state)?.check()?;
        if let Some(reason) = complaints.into_iter().next() {
            let file = file.to_owned();
            return Err(UnpackError::Damaged { file, reason });
        }
    }
    sync_file_systems([scratch.path()]).map_err(failed(&folder))?;
    // An empty folder is replaced by it; any other is in the way, and stays.
    fs::rename(scratch.keep(), &folder).map_err(failed(&folder))?;
    sync_name(&folder).map_err(failed(&folder))?;
    Ok(Unpacked {
        has_store,
        notes: notes(&config, &folder),
    })
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
                path.display(),
                folder.join(here).display()
            ));
        }
    };
    for (name, _) in FOLDERS {
        if let Some(path) = folder_of(config, name) {
            note(name, path, PathBuf::from(name));
        }
    }
    let outside = |path: &Path| Path::new(OUTSIDE).join(path.file_name().unwrap_or_default());
    if let Some(path) = &config.overview.roster {
        note("roster", path, outside(path));
    }
    if let Some(path) = &config.web.staff_token_file {
        note("staff_token_file", path, outside(path));
    }
    notes
}
