//! Orders that are measured on a second machine too.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use super::samples::{Facts, Sample, Store, order, place, ran};
use crate::domain::RunFacts;
use crate::fleet::twice::differences;
use crate::fleet::{Orders, Reply, Second, Twice, Workers};
use crate::judge::Memory;
use crate::judge::order::{Ended, Fact, Sink as _, Worker as _};

/// The run of a test that took so long.
fn took(test: usize, cpu: Duration) -> Fact {
    match ran(test, "machine of lab-2") {
        Fact::Ran { key, facts } => Fact::Ran {
            key,
            facts: Box::new(RunFacts { cpu, ..*facts }),
        },
        other => other,
    }
}

#[test]
fn machines_differ_where_a_verdict_does() {
    let order = order(&[None, None]);
    let (quick, slow) = (Duration::from_millis(10), Duration::from_millis(4_400));
    for (first, second, expected) in [
        (vec![took(0, quick)], vec![took(0, quick)], vec![]),
        // Another time, and the same verdict.
        (vec![took(0, quick)], vec![took(0, quick * 2)], vec![]),
        // What one of them did not run is no difference.
        (
            vec![took(0, quick), took(1, slow)],
            vec![took(0, quick)],
            vec![],
        ),
        (
            vec![took(0, quick), took(1, quick)],
            vec![took(0, quick), took(1, slow)],
            vec!["secret/1: accepted, and on the other one time limit exceeded"],
        ),
        // What is so near the limit that it is measured again says nothing yet.
        (
            vec![took(0, quick)],
            vec![took(0, Duration::from_millis(2_100))],
            vec![],
        ),
        // The last measurement counts.
        (
            vec![took(0, slow), took(0, quick)],
            vec![took(0, quick)],
            vec![],
        ),
    ] {
        assert_eq!(differences(&order, &first, &second), expected);
    }
}

/// Measures some orders, and says which are to be measured again.
fn seconds(orders: &Orders, every: u32, count: usize) -> Receiver<Second> {
    let (sender, seconds) = sync_channel(4);
    let twice = Twice::new(NonZeroU32::new(every).unwrap(), sender);
    let (sample, lab) = (Sample::new(), place("lab-1"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..count {
                let task = orders.next(&lab).unwrap();
                let mut sink = &task;
                sink.fact(&took(0, Duration::from_millis(10)), &[]).unwrap();
                task.tell(Reply::Ended(Ok(Ended::Done))).unwrap();
            }
        });
        for _ in 0..count {
            let mut workers = Workers::new(orders, sample.about(), None, Some(&twice));
            let ended = workers.measure(&order(&[None]), &Store::new(&[]), &mut &Facts::default());
            assert_eq!(ended, Ok(Ended::Done));
        }
    });
    seconds
}

#[test]
fn every_so_many_orders_one_is_measured_by_another_machine() {
    let orders = Orders::default();
    let other = place("lab-2");
    orders.arrives(place("lab-1"), 1);
    let mut due = seconds(&orders, 3, 7).into_iter();
    // Nobody else is there.
    assert_eq!(
        due.next().unwrap().measure(&orders, &Memory::default()),
        None
    );
    orders.arrives(other.clone(), 1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // It is over the limit there, and then again by more than can be noise.
            for measurements in [1, 2] {
                let task = orders.next(&other).unwrap();
                let mut sink = &task;
                let Fact::Ran { key, mut facts } = took(0, Duration::from_millis(2_600)) else {
                    panic!("it is a run");
                };
                facts.measurements = measurements;
                sink.fact(&Fact::Ran { key, facts }, &[]).unwrap();
                task.tell(Reply::Ended(Ok(Ended::Done))).unwrap();
            }
        });
        let said = due.next().unwrap().measure(&orders, &Memory::default());
        let said = said.unwrap();
        assert_eq!(said.workers, [Arc::from("lab-1"), Arc::from("lab-2")]);
        assert_eq!(
            said.differences,
            ["secret/0: accepted, and on the other one time limit exceeded"]
        );
    });
    assert!(due.next().is_none());
    assert_eq!(orders.waiting(), 0);
}
