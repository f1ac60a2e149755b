//! What a job sees of the file system: a small read-only root of our own, in it the system's folders, the shown paths and the program.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen,
    mount_change, move_mount, open_tree, unmount,
};

use super::scratch::{SCRATCH_PARTS, STAGE};
use super::wire::{FileHead, RoomOrder};
use super::{APP_FOLDER, WORK_FOLDER, sys};
use crate::domain::Fault;

/// The system's own folders and files; what is missing on this machine is left out.
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
const SYSTEM_PREFIX_IN_ETC: &str = "java";
/// Folders that are the sandbox's own, so that nothing of the machine can be shown below them.
const RESERVED: &[&str] = &[APP_FOLDER, WORK_FOLDER, "/tmp", "/dev", "/proc", STAGE];
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];
const DEVICE_LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// Room in the root for folders and links, besides the program's files.
const ROOT_EXTRA_BYTES: u64 = 1024 * 1024;
/// Files, folders and links in the root.
const ROOT_INODES: u64 = 8 * 1024;
/// What stands in the old root under the new one until the old is gone.
const ROOT_STAGE: &str = "/tmp";

/// Names the step of a failed call.
pub trait AtStep<T> {
    /// The result, a failure with the step's name.
    fn step(self, step: impl FnOnce() -> String) -> Result<T, Fault>;
}

impl<T, E: Into<io::Error>> AtStep<T> for Result<T, E> {
    fn step(self, step: impl FnOnce() -> String) -> Result<T, Fault> {
        self.map_err(|error| Fault::new(step(), error.into()))
    }
}

/// A piece of the old root.
struct Piece {
    target: PathBuf,
    tree: OwnedFd,
    folder: bool,
    attributes: MountAttrFlags,
}

