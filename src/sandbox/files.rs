//! Files that a room has: the folders of the machine that every room shows, the program's own, laid
//! by the daemon, and those of a job, laid by the room's init.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use super::channel::AtStep;
use super::job::AppFile;
use super::wire::FileHead;
use crate::domain::Fault;

/// What is missing on this machine is left out.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/alternatives",
    "/etc/ld.so.cache",
];
/// Java looks for its settings in folders of its version's name.
const PREFIX_IN_ETC: &[u8] = b"java";

/// Whether it leads nowhere but down.
pub fn is_plain(component: Component<'_>) -> bool {
    matches!(component, Component::Normal(_))
}

/// Writes the program's files into the folder of a room that was begun, whatever the caller's
/// umask.
/// The caller is the daemon, which has the bytes: they are copied once.
pub fn lay_app(app: &OwnedFd, files: &[AppFile]) -> Result<(), Fault> {
    for file in files {
        let step = || format!("write {}", file.name);
        let path = Path::new(&file.name);
        let made = make_parents(app, path).step(step)?;
        for folder in made {
            rustix::fs::chmodat(app, &folder, Mode::from_raw_mode(0o755), AtFlags::empty())
                .step(step)?;
        }
        let mode = Mode::from_raw_mode(if file.executable { 0o555 } else { 0o444 });
        let mut opened = File::from(new_file(app, path, mode).step(step)?);
        opened.write_all(&file.bytes).step(step)?;
        rustix::fs::fchmod(&opened, mode).step(step)?;
    }
    Ok(())
}

/// Makes the folders above a plain relative path; those that were not there.
fn make_parents(folder: &OwnedFd, path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.components().all(is_plain) || path.as_os_str().is_empty() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a plain relative path",
        ));
    }
    let mut so_far = PathBuf::new();
    let mut made = Vec::new();
    for component in path.parent().into_iter().flat_map(Path::components) {
        so_far.push(component);
        match rustix::fs::mkdirat(folder, &so_far, Mode::from_raw_mode(0o755)) {
            Ok(()) => made.push(so_far.clone()),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(made)
}

fn new_file(folder: &OwnedFd, path: &Path, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(folder, path, flags, mode)
}

/// Writes a job's files below the working folder, its own and writable.
pub fn lay_files(
    folder: &OwnedFd,
    heads: &[FileHead],
    parcel: &mut File,
    owner: u32,
) -> Result<(), Fault> {
    for head in heads {
        let step = || format!("write {}", head.name);
        let path = Path::new(&head.name);
        for made in make_parents(folder, path).step(step)? {
            chown(folder, &made, owner).step(step)?;
        }
        let mode = Mode::from_raw_mode(if head.executable { 0o755 } else { 0o644 });
        let mut file = File::from(new_file(folder, path, mode).step(step)?);
        let copied =
            io::copy(&mut Read::by_ref(parcel).take(head.len_bytes), &mut file).step(step)?;
        if copied != head.len_bytes {
            return Err(Fault::new(step(), "the parcel ends early"));
        }
        chown(folder, path, owner).step(step)?;
    }
    Ok(())
}

fn chown(folder: &OwnedFd, path: &Path, owner: u32) -> rustix::io::Result<()> {
    rustix::fs::chownat(
        folder,
        path,
        Some(Uid::from_raw(owner)),
        Some(Gid::from_raw(owner)),
        AtFlags::SYMLINK_NOFOLLOW,
    )
}

/// Everything that is shown, whether or not it is there.
pub fn system_paths() -> Vec<PathBuf> {
    let etc = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let java = etc
        .filter(|entry| {
            let name = entry.file_name();
            name.as_encoded_bytes().starts_with(PREFIX_IN_ETC)
        })
        .map(|entry| entry.path());
    SYSTEM.iter().map(PathBuf::from).chain(java).collect()
}

/// The folder of the system in which a path lies by its name.
pub fn system_folder(path: &Path) -> Option<&'static Path> {
    let mut folders = SYSTEM.iter().map(Path::new);
    folders.find(|folder| path.starts_with(folder))
}

/// The folder of the system in which a path lies, whichever links lead there, so that every program
/// can read it there.
pub fn seen_by_all(path: &Path) -> Option<&'static Path> {
    let existing = path.ancestors().find_map(|part| part.canonicalize().ok());
    system_folder(path).or_else(|| system_folder(&existing?))
}
