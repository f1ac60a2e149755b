//! The pages thread as the daemon holds it: started, told to stop, waited for.

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot, watch};

use super::super::message::Message;
use super::super::shared::Shared;
use super::thread::{Pages, Stop};
use crate::domain::Fault;
use crate::exports::Course;

/// How far this thread steps back behind the others.
const NICENESS: i32 = 19;

/// Ends the thread when nobody waits for it any more, as after an error at the start.
struct StopSender(watch::Sender<Stop>);

impl Drop for StopSender {
    fn drop(&mut self) {
        self.0.send_replace(Stop::Now);
    }
}

/// What nobody has heard of when the thread ends.
#[derive(Default)]
pub struct Untold {
    /// What could not be written.
    pub trouble: Option<Fault>,
    /// What is to be said about mistakes in the course's files.
    pub mistakes: Vec<String>,
}

/// The pages thread. Where this is dropped the thread ends as soon as possible.
pub struct PagesHandle {
    stop: StopSender,
    ended: oneshot::Receiver<Untold>,
    thread: JoinHandle<()>,
}

impl PagesHandle {
    /// Starts the thread. Through the sender it is told when the course is another one.
    pub fn start(
        shared: &Arc<Shared>,
        course: Arc<Course>,
        messages: mpsc::Sender<Message>,
    ) -> std::io::Result<(Self, watch::Sender<Arc<Course>>)> {
        let shared = Arc::clone(shared);
        let (changed, course) = watch::channel(course);
        let (stop, stopped) = watch::channel(Stop::No);
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        let mut pages = Pages::new(shared, course, messages, stopped);
        let thread = std::thread::Builder::new()
            .name("pages".to_owned())
            .spawn(move || {
                // Where this is not allowed, pages are made as quickly as anything.
                let _ = rustix::process::setpriority_process(None, NICENESS);
                pages.run(&runtime);
                let mistakes = std::mem::take(&mut pages.untold);
                let trouble = pages.trouble.take();
                // The store is let go before anybody hears of the end.
                drop(pages);
                let _ = end.send(Untold { trouble, mistakes });
            })?;
        let handle = Self {
            stop: StopSender(stop),
            ended,
            thread,
        };
        Ok((handle, changed))
    }

    /// Has it write what is left, and waits for that as long as somebody is willing to.
    pub async fn finish(self, impatience: impl Future<Output = ()>) -> Untold {
        self.stop.0.send_replace(Stop::Drain);
        let mut ended = self.ended;
        let untold = tokio::select! {
            untold = &mut ended => untold,
            () = impatience => {
                // It looks at what it is told between any two files.
                self.stop.0.send_replace(Stop::Now);
                ended.await
            }
        };
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
        untold.unwrap_or_default()
    }

    /// Has it end, without waiting for that.
    pub fn abandon(self) {
        drop(self);
    }
}
