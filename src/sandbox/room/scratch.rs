//! The scratch space of the jobs: the working folder, `/tmp` and `/dev/shm`, in one bounded file
//! system, new for each job.
//!
//! The keeper mounts it; init, which may not mount, looks after each job whether anything was left
//! in it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{OpenTreeFlags, UnmountFlags, open_tree, unmount};

use super::landlock;
use super::mounts::{SCRATCH_PARTS, STAGE, mount_at, new_tmpfs};
use crate::domain::Fault;
use crate::sandbox::channel::Channel;
use crate::sandbox::channel::{AtStep, unexpected};
use crate::sandbox::job::WORK_FOLDER;
use crate::sandbox::wire::{Reply, Request};

/// Files, folders and links of a job.
const SCRATCH_INODES: u64 = 16 * 1024;

/// The keeper's side: what is mounted now.
pub struct Scratch {
    root: Option<OwnedFd>,
}

impl Scratch {
    /// Nothing is mounted yet.
    pub fn none() -> Self {
        Self { root: None }
    }

    /// Takes away what is there, with everything in it, however deep and oddly named, and mounts an
    /// empty space of this size. Its root.
    pub fn renew(&mut self, disk_bytes: u64) -> Result<BorrowedFd<'_>, Fault> {
        if self.root.take().is_some() {
            for (_, target) in SCRATCH_PARTS {
                unmount(*target, UnmountFlags::DETACH).step(|| format!("unmount {target}"))?;
            }
        }
        let root = mount(disk_bytes)?;
        let root: &OwnedFd = self.root.insert(root);
        Ok(root.as_fd())
    }
}

fn mount(disk_bytes: u64) -> Result<OwnedFd, Fault> {
    let root = new_tmpfs(disk_bytes.max(4096), SCRATCH_INODES, "0700")
        .step(|| "make the working folder")?;
    for (name, _) in SCRATCH_PARTS {
        rustix::fs::mkdirat(&root, *name, Mode::from_raw_mode(0o1777))
            .step(|| format!("make {name}"))?;
    }
    mount_at(&root, CWD, STAGE).step(|| "mount the working folder")?;
    for (name, target) in SCRATCH_PARTS {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
        open_tree(&root, *name, flags)
            .and_then(|tree| mount_at(&tree, CWD, *target))
            .step(|| format!("mount {target}"))?;
    }
    unmount(STAGE, UnmountFlags::DETACH).step(|| "leave the stage")?;
    Ok(root)
}

/// Init's side: what it has, and whether a job left something in it.
pub struct Space {
    link: Channel,
    /// Whether a job may have changed more than the contents, because it owns the folders.
    owned_by_job: bool,
    mounted: Option<Mounted>,
}

struct Mounted {
    disk_bytes: u64,
    root: OwnedFd,
    /// Free blocks and inodes of the empty space.
    empty: (u64, u64),
    /// What landlock allows in it. The rules name its folders, so they are made anew with it.
    rules: Option<OwnedFd>,
}

fn free(root: &OwnedFd) -> Result<(u64, u64), Fault> {
    let now = rustix::fs::fstatfs(root).step(|| "look at the working folder")?;
    Ok((now.f_bfree, now.f_ffree))
}

impl Space {
    /// Nothing is there yet; the keeper listens on the link.
    pub fn new(link: Channel, owned_by_job: bool) -> Self {
        Self {
            link,
            owned_by_job,
            mounted: None,
        }
    }

    /// Makes sure that an empty space of this size is mounted.
    pub fn prepare(&mut self, disk_bytes: u64) -> Result<(), Fault> {
        match &self.mounted {
            Some(mounted) if mounted.disk_bytes == disk_bytes => Ok(()),
            _ => self.renew(disk_bytes),
        }
    }

    /// What landlock holds jobs in the present space to.
    pub fn rules(&self) -> Option<BorrowedFd<'_>> {
        self.mounted.as_ref()?.rules.as_ref().map(OwnedFd::as_fd)
    }

    /// The working folder, to lay files in or to read them.
    pub fn work() -> Result<OwnedFd, Fault> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(CWD, WORK_FOLDER, flags, Mode::empty())
            .step(|| format!("open {WORK_FOLDER}"))
    }

    /// Takes away everything that a job left. Where it left nothing, the space stays for the next
    /// one.
    pub fn wipe(&mut self) -> Result<(), Fault> {
        match &self.mounted {
            Some(mounted) if self.owned_by_job || free(&mounted.root)? != mounted.empty => {
                self.renew(mounted.disk_bytes)
            }
            _ => Ok(()),
        }
    }

    /// Has this process, and the jobs that it starts, kept on another processor. The keeper is
    /// asked for that too.
    pub fn move_to(&self, processor: usize) -> Result<(), Fault> {
        self.link.send(&Request::Place { processor }, &[])?;
        match self.link.answer()?.0 {
            Reply::Placed => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    fn renew(&mut self, disk_bytes: u64) -> Result<(), Fault> {
        self.mounted = None;
        self.link.send(&Request::Renew { disk_bytes }, &[])?;
        let (reply, mut descriptors) = self.link.answer()?;
        match (reply, descriptors.pop()) {
            (Reply::Renewed, Some(root)) => {
                let empty = free(&root)?;
                self.mounted = Some(Mounted {
                    disk_bytes,
                    root,
                    empty,
                    rules: landlock::rules(SCRATCH_PARTS.iter().map(|(_, target)| *target))?,
                });
                Ok(())
            }
            (reply, _) => Err(unexpected(reply)),
        }
    }
}
