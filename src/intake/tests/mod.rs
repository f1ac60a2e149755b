//! The intake on real folders; time is a number that the tests move.

mod trouble;
mod turns;
mod watched;

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;

use std::path::PathBuf;
use std::time::Duration;

use super::{Arrival, Intake, Known, KnownLanguage, Mark, Round, printable};
use crate::config;
use crate::domain::{ProblemSlug, Rejection};

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
    let language = |name: &str, extension: &str, unavailable: Option<&str>| KnownLanguage {
        name: name.into(),
        extensions: vec![extension.into()],
        unavailable: unavailable.map(Into::into),
    };
    Known {
        problems: problems
            .iter()
            .map(|slug| ProblemSlug::new(slug).unwrap())
            .collect(),
        languages: vec![
            language("C++17", "cpp", None),
            language("C#", "cs", Some("not installed here")),
        ],
        ignore: vec!["README*".into()],
        ..Known::default()
    }
}

/// A submissions folder, its intake, and the time.
struct Rig {
    folder: tempfile::TempDir,
    intake: Intake,
    now_ms: u64,
    marks: Vec<(OsString, Mark)>,
    released: Vec<OsString>,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let intake = Self::start(&folder, Vec::new());
        Self {
            folder,
            intake,
            now_ms: 0,
            marks: Vec::new(),
            released: Vec::new(),
        }
    }

    fn start(folder: &tempfile::TempDir, marks: Vec<(OsString, Mark)>) -> Intake {
        let known = known(&["curling", "thegame"]);
        Intake::new(folder.path(), settings(), known, marks, None)
    }

    /// Ends the intake and starts another one that remembers what was stored.
    fn restart(&mut self) {
        self.intake = Self::start(&self.folder, self.marks.clone());
        self.now_ms = 0;
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and its folder if need be.
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A round at the next scan, and its arrivals stored.
    fn scan(&mut self) -> Vec<Arrival> {
        self.intake.scan_wanted = true;
        self.now_ms = self.now_ms.max(self.intake.next_scan_ms());
        let round = self.intake.round(self.now_ms);
        self.store(round)
    }

    fn store(&mut self, round: Round) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        self.released.extend(round.released);
        for (token, arrival) in round.arrivals {
            self.marks.push((token.path().to_owned(), token.mark()));
            self.intake.taken(token);
            arrivals.push(arrival);
        }
        arrivals
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
            [Arrival::Rejection(rejection)] => rejection.clone(),
            other => panic!("{other:?}"),
        }
    }
}

fn path_of(arrival: &Arrival) -> String {
    match arrival {
        Arrival::Submission { path, .. } => path.clone(),
        Arrival::Rejection(rejection) => rejection.path.clone(),
    }
}

fn content(arrivals: &[Arrival]) -> Vec<(&str, &[u8])> {
    arrivals
        .iter()
        .map(|arrival| match arrival {
            Arrival::Submission { path, source, .. } => (path.as_str(), &*source.bytes),
            Arrival::Rejection(rejection) => (rejection.path.as_str(), rejection.reason.as_bytes()),
        })
        .collect()
}

#[test]
fn both_forms_are_delivered_once() {
    let mut rig = Rig::new();
    rig.write("alpha/Curling.CPP", "one");
    rig.write("beta_thegam.cpp", "unknown");
    rig.write("beta_thegame.cpp", "two");
    rig.write("README.md", "for people");
    let arrivals = rig.all();
    let Arrival::Submission {
        student,
        problem,
        extension,
        path,
        source,
    } = &arrivals[0]
    else {
        panic!("{arrivals:?}");
    };
    assert_eq!((student.as_str(), problem.as_str()), ("alpha", "curling"));
    assert_eq!(
        (extension.as_str(), source.name.as_str()),
        ("cpp", "Curling.CPP")
    );
    assert_eq!(
        (path.as_str(), &*source.bytes),
        ("alpha/Curling.CPP", &b"one"[..])
    );
    assert_eq!(source.digest, crate::util::hash::digest(b"one"));
    let Arrival::Rejection(rejection) = &arrivals[1] else {
        panic!("{arrivals:?}");
    };
    assert!(rejection.reason.contains("did you mean beta_thegame.cpp?"));
    assert_eq!(rejection.student.as_ref().unwrap().as_str(), "beta");
    assert_eq!(content(&arrivals[2..]), [("beta_thegame.cpp", &b"two"[..])]);
    assert_eq!(rig.all(), [], "and not again");
}

#[test]
fn a_file_is_taken_when_it_has_come_to_rest() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "a");
    for piece in 0..5 {
        rig.now_ms += SETTLE_MS - 1;
        assert_eq!(rig.scan(), [], "piece {piece}");
        let mut file = OpenOptions::new()
            .append(true)
            .open(rig.at("alpha/curling.cpp"))
            .unwrap();
        file.write_all(b"b").unwrap();
    }
    // The last piece is seen by the look that was due for the state before it.
    assert_eq!(content(&rig.all()), [("alpha/curling.cpp", &b"abbbbb"[..])]);
}

