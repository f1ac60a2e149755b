//! The queue: what waits for whom, and what is given back.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use super::samples::{Sample, place, wants};
use crate::domain::FaultKind;
use crate::fleet::choose::Wants;
use crate::fleet::{Most, Orders, Place, Reply};
use crate::sandbox::Cancel;

const MANY: Most = Most {
    orders: 100,
    bytes: 100_000,
};

#[test]
fn only_who_is_there_takes_orders_and_planners_hear_who_it_is() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let (task, replies) = sample.task(wants(Instant::now()));
    orders.put(task).unwrap();
    let lab = place("lab-1");
    assert!(orders.take(&lab, MANY).is_empty(), "it is not there yet");
    orders.arrives(lab.clone(), 2);
    assert_eq!((orders.waiting(), orders.places()), (1, 2));
    let other_life = Place {
        life: Arc::from("2"),
        ..lab.clone()
    };
    assert!(orders.take(&other_life, MANY).is_empty());
    let mut taken = orders.take(&lab, MANY);
    let task = taken.pop().unwrap();
    assert!(matches!(replies.recv(), Ok(Reply::Given(there)) if *there == lab));
    // What was not begun goes to the next one.
    orders.put_back(task);
    orders.leaves(&lab);
    assert_eq!((orders.waiting(), orders.places()), (1, 0));
    let local = Place::local(&Arc::from("here"));
    orders.arrives(local.clone(), 1);
    assert!(orders.next(&local).is_some());
    orders.close();
    assert!(orders.next(&local).is_none());
}

#[test]
fn what_one_machine_alone_may_do_is_given_back_when_it_leaves() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let (lab, other) = (place("lab-1"), place("lab-2"));
    orders.arrives(lab.clone(), 1);
    orders.arrives(other.clone(), 1);
    let particular = Wants {
        machine: Some(Arc::clone(&lab.machine)),
        ..wants(Instant::now())
    };
    let (task, replies) = sample.task(particular.clone());
    orders.put(task).unwrap();
    assert!(orders.take(&other, MANY).is_empty());
    orders.leaves(&lab);
    assert!(matches!(replies.recv(), Ok(Reply::Unwanted)));
    let (task, replies) = sample.task(particular);
    orders.put(task).unwrap();
    assert!(matches!(replies.recv(), Ok(Reply::Unwanted)));
    assert_eq!(orders.waiting(), 0);
}

#[test]
fn what_nobody_can_do_waits_and_at_the_end_it_is_given_back_without_a_try() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let (task, replies) = sample.task(wants(Instant::now()));
    orders.put(task).unwrap();
    assert!(replies.try_recv().is_err(), "somebody may come");
    let lab = place("lab-1");
    orders.arrives(lab.clone(), 1);
    orders.drain();
    assert!(replies.try_recv().is_err(), "somebody has come");
    orders.leaves(&lab);
    let given_back = |reply| match reply {
        Ok(Reply::Ended(Err(fault))) => fault,
        _ => panic!("it is not given back"),
    };
    assert_eq!(given_back(replies.recv()).kind, FaultKind::NoPlace);
    let (task, replies) = sample.task(wants(Instant::now()));
    orders.put(task).unwrap();
    assert_eq!(given_back(replies.recv()).kind, FaultKind::NoPlace);
}

/// Whether a planner hears that its order has ended, and with what kind of fault.
fn fault_of(replies: &Receiver<Reply>) -> Option<FaultKind> {
    match replies.try_recv() {
        Ok(Reply::Ended(Err(fault))) => Some(fault.kind),
        _ => None,
    }
}

#[test]
fn the_last_order_of_a_crowd_gives_way_and_so_does_what_is_left_of_one() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let crowd = BTreeSet::from([sample.task(wants(Instant::now())).0.submission.id]);
    let put = |is_rest: bool| {
        let (mut task, replies) = sample.task(wants(Instant::now()));
        task.is_rest = is_rest;
        orders.put(task).unwrap();
        replies
    };
    let (rest, first, last) = (put(true), put(false), put(false));
    orders.make_room(&crowd);
    assert_eq!(fault_of(&last), Some(FaultKind::Cancelled));
    // Of those who have one in hand only repeats give way.
    orders.make_room(&BTreeSet::new());
    assert_eq!(fault_of(&rest), Some(FaultKind::Cancelled));
    orders.make_room(&BTreeSet::new());
    assert_eq!((fault_of(&first), orders.waiting()), (None, 1));
}

#[test]
fn what_can_wait_is_for_other_machines_while_nothing_else_waits() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let cancel = Cancel::new().unwrap();
    let idle = || sample.idle_task(wants(Instant::now()), &cancel);
    let (lab, local) = (place("lab-1"), Place::local(&Arc::from("here")));
    let (nowhere, replies) = idle();
    orders.put(nowhere).unwrap();
    assert_eq!(fault_of(&replies), Some(FaultKind::NoPlace));
    orders.arrives(local.clone(), 1);
    orders.arrives(lab.clone(), 1);
    let (waits, _replies) = idle();
    orders.put(waits).unwrap();
    assert_eq!((orders.waiting(), orders.idle()), (0, 1));
    // Neither a planner's order nor this machine's workers meet it.
    assert!(orders.take(&lab, MANY).is_empty());
    assert!(orders.take(&local, MANY).is_empty());
    let (task, _replies) = sample.task(wants(Instant::now()));
    orders.put(task).unwrap();
    assert!(orders.take_idle(&lab).is_none(), "something else waits");
    assert_eq!(orders.take(&lab, MANY).len(), 1);
    let taken = orders.take_idle(&lab).unwrap();
    assert!(taken.can_wait());
    orders.put_back(taken);
    assert_eq!((orders.waiting(), orders.idle()), (0, 1));
    cancel.cancel();
    orders.drop_cancelled();
    assert_eq!(orders.idle(), 0);
}

#[test]
fn what_can_wait_is_given_back_when_its_machine_leaves_and_at_the_end() {
    let (sample, orders) = (Sample::new(), Orders::default());
    let cancel = Cancel::new().unwrap();
    let lab = place("lab-1");
    orders.arrives(lab.clone(), 1);
    let (task, replies) = sample.idle_task(wants(Instant::now()), &cancel);
    orders.put(task).unwrap();
    assert_eq!(fault_of(&replies), None);
    orders.leaves(&lab);
    assert_eq!(fault_of(&replies), Some(FaultKind::NoPlace));
    orders.arrives(lab, 1);
    let (task, replies) = sample.idle_task(wants(Instant::now()), &cancel);
    orders.put(task).unwrap();
    orders.drain();
    assert_eq!(fault_of(&replies), Some(FaultKind::NoPlace));
}
