//! Late, repeated, lost and foreign messages, in tables and in any order.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Outstanding, Taking, UNHEARD, UNMOVED, WORKERS_MAX};
use crate::cluster::subjects::Name;
use crate::cluster::wire::{About, Beat, Doing, Facts, Id, Part, SHAPE};
use crate::domain::{Digest, Speed};
use crate::judge::order::{Ended, Fact};
use crate::util::hash::digest;
use crate::util::tests::trials::trials;

#[path = "gone_tests.rs"]
mod gone;

const SILENT: Duration = Duration::from_secs(15);

fn name(number: usize) -> Name {
    Name::new(&format!("lab-{number}")).unwrap()
}

fn id(text: &str) -> Id {
    Id(text.to_string())
}

fn about(places: usize) -> About {
    About {
        version: "1".to_owned(),
        machine: "a machine".to_owned(),
        places,
        sandbox: Digest([0; 32]),
        protections: Vec::new(),
        languages: BTreeMap::new(),
        speed: Speed {
            least_ns: 1,
            spread_percent: 0.0,
        },
    }
}

fn beat(life: &str, doing: &[&str]) -> Beat {
    Beat {
        shape: SHAPE,
        worker: id(life),
        about: None,
        doing: doing
            .iter()
            .map(|order| Doing {
                order: id(order),
                progress: None,
            })
            .collect(),
    }
}

fn facts(life: &str, order: &str, first: u64, count: usize, ends: bool) -> Facts {
    Facts {
        worker: id(life),
        order: id(order),
        first,
        list: vec![Fact::Lost(Digest([7; 32])); count],
        lengths: Vec::new(),
        progress: None,
        ended: ends.then_some(Ok(Ended::Done)),
    }
}

fn with_order() -> (Outstanding<u32>, Instant) {
    let mut all = Outstanding::new(SILENT);
    let now = Instant::now();
    let here = all.here(&name(1), &beat("a", &[]), Some(about(1)), now);
    assert!(here.lost.is_empty() && !here.is_unknown);
    all.give(&name(1), &id("a"), vec![(id("x"), 1)], now)
        .unwrap();
    (all, now)
}

#[test]
fn a_fact_is_taken_once_and_in_its_turn() {
    let (mut all, now) = with_order();
    let mut take = |worker: usize, life, first, count, ends| {
        let taking = all.facts(&name(worker), &facts(life, "x", first, count, ends), now);
        if matches!(taking, Taking::Take { .. }) {
            all.taken(&id("x"), &[], !ends);
        }
        match taking {
            Taking::Take { skip, .. } => ("take", skip),
            Taking::Again => ("again", 0),
            Taking::Busy => ("busy", 0),
            Taking::Stop => ("stop", 0),
            Taking::Gap(_) => ("gap", 0),
        }
    };
    assert_eq!(take(1, "a", 1, 2, false), ("take", 0));
    assert_eq!(
        take(1, "a", 1, 2, false),
        ("again", 0),
        "its answer was lost"
    );
    assert_eq!(take(1, "a", 2, 2, false), ("take", 1), "one of two is new");
    assert_eq!(take(1, "b", 4, 1, false), ("stop", 0), "another life");
    assert_eq!(take(2, "a", 4, 1, false), ("stop", 0), "another worker");
    assert_eq!(take(1, "a", 4, 0, false), ("take", 0), "how far it is");
    assert_eq!(take(1, "a", 4, 1, true), ("take", 0));
    assert_eq!(take(1, "a", 4, 1, true), ("stop", 0), "it has ended");
    let dropped = all.workers().next().unwrap().1.counts.dropped;
    assert_eq!(dropped, 2 + 1 + 1 + 1);

    let (mut all, now) = with_order();
    let gap = all.facts(&name(1), &facts("a", "x", 2, 1, false), now);
    assert_eq!(gap, Taking::Gap(1));
    assert_eq!(all.lose_all(), [0; 0], "a gap ends the order");
}

#[test]
fn who_repeats_what_is_on_its_way_waits() {
    let (mut all, now) = with_order();
    let first = facts("a", "x", 1, 1, false);
    assert!(matches!(
        all.facts(&name(1), &first, now),
        Taking::Take { .. }
    ));
    assert_eq!(all.facts(&name(1), &first, now), Taking::Busy);
    all.taken(&id("x"), &[], true);
    assert_eq!(all.facts(&name(1), &first, now), Taking::Again);
}

