//! A place of a worker, for one order: sends the order, and takes its facts on the thread of
//! whoever has borrowed the place.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use async_nats::{Message, Subject};
use tokio::sync::oneshot;
use tokio::time::{sleep_until, timeout, timeout_at};

use super::check::{Check, Found, foreign, inline};
use super::desk::{Desk, read};
use super::out::{Held, Letter, Letters, Out, Outcome};
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{self, Answer, Given, Id, OrderMessage, Said, Take, Wrong};
use crate::domain::bounds::ARTIFACT_BYTES_MAX;
use crate::domain::{Digest, Fault, FaultKind, Submission};
use crate::judge::order::{Ended, Fact, Flow, Order, Sink, Source, Worker};
use crate::sandbox::Cancel;
use crate::toolchain::Toolchain;
use crate::util::crash::point;
use crate::util::hash::digest;
use crate::util::sync::lock;

/// How long an order waits for its bytes to be on the server. Those that take longer follow it: the
/// worker asks for what it misses.
const PUT_PATIENCE: Duration = Duration::from_secs(2);
/// A place that was borrowed has its order after this time.
const PREPARED: Duration = Duration::from_secs(5);
/// Bytes of an order that are read and put on the server at a time.
const PUT_AT_ONCE: usize = 16;
/// How often it is looked whether an order that can wait is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// The place, as the pool knows it.
struct RemotePlace {
    desk: Arc<Desk>,
    worker: Name,
    life: Id,
    /// Takes the order to the worker, which waits for it; gone when it was sent.
    give: Option<oneshot::Sender<Vec<u8>>>,
    what: Arc<str>,
    cancel: Option<Cancel>,
}

/// Why a place stops listening.
enum Stop {
    /// The worker says that the order has ended.
    Ended(u64, Result<Ended, Fault>),
    /// The worker is gone, which is counted.
    Left,
    /// The order never reached the worker.
    Unreached,
    /// Whoever takes the facts wants no more.
    Unwanted,
    /// This end has failed.
    Own(Fault),
    /// What the worker has sent makes no sense.
    Wrong(Wrong),
}

impl From<Wrong> for Stop {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Own(fault)
    }
}

fn not_begun() -> Fault {
    let reason = "the order never reached the worker";
    Fault::new("have it measured on another machine", reason).of_kind(FaultKind::NoPlace)
}

