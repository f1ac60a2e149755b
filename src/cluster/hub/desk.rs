//! Answers the requests of workers, one by one and many at a time. Nothing here waits for a planner
//! on the thread that the others need too: a request whose planner has too much to do is answered
//! later.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::{Client, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::admitting::Admitting;
use super::check::{Ticket, Wrong, built_files, foreign, inline, names};
use super::lately::Lately;
use super::outstanding::Taking;
use super::state::State;
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{
    self, Answer, Ask, Beat, Envelope, Facts, Found, Id, News, Part, Question, Sent, Standing,
    Taken, Want,
};
use crate::domain::Fault;
use crate::fleet::{Most, Orders, Reply, Task, Told};
use crate::judge::order::{Ended, Go, Source as _};
use crate::util::crash::point;
use crate::util::sync::lock;

/// How long an order waits for its bytes to be on the server. Those that take longer follow it:
/// the worker asks for what it misses.
const PUT_PATIENCE: Duration = Duration::from_secs(2);
/// One envelope.
const MOST: Most = Most {
    orders: 64,
    bytes: wire::ENVELOPE_BYTES_MAX,
};
/// Nothing is given out for this long after the server has refused bytes.
const REFUSED_PAUSE: Duration = Duration::from_secs(5);

/// Everything that a request needs.
pub struct Desk {
    /// The connection.
    pub client: Client,
    /// What the course is called on the server.
    pub course: Name,
    /// This daemon's life.
    pub daemon: Id,
    /// The orders that wait.
    pub orders: Arc<Orders>,
    /// The server's bytes.
    pub lately: Arc<Lately>,
    /// Who may have which orders.
    pub admitting: Admitting,
    /// Who is there and what is out.
    pub state: Mutex<State>,
    /// Whether orders are given out.
    pub is_open: AtomicBool,
}

/// Planners hear that their orders are lost.
fn lost(tickets: Vec<Arc<Ticket>>) {
    for ticket in tickets {
        end(ticket, Reply::Ended(Ok(Ended::Left)));
    }
}

/// A planner hears how its order ended.
fn end(ticket: Arc<Ticket>, how: Reply) {
    // A planner that has too much to do is told by a thread that may wait.
    if let Told::Busy(reply) = ticket.task.try_tell(how) {
        spawn_blocking(move || ticket.task.tell(reply).is_ok());
    }
}

impl Desk {
    /// Answers one request.
    pub async fn serve(self: Arc<Self>, message: Message) {
        let Some((name, kind)) = subjects::parse_request(&message.subject) else {
            return;
        };
        // An answer goes to the worker's own inbox and nowhere else: this end may publish more than
        // a worker may.
        let is_own = |reply: &str| subjects::is_answer_to(&name, reply);
        let Some(reply) = message.reply.filter(|reply| is_own(reply)) else {
            return;
        };
        let answer = match kind {
            Kind::Here => self.here(&name, &message.payload),
            Kind::Ask => self.ask(&name, &message.payload).await,
            Kind::Facts => self.facts(&name, &message.payload).await,
            Kind::Part => self.part(&name, &message.payload),
            Kind::Want => self.want(&name, &message.payload).await,
            Kind::Question => self.question(&name, &message.payload).await,
        };
        if let Some(answer) = answer {
            // What is lost on the way is asked for again.
            let _ = self.client.publish(reply, answer.into()).await;
        }
    }

    /// Takes in the news of a course of this name. Two daemons would answer each other's workers, and
    /// take each other's orders from them: neither gives out any.
    pub fn heard(&self, news: &[u8]) {
        let news = wire::read::<News>(news);
        if news.is_ok_and(|(news, _)| news.daemon != self.daemon) {
            let why = format!(
                "another daemon is called `{}` on this server: give each course a name and credentials of its own",
                self.course
            );
            lock(&self.state).refused = Some((why, Instant::now()));
        }
    }

