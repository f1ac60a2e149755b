//! What becomes of an order whose machine is lost, fails, or is not the one that it needs.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::samples::{Facts, measured, order, ran};
use crate::config::parse;
use crate::domain::{Fault, FaultKind, RunFacts};
use crate::judge::order::{Ended, JudgeWork, Order, Sink, Source, Step, Work, Worker};
use crate::judge::samples::Blobs;
use crate::places::machine::Machine;
use crate::places::samples::machine;
use crate::places::{Borrower, Pool, Ticket};
use crate::toolchain::Toolchain;
use crate::util::hash::digest;
use crate::util::samples::submission;

/// What a place says of an order.
type Says = fn(&dyn Source, &mut dyn Sink) -> Result<Ended, Fault>;

/// A place that notes what it is asked.
struct Place {
    says: Says,
    asked: Arc<Mutex<Vec<Order>>>,
}

impl Worker for Place {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        self.asked.lock().unwrap().push(order.clone());
        (self.says)(source, sink)
    }
}

fn place(says: Says, asked: &Arc<Mutex<Vec<Order>>>) -> Box<dyn Worker + Send> {
    let asked = Arc::clone(asked);
    Box::new(Place { says, asked })
}

fn languages() -> Arc<Toolchain> {
    Arc::new(Toolchain::of(&parse("", Path::new("config.toml")).unwrap()))
}

/// Has an order measured so many times by machines that answer like this; says how each ended, the
/// facts, and what was asked.
fn measured_by(
    machines: &[(&str, Says)],
    asked: &Order,
    times: usize,
) -> (Vec<Result<Ended, Fault>>, Facts, Vec<Order>) {
    let (pool, facts) = (Pool::default(), Facts::default());
    pool.set_machines(machines.iter().map(|(name, _)| machine(name)).collect());
    let orders: Arc<Mutex<Vec<Order>>> = Arc::default();
    let offer = |(name, says): &(&str, Says)| pool.offer(name, "1", place(*says, &orders), false);
    let offers: Vec<_> = machines.iter().map(offer).collect();
    let ada = submission(1, "ada", "sum");
    let languages = languages();
    let mut borrower = Borrower::new(&pool, Ticket::Submission(1), &ada, &languages);
    let store = Blobs::of([&b"program"[..], b"3\n", b"0"]);
    let measure = |_| borrower.measure(asked, &store, &mut &facts);
    let ended = (0..times).map(measure).collect();
    drop(offers);
    (ended, facts, orders.lock().unwrap().clone())
}

const LEFT: Says = |_, _| Ok(Ended::Left);
const DONE: Says = |_, _| Ok(Ended::Done);

fn full_disk(_: &dyn Source, _: &mut dyn Sink) -> Result<Ended, Fault> {
    Err(Fault::new("keep a file", "its disk is full").of_kind(FaultKind::NoRoom))
}

fn not_begun(_: &dyn Source, _: &mut dyn Sink) -> Result<Ended, Fault> {
    Err(Fault::new("have it measured", "it did not arrive").of_kind(FaultKind::NoPlace))
}

fn measures(source: &dyn Source, sink: &mut dyn Sink) -> Result<Ended, Fault> {
    let program = source.blob(&digest(b"program"))?;
    assert_eq!(program.as_deref(), Some(&b"program"[..]));
    sink.fact(&ran(0, "machine of lab-3"), &[])?;
    Ok(Ended::Done)
}

#[test]
fn an_order_that_a_machine_loses_or_fails_at_is_done_by_another() {
    let labs = ["lab-0", "lab-1", "lab-2", "lab-3"];
    let says: [Says; 4] = [not_begun, LEFT, full_disk, measures];
    let machines: Vec<_> = labs.into_iter().zip(says).collect();
    let (ended, facts, asked) = measured_by(&machines, &order(&[None]), 3);
    assert_eq!(ended, [Ok(Ended::Left), Ok(Ended::Left), Ok(Ended::Done)]);
    assert_eq!(facts.0.into_inner().unwrap(), [ran(0, "machine of lab-3")]);
    assert_eq!(asked.len(), 4, "what was not begun is no try");
}

/// How an order ends that is measured at a place of this pool.
fn ended(pool: &Pool, asked: &Order) -> Result<Ended, Fault> {
    let (ada, languages) = (submission(1, "ada", "sum"), languages());
    let mut borrower = Borrower::new(pool, Ticket::Submission(1), &ada, &languages);
    borrower.measure(asked, &Blobs::of([]), &mut &Facts::default())
}

#[test]
fn a_fault_of_this_machine_is_told_at_once() {
    let pool = Pool::default();
    let place = place(full_disk, &Arc::default());
    pool.open(Machine::local(&Arc::from("here"), 1), vec![place]);
    let ended = ended(&pool, &order(&[None]));
    assert_eq!(ended.map_err(|fault| fault.kind), Err(FaultKind::NoRoom));
}

/// The machines of the first measurements that an order still has.
fn befores(order: &Order) -> Vec<Option<String>> {
    let Work::Judge(JudgeWork { steps, .. }) = &order.work else {
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
    for (name, before, expected) in [
        ("nothing near", vec![None, None], vec![None, None]),
        ("there", vec![None, one.clone()], vec![None, kept(&one)]),
        ("gone", vec![gone.clone(), None], vec![None, None]),
        ("one gone", vec![gone, two.clone()], vec![None, kept(&two)]),
        ("two", vec![one.clone(), None, two], vec![kept(&one), None]),
    ] {
        let machines: [(&str, Says); 2] = [("lab-1", DONE), ("lab-2", DONE)];
        let (ended, _, asked) = measured_by(&machines, &order(&before), 1);
        assert_eq!(ended, [Ok(Ended::Done)], "{name}");
        assert_eq!(befores(&asked[0]), expected, "{name}");
    }
}

#[test]
fn when_the_machine_leaves_that_measured_it_first_it_is_measured_anew() {
    let pool = Pool::default();
    pool.set_machines(["lab-1", "lab-2"].map(machine).to_vec());
    let asked: Arc<Mutex<Vec<Order>>> = Arc::default();
    let offer = pool.offer("lab-2", "1", place(DONE, &asked), false);
    let near = order(&[Some(measured("machine of lab-1"))]);
    std::thread::scope(|scope| {
        let measuring = scope.spawn(|| ended(&pool, &near));
        while pool.waiting() == 0 {
            std::thread::yield_now();
        }
        pool.set_machines(vec![machine("lab-2")]);
        assert_eq!(measuring.join().unwrap(), Ok(Ended::Done));
    });
    drop(offer);
    assert_eq!(befores(&asked.lock().unwrap()[0]), [None]);
}
