//! Files that are replaced whole, and reads that are bounded.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use super::clock::now_ms;
use super::crash::point;
use super::hash::digest_of_file;
use super::sync::lock;

/// Of a file that this user alone may read.
const OWNER_ALONE: u32 = 0o600;
/// The largest file that is compared with a new one before it is replaced, in bytes.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024 * 1024;
/// Names that are tried for a file that is put aside.
const PUT_ASIDE_MAX: i64 = 1_000;

/// How the names of files begin that are not whole yet.
pub const SCRATCH: &str = ".verdictd-";
/// Names of one folder that are looked at for such files.
const SWEPT_MAX: usize = 100_000;

/// Folders that were made here and whose names may not be on the disk yet. What is brought to the
/// disk in one of them takes its name there first, whichever thread made it.
static NEW_FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// With more of them, each is brought to the disk as it is made.
const NEW_FOLDERS_MAX: usize = 10_000;

/// Removes from a folder what a sudden end left half written. Only for who alone writes there.
pub fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.take(SWEPT_MAX) {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(SCRATCH.as_bytes()) {
            // A file that stays does no harm; the next sweep tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether an error says that there is no room: on the disk, or in somebody's share of it.
pub fn is_no_room(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Whether an error says that nobody may write there.
pub fn is_unwritable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
    )
}

/// Who may read a file that is made here: those who may go into its folder, or this user alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Readers {
    OfFolder,
    Owner,
}

/// How a file that is whole takes its name.
type Persist = fn(NamedTempFile, &Path) -> io::Result<()>;

fn over(scratch: NamedTempFile, path: &Path) -> io::Result<()> {
    scratch.persist(path)?;
    Ok(())
}

fn unless_there(scratch: NamedTempFile, path: &Path) -> io::Result<()> {
    scratch.persist_noclobber(path)?;
    Ok(())
}

/// Replaces a file in one step: a reader sees the old bytes or the new ones, also after a power
/// cut.
/// Makes the folder if it is missing, and then its name is on the disk as well.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Readers::OfFolder, over)
}

/// Makes a file in one step, where there is none of that name; an error of the kind `AlreadyExists`
/// where there is.
pub fn create_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Readers::OfFolder, unless_there)
}

/// [`replace`] for what only this user may read, whoever may go into the folder.
pub fn replace_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Readers::Owner, over)
}

/// [`create_new`] for what only this user may read.
pub fn create_new_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Readers::Owner, unless_there)
}

fn write(path: &Path, bytes: &[u8], readers: Readers, persist: Persist) -> io::Result<()> {
    let scratch = beside(path, bytes, readers)?;
    scratch.as_file().sync_all()?;
    persist(scratch, path)?;
    sync_name(path)
}

/// [`replace`], but the bytes are on the disk only after [`sync_file_systems`]; a power cut before
/// it may leave the file empty or torn.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    over(beside(path, bytes, Readers::OfFolder)?, path)
}

/// Replaces files below these folders: whatever happens meanwhile, each has its old bytes or the
/// new ones. That the new ones stay is certain only after [`sync_file_systems`].
pub fn replace_all(folders: &[&Path], files: &[(PathBuf, String)]) -> io::Result<()> {
    let mut scratch = Vec::new();
    for (path, text) in files {
        // Without the open file: there may be more than descriptors.
        let one = beside(path, text.as_bytes(), Readers::OfFolder)?;
        scratch.push((one.into_temp_path(), path));
    }
    sync_file_systems(folders.iter().copied())?;
    for (scratch, path) in scratch {
        scratch.persist(path)?;
        point("one of many replaced");
    }
    Ok(())
}

/// Whether a file has exactly these bytes.
pub fn is_same(path: &Path, bytes: &[u8]) -> bool {
    let length = bytes.len() as u64;
    let is_as_long = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == length);
    is_as_long && read_regular(path, length).is_ok_and(|found| found == bytes)
}

/// Replaces a file by what is written piece by piece, as [`replace_unsynced`] does. One that has
/// these bytes already stays as it is, and false is returned.
pub fn rewrite<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<bool, E> {
    let mut scratch = beside(path, b"", Readers::OfFolder)?;
    let mut out = BufWriter::new(scratch.as_file_mut());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    // What cannot be read is replaced.
    let is_same = digest_of_file(path, FILE_BYTES_MAX).is_ok_and(|known| {
        digest_of_file(scratch.path(), FILE_BYTES_MAX).is_ok_and(|new| new == known)
    });
    if !is_same {
        scratch.persist(path).map_err(io::Error::from)?;
    }
    Ok(!is_same)
}

