//! The truth about the submissions folder: one pass over every name in it and in each student's
//! folder, and what the file system says about one name.
//!
//! A pass costs one `lstat` a file and one listing a folder. Nothing is opened for reading, no link
//! is followed, and everything may vanish meanwhile.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, StatVfsMountFlags};
use rustix::io::Errno;

use super::naming::{self, Known, Refusal};
use crate::domain::Fault;

/// Names looked at in one pass, all folders together.
pub const ENTRIES_MAX: usize = 200_000;
/// Students' folders entered in one pass.
pub const FOLDERS_MAX: usize = 50_000;
/// Names looked at in one student's folder, so that no student can use up the pass for all.
const FOLDER_ENTRIES_MAX: usize = 25_000;
const TOO_MANY: Refusal<'static> = Refusal::TooMany {
    files: ENTRIES_MAX,
    folders: FOLDERS_MAX,
};
/// The submissions folder itself, among the paths below it.
pub const ROOT: &str = ".";
/// How folders are opened: never through a link.
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// What tells one state of a file from another. Only equality counts, so a wrong or stepping clock
/// does no harm.
///
/// The device is not part of it: its number changes from boot to boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint {
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds, modulo 2^64.
    pub mtime_ns: u64,
    /// Last change of content or attributes, in nanoseconds, modulo 2^64.
    pub ctime_ns: u64,
    /// The inode's number.
    pub inode: u64,
}

impl Fingerprint {
    /// For storing.
    pub fn to_bytes(self) -> Vec<u8> {
        let numbers = [self.size, self.mtime_ns, self.ctime_ns, self.inode];
        numbers.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// From what was stored, which of rejected files had one more number once; `None` for anything
    /// else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks() else {
            return None;
        };
        let (&[size, mtime_ns, ctime_ns, inode] | &[size, mtime_ns, ctime_ns, inode, _]) = numbers
        else {
            return None;
        };
        Some(Self {
            size: u64::from_le_bytes(size),
            mtime_ns: u64::from_le_bytes(mtime_ns),
            ctime_ns: u64::from_le_bytes(ctime_ns),
            inode: u64::from_le_bytes(inode),
        })
    }
}

/// The facts about one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileType,
    /// What tells its states apart. Of a folder only the inode counts: files that come and go in it
    /// are not its own change.
    pub fingerprint: Fingerprint,
    pub device: u64,
    /// How many names it has.
    pub links: u64,
    /// The number of the user whom it belongs to.
    pub owner: u32,
    /// Permissions and type, as the kernel has them.
    pub mode: u32,
}

impl Stat {
    /// Whether it is a file with a second name.
    pub fn is_linked(&self) -> bool {
        self.links > 1 && self.kind == FileType::RegularFile
    }

    /// The facts about an open file.
    pub fn of(file: impl AsFd) -> Result<Self, Errno> {
        rustix::fs::fstat(file).map(|raw| Self::new(&raw))
    }

    fn new(raw: &rustix::fs::Stat) -> Self {
        let kind = FileType::from_raw_mode(raw.st_mode);
        let inode = raw.st_ino;
        let fingerprint = if kind == FileType::Directory {
            Fingerprint {
                inode,
                ..Fingerprint::default()
            }
        } else {
            Fingerprint {
                size: raw.st_size.cast_unsigned(),
                mtime_ns: moment_ns(raw.st_mtime, raw.st_mtime_nsec),
                ctime_ns: moment_ns(raw.st_ctime, raw.st_ctime_nsec),
                inode,
            }
        };
        Self {
            kind,
            fingerprint,
            device: raw.st_dev,
            links: raw.st_nlink,
            owner: raw.st_uid,
            mode: raw.st_mode,
        }
    }
}

/// One number for a moment. It may wrap for years far away, which does not matter to equality.
fn moment_ns(seconds: i64, nanoseconds: u64) -> u64 {
    seconds
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(nanoseconds)
}

