//! The thread that talks to the server: it hears of courses and says that the worker is there.

use std::sync::Arc;
use std::time::Duration;

use async_nats::Subscriber;
use async_nats::connection::State;
use futures_util::StreamExt as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};

use super::courses::Heard;
use super::link::Link;
use super::note::Note;
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{self, Beat, News, SHAPE, Standing};

/// Each course hears of the worker this often.
const BEAT: Duration = Duration::from_secs(2);

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// All places have finished.
    Finished,
    /// A second signal: at once.
    Now,
    /// The connection is closed for good.
    Closed,
}

/// Signals that end a worker.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// From now on they do not end the process by themselves.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Talks to the server until the places have `finished`, or a second signal comes.
pub async fn join(
    link: &Arc<Link>,
    mut news: Subscriber,
    mut finished: oneshot::Receiver<()>,
    signals: &mut Signals,
) -> Joined {
    let mut is_connected = true;
    let mut ticks = interval(BEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = news.next() => match message {
                Some(message) => heard(link, &message),
                None => return Joined::Closed,
            },
            _ = ticks.tick() => {
                is_connected = look(link, is_connected);
                for course in link.courses() {
                    beat(link, course);
                }
            }
            () = signals.next() => {
                if link.is_stopping() {
                    return Joined::Now;
                }
                (link.tell)(&Note::Stopping);
                link.stop();
            }
            _ = &mut finished => return Joined::Finished,
        }
    }
}

/// Says when the connection is lost, and when it is back; whether it is there.
fn look(link: &Link, was_connected: bool) -> bool {
    let is_connected = link.client.connection_state() == State::Connected;
    if was_connected && !is_connected {
        let what = "the connection to the server is lost; it is made again as soon as that works";
        (link.tell)(&Note::Trouble(what.to_owned()));
    } else if is_connected && !was_connected {
        (link.tell)(&Note::Back);
    }
    is_connected
}

fn heard(link: &Arc<Link>, message: &async_nats::Message) {
    let course = subjects::course_of_news(&message.subject);
    let news = wire::read::<News>(&message.payload);
    let (Some(course), Ok((news, _))) = (course, news) else {
        return;
    };
    if link.heard(&course, &news) == Heard::Begins {
        (link.tell)(&Note::Joined(course.clone()));
        beat(link, course);
    }
}

/// Says to a course that the worker is there; what that answers comes later. An answer that does not
/// come is no matter: the next beat follows.
fn beat(link: &Arc<Link>, course: Name) {
    let link = Arc::clone(link);
    link.handle.clone().spawn(async move {
        // Twice where the daemon asks what the worker is.
        for _ in 0..2 {
            let beat = Beat {
                shape: SHAPE,
                worker: link.life.clone(),
                about: link.unsaid(&course),
                doing: link.doing(&course),
            };
            let answer = link.request::<Standing>(&course, Kind::Here, &beat, &[]);
            match answer.await {
                Ok(standing) => {
                    link.stands(&course, &standing);
                    if !standing.is_unknown {
                        return;
                    }
                }
                Err(error) => {
                    link.unanswered(&course);
                    tracing::debug!(%course, %error, "no answer to a beat");
                    return;
                }
            }
        }
    });
}
