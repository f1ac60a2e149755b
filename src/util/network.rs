//! File systems whose disk may be in another machine, by the magic number of statfs(2).

use std::io;
use std::path::Path;

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
