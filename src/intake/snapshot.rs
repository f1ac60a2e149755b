//! Takes a private copy of one file, or says why it is not to be taken. Never blocks on a pipe,
//! never follows a link.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::naming::Refusal;
use super::scan::{self, Fingerprint, Stat};

/// Why no copy of a file was taken.
#[derive(Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// It is not to be taken, and why.
    Refused(Refusal<'static>),
    /// It is nobody's, or was taken before.
    Ignored,
    /// It changed under our hands; look again later.
    Unsettled,
    /// It is not there any more.
    Gone,
    /// The machine failed, not the student.
    Failed(Errno),
}

impl From<Refusal<'static>> for NotTaken {
    fn from(refusal: Refusal<'static>) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Errno> for NotTaken {
    fn from(error: Errno) -> Self {
        match error {
            error if scan::is_gone(error) => Self::Gone,
            Errno::ACCESS | Errno::PERM => Self::Refused(Refusal::UnreadableFile),
            // It became a link, a pipe or a socket, it is leased to its writer, or a network file
            // system lost hold of it.
            Errno::LOOP | Errno::NXIO | Errno::WOULDBLOCK | Errno::STALE | Errno::INTR => {
                Self::Unsettled
            }
            error => Self::Failed(error),
        }
    }
}

/// Refuses what is not a regular file.
pub fn refuse_kind(kind: FileType) -> Result<(), Refusal<'static>> {
    Err(match kind {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => Refusal::Folder,
        FileType::Symlink => Refusal::Symlink,
        FileType::Fifo => Refusal::Pipe,
        FileType::Socket => Refusal::Socket,
        _ => Refusal::Device,
    })
}

/// Takes the file at a path below the root if it still is as `expected`: its bytes, unchanged from
/// the first look to after the last byte.
pub fn take(
    root: BorrowedFd<'_>,
    path: &OsStr,
    expected: Fingerprint,
    bytes_max: u64,
) -> Result<Arc<[u8]>, NotTaken> {
    take_with(root, path, expected, bytes_max, || {})
}