impl RemotePlace {
    /// Puts what the order needs on the server, unless that takes too long.
    fn put(&self, order: &Order, source: &dyn Source) -> Result<(), Fault> {
        let blobs = &self.desk.blobs;
        let until = Instant::now() + PUT_PATIENCE;
        for some in order.needs().chunks(PUT_AT_ONCE) {
            let mut bytes = HashMap::new();
            for digest in blobs.missing(some) {
                bytes.extend(source.blob(&digest)?.map(|blob| (digest, blob)));
            }
            let left = until.saturating_duration_since(Instant::now());
            let put = async { timeout(left, blobs.put_all(&bytes)).await };
            match self.desk.handle.block_on(put) {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => {
                    tracing::warn!(%fault, "cannot put bytes for workers on the server");
                    self.desk.refuse(fault.reason);
                    return Err(not_begun());
                }
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Sends the order; its number, what facts name the machine, and where they come.
    fn give(&mut self, order: &Order) -> Result<(Id, Arc<str>, Letters), Fault> {
        let failed = |error: &dyn ToString| Fault::new("send an order", error.to_string());
        let id = Id::random().map_err(|error| failed(&error))?;
        let can_wait = self.cancel.is_some();
        let given = Given {
            daemon: self.desk.daemon.clone(),
            order: Some(Box::new(OrderMessage {
                id: id.clone(),
                order: order.clone(),
                can_wait,
            })),
        };
        let given = wire::write(&given, &[]).map_err(|error| failed(&error))?;
        let (giver, letters) = channel();
        let out = Out::new(&self.worker, &self.what, can_wait, giver, Instant::now());
        let mut state = lock(&self.desk.state);
        let machine = state
            .give(&self.life, id.clone(), out)
            .ok_or_else(not_begun)?;
        // What is lost on the way to the worker is found out with its heartbeats.
        if self
            .give
            .take()
            .is_none_or(|give| give.send(given).is_err())
        {
            state.end(&id, Outcome::Unwanted);
            return Err(not_begun());
        }
        drop(state);
        point("order given");
        Ok((id, machine, letters))
    }

    /// What the worker says next.
    fn next(&self, letters: &Letters) -> Result<Letter, Stop> {
        let Some(cancel) = &self.cancel else {
            let letter = letters.recv().map_err(|_| Stop::Left)?;
            return letter.ok_or(Stop::Unreached);
        };
        loop {
            cancel.check()?;
            match letters.recv_timeout(LOOK) {
                Ok(letter) => return letter.ok_or(Stop::Unreached),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Stop::Left),
            }
        }
    }
}

impl Worker for RemotePlace {
    fn is_for(&mut self, submission: &Submission, _: &Arc<Toolchain>, cancel: Option<&Cancel>) {
        let search = if cancel.is_some() { " (search)" } else { "" };
        self.what = Arc::from(submission.whose() + search);
        self.cancel = cancel.cloned();
    }

    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        self.put(order, source)?;
        let (id, machine, letters) = self.give(order)?;
        let mut conversation = Conversation {
            desk: &self.desk,
            worker: &self.worker,
            machine,
            check: Check::new(order),
            source,
            sink,
            found: Found::new(),
            part: Vec::new(),
            held: Vec::new(),
            facts: 0,
        };
        let stop = loop {
            let heard = self
                .next(&letters)
                .and_then(|letter| conversation.hear(letter));
            if let Err(stop) = heard {
                break stop;
            }
        };
        let (outcome, ended) = match stop {
            Stop::Ended(count, Ok(Ended::Done)) if count == conversation.facts => {
                (Outcome::Done, Ok(Ended::Done))
            }
            Stop::Ended(count, Ok(Ended::Lost)) if count == conversation.facts => {
                (Outcome::Unwanted, Ok(Ended::Lost))
            }
            Stop::Ended(_, Err(fault)) => {
                tracing::warn!(worker = %self.worker, %fault, "a worker has failed at an order");
                (Outcome::Failed, Err(foreign(&fault)))
            }
            // It was not told to stop, or some of its facts were lost, or it is gone.
            Stop::Ended(..) | Stop::Left => (Outcome::Lost, Ok(Ended::Left)),
            Stop::Unreached => (Outcome::Lost, Err(not_begun())),
            Stop::Unwanted => (Outcome::Unwanted, Ok(Ended::Stopped)),
            Stop::Own(fault) => (Outcome::Unwanted, Err(fault)),
            Stop::Wrong(wrong) => {
                tracing::warn!(worker = %self.worker, %wrong, "cannot take what a worker says");
                let why = format!("what it sent makes no sense: {wrong}");
                self.desk.distrust(&self.worker, &why);
                (Outcome::Unwanted, Err(Fault::new("measure", why)))
            }
        };
        lock(&self.desk.state).end(&id, outcome);
        ended
    }
}

/// What is said between a worker and whoever waits for its order.
struct Conversation<'c> {
    desk: &'c Desk,
    worker: &'c Name,
    /// How facts name the worker's machine.
    machine: Arc<str>,
    check: Check<'c>,
    source: &'c dyn Source,
    sink: &'c mut dyn Sink,
    /// Bytes that wait for the fact that names them, and those of which a part is still to come.
    found: Found,
    part: Vec<u8>,
    /// They are counted as long as these are.
    held: Vec<Held>,
    facts: u64,
}

impl Conversation<'_> {
    /// Takes in what the worker says, and answers when that has been dealt with. Facts need no answer.
    fn hear(&mut self, letter: Letter) -> Result<(), Stop> {
        let Letter { message, held } = letter;
        let (said, rest): (Said, _) = wire::read(&message.payload)?;
        self.held.push(held);
        let (answer, ended) = match said {
            Said::Fact(fact, lengths) => {
                point("facts arrived");
                self.facts += 1;
                let inline = inline(&lengths, rest)?.into_iter();
                self.found
                    .extend(inline.map(|bytes| (digest(&bytes), bytes)));
                self.hand_on(*fact)?;
                point("facts handed on");
                self.found.clear();
                self.held.clear();
                (None, None)
            }
            Said::Part(of) => (Some(self.part(of, rest)?), None),
            Said::Want(digest) => (self.put(&digest)?, None),
            Said::Question(asked) => (Some(Answer::Before(self.source.comparison(&asked)?)), None),
            Said::Ended(facts, ended) => (Some(Answer::Taken), Some((facts, ended))),
        };
        if let Some((reply, answer)) = message.reply.zip(answer) {
            let answered = self.desk.publish(reply, &answer);
            self.desk.handle.block_on(answered);
        }
        match ended {
            Some((facts, ended)) => Err(Stop::Ended(facts, ended)),
            None => Ok(()),
        }
    }

    /// The next part of bytes that are so long as a whole.
    fn part(&mut self, of: u64, part: &[u8]) -> Result<Answer, Wrong> {
        self.part.extend_from_slice(part);
        let length = self.part.len() as u64;
        let before: usize = self.found.values().map(|bytes| bytes.len()).sum();
        if length > of || part.is_empty() || before as u64 + length > ARTIFACT_BYTES_MAX {
            return Err(Wrong::TooLong);
        }
        if length == of {
            let whole: Arc<[u8]> = std::mem::take(&mut self.part).into();
            self.found.insert(digest(&whole), whole);
        }
        Ok(Answer::Taken)
    }

    /// Puts bytes on the server that it has lost. Where that fails, the worker is not answered and
    /// asks again.
    fn put(&self, wanted: &Digest) -> Result<Option<Answer>, Fault> {
        if !self.check.names(wanted) {
            tracing::warn!(worker = %self.worker, "a worker wants bytes that its order does not name");
            return Ok(Some(Answer::Gone));
        }
        let Some(bytes) = self.source.blob(wanted)? else {
            return Ok(Some(Answer::Gone));
        };
        let put = self.desk.blobs.put(wanted, &bytes);
        let put = self.desk.handle.block_on(put).inspect_err(|fault| {
            tracing::warn!(%fault, "cannot put bytes for workers on the server");
        });
        Ok(put.is_ok().then_some(Answer::There))
    }

    fn hand_on(&mut self, mut fact: Fact) -> Result<(), Stop> {
        let names = fact.named();
        // Inputs and answers that the order names do not travel back.
        for digest in &names {
            if !self.found.contains_key(digest) && self.check.names(digest) {
                let blob = self.source.blob(digest)?;
                self.found.extend(blob.map(|blob| (*digest, blob)));
            }
        }
        if let Fact::Ran { facts, .. } = &mut fact {
            // Reports name the machine by what the worker said once, not in each fact.
            Arc::make_mut(facts).machine = Arc::clone(&self.machine);
        }
        if let Fact::Built { .. } = &fact {
            self.desk.pool.has(self.worker.as_str(), names);
        }
        let bytes = self.check.checked(&fact, &self.found)?;
        match self.sink.fact(&fact, &bytes)? {
            Flow::Continue => Ok(()),
            Flow::Stop => Err(Stop::Unwanted),
        }
    }
}

