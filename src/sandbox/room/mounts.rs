//! What a job sees of the file system: a small read-only root of our own, in it the system's
//! folders, the shown paths and the program.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen,
    mount_change, move_mount, open_tree, unmount,
};
use rustix::path::Arg;

use crate::domain::Fault;
use crate::sandbox::channel::AtStep;
use crate::sandbox::files::{is_plain, system_paths};
use crate::sandbox::job::{APP_FOLDER, WORK_FOLDER};
use crate::sandbox::sys;

/// Where the scratch space stands while its parts are laid out; nobody but us may enter.
pub const STAGE: &str = "/.scratch";
/// The parts of the scratch space: their names in it, and where a job sees them.
pub const SCRATCH_PARTS: &[(&str, &str)] =
    &[("box", WORK_FOLDER), ("tmp", "/tmp"), ("shm", "/dev/shm")];

/// Folders that are the sandbox's own, so that nothing of the machine can be shown below them.
const RESERVED: &[&str] = &[APP_FOLDER, WORK_FOLDER, "/tmp", "/dev", "/proc", STAGE];
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// How often, and after which pause, a folder is made read-only that somebody has open for writing.
const BUSY_TRIES_MAX: u32 = 500;
const BUSY_PAUSE: Duration = Duration::from_millis(2);
/// Room in the root, which holds folders, links and empty files to mount on.
const ROOT_BYTES: u64 = 1024 * 1024;
/// What the program's files may take up together; far more than what is collected after a
/// compilation.
const APP_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Files, folders and links in the root.
const ROOT_INODES: u64 = 8 * 1024;
/// What stands in the old root under the new one until the old is gone.
const ROOT_STAGE: &str = "/tmp";

/// A piece of the old root.
struct Piece {
    target: PathBuf,
    tree: OwnedFd,
    folder: bool,
    attributes: MountAttrFlags,
}

/// The part of a room's root that all rooms have in common, laid out in the keeper's own mounts but
/// not yet entered.
pub struct Base {
    root: OwnedFd,
    /// The file system of the program's folder.
    app: OwnedFd,
    /// What it shows already, links included.
    shown: Vec<PathBuf>,
}

impl Base {
    /// Lays out the system's folders and devices.
    pub fn lay() -> Result<Self, Fault> {
        // Ours do not reach the machine; the machine's still reach us, so that a room begun long
        // ago does not hold a disk that is taken away.
        mount_change(
            "/",
            MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC,
        )
        .step(|| "make mounts private")?;
        let (pieces, links) = gather_system()?;
        let root = new_tmpfs(ROOT_BYTES, ROOT_INODES, "0755").step(|| "make the root")?;
        mount_at(&root, CWD, ROOT_STAGE).step(|| format!("mount the root on {ROOT_STAGE}"))?;
        for (target, link) in &links {
            rustix::fs::symlinkat(link, &root, relative(target))
                .step(|| format!("link {}", target.display()))?;
        }
        for piece in &pieces {
            attach(&root, piece)?;
        }
        for (name, link) in DEVICE_LINKS {
            rustix::fs::symlinkat(*link, &root, Path::new("dev").join(name))
                .step(|| format!("link /dev/{name}"))?;
        }
        let scratch = SCRATCH_PARTS.iter().map(|(_, target)| *target);
        for folder in ["/proc", APP_FOLDER].into_iter().chain(scratch) {
            make_folder(&root, Path::new(folder)).step(|| format!("make {folder}"))?;
        }
        let stage = relative(Path::new(STAGE));
        rustix::fs::mkdirat(&root, stage, Mode::from_raw_mode(0o700))
            .step(|| format!("make {STAGE}"))?;
        let app = new_tmpfs(APP_BYTES_MAX, ROOT_INODES, "0755")
            .and_then(|app| mount_at(&app, &root, relative(Path::new(APP_FOLDER))).map(|()| app))
            .step(|| format!("make {APP_FOLDER}"))?;
        let bound = pieces.into_iter().map(|piece| piece.target);
        let links = links.into_iter().map(|(target, _)| target);
        Ok(Self {
            root,
            app,
            shown: bound.chain(links).collect(),
        })
    }

