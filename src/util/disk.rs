//! Which disks are full, and of what.

use std::path::Path;

use super::files::is_unwritable;

/// With less room than this a disk takes no more reports: it is the one that a failure was about.
const LEAST_BYTES: u64 = 1024 * 1024;

/// What a disk has no more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Room for bytes.
    Blocks,
    /// Room for one more file.
    Inodes,
}

impl Lack {
    /// What is said of a full disk beside that it is full.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Blocks => "",
            Self::Inodes => ": no inodes are left for more files (`df -i` shows it)",
        }
    }
}

/// What the disk of a folder lacks; none where it lacks nothing, or the system cannot tell.
pub fn lack(folder: &Path) -> Option<Lack> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    if disk.f_blocks > 0 && disk.f_bavail.saturating_mul(disk.f_frsize) < LEAST_BYTES {
        return Some(Lack::Blocks);
    }
    (disk.f_files > 0 && disk.f_favail == 0).then_some(Lack::Inodes)
}

/// Of these folders the first into which nobody may write, and why.
pub fn unwritable<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let mut folders = folders.into_iter();
    folders.find_map(|folder| {
        let error = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).err()?;
        let error = std::io::Error::from(error);
        is_unwritable(&error).then(|| format!("{}: {error}", folder.display()))
    })
}

/// Of these folders those whose disks are full, in words; none where all have room.
pub fn full_disks<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let lacks: Vec<(&Path, Lack)> = folders
        .into_iter()
        .filter_map(|folder| Some((folder, lack(folder)?)))
        .collect();
    let parts: Vec<String> = [Lack::Blocks, Lack::Inodes]
        .into_iter()
        .filter_map(|kind| {
            let of_kind = lacks.iter().filter(|(_, lack)| *lack == kind);
            let names: Vec<String> = of_kind
                .map(|(path, _)| path.display().to_string())
                .collect();
            let names = names.join(" and ");
            (!names.is_empty()).then(|| format!("the disk of {names} is full{}", kind.hint()))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}