/// The longest time that a worker waits here for an order.
const WAIT_MAX: Duration = Duration::from_secs(5);

impl Desk {
    /// Takes in a message. What is said about one order keeps its turn.
    pub fn receive(self: &Arc<Self>, mut message: Message) {
        let Some((name, kind)) = subjects::parse_request(&message.subject) else {
            return;
        };
        // An answer goes to the worker's own inbox and nowhere else: this end may publish more than
        // a worker may.
        let is_own = |reply: &Subject| subjects::is_answer_to(&name, reply);
        message.reply = message.reply.filter(is_own);
        if kind == Kind::Order {
            return self.order(&name, message);
        }
        let desk = Arc::clone(self);
        tokio::spawn(async move {
            let Message { payload, reply, .. } = message;
            let (Some(reply), payload) = (reply, &payload) else {
                return;
            };
            // What is lost on the way is asked for again.
            match kind {
                Kind::Here => desk.answer(reply, desk.here(&name, payload)).await,
                Kind::Prove => desk.answer(reply, desk.prove(&name, payload).await).await,
                Kind::Take => {
                    if let Some(given) = desk.take(&name, payload).await {
                        desk.send(reply, given).await;
                    }
                }
                Kind::Order => {}
            }
        });
    }

    /// Offers a place of a worker, until somebody has an order for it or the worker has waited for
    /// long enough.
    async fn take(self: &Arc<Self>, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let take: Take = read(name, payload)?;
        let now = Instant::now();
        let until = now + Duration::from_millis(take.wait_ms).min(WAIT_MAX);
        let waits = lock(&self.state).take(name, &take.worker, now);
        let order = match &waits {
            Some(_) if self.gives() => self.offer(name, &take, until).await,
            Some(_) => {
                sleep_until(until.into()).await;
                None
            }
            None => None,
        };
        let nothing = Given {
            daemon: self.daemon.clone(),
            order: None,
        };
        order.or_else(|| wire::write(&nothing, &[]).ok())
    }

    /// The order, as it is sent, if there was one in time.
    async fn offer(self: &Arc<Self>, name: &Name, take: &Take, until: Instant) -> Option<Vec<u8>> {
        let (give, mut given) = oneshot::channel();
        let place = Box::new(RemotePlace {
            desk: Arc::clone(self),
            worker: name.clone(),
            life: take.worker.clone(),
            give: Some(give),
            what: Arc::default(),
            cancel: None,
        });
        let life = &take.worker.0;
        let offer = self.pool.offer(name.as_str(), life, place, take.takes_idle);
        let mut in_time = timeout_at(until.into(), &mut given).await;
        if in_time.is_err() && offer.is_taken() {
            // Somebody has just borrowed it, and prepares the order.
            in_time = timeout(PREPARED, &mut given).await;
        }
        if let Ok(given) = in_time {
            return given.ok();
        }
        // One that was given at the last moment is out; after this none can be.
        given.close();
        given.try_recv().ok()
    }
}
