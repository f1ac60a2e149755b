//! What a program could leave on the machine outside every room, before and after.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::course::ORDINARY;

/// The users that programs of a daemon of root run as.
const SANDBOX_USERS: std::ops::Range<u32> = 61_000..62_000;
/// Every file that a program of the suite leaves has this in its name.
const MARK: &str = "hostile-left";

/// Everything that can be compared.
#[derive(Debug, PartialEq, Eq)]
pub struct Traces {
    mounts: BTreeSet<String>,
    objects: BTreeSet<String>,
    keys: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Traces {
    /// As it is now.
    pub fn now() -> Self {
        let lines = |file: &str| -> BTreeSet<String> {
            fs::read_to_string(file)
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect()
        };
        Self {
            mounts: lines("/proc/mounts"),
            objects: ["shm", "sem", "msg"]
                .into_iter()
                .flat_map(|kind| {
                    // The key and the number: the rest changes by itself.
                    lines(&format!("/proc/sysvipc/{kind}"))
                        .into_iter()
                        .map(move |line| {
                            let parts: Vec<&str> = line.split_whitespace().take(2).collect();
                            format!("{kind} {}", parts.join(" "))
                        })
                })
                .collect(),
            keys: lines("/proc/key-users")
                .into_iter()
                .filter(|line| is_a_programs(line))
                .collect(),
            files: ["/tmp", "/var/tmp", "/dev/shm", "/run", "/"]
                .into_iter()
                .flat_map(marked)
                .collect(),
        }
    }

    /// Nothing is there that was not there before.
    pub fn assert_none_since(&self, before: &Self) {
        let pairs = [
            ("mounts", &self.mounts, &before.mounts),
            ("System V objects", &self.objects, &before.objects),
            ("keys", &self.keys, &before.keys),
            ("files", &self.files, &before.files),
        ];
        for (what, now, then) in pairs {
            let new: Vec<_> = now.difference(then).collect();
            assert!(new.is_empty(), "{what} are left: {new:?}");
        }
    }
}

/// A line of key-users begins with the user's number.
fn is_a_programs(line: &str) -> bool {
    line.split(':')
        .next()
        .and_then(|user| user.trim().parse().ok())
        .is_some_and(|user: u32| SANDBOX_USERS.contains(&user) || user == ORDINARY)
}

fn marked(folder: &str) -> Vec<String> {
    fs::read_dir(Path::new(folder))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().display().to_string())
        .filter(|path| path.contains(MARK))
        .collect()
}
