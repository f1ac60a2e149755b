//! Puts imported programs into the submissions folder, where the daemon finds them like any other.
//!
//! Students can write there, so that nothing in it is trusted: no link is followed, and no file is
//! ever replaced. A newer attempt for the same problem lies beside the older one, as
//! `curling (1).cpp`.

use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

use super::plan::HandIn;

/// Numbers that are tried behind a name that is taken.
const COPIES_MAX: u32 = 999;
/// What a file is called until it is whole; the daemon passes over names that begin with a dot.
const SCRATCH: &str = ".verdictd-import";

/// Why a program could not be put into the submissions folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", .path.display())]
pub struct DeliverError {
    path: PathBuf,
    source: io::Error,
}

/// Where a program is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivered {
    /// Its path below the submissions folder.
    pub path: PathBuf,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// Puts a program into its student's folder, unless the same bytes are there for this problem.
pub fn deliver(submissions: &Path, hand_in: &HandIn) -> Result<Delivered, DeliverError> {
    let student = hand_in.student.as_str();
    let failed = |name: &str| {
        let path = submissions.join(student).join(name);
        move |error: rustix::io::Errno| DeliverError {
            path,
            source: error.into(),
        }
    };
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = rustix::fs::openat(CWD, submissions, flags, Mode::empty()).map_err(failed(""))?;
    match rustix::fs::mkdirat(&root, student, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(failed("")(error)),
    }
    let flags = flags | OFlags::NOFOLLOW;
    let folder = rustix::fs::openat(&root, student, flags, Mode::empty()).map_err(failed(""))?;
    let target = &hand_in.target;
    for number in 0..=COPIES_MAX {
        let name = match number {
            0 => format!("{}.{}", target.problem, target.extension),
            _ => format!("{} ({number}).{}", target.problem, target.extension),
        };
        let path = Path::new(student).join(&name);
        if is_same(&folder, &name, &hand_in.bytes) {
            return Ok(Delivered {
                path,
                is_new: false,
            });
        }
        match create(&folder, &name, &hand_in.bytes) {
            Ok(()) => return Ok(Delivered { path, is_new: true }),
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(failed(&name)(error)),
        }
    }
    Err(DeliverError {
        path: submissions.join(student),
        source: io::Error::other(format!(
            "there are more than {COPIES_MAX} files for {}; remove some",
            target.problem
        )),
    })
}

/// Whether a regular file has these bytes.
fn is_same(folder: &OwnedFd, name: &str, bytes: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::openat(folder, name, flags, Mode::empty()) else {
        return false;
    };
    let regular = rustix::fs::fstat(&file).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && u64::try_from(stat.st_size) == Ok(bytes.len() as u64)
    });
    let mut there = Vec::new();
    let mut file = std::fs::File::from(file).take(bytes.len() as u64 + 1);
    regular && file.read_to_end(&mut there).is_ok() && there == bytes
}

/// Makes a file that is whole from its first moment on, where there is none of that name.
fn create(folder: &OwnedFd, name: &str, bytes: &[u8]) -> rustix::io::Result<()> {
    let scratch = format!("{SCRATCH}-{}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // What an import left that was killed here.
    let _ = rustix::fs::unlinkat(folder, &scratch, AtFlags::empty());
    let file = rustix::fs::openat(folder, &scratch, flags, Mode::from_raw_mode(0o644))?;
    let mut file = std::fs::File::from(file);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let linked = written
        .map_err(|error| rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO));
    let linked =
        linked.and_then(|()| rustix::fs::linkat(folder, &scratch, folder, name, AtFlags::empty()));
    let _ = rustix::fs::unlinkat(folder, &scratch, AtFlags::empty());
    linked?;
    rustix::fs::fsync(folder)
}
