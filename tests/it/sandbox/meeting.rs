//! Two students' programs that run at the same time and try to communicate. Without the sandbox
//! they do, by every channel that is tried; in two rooms they find nothing but the locks on the
//! machine's files, and waiters for them, which SECURITY.md lists.

use std::collections::BTreeSet;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::place::{Place, rounds};

const PROGRAM: &str = include_str!("../../fixtures/meets.c");
/// How long both have to run at the same time.
const TOGETHER_MS: u64 = 1_000;
/// Signs that can be left but are not found in the other room: see "What is not
/// promised" in SECURITY.md.
const LOCKS: [&str; 3] = ["lock of a file", "lock of bytes", "futex"];

/// Locks are visible to the whole machine: the pairs of one test would find those of the other.
static ONE_PAIR: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_PAIR.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap()
}

fn program(me: &str, them: &str, until_ms: u64) -> String {
    format!("#define ME \"{me}\"\n#define THEM \"{them}\"\n#define UNTIL_MS {until_ms}L\n{PROGRAM}")
}

/// A program's output.
#[derive(Debug)]
struct Said {
    began: u64,
    ended: u64,
    left: BTreeSet<String>,
    found: BTreeSet<String>,
}

impl Said {
    fn of(text: &str) -> Self {
        let of_kind = |kind: &str| -> Vec<String> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(kind));
            lines.map(|rest| rest.trim().to_owned()).collect()
        };
        let moment = |kind: &str| of_kind(kind)[0].parse().unwrap();
        Self {
            began: moment("began"),
            ended: moment("ended"),
            left: of_kind("left").into_iter().collect(),
            found: of_kind("found").into_iter().collect(),
        }
    }
}

fn together_ms(said: &[Said; 2]) -> u64 {
    let begun = said[0].began.max(said[1].began);
    said[0].ended.min(said[1].ended).saturating_sub(begun)
}

/// Runs both without a sandbox; returns their outputs.
fn unconfined(until_ms: u64) -> [Said; 2] {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    std::fs::write(&input, "0\n").unwrap();
    let start = |me: &str, them: &str| -> Child {
        let source = folder.path().join(format!("{me}.c"));
        std::fs::write(&source, program(me, them, until_ms)).unwrap();
        let binary = folder.path().join(me);
        let mut gcc = Command::new("gcc");
        gcc.args(["-w", "-o"]).args([&binary, &source]);
        assert!(gcc.status().unwrap().success());
        Command::new(binary)
            .current_dir(&folder)
            .stdin(File::open(&input).unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let both = [start("a", "b"), start("b", "a")];
    both.map(|child| {
        let output = child.wait_with_output().unwrap();
        Said::of(&String::from_utf8_lossy(&output.stderr))
    })
}

#[test]
fn without_the_sandbox_two_programs_communicate_over_every_channel() {
    let _alone = alone();
    let found_all = |said: &[Said; 2]| {
        [(&said[0], &said[1]), (&said[1], &said[0])].map(|(one, other)| {
            let mut left = other.left.clone();
            // It cannot be seen without being blocked by it.
            left.remove("lease");
            left.len() >= 12 && one.found == left
        }) == [true; 2]
    };
    // On a busy machine most of a window goes by while they are compiled, and what one does for a
    // moment, the other may miss while it waits for a core.
    let mut said = None;
    let met = [3_000, 10_000, 60_000].into_iter().any(|window| {
        let said = said.insert(unconfined(now_ms() + window));
        together_ms(said) >= TOGETHER_MS && found_all(said)
    });
    assert!(met, "each found what the other left: {said:?}");
}

/// Submits both; returns their outputs.
fn judged(place: &Place, pair: usize, until_ms: u64) -> [Said; 2] {
    let students = [("a", "b"), ("b", "a")];
    for (me, them) in students {
        let name = format!("submissions/{me}{pair}/meet.c");
        place.write(&name, program(me, them, until_ms));
    }
    students.map(|(me, _)| {
        let attempt = format!("{me}{pair}/meet/1");
        assert_eq!(place.wait_for(&attempt), "AC");
        let report = place.json(&format!("staff/{attempt}.json"));
        Said::of(report["tests"][0]["stderr"].as_str().unwrap())
    })
}

#[test]
fn two_students_programs_in_two_rooms_at_one_moment_do_not_meet() {
    let _alone = alone();
    let place = Place::new().only(&["c"]);
    let text = place.read("config.toml");
    place.write("config.toml", format!("[judge]\nworkers = 2\n{text}"));
    let limits = "title = \"Meet\"\n[limits]\ncpu_s = 5.0\nwall_s = 120.0\n";
    place.write("problems/meet/problem.toml", limits);
    place.add_test("meet", "secret/1", "0\n", "0\n");
    let daemon = place.daemon();
    let mut patience = Duration::from_secs(5);
    let mut pairs = 0..;
    for _ in 0..rounds(1, 20) {
        // On a busy machine one may be built after the other has ended: then both get more time.
        let said = loop {
            let until = now_ms() + u64::try_from(patience.as_millis()).unwrap();
            let said = judged(&place, pairs.next().unwrap(), until);
            if together_ms(&said) >= TOGETHER_MS {
                break said;
            }
            patience *= 2;
            let holds = patience < Duration::from_mins(1);
            assert!(holds, "never together: {said:?}");
        };
        for one in &said {
            let is_lock = |what: &String| LOCKS.contains(&what.as_str());
            assert!(one.found.iter().all(is_lock), "{said:?}");
            // What they saw of each other says that they ran together, not only their times.
            assert!(one.found.contains("lock of a file"), "{said:?}");
            // It has tried: whatever belongs to its own room can be left there.
            for own in "abstract socket|file|POSIX memory|name of a process".split('|') {
                assert!(one.left.contains(own), "{own}: {one:?}");
            }
            for refused in ["lease", "key", "System V memory", "watch of a file"] {
                assert!(!one.left.contains(refused), "{refused}: {one:?}");
            }
        }
    }
    assert_eq!(daemon.stop().code, Some(0));
}
