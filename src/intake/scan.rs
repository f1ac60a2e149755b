//! The truth about the submissions folder: one pass over every name in it and in each student's
//! folder.
//!
//! A pass costs one `lstat` a file and one listing a folder; nothing is opened for reading.
//! Everything may vanish meanwhile.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, StatVfsMountFlags};
use rustix::io::Errno;

use super::naming;
use super::stat::{self, Stat};

/// Names looked at in one pass, all folders together.
pub const ENTRIES_MAX: usize = 200_000;
/// Students' folders entered in one pass.
pub const FOLDERS_MAX: usize = 50_000;
/// Names looked at in one student's folder, so that no student can use up the pass for all.
pub const FOLDER_ENTRIES_MAX: usize = 25_000;
/// Room for one portion of a folder's listing.
const LISTING_BYTES: usize = 32 * 1024;

/// Why the submissions folder could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// It is not there.
    #[error("the submissions folder {path} does not exist; make it with: mkdir -p {path}", path = .0.display())]
    Missing(PathBuf),
    /// It is something else.
    #[error("{path} is not a folder, so no submissions can be in it", path = .0.display())]
    NotAFolder(PathBuf),
    /// Its disk is full: what was being written may have been cut off.
    #[error("the disk of the submissions folder {path} is full, and a file that is written now may be cut off: nothing is taken until there is room", path = .0.display())]
    NoRoom(PathBuf),
    /// It cannot be opened or listed.
    #[error("the submissions folder {path} cannot be read: {error}", path = .path.display())]
    Unreadable {
        path: PathBuf,
        /// What the kernel said.
        error: Errno,
    },
}

/// A name below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the root: `alpha/curling.cpp` or `alpha_curling.cpp`, as the bytes it is.
    pub path: OsString,
    pub stat: Stat,
}

/// How far the listing of a student's folder got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// To the end.
    Whole,
    /// It was not asked for: the name is not one for a student.
    NotEntered,
    /// Permissions forbid it.
    Unreadable(Errno),
    /// Only to the bound of one folder.
    TooMany,
}

/// A folder directly below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub name: OsString,
    pub stat: Stat,
    /// How far its listing got.
    pub listing: Listing,
}

/// What one pass saw.
#[derive(Debug, Default)]
pub struct Scan {
    /// Everything that is not a folder directly below the root.
    pub entries: Vec<Entry>,
    /// The folders directly below the root.
    pub folders: Vec<Folder>,
    /// Which folder the root is: device and inode.
    pub root_identity: (u64, u64),
    /// Whether more than the bounds was there, so that a part was not looked at.
    pub overflow: bool,
    /// An error other than vanishing or missing permissions: this pass must not be taken for all
    /// there is.
    pub failure: Option<Errno>,
}

impl Scan {
    /// Whether what is not in it is not there.
    pub fn is_complete(&self) -> bool {
        !self.overflow && self.failure.is_none()
    }
}

/// Looks at the submissions folder.
#[derive(Debug)]
pub struct Scanner {
    root: PathBuf,
    bounds: Bounds,
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    entries: usize,
    folders: usize,
    folder_entries: usize,
}

impl Scanner {
    /// For this folder, which need not exist yet.
    pub fn new(root: PathBuf) -> Self {
        let bounds = Bounds {
            entries: ENTRIES_MAX,
            folders: FOLDERS_MAX,
            folder_entries: FOLDER_ENTRIES_MAX,
        };
        Self { root, bounds }
    }

    /// The same with room for so many names in all.
    #[cfg(test)]
    pub fn of_at_most(root: PathBuf, entries: usize) -> Self {
        let mut scanner = Self::new(root);
        scanner.bounds.entries = entries;
        scanner
    }

    /// Says so where the folder's disk has no room for anybody who hands in.
    pub fn refuse_full(&self, root: BorrowedFd<'_>) -> Result<(), ScanError> {
        // Where the system cannot tell, there is room.
        let full = rustix::fs::fstatvfs(root).is_ok_and(|disk| {
            let read_only = disk.f_flag.contains(StatVfsMountFlags::RDONLY);
            disk.f_blocks > 0 && disk.f_bavail == 0 && !read_only
        });
        if full {
            Err(ScanError::NoRoom(self.root.clone()))
        } else {
            Ok(())
        }
    }

    /// Opens the folder. The root itself may be a link: whoever runs the daemon put it there.
    pub fn open(&self) -> Result<OwnedFd, ScanError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(&self.root, flags, Mode::empty()).map_err(|error| match error {
            Errno::NOENT => ScanError::Missing(self.root.clone()),
            Errno::NOTDIR => ScanError::NotAFolder(self.root.clone()),
            error => self.unreadable(error),
        })
    }

    /// One pass. `enter` says whether a folder's name is one whose files are wanted.
    pub fn scan(&self, enter: impl Fn(&OsStr) -> bool) -> Result<Scan, ScanError> {
        let root = self.open()?;
        let identity = rustix::fs::fstat(&root).map_err(|error| self.unreadable(error))?;
        let mut pass = Pass {
            scan: Scan {
                root_identity: (identity.st_dev, identity.st_ino),
                ..Scan::default()
            },
            bounds: self.bounds,
            buffer: Box::new_uninit_slice(LISTING_BYTES),
        };
        pass.list_root(root.as_fd())
            .map_err(|error| self.unreadable(error))?;
        for index in 0..pass.scan.folders.len() {
            let name = pass.scan.folders[index].name.clone();
            if enter(&name) {
                let listing = pass.list_folder(root.as_fd(), &name);
                pass.scan.folders[index].listing = listing;
            }
        }
        Ok(pass.scan)
    }

    fn unreadable(&self, error: Errno) -> ScanError {
        ScanError::Unreadable {
            path: self.root.clone(),
            error,
        }
    }
}

