//! What the file system says about one name, without following a link and without opening the file.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

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

/// The facts about one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    pub kind: FileType,
    /// What tells its states apart. Of a folder only the inode counts: files that come and go in it
    /// are not its own change.
    pub fingerprint: Fingerprint,
    /// The device it is on.
    pub device: u64,
    /// How many names it has.
    pub links: u64,
    /// The number of the user whom it belongs to.
    pub owner: u32,
    /// Permissions and type, as the kernel has them.
    pub mode: u32,
}

impl Stat {
    /// From the kernel's form.
    pub fn new(raw: &rustix::fs::Stat) -> Self {
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

/// How folders are opened: never through a link.
pub const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

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

/// Opens the folder that a path below the root is in, one name at a time, so that no link on the
/// way is followed.
/// `None` where that is the root itself.
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
    let folder = parent.as_ref().map_or(root, std::os::fd::AsFd::as_fd);
    rustix::fs::statat(folder, split(path).1, AtFlags::SYMLINK_NOFOLLOW).map(|raw| Stat::new(&raw))
}

/// Whether an error says that the name is not there any more.
pub fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR)
}