    /// The program's folder, still empty, to be filled by [`lay_app`].
    pub fn app(&self) -> BorrowedFd<'_> {
        self.app.as_fd()
    }

    /// Adds what one submission sees in addition. From here on nobody changes the program's folder.
    pub fn furnish(&self, shown: &[PathBuf]) -> Result<(), Fault> {
        for piece in self.gather_shown(shown)? {
            attach(&self.root, &piece)?;
        }
        // What another thread starts while the files are written has them open too, until it runs
        // its own program.
        let mut tries = 0..BUSY_TRIES_MAX;
        loop {
            match set_attributes(&self.app, MountAttrFlags::MOUNT_ATTR_RDONLY, false) {
                Err(error)
                    if error.kind() == io::ErrorKind::ResourceBusy && tries.next().is_some() =>
                {
                    sleep(BUSY_PAUSE);
                }
                made => return made.step(|| format!("make {APP_FOLDER} read-only")),
            }
        }
    }

    /// Makes it the only root, and read-only, for all processes that share the mounts. A view of
    /// the processes that may be written comes back.
    /// To be called by the first process of the room's namespace, whose processes are what `/proc`
    /// shows then.
    pub fn enter(self) -> Result<OwnedFd, Fault> {
        let root = self.root;
        // While the machine's own /proc is still there: an ordinary user gets a view only where
        // there was one already.
        new_proc(MountAttrFlags::MOUNT_ATTR_RDONLY)
            .and_then(|proc| mount_at(&proc, &root, "proc"))
            .step(|| "mount /proc")?;
        let ours = new_proc(MountAttrFlags::empty()).step(|| "make /proc")?;
        rustix::process::fchdir(&root).step(|| "enter the root")?;
        rustix::process::pivot_root(".", ".").step(|| "change the root")?;
        unmount(".", UnmountFlags::DETACH).step(|| "leave the old root")?;
        rustix::process::chdir("/").step(|| "enter the root")?;
        mount_change(
            "/",
            MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
        )
        .step(|| "make mounts private")?;
        // With everything below it: what the machine mounted there since the room was begun has
        // come along as it was.
        let attributes = MountAttrFlags::MOUNT_ATTR_RDONLY | MountAttrFlags::MOUNT_ATTR_NOSUID;
        set_attributes(&root, attributes, true).step(|| "make the root read-only")?;
        Ok(ours)
    }

    /// Takes hold of what is shown in addition.
    fn gather_shown(&self, paths: &[PathBuf]) -> Result<Vec<Piece>, Fault> {
        let mut wanted = Vec::new();
        for path in paths {
            refuse_ours(path)?;
            let real = std::fs::canonicalize(path).step(|| format!("show {}", path.display()))?;
            wanted.push((real.clone(), real.clone()));
            wanted.push((path.clone(), real));
        }
        // A shorter path sorts first, so what lies inside a folder that is shown already is seen
        // there.
        wanted.sort();
        let mut shown = self.shown.clone();
        let mut pieces = Vec::new();
        for (target, source) in wanted {
            if shown.iter().any(|other| target.starts_with(other)) {
                continue;
            }
            let step = || format!("show {}", target.display());
            if !target.is_absolute() || !target.components().skip(1).all(is_plain) {
                return Err(Fault::new(step(), "not a plain absolute path"));
            }
            refuse_ours(&target)?;
            shown.push(target.clone());
            pieces.push(take(&source, target, read_only())?);
        }
        Ok(pieces)
    }
}

fn refuse_ours(target: &Path) -> Result<(), Fault> {
    match RESERVED.iter().find(|ours| target.starts_with(ours)) {
        None => Ok(()),
        Some(ours) => Err(Fault::new(
            format!("show {}", target.display()),
            format!("{ours} is the sandbox's own; keep it elsewhere"),
        )),
    }
}