#[test]
fn orders_are_lost_with_their_worker_and_only_then() {
    type Happens = fn(&mut Outstanding<u32>, Instant) -> Vec<u32>;

    let long = SILENT + Duration::from_millis(1);
    // What happens, and whether the order is lost by it.
    let cases: [(&str, Happens, bool); 7] = [
        (
            "it beats",
            |all, now| {
                let _ = all.here(&name(1), &beat("a", &["x"]), None, now + SILENT);
                all.tick(now + SILENT + SILENT)
            },
            false,
        ),
        (
            "it is silent",
            |all, now| all.tick(now + SILENT + Duration::from_secs(1)),
            true,
        ),
        (
            "it lives anew",
            |all, now| all.here(&name(1), &beat("b", &[]), None, now).lost,
            true,
        ),
        (
            "another worker comes",
            |all, now| all.here(&name(2), &beat("b", &["x"]), None, now).lost,
            false,
        ),
        (
            "it never arrived",
            |all, now| {
                let late = now + UNHEARD + Duration::from_secs(1);
                all.here(&name(1), &beat("a", &[]), None, late).unheard
            },
            true,
        ),
        (
            "it may be on its way",
            |all, now| {
                all.here(&name(1), &beat("a", &[]), None, now + UNHEARD / 2)
                    .lost
            },
            false,
        ),
        (
            "this process was silent",
            |all, now| {
                let late = now + SILENT + SILENT;
                all.forgive(late);
                all.tick(late)
            },
            false,
        ),
    ];
    for (what, happens, is_lost) in cases {
        let (mut all, now) = with_order();
        assert_eq!(!happens(&mut all, now).is_empty(), is_lost, "{what}");
        let taking = all.facts(&name(1), &facts("a", "x", 1, 1, false), now + long);
        assert_eq!(taking == Taking::Stop, is_lost, "{what}");
    }
}

#[test]
fn an_order_of_which_nothing_comes_is_lost_although_its_worker_beats() {
    let (mut all, start) = with_order();
    all.give(&name(1), &id("a"), vec![(id("y"), 2), (id("z"), 3)], start)
        .unwrap();
    let mut lost = Vec::new();
    let mut pass = |all: &mut Outstanding<u32>, from: Instant, time: Duration| {
        let mut now = from;
        while now < from + time {
            now += SILENT;
            all.here(&name(1), &beat("a", &["x", "y", "z"]), None, now);
            lost.extend(all.tick(now));
        }
        now
    };
    let now = pass(&mut all, start, UNMOVED / 2);
    // Something comes of one of two that were given together.
    let taking = all.facts(&name(1), &facts("a", "y", 1, 1, true), now);
    assert!(matches!(taking, Taking::Take { .. }));
    all.taken(&id("y"), &[], false);
    let now = pass(&mut all, now, UNMOVED / 2 + SILENT * 2);
    let repeated = facts("a", "z", 1, 0, false);
    assert!(matches!(
        all.facts(&name(1), &repeated, now),
        Taking::Take { .. }
    ));
    all.taken(&id("z"), &[], true);
    pass(&mut all, now, UNMOVED);
    assert_eq!(lost, [1, 3]);
}

#[test]
fn a_worker_that_wakes_up_hears_what_it_does_in_vain() {
    let (mut all, now) = with_order();
    assert_eq!(all.tick(now + SILENT * 2), [1]);
    assert!(all.workers().next().unwrap().1.is_gone);
    let here = all.here(&name(1), &beat("a", &["x"]), None, now + SILENT * 3);
    assert_eq!(here.drop, [id("x")]);
    assert!(!all.workers().next().unwrap().1.is_gone);
}

#[test]
fn of_two_with_one_name_the_first_one_is_told() {
    let (mut all, now) = with_order();
    let second = all.here(&name(1), &beat("b", &[]), Some(about(1)), now);
    assert_eq!((second.lost, second.is_rival), (vec![1], false));
    let first = all.here(&name(1), &beat("a", &["x"]), None, now);
    assert!(first.is_rival && first.drop == [id("x")]);
    // When the other one is gone, it may come back.
    let back = all.here(&name(1), &beat("a", &[]), None, now + SILENT * 2);
    assert!(!back.is_rival && back.is_unknown);
}

