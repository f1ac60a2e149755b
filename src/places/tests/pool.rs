//! Who gets a place, and who is sent away.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::samples::id;
use crate::domain::{Fault, FaultKind, SubmissionId};
use crate::judge::order::{Ended, Order, Sink, Source, Worker};
use crate::places::line::{Ticket, Wants};
use crate::places::machine::Machine;
use crate::places::pool::Pool;
use crate::places::samples::machine;
use crate::sandbox::Cancel;
use crate::util::hash::digest;

/// A place at which nothing is measured.
struct Idle;

impl Worker for Idle {
    fn measure(&mut self, _: &Order, _: &dyn Source, _: &mut dyn Sink) -> Result<Ended, Fault> {
        Ok(Ended::Done)
    }
}

/// What an order for a C++ program of this submission asks of a place.
fn wants(submission: i64) -> Wants {
    Wants {
        submission: SubmissionId(submission),
        is_rest: false,
        languages: BTreeSet::from([id("cpp")]),
        files: Vec::new(),
        machine: None,
        avoid: Vec::new(),
    }
}

fn local(places: usize) -> Pool {
    let pool = Pool::default();
    let machine = Machine::local(&Arc::from("here"), places);
    let place = |_| -> Box<dyn Worker + Send> { Box::new(Idle) };
    pool.open(machine, (0..places).map(place).collect());
    pool
}

fn with(machines: &[&str]) -> Pool {
    let pool = Pool::default();
    pool.set_machines(machines.iter().map(|name| machine(name)).collect());
    pool
}

/// The name of the machine that this order gets, or why it gets none.
fn borrowed(pool: &Pool, ticket: Ticket, wants: Wants) -> Result<Arc<str>, FaultKind> {
    let lent = pool.borrow(ticket, wants, None);
    let name = lent.map(|lent| Arc::clone(&lent.machine().name));
    name.map_err(|fault| fault.kind)
}

fn wait_for(pool: &Pool, waiting: usize) {
    let begun = Instant::now();
    while pool.waiting() + pool.searches() != waiting {
        assert!(begun.elapsed() < Duration::from_mins(1), "nobody waits");
        std::thread::yield_now();
    }
}

#[test]
fn a_place_is_kept_for_who_came_before_and_is_not_prepared_yet() {
    let pool = local(1);
    for number in [1, 2, 3] {
        pool.comes(Ticket::Submission(number));
    }
    let served = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let take = |number| {
            let (pool, served) = (&pool, &served);
            scope.spawn(move || {
                let lent = pool.borrow(Ticket::Submission(number), wants(1), None);
                served.lock().unwrap().push(number);
                drop(lent);
            })
        };
        let last = take(3);
        wait_for(&pool, 1);
        assert!(borrowed(&pool, Ticket::Submission(1), wants(1)).is_ok());
        assert_eq!(pool.waiting(), 1, "the second may still come");
        take(2).join().unwrap();
        last.join().unwrap();
        // What needs no place leaves the line.
        pool.comes(Ticket::Submission(4));
        let next = take(5);
        wait_for(&pool, 1);
        pool.leaves(Ticket::Submission(4));
        next.join().unwrap();
    });
    assert_eq!(*served.lock().unwrap(), [2, 3, 5]);
}

#[test]
fn an_offer_is_for_who_is_there_and_is_gone_when_it_is_dropped() {
    let pool = with(&["lab-1"]);
    let other_life = pool.offer("lab-1", "2", Box::new(Idle), true);
    let unknown = pool.offer("lab-2", "1", Box::new(Idle), true);
    drop(pool.offer("lab-1", "1", Box::new(Idle), true));
    std::thread::scope(|scope| {
        let taker = scope.spawn(|| borrowed(&pool, Ticket::Submission(1), wants(1)));
        wait_for(&pool, 1);
        let offer = pool.offer("lab-1", "1", Box::new(Idle), false);
        assert!(offer.is_taken());
        assert_eq!(taker.join().unwrap().as_deref(), Ok("lab-1"));
    });
    let waits = pool.offer("lab-1", "1", Box::new(Idle), false);
    assert!(!waits.is_taken());
    assert_eq!(pool.places(), 4);
    drop((other_life, unknown));
}

/// What is asked of a place beside the language: a file, the machine that has measured it, machines
/// that are avoided.
#[test]
fn a_place_takes_what_it_can_and_first_of_all_that_which_is_there() {
    let file = digest(b"program");
    for (name, files, machine, avoid, expected) in [
        ("the first", &[][..], None, &[][..], "lab-1"),
        ("one that has the program", &[file], None, &[], "lab-2"),
        ("the one that measured it", &[], Some("lab-2"), &[], "lab-2"),
        ("one that has not failed", &[], None, &["lab-1"], "lab-2"),
        ("failed, as all", &[], None, &["lab-1", "lab-2"], "lab-1"),
    ] {
        let pool = with(&["lab-1", "lab-2"]);
        pool.has("lab-2", [file]);
        let offers = ["lab-1", "lab-2"].map(|lab| pool.offer(lab, "1", Box::new(Idle), false));
        let mut wants = wants(1);
        wants.files = files.to_vec();
        wants.machine = machine.map(|name| Arc::from(format!("machine of {name}")));
        wants.avoid = avoid.iter().map(|&name| Arc::from(name)).collect();
        let got = borrowed(&pool, Ticket::Submission(1), wants);
        assert_eq!(got.as_deref(), Ok(expected), "{name}");
        drop(offers);
    }
    let pool = with(&["lab-1"]);
    let offer = pool.offer("lab-1", "1", Box::new(Idle), false);
    let mut rust = wants(1);
    rust.languages = BTreeSet::from([id("rust")]);
    pool.drain();
    let got = borrowed(&pool, Ticket::Submission(1), rust);
    assert_eq!(got, Err(FaultKind::NoPlace), "a language that it has not");
    drop(offer);
}

