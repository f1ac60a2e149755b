//! What a planner makes of places that are lost, fail, or are not the ones that it needs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::samples::{Facts, Sample, Store, measured, order, place, ran};
use crate::domain::{Fault, FaultKind, RunFacts};
use crate::fleet::{Most, Orders, Place, Reply, Task, Workers};
use crate::judge::order::{Ended, Order, Sink as _, Source as _, Step, Work, Worker as _};
use crate::util::hash::digest;

const ONE: Most = Most {
    orders: 1,
    bytes: 100_000,
};

/// What a place says of an order.
type Says = fn(&Task) -> Result<Ended, Fault>;

/// Measures an order until it has ended or `times` are over, with places that answer like this, one
/// after the other.
fn measured_by(
    places: &[(Place, Says)],
    asked: &Order,
    times: usize,
) -> (Vec<Result<Ended, Fault>>, Facts) {
    let (sample, orders, facts) = (Sample::new(), Orders::default(), Facts::default());
    for (place, _) in places {
        orders.arrives(place.clone(), 1);
    }
    let mut ended = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (place, says) in &places[..times.min(places.len())] {
                let task = orders.next(place).unwrap();
                let said = says(&task);
                task.tell(Reply::Ended(said)).unwrap();
            }
        });
        let mut workers = Workers::new(&orders, sample.about(), None, None);
        for _ in 0..times {
            let store = Store::new(&[b"program", b"3\n", b"0"]);
            ended.push(workers.measure(asked, &store, &mut &facts));
        }
    });
    (ended, facts)
}

#[expect(clippy::unnecessary_wraps, reason = "what a place says has this type")]
fn left(_: &Task) -> Result<Ended, Fault> {
    Ok(Ended::Left)
}

fn full_disk(_: &Task) -> Result<Ended, Fault> {
    Err(Fault::new("keep a file", "its disk is full").of_kind(FaultKind::NoRoom))
}

fn measures(mut task: &Task) -> Result<Ended, Fault> {
    assert_eq!(
        task.blob(&digest(b"program"))?.as_deref(),
        Some(&b"program"[..])
    );
    task.fact(&ran(0, "machine of lab-3"), &[])?;
    Ok(Ended::Done)
}

#[test]
fn an_order_that_a_worker_loses_or_fails_at_is_done_by_another() {
    let places: [(Place, Says); 3] = [
        (place("lab-1"), left),
        (place("lab-2"), full_disk),
        (place("lab-3"), measures),
    ];
    let (ended, facts) = measured_by(&places, &order(&[None]), 3);
    assert_eq!(ended, [Ok(Ended::Left), Ok(Ended::Left), Ok(Ended::Done)]);
    assert_eq!(facts.0.into_inner().unwrap(), [ran(0, "machine of lab-3")]);
}

#[test]
fn three_workers_that_fail_are_a_fault_that_names_them() {
    let places: [(Place, Says); 3] = [
        (place("lab-1"), left),
        (place("lab-2"), full_disk),
        (place("lab-3"), left),
    ];
    let (mut ended, _) = measured_by(&places, &order(&[None]), 3);
    let fault = ended.pop().unwrap().unwrap_err();
    // A disk that is full elsewhere is not full here.
    assert_eq!(fault.kind, FaultKind::Retry);
    for words in [
        "lab-1: it is gone",
        "lab-2: keep a file: its disk is full",
        "lab-3",
    ] {
        assert!(fault.reason.contains(words), "{fault}");
    }
}

#[test]
fn a_fault_of_this_machine_is_told_at_once() {
    let here = [(Place::local(&Arc::from("here")), full_disk as Says)];
    let (ended, _) = measured_by(&here, &order(&[None]), 1);
    assert!(ended[0].is_err(), "{ended:?}");
}

fn an_order_waits(orders: &Orders) {
    let begun = Instant::now();
    while orders.waiting() == 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "no order waits");
        std::thread::yield_now();
    }
}

/// The machines of the first measurements that an order still has.
fn befores(order: &Order) -> Vec<Option<String>> {
    let Work::Judge { steps, .. } = &order.work else {
        return Vec::new();
    };
    let before = |step: &Step| match step {
        Step::Run { before, .. } => before.as_ref().map(|facts| facts.machine.to_string()),
        Step::Ask { .. } => None,
    };
    steps.iter().map(before).collect()
}

#[test]
fn what_was_measured_near_a_limit_is_measured_again_by_the_same_machine_or_anew() {
    let one = Some(measured("machine of lab-1"));
    let two = Some(measured("machine of lab-2"));
    let gone = Some(measured("machine of lab-9"));
    let kept = |facts: &Option<RunFacts>| facts.as_ref().map(|facts| facts.machine.to_string());
    for (name, before, machine, expected) in [
        ("nothing near", vec![None, None], None, vec![None, None]),
        (
            "here",
            vec![None, one.clone()],
            Some(1),
            vec![None, kept(&one)],
        ),
        ("gone", vec![gone.clone(), None], None, vec![None, None]),
        (
            "one gone",
            vec![gone, two.clone()],
            Some(2),
            vec![None, kept(&two)],
        ),
        (
            "two machines",
            vec![one.clone(), None, two],
            Some(1),
            vec![kept(&one), None],
        ),
    ] {
        let (sample, orders) = (Sample::new(), Orders::default());
        let labs = [place("lab-1"), place("lab-2")];
        for lab in &labs {
            orders.arrives(lab.clone(), 1);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| {
                an_order_waits(&orders);
                let taken: Vec<_> = labs.iter().map(|lab| orders.take(lab, ONE)).collect();
                let at = taken.iter().position(|tasks| !tasks.is_empty()).unwrap();
                let task = &taken[at][0];
                if let Some(number) = machine {
                    assert_eq!(at + 1, number, "{name}");
                }
                assert_eq!(befores(&task.order), expected, "{name}");
                task.tell(Reply::Ended(Ok(Ended::Done))).unwrap();
            });
            let mut workers = Workers::new(&orders, sample.about(), None, None);
            let ended = workers.measure(&order(&before), &Store::new(&[]), &mut &Facts::default());
            assert_eq!(ended, Ok(Ended::Done));
        });
    }
}

#[test]
fn when_the_machine_leaves_that_measured_it_first_it_is_measured_anew() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let labs = [place("lab-1"), place("lab-2")];
    for lab in &labs {
        orders.arrives(lab.clone(), 1);
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            an_order_waits(&orders);
            assert!(orders.take(&labs[1], ONE).is_empty());
            orders.leaves(&labs[0]);
            let task = orders.next(&labs[1]).unwrap();
            assert_eq!(befores(&task.order), [None]);
            task.tell(Reply::Ended(Ok(Ended::Done))).unwrap();
        });
        let mut workers = Workers::new(&orders, sample.about(), None, None);
        let near = order(&[Some(measured("machine of lab-1"))]);
        let ended = workers.measure(&near, &Store::new(&[]), &mut &Facts::default());
        assert_eq!(ended, Ok(Ended::Done));
    });
}
