//! When files are due, and what becomes of them afterwards.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use rustix::fs::FileType;

use super::super::scan::{Fingerprint, Stat};
use super::{Age, Kept, Queue, RoundRobin, Settler};

const SETTLE_MS: u64 = 1_000;

/// The state of a file by one number.
fn state(number: u64) -> Fingerprint {
    Fingerprint {
        size: number,
        mtime_ns: 5,
        ctime_ns: number + 1,
        inode: 7,
    }
}

fn stat(fingerprint: Fingerprint, links: u64) -> Stat {
    Stat {
        kind: FileType::RegularFile,
        fingerprint,
        device: 1,
        links,
        owner: 0,
        mode: 0,
    }
}

/// Names that begin with `x` are other things than programs.
fn place_of(path: &OsStr) -> (Queue, String) {
    let is_other = path.as_bytes().starts_with(b"x");
    let queue = [Queue::Programs, Queue::Others][usize::from(is_other)];
    (queue, "alpha".into())
}

/// A pass that finds these files.
fn pass(settler: &mut Settler, now_ms: u64, files: &[(&str, Fingerprint)]) {
    settler.begin_pass();
    for (path, fingerprint) in files {
        settler.see(OsStr::new(path), &stat(*fingerprint, 1), SETTLE_MS, now_ms);
    }
    settler.end_pass(true);
    settler.queue_settled(now_ms, place_of);
}

/// The files of a queue whose turn comes now, each of which then rests.
fn due(settler: &mut Settler, queue: Queue, now_ms: u64) -> Vec<String> {
    let mut paths = Vec::new();
    while let Some((path, _)) = settler.next(queue, now_ms) {
        settler.rest(&path);
        paths.push(path.to_str().unwrap().to_owned());
    }
    paths
}

fn gone(settler: &mut Settler) -> Vec<String> {
    let gone = settler.pop_gone(9).into_iter();
    gone.map(|path| path.to_str().unwrap().to_owned()).collect()
}

#[test]
fn due_when_the_same_for_the_settle_time() {
    let mut coarse = state(1);
    coarse.ctime_ns = 3_000_000_000;
    // Looks, and when the file is due. Whole seconds wait longer than their grain.
    let table: &[(&[(u64, Fingerprint)], u64)] = &[
        (&[(0, state(1))], 1_000),
        (&[(0, state(1)), (900, state(1))], 1_000),
        (&[(0, state(1)), (900, state(2))], 1_900),
        (&[(0, state(1)), (400, state(2)), (800, state(1))], 1_800),
        (&[(0, coarse)], 2_100),
    ];
    for (looks, due_ms) in table {
        let mut settler = Settler::default();
        for (now_ms, fingerprint) in *looks {
            pass(&mut settler, *now_ms, &[("a", *fingerprint)]);
        }
        assert_eq!(settler.next_settled_ms(), Some(*due_ms), "{looks:?}");
        settler.queue_settled(due_ms - 1, place_of);
        assert!(!settler.is_waiting(), "{looks:?}");
        settler.queue_settled(*due_ms, place_of);
        let due = due(&mut settler, Queue::Programs, *due_ms);
        assert_eq!(due, ["a"], "{looks:?}");
    }
}

#[test]
fn files_that_are_found_in_one_look_come_in_the_order_in_which_they_were_written() {
    let names = ["other (1).py", "other.py", "a.py", "old (10).py"];
    let found = names.into_iter().zip([20, 20, 30, 10]);
    let found = found.map(|(name, mtime_ns)| {
        let mut state = state(1);
        state.mtime_ns = mtime_ns;
        (name, state)
    });
    let found: Vec<_> = found.collect();
    let mut settler = Settler::default();
    pass(&mut settler, 0, &found);
    pass(&mut settler, SETTLE_MS, &found);
    let due = due(&mut settler, Queue::Programs, SETTLE_MS);
    assert_eq!(due, ["old (10).py", "other.py", "other (1).py", "a.py"]);
}

#[test]
fn at_rest_until_it_changes_or_loses_a_name() {
    let mut settler = Settler::default();
    pass(&mut settler, 0, &[("a", state(1))]);
    settler.rest(OsStr::new("a"));
    pass(&mut settler, 5_000, &[("a", state(1))]);
    assert!(settler.is_idle());
    pass(&mut settler, 6_000, &[("a", state(2))]);
    assert_eq!(settler.next_settled_ms(), Some(7_000));
    settler.see(OsStr::new("a"), &stat(state(2), 2), SETTLE_MS, 6_500);
    settler.queue_settled(7_000, place_of);
    assert_eq!(settler.next_settled_ms(), Some(7_500));
}

