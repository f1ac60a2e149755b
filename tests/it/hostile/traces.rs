//! Traces that a program could leave on the machine outside its room, compared before and after.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::course::ORDINARY;

/// The users that programs run as if the daemon runs as root.
const SANDBOX_USERS: std::ops::Range<u32> = 61_000..62_000;
/// Part of the name of every file that the suite's programs leave.
const MARK: &str = "hostile-left";

#[derive(Debug, PartialEq, Eq)]
pub struct Traces {
    mounts: BTreeSet<String>,
    objects: BTreeSet<String>,
    keys: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Traces {
    pub fn now() -> Self {
        let lines = |file: &str| -> BTreeSet<String> {
            let text = fs::read_to_string(file).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        let objects = |kind: &str| {
            // The key and its id: the rest changes by itself.
            let short = |line: String| {
                let parts: Vec<&str> = line.split_whitespace().take(2).collect();
                format!("{kind} {}", parts.join(" "))
            };
            let all = lines(&format!("/proc/sysvipc/{kind}")).into_iter();
            all.map(short).collect::<Vec<_>>()
        };
        let mut keys = lines("/proc/key-users");
        keys.retain(|line| is_a_programs(line));
        let folders = ["/tmp", "/var/tmp", "/dev/shm", "/run", "/"];
        Self {
            mounts: lines("/proc/mounts"),
            objects: ["shm", "sem", "msg"]
                .into_iter()
                .flat_map(objects)
                .collect(),
            keys,
            files: folders.into_iter().flat_map(marked).collect(),
        }
    }

    /// Asserts that nothing has been added.
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
