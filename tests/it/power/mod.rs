//! Power cuts, which a test can only simulate: SIGKILL leaves the kernel's memory as it is.
//!
//! Instead, strace records what the real daemon and its commands write, sync and print, in order.
//! From that record come the disks that a power cut may leave at any moment. They hold everything
//! that was announced, and a daemon that is started on them ends where an undisturbed one does.

pub mod disk;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::Value;

use crate::crash::{Outcome, tree};
use crate::place::{Place, rounds};
use crate::programs;
use crate::skips::skipped;
use disk::{Disk, Left};
use trace::Step;

/// How many disks a daemon is started on, for each chapter that ends in verdicts.
const CUTS: (usize, usize) = (2, 40);

/// Files by their paths.
type Files = BTreeMap<String, Arc<Vec<u8>>>;

/// A disk after a power cut, and the chapter whose end the daemon has to reach from there.
struct Cut {
    place: Place,
    chapter: usize,
    what: String,
}

/// The kinds of announcements that were looked for on the disk.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    /// The files of these submissions.
    received: BTreeSet<String>,
    verdicts: usize,
    removed: usize,
    rebuilt: usize,
}

/// A user's action, and the command that strace records.
type Chapter = (fn(&Place), &'static [&'static str]);

const SERVE: &[&str] = &["serve", "--once", "--json"];
const REMOVE: &[&str] = &["hack", "remove", "sum", "evil"];

/// What happens one after the other. After all but the removal, a start on a disk that it leaves has
/// the same outcome as its end.
const CHAPTERS: [Chapter; 6] = [
    (
        |place| {
            place.write("submissions/alpha/sum.c", programs::C);
            place.write("submissions/beta/sum.c", "int main(void) { return 3; }\n");
            place.write("submissions/gamma/sum.docx", "no program\n");
        },
        SERVE,
    ),
    (|_| {}, SERVE),
    (
        |place| {
            place.write("submissions/delta/sum.c", "int main(void) { return 4; }\n");
            place.add_hack("evil", "7 8\n", "8\n");
        },
        SERVE,
    ),
    (|_| {}, REMOVE),
    (|_| {}, SERVE),
    (|_| {}, &["report", "--rebuild"]),
];

fn place() -> Place {
    Place::new().only(&["c"])
}

#[test]
fn after_a_power_cut_at_any_moment_what_was_announced_is_there_and_the_rest_is_done() {
    if !trace::works() {
        skipped("strace: nobody sees what is brought to the disk, and when");
        return;
    }
    let place = place();
    let root = fs::canonicalize(place.path("")).unwrap();
    let mut recorder = Recorder::new(&root);
    let mut outcomes = BTreeMap::new();
    for (number, (does, command)) in CHAPTERS.iter().enumerate() {
        does(&place);
        recorder.disk.take_over();
        let mut command = place.command(command);
        let is_killed = number == 0 && cfg!(debug_assertions);
        if is_killed {
            // What it wrote stays in the kernel's memory, and the next one finds it there.
            command.env("VERDICTD_CRASH_AT", "report written");
        }
        let (output, steps) = trace::traced(&command, &root);
        let said = String::from_utf8_lossy(&output.stderr);
        // strace exits as the daemon does.
        let (signal, code) = (output.status.signal(), output.status.code());
        let ended = if is_killed {
            (Some(9), None)
        } else {
            (None, Some(0))
        };
        let is_right = (signal, code) == ended;
        assert!(is_right && !said.contains("fault"), "{number}: {output:?}");
        recorder.replay(&steps, number);
        if is_killed {
            recorder.disk.catch_up();
        }
        recorder.disk.assert_is_as_recorded(number);
        if !is_killed {
            recorder.assert_all_is_kept(number);
            outcomes.insert(number, Outcome::of(&place));
        }
    }
    let told = &recorder.told;
    assert!(told.received.len() >= 3 && told.verdicts >= 3, "{told:?}");
    assert!(told.removed == 1 && told.rebuilt == 1, "{told:?}");
    let outcomes = &outcomes;
    std::thread::scope(|scope| {
        for half in recorder.cuts.chunks(recorder.cuts.len().div_ceil(2)) {
            scope.spawn(move || half.iter().for_each(|cut| assert_goes_on(cut, outcomes)));
        }
    });
}

