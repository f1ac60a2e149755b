//! Control groups around a whole daemon: every process that it starts is counted here, however well
//! it hides.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::place::wait_until;

/// The controllers that a daemon uses, each in a hierarchy of its own in version 1.
const CONTROLLERS: [&str; 3] = ["memory", "pids", "cpuacct"];

/// One folder in each hierarchy, removed at the end.
pub struct Cage {
    folders: Vec<PathBuf>,
}

impl Cage {
    /// Makes the folders, delegated to a user if one is given; `None` if this machine does not
    /// allow it.
    pub fn make(owner: Option<u32>) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("hostile-suite-{}-{count}", std::process::id());
        let mut cage = Self {
            folders: Vec::new(),
        };
        for parent in parents()? {
            let folder = parent.join(&name);
            fs::create_dir(&folder).ok()?;
            cage.folders.push(folder.clone());
            if let Some(owner) = owner {
                delegate(&folder, owner)?;
            }
        }
        Some(cage)
    }

    /// The files to which a process writes its id to join.
    pub fn doors(&self) -> String {
        let door = |folder: &PathBuf| folder.join("cgroup.procs").display().to_string();
        self.folders.iter().map(door).collect::<Vec<_>>().join(" ")
    }

    /// The processes inside, according to the first hierarchy.
    pub fn processes(&self) -> Vec<u32> {
        let mut found = Vec::new();
        walk(&self.folders[0], &mut |folder| {
            let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            found.extend(text.lines().filter_map(|line| line.parse::<u32>().ok()));
        });
        found
    }

    /// Groups that were made inside.
    pub fn groups(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for top in &self.folders {
            walk(top, &mut |folder| {
                if folder != top {
                    found.push(folder.to_owned());
                }
            });
        }
        found
    }

    /// Tasks that the kernel still counts, including zombies.
    pub fn tasks(&self) -> u64 {
        let count = |folder: &PathBuf| {
            let text = fs::read_to_string(folder.join("pids.current")).ok()?;
            text.trim().parse().ok()
        };
        self.folders.iter().filter_map(count).max().unwrap_or(0)
    }

    /// Asserts that the daemon left nothing. The kernel takes a moment to account for the last
    /// process.
    pub fn assert_empty(&self) {
        assert_eq!(self.processes(), [0; 0], "processes are left");
        assert_eq!(self.groups(), [""; 0].map(PathBuf::from), "groups are left");
        wait_until("the last process to be waited for", || self.tasks() == 0);
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        for folder in &self.folders {
            // A failed test may leave it full; the next boot removes it.
            let _ = fs::remove_dir(folder);
        }
    }
}

fn walk(folder: &Path, visit: &mut impl FnMut(&Path)) {
    visit(folder);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), visit);
        }
    }
}

fn delegate(folder: &Path, owner: u32) -> Option<()> {
    chown(folder, Some(owner), Some(owner)).ok()?;
    for entry in fs::read_dir(folder).ok()? {
        chown(entry.ok()?.path(), Some(owner), Some(owner)).ok()?;
    }
    Some(())
}

/// Where groups can be made: our own groups in version 1, or our own group in version 2.
fn parents() -> Option<Vec<PathBuf>> {
    let mounts = fs::read_to_string("/proc/mounts").ok()?;
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let place = |controller: &str| {
        mounts.lines().find_map(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            let is_it = if controller.is_empty() {
                parts[2] == "cgroup2"
            } else {
                parts[2] == "cgroup" && parts[3].split(',').any(|option| option == controller)
            };
            is_it.then(|| below(Path::new(parts[1]), &own, controller))
        })
    };
    if let Some(parents) = CONTROLLERS.map(place).into_iter().collect() {
        return Some(parents);
    }
    // A folder with processes in it cannot have groups with controllers below it, unless it is the
    // root.
    let own_folder = place("")?;
    own_folder
        .ancestors()
        .take_while(|folder| folder.join("cgroup.subtree_control").exists())
        .find(|folder| fs::write(folder.join("cgroup.subtree_control"), "+memory +pids").is_ok())
        .map(|folder| vec![folder.to_owned()])
}

/// Our own group's folder below a mount, if the mount shows it.
fn below(mount: &Path, own: &str, controller: &str) -> PathBuf {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let names = parts.next()?;
        names
            .split(',')
            .any(|name| name == controller)
            .then(|| parts.next())?
    });
    let folder = mount.join(path.unwrap_or("").trim_start_matches('/'));
    if folder.is_dir() {
        folder
    } else {
        mount.to_owned()
    }
}