#[test]
fn places_and_workers_are_bounded() {
    let (mut all, now) = with_order();
    assert!(
        all.asks(&name(1), &id("a"), now).is_some(),
        "the next one may be on its way"
    );
    all.give(&name(1), &id("a"), vec![(id("y"), 2), (id("z"), 3)], now)
        .unwrap();
    assert!(
        all.asks(&name(1), &id("a"), now).is_none(),
        "two envelopes for its place"
    );
    assert!(all.asks(&name(2), &id("a"), now).is_none(), "never seen");
    assert_eq!(
        all.give(&name(1), &id("b"), vec![(id("q"), 4)], now),
        Err(vec![4])
    );
    for number in 2..WORKERS_MAX + 5 {
        all.here(&name(number), &beat("a", &[]), None, now);
    }
    assert_eq!(all.workers().count(), WORKERS_MAX);
    all.tick(now + SILENT * 2);
    all.here(&name(9_999), &beat("a", &[]), None, now + SILENT * 2);
    assert_eq!(all.workers().count(), WORKERS_MAX);
    assert!(all.workers().any(|(known, _)| *known == name(9_999)));
}

#[test]
fn parts_come_in_turn_and_are_what_they_are_called() {
    let bytes = b"0123456789";
    let whole = digest(bytes);
    let part = |named: Digest, at: u64| Part {
        worker: id("a"),
        order: id("x"),
        digest: named,
        at,
        of: 10,
    };
    let (mut all, now) = with_order();
    assert_eq!(
        all.part(&name(1), &part(whole, 0), &bytes[..4], now),
        Ok(true)
    );
    assert_eq!(
        all.part(&name(1), &part(whole, 0), &bytes[..4], now),
        Ok(true),
        "again"
    );
    assert_eq!(
        all.part(&name(2), &part(whole, 4), &bytes[4..], now),
        Err(None)
    );
    assert_eq!(
        all.part(&name(1), &part(whole, 4), &bytes[4..], now),
        Ok(true)
    );
    let Taking::Take { parts, .. } = all.facts(&name(1), &facts("a", "x", 1, 1, false), now) else {
        panic!("it is the next one");
    };
    assert_eq!(&*parts[&whole], bytes);
    all.taken(&id("x"), &[whole], true);
    assert_eq!(all.part_bytes, 0);

    for (what, named, at, bytes) in [
        ("a gap", whole, 4, &bytes[4..]),
        ("another digest", Digest([1; 32]), 0, &bytes[..]),
        ("too long", whole, 0, b"0123456789x"),
        ("nothing", whole, 0, b""),
    ] {
        let (mut all, now) = with_order();
        let wrong = all.part(&name(1), &part(named, at), bytes, now);
        assert_eq!(wrong, Err(Some(1)), "{what}");
        assert_eq!(all.part_bytes, 0, "{what}");
    }
}

#[test]
fn one_worker_does_not_take_all_the_room_for_parts() {
    let chunk = vec![0; 64];
    let mut all: Outstanding<usize> = Outstanding::new(SILENT);
    all.part_bytes_max = 8 * chunk.len();
    let now = Instant::now();
    for worker in 0..3 {
        all.here(&name(worker), &beat("a", &[]), Some(about(9)), now);
        let orders = (0..9).map(|order| (id(&format!("{worker}-{order}")), order));
        all.give(&name(worker), &id("a"), orders.collect(), now)
            .unwrap();
    }
    let mut part = |worker: usize, order: usize| {
        let part = Part {
            worker: id("a"),
            order: id(&format!("{worker}-{order}")),
            digest: Digest([1; 32]),
            at: 0,
            of: chunk.len() as u64 + 1,
        };
        all.part(&name(worker), &part, &chunk, now)
    };
    let greedy: Vec<bool> = (0..9).map(|order| part(0, order).is_ok()).collect();
    assert_eq!(greedy.iter().filter(|taken| **taken).count(), 5);
    assert_eq!([part(1, 0), part(1, 1), part(2, 0)], [Ok(true); 3]);
    assert_eq!(part(2, 1), Ok(false), "there is no room now");
}