/// Mounts a file system that is not mounted yet, or a copy of a mount.
pub fn mount_at(mount: &OwnedFd, folder: impl AsFd, path: impl Arg) -> rustix::io::Result<()> {
    move_mount(
        mount,
        "",
        folder,
        path,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
}

/// Adds attributes to a mount, and to all mounts below it.
fn set_attributes(mount: &OwnedFd, set: MountAttrFlags, recursive: bool) -> io::Result<()> {
    sys::mount_attributes(mount.as_fd(), u64::from(set.bits()), recursive)
}

fn read_only() -> MountAttrFlags {
    MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
}

type Links = Vec<(PathBuf, PathBuf)>;

/// Takes hold of the system's folders and of the devices, before anything is mounted over them.
fn gather_system() -> Result<(Vec<Piece>, Links), Fault> {
    let mut links = Vec::new();
    let mut pieces = Vec::new();
    for path in system_paths() {
        match std::fs::symlink_metadata(&path) {
            Err(_) => {}
            Ok(data) if data.is_symlink() && path.parent() == Some(Path::new("/")) => {
                let link = std::fs::read_link(&path).step(|| format!("read {}", path.display()))?;
                links.push((path, link));
            }
            Ok(_) => pieces.push(take(&path, path.clone(), read_only())?),
        }
    }
    for device in DEVICES {
        let path = Path::new("/dev").join(device);
        pieces.push(take(
            &path,
            path.clone(),
            // Reading and writing them needs no writable mount, but changing their times does, and
            // those would be seen on the whole machine.
            MountAttrFlags::MOUNT_ATTR_RDONLY
                | MountAttrFlags::MOUNT_ATTR_NOSUID
                | MountAttrFlags::MOUNT_ATTR_NOEXEC,
        )?);
    }
    Ok((pieces, links))
}

fn take(source: &Path, target: PathBuf, attributes: MountAttrFlags) -> Result<Piece, Fault> {
    let step = || format!("show {}", source.display());
    let tree = open_tree(
        CWD,
        source,
        OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE,
    )
    .step(step)?;
    let kind = rustix::fs::fstat(&tree).step(step)?.st_mode;
    let folder = rustix::fs::FileType::from_raw_mode(kind).is_dir();
    Ok(Piece {
        target,
        tree,
        folder,
        attributes,
    })
}

fn attach(root: &OwnedFd, piece: &Piece) -> Result<(), Fault> {
    let step = || format!("show {}", piece.target.display());
    let target = relative(&piece.target);
    if piece.folder {
        make_folder(root, target).step(step)?;
    } else {
        make_folder(root, target.parent().unwrap_or(Path::new(""))).step(step)?;
        rustix::fs::openat(
            root,
            target,
            OFlags::CREATE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::from_raw_mode(0o444),
        )
        .step(step)?;
    }
    set_attributes(&piece.tree, piece.attributes, true).step(step)?;
    mount_at(&piece.tree, root, target).step(step)
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// Makes a folder and its parents, all of them open to everyone.
fn make_folder(root: &OwnedFd, path: &Path) -> rustix::io::Result<()> {
    let mut so_far = PathBuf::new();
    for component in relative(path).components() {
        so_far.push(component);
        match rustix::fs::mkdirat(root, &so_far, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A new file system in memory, not mounted anywhere yet.
pub fn new_tmpfs(bytes: u64, inodes: u64, mode: &str) -> rustix::io::Result<OwnedFd> {
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&context, "size", bytes.to_string())?;
    fsconfig_set_string(&context, "nr_inodes", inodes.to_string())?;
    fsconfig_set_string(&context, "mode", mode)?;
    fsconfig_create(&context)?;
    fsmount(
        &context,
        FsMountFlags::FSMOUNT_CLOEXEC,
        MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV,
    )
}

/// A view of the calling process's namespace of processes, in which a job sees its own processes
/// and nothing else of the machine.
fn new_proc(attributes: MountAttrFlags) -> rustix::io::Result<OwnedFd> {
    let context = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    // Processes of other users, which is the init of the room, are not seen; nor is what does not
    // belong to a process.
    fsconfig_set_string(&context, "hidepid", "2")?;
    fsconfig_set_string(&context, "subset", "pid")?;
    fsconfig_create(&context)?;
    fsmount(
        &context,
        FsMountFlags::FSMOUNT_CLOEXEC,
        attributes
            | MountAttrFlags::MOUNT_ATTR_NOSUID
            | MountAttrFlags::MOUNT_ATTR_NODEV
            | MountAttrFlags::MOUNT_ATTR_NOEXEC,
    )
}