struct Pass {
    scan: Scan,
    bounds: Bounds,
    buffer: Box<[MaybeUninit<u8>]>,
}

impl Pass {
    fn list_root(&mut self, root: BorrowedFd<'_>) -> Result<(), Errno> {
        let Self {
            scan,
            bounds,
            buffer,
        } = self;
        let mut seen = 0;
        let outcome = each_name(root, buffer, |name| {
            let is_ignored = naming::ignored(name).is_some();
            if is_ignored && naming::is_misplaced(name).is_none() {
                return true;
            }
            if seen >= bounds.entries {
                scan.overflow = true;
                return false;
            }
            seen += 1;
            match facts(root, name) {
                // A file of such a name is nobody's; a folder may be a student's, who is to be
                // told.
                Ok(Some(stat)) if stat.kind != FileType::Directory && is_ignored => {}
                Ok(Some(stat)) if stat.kind != FileType::Directory => {
                    let path = name.to_owned();
                    scan.entries.push(Entry { path, stat });
                }
                Ok(Some(_)) if scan.folders.len() >= bounds.folders => scan.overflow = true,
                Ok(Some(stat)) => scan.folders.push(Folder {
                    name: name.to_owned(),
                    stat,
                    listing: Listing::NotEntered,
                }),
                Ok(None) => {}
                Err(error) => scan.failure = Some(error),
            }
            true
        });
        match outcome {
            // The root was removed while it was listed: an empty folder, and the next pass says so.
            Err(Errno::NOENT) => Ok(()),
            other => other,
        }
    }

    fn list_folder(&mut self, root: BorrowedFd<'_>, folder: &OsStr) -> Listing {
        if self.scan.entries.len() >= self.bounds.entries {
            self.scan.overflow = true;
            return Listing::Whole;
        }
        let opened = match rustix::fs::openat(root, folder, stat::FOLDER, Mode::empty()) {
            Ok(opened) => opened,
            Err(error) => return self.unlisted(error),
        };
        let Self {
            scan,
            bounds,
            buffer,
        } = self;
        let mut seen = 0;
        let mut listing = Listing::Whole;
        let outcome = each_name(opened.as_fd(), buffer, |name| {
            if naming::ignored(name).is_some() {
                return true;
            }
            if scan.entries.len() >= bounds.entries {
                scan.overflow = true;
                return false;
            }
            if seen >= bounds.folder_entries {
                listing = Listing::TooMany;
                return false;
            }
            seen += 1;
            match facts(opened.as_fd(), name) {
                Ok(Some(stat)) => {
                    let path = join(folder, name);
                    scan.entries.push(Entry { path, stat });
                }
                Ok(None) => {}
                // A folder that may be listed but not searched has names without facts.
                Err(error @ (Errno::ACCESS | Errno::PERM)) => {
                    listing = Listing::Unreadable(error);
                    return false;
                }
                Err(error) => scan.failure = Some(error),
            }
            true
        });
        match outcome {
            Ok(()) => listing,
            Err(error) => self.unlisted(error),
        }
    }

    /// Tells what a student can fix from what vanished and from what is wrong with the machine.
    fn unlisted(&mut self, error: Errno) -> Listing {
        match error {
            Errno::ACCESS | Errno::PERM => Listing::Unreadable(error),
            // It vanished, or is a file or a link by now; the next pass sees which.
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Listing::Whole,
            error => {
                self.scan.failure = Some(error);
                Listing::Whole
            }
        }
    }
}

/// Calls `visit` with every name, until it returns false.
fn each_name(
    folder: BorrowedFd<'_>,
    buffer: &mut [MaybeUninit<u8>],
    mut visit: impl FnMut(&OsStr) -> bool,
) -> Result<(), Errno> {
    let mut names = RawDir::new(folder, buffer);
    while let Some(entry) = names.next() {
        let entry = match entry {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if !visit(name) {
            return Ok(());
        }
    }
    Ok(())
}

fn facts(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Option<Stat>, Errno> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(raw) => Ok(Some(Stat::new(&raw))),
        Err(error) if stat::is_gone(error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `folder/name`.
pub fn join(folder: &OsStr, name: &OsStr) -> OsString {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder.as_bytes());
    path.push(b'/');
    path.extend_from_slice(name.as_bytes());
    OsString::from_vec(path)
}
