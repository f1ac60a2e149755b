//! How those who listen to a view are told: one channel, and what went on at the last look.

use std::sync::{Arc, Mutex};

use axum::response::sse::Event;
use tokio::sync::{Notify, broadcast};

use crate::util::sync::lock;

/// Updates that a slow listener may be behind; one that is further behind reads the store.
const BEHIND_MAX: usize = 16;

/// The verdicts after one event up to another, and what goes on now where that has changed.
#[derive(Debug, Clone)]
pub struct Update {
    pub after: i64,
    pub reached: i64,
    pub verdicts: Arc<[Event]>,
    pub now: Option<Event>,
}

/// What a view tells those who listen.
pub struct Live {
    sender: broadcast::Sender<Update>,
    /// What went on at the last look, for new listeners; `None` if the next look tells it.
    now: Mutex<Option<String>>,
    somebody: Notify,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(BEHIND_MAX),
            now: Mutex::default(),
            somebody: Notify::new(),
        }
    }
}

impl Live {
    /// Listens from here on.
    pub fn listen(&self) -> broadcast::Receiver<Update> {
        let receiver = self.sender.subscribe();
        self.somebody.notify_one();
        receiver
    }

    /// What goes on, as it was last told.
    pub fn now(&self) -> Option<Event> {
        let now = lock(&self.now);
        now.as_deref().map(now_event)
    }

    /// Whether somebody listens.
    pub fn is_heard(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    /// Waits until somebody comes to listen.
    pub async fn somebody(&self) {
        self.somebody.notified().await;
    }

    /// Notes what goes on; false where that was known.
    pub fn set_now(&self, fresh: Option<String>) -> bool {
        let mut now = lock(&self.now);
        let is_new = *now != fresh;
        *now = fresh;
        is_new
    }

    /// Tells those who listen; that nobody does any more is no matter.
    pub fn tell(&self, update: Update) {
        let _ = self.sender.send(update);
    }
}

pub fn now_event(html: &str) -> Event {
    Event::default().event("now").data(html)
}
