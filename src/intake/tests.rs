//! The intake on real folders; time is a number that the tests move.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{Arrival, Intake, Known, KnownLanguage, Mark, Round, ScanError, WatchState, printable};
use crate::config;
use crate::domain::{ProblemSlug, Rejection, Student};

const SETTLE_MS: u64 = 1_000;
const RESCAN_MS: u64 = 30_000;
/// Rounds until everything is delivered, in the largest test.
const ROUNDS_MAX: usize = 500;
/// Far longer than anything takes, so that a broken watch ends the test.
const PATIENCE: Duration = Duration::from_secs(30);

fn settings() -> config::Intake {
    config::Intake {
        source_bytes_max: 1_000,
        settle: Duration::from_millis(SETTLE_MS),
        rescan: Duration::from_millis(RESCAN_MS),
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
    }
}

/// A submissions folder, its intake, and the time.
struct Rig {
    folder: tempfile::TempDir,
    intake: Intake,
    now_ms: u64,
    marks: Vec<(OsString, Mark)>,
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
            Arrival::Submission { path, bytes, .. } => (path.as_str(), &**bytes),
            Arrival::Rejection(rejection) => (rejection.path.as_str(), rejection.reason.as_bytes()),
        })
        .collect()
}

#[test]
fn both_forms_are_delivered_once() {
    let mut rig = Rig::new();
    rig.write("anna/Curling.CPP", "one");
    rig.write("ben_the_game.cpp", "unknown: the-game is not thegame");
    rig.write("ben_thegame.cpp", "two");
    rig.write("README.md", "for people");
    let arrivals = rig.all();
    let Arrival::Submission {
        student,
        problem,
        extension,
        file_name,
        path,
        bytes,
        digest,
    } = &arrivals[0]
    else {
        panic!("{arrivals:?}");
    };
    assert_eq!((student.as_str(), problem.as_str()), ("anna", "curling"));
    assert_eq!(
        (extension.as_str(), file_name.as_str()),
        ("cpp", "Curling.CPP")
    );
    assert_eq!((path.as_str(), &**bytes), ("anna/Curling.CPP", &b"one"[..]));
    assert_eq!(*digest, crate::util::hash::digest(b"one"));
    let Arrival::Rejection(rejection) = &arrivals[1] else {
        panic!("{arrivals:?}");
    };
    assert!(rejection.reason.contains("did you mean ben_thegame.cpp?"));
    assert_eq!(rejection.student.as_ref().unwrap().as_str(), "ben");
    assert_eq!(content(&arrivals[2..]), [("ben_thegame.cpp", &b"two"[..])]);
    assert_eq!(rig.all(), [], "and not again");
}

#[test]
fn a_file_is_taken_when_it_has_come_to_rest() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "a");
    for piece in 0..5 {
        rig.now_ms += SETTLE_MS - 1;
        assert_eq!(rig.scan(), [], "piece {piece}");
        let mut file = OpenOptions::new()
            .append(true)
            .open(rig.at("anna/curling.cpp"))
            .unwrap();
        file.write_all(b"b").unwrap();
    }
    // The last piece is seen by the look that was due for the state before it.
    assert_eq!(content(&rig.all()), [("anna/curling.cpp", &b"abbbbb"[..])]);
}

#[test]
fn a_new_version_is_delivered_however_it_is_written() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "one");
    rig.all();
    // In place.
    rig.write("anna/curling.cpp", "two");
    assert_eq!(content(&rig.all()), [("anna/curling.cpp", &b"two"[..])]);
    // As editors do: a temporary name, a backup, a rename.
    rig.write("anna/.curling.cpp.swp", "x");
    rig.write("anna/4913", "");
    fs::rename(rig.at("anna/curling.cpp"), rig.at("anna/curling.cpp~")).unwrap();
    rig.write("anna/curling.cpp", "new");
    assert_eq!(content(&rig.all()), [("anna/curling.cpp", &b"new"[..])]);
    // Moved into place, with an old time stamp of its own.
    rig.write(".stage", "old");
    fs::rename(rig.at(".stage"), rig.at("anna/curling.cpp")).unwrap();
    assert_eq!(content(&rig.all()), [("anna/curling.cpp", &b"old"[..])]);
    // Removed and put back: nothing is wrong with telling it again.
    fs::remove_file(rig.at("anna/curling.cpp")).unwrap();
    assert_eq!(rig.all(), []);
    rig.write("anna/curling.cpp", "old");
    assert_eq!(rig.all().len(), 1);
}

