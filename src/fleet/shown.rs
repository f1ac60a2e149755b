//! The machines as people and other programs see them: in `status`, on the dashboard, in the log.
//!
//! The running daemon writes this into a small file in its state folder, where `status` reads it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::machines::{Doing, Fleet, Machine};
use crate::domain::Speed;
use crate::judge::order::Progress;
use crate::util::clock::now_ms;
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

/// The machines at a moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The server's address.
    pub server: String,
    /// What this course is called there.
    pub course: String,
    /// Why there is no connection to it, if there is none.
    pub trouble: Option<String>,
    /// The other machines, by their names.
    pub machines: Vec<ShownMachine>,
    /// How many more there are.
    pub more: usize,
    /// Orders that were measured on a second machine too, since the daemon started.
    pub twice: u64,
    /// Those among them about which the two machines differed.
    pub differed: u64,
}

/// What a machine is to this course now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It measures.
    Working,
    /// It has nothing to do.
    Idle,
    /// It gets no orders.
    Unused,
    /// It has been silent for too long.
    Gone,
}

impl Standing {
    /// The word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Idle => "idle",
            Self::Unused => "unused",
            Self::Gone => "gone",
        }
    }
}

/// One machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownMachine {
    /// Its worker's name on the server.
    pub name: String,
    /// What it is to this course.
    pub standing: Standing,
    /// Since when it is there, or gone, in milliseconds since 1970.
    pub since_ms: i64,
    /// The machine, in words.
    pub machine: String,
    /// The version of its program.
    pub version: String,
    /// Orders that it does at a time.
    pub places: usize,
    /// Languages whose orders it gets.
    pub languages: Vec<String>,
    /// Why it gets no orders, or none of some languages.
    pub why_not: Vec<String>,
    /// How fast and how evenly it measures.
    pub speed: Option<Speed>,
    /// By how many per cent it is slower than the daemon's machine; below 0 where it is faster.
    pub slower_percent: Option<f64>,
    /// What it does, the longest first.
    pub doing: Vec<ShownDoing>,
    /// Orders that are out with it.
    pub out: usize,
    /// Orders that it has done.
    pub done: u64,
    /// Orders that it could not do.
    pub failed: u64,
    /// Orders that were given to others, because it was silent, ended, or made no sense.
    pub lost: u64,
    /// Facts of it that came twice or too late.
    pub dropped: u64,
}

/// An order that a machine has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownDoing {
    /// What is judged, as in `ada/curling #2`.
    pub what: String,
    /// Since when the machine has it, in milliseconds since 1970.
    pub since_ms: i64,
    /// How far it is; none where it waits for a place there.
    pub progress: Option<Progress>,
}

impl ShownMachine {
    /// Whether it is there and gets orders.
    pub fn is_used(&self) -> bool {
        matches!(self.standing, Standing::Working | Standing::Idle)
    }
}

impl Shown {
    /// Machines that are there and get orders, and the places that they have together.
    pub fn used(&self) -> (usize, usize) {
        let used = || self.machines.iter().filter(|machine| machine.is_used());
        (used().count(), used().map(|machine| machine.places).sum())
    }

    /// Orders that other machines have.
    pub fn out(&self) -> usize {
        self.machines.iter().map(|machine| machine.out).sum()
    }
}

/// Keeps in mind since when machines are there.
#[derive(Debug, Default)]
pub struct Watch {
    since: BTreeMap<String, (bool, i64)>,
}

impl Watch {
    /// The machines now; none where no server is named.
    pub fn look(&mut self, fleet: &Fleet) -> Option<Shown> {
        let link = fleet.link.as_ref()?;
        let (now, now_ms) = (Instant::now(), now_ms());
        let ms_ago = |then: Instant| {
            let ago = now.saturating_duration_since(then).as_millis();
            now_ms.saturating_sub(i64::try_from(ago).unwrap_or(i64::MAX))
        };
        let mut since = BTreeMap::new();
        let shown = fleet.workers.iter().take(MACHINES_MAX).map(|machine| {
            let name = machine.name.to_string();
            let known = self.since.get(&name).copied();
            let known = known.filter(|(is_gone, _)| *is_gone == machine.is_gone);
            let (_, since_ms) = known.unwrap_or((machine.is_gone, ms_ago(machine.last)));
            since.insert(name.clone(), (machine.is_gone, since_ms));
            shown(machine, name, since_ms, fleet.reference, &ms_ago)
        });
        let machines: Vec<ShownMachine> = shown.collect();
        self.since = since;
        Some(Shown {
            server: link.url.to_string(),
            course: link.course.to_string(),
            trouble: link.trouble.as_ref().map(ToString::to_string),
            more: fleet.workers.len().saturating_sub(machines.len()),
            twice: fleet.twice,
            differed: fleet.differed,
            machines,
        })
    }
}

