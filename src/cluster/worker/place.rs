//! A place of a worker: one thread and one sandbox, which asks for orders and does them one after
//! the other.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, channel};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::bytes::{FromAfar, Kept};
use super::cache::Cache;
use super::link::{Link, Out};
use super::machine::{About, Machine};
use super::notice::{Notice, Tally};
use super::sender::{Item, Sender, ToDaemon, WAITING_MAX, known_there};
use crate::cluster::subjects::{Kind, Name};
use crate::cluster::wire::{self, Ask, Envelope, Sent};
use crate::domain::{Digest, Fault};
use crate::judge::order::{Bytes, Ended, Fact, Go, Order, Sink, Source, Worker as _};
use crate::judge::{Progress, Station, refusal};
use crate::sandbox::Runner;
use crate::util::crash::point;
use crate::util::sync::lock;

/// How long an answer to a question for orders may take: the daemon puts their bytes on the server
/// first.
const ANSWER: Duration = Duration::from_secs(10);
/// The longest time between two looks at whether a course may be asked.
const LOOK: Duration = Duration::from_millis(500);
/// The pause while a course has no turn yet.
const TURN: Duration = Duration::from_millis(15);
/// Orders of one answer that are taken.
const ORDERS_MAX: usize = 1_024;

/// A place.
pub struct Place {
    /// Its number, from 0.
    pub index: usize,
    /// The worker.
    pub link: Arc<Link>,
    /// Drives the connection.
    pub runtime: Handle,
    /// What measures.
    pub machine: Arc<Machine>,
    /// What the worker says that it is.
    pub about: Arc<About>,
    /// The worker's disk.
    pub cache: Option<Arc<Cache>>,
}

/// What a place has while it works.
struct Working {
    runner: Option<Box<dyn Runner>>,
    kept: RefCell<Kept>,
    /// The last order's facts, which may still be on their way.
    sending: Option<JoinHandle<()>>,
}

impl Place {
    /// Works until the worker ends.
    pub fn run(self) {
        let mut working = Working {
            runner: None,
            kept: RefCell::default(),
            sending: None,
        };
        loop {
            if self.index == 0 {
                self.about.look_again();
            }
            let Some((course, envelope)) = self.runtime.block_on(self.envelope()) else {
                break;
            };
            let daemon = envelope.daemon;
            let orders = envelope.orders.into_iter().take(ORDERS_MAX);
            let here = |sent: Sent| {
                let out = Arc::new(Out {
                    course: course.clone(),
                    daemon: daemon.clone(),
                    id: sent.id,
                    progress: std::sync::Mutex::default(),
                    is_dropped: std::sync::atomic::AtomicBool::new(false),
                });
                lock(&self.link.out).insert(out.id.clone(), Arc::clone(&out));
                (out, sent.order)
            };
            let orders: Vec<_> = orders.map(here).collect();

            for (out, order) in orders {
                self.order(&mut working, &out, &order);
            }
        }
        self.wait(working.sending.take());
    }

    /// Asks the courses in turn until one has orders; none where the worker ends.
    async fn envelope(&self) -> Option<(Name, Envelope)> {
        let mut news = self.link.news.subscribe();
        let mut ending = self.link.is_ending.subscribe();
        let ask = Ask {
            worker: self.link.life.clone(),
        };
        let ask = wire::write(&ask, &[]).ok()?;
        loop {
            if *ending.borrow_and_update() {
                return None;
            }
            news.borrow_and_update();
            let next = lock(&self.link.courses).next(Instant::now());
            let Some(course) = next else {
                let pause = if lock(&self.link.courses).is_pausing(Instant::now()) {
                    TURN
                } else {
                    LOOK
                };
                tokio::select! {
                    _ = news.changed() => {}
                    _ = ending.changed() => {}
                    () = sleep(pause) => {}
                }
                continue;
            };
            let answer: Option<Envelope> = self.link.once(&course, Kind::Ask, &ask, ANSWER).await;
            let had = answer
                .as_ref()
                .is_some_and(|envelope| !envelope.orders.is_empty());
            let mut courses = lock(&self.link.courses);
            courses.answered(&course, had, Instant::now());
            let known =
                answer.filter(|envelope| had && courses.is_daemon(&course, &envelope.daemon));
            drop(courses);
            if let Some(envelope) = known {
                // There may be more: the next place asks at once.
                self.link.wake();
                return Some((course, envelope));
            }
        }
    }