#[test]
fn a_time_stamp_in_the_future_does_not_matter() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "x");
    let file = fs::File::open(rig.at("anna/curling.cpp")).unwrap();
    let future = std::time::SystemTime::now() + Duration::from_secs(1_000_000_000);
    file.set_modified(future).unwrap();
    assert_eq!(rig.all().len(), 1);
}

#[test]
fn what_is_not_a_submission_is_refused_with_a_reason_once() {
    let mut rig = Rig::new();
    rig.write("real.txt", "x");
    fs::rename(rig.at("real.txt"), rig.at(".real")).unwrap();
    fs::create_dir_all(rig.at("anna/thegame.cpp")).unwrap();
    fs::create_dir_all(rig.at("curling.cpp")).unwrap();
    symlink(".real", rig.at("anna/curling.cpp")).unwrap();
    symlink("anna", rig.at("ben")).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        rig.at("cid_curling.cpp"),
        rustix::fs::Mode::from_raw_mode(0o644),
    )
    .unwrap();
    rig.write("dora/curling.cpp", "x");
    fs::hard_link(rig.at("dora/curling.cpp"), rig.at("dora/thegame.cpp")).unwrap();
    rig.write("eva/curling.cpp", "");
    rig.write("eva/thegame.cpp", [b'x'; 1_001]);
    rig.write("eva/curling.cs", "x");
    fs::write(
        rig.folder
            .path()
            .join(OsStr::from_bytes(b"f\xff_curling.cpp")),
        "x",
    )
    .unwrap();
    fs::create_dir(rig.folder.path().join(OsStr::from_bytes(b"g\xff"))).unwrap();
    let expected = [
        ("anna/curling.cpp", Some("anna"), "symbolic link"),
        ("anna/thegame.cpp", Some("anna"), "folder"),
        ("ben", None, "symbolic link"),
        ("cid_curling.cpp", Some("cid"), "named pipe"),
        ("curling.cpp", None, "is a folder"),
        ("dora/curling.cpp", Some("dora"), "hard link"),
        ("dora/thegame.cpp", Some("dora"), "hard link"),
        ("eva/curling.cpp", Some("eva"), "empty"),
        ("eva/curling.cs", Some("eva"), "C# is not installed here"),
        ("eva/thegame.cpp", Some("eva"), "1001 bytes"),
        ("f\\xff_curling.cpp", None, "not UTF-8"),
        ("g\\xff", None, "not UTF-8"),
    ];
    let arrivals = rig.all();
    assert_eq!(arrivals.len(), expected.len(), "{arrivals:?}");
    for (arrival, (path, student, words)) in arrivals.iter().zip(expected) {
        let Arrival::Rejection(rejection) = arrival else {
            panic!("{arrival:?}");
        };
        assert_eq!(rejection.path, path);
        let found = rejection.student.as_ref().map(Student::as_str);
        assert_eq!(found, student, "{path}");
        assert!(
            rejection.reason.contains(words),
            "{path}: {}",
            rejection.reason
        );
    }
    assert_eq!(rig.all(), [], "told once");
    rig.restart();
    assert_eq!(rig.all(), [], "also over a restart");
    // The second name goes away: now it is a file of its own.
    fs::remove_file(rig.at("dora/thegame.cpp")).unwrap();
    assert_eq!(content(&rig.all()), [("dora/curling.cpp", &b"x"[..])]);
}

#[test]
fn what_was_refused_is_looked_at_again_when_names_change() {
    let mut rig = Rig::new();
    rig.write("anna/regions.cpp", "x");
    let reason = rig.only_reason().reason;
    assert!(reason.contains("no problem is called regions"), "{reason}");
    rig.intake
        .set_known(known(&["curling", "regions"]), rig.now_ms);
    assert_eq!(content(&rig.all()), [("anna/regions.cpp", &b"x"[..])]);
    // The same while the rejection is still on its way to the store.
    rig.write("anna/snakes.cpp", "x");
    rig.scan();
    rig.now_ms += SETTLE_MS;
    let round = rig.intake.round(rig.now_ms);
    assert_eq!(round.arrivals.len(), 1);
    rig.intake.set_known(known(&["snakes"]), rig.now_ms);
    rig.store(round);
    assert_eq!(content(&rig.all()), [("anna/snakes.cpp", &b"x"[..])]);
    // And a larger bound.
    rig.write("anna/snakes.cpp", [b'x'; 1_001]);
    rig.only_reason();
    let larger = config::Intake {
        source_bytes_max: 2_000,
        ..settings()
    };
    rig.intake.set_settings(larger, rig.now_ms);
    assert_eq!(rig.all().len(), 1);
}