/// The same, with something that happens between the reading and the last look: the tests change
/// the file there.
fn take_with(
    root: BorrowedFd<'_>,
    path: &OsStr,
    expected: Fingerprint,
    bytes_max: u64,
    meanwhile: impl FnOnce(),
) -> Result<Arc<[u8]>, NotTaken> {
    let parent = scan::open_parent(root, path)?;
    let folder = parent.as_ref().map_or(root, std::os::fd::AsFd::as_fd);
    // A device may act on being opened, so the kind is looked at first; what slips in between meets
    // NONBLOCK and NOCTTY.
    refuse_kind(scan::look(root, path)?.kind)?;
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let name = scan::split(path).1;
    let mut file = File::from(rustix::fs::openat(folder, name, flags, Mode::empty())?);
    let opened = Stat::of(&file)?;
    if opened.kind != FileType::RegularFile || opened.fingerprint != expected {
        return Err(NotTaken::Unsettled);
    }
    if opened.links > 1 && !is_in_its_owners_folder(&opened, folder)? {
        // Through its other name it could change unseen, or it could be a file that the student may
        // not read.
        return Err(Refusal::HardLink.into());
    }
    let size = opened.fingerprint.size;
    match size {
        0 => return Err(Refusal::EmptyFile.into()),
        bytes if bytes > bytes_max => {
            let most = bytes_max;
            return Err(Refusal::TooLarge { bytes, most }.into());
        }
        _ => {}
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    // One byte more than it had, so that growth shows.
    (&mut file)
        .take(size + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    meanwhile();
    let after = Stat::of(&file)?;
    if after != opened || bytes.len() as u64 != size {
        return Err(NotTaken::Unsettled);
    }
    if is_blank(&bytes) {
        return Err(Refusal::Blank.into());
    }
    Ok(bytes.into())
}

/// Whether file and folder belong to one person: then a second name is what somebody else made,
/// whose own folder it is not. Where everything belongs to the daemon's user nobody can be told
/// from anybody.
fn is_in_its_owners_folder(file: &Stat, folder: BorrowedFd<'_>) -> Result<bool, Errno> {
    let folder = Stat::of(folder)?;
    let ours = rustix::process::geteuid().as_raw();
    Ok(file.owner == folder.owner && file.owner != ours)
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(bytes)
        .iter()
        .all(|byte| byte.is_ascii_whitespace() || *byte == 0x0B)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::Path;
    use std::sync::Arc;

    use rustix::io::Errno;

    use super::super::scan;
    use super::{NotTaken, take, take_with};
    use crate::util::tests::files::write;

    const BYTES_MAX: u64 = 100;

    fn taken(folder: &Path, name: &str) -> Result<Arc<[u8]>, NotTaken> {
        let root = File::open(folder).unwrap();
        let path = OsStr::new(name);
        match scan::look(root.as_fd(), path) {
            Ok(stat) => take(root.as_fd(), path, stat.fingerprint, BYTES_MAX),
            Err(error) => Err(error.into()),
        }
    }

    fn refusal(folder: &Path, name: &str) -> String {
        match taken(folder, name) {
            Err(NotTaken::Refused(refusal)) => refusal.to_string(),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn refuses_what_is_not_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::create_dir(at("curling.cpp")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), mode).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        fs::write(at("two"), "x").unwrap();
        fs::hard_link(at("two"), at("names")).unwrap();
        fs::write(at("empty"), "").unwrap();
        fs::write(at("blank"), "\u{FEFF} \r\n\t").unwrap();
        fs::write(at("big"), [b'x'; 101]).unwrap();
        for (names, words) in [
            ("link dangling", "symbolic link"),
            ("curling.cpp", "folder"),
            ("pipe", "named pipe"),
            ("socket", "socket"),
            ("two names", "hard link"),
            ("empty", "empty"),
            ("blank", "nothing in it"),
            ("big", "has 101 bytes; at most 100 bytes are taken"),
        ] {
            for name in names.split(' ') {
                let reason = refusal(folder.path(), name);
                assert!(reason.contains(words), "{name}: {reason}");
            }
        }
        let null = refusal(Path::new("/dev"), "null");
        assert!(null.contains("device"), "{null}");
        let full = [b"\xff\0", &[b'x'; 98][..]].concat();
        fs::write(at("full"), &full).unwrap();
        assert_eq!(*taken(folder.path(), "full").unwrap(), *full);
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_walked_through() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "real/x.cpp", "x");
        symlink("real", folder.path().join("alpha")).unwrap();
        for path in ["alpha/x.cpp", "real/y.cpp", "a/b/c"] {
            assert_eq!(taken(folder.path(), path), Err(NotTaken::Gone));
        }
    }

    #[test]
    fn a_change_while_it_is_read_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let root = File::open(folder.path()).unwrap();
        let name = OsStr::new("x");
        let attempt = |meanwhile: &dyn Fn()| {
            fs::write(&path, "one").unwrap();
            let stat = scan::look(root.as_fd(), name).unwrap();
            take_with(root.as_fd(), name, stat.fingerprint, BYTES_MAX, meanwhile)
        };
        assert!(attempt(&|| {}).is_ok());
        let second = folder.path().join("second");
        // A second name shows as well, and so does replacement, because the old file loses its
        // name.
        for meanwhile in [
            &(|| fs::write(&path, "longer").unwrap()) as &dyn Fn(),
            &|| fs::hard_link(&path, &second).unwrap(),
            &|| {
                fs::write(&second, "two").unwrap();
                fs::rename(&second, &path).unwrap();
            },
        ] {
            assert_eq!(attempt(meanwhile), Err(NotTaken::Unsettled));
            let _ = fs::remove_file(&second);
        }
        let old = scan::look(root.as_fd(), name).unwrap().fingerprint;
        fs::write(&path, "other and longer").unwrap();
        let taken = take(root.as_fd(), name, old, BYTES_MAX);
        assert_eq!(taken, Err(NotTaken::Unsettled));
    }

    #[test]
    fn errors_are_told_apart() {
        for (error, expected) in [
            (Errno::NOENT, NotTaken::Gone),
            (Errno::NXIO, NotTaken::Unsettled),
            (Errno::WOULDBLOCK, NotTaken::Unsettled),
            (Errno::IO, NotTaken::Failed(Errno::IO)),
            (Errno::MFILE, NotTaken::Failed(Errno::MFILE)),
        ] {
            assert_eq!(NotTaken::from(error), expected);
        }
        let NotTaken::Refused(refusal) = NotTaken::from(Errno::ACCESS) else {
            panic!();
        };
        assert!(refusal.to_string().contains("chmod a+r"));
    }
}
