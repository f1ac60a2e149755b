//! Which orders a free place takes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::samples::{id, place, wants};
use crate::fleet::choose::{Chosen, Most, Wants, choose};
use crate::fleet::place::{Place, Present};
use crate::util::hash::digest;

const MANY: Most = Most {
    orders: 100,
    bytes: 1_000,
};
const ONE: Most = Most {
    orders: 1,
    bytes: 0,
};

/// One place each.
fn present(places: impl IntoIterator<Item = Place>) -> Vec<Present> {
    places
        .into_iter()
        .map(|place| Present::new(place, 1))
        .collect()
}

/// What the first of these takes of what waits, where an order has 300 bytes.
fn taken(waiting: &[Wants], all: &[Present], most: Most, now: Instant) -> Chosen {
    let waiting: Vec<&Wants> = waiting.iter().collect();
    choose(&waiting, &all[0], all, most, now, |_| 300)
}

#[test]
fn whatever_an_order_is_believed_to_take_there_is_a_choice() {
    let now = Instant::now();
    let endless = || Wants {
        expected: Some(Duration::MAX),
        ..wants(now)
    };
    let elsewhere = || Wants {
        machine: Some(Arc::from("machine of lab-2")),
        ..endless()
    };
    let waiting = [elsewhere(), elsewhere(), endless(), endless()];
    let all = present([place("lab-1"), place("lab-2")]);
    assert_eq!(taken(&waiting, &all, ONE, now).at, [2]);
    assert_eq!(taken(&waiting, &all, MANY, now).at, [2]);
}

#[test]
fn a_place_takes_the_first_order_that_suits_it() {
    let now = Instant::now();
    let any = wants(now);
    let java = Wants {
        languages: BTreeSet::from([id("cpp"), id("java")]),
        ..wants(now)
    };
    let there = Wants {
        machine: Some(Arc::from("machine of lab-2")),
        ..wants(now)
    };
    let here = Wants {
        machine: Some(Arc::from("machine of lab-1")),
        ..wants(now)
    };
    let elsewhere = Wants {
        not_machine: here.machine.clone(),
        ..wants(now)
    };
    let avoids = Wants {
        avoid: vec![Arc::from("lab-1")],
        ..wants(now)
    };
    let all = present([place("lab-1"), place("lab-2")]);
    for (name, waiting, expected) in [
        ("nothing waits", vec![], vec![]),
        ("the first one", vec![any.clone(), any.clone()], vec![0]),
        (
            "a language that is not there",
            vec![java.clone(), any.clone()],
            vec![1],
        ),
        ("another machine", vec![there, any.clone()], vec![1]),
        ("this machine", vec![java, here], vec![1]),
        (
            "any machine but this one",
            vec![elsewhere, any.clone()],
            vec![1],
        ),
        ("a worker that failed", vec![avoids.clone(), any], vec![1]),
    ] {
        assert_eq!(taken(&waiting, &all, ONE, now).at, expected, "{name}");
    }
    // Where nobody else can, even one that failed has to.
    let alone = present([place("lab-1")]);
    assert_eq!(taken(&[avoids], &alone, ONE, now).at, [0]);
}

#[test]
fn short_orders_travel_together_up_to_a_second_and_leave_some_for_the_next_place() {
    let now = Instant::now();
    let of = |ms: u64| Wants {
        expected: Some(Duration::from_millis(ms)),
        ..wants(now)
    };
    let unknown = Wants {
        expected: None,
        ..wants(now)
    };
    let one = present([place("lab-1")]);
    let two = present([place("lab-1"), place("lab-2")]);
    let few = Most { bytes: 700, ..MANY };
    for (name, all, most, waiting, expected) in [
        (
            "a second",
            &one,
            MANY,
            vec![of(400), of(400), of(400)],
            vec![0, 1],
        ),
        (
            "one that is long",
            &one,
            MANY,
            vec![of(9_000), of(1)],
            vec![0],
        ),
        (
            "one of which nothing is known",
            &one,
            MANY,
            vec![unknown, of(1)],
            vec![0],
        ),
        ("half of it", &two, MANY, vec![of(10); 6], vec![0, 1, 2]),
        ("so many bytes", &one, few, vec![of(10); 6], vec![0, 1]),
        ("one by one", &one, ONE, vec![of(10); 6], vec![0]),
    ] {
        assert_eq!(taken(&waiting, all, most, now).at, expected, "{name}");
    }
}

#[test]
fn a_program_goes_where_it_is_unless_moving_it_takes_less_long_than_waiting() {
    let now = Instant::now();
    let (ada, bo) = (digest(b"ada"), digest(b"bo"));
    // Moving 10 MB takes 105 ms.
    let of = |file, ms| Wants {
        files: vec![(file, Some(10_000_000))],
        expected: Some(Duration::from_millis(ms)),
        ..wants(now)
    };
    let mut all = present([place("lab-1"), place("lab-2")]);
    all[0].note([bo]);
    all[1].note([ada]);
    // Its own program first, though another one waits for longer.
    let chosen = taken(&[of(ada, 1), of(bo, 1)], &all, ONE, now);
    assert_eq!(chosen.at, [1]);
    assert_eq!(chosen.again, Some(now + Duration::from_millis(105)));
    // The other worker has had its chance.
    let later = now + Duration::from_millis(105);
    assert_eq!(taken(&[of(ada, 1), of(bo, 1)], &all, ONE, later).at, [0]);
    // The other worker has much to do before it.
    let line = [of(ada, 60), of(ada, 60), of(ada, 60)];
    assert_eq!(taken(&line, &all, ONE, now).at, [2]);
    // Nobody has it: nobody is waited for.
    assert_eq!(taken(&[of(digest(b"zoe"), 1)], &all, ONE, now).at, [0]);
    // Here everything is at hand.
    let local = present([Place::local(&Arc::from("here")), place("lab-2")]);
    assert_eq!(taken(&[of(ada, 1)], &local, ONE, now).at, [0]);
}

#[test]
fn only_the_latest_programs_of_a_worker_are_remembered() {
    let mut there = Present::new(place("lab-1"), 1);
    let file = |number: u32| digest(&number.to_le_bytes());
    there.note((0..10_000).map(file));
    there.note([file(9_999)]);
    assert!(there.has(&file(9_999)) && !there.has(&file(0)));
}
