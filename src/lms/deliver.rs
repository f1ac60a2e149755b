//! Puts imported programs into the submissions folder, where the daemon finds them like any other.
//!
//! Students can write there, so that nothing in it is trusted: no link is followed, and no file is
//! ever replaced. A newer attempt for the same problem lies beside the older one, as
//! `curling (1).cpp`.

use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::plan::HandIn;
use crate::domain::Complaint;
use crate::util::crash::point;

/// Numbers that are tried behind a name that is taken.
const COPIES_MAX: u32 = 999;
/// What a file is called until it is whole; the daemon passes over names that begin with a dot.
const SCRATCH: &str = ".verdictd-import";

/// Puts a program into its student's folder, unless the same bytes are there for this problem. Says
/// whether it was not there before.
pub fn deliver(submissions: &Path, hand_in: &HandIn) -> Result<bool, Complaint> {
    let student = hand_in.student.as_str();
    let failed = |name: &str| {
        let path = submissions.join(student).join(name);
        move |error: Errno| Complaint::new(path, io::Error::from(error))
    };
    std::fs::create_dir_all(submissions).map_err(|error| Complaint::new(submissions, error))?;
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = rustix::fs::openat(CWD, submissions, flags, Mode::empty()).map_err(failed(""))?;
    match rustix::fs::mkdirat(&root, student, Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(failed("")(error)),
    }
    let flags = flags | OFlags::NOFOLLOW;
    let folder = rustix::fs::openat(&root, student, flags, Mode::empty()).map_err(failed(""))?;
    discard(&folder);
    let target = &hand_in.target;
    for number in 0..=COPIES_MAX {
        let name = match number {
            0 => format!("{}.{}", target.problem, target.extension),
            _ => format!("{} ({number}).{}", target.problem, target.extension),
        };
        if is_same(&folder, &name, &hand_in.bytes) {
            return Ok(false);
        }
        match create(&folder, &name, &hand_in.bytes) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(Errno::EXIST) => {
                let path = submissions.join(student).join(SCRATCH);
                let complaint = Complaint::new(path, "it is in the way of the import");
                return Err(complaint.with_help("remove it"));
            }
            Err(error) => return Err(failed(&name)(error)),
        }
    }
    let reason = format!(
        "there are more than {COPIES_MAX} files for {}",
        target.problem
    );
    let complaint = Complaint::new(submissions.join(student), reason);
    Err(complaint.with_help("remove some"))
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

/// Makes a file that is whole from its first moment on; `false` where the name is taken, and an
/// error that something exists where that is the scratch file's name. Only one import writes at a
/// time, so that the scratch file is nobody else's.
fn create(folder: &OwnedFd, name: &str, bytes: &[u8]) -> rustix::io::Result<bool> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, SCRATCH, flags, Mode::from_raw_mode(0o644))?;
    let mut file = std::fs::File::from(file);
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    point("import written");
    let placed = written
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
        .and_then(|()| place(folder, name));
    if placed.is_err() {
        discard(folder);
    }
    match placed {
        Ok(()) => {}
        Err(Errno::EXIST) => return Ok(false),
        Err(error) => return Err(error),
    }
    point("import delivered");
    rustix::fs::fsync(folder)?;
    Ok(true)
}

/// Gives the scratch file its name, unless there is a file of that name.
fn place(folder: &OwnedFd, name: &str) -> rustix::io::Result<()> {
    let flags = RenameFlags::NOREPLACE;
    match rustix::fs::renameat_with(folder, SCRATCH, folder, name, flags) {
        // Some network file systems cannot; there it has two names for a moment.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            rustix::fs::linkat(folder, SCRATCH, folder, name, AtFlags::empty())?;
            discard(folder);
            Ok(())
        }
        placed => placed,
    }
}

/// Removes the scratch file, also that of an import that was killed.
fn discard(folder: &OwnedFd) {
    let _ = rustix::fs::unlinkat(folder, SCRATCH, AtFlags::empty());
}
