//! Requests to daemons: each is sent again until it is answered, or nobody can want the answer any
//! more.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::Client;
use async_nats::connection::State as Connection;
use serde::de::DeserializeOwned;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::courses::Courses;
use super::notice::{Notice, Tally};
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{self, Doing, Id};
use crate::judge::Progress;
use crate::util::sync::lock;

/// How long one answer is waited for before the request is sent again.
const ANSWER: Duration = Duration::from_secs(3);
/// How long a request about an order is sent again: by then the order has long been given to others.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// The pause before a request is sent again where nobody listens.
const PAUSE: Duration = Duration::from_millis(100);

/// What all parts of a worker share.
pub struct Link {
    /// The connection.
    pub client: Client,
    /// The worker's name on the server.
    pub name: Name,
    /// The worker's life.
    pub life: Id,
    /// The courses.
    pub courses: Mutex<Courses>,
    /// Changes when it may be time to ask for orders.
    pub news: watch::Sender<u64>,
    /// Whether nothing new is begun.
    pub is_ending: watch::Sender<bool>,
    /// Orders that are here.
    pub out: Mutex<HashMap<Id, Arc<Out>>>,
    /// What was done since people were told last.
    pub tally: Mutex<BTreeMap<Name, Tally>>,
    /// Tells people.
    pub say: Box<dyn Fn(Notice) + Send + Sync>,
}

/// An order that is here.
pub struct Out {
    /// Who gave it.
    pub course: Name,
    /// Which life of that daemon.
    pub daemon: Id,
    /// Which order.
    pub id: Id,
    /// How far it is; none where it waits for its place.
    pub progress: Mutex<Option<Progress>>,
    /// Whether nobody wants it any more.
    pub is_dropped: AtomicBool,
}

impl Out {
    /// Nobody wants it any more.
    pub fn drop_it(&self) {
        self.is_dropped.store(true, Ordering::Release);
    }

    /// Whether nobody wants it any more.
    pub fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Acquire)
    }
}

/// A request that is not answered any more.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// Nobody wants the order any more.
    #[error("nobody waits for this order any more")]
    Dropped,
    /// The daemon is silent.
    #[error("the daemon has not answered for {} s", PATIENCE.as_secs())]
    Silent,
}

impl Link {
    /// One request, and its answer if one comes in time.
    pub async fn once<T: DeserializeOwned>(
        &self,
        course: &Name,
        kind: Kind,
        payload: &[u8],
        patience: Duration,
    ) -> Option<T> {
        let subject = subjects::request(&self.name, course, kind);
        let request = async_nats::Request::new()
            .payload(payload.to_vec().into())
            .timeout(None);
        let answered = timeout(patience, self.client.send_request(subject, request));
        match answered.await {
            Ok(Ok(answer)) => match wire::read(&answer.payload) {
                Ok((answer, _)) => Some(answer),
                Err(error) => {
                    tracing::debug!(%course, %error, "an answer of a daemon");
                    None
                }
            },
            Ok(Err(error)) => {
                tracing::debug!(%course, %error, "a request to a daemon");
                sleep(PAUSE).await;
                None
            }
            Err(_) => None,
        }
    }

    /// A request about an order, until it is answered.
    pub async fn about<T: DeserializeOwned>(
        &self,
        out: &Out,
        kind: Kind,
        payload: &[u8],
    ) -> Result<T, Unanswered> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if out.is_dropped() {
                return Err(Unanswered::Dropped);
            }
            // Requests would only gather while there is no connection.
            if self.client.connection_state() != Connection::Connected {
                sleep(PAUSE).await;
                continue;
            }
            if let Some(answer) = self.once(&out.course, kind, payload, ANSWER).await {
                return Ok(answer);
            }
        }
        out.drop_it();
        Err(Unanswered::Silent)
    }

    /// What this worker does for a course.
    pub fn doing(&self, course: &Name) -> Vec<Doing> {
        let out = lock(&self.out);
        let of_course = out.values().filter(|out| out.course == *course);
        of_course
            .map(|out| Doing {
                order: out.id.clone(),
                progress: *lock(&out.progress),
            })
            .collect()
    }

    /// Drops orders of a course that its daemon does not know any more.
    pub fn drop_where(&self, is_lost: impl Fn(&Out) -> bool) {
        for out in lock(&self.out).values().filter(|out| is_lost(out)) {
            out.drop_it();
        }
    }

    /// Something was done for a course.
    pub fn did(&self, course: &Name, tally: Tally) {
        let mut all = lock(&self.tally);
        let all = all.entry(course.clone()).or_default();
        all.orders += tally.orders;
        all.facts += tally.facts;
        all.busy += tally.busy;
    }

    /// It may be time to ask.
    pub fn wake(&self) {
        self.news.send_modify(|count| *count += 1);
    }
}
