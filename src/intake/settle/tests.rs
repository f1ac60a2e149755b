//! When files are due, and what becomes of them afterwards.

use std::ffi::OsStr;
use std::time::Duration;

use super::super::stat::Fingerprint;
use super::{Forgotten, Hint, Mark, Queue, Settler};

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

fn settler() -> Settler {
    Settler::new(Duration::from_millis(SETTLE_MS))
}

fn path() -> &'static OsStr {
    OsStr::new("alpha/curling.cpp")
}

fn is_due(settler: &mut Settler, now_ms: u64) -> bool {
    let is_due = settler.is_due(now_ms);
    settler.queue_settled(now_ms, |_| (Queue::Programs, "alpha".into()));
    assert_eq!(settler.next_due(Queue::Programs).is_some(), is_due);
    is_due
}

/// A look at a file: the moment, the state it is found in, and the hint.
type Look = (u64, u64, Hint);

#[test]
fn due_when_the_same_for_the_settle_time() {
    // Looks, and when the file is due.
    #[rustfmt::skip]
    let table: &[(&[Look], u64)] = &[
        (&[(0, 1, Hint::None)], 1_000),
        (&[(0, 1, Hint::None), (900, 1, Hint::None)], 1_000),
        (&[(0, 1, Hint::None), (900, 2, Hint::None)], 1_900),
        (&[(0, 1, Hint::None), (400, 2, Hint::None), (800, 1, Hint::None)], 1_800),
        (&[(0, 1, Hint::Closed)], 500),
        (&[(0, 1, Hint::RenamedIn)], 50),
        (&[(0, 1, Hint::None), (300, 1, Hint::Closed)], 500),
        (&[(0, 1, Hint::None), (300, 1, Hint::RenamedIn)], 50),
        (&[(0, 1, Hint::RenamedIn), (10, 1, Hint::None)], 50),
        (&[(0, 1, Hint::RenamedIn), (10, 2, Hint::None)], 1_010),
        (&[(0, 1, Hint::Closed), (300, 2, Hint::Closed)], 800),
    ];
    for (looks, due_ms) in table {
        let mut settler = settler();
        for &(now_ms, number, hint) in *looks {
            settler.see(path(), state(number), hint, now_ms);
        }
        assert_eq!(settler.next_due_ms(), Some(*due_ms), "{looks:?}");
        assert!(!is_due(&mut settler, due_ms - 1), "{looks:?}");
        assert!(is_due(&mut settler, *due_ms), "{looks:?}");
    }
}

#[test]
fn files_that_are_found_in_one_look_come_in_the_order_in_which_they_were_written() {
    let names = ["other (1).py", "other.py", "a.py", "other (10).py", "z.py"];
    let mut settler = settler();
    for (name, mtime_ns) in names.iter().zip([20, 20, 30, 20, 10]) {
        let found = Fingerprint {
            mtime_ns,
            ..state(1)
        };
        settler.see(OsStr::new(name), found, Hint::None, 0);
    }
    settler.queue_settled(SETTLE_MS, |_| (Queue::Programs, "alpha".into()));
    let mut order = Vec::new();
    while let Some((path, _)) = settler.next_due(Queue::Programs) {
        settler.rest(&path, None);
        order.push(path.to_str().unwrap().to_owned());
    }
    assert_eq!(
        order,
        ["z.py", "other.py", "other (1).py", "other (10).py", "a.py"]
    );
}

#[test]
fn whole_seconds_wait_longer_than_their_grain() {
    let coarse = Fingerprint {
        ctime_ns: 3_000_000_000,
        ..state(1)
    };
    for hint in [Hint::None, Hint::Closed, Hint::RenamedIn] {
        let mut settler = settler();
        settler.see(path(), coarse, hint, 0);
        assert_eq!(settler.next_due_ms(), Some(2_100));
    }
}

#[test]
fn at_rest_until_it_changes() {
    let mut settler = settler();
    settler.see(path(), state(1), Hint::None, 0);
    settler.rest(path(), None);
    settler.see(path(), state(1), Hint::RenamedIn, 5_000);
    assert_eq!(settler.next_due_ms(), None);
    settler.see(path(), state(2), Hint::None, 6_000);
    assert_eq!(settler.next_due_ms(), Some(7_000));
}

#[test]
fn handed_out_until_answered() {
    let mark = Mark {
        fingerprint: state(1),
        told: None,
    };
    let mut settler = settler();
    settler.see(path(), state(1), Hint::None, 0);
    settler.hand_out(path(), 1);
    assert_eq!(settler.next_due_ms(), None);
    settler.put_back(path(), 1, 3_000);
    assert_eq!(settler.next_due_ms(), Some(3_000));
    settler.hand_out(path(), 2);
    // An answer to an older number says nothing.
    settler.put_back(path(), 1, 4_000);
    assert_eq!(settler.next_due_ms(), None);
    // It changes while it is out: the new state settles, and the answer about the old one does not
    // stop that.
    settler.see(path(), state(2), Hint::None, 5_000);
    assert!(!settler.taken(path(), 2, mark));
    assert_eq!(settler.next_due_ms(), Some(6_000));
}