    fn here(&self, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let (beat, _): (Beat, _) = read(name, payload)?;
        let mut state = lock(&self.state);
        let here = state.here(&self.admitting, name, beat, Instant::now());
        state.tell(&self.orders);
        let admitted = state.admitted.get(name).cloned();
        drop(state);
        lost(here.lost);
        self.take_back(here.unheard);
        let mut standing = Standing {
            daemon: self.daemon.clone(),
            is_unknown: here.is_unknown,
            languages: Vec::new(),
            why_not: Vec::new(),
            drop: here.drop,
        };
        if here.is_rival {
            let why = format!(
                "another worker called `{name}` is there: give each one credentials of its own"
            );
            standing.why_not.push(why);
        } else if let Some(admitted) = admitted {
            standing.languages = admitted.languages.iter().cloned().collect();
            standing.why_not.clone_from(&admitted.why_not);
        }
        written(&standing)
    }

    async fn ask(&self, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let (ask, _): (Ask, _) = read(name, payload)?;
        let mut envelope = Envelope {
            daemon: self.daemon.clone(),
            orders: Vec::new(),
        };
        let tasks = self.choose(name, &ask);
        if !tasks.is_empty() {
            envelope.orders = self.give(name, &ask.worker, tasks).await;
        }
        written(&envelope)
    }

    /// Orders for a place of this worker, if some wait that suit it.
    fn choose(&self, name: &Name, ask: &Ask) -> Vec<Task> {
        let place = || {
            if !self.is_open.load(Ordering::Acquire) {
                return None;
            }
            let mut state = lock(&self.state);
            let is_refused = |(_, since): &(String, Instant)| since.elapsed() < REFUSED_PAUSE;
            if state.refused.as_ref().is_some_and(is_refused) {
                return None;
            }
            state.outstanding.asks(name, &ask.worker, Instant::now())?;
            state.present.of(name)
        };
        let Some(place) = place() else {
            return Vec::new();
        };
        let mut tasks = self.orders.take(&place, MOST);
        if tasks.is_empty() && ask.takes_idle {
            tasks.extend(self.orders.take_idle(&place));
        }
        tasks
    }

    /// Gives orders to a worker, after the bytes that they name.
    async fn give(&self, name: &Name, life: &Id, tasks: Vec<Task>) -> Vec<Sent> {
        let mut bytes = HashMap::new();
        for task in &tasks {
            bytes.extend(
                task.bytes
                    .iter()
                    .map(|(digest, blob)| (*digest, Arc::clone(blob))),
            );
        }
        let lately = Arc::clone(&self.lately);
        let put = tokio::spawn(async move { lately.put_all(&bytes).await });
        if let Ok(Ok(Err(error))) = timeout(PUT_PATIENCE, put).await {
            tracing::warn!(%error, "bytes for workers");
            lock(&self.state).refused = Some((error.to_string(), Instant::now()));
            self.put_back(tasks);
            return Vec::new();
        }
        let (mut orders, mut sent) = (Vec::new(), Vec::new());
        for task in tasks {
            let Ok(id) = Id::random() else {
                self.put_back(vec![task]);
                continue;
            };
            sent.push(Sent {
                id: id.clone(),
                order: task.order.clone(),
                can_wait: task.can_wait(),
            });
            orders.push((id, Arc::new(Ticket::new(task))));
        }
        let mut state = lock(&self.state);
        state.refused = None;
        let given = state.outstanding.give(name, life, orders, Instant::now());
        drop(state);
        match given {
            Ok(()) => {
                point("order given");
                sent
            }
            Err(back) => {
                let tickets = back.into_iter().filter_map(Arc::into_inner);
                self.put_back(tickets.map(|ticket| ticket.task).collect());
                Vec::new()
            }
        }
    }

    /// Orders that their worker never received wait again; nobody has tried them.
    fn take_back(&self, tickets: Vec<Arc<Ticket>>) {
        let tickets = tickets.into_iter().filter_map(|ticket| {
            Arc::try_unwrap(ticket)
                .inspect_err(|ticket| lost(vec![Arc::clone(ticket)]))
                .ok()
        });
        self.put_back(tickets.map(|ticket| ticket.task).collect());
    }