#[test]
fn what_one_machine_alone_may_do_is_given_back_when_it_leaves() {
    let pool = with(&["lab-1", "lab-2"]);
    let particular = || Wants {
        machine: Some(Arc::from("machine of lab-1")),
        ..wants(1)
    };
    std::thread::scope(|scope| {
        let taker = scope.spawn(|| borrowed(&pool, Ticket::Submission(1), particular()));
        wait_for(&pool, 1);
        pool.set_machines(vec![machine("lab-2")]);
        assert_eq!(taker.join().unwrap(), Err(FaultKind::NoPlace));
    });
    let gone = borrowed(&pool, Ticket::Submission(1), particular());
    assert_eq!(gone, Err(FaultKind::NoPlace));
}

#[test]
fn what_no_machine_can_do_waits_and_at_the_end_it_is_given_back() {
    let pool = Pool::default();
    std::thread::scope(|scope| {
        let taker = scope.spawn(|| borrowed(&pool, Ticket::Submission(1), wants(1)));
        wait_for(&pool, 1);
        assert!(pool.lacks_places());
        pool.set_machines(vec![machine("lab-1")]);
        pool.drain();
        assert_eq!((pool.waiting(), pool.lacks_places()), (1, false));
        pool.set_machines(Vec::new());
        assert_eq!(taker.join().unwrap(), Err(FaultKind::NoPlace));
    });
    let late = borrowed(&pool, Ticket::Submission(2), wants(1));
    assert_eq!(late, Err(FaultKind::NoPlace));
}

#[test]
fn the_last_of_a_crowd_gives_way_and_so_does_what_is_left_of_one() {
    let pool = local(1);
    let held = pool.borrow(Ticket::Submission(1), wants(1), None);
    std::thread::scope(|scope| {
        let pool = &pool;
        let take = |number, wants| {
            let waiting = pool.waiting() + 1;
            let ticket = Ticket::Submission(number);
            let taker = scope.spawn(move || borrowed(pool, ticket, wants).map(drop));
            wait_for(pool, waiting);
            taker
        };
        let mut rest = wants(9);
        rest.is_rest = true;
        let (rest, first, last) = (take(2, rest), take(3, wants(7)), take(4, wants(7)));
        pool.make_room(&BTreeSet::from([SubmissionId(7)]));
        assert_eq!(last.join().unwrap(), Err(FaultKind::Cancelled));
        // Of those who have one in hand only rests give way.
        pool.make_room(&BTreeSet::new());
        assert_eq!(rest.join().unwrap(), Err(FaultKind::Cancelled));
        pool.make_room(&BTreeSet::new());
        assert_eq!(pool.waiting(), 1);
        drop(held);
        assert_eq!(first.join().unwrap(), Ok(()));
    });
}

#[test]
fn searches_are_for_other_machines_while_no_submission_waits() {
    let pool = local(1);
    let held = pool.borrow(Ticket::Submission(1), wants(1), None);
    let search = || borrowed(&pool, Ticket::Search(1), wants(1));
    assert_eq!(search(), Err(FaultKind::NoPlace), "no other machine");
    pool.set_machines(vec![machine("lab-1")]);
    let mut here = wants(2);
    here.machine = Some(Arc::from("here"));
    std::thread::scope(|scope| {
        let taker = scope.spawn(|| borrowed(&pool, Ticket::Submission(2), here));
        wait_for(&pool, 1);
        let searcher = scope.spawn(search);
        wait_for(&pool, 2);
        let offer = |takes_searches| pool.offer("lab-1", "1", Box::new(Idle), takes_searches);
        assert!(!offer(true).is_taken(), "a submission waits");
        drop(held);
        assert_eq!(taker.join().unwrap().as_deref(), Ok("local"));
        assert!(!offer(false).is_taken(), "it is for submissions");
        assert!(offer(true).is_taken());
        assert_eq!(searcher.join().unwrap().as_deref(), Ok("lab-1"));
    });
    pool.drain();
    assert_eq!(search(), Err(FaultKind::NoPlace));
}

#[test]
fn a_search_that_is_not_wanted_any_more_waits_no_longer() {
    let pool = with(&["lab-1"]);
    let cancel = Cancel::new().unwrap();
    std::thread::scope(|scope| {
        let searcher = scope.spawn(|| {
            let lent = pool.borrow(Ticket::Search(1), wants(1), Some(&cancel));
            lent.err().map(|fault| fault.kind)
        });
        wait_for(&pool, 1);
        cancel.cancel();
        assert_eq!(searcher.join().unwrap(), Some(FaultKind::Cancelled));
    });
    assert_eq!(pool.searches(), 0);
}