/// Follows the record, and checks the disk at every announcement.
struct Recorder {
    disk: Disk,
    told: Told,
    cuts: Vec<Cut>,
}

impl Recorder {
    fn new(root: &Path) -> Self {
        Self {
            disk: Disk::new(root),
            told: Told::default(),
            cuts: Vec::new(),
        }
    }

    fn replay(&mut self, steps: &[Step], chapter: usize) {
        let is_sync = |step: &&Step| matches!(step, Step::SyncDone { .. });
        let syncs = steps.iter().filter(is_sync).count();
        let is_removal = CHAPTERS[chapter].1 == REMOVE;
        let wanted = rounds(CUTS.0, CUTS.1) * usize::from(!is_removal);
        let moments = (0..wanted).map(|cut| (2 * cut + 1) * syncs / (2 * wanted));
        let moments: BTreeSet<usize> = moments.collect();
        let before = self.disk.after_a_cut(Left::All);
        let mut done = 0;
        for step in steps {
            if let Step::Said(words) = step {
                words.lines().for_each(|line| self.look_for(line));
                if words.starts_with("ready:") {
                    self.assert_found_is_kept(&before);
                }
            }
            if is_sync(&step) {
                if moments.contains(&done) {
                    // Just before it is done.
                    let left = [Left::Least, Left::Names][self.cuts.len() % 2];
                    self.cut(left, chapter, done);
                }
                done += 1;
            }
            self.disk.apply(step);
        }
    }

    /// Remembers the disk that a cut leaves now.
    fn cut(&mut self, left: Left, chapter: usize, done: usize) {
        let place = place();
        for (path, bytes) in self.disk.after_a_cut(left) {
            // A received submission no longer needs its file.
            if !self.told.received.contains(&path) {
                place.write(&path, &**bytes);
            }
        }
        self.cuts.push(Cut {
            place,
            // The next chapter continues after the kill.
            chapter: chapter.max(1),
            what: format!("chapter {chapter} before sync {done}: {left:?}"),
        });
    }

    /// What a line announces is on disk, whatever order the kernel writes in.
    fn look_for(&mut self, line: &str) {
        let kept = || [Left::Least, Left::Names].map(|left| self.disk.after_a_cut(left));
        if line.starts_with("removed ") {
            let is_gone = |files: &Files| !files.keys().any(|path| path.contains("hacks/evil"));
            assert!(kept().iter().all(is_gone), "{line}");
            self.told.removed += 1;
        } else if line.contains(" written in ") {
            self.assert_all_is_kept(usize::MAX);
            self.told.rebuilt += 1;
        }
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let text = |key: &str| line[key].as_str().unwrap_or_default();
        let whose = format!("{}/{}", text("student"), text("problem"));
        let name = format!("{whose}/{}", line["attempt"]);
        let of_it = format!("WHERE student || '/' || problem || '/' || attempt = '{name}'");
        match text("kind") {
            "received" => {
                let sql = format!("SELECT '' FROM submissions {of_it}");
                for files in kept() {
                    assert_eq!(asked(&files, &sql), [""], "{line}");
                }
                self.told.received.insert(format!("submissions/{whose}.c"));
            }
            "verdict" => {
                let verdict = text("verdict");
                let join = "submissions JOIN judgements ON id = submission_id";
                let sql = format!("SELECT verdict FROM {join} {of_it}");
                for files in kept() {
                    assert_eq!(asked(&files, &sql), [verdict], "{line}");
                    let report = &files[&format!("reports/{name}.json")];
                    let report: Value = serde_json::from_slice(report).unwrap();
                    assert_eq!(report["verdict"], verdict, "{line}");
                    let log = String::from_utf8(files["staff/verdicts.jsonl"].to_vec()).unwrap();
                    let is_it = |logged: &str| {
                        let logged: Value = serde_json::from_str(logged).unwrap();
                        let keys = ["student", "problem", "attempt", "verdict"];
                        keys.iter().all(|key| logged[key] == line[key])
                    };
                    assert!(log.lines().any(is_it), "{line}: {log}");
                }
                self.told.verdicts += 1;
            }
            _ => {}
        }
    }

