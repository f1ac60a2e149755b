//! The intake on real folders; time is a number that the tests move.

mod trouble;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::naming::tests::language;
use super::{Arrival, Content, Fingerprint, Intake, Known, Round, printable};
use crate::config;
use crate::domain::Rejection;
use crate::util::samples::slug;
use crate::util::tests::files::write;

const SETTLE_MS: u64 = 1_000;
const RESCAN_MS: u64 = 30_000;
/// Rounds until everything is delivered, in the largest test.
const ROUNDS_MAX: usize = 500;

fn settings() -> config::Intake {
    config::Intake {
        source_bytes_max: 1_000,
        settle: Duration::from_millis(SETTLE_MS),
        rescan: Duration::from_millis(RESCAN_MS),
        ignore: Vec::new(),
    }
}

fn known(problems: &[&str]) -> Known {
    Known {
        problems: problems.iter().map(|name| slug(name)).collect(),
        languages: vec![language("C++17", &["cpp"], None)],
        ..Known::default()
    }
}

/// A submissions folder, its intake, the time, and what a store would have.
struct Rig {
    folder: tempfile::TempDir,
    intake: Intake,
    now_ms: u64,
    kept: BTreeMap<Arc<OsStr>, (Fingerprint, Option<Rejection>)>,
    /// Rejected files that are gone, or no rejected files any more.
    released: Vec<String>,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let intake = Self::start(&folder);
        Self {
            folder,
            intake,
            now_ms: 0,
            kept: BTreeMap::new(),
            released: Vec::new(),
        }
    }

    fn start(folder: &tempfile::TempDir) -> Intake {
        let known = known(&["curling", "thegame"]);
        Intake::new(folder.path(), settings(), known, None)
    }

    /// Ends the intake and starts another one that remembers what was stored.
    fn restart(&mut self) {
        self.intake = Self::start(&self.folder);
        for (path, (fingerprint, rejection)) in &self.kept {
            let fingerprint = Fingerprint::from_bytes(&fingerprint.to_bytes()).unwrap();
            self.intake.remember(path, fingerprint, rejection.is_some());
        }
        self.now_ms = 0;
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and its folder if need be.
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        write(self.folder.path(), name, bytes);
    }

    /// A round at the next scan, and its arrivals stored.
    fn scan(&mut self) -> Vec<Arrival> {
        self.intake.scan_wanted = true;
        self.now_ms = self.now_ms.max(self.intake.next_scan_ms());
        let round = self.intake.round(self.now_ms);
        self.store(round)
    }

    /// Stores what a round brought; as the store, it says nothing of a rejection that it has.
    fn store(&mut self, round: Round) -> Vec<Arrival> {
        let mut news = Vec::new();
        for path in round.gone {
            if let Some((_, Some(_))) = self.kept.remove(&path) {
                self.released.push(printable(&path));
            }
        }
        for arrival in round.arrivals {
            let Arrival {
                path,
                fingerprint,
                content,
            } = arrival.clone();
            let rejection = match content {
                Content::Submission(..) => None,
                Content::Rejection(rejection) => Some(rejection),
            };
            if rejection.is_some() {
                self.intake.rejected(&path);
            } else if self.intake.taken(&path) {
                self.released.push(printable(&path));
            }
            let reason = rejection.as_ref().map(|one| one.reason.clone());
            let before = self.kept.insert(path, (fingerprint, rejection));
            let before = before.and_then(|(_, rejection)| rejection);
            if reason.is_none() || before.map(|one| one.reason) != reason {
                news.push(arrival);
            }
        }
        news
    }

    /// Everything that arrives until nothing more is due, sorted.
    fn all(&mut self) -> Vec<Arrival> {
        let mut arrivals = self.scan();
        for _ in 0..ROUNDS_MAX {
            let round = self.intake.round(self.now_ms);
            let (idle, next_ms) = (round.idle, round.next_look.as_millis());
            let none = round.arrivals.is_empty();
            arrivals.extend(self.store(round));
            if idle {
                arrivals.sort_by_key(path_of);
                return arrivals;
            }
            if none {
                self.now_ms += u64::try_from(next_ms).unwrap();
            }
        }
        panic!("still not idle after {ROUNDS_MAX} rounds");
    }

    /// The reason why the only thing that arrives is refused.
    fn only_reason(&mut self) -> Rejection {
        match self.all().as_slice() {
            [arrival] => rejection(arrival).clone(),
            other => panic!("{other:?}"),
        }
    }
}

fn path_of(arrival: &Arrival) -> String {
    printable(&arrival.path)
}

fn rejection(arrival: &Arrival) -> &Rejection {
    match &arrival.content {
        Content::Rejection(rejection) => rejection,
        Content::Submission(..) => panic!("{arrival:?}"),
    }
}

/// What arrived, as `path: text`, or `path: reason`.
fn told(arrivals: &[Arrival]) -> Vec<String> {
    let told = arrivals.iter().map(|arrival| match &arrival.content {
        Content::Submission(_, source) => String::from_utf8_lossy(&source.bytes).into_owned(),
        Content::Rejection(rejection) => rejection.reason.clone(),
    });
    let told = arrivals.iter().zip(told);
    told.map(|(arrival, told)| format!("{}: {told}", path_of(arrival)))
        .collect()
}

#[test]
fn a_file_is_taken_when_it_has_come_to_rest() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "a");
    for piece in 0..5 {
        rig.now_ms += SETTLE_MS - 1;
        assert_eq!(rig.scan(), [], "piece {piece}");
        let file = rig.at("alpha/curling.cpp");
        let file = OpenOptions::new().append(true).open(file);
        file.unwrap().write_all(b"b").unwrap();
    }
    // The last piece is seen by the look that was due for the state before it.
    assert_eq!(told(&rig.all()), ["alpha/curling.cpp: abbbbb"]);
}

#[test]
fn a_new_version_is_delivered_however_it_is_written() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "one");
    rig.all();
    // In place.
    rig.write("alpha/curling.cpp", "two");
    assert_eq!(told(&rig.all()), ["alpha/curling.cpp: two"]);
    // As editors do: a temporary name, a backup, a rename.
    rig.write("alpha/.curling.cpp.swp", "x");
    rig.write("alpha/4913", "");
    fs::rename(rig.at("alpha/curling.cpp"), rig.at("alpha/curling.cpp~")).unwrap();
    rig.write("alpha/curling.cpp", "new");
    assert_eq!(told(&rig.all()), ["alpha/curling.cpp: new"]);
    // Moved into place, with an old time stamp of its own.
    rig.write(".stage", "old");
    fs::rename(rig.at(".stage"), rig.at("alpha/curling.cpp")).unwrap();
    assert_eq!(told(&rig.all()), ["alpha/curling.cpp: old"]);
}
