//! What the thread of the hub and the places of workers share, and what it answers to workers. Nothing
//! here waits for a place, a store or a worker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use async_nats::connection::State as Connection;
use async_nats::{Client, Message, Subject};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::out::{Held, Letter, Outcome};
use super::state::State;
use crate::cluster::admission::Admit;
use crate::cluster::blobs::Blobs;
use crate::cluster::subjects::Name;
use crate::cluster::wire::{
    self, Answer, Challenge, Head, Heartbeat, HeartbeatReply, Id, News, Proving,
};
use crate::places::Pool;
use crate::util::calibrate::Chain;
use crate::util::sync::lock;

/// What the thread of the hub and the places of workers share: everything that a message needs.
pub struct Desk {
    /// The connection, and the runtime that it lives in.
    pub client: Client,
    pub handle: Handle,
    /// What the course is called on the server.
    pub course: Name,
    /// This daemon's life.
    pub daemon: Id,
    /// Whoever waits for a place, and the machines.
    pub pool: Arc<Pool>,
    /// The server's bytes.
    pub blobs: Blobs,
    /// Says what a worker may get.
    pub admit: Arc<Admit>,
    /// Whether this machine measures too.
    pub has_own_places: bool,
    /// Who is there and what is out.
    pub state: Mutex<State>,
    /// Why the server's stream cannot be made or changed. It is shown and nothing else: whether bytes
    /// can be put there is seen when some are.
    pub stream_trouble: Mutex<Option<String>>,
    /// Whether orders are given out.
    pub is_open: AtomicBool,
}

impl Desk {
    /// Takes in the news of a course of this name. Two daemons would answer each other's workers, and
    /// take each other's orders from them: neither gives out any.
    pub fn heard(&self, news: &[u8]) {
        let news = wire::read::<News>(news);
        if news.is_ok_and(|(news, _)| news.daemon != self.daemon) {
            self.refuse(format!(
                "another daemon is called `{}` on this server: give each course a name and credentials of its own",
                self.course
            ));
        }
    }

    /// A worker is there.
    pub fn here(&self, name: &Name, payload: &[u8]) -> Option<HeartbeatReply> {
        let beat: Heartbeat = read(name, payload)?;
        let is_said = beat.about.is_some();
        let mut state = lock(&self.state);
        let standing = state.here(name, beat, &*self.admit, Instant::now());
        if is_said {
            self.pool.set_machines(state.machines());
        }
        Some(standing)
    }

    /// Whether orders are given out now.
    pub fn gives(&self) -> bool {
        let is_open = self.is_open.load(Ordering::Acquire);
        is_open && !lock(&self.state).is_refused(Instant::now())
    }

    /// Something speaks against giving out orders.
    pub fn refuse(&self, why: String) {
        lock(&self.state).refuse(why, Instant::now());
    }

    /// What is wrong with the connection, the stream, or the orders that go out.
    pub fn trouble(&self) -> Option<String> {
        if !self.is_connected() {
            return Some("the connection to the server is lost".to_owned());
        }
        let of_stream = lock(&self.stream_trouble).clone();
        of_stream.or_else(|| lock(&self.state).refusal().map(str::to_owned))
    }

    /// Hands on what is said about an order.
    pub fn order(self: &Arc<Self>, name: &Name, mut message: Message) {
        let (head, said) = match wire::read::<Head>(&message.payload) {
            Ok((head, said)) => (head, message.payload.slice_ref(said)),
            Err(error) => return tracing::debug!(worker = %name, %error, "cannot read a message"),
        };
        let mut state = lock(&self.state);
        let Some(out) = state.order(name, &head.worker, &head.order, Instant::now()) else {
            drop(state);
            let desk = Arc::clone(self);
            if let Some(reply) = message.reply {
                tokio::spawn(async move { desk.publish(reply, &Answer::Stop).await });
            }
            return;
        };
        let held = Held::new(&out.held, message.payload.len());
        message.payload = said;
        if out.giver.send(Some(Letter { message, held })).is_err() {
            state.end(&head.order, Outcome::Unwanted);
        }
        state.make_room();
    }

    /// Gives a worker work that proves its speed. What comes of it is found out before the clock runs.
    pub async fn prove(&self, name: &Name, payload: &[u8]) -> Option<Challenge> {
        let now = Instant::now();
        let proving: Proving = read(name, payload)?;
        let rounds = {
            let mut state = lock(&self.state);
            let (proof, _) = state.proving(name, &proving.worker, now)?;
            if let Some(answer) = proving.answer {
                proof.answered(answer, now);
                state.admit(name, &*self.admit);
            }
            let (proof, has_to_prove) = state.proving(name, &proving.worker, now)?;
            if has_to_prove {
                proof.next(now)
            } else {
                proof.is_enough();
                self.pool.set_machines(state.machines());
                None
            }
        };
        let Some(rounds) = rounds else {
            return Some(Challenge(None));
        };
        let seed = wire::random().map(u64::from_ne_bytes).ok()?;
        let answer = spawn_blocking(move || Chain::default().run(seed, rounds));
        let answer = answer.await.ok()?;
        let (mut state, now) = (lock(&self.state), Instant::now());
        let (proof, _) = state.proving(name, &proving.worker, now)?;
        proof.asks(answer, rounds, now);
        Some(Challenge(Some((seed, rounds))))
    }

    /// What a worker has sent makes no sense: it gets no more.
    pub fn distrust(&self, name: &Name, why: &str) {
        let mut state = lock(&self.state);
        state.distrust(name, why.to_owned());
        state.admit(name, &*self.admit);
        self.pool.set_machines(state.machines());
    }

    /// Time has passed. What workers may get changes with this machine's languages and with all
    /// speeds.
    pub fn tick(&self, admits: bool) {
        let mut state = lock(&self.state);
        state.tick(Instant::now());
        if admits {
            state.admit_all(&*self.admit, self.has_own_places);
        }
        self.pool.set_machines(state.machines());
    }

    /// Nobody waits for the workers any more, and no order for one of them.
    pub fn close(&self) {
        self.is_open.store(false, Ordering::Release);
        lock(&self.state).lose_all();
        self.pool.set_machines(Vec::new());
    }

    /// Whether there is a connection now.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == Connection::Connected
    }

    /// Sends an answer, if there is one.
    pub async fn answer(&self, reply: Subject, answer: Option<impl Serialize>) {
        if let Some(answer) = answer {
            self.publish(reply, &answer).await;
        }
    }

    /// Sends a message. Whoever misses one asks again.
    pub async fn publish(&self, subject: impl Into<Subject>, message: &impl Serialize) {
        match wire::write(message, &[]) {
            Ok(written) => self.send(subject.into(), written).await,
            Err(error) => tracing::warn!(%error, "cannot write a message to a worker"),
        }
    }

    /// Sends what is written already.
    pub async fn send(&self, subject: Subject, written: Vec<u8>) {
        // The connection is closed for good only at the end.
        let _ = self.client.publish(subject, written.into()).await;
    }
}

/// A worker's message, if it can be read.
pub fn read<T: DeserializeOwned>(name: &Name, payload: &[u8]) -> Option<T> {
    let read = wire::read(payload);
    let read = read.inspect_err(|error| {
        tracing::debug!(worker = %name, %error, "cannot read a message of a worker");
    });
    Some(read.ok()?.0)
}
