//! The orders that wait for a place. A planner has at most one here, so there are never more of them
//! than planners.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::task::{Gone, Task};
use crate::util::sync::lock;

/// The queue.
#[derive(Default)]
pub struct Orders {
    queue: Mutex<Queue>,
    /// For places that are threads.
    changed: Condvar,
    /// For whoever gives orders to other machines.
    news: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Task>,
    is_closed: bool,
}

impl Queue {
    fn take(&mut self, suits: impl Fn(&Task) -> bool) -> Option<Task> {
        let at = self.waiting.iter().position(suits)?;
        self.waiting.remove(at)
    }
}

impl Orders {
    /// Adds an order at the end.
    pub fn put(&self, task: Task) -> Result<(), Gone> {
        let mut queue = lock(&self.queue);
        if queue.is_closed {
            return Err(Gone);
        }
        queue.waiting.push_back(task);
        drop(queue);
        // All of them: the order may not suit the first one.
        self.changed.notify_all();
        self.news.notify_one();
        Ok(())
    }

    /// Waits for an order that suits; none where no more will come.
    pub fn next(&self, suits: impl Fn(&Task) -> bool) -> Option<Task> {
        let mut queue: MutexGuard<'_, Queue> = lock(&self.queue);
        loop {
            if let Some(task) = queue.take(&suits) {
                return Some(task);
            }
            if queue.is_closed {
                return None;
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// An order that suits, if one waits.
    #[cfg_attr(not(feature = "cluster"), expect(dead_code))]
    pub fn take(&self, suits: impl Fn(&Task) -> bool) -> Option<Task> {
        lock(&self.queue).take(suits)
    }

    /// Waits until an order may have come since the last call.
    #[cfg_attr(not(feature = "cluster"), expect(dead_code))]
    pub async fn changed(&self) {
        self.news.notified().await;
    }

    /// No more orders come; what waits is still done.
    pub fn close(&self) {
        lock(&self.queue).is_closed = true;
        self.changed.notify_all();
        self.news.notify_one();
    }
}
