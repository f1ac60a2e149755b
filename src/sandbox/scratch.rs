//! The scratch space of the jobs: the working folder, `/tmp` and `/dev/shm`, new for each job.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, UnmountFlags, move_mount, open_tree, unmount};

use super::WORK_FOLDER;
use super::mounts::{AtStep, new_tmpfs};
use crate::domain::Fault;

/// Files, folders and links of a job.
const SCRATCH_INODES: u64 = 16 * 1024;
/// Where the scratch space stands while its parts are laid out; nobody but us may enter.
pub const STAGE: &str = "/.scratch";
/// The parts of the scratch space: their names in it, and where a job sees them.
pub const SCRATCH_PARTS: &[(&str, &str)] =
    &[("box", WORK_FOLDER), ("tmp", "/tmp"), ("shm", "/dev/shm")];

/// The scratch space of the jobs: the working folder, `/tmp` and `/dev/shm`, in one bounded file system.
pub struct Scratch {
    disk_bytes: Option<u64>,
    /// Whether a job may have changed more than the contents, because it owns the folders.
    owned_by_job: bool,
}

impl Scratch {
    /// Nothing is mounted yet.
    pub fn new(owned_by_job: bool) -> Self {
        Self {
            disk_bytes: None,
            owned_by_job,
        }
    }

    /// Makes sure that an empty scratch space of this size is there.
    pub fn prepare(&mut self, disk_bytes: u64) -> Result<(), Fault> {
        if self.disk_bytes == Some(disk_bytes) {
            return Ok(());
        }
        self.discard()?;
        let base = new_tmpfs(disk_bytes.max(4096), SCRATCH_INODES, "0700")
            .step(|| "make the working folder".into())?;
        for (name, _) in SCRATCH_PARTS {
            rustix::fs::mkdirat(&base, *name, Mode::from_raw_mode(0o1777))
                .step(|| format!("make {name}"))?;
        }
        move_mount(
            &base,
            "",
            CWD,
            STAGE,
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
        )
        .step(|| "mount the working folder".into())?;
        for (name, target) in SCRATCH_PARTS {
            let step = || format!("mount {target}");
            let tree = open_tree(
                &base,
                *name,
                OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC,
            )
            .step(step)?;
            move_mount(
                &tree,
                "",
                CWD,
                *target,
                MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
            )
            .step(step)?;
        }
        unmount(STAGE, UnmountFlags::DETACH).step(|| "leave the stage".into())?;
        self.disk_bytes = Some(disk_bytes);
        Ok(())
    }

    /// The working folder, to lay files in or to read them.
    pub fn work() -> Result<OwnedFd, Fault> {
        open_folder_at(WORK_FOLDER).step(|| format!("open {WORK_FOLDER}"))
    }

    /// Takes away everything that a job left. Where it left nothing, the space stays for the next one.
    pub fn wipe(&mut self) -> Result<(), Fault> {
        if self.disk_bytes.is_none() {
            return Ok(());
        }
        if !self.owned_by_job {
            let clean = SCRATCH_PARTS
                .iter()
                .map(|(_, target)| is_empty(target))
                .collect::<Result<Vec<_>, _>>()
                .step(|| "look at the working folder".into())?;
            if clean.iter().all(|&clean| clean) {
                return Ok(());
            }
        }
        self.discard()
    }

    /// Unmounts the space: whatever was in it is gone at once, however deep and oddly named.
    fn discard(&mut self) -> Result<(), Fault> {
        if self.disk_bytes.take().is_none() {
            return Ok(());
        }
        for (_, target) in SCRATCH_PARTS {
            unmount(*target, UnmountFlags::DETACH).step(|| format!("unmount {target}"))?;
        }
        Ok(())
    }
}

fn open_folder_at(path: &str) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(
        CWD,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
}

fn is_empty(path: &str) -> rustix::io::Result<bool> {
    let folder = open_folder_at(path)?;
    holds_nothing(folder.as_fd())
}

fn holds_nothing(folder: BorrowedFd<'_>) -> rustix::io::Result<bool> {
    let mut buffer = [MaybeUninit::<u8>::uninit(); 512];
    let mut entries = rustix::fs::RawDir::new(folder, &mut buffer);
    // An entry besides the folder itself and its parent is one too many.
    for _ in 0..3 {
        match entries.next() {
            None => return Ok(true),
            Some(Err(Errno::INVAL)) => return Ok(false),
            Some(entry) => {
                let entry = entry?;
                if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                    return Ok(false);
                }
            }
        }
    }
    Ok(false)
}
