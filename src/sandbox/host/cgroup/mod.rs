//! Control groups: what bounds and measures a job as a whole, its children included.
//!
//! Version 2 has one folder for all controllers, version 1 one hierarchy for each. Where both are
//! mounted, version 1 bounds memory and processes, and version 2 counts CPU time and kills.

mod folder;
mod group;
mod hierarchy;
mod memory;

use std::path::PathBuf;

pub use self::group::Group;
pub use self::hierarchy::{Hierarchy, Offers};

/// A mounted hierarchy.
pub struct Mounted<'a> {
    /// The folder of the hierarchy that is seen at `path`.
    root: &'a str,
    pub path: PathBuf,
    /// `cgroup` or `cgroup2`.
    pub kind: &'a str,
    options: &'a str,
}

impl Mounted<'_> {
    /// Whether this is the hierarchy of a controller, in version 1.
    pub fn has(&self, controller: &str) -> bool {
        self.kind == "cgroup" && self.options.split(',').any(|name| name == controller)
    }
}

/// The hierarchies of a mountinfo file.
pub fn mounted(mountinfo: &str) -> Vec<Mounted<'_>> {
    mountinfo
        .lines()
        .filter_map(|line| {
            let (left, right) = line.split_once(" - ")?;
            let mut left = left.split(' ').skip(3);
            let (root, path) = (left.next()?, left.next()?);
            let mut right = right.split(' ');
            let kind = right.next()?;
            let options = right.nth(1)?;
            kind.starts_with("cgroup").then(|| Mounted {
                root,
                path: unescape(path).into(),
                kind,
                options,
            })
        })
        .collect()
}

/// A space is written `\040` in mountinfo.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\134", "\\")
}

/// This process's folder in a hierarchy. `controller` is empty for version 2.
pub fn own_folder(mount: &Mounted<'_>, own: &str, controller: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        controllers
            .split(',')
            .any(|name| name == controller)
            .then_some(path)
    })?;
    // A mount may show only a part of the hierarchy, as in a container; where our folder is not in
    // it, its root is ours.
    let below = if mount.root == "/" {
        path
    } else {
        path.strip_prefix(mount.root).unwrap_or("")
    };
    let folder = mount.path.join(below.trim_start_matches('/'));
    Some(if folder.is_dir() {
        folder
    } else {
        mount.path.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::{mounted, own_folder};

    #[test]
    fn reads_mountinfo_and_own_groups() {
        let mountinfo = "\
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
36 31 0:33 /docker/abc /proc rw shared:7 - cgroup none rw,cpu,cpuacct
27 1 254:0 / / rw - ext4 /dev/vda rw
";
        let found = mounted(mountinfo);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].options, "rw,memory");
        assert_eq!(found[1].root, "/docker/abc");
        // A folder that is not there falls back to the mount.
        let own = "4:memory:/nowhere/at/all\n2:cpu,cpuacct:/docker/abc/fs\n0::/x\n";
        for (mount, controller, folder) in [
            (0, "memory", Some("/sys/fs/cgroup/memory")),
            (1, "cpuacct", Some("/proc/fs")),
            (0, "pids", None),
        ] {
            let found = own_folder(&found[mount], own, controller);
            assert_eq!(found.as_deref(), folder.map(std::path::Path::new));
        }
    }
}
