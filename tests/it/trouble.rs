//! What can go wrong around the daemon: full disks, a damaged store, packages that break, wrong
//! clocks.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::place::{Daemon, Place, binary, wait_until};
use crate::programs;
use crate::skips::skipped;
use crate::store::{count, trouble};

/// Room on the small disk, in KiB: more than an empty store needs, less than the ballast.
const DISK_KIB: usize = 12 * 1024;

/// A mark of every line of the developers' log.
const LOGGED: &str = "verdictd::daemon::";

/// A daemon with one of its folders on a small disk.
struct OnSmallDisk {
    place: Place,
    daemon: Daemon,
    folder: &'static str,
}

impl OnSmallDisk {
    /// Starts it in a mount namespace, so that nothing is left behind; `None` if this machine does
    /// not allow it.
    fn start(folder: &'static str) -> Option<Self> {
        let possible = Command::new("unshare")
            .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
            .output()
            .is_ok_and(|output| output.status.success());
        if !possible {
            skipped("no full disk: mounting a small one needs root and unshare(1)");
            return None;
        }
        let place = Place::new().only(&["python3"]);
        fs::create_dir_all(place.path(folder)).unwrap();
        let script = format!(
            "mount -t tmpfs -o size={DISK_KIB}k,mode=755 small \"$1\" && shift && exec \"$@\""
        );
        let mut command = Command::new("unshare");
        command
            .args([
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                &script,
                "sh",
            ])
            .arg(place.path(folder))
            .arg(binary())
            .arg("--config")
            .arg(place.path("config.toml"))
            .arg("serve")
            // The developers' log has a line for each try; people get one message.
            .env("RUST_LOG", "verdictd::daemon=debug");
        let daemon = Place::started(command);
        Some(Self {
            place,
            daemon,
            folder,
        })
    }

    /// A path as the daemon sees it.
    fn seen(&self, name: &str) -> PathBuf {
        let path = self.place.path(name);
        PathBuf::from(format!("/proc/{}/root", self.daemon.pid()))
            .join(path.strip_prefix("/").unwrap())
    }

    /// Fills the disk to the last block.
    fn fill(&self) {
        let file = fs::File::create(self.seen(&format!("{}/ballast", self.folder))).unwrap();
        let block = [7; 4_096];
        let blocks = (0..).take_while(|at| file.write_all_at(&block, at * 4_096).is_ok());
        assert!(blocks.count() > 0);
    }

    fn make_room(&self) {
        fs::remove_file(self.seen(&format!("{}/ballast", self.folder))).unwrap();
    }

    /// How many lines for people contain these words.
    fn told(said: &[String], words: &str) -> usize {
        let for_people = said.iter().filter(|line| !line.contains(LOGGED));
        for_people.filter(|line| line.contains(words)).count()
    }

    /// Waits until the daemon has found the disk full and has tried again.
    fn wait_for_tries(&self) {
        wait_until("the daemon's word on the full disk", || {
            Self::told(&self.daemon.said(), "is full") > 0
        });
        let tries = || {
            let said = self.daemon.said();
            let logged = said.iter().filter(|line| line.contains(LOGGED));
            logged.filter(|line| line.contains("is full")).count()
        };
        let first = tries();
        wait_until("its next tries", || tries() >= first + 2);
    }