/// What may happen, to one of three workers and one of all orders.
#[derive(Debug, Clone, Copy)]
enum Event {
    Beat {
        worker: usize,
        life: usize,
        lists: bool,
    },
    Give {
        worker: usize,
        life: usize,
    },
    Facts {
        order: usize,
        worker: usize,
        life: usize,
        back: u64,
        count: usize,
        ends: bool,
    },
    Taken {
        order: usize,
    },
    Wait {
        seconds: u64,
    },
}

fn event() -> impl Strategy<Value = Event> {
    let (worker, life, order) = (0..3_usize, 0..2_usize, 0..40_usize);
    prop_oneof![
        3 => (worker.clone(), life.clone(), any::<bool>())
            .prop_map(|(worker, life, lists)| Event::Beat { worker, life, lists }),
        3 => (worker.clone(), life.clone())
            .prop_map(|(worker, life)| Event::Give { worker, life }),
        8 => (order.clone(), worker, life, 0..3_u64, 0..4_usize, any::<bool>()).prop_map(
            |(order, worker, life, back, count, ends)| Event::Facts {
                order, worker, life, back, count, ends
            }
        ),
        4 => order.prop_map(|order| Event::Taken { order }),
        1 => (0..20_u64).prop_map(|seconds| Event::Wait { seconds }),
    ]
}

/// What a planner was told of an order.
#[derive(Default)]
struct Told {
    facts: u64,
    is_closed: bool,
    /// Taken, and not yet told.
    taking: Option<bool>,
}

proptest! {
    #![proptest_config(trials(256))]

    #[test]
    fn each_fact_reaches_its_planner_once_and_each_order_ends_once(
        events in prop::collection::vec(event(), 1..120),
    ) {
        let mut all: Outstanding<usize> = Outstanding::new(SILENT);
        let mut told: HashMap<usize, Told> = HashMap::new();
        let mut now = Instant::now();
        let lives = ["a", "b"];
        let order = |number: usize| number.to_string();
        let closed = |told: &mut HashMap<usize, Told>, lost: Vec<usize>| {
            for order in lost {
                let told = told.get_mut(&order).unwrap();
                prop_assert!(!told.is_closed, "lost after its end");
                (told.is_closed, told.taking) = (true, None);
            }
            Ok(())
        };
        for event in events {
            match event {
                Event::Beat { worker, life, lists } => {
                    let doing: Vec<String> = if lists {
                        (0..told.len()).map(order).collect()
                    } else {
                        Vec::new()
                    };
                    let doing: Vec<&str> = doing.iter().map(String::as_str).collect();
                    let beat = beat(lives[life], &doing);
                    let here = all.here(&name(worker), &beat, Some(about(9)), now);
                    let lost = [here.lost, here.unheard].concat();
                    closed(&mut told, lost)?;
                }
                Event::Give { worker, life } => {
                    let number = told.len();
                    let given = vec![(id(&number.to_string()), number)];
                    if number < 40 && all.give(&name(worker), &id(lives[life]), given, now).is_ok() {
                        told.insert(number, Told::default());
                    }
                }
                Event::Facts { order: number, worker, life, back, count, ends } => {
                    let known = told.get(&number).map_or(0, |told| told.facts);
                    let first = (known + 2).saturating_sub(back);
                    let facts = facts(lives[life], &order(number), first, count, ends);
                    match all.facts(&name(worker), &facts, now) {
                        Taking::Take { task, skip, .. } => {
                            let told = told.get_mut(&task).unwrap();
                            prop_assert!(!told.is_closed && told.taking.is_none());
                            prop_assert_eq!(first + skip as u64, told.facts + 1);
                            told.facts += (count - skip) as u64;
                            told.taking = Some(ends);
                        }
                        Taking::Gap(task) => closed(&mut told, vec![task])?,
                        Taking::Again | Taking::Busy | Taking::Stop => {}
                    }
                }
                Event::Taken { order: number } => {
                    let taking = told.get_mut(&number).and_then(|told| {
                        let ends = told.taking.take()?;
                        told.is_closed |= ends;
                        Some(ends)
                    });
                    if let Some(ends) = taking {
                        all.taken(&id(&number.to_string()), &[], !ends);
                    }
                }
                Event::Wait { seconds } => {
                    now += Duration::from_secs(seconds);
                    closed(&mut told, all.tick(now))?;
                }
            }
        }
        closed(&mut told, all.lose_all())?;
        prop_assert!(told.values().all(|told| told.is_closed));
        prop_assert_eq!(all.part_bytes, 0);
    }
}