#[test]
fn a_new_version_is_delivered_however_it_is_written() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "one");
    rig.all();
    // In place.
    rig.write("alpha/curling.cpp", "two");
    assert_eq!(content(&rig.all()), [("alpha/curling.cpp", &b"two"[..])]);
    // As editors do: a temporary name, a backup, a rename.
    rig.write("alpha/.curling.cpp.swp", "x");
    rig.write("alpha/4913", "");
    fs::rename(rig.at("alpha/curling.cpp"), rig.at("alpha/curling.cpp~")).unwrap();
    rig.write("alpha/curling.cpp", "new");
    assert_eq!(content(&rig.all()), [("alpha/curling.cpp", &b"new"[..])]);
    // Moved into place, with an old time stamp of its own.
    rig.write(".stage", "old");
    fs::rename(rig.at(".stage"), rig.at("alpha/curling.cpp")).unwrap();
    assert_eq!(content(&rig.all()), [("alpha/curling.cpp", &b"old"[..])]);
    // Removed and put back: nothing is wrong with telling it again.
    fs::remove_file(rig.at("alpha/curling.cpp")).unwrap();
    assert_eq!(rig.all(), []);
    rig.write("alpha/curling.cpp", "old");
    assert_eq!(rig.all().len(), 1);
}

#[test]
fn a_time_stamp_in_the_future_does_not_matter() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "x");
    let file = fs::File::open(rig.at("alpha/curling.cpp")).unwrap();
    let future = std::time::SystemTime::now() + Duration::from_secs(1_000_000_000);
    file.set_modified(future).unwrap();
    assert_eq!(rig.all().len(), 1);
}

#[test]
fn a_restart_delivers_what_was_not_stored() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "x");
    rig.write("beta/curling.cpp", "y");
    rig.all();
    rig.restart();
    assert_eq!(rig.all(), [], "all was stored");
    // One was not, and one changed meanwhile.
    rig.marks.retain(|(path, _)| path != "alpha/curling.cpp");
    rig.write("beta/curling.cpp", "new");
    rig.restart();
    let arrivals = rig.all();
    assert_eq!(
        content(&arrivals),
        [
            ("alpha/curling.cpp", &b"x"[..]),
            ("beta/curling.cpp", b"new")
        ]
    );
}

#[test]
fn what_cannot_be_stored_comes_again() {
    let mut rig = Rig::new();
    rig.write("alpha/curling.cpp", "x");
    rig.scan();
    rig.now_ms += SETTLE_MS;
    let mut round = rig.intake.round(rig.now_ms);
    let (token, arrival) = round.arrivals.pop().unwrap();
    assert!(!round.idle);
    assert_eq!(rig.scan(), [], "it is on its way");
    rig.intake.put_back(token, rig.now_ms);
    assert_eq!(rig.all(), [arrival]);
}

#[test]
fn nothing_new_while_too_much_is_unanswered() {
    let mut rig = Rig::new();
    for number in 0..crate::intake::UNANSWERED_MAX + 10 {
        rig.write(&format!("s{number}_curling.cpp"), "x");
    }
    rig.scan();
    rig.now_ms += SETTLE_MS;
    let mut held = Vec::new();
    loop {
        let round = rig.intake.round(rig.now_ms);
        assert!(round.arrivals.len() <= crate::intake::ARRIVALS_MAX);
        if round.arrivals.is_empty() {
            assert!(round.next_look > Duration::ZERO, "it does not spin");
            break;
        }
        held.extend(round.arrivals);
    }
    assert_eq!(held.len(), crate::intake::UNANSWERED_MAX);
    for (token, _) in held {
        rig.intake.taken(token);
    }
    assert_eq!(rig.all().len(), 10);
}

#[test]
fn thousands_of_new_folders_are_all_delivered() {
    let mut rig = Rig::new();
    for number in 0..5_000 {
        rig.write(&format!("s{number}/curling.cpp"), number.to_string());
    }
    let arrivals = rig.all();
    assert_eq!(arrivals.len(), 5_000);
    for (path, bytes) in content(&arrivals) {
        let number = String::from_utf8_lossy(bytes);
        assert_eq!(path, format!("s{number}/curling.cpp"));
    }
    assert_eq!(rig.all(), []);
}

#[test]
fn paths_are_printable() {
    let path = OsStr::from_bytes(b"a\xff\n\xe2\x80\xae.cpp");
    assert_eq!(printable(path), "a\\xff\\n\\u{202e}.cpp");
}