/// Brings everything that was written to the file systems of these folders to the disk, each file
/// system once.
/// A folder that is not there has nothing to bring.
pub fn sync_file_systems<'a>(folders: impl IntoIterator<Item = &'a Path>) -> io::Result<()> {
    let folders: Vec<&Path> = folders.into_iter().collect();
    let is_below = |new: &PathBuf| folders.iter().any(|folder| new.starts_with(folder));
    let new: Vec<PathBuf> = lock(&NEW_FOLDERS)
        .iter()
        .filter(|new| is_below(new))
        .cloned()
        .collect();
    let mut synced = Vec::new();
    for folder in &folders {
        let folder = match File::open(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        let device = folder.metadata()?.dev();
        if !synced.contains(&device) {
            rustix::fs::syncfs(folder)?;
            synced.push(device);
        }
    }
    let mut left = lock(&NEW_FOLDERS);
    for folder in &new {
        left.remove(folder);
    }
    Ok(())
}

/// Renames a file to a name that no other one has, whatever the clock says.
pub fn put_aside(file: &Path) -> io::Result<()> {
    let now_ms = now_ms();
    let free = (now_ms..now_ms.saturating_add(PUT_ASIDE_MAX))
        .map(|number| {
            let mut name = file.as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        })
        .find(|path| !path.exists())
        .ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(file, free)?;
    sync_name(file)
}

/// A file beside the one that it takes the place of. Nothing is written before others are kept out.
fn beside(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let mode = match file_mode(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_missing(folder, mode_below(folder)?)?;
            file_mode(folder)?
        }
        found => found?,
    };
    let mode = if readers == Readers::Owner {
        OWNER_ALONE
    } else {
        mode
    };
    let mut scratch = tempfile::Builder::new()
        .prefix(SCRATCH)
        .permissions(PermissionsExt::from_mode(mode))
        .tempfile_in(folder)?;
    scratch.write_all(bytes)?;
    point("scratch written");
    Ok(scratch)
}

/// Removes a file that may be gone already.
pub fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Who may go into a folder may read what we write in it: so what is made below `staff/` is for
/// those only who are let into it.
pub fn file_mode(folder: &Path) -> io::Result<u32> {
    let may_enter = fs::metadata(folder)?.mode() & 0o011;
    Ok(0o600 | may_enter << 2)
}

/// Makes a folder, and those above it that are missing, each for those who may go into the one
/// above. When this returns its name is on the disk.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    make_folder_with(folder, mode_below(folder)?)
}

/// The mode of a folder that is made there: for those who may go into the one above.
pub fn mode_below(folder: &Path) -> io::Result<u32> {
    let above = folder.ancestors().find(|above| above.is_dir());
    let may_enter = match above {
        Some(above) => fs::metadata(above)?.mode() & 0o011,
        // A relative path, below the current folder.
        None => 0o011,
    };
    Ok(0o700 | may_enter << 2 | may_enter)
}

/// The same with these permissions.
pub fn make_folder_with(folder: &Path, mode: u32) -> io::Result<()> {
    make_missing(folder, mode)?;
    // Also where it is there: whoever made it may have been killed before its name was on the disk.
    sync_name(folder)
}

/// Makes the folders that are missing, the outermost first, and remembers that their names are not
/// on the disk.
fn make_missing(folder: &Path, mode: u32) -> io::Result<()> {
    let is_missing = |above: &&Path| !above.as_os_str().is_empty() && !above.is_dir();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    for folder in missing.into_iter().rev() {
        // Before it is there: another thread that finds it there is to know that it is new.
        let is_remembered = {
            let mut new = lock(&NEW_FOLDERS);
            let has_room = new.len() < NEW_FOLDERS_MAX;
            has_room && new.insert(folder.to_owned()) || new.contains(folder)
        };
        match fs::DirBuilder::new().mode(mode).create(folder) {
            Err(_) if folder.is_dir() => {}
            made => made?,
        }
        if !is_remembered {
            sync_name_alone(folder)?;
        }
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Brings to the disk that a file or folder has its name, or that nothing has it any more; and the
/// names of those folders above it that are new.
pub fn sync_name(path: &Path) -> io::Result<()> {
    sync_name_alone(path)?;
    lock(&NEW_FOLDERS).remove(path);
    for folder in path.ancestors().skip(1) {
        let is_new = lock(&NEW_FOLDERS).contains(folder);
        if is_new {
            sync_name_alone(folder)?;
            lock(&NEW_FOLDERS).remove(folder);
        }
    }
    Ok(())
}

fn sync_name_alone(path: &Path) -> io::Result<()> {
    let above = folder_of(path);
    if let (Ok(own), Ok(above)) = (fs::metadata(path), fs::metadata(above))
        && own.dev() != above.dev()
    {
        // The top of a file system, whose name is nobody's to keep.
        return Ok(());
    }
    match File::open(above) {
        // We may write there and not read.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Ok(rustix::fs::syncfs(File::open(path)?)?)
        }
        above => above?.sync_all(),
    }
}

/// Reads a regular file that may not be larger than `bytes_max`. A pipe with that name is refused,
/// and never waited for.
pub fn read_regular(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    read_at_most(file, bytes_max)
}

/// Reads a file, or whatever a person names in its place, up to a bound.
pub fn read_bounded(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    read_at_most(File::open(path)?, bytes_max)
}

/// Reads to the end, up to a bound.
pub fn read_at_most(file: impl Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("larger than {bytes_max} bytes"),
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::{make_folder_with, read_bounded, replace};

    #[test]
    fn replaced_whole_and_read_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/file");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(read_bounded(&path, 3).unwrap(), b"two");
        assert!(read_bounded(&path, 2).is_err());
        let names: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 1, "no scratch file is left");
    }

    #[test]
    fn what_is_made_in_a_folder_is_for_those_who_are_let_into_it() {
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for (mode, of_folder, of_file) in [
            (0o755, 0o755, 0o644),
            (0o750, 0o750, 0o640),
            (0o700, 0o700, 0o600),
            (0o711, 0o755, 0o644),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().join("staff");
            make_folder_with(&top, mode).unwrap();
            let file = top.join("alpha/sum/1.txt");
            replace(&file, b"1").unwrap();
            assert_eq!(mode_of(&top), mode);
            assert_eq!(mode_of(file.parent().unwrap()), of_folder, "{mode:o}");
            assert_eq!(mode_of(&file), of_file, "{mode:o}");
        }
    }
}