fn shown(
    machine: &Machine,
    name: String,
    since_ms: i64,
    reference: Option<Speed>,
    ms_ago: &dyn Fn(Instant) -> i64,
) -> ShownMachine {
    let standing = if machine.is_gone {
        Standing::Gone
    } else if machine.languages.is_empty() {
        Standing::Unused
    } else if machine.doing.is_empty() {
        Standing::Idle
    } else {
        Standing::Working
    };
    let doing = |doing: &Doing| ShownDoing {
        what: doing.what.to_string(),
        since_ms: ms_ago(doing.since),
        progress: doing.progress,
    };
    let pair = machine.speed.zip(reference);
    ShownMachine {
        name,
        standing,
        since_ms,
        machine: machine.description.to_string(),
        version: machine.version.to_string(),
        places: machine.places,
        languages: machine.languages.iter().map(ToString::to_string).collect(),
        why_not: machine.why_not.iter().take(REASONS_MAX).cloned().collect(),
        speed: machine.speed,
        slower_percent: pair.map(|(there, here)| there.percent_slower_than(&here)),
        doing: machine.doing.iter().take(DOING_MAX).map(doing).collect(),
        out: machine.doing.len(),
        done: machine.counts.done,
        failed: machine.counts.failed,
        lost: machine.counts.lost,
        dropped: machine.counts.dropped,
    }
}

/// The file for `status`. It names students, so it is gone when the daemon is.
#[derive(Debug)]
pub struct ShownFile(PathBuf);

impl ShownFile {
    /// In this state folder; what a daemon left there that ended at once is gone.
    pub fn new(state: &Path) -> Self {
        let file = Self(state.join(FILE));
        file.remove();
        file
    }

    /// Says how it is now.
    pub fn write(&self, shown: &Shown) -> io::Result<()> {
        let text = serde_json::to_vec(shown)?;
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

impl Drop for ShownFile {
    fn drop(&mut self) {
        self.remove();
    }
}

/// What the daemon that holds this folder said last; none where it has no other machines.
pub fn read_shown(state: &Path) -> Option<Shown> {
    let text = read_regular(&state.join(FILE), FILE_BYTES_MAX).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{MACHINES_MAX, ShownFile, Standing, Watch, read_shown};
    use crate::domain::{LanguageId, ServerName, Speed};
    use crate::fleet::machines::{Counts, Doing, Fleet, Link, Machine};

    fn fleet(workers: Vec<Machine>) -> Fleet {
        Fleet {
            link: Some(Link {
                url: Arc::from("tls://grader:4222"),
                course: ServerName::new("algorithms").unwrap(),
                trouble: None,
                since: Instant::now(),
            }),
            reference: Some(Speed {
                least_ns: 100,
                spread_percent: 1.0,
            }),
            workers: Arc::from(workers),
            ..Fleet::default()
        }
    }

    fn machine(name: &str) -> Machine {
        Machine {
            name: ServerName::new(name).unwrap(),
            description: Arc::from("Linux, 4 cores"),
            version: Arc::from("0.1.0"),
            places: 4,
            languages: vec![LanguageId::new("c").unwrap()],
            why_not: Vec::new(),
            speed: Some(Speed {
                least_ns: 105,
                spread_percent: 1.0,
            }),
            last: Instant::now(),
            is_gone: false,
            doing: Vec::new(),
            counts: Counts::default(),
        }
    }

    #[test]
    fn a_machine_stands_as_it_is() {
        let doing = Doing {
            what: Arc::from("ada/curling #2"),
            since: Instant::now(),
            progress: None,
        };
        for (machine, standing) in [
            (machine("a"), Standing::Idle),
            (
                Machine {
                    doing: vec![doing],
                    ..machine("a")
                },
                Standing::Working,
            ),
            (
                Machine {
                    languages: Vec::new(),
                    ..machine("a")
                },
                Standing::Unused,
            ),
            (
                Machine {
                    is_gone: true,
                    ..machine("a")
                },
                Standing::Gone,
            ),
        ] {
            let shown = Watch::default().look(&fleet(vec![machine])).unwrap();
            assert_eq!(shown.machines[0].standing, standing);
            assert_eq!(shown.machines[0].slower_percent, Some(5.0));
        }
        assert_eq!(Watch::default().look(&Fleet::default()), None);
    }

    #[test]
    fn since_when_it_is_there_stays_as_long_as_it_is() {
        let mut watch = Watch::default();
        let mut since = |is_gone, ago| {
            let last = Instant::now()
                .checked_sub(Duration::from_secs(ago))
                .unwrap();
            let machine = Machine {
                last,
                is_gone,
                ..machine("a")
            };
            let shown = watch.look(&fleet(vec![machine])).unwrap();
            shown.machines[0].since_ms
        };
        let (first, later, gone) = (since(false, 9), since(false, 0), since(true, 0));
        assert_eq!(first, later);
        assert!(gone > later);
    }

    #[test]
    fn the_file_says_what_the_daemon_said_and_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_shown(folder.path()), None);
        let many = (0..1_000).map(|n| machine(&format!("lab-{n}"))).collect();
        let shown = Watch::default().look(&fleet(many)).unwrap();
        assert_eq!((shown.machines.len(), shown.more), (MACHINES_MAX, 700));
        let file = ShownFile::new(folder.path());
        file.write(&shown).unwrap();
        assert_eq!(read_shown(folder.path()), Some(shown));
        drop(file);
        assert_eq!(read_shown(folder.path()), None);
    }
}