/// Builds the root and makes it the only one. `parcel` stands at the bytes of the program's files.
pub fn build_root(order: &RoomOrder, parcel: &mut File) -> Result<(), Fault> {
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .step(|| "make mounts private".into())?;
    let (pieces, links) = gather(order)?;
    let app_bytes: u64 = order.app.iter().map(|file| file.len_bytes).sum();
    let page_slack = 4096 * order.app.len() as u64;
    let root = new_tmpfs(
        app_bytes + page_slack + ROOT_EXTRA_BYTES,
        ROOT_INODES,
        "0755",
    )
    .step(|| "make the root".into())?;
    move_mount(
        &root,
        "",
        CWD,
        ROOT_STAGE,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
    .step(|| format!("mount the root on {ROOT_STAGE}"))?;
    for (target, link) in links {
        rustix::fs::symlinkat(&link, &root, relative(&target))
            .step(|| format!("link {}", target.display()))?;
    }
    for piece in pieces {
        attach(&root, &piece)?;
    }
    lay_out_devices(&root)?;
    make_folder(&root, Path::new("proc")).step(|| "make /proc".into())?;
    let proc = new_proc().step(|| "make /proc".into())?;
    move_mount(
        &proc,
        "",
        &root,
        "proc",
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
    .step(|| "mount /proc".into())?;
    make_folder(&root, relative(Path::new(APP_FOLDER))).step(|| format!("make {APP_FOLDER}"))?;
    let app = open_folder(&root, relative(Path::new(APP_FOLDER)))
        .step(|| format!("open {APP_FOLDER}"))?;
    lay_files(&app, &order.app, parcel, None)?;
    for (_, target) in SCRATCH_PARTS {
        make_folder(&root, relative(Path::new(target))).step(|| format!("make {target}"))?;
    }
    rustix::fs::mkdirat(
        &root,
        relative(Path::new(STAGE)),
        Mode::from_raw_mode(0o700),
    )
    .step(|| format!("make {STAGE}"))?;
    rustix::process::fchdir(&root).step(|| "enter the root".into())?;
    rustix::process::pivot_root(".", ".").step(|| "change the root".into())?;
    unmount(".", UnmountFlags::DETACH).step(|| "leave the old root".into())?;
    rustix::process::chdir("/").step(|| "enter the root".into())?;
    sys::mount_attributes(
        root.as_fd(),
        u64::from(MountAttrFlags::MOUNT_ATTR_RDONLY.bits()),
        false,
    )
    .step(|| "make the root read-only".into())
}

type Links = Vec<(PathBuf, PathBuf)>;

/// Takes hold of everything that the new root shows, before anything is mounted over it.
fn gather(order: &RoomOrder) -> Result<(Vec<Piece>, Links), Fault> {
    let read_only = MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV;
    let mut links = Vec::new();
    let mut bound: Vec<(PathBuf, PathBuf)> = Vec::new();
    let mut system: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    if let Ok(entries) = std::fs::read_dir("/etc") {
        system.extend(
            entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .filter(|path| {
                    path.file_name().is_some_and(|name| {
                        name.as_encoded_bytes()
                            .starts_with(SYSTEM_PREFIX_IN_ETC.as_bytes())
                    })
                }),
        );
    }
    for path in system {
        match std::fs::symlink_metadata(&path) {
            Err(_) => {}
            Ok(data) if data.is_symlink() && path.parent() == Some(Path::new("/")) => {
                let link = std::fs::read_link(&path).step(|| format!("read {}", path.display()))?;
                links.push((path, link));
            }
            Ok(_) => bound.push((path.clone(), path)),
        }
    }
    let mut shown = Vec::new();
    for path in &order.shown {
        let real = std::fs::canonicalize(path).step(|| format!("show {}", path.display()))?;
        shown.push((real.clone(), real.clone()));
        if *path != real {
            shown.push((path.clone(), real));
        }
    }
    // A shorter path sorts first, so what lies inside a folder that is bound already is seen there.
    shown.sort();
    for (target, source) in shown {
        let inside_link = links.iter().any(|(link, _)| target.starts_with(link));
        if !inside_link && !bound.iter().any(|(other, _)| target.starts_with(other)) {
            let step = || format!("show {}", target.display());
            if !target.is_absolute() || !target.components().skip(1).all(is_plain) {
                return Err(Fault::new(step(), "not a plain absolute path"));
            }
            if let Some(ours) = RESERVED.iter().find(|ours| target.starts_with(ours)) {
                return Err(Fault::new(
                    step(),
                    format!("{ours} is the sandbox's own; keep it elsewhere"),
                ));
            }
            bound.push((target, source));
        }
    }
    let mut pieces = bound
        .into_iter()
        .map(|(target, source)| take(&source, target, read_only))
        .collect::<Result<Vec<_>, _>>()?;
    for device in DEVICES {
        let path = Path::new("/dev").join(device);
        pieces.push(take(
            &path,
            path.clone(),
            MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC,
        )?);
    }
    Ok((pieces, links))
}

fn is_plain(component: Component<'_>) -> bool {
    matches!(component, Component::Normal(_))
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
    sys::mount_attributes(piece.tree.as_fd(), u64::from(piece.attributes.bits()), true)
        .step(step)?;
    move_mount(
        &piece.tree,
        "",
        root,
        target,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )
    .step(step)
}

fn lay_out_devices(root: &OwnedFd) -> Result<(), Fault> {
    for (name, link) in DEVICE_LINKS {
        rustix::fs::symlinkat(*link, root, Path::new("dev").join(name))
            .step(|| format!("link /dev/{name}"))?;
    }
    Ok(())
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// Makes a folder and its parents, all of them open to everyone.
fn make_folder(root: &OwnedFd, path: &Path) -> rustix::io::Result<()> {
    let mut so_far = PathBuf::new();
    for component in path.components() {
        so_far.push(component);
        match rustix::fs::mkdirat(root, &so_far, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn open_folder(root: &OwnedFd, path: &Path) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(
        root,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
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

fn new_proc() -> rustix::io::Result<OwnedFd> {
    let context = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    // Processes of other users, which is the init of the room, are not seen.
    fsconfig_set_string(&context, "hidepid", "2")?;
    fsconfig_create(&context)?;
    fsmount(
        &context,
        FsMountFlags::FSMOUNT_CLOEXEC,
        MountAttrFlags::MOUNT_ATTR_RDONLY
            | MountAttrFlags::MOUNT_ATTR_NOSUID
            | MountAttrFlags::MOUNT_ATTR_NODEV
            | MountAttrFlags::MOUNT_ATTR_NOEXEC,
    )
}

/// Writes files below a folder. With an owner they belong to it and are writable, else to us and read-only.
pub fn lay_files(
    folder: &OwnedFd,
    heads: &[FileHead],
    parcel: &mut File,
    owner: Option<u32>,
) -> Result<(), Fault> {
    for head in heads {
        let step = || format!("write {}", head.name);
        let path = Path::new(&head.name);
        if !path.components().all(is_plain) || path.as_os_str().is_empty() {
            return Err(Fault::new(step(), "not a plain relative path"));
        }
        let mut so_far = PathBuf::new();
        for component in path.parent().into_iter().flat_map(Path::components) {
            so_far.push(component);
            match rustix::fs::mkdirat(folder, &so_far, Mode::from_raw_mode(0o755)) {
                Ok(()) => chown(folder, &so_far, owner).step(step)?,
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error).step(step),
            }
        }
        let mode = match (head.executable, owner.is_some()) {
            (true, true) => 0o755,
            (true, false) => 0o555,
            (false, true) => 0o644,
            (false, false) => 0o444,
        };
        let file = rustix::fs::openat(
            folder,
            path,
            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::from_raw_mode(mode),
        )
        .step(step)?;
        let mut file = File::from(file);
        let copied = io::copy(&mut parcel.by_ref().take(head.len_bytes), &mut file).step(step)?;
        if copied != head.len_bytes {
            return Err(Fault::new(step(), "the parcel ends early"));
        }
        chown(folder, path, owner).step(step)?;
    }
    Ok(())
}

fn chown(folder: &OwnedFd, path: &Path, owner: Option<u32>) -> rustix::io::Result<()> {
    let Some(owner) = owner else { return Ok(()) };
    rustix::fs::chownat(
        folder,
        path,
        Some(Uid::from_raw(owner)),
        Some(Gid::from_raw(owner)),
        AtFlags::SYMLINK_NOFOLLOW,
    )
}