    /// Waits until the facts of an order are on the other side.
    fn wait(&self, sending: Option<JoinHandle<()>>) {
        if let Some(sending) = sending {
            // A task that failed has said so by the panic's own message.
            let _ = self.runtime.block_on(sending);
        }
    }

    fn order(&self, working: &mut Working, out: &Arc<Out>, order: &Order) {
        point("order taken");
        let (items, received) = channel(WAITING_MAX);
        let link = Arc::clone(&self.link);
        let (its, known) = (Arc::clone(out), known_there(order));
        let (problem, began) = (order.problem.clone(), Instant::now());
        let sending = self.runtime.spawn(async move {
            let sender = Sender {
                post: ToDaemon {
                    link: &link,
                    out: &its,
                },
                worker: &link.life,
                out: &its,
                known,
            };
            let sent = sender.run(received).await;
            lock(&link.out).remove(&its.id);
            let tally = Tally {
                orders: u64::from(sent.has_ended),
                facts: sent.facts,
                busy: Duration::ZERO,
            };
            link.did(&its.course, tally);
            if sent.has_ended {
                (link.say)(Notice::Done(its.course.clone(), problem, sent.facts));
            }
        });
        // Two orders at most are on their way: this one, and the end of the last one.
        self.wait(working.sending.replace(sending));
        let ended = if *self.link.is_ending.borrow() && lock(&out.progress).is_none() {
            // It was not begun, and another place may.
            Ok(Ended::Left)
        } else if out.is_dropped() {
            Ok(Ended::Stopped)
        } else {
            self.measure(working, out, order, &items)
        };
        if let Err(fault) = &ended
            && !out.is_dropped()
        {
            let failed =
                Notice::Failed(out.course.clone(), order.problem.clone(), fault.to_string());
            (self.link.say)(failed);
        }
        let busy = began.elapsed();
        self.link.did(
            &out.course,
            Tally {
                busy,
                ..Tally::default()
            },
        );
        // Whoever wants no more of it does not wait for its end either.
        let _ = items.blocking_send(Item::Ended(ended));
    }

    fn measure(
        &self,
        working: &mut Working,
        out: &Out,
        order: &Order,
        items: &mpsc::Sender<Item>,
    ) -> Result<Ended, Fault> {
        let Machine {
            toolchain,
            sandbox,
            runner,
            words,
        } = &*self.machine;
        if let Some(fault) = refusal(order, sandbox, toolchain) {
            return Err(fault);
        }
        let measure = AssertUnwindSafe(|| {
            let here = match &mut working.runner {
                Some(runner) => runner,
                none => none.insert(runner(self.index)?),
            };
            let mut station = Station::new(here.as_mut(), toolchain, Arc::clone(words));
            let talk = Talk {
                bytes: FromAfar {
                    link: &self.link,
                    runtime: &self.runtime,
                    cache: self.cache.as_deref(),
                    kept: &working.kept,
                    out,
                },
                items,
            };
            station.measure(order, &talk, &mut &talk)
        });
        // One order never stops the others, not even by a bug of ours.
        let ended = catch_unwind(measure).unwrap_or_else(|_| {
            let reason = "a bug in verdictd; see standard error";
            Err(Fault::new("judge", reason))
        });
        if ended.is_err() {
            // Whatever failed, the next order gets a fresh sandbox.
            working.runner = None;
        }
        ended
    }
}

/// Where an order's bytes come from and its facts go.
struct Talk<'a> {
    bytes: FromAfar<'a>,
    items: &'a mpsc::Sender<Item>,
}

impl Source for Talk<'_> {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.bytes.blob(digest)
    }

    fn opinion(&self, question: &Digest) -> Result<Option<crate::domain::Compared>, Fault> {
        self.bytes.opinion(question)
    }
}

impl Sink for &Talk<'_> {
    fn begins(&mut self, progress: Progress) {
        *lock(&self.bytes.out.progress) = Some(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        if let Fact::Built { .. } = fact {
            // The next order for this program is likely to come here, and names them.
            for (digest, bytes) in bytes {
                self.bytes.keep(digest, bytes);
            }
        }
        if self.bytes.out.is_dropped() {
            return Ok(Go::Stop);
        }
        let sent = self
            .items
            .blocking_send(Item::Fact(fact.clone(), bytes.to_vec()));
        point("fact given");
        Ok(if sent.is_ok() { Go::On } else { Go::Stop })
    }
}
