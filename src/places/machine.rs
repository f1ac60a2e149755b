//! A machine that measures for the course: as the pool knows it, and as people and other programs see
//! it, in `status`, on the dashboard, in the log.
//!
//! The running daemon writes the machines into a small file in its state folder, where `status`
//! reads them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{LanguageId, ServerName, Speed};
use crate::judge::order::Progress;
use crate::util::files::{read_regular, replace_unsynced};

/// The file in the state folder.
const FILE: &str = "machines.json";
/// Its length at most, in bytes.
const FILE_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// Machines that are shown one by one.
const MACHINES_MAX: usize = 300;
/// Orders of one machine that are shown.
const DOING_MAX: usize = 16;
/// Reasons of one machine that are shown.
const REASONS_MAX: usize = 16;

/// A machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its worker's name on the server. No two machines have the same one.
    pub name: Arc<str>,
    /// One life of the worker: after a restart it is another one.
    #[serde(skip)]
    pub life: Arc<str>,
    /// What facts name it.
    #[serde(skip)]
    pub measured_as: Arc<str>,
    /// Whether it is this machine, where all bytes and languages are at hand.
    #[serde(skip)]
    pub is_local: bool,
    /// What it is to this course now.
    pub standing: Standing,
    /// Since when it is there, or gone, in milliseconds since 1970.
    pub since_ms: i64,
    /// The machine, in words; empty until it has said so.
    pub machine: String,
    /// The version of its program.
    pub version: String,
    /// Orders that it does at a time.
    pub places: usize,
    /// Languages whose orders it gets.
    pub languages: BTreeSet<LanguageId>,
    /// Why it gets no orders, or none of some languages.
    pub why_not: Vec<String>,
    /// How fast and how evenly it measures.
    pub speed: Option<Speed>,
    /// By how many percent it is slower than the daemon's machine; below 0 where it is faster.
    pub slower_percent: Option<f64>,
    /// What it does, the longest first.
    pub doing: Vec<Doing>,
    /// Orders that are out with it.
    pub out: usize,
    /// What came of its orders.
    #[serde(flatten)]
    pub counts: Counts,
}

/// What a machine is to this course now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It measures.
    Working,
    /// It has nothing to do.
    #[default]
    Idle,
    /// It gets no orders.
    Unused,
    /// It has been silent for so long that others do its orders.
    Gone,
}

/// An order that a machine has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doing {
    /// What is judged, as messages name it: `ada/curling`.
    pub what: Arc<str>,
    /// Since when the machine has it, in milliseconds since 1970.
    pub since_ms: i64,
    /// How far it is; none where it waits for a place there.
    pub progress: Option<Progress>,
}

/// What came of a machine's orders, since this daemon has known it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Orders that it has done.
    pub done: u64,
    /// Orders that it could not do: something on it failed.
    pub failed: u64,
    /// Orders that were given to others, because it was silent, ended, or what it sent made no
    /// sense.
    pub lost: u64,
    /// Facts that came twice or too late.
    #[serde(rename = "dropped_facts")]
    pub dropped: u64,
}

impl Machine {
    /// The machine of the daemon itself, with so many places.
    pub fn local(measured_as: &Arc<str>, places: usize) -> Self {
        Self {
            name: Arc::from("local"),
            measured_as: Arc::clone(measured_as),
            is_local: true,
            places,
            ..Self::default()
        }
    }

    /// Whether it is there and gets orders.
    pub fn is_used(&self) -> bool {
        matches!(self.standing, Standing::Working | Standing::Idle)
    }
}

/// The connection to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The server's address.
    pub server: String,
    /// What this course is called there.
    pub course: ServerName,
    /// Why there is no connection, if there is none.
    pub trouble: Option<String>,
}

/// The other machines at a moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OtherMachines {
    /// The server's address.
    pub server: String,
    /// What this course is called there.
    pub course: String,
    /// Why there is no connection to it, if there is none.
    pub trouble: Option<String>,
    /// The machines, by their names; those that are gone are kept for a while.
    pub machines: Vec<Machine>,
    /// How many more there are.
    pub more: usize,
}

impl OtherMachines {
    /// As many as are shown of these; they are compared with the daemon's own.
    pub fn new<'a>(
        link: &Link,
        machines: impl Iterator<Item = &'a Machine>,
        reference: Option<Speed>,
    ) -> Self {
        let mut machines = machines.fuse();
        let shown = |machine: &Machine| {
            let mut shown = machine.clone();
            shown.doing.truncate(DOING_MAX);
            shown.why_not.truncate(REASONS_MAX);
            let speeds = shown.speed.zip(reference);
            shown.slower_percent = speeds.map(|(there, here)| there.percent_slower_than(&here));
            shown
        };
        Self {
            server: link.server.clone(),
            course: link.course.to_string(),
            trouble: link.trouble.clone(),
            machines: machines.by_ref().take(MACHINES_MAX).map(shown).collect(),
            more: machines.count(),
        }
    }

    /// Machines that are there and get orders, and the places that they have together.
    pub fn used(&self) -> (usize, usize) {
        let used = || self.machines.iter().filter(|machine| machine.is_used());
        (used().count(), used().map(|machine| machine.places).sum())
    }

    /// Orders that other machines have.
    pub fn out(&self) -> usize {
        self.machines.iter().map(|machine| machine.out).sum()
    }

    /// What the daemon that holds this folder said last; none where it has no other machines.
    pub fn read(state: &Path) -> Option<Self> {
        let text = read_regular(&state.join(FILE), FILE_BYTES_MAX).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// The file for `status`. It names students, so it is gone when the daemon is.
#[derive(Debug)]
pub struct MachinesFile(PathBuf);

impl MachinesFile {
    /// In this state folder; what a daemon left there that ended at once is gone.
    pub fn new(state: &Path) -> Self {
        let file = Self(state.join(FILE));
        file.remove();
        file
    }

    /// Says how it is now.
    pub fn write(&self, machines: &OtherMachines) -> io::Result<()> {
        let text = serde_json::to_vec(machines)?;
        if text.len() as u64 > FILE_BYTES_MAX {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        replace_unsynced(&self.0, &text)
    }

    fn remove(&self) {
        // Nobody reads it while no daemon runs.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Drop for MachinesFile {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, MACHINES_MAX, Machine, MachinesFile, OtherMachines};
    use crate::domain::ServerName;
    use crate::places::samples::machine;
    use crate::util::samples::speed;

    fn seen(machines: &[Machine]) -> OtherMachines {
        let link = Link {
            server: "tls://grader:4222".to_owned(),
            course: ServerName::new("algorithms").unwrap(),
            trouble: None,
        };
        let here = speed(10_000_000, 1.0);
        OtherMachines::new(&link, machines.iter(), Some(here))
    }

    #[test]
    fn the_file_says_what_the_daemon_said_and_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(OtherMachines::read(folder.path()), None);
        let many: Vec<Machine> = (0..1_000).map(|n| machine(&format!("lab-{n}"))).collect();
        let many = seen(&many);
        assert_eq!((many.machines.len(), many.more), (MACHINES_MAX, 700));
        let file = MachinesFile::new(folder.path());
        file.write(&many).unwrap();
        let read = OtherMachines::read(folder.path()).unwrap();
        assert_eq!((read.machines.len(), read.more), (MACHINES_MAX, 700));
        assert_eq!(read.used(), many.used());
        drop(file);
        assert_eq!(OtherMachines::read(folder.path()), None);
    }
}