/// Splits a path below the root into its folder, if any, and its last name.
pub fn split(path: &OsStr) -> (Option<&OsStr>, &OsStr) {
    let bytes = path.as_bytes();
    match bytes.iter().rposition(|&byte| byte == b'/') {
        Some(at) => (
            Some(OsStr::from_bytes(&bytes[..at])),
            OsStr::from_bytes(&bytes[at + 1..]),
        ),
        None => (None, path),
    }
}

/// Opens the folder that a path below the root is in. `None` where that is the root itself.
pub fn open_parent(root: BorrowedFd<'_>, path: &OsStr) -> Result<Option<OwnedFd>, Errno> {
    match split(path).0 {
        None => Ok(None),
        // The names come from listings, so there is no `..` and only one level; anything deeper
        // fails as "not a folder" here.
        Some(folder) if folder.as_bytes().contains(&b'/') => Err(Errno::NOTDIR),
        Some(folder) => {
            rustix::fs::openat(root, folder, FOLDER | OFlags::PATH, Mode::empty()).map(Some)
        }
    }
}

/// The facts about one path below the root.
pub fn look(root: BorrowedFd<'_>, path: &OsStr) -> Result<Stat, Errno> {
    let parent = open_parent(root, path)?;
    let folder = parent.as_ref().map_or(root, AsFd::as_fd);
    look_in(folder, split(path).1)
}

fn look_in(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Stat, Errno> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|raw| Stat::new(&raw))
}

/// Whether an error says that the name is not there any more.
pub fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR)
}

/// What one pass found beside the files.
#[derive(Debug, Default)]
pub struct Scan {
    /// How many names were looked at.
    pub names: usize,
    /// Whether one of the files has a second name.
    pub has_linked: bool,
    /// The students' folders that were listed, and their inodes.
    pub folders: Vec<(OsString, u64)>,
    /// The folders that could not be listed, or not to their end, and why.
    pub unlisted: HashMap<OsString, Refusal<'static>>,
    /// Which folder the root is: device and inode.
    pub root_identity: (u64, u64),
    /// An error other than vanishing or missing permissions: this pass must not be taken for all
    /// there is.
    pub failure: Option<Errno>,
}

impl Scan {
    /// Whether what was not found is not there.
    pub fn is_complete(&self) -> bool {
        self.failure.is_none() && !self.unlisted.contains_key(OsStr::new(ROOT))
    }
}

/// Looks at the submissions folder.
#[derive(Debug)]
pub struct Scanner {
    root: PathBuf,
    entries_max: usize,
}

impl Scanner {
    /// For this folder, which need not exist yet.
    pub fn new(root: PathBuf) -> Self {
        let entries_max = ENTRIES_MAX;
        Self { root, entries_max }
    }

    /// The same with room for so many names in all.
    #[cfg(test)]
    pub fn of_at_most(root: PathBuf, entries_max: usize) -> Self {
        Self { root, entries_max }
    }

    /// Says so where the folder's disk has no room for anybody who hands in.
    pub fn refuse_full(&self, root: BorrowedFd<'_>) -> Result<(), Fault> {
        // Where the system cannot tell, there is room.
        let full = rustix::fs::fstatvfs(root).is_ok_and(|disk| {
            let read_only = disk.f_flag.contains(StatVfsMountFlags::RDONLY);
            disk.f_blocks > 0 && disk.f_bavail == 0 && !read_only
        });
        if full {
            // What was being written may have been cut off.
            let path = self.root.display();
            Err(fault(format!(
                "the disk of the submissions folder {path} is full, and a file that is written now may be cut off: nothing is taken until there is room"
            )))
        } else {
            Ok(())
        }
    }