    /// The verdicts in the daemon's log.
    fn verdicts(&self) -> Vec<(String, String)> {
        let log = fs::read_to_string(self.seen("staff/verdicts.jsonl")).unwrap_or_default();
        let mut found: Vec<(String, String)> = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|line| line["verdict"].is_string())
            .map(|line| {
                let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
                (text("student"), text("verdict"))
            })
            .collect();
        found.sort();
        found
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.seen(&format!("submissions/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Fills the disk, submits, makes room: everybody gets the right verdict, and the daemon
    /// reports the disk once.
    fn hold_out(self) {
        self.write("before/sum.py", programs::PYTHON);
        wait_until("the first verdict", || self.verdicts().len() == 1);
        self.fill();
        let mut expected = vec![("before".to_owned(), "AC".to_owned())];
        for number in 0..8 {
            let (program, verdict) = if number % 2 == 0 {
                (programs::PYTHON, "AC")
            } else {
                ("print(7)\n", "WA")
            };
            let student = format!("s{number}");
            self.write(
                &format!("{student}/sum.py"),
                &format!("{program}# {number}\n"),
            );
            expected.push((student, verdict.to_owned()));
        }
        self.write("s8/sum.docx", "x");
        self.wait_for_tries();
        let report = |number: i32| self.seen(&format!("reports/s{number}/sum/1.txt"));
        // A block that became free may have held one report, but not all of them.
        let early = (0..8).all(|number| report(number).exists());
        let told = self.verdicts();
        assert!(!early, "on a full disk: {told:?}");
        let is_right = told.iter().all(|verdict| expected.contains(verdict));
        assert!(is_right, "on a full disk: {told:?}");
        self.make_room();
        wait_until("every verdict", || self.verdicts().len() == expected.len());
        assert_eq!(self.verdicts(), expected);
        wait_until("the note on what is no submission", || {
            self.seen("reports/s8/rejected/sum.docx.note.txt").exists()
        });
        wait_until("every report", || {
            (0..8).all(|number| report(number).exists())
        });
        let ended = self.daemon.stop();
        assert_eq!(ended.code, Some(0), "{:?}", ended.said);
        let count = |words: &str| Self::told(&ended.said, words);
        assert_eq!(count("is full"), 1, "said once: {:#?}", ended.said);
        assert_eq!(count("room on the disk again"), 1, "{:#?}", ended.said);
        assert_eq!(count("not judged"), 0, "nobody's fault: {:#?}", ended.said);
    }
}

#[test]
fn a_full_disk_of_the_store_costs_no_verdict() {
    if let Some(daemon) = OnSmallDisk::start("state") {
        daemon.hold_out();
    }
}

#[test]
fn a_full_disk_of_the_reports_costs_no_verdict() {
    if let Some(daemon) = OnSmallDisk::start("reports") {
        daemon.hold_out();
    }
}

#[test]
fn a_full_disk_of_the_staffs_files_is_in_status_until_there_is_room() {
    let Some(disk) = OnSmallDisk::start("staff") else {
        return;
    };
    disk.write("before/sum.py", programs::PYTHON);
    wait_until("the first verdict", || disk.verdicts().len() == 1);
    wait_until("the first page", || {
        disk.seen("staff/before/sum/1.html").exists()
    });
    disk.fill();
    disk.write("alpha/sum.py", "print(7)\n");
    wait_until("the full disk as trouble", || {
        trouble(&disk.place).contains("is full")
    });
    let shown = String::from_utf8(disk.place.run(&["status"]).stdout).unwrap();
    assert!(
        shown.contains("trouble") && shown.contains("is full"),
        "{shown}"
    );
    disk.make_room();
    wait_until("no trouble", || trouble(&disk.place).is_empty());
    let shown = String::from_utf8(disk.place.run(&["status"]).stdout).unwrap();
    assert!(!shown.contains("is full"), "{shown}");
    wait_until("the page", || disk.seen("staff/alpha/sum/1.html").exists());
    let ended = disk.daemon.stop();
    let count = |words: &str| OnSmallDisk::told(&ended.said, words);
    assert_eq!(count("is full"), 1, "said once: {:#?}", ended.said);
    assert_eq!(count("room on the disk again"), 1, "{:#?}", ended.said);
}

#[test]
fn a_file_truncated_by_a_full_disk_is_not_received() {
    let Some(disk) = OnSmallDisk::start("submissions") else {
        return;
    };
    let program = format!("{}# {}\n", programs::PYTHON, "x".repeat(10_000));
    disk.write("alpha/room", "");
    disk.fill();
    // Nothing fits any more: an upload leaves an empty file.
    let path = disk.seen("submissions/alpha/sum.py");
    assert!(fs::write(&path, &program).is_err());
    disk.wait_for_tries();
    let note = disk.seen("reports/alpha/rejected/sum.py.note.txt");
    assert!(!note.exists(), "nobody is told off for a full disk");
    // Room appears only with the whole second upload.
    let ballast = disk.seen("submissions/ballast");
    disk.make_room();
    assert!(!ballast.exists());
    fs::write(&path, &program).unwrap();
    wait_until("the verdict", || !disk.verdicts().is_empty());
    assert_eq!(disk.verdicts(), [("alpha".to_owned(), "AC".to_owned())]);
    let ended = disk.daemon.stop();
    let full = OnSmallDisk::told(&ended.said, "is full");
    assert_eq!(full, 1, "{:#?}", ended.said);
}

/// A place with a verdict in its store, and the store's file.
fn judged_place() -> (Place, PathBuf) {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(7)\n");
    place.serve_once();
    let file = place.path("state/verdictd.db");
    (place, file)
}

#[test]
fn a_damaged_store_is_refused_and_left_as_it_is_and_moving_it_away_rebuilds_everything() {
    let (place, file) = judged_place();
    let whole = fs::read(&file).unwrap();
    let middle = |mut bytes: Vec<u8>| {
        let (begin, end) = (bytes.len() / 4, 3 * bytes.len() / 4);
        bytes[begin..end].fill(0xA5);
        bytes
    };
    for (what, bytes) in [
        ("overwritten in the middle", middle(whole.clone())),
        ("cut off", whole[..whole.len() / 2].to_vec()),
        (
            "garbage",
            b"this is no database, whatever its name says".repeat(500),
        ),
    ] {
        fs::write(&file, &bytes).unwrap();
        place.write("submissions/gamma/sum.py", programs::PYTHON);
        let output = place.run(&["serve", "--once"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{what}: {said}");
        assert!(
            said.contains("damaged") && said.contains("move it away"),
            "{what}: {said}"
        );
        assert_eq!(fs::read(&file).unwrap(), bytes, "{what}: left as it was");
    }
    // Do what the message says.
    fs::rename(place.path("state"), place.path("state.damaged")).unwrap();
    let verdicts = place.serve_once();
    let verdicts: Vec<_> = verdicts.values().map(String::as_str).collect();
    assert_eq!(verdicts, ["AC", "WA", "AC"]);
}

#[test]
fn an_empty_store_one_of_another_version_and_another_programs_are_distinguished() {
    let (place, file) = judged_place();
    let whole = fs::read(&file).unwrap();
    // Bytes 60 to 63 of a SQLite file are its version, 68 to 71 the application's id.
    for (at, what) in [
        (60, "or a later version"),
        (68, "not a store of this program"),
    ] {
        let mut other = whole.clone();
        other[at..at + 4].copy_from_slice(&77_i32.to_be_bytes());
        fs::write(&file, &other).unwrap();
        let output = place.run(&["serve", "--once"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(what), "{said}");
        assert_eq!(fs::read(&file).unwrap(), other, "left as it was");
    }
    // A start that was killed at once leaves an empty file: there is nothing in it to lose.
    fs::write(&file, "").unwrap();
    assert_eq!(place.serve_once().len(), 2);
}

#[test]
fn a_package_that_breaks_during_grading_costs_no_verdict() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    for number in 0..40 {
        place.write(
            &format!("submissions/s{number}/sum.py"),
            format!("{}# {number}\n", programs::PYTHON),
        );
    }
    wait_until("the first verdicts", || place.verdicts().len() >= 3);
    place.write("problems/sum/problem.toml", "title = \n");
    wait_until("the package to be broken", || {
        count(&place, "packages WHERE broken IS NOT NULL") == 1
    });
    place.write("submissions/late/sum.py", "print(7)\n");
    wait_until("the late one to be received", || {
        count(&place, "submissions") == 41
    });
    place.write(
        "problems/sum/problem.toml",
        "title = \"Sum\"\n[limits]\ncpu_s = 1.0\nmemory_mib = 64\n[compare]\nmode = \"lines\"\n",
    );
    wait_until("every verdict", || place.verdicts().len() == 41);
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0));
    let verdicts = place.verdicts();
    assert_eq!(verdicts["late/sum/1"], "WA");
    assert_eq!(
        verdicts.values().filter(|verdict| *verdict == "AC").count(),
        40
    );
    let log = place.read("staff/verdicts.jsonl");
    let told = log.matches("\"kind\":\"verdict\"").count();
    assert_eq!(told, 41, "no verdict twice");
}

#[test]
fn files_from_the_future_and_from_1970_are_received_like_any_other() {
    let place = Place::new().only(&["python3"]);
    let far = Duration::from_hours(24 * 365 * 30);
    for (student, time) in [
        ("future", SystemTime::now() + far),
        ("beginning", SystemTime::UNIX_EPOCH),
        ("before", SystemTime::UNIX_EPOCH - far),
    ] {
        let name = format!("submissions/{student}/sum.py");
        place.write(&name, programs::PYTHON);
        let file = fs::File::options()
            .write(true)
            .open(place.path(&name))
            .unwrap();
        file.set_modified(time).unwrap();
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), 3, "{verdicts:?}");
    // Older than what was judged, but a different program.
    place.write("submissions/future/sum.py", "print(7)\n");
    let verdicts = place.serve_once();
    assert_eq!(verdicts["future/sum/2"], "WA");
}