    /// Orders that nobody has begun are for the next one, in the order in which they were.
    fn put_back(&self, tasks: Vec<Task>) {
        tasks
            .into_iter()
            .rev()
            .for_each(|task| self.orders.put_back(task));
    }

    async fn facts(&self, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let (facts, rest): (Facts, _) = read(name, payload)?;
        let taking = lock(&self.state)
            .outstanding
            .facts(name, &facts, Instant::now());
        let (ticket, skip, mut found) = match taking {
            Taking::Take { task, skip, parts } => (task, skip, parts),
            Taking::Again => return written(&Taken { go: Go::On }),
            Taking::Busy => return None,
            Taking::Stop => return written(&Taken { go: Go::Stop }),
            Taking::Gap(ticket) => {
                lost(vec![ticket]);
                return written(&Taken { go: Go::Stop });
            }
        };
        let Facts { order, ended, .. } = &facts;
        let (order, ended) = (order.clone(), ended.clone());
        let place = lock(&self.state).present.of(name);
        let machine = match &place {
            Some(place) => Arc::clone(&place.machine),
            None => Arc::from(name.as_str()),
        };
        let of_parts: Vec<_> = found.keys().copied().collect();
        let checked = inline(&facts, rest).and_then(|inline| {
            found.extend(inline);
            let fresh = facts.list.into_iter().skip(skip).collect();
            ticket.checked(fresh, &found, &machine)
        });
        let has_ended = ended.is_some();
        point("facts arrived");
        let replies = match checked {
            Ok(facts) => {
                if let Some(place) = place {
                    let files = facts.iter().flat_map(|(fact, _)| built_files(fact));
                    self.orders.has(&place, files);
                }
                let facts = facts
                    .into_iter()
                    .map(|(fact, bytes)| Reply::Fact(fact, bytes));
                facts.chain(self.end(name, &ticket.task, ended)).collect()
            }
            Err(wrong) => {
                self.distrust(name, &order, &wrong);
                return written(&Taken { go: Go::Stop });
            }
        };
        let goes_on = tell_all(Arc::clone(&ticket), replies).await && !has_ended;
        point("facts handed on");
        let mut state = lock(&self.state);
        state.outstanding.taken(&order, &of_parts, goes_on);
        drop(state);
        written(&Taken {
            go: if goes_on { Go::On } else { Go::Stop },
        })
    }

    /// How an order ended, for its planner; what a worker lacks is not lacking here.
    fn end(&self, name: &Name, task: &Task, ended: Option<Result<Ended, Fault>>) -> Option<Reply> {
        let ended = ended?;
        let mut state = lock(&self.state);
        state.outstanding.count(name, |counts| match &ended {
            // A search has thousands of orders, and to give one up is no failure.
            Ok(_) if task.can_wait() => {}
            Ok(Ended::Left | Ended::Stopped) => counts.lost += 1,
            Ok(_) => {}
            Err(_) => counts.failed += 1,
        });
        if matches!(ended, Ok(Ended::Done)) && !task.can_wait() {
            state.outstanding.did(name);
        }
        Some(Reply::Ended(match ended {
            // It was not told to stop: that would have ended the order here too.
            Ok(Ended::Stopped) => Ok(Ended::Left),
            Ok(ended) => Ok(ended),
            Err(fault) => {
                tracing::warn!(worker = %name, %fault, "an order failed on a worker");
                Err(foreign(&fault))
            }
        }))
    }

    /// What a worker has sent makes no sense: others do the order, and it gets no more.
    fn distrust(&self, name: &Name, order: &Id, wrong: &Wrong) {
        tracing::warn!(worker = %name, %wrong, "a worker's facts are not taken");
        let why = format!("what it sent makes no sense: {wrong}");
        let mut state = lock(&self.state);
        let ticket = state.outstanding.give_up(order);
        state.outstanding.distrust(name, why.clone());
        state.admit(&self.admitting, name);
        state.tell(&self.orders);
        drop(state);
        if let Some(ticket) = ticket {
            let fault = Fault::new("measure", why);
            end(ticket, Reply::Ended(Err(fault)));
        }
    }