#[test]
fn what_changes_while_it_waits_for_its_turn_has_to_settle_again() {
    let mut settler = Settler::default();
    let files = ["a", "x", "y"].map(|name| (name, state(1)));
    pass(&mut settler, 0, &files);
    pass(&mut settler, 1_000, &files);
    assert!(settler.is_waiting());
    // One changes, one goes, and each turn comes once.
    pass(&mut settler, 1_100, &[("a", state(2)), ("x", state(1))]);
    assert_eq!(due(&mut settler, Queue::Programs, 1_100), [""; 0]);
    assert_eq!(due(&mut settler, Queue::Others, 1_100), ["x"]);
    assert_eq!(settler.next_settled_ms(), Some(2_100));
    pass(&mut settler, 2_100, &[("a", state(2)), ("x", state(1))]);
    assert_eq!(due(&mut settler, Queue::Programs, 2_100), ["a"]);
    assert!(!settler.is_waiting());
    // What could not be stored comes again later.
    settler.again(OsStr::new("a"), 3_000);
    assert_eq!(settler.next_settled_ms(), Some(3_000));
}

#[test]
fn what_the_store_knows_is_named_when_it_goes_and_nothing_else() {
    let mut settler = Settler::default();
    let files = ["new", "taken", "x"].map(|name| (name, state(1)));
    pass(&mut settler, 0, &files);
    settler.take(OsStr::new("taken"));
    settler.reject(OsStr::new("x"));
    // A pass that was cut short proves nothing.
    settler.begin_pass();
    settler.end_pass(false);
    assert_eq!(gone(&mut settler), [""; 0]);
    pass(&mut settler, 100, &[]);
    assert!(!settler.is_idle());
    let paths = settler.pop_gone(9);
    settler.put_gone(paths);
    // One that comes back before the store has forgotten it is known.
    pass(&mut settler, 200, &[("x", state(1))]);
    assert_eq!(gone(&mut settler), ["taken"]);
    assert_eq!(settler.kept(OsStr::new("x")), Kept::Rejected);
    let x = std::sync::Arc::from(OsStr::new("x"));
    settler.pass_over(&x);
    assert_eq!(gone(&mut settler), ["x"]);
    settler.forget(&x);
    assert_eq!(gone(&mut settler), [""; 0]);
}

#[test]
fn remembered_from_an_earlier_run() {
    let mut settler = Settler::default();
    settler.remember(OsStr::new("a"), state(1), false);
    settler.remember(OsStr::new("x"), state(1), true);
    let files = [("a", state(1)), ("x", state(1)), ("x2", state(1))];
    pass(&mut settler, 10, &files);
    // Names may mean something else than in the earlier run.
    assert_eq!(due(&mut settler, Queue::Others, 10), ["x"]);
    assert_eq!(due(&mut settler, Queue::Programs, 10), [""; 0]);
    pass(&mut settler, 1_010, &files);
    assert_eq!(due(&mut settler, Queue::Others, 1_010), ["x2"]);
    // Whatever was not taken is looked at again.
    settler.review();
    settler.queue_settled(1_010, place_of);
    assert_eq!(due(&mut settler, Queue::Others, 1_010), ["x", "x2"]);
    assert_eq!(due(&mut settler, Queue::Programs, 1_010), [""; 0]);
}

#[test]
fn each_has_a_turn_before_anybody_has_another() {
    let mut files_due = RoundRobin::default();
    // The owner and when it is due, as `a1`.
    let add = |files_due: &mut RoundRobin, path: &str| {
        let (owner, due_ms) = path.split_at(1);
        let due_ms = due_ms.parse().unwrap();
        let age = Age {
            due_ms,
            mtime_ns: 100 - due_ms,
            name_bytes: 2,
        };
        files_due.add(owner, age, Arc::from(OsStr::new(path)));
    };
    for path in ["a1", "a2", "a3", "b9", "d8", "d5"] {
        add(&mut files_due, path);
    }
    let mut order = Vec::new();
    while let Some(path) = files_due.pop() {
        order.push(path.to_str().unwrap().to_owned());
        if order.len() == 2 {
            // Who comes later is not behind those who have had a turn already.
            add(&mut files_due, "c7");
        }
    }
    assert_eq!(order, ["a1", "b9", "c7", "d5", "a2", "d8", "a3"]);
    assert!(files_due.is_empty());
}