    /// Opens the folder. The root itself may be a link: whoever runs the daemon put it there.
    pub fn open(&self) -> Result<OwnedFd, Fault> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(&self.root, flags, Mode::empty()).map_err(|error| self.error(error))
    }

    /// One pass: `see` gets each file, and each folder that is no student's or could not be
    /// listed to its end.
    pub fn scan(&self, known: &Known, mut see: impl FnMut(&OsStr, &Stat)) -> Result<Scan, Fault> {
        let root = self.open()?;
        let root_stat = Stat::of(&root).map_err(|error| self.error(error))?;
        let mut scan = Scan {
            root_identity: (root_stat.device, root_stat.fingerprint.inode),
            ..Scan::default()
        };
        let mut folders = Vec::new();
        self.list(root.as_fd(), None, &mut scan, &mut |name, stat| {
            if stat.kind == FileType::Directory {
                folders.push((name.to_owned(), *stat));
            } else {
                see(name, stat);
            }
        })
        .map_err(|error| self.error(error))?;
        if folders.len() > FOLDERS_MAX {
            folders.truncate(FOLDERS_MAX);
            scan.unlisted.insert(ROOT.into(), TOO_MANY);
        }
        for (name, stat) in folders {
            if naming::student_of_folder(&name, known).is_err() {
                see(&name, &stat);
                continue;
            }
            let listed = rustix::fs::openat(&root, &name, FOLDER, Mode::empty())
                .and_then(|folder| self.list(folder.as_fd(), Some(&name), &mut scan, &mut see));
            match listed {
                // Its student can put that right.
                Err(Errno::ACCESS | Errno::PERM) => {
                    scan.unlisted
                        .insert(name.clone(), Refusal::UnreadableFolder);
                }
                // It vanished, or is a file or a link by now; the next pass finds which.
                Err(error) if !is_gone(error) && error != Errno::LOOP => {
                    scan.failure = Some(error);
                }
                _ => {}
            }
            if scan.unlisted.contains_key(&name) {
                see(&name, &stat);
            }
            scan.folders.push((name, stat.fingerprint.inode));
        }
        if !scan.is_complete() && scan.failure.is_none() {
            see(OsStr::new(ROOT), &root_stat);
        }
        Ok(scan)
    }

    /// Lists the root, or a student's folder in it.
    fn list(
        &self,
        opened: BorrowedFd<'_>,
        folder: Option<&OsStr>,
        scan: &mut Scan,
        see: &mut dyn FnMut(&OsStr, &Stat),
    ) -> Result<(), Errno> {
        let before = scan.names;
        for entry in Dir::read_from(opened)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let ignored = naming::ignored(name);
            let may_be_a_students =
                folder.is_none() && ignored.is_some_and(naming::Ignored::may_be_a_students);
            if ignored.is_some() && !may_be_a_students {
                continue;
            }
            if scan.names >= self.entries_max {
                scan.unlisted.insert(ROOT.into(), TOO_MANY);
                return Ok(());
            }
            if let Some(folder) = folder
                && scan.names - before >= FOLDER_ENTRIES_MAX
            {
                scan.unlisted.insert(
                    folder.to_owned(),
                    Refusal::TooManyInFolder(FOLDER_ENTRIES_MAX),
                );
                return Ok(());
            }
            scan.names += 1;
            match look_in(opened, name) {
                // A file of such a name is nobody's.
                Ok(stat) if may_be_a_students && stat.kind != FileType::Directory => {}
                Ok(stat) => {
                    scan.has_linked |= stat.is_linked();
                    match folder {
                        None => see(name, &stat),
                        Some(folder) => see(&join(folder, name), &stat),
                    }
                }
                Err(error) if is_gone(error) => {}
                // A folder that may be listed but not searched has names without facts.
                Err(error @ (Errno::ACCESS | Errno::PERM)) => return Err(error),
                Err(error) => scan.failure = Some(error),
            }
        }
        Ok(())
    }

    fn error(&self, error: Errno) -> Fault {
        let path = self.root.display();
        fault(match error {
            Errno::NOENT => format!(
                "the submissions folder {path} does not exist; make it with: mkdir -p {path}"
            ),
            Errno::NOTDIR => format!("{path} is not a folder, so no submissions can be in it"),
            error => format!("the submissions folder {path} cannot be read: {error}"),
        })
    }
}

/// The submissions folder could not be looked at.
fn fault(reason: String) -> Fault {
    Fault::new("look at the submissions folder", reason)
}

/// `folder/name`.
fn join(folder: &OsStr, name: &OsStr) -> OsString {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder.as_bytes());
    path.push(b'/');
    path.extend_from_slice(name.as_bytes());
    OsString::from_vec(path)
}