    fn part(&self, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let (part, bytes): (Part, _) = read(name, payload)?;
        let taken = lock(&self.state)
            .outstanding
            .part(name, &part, bytes, Instant::now());
        let go = match taken {
            Ok(true) => Go::On,
            // It is sent again.
            Ok(false) => return None,
            Err(ticket) => {
                lost(ticket.into_iter().collect());
                Go::Stop
            }
        };
        written(&Taken { go })
    }

    fn ticket(&self, name: &Name, life: &Id, order: &Id) -> Option<Arc<Ticket>> {
        let mut state = lock(&self.state);
        state.outstanding.task(name, life, order, Instant::now())
    }

    async fn want(&self, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let (want, _): (Want, _) = read(name, payload)?;
        let Some(ticket) = self.ticket(name, &want.worker, &want.order) else {
            return written(&Found::Stop);
        };
        if !names(&ticket.task.order, &want.digest) {
            tracing::warn!(worker = %name, "a worker wants bytes that its order does not name");
            return written(&Found::Gone);
        }
        let digest = want.digest;
        let blob = spawn_blocking(move || ticket.task.blob(&digest)).await;
        let Ok(Ok(blob)) = blob else {
            return written(&Found::Stop);
        };
        let Some(bytes) = blob else {
            return written(&Found::Gone);
        };
        self.lately.forget(&digest);
        match self.lately.put(&digest, &bytes).await {
            Ok(()) => written(&Found::There),
            // The worker asks again.
            Err(error) => {
                tracing::warn!(%error, "bytes for workers");
                None
            }
        }
    }

    async fn question(&self, name: &Name, payload: &[u8]) -> Option<Vec<u8>> {
        let (asked, _): (Question, _) = read(name, payload)?;
        let ticket = self.ticket(name, &asked.worker, &asked.order)?;
        let said = spawn_blocking(move || ticket.task.opinion(&asked.asked)).await;
        let said = said.ok()?.ok()?;
        written(&Answer { said })
    }

    /// What workers may get may have changed: this machine's own languages, and their speeds.
    pub fn admit_again(&self) {
        let mut state = lock(&self.state);
        state.admit_again(&self.admitting);
        state.tell(&self.orders);
    }

    /// Time has passed.
    pub fn tick(&self, now: Instant) {
        let mut state = lock(&self.state);
        let silent = state.outstanding.tick(now);
        state.tell(&self.orders);
        drop(state);
        lost(silent);
    }

    /// Nobody waits for the workers any more, and no order for one of them.
    pub fn close(&self) {
        self.is_open.store(false, Ordering::Release);
        let mut state = lock(&self.state);
        let rest = state.outstanding.lose_all();
        state.present.tell(std::iter::empty(), &self.orders);
        drop(state);
        lost(rest);
    }
}

/// Tells a planner everything, in order; false where it wants no more.
async fn tell_all(ticket: Arc<Ticket>, replies: Vec<Reply>) -> bool {
    let mut replies = replies.into_iter();
    while let Some(reply) = replies.next() {
        match ticket.task.try_tell(reply) {
            Told::Yes => {}
            Told::Gone => return false,
            Told::Busy(reply) => {
                let rest = move || {
                    let mut all = std::iter::once(reply).chain(replies);
                    all.all(|reply| ticket.task.tell(reply).is_ok())
                };
                return spawn_blocking(rest).await.unwrap_or(false);
            }
        }
    }
    true
}

fn read<'m, T: DeserializeOwned>(name: &Name, payload: &'m [u8]) -> Option<(T, &'m [u8])> {
    match wire::read(payload) {
        Ok(message) => Some(message),
        Err(error) => {
            tracing::debug!(worker = %name, %error, "a message of a worker");
            None
        }
    }
}

fn written(message: &impl Serialize) -> Option<Vec<u8>> {
    match wire::write(message, &[]) {
        Ok(message) => Some(message),
        Err(error) => {
            tracing::warn!(%error, "an answer to a worker");
            None
        }
    }
}
