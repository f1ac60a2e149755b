//! Which disks are full, and of what, and which may be in another machine.

use std::io;
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
        let error = io::Error::from(error);
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

/// The numbers of linux/magic.h and of the file systems' own headers.
const NETWORK: [(u32, &str, Disk); 17] = [
    (0x6969, "NFS", Disk::Elsewhere),
    (0x517B, "SMB", Disk::Elsewhere),
    (0xFF53_4D42, "CIFS", Disk::Elsewhere),
    (0xFE53_4D42, "SMB 2", Disk::Elsewhere),
    (0x5346_414F, "AFS", Disk::Elsewhere),
    (0x6B41_4653, "AFS", Disk::Elsewhere),
    (0x00C3_6400, "Ceph", Disk::Elsewhere),
    (0x7375_7245, "Coda", Disk::Elsewhere),
    (0x0BD0_0BD0, "Lustre", Disk::Elsewhere),
    (0x4750_4653, "GPFS", Disk::Elsewhere),
    (0x0116_1970, "GFS2", Disk::Elsewhere),
    (0x7461_636F, "OCFS2", Disk::Elsewhere),
    (0x786F_4256, "a VirtualBox share", Disk::Elsewhere),
    (0xBACB_ACBC, "a VMware share", Disk::Elsewhere),
    (0x0102_1997, "9P", Disk::HereOrElsewhere),
    (0x6573_5546, "FUSE", Disk::HereOrElsewhere),
    (0x6A65_6A63, "virtiofs", Disk::HereOrElsewhere),
];

/// Where the disk of a file system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// In another machine, which changes files unseen and does not know this kernel's locks.
    Elsewhere,
    /// Containers and virtual machines show local disks in this way too, and locks hold on these
    /// for the processes of one machine.
    HereOrElsewhere,
}

/// The network file system of a folder, if it is on one.
pub fn network_file_system(folder: &Path) -> io::Result<Option<(&'static str, Disk)>> {
    // The magic number has 32 bits everywhere; the type that holds it is wider and sometimes
    // signed.
    let magic = rustix::fs::statfs(folder)?.f_type & 0xFFFF_FFFF;
    Ok(named(u32::try_from(magic).unwrap_or_default()))
}

fn named(magic: u32) -> Option<(&'static str, Disk)> {
    let row = NETWORK.iter().find(|(number, ..)| *number == magic);
    row.map(|&(_, name, disk)| (name, disk))
}

#[cfg(test)]
mod tests {
    use super::{Disk, named, network_file_system};

    #[test]
    fn network_file_systems_are_known() {
        assert_eq!(named(0x6969), Some(("NFS", Disk::Elsewhere)));
        assert_eq!(named(0xFF53_4D42), Some(("CIFS", Disk::Elsewhere)));
        assert_eq!(named(0x0102_1997), Some(("9P", Disk::HereOrElsewhere)));
        assert_eq!(named(0xEF53), None, "ext4");
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(network_file_system(folder.path()).unwrap(), None);
    }
}
