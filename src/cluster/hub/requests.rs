//! Takes in the requests of workers. What is said about an order goes to whoever has given it; a
//! place that is free is offered to whoever waits for one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::{Message, Subject};
use tokio::sync::oneshot;
use tokio::time::{sleep_until, timeout, timeout_at};

use super::desk::{Desk, read};
use super::place::{PREPARED, RemotePlace};
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{self, Given, Take};
use crate::util::sync::lock;

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
        let place = Box::new(RemotePlace::new(self, name, &take.worker, give));
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