#[test]
fn what_was_taken_is_known_by_everything_but_the_time_of_its_attributes() {
    let refused = Mark {
        fingerprint: state(1),
        told: Some(9),
    };
    let mark = Mark {
        told: None,
        ..refused
    };
    let mut settler = settler();
    assert!(!settler.is_as_taken(path(), state(1)));
    settler.see(path(), state(1), Hint::None, 0);
    for (number, mark, taken) in [(1, refused, false), (2, mark, true)] {
        settler.hand_out(path(), number);
        assert!(settler.taken(path(), number, mark));
        assert_eq!(settler.is_as_taken(path(), state(1)), taken);
    }
    let known = state(1);
    for (now, taken) in [
        (
            Fingerprint {
                ctime_ns: 99,
                ..known
            },
            true,
        ),
        (Fingerprint { size: 99, ..known }, false),
        (
            Fingerprint {
                mtime_ns: 99,
                ..known
            },
            false,
        ),
        (Fingerprint { inode: 99, ..known }, false),
    ] {
        assert_eq!(settler.is_as_taken(path(), now), taken, "{now:?}");
    }
}

#[test]
fn what_waits_for_its_turn_in_either_queue_is_due_now() {
    for queue in [Queue::Programs, Queue::Others] {
        let mut settler = settler();
        settler.see(path(), state(1), Hint::None, 0);
        settler.queue_settled(SETTLE_MS, |_| (queue, "alpha".into()));
        assert_eq!(settler.next_due_ms(), Some(0), "{queue:?}");
        settler.rest(path(), None);
        assert_eq!(settler.next_due_ms(), None, "{queue:?}");
    }
}

#[test]
fn what_vanished_is_forgotten() {
    let mut settler = settler();
    let other = OsStr::new("beta/curling.cpp");
    settler.begin_pass();
    settler.see(path(), state(1), Hint::None, 0);
    settler.see(other, state(1), Hint::None, 0);
    settler.end_pass(true);
    settler.begin_pass();
    settler.see(other, state(1), Hint::None, 100);
    settler.end_pass(false);
    assert_eq!(
        settler.files.len(),
        2,
        "a pass that was cut short proves nothing"
    );
    settler.begin_pass();
    settler.see(other, state(1), Hint::None, 100);
    settler.end_pass(true);
    assert_eq!((settler.files.len(), settler.due.len()), (1, 1));
    assert!(settler.knows(other) && !settler.knows(path()));
    let forgotten = Forgotten {
        was_rejected: false,
    };
    assert_eq!(settler.forget(other), Some(forgotten));
    assert_eq!(settler.forget(other), None);
    assert!(!settler.knows(other));
    assert_eq!(settler.next_due_ms(), None);
}

#[test]
fn a_rejected_file_that_goes_is_named_wherever_it_stands() {
    let mark = Mark {
        fingerprint: state(1),
        told: Some(9),
    };
    // At rest, settling anew, in queue, and on its way to the store.
    let stands: [fn(&mut Settler); 4] = [
        |_| {},
        |settler| settler.see(path(), state(2), Hint::None, 0),
        |settler| {
            settler.review(0, false);
            settler.queue_settled(0, |_| (Queue::Others, "alpha".into()));
        },
        |settler| settler.hand_out(path(), 1),
    ];
    for stand in stands {
        let mut settler = settler();
        settler.remember(path(), mark);
        stand(&mut settler);
        settler.begin_pass();
        assert_eq!(settler.end_pass(false), []);
        let gone = settler.end_pass(true);
        assert_eq!(gone.len(), 1);
        assert_eq!(&*gone[0], path());
        assert_eq!(settler.next_due_ms(), None);
        assert_eq!(settler.next_due(Queue::Others), None);
    }
    // What was said while the file changed is not forgotten either.
    let mut settler = settler();
    settler.see(path(), state(1), Hint::None, 0);
    settler.hand_out(path(), 1);
    settler.see(path(), state(2), Hint::None, 0);
    assert!(!settler.taken(path(), 1, mark));
    let was_rejected = true;
    assert_eq!(settler.forget(path()), Some(Forgotten { was_rejected }));
}

#[test]
fn remembered_from_an_earlier_run() {
    let mut settler = settler();
    let taken = Mark {
        fingerprint: state(1),
        told: None,
    };
    settler.remember(path(), taken);
    let refused = Mark {
        told: Some(9),
        ..taken
    };
    settler.remember(OsStr::new("x"), refused);
    settler.review(10, false);
    settler.see(path(), state(1), Hint::None, 10);
    settler.queue_settled(10, |_| (Queue::Others, "".into()));
    assert_eq!(settler.next_due(Queue::Programs), None);
    let (due, fingerprint) = settler.next_due(Queue::Others).unwrap();
    assert_eq!((&*due, fingerprint), (OsStr::new("x"), state(1)));
    assert_eq!(settler.told(&due), Some(9));
    settler.rest(&due, Some(9));
    assert_eq!(settler.next_due_ms(), None);
    // As a file system has them: numbers that fill their eight bytes, each another.
    let real = Mark {
        fingerprint: Fingerprint {
            size: 0x0102_0304_0506_0708,
            mtime_ns: 1_763_800_000_123_456_789,
            ctime_ns: u64::MAX,
            inode: 1 << 63,
        },
        told: Some(u64::MAX - 1),
    };
    for mark in [taken, refused, real] {
        assert_eq!(Mark::from_bytes(&mark.to_bytes()), Some(mark));
    }
    assert_eq!(Mark::from_bytes(b"short"), None);
    assert_eq!(Mark::from_bytes(&[2; 48]), None);
}