#[test]
fn a_restart_delivers_what_was_not_stored() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "x");
    rig.write("ben/curling.cpp", "y");
    rig.all();
    rig.restart();
    assert_eq!(rig.all(), [], "all was stored");
    // One was not, and one changed meanwhile.
    rig.marks.retain(|(path, _)| path != "anna/curling.cpp");
    rig.write("ben/curling.cpp", "new");
    rig.restart();
    let arrivals = rig.all();
    assert_eq!(
        content(&arrivals),
        [("anna/curling.cpp", &b"x"[..]), ("ben/curling.cpp", b"new")]
    );
}

#[test]
fn what_cannot_be_stored_comes_again() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "x");
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
    for number in 0..super::UNANSWERED_MAX + 10 {
        rig.write(&format!("s{number}_curling.cpp"), "x");
    }
    rig.scan();
    rig.now_ms += SETTLE_MS;
    let mut held = Vec::new();
    loop {
        let round = rig.intake.round(rig.now_ms);
        assert!(round.arrivals.len() <= super::ARRIVALS_MAX);
        if round.arrivals.is_empty() {
            assert!(round.next_look > Duration::ZERO, "it does not spin");
            break;
        }
        held.extend(round.arrivals);
    }
    assert_eq!(held.len(), super::UNANSWERED_MAX);
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
fn a_missing_root_is_told_and_nothing_is_forgotten() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "x");
    rig.all();
    let aside = tempfile::tempdir().unwrap();
    fs::rename(rig.folder.path(), aside.path().join("s")).unwrap();
    rig.scan();
    let round = rig.intake.round(rig.now_ms);
    let trouble = round.trouble.unwrap();
    assert_eq!(trouble, ScanError::Missing(rig.folder.path().to_owned()));
    assert!(trouble.to_string().contains("mkdir -p"));
    assert!(!round.idle && round.next_look >= Duration::from_secs(1));
    fs::rename(aside.path().join("s"), rig.folder.path()).unwrap();
    assert_eq!(rig.all(), []);
    let round = rig.intake.round(rig.now_ms);
    assert_eq!((round.trouble, round.idle), (None, true));
    assert_eq!(
        round.next_look.as_millis(),
        u128::from(RESCAN_MS),
        "an idle intake sleeps"
    );
}

#[test]
fn a_folder_that_cannot_be_listed_is_told() {
    let mut rig = Rig::new();
    rig.write("anna/curling.cpp", "x");
    fs::set_permissions(rig.at("anna"), fs::Permissions::from_mode(0o000)).unwrap();
    let arrivals = rig.all();
    fs::set_permissions(rig.at("anna"), fs::Permissions::from_mode(0o755)).unwrap();
    if rustix::process::geteuid().is_root() {
        // Permissions do not bind the superuser.
        assert_eq!(content(&arrivals), [("anna/curling.cpp", &b"x"[..])]);
        return;
    }
    let Arrival::Rejection(rejection) = &arrivals[0] else {
        panic!("{arrivals:?}");
    };
    assert!(rejection.reason.contains("chmod a+rx"));
    assert_eq!(content(&rig.all()), [("anna/curling.cpp", &b"x"[..])]);
}

#[test]
fn the_watch_finds_files_long_before_the_timer() {
    let folder = tempfile::tempdir().unwrap();
    let (sender, wakes) = mpsc::channel();
    let wake = Box::new(move || sender.send(()).unwrap());
    let settings = config::Intake {
        rescan: Duration::from_secs(1_000_000),
        ..settings()
    };
    let known = known(&["curling"]);
    let mut intake = Intake::new(folder.path(), settings, known, [], Some(wake));
    let start = Instant::now();
    let now_ms = || u64::try_from(start.elapsed().as_millis()).unwrap();
    assert!(intake.round(now_ms()).idle);
    assert_eq!(intake.watch_state(), Some(&WatchState::Watching));
    let mut wanted = vec!["ben_curling.cpp", "cid/curling.cpp", "anna/curling.cpp"];
    while let Some(name) = wanted.pop() {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(folder.path().join(".stage"), name).unwrap();
        fs::rename(folder.path().join(".stage"), path).unwrap();
        loop {
            assert!(start.elapsed() < PATIENCE, "{name}");
            let round = intake.round(now_ms());
            let found: Vec<String> = round.arrivals.iter().map(|(_, it)| path_of(it)).collect();
            for (token, _) in round.arrivals {
                intake.taken(token);
            }
            if found == [name] {
                break;
            }
            assert_eq!(found, [""; 0]);
            let _ = wakes.recv_timeout(round.next_look.min(PATIENCE));
        }
    }
}

#[test]
fn paths_are_printable() {
    let path = OsStr::from_bytes(b"a\xff\n\xe2\x80\xae.cpp");
    assert_eq!(printable(path), "a\\xff\\n\\u{202e}.cpp");
}