    /// A daemon that is ready relies on what it found, even if its predecessor was killed before
    /// that was on disk.
    fn assert_found_is_kept(&self, found: &Files) {
        let [kept, seen] = [Left::Least, Left::All].map(|left| self.disk.after_a_cut(left));
        // Events missing from the feed on disk are written again.
        let is_report = |path: &str| {
            let is_feed = path == "staff/event-feed.ndjson";
            !is_feed && (path.starts_with("reports/") || path.starts_with("staff/"))
        };
        for (path, bytes) in found.iter().filter(|(path, _)| is_report(path)) {
            let is_kept = seen.get(path) != Some(bytes) || kept.get(path) == Some(bytes);
            assert!(is_kept, "{path} was found, and is not on the disk");
        }
    }

    /// Everything on disk is as processes see it, except for what each start writes again.
    fn assert_all_is_kept(&self, chapter: usize) {
        let matters = |path: &String| {
            // SQLite looks after the files beside its database.
            let others = ["state/lock", "state/trouble", "staff/event-feed.ndjson"];
            !path.starts_with("state/verdictd.db-") && !others.contains(&path.as_str())
        };
        let [mut kept, mut seen] = [Left::Least, Left::All].map(|left| self.disk.after_a_cut(left));
        kept.retain(|path, _| matters(path));
        seen.retain(|path, _| matters(path));
        let is_lost = |(path, bytes): &(&String, &Arc<_>)| kept.get(*path) != Some(bytes);
        let lost: Vec<_> = seen.iter().filter(is_lost).map(|(path, _)| path).collect();
        assert!(lost.is_empty(), "{chapter}: not on the disk: {lost:?}");
        kept.retain(|path, _| !seen.contains_key(path));
        let back: Vec<_> = kept.keys().collect();
        assert!(back.is_empty(), "{chapter}: they come back: {back:?}");
    }
}

/// A query's results from the store on this disk.
fn asked(files: &Files, sql: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        if let Some(name) = path.strip_prefix("state/verdictd.db") {
            fs::write(folder.path().join(format!("verdictd.db{name}")), &**bytes).unwrap();
        }
    }
    let store = Connection::open(folder.path().join("verdictd.db")).unwrap();
    let mut rows = store.prepare(sql).unwrap();
    let answers = rows.query_map([], |row| row.get(0)).unwrap();
    answers.map(Result::unwrap).collect()
}

/// Starts a daemon on what a power cut has left: it ends where the undisturbed one did.
fn assert_goes_on(cut: &Cut, outcomes: &BTreeMap<usize, Outcome>) {
    let (place, chapter, what) = (&cut.place, &cut.chapter, &cut.what);
    place.serve_once();
    let files = ["reports", "staff"].map(|folder| (place.path(folder), tree(&place.path(folder))));
    for (folder, files) in files {
        for (name, text) in files {
            if name.contains("/.verdictd-") && CHAPTERS[*chapter].1 != SERVE {
                // A command's half-written files are removed when it is run again.
                fs::remove_file(folder.join(name)).unwrap();
            } else {
                assert!(!text.is_empty(), "{what}: {name} is empty");
            }
        }
    }
    assert_eq!(Outcome::of(place), outcomes[chapter], "{what}");
}
