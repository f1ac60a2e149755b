//! The worker's end: it has no store, no problems and no submissions. A thread per place asks for
//! orders, does them in a sandbox and hands their facts over; one thread talks to the server.

mod cache;
mod courses;
mod link;
mod note;
mod place;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::connection::State;
use futures_util::StreamExt as _;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};

use self::courses::Heard;
use crate::cluster::proof::ROUNDS_MAX;
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{
    self, About, Challenge, Heartbeat, HeartbeatReply, News, PROTOCOL_VERSION, Proving,
};
use crate::util::signals::Signals;

pub use cache::Cache;
pub use link::Link;
pub use note::{Note, Tell};
pub use place::{Place, Speedometer};

/// Each course hears of the worker this often.
const BEAT: Duration = Duration::from_secs(2);
/// How long an answer to what is said again soon may take.
const ANSWER: Duration = Duration::from_secs(3);
/// Where no daemon was heard for so long, that is said.
const ALONE: Duration = Duration::from_secs(10);
/// Pieces of work that are done for a course between two beats.
const CHALLENGES_MAX: usize = 16;

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

/// Talks to the server until the places have `finished`, or a second signal comes.
pub async fn join(
    link: &Arc<Link>,
    mut news: Subscriber,
    mut finished: oneshot::Receiver<()>,
    signals: &mut Signals,
) -> Joined {
    let mut was_connected = true;
    let mut alone_since = Some(Instant::now());
    let mut ticks = interval(BEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = news.next() => match message {
                Some(message) => heard(link, &message),
                None => return Joined::Closed,
            },
            _ = ticks.tick() => {
                let is_connected = link.client.connection_state() == State::Connected;
                match (was_connected, is_connected) {
                    (true, false) => link.trouble(
                        "the connection to the server is lost; it is made again as soon as that works",
                    ),
                    (false, true) => (link.tell)(&Note::Back),
                    _ => {}
                }
                was_connected = is_connected;
                let courses = link.courses();
                if !courses.is_empty() || !is_connected {
                    alone_since = Some(Instant::now());
                } else if alone_since.take_if(|since| since.elapsed() >= ALONE).is_some() {
                    (link.tell)(&Note::Alone);
                }
                for course in courses {
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

fn heard(link: &Arc<Link>, message: &async_nats::Message) {
    let course = subjects::course_of_news(&message.subject);
    let news = wire::read::<News>(&message.payload);
    let (Some(course), Ok((news, _))) = (course, news) else {
        return;
    };
    if link.heard(&course, &news) == Heard::Begins {
        let joined = course.clone();
        (link.tell)(&Note::Joined { course: joined });
        beat(link, course);
    }
}

/// Says to a course that the worker is there; what that answers comes later. An answer that does not
/// come is no matter: the next beat follows.
fn beat(link: &Arc<Link>, course: Name) {
    let link = Arc::clone(link);
    link.handle.clone().spawn(async move {
        let mut has_to_say = false;
        // Again where the daemon asks what the worker is, and where it has proved its speed.
        for _ in 0..3 {
            let about = link.about();
            let beat = Heartbeat {
                shape: PROTOCOL_VERSION,
                worker: link.life.clone(),
                is: about.digest(),
                about: has_to_say.then(|| Box::new(About::clone(&about))),
                doing: link.doing(&course),
            };
            let answer = link.request::<HeartbeatReply>(&course, Kind::Here, &beat, ANSWER);
            match answer.await {
                Ok(standing) => {
                    link.stands(&course, &standing);
                    has_to_say = standing.is_unknown;
                    let is_proved = standing.has_to_prove && prove(&link, &course).await;
                    if !has_to_say && !is_proved {
                        return;
                    }
                }
                Err(error) => {
                    link.unanswered(&course);
                    tracing::debug!(%course, %error, "cannot get an answer to a heartbeat");
                    return;
                }
            }
        }
    });
}

/// Does work that proves to a course how fast this machine is; whether some was done.
async fn prove(link: &Arc<Link>, course: &Name) -> bool {
    let Ok(mut chain) = link.chain.try_lock() else {
        return false;
    };
    let mut answer = None;
    for _ in 0..CHALLENGES_MAX {
        let worker = link.life.clone();
        let proving = Proving { worker, answer };
        let challenge = link.request(course, Kind::Prove, &proving, ANSWER).await;
        let Ok(Challenge(Some((seed, rounds)))) = challenge else {
            break;
        };
        let mut used = std::mem::take(&mut *chain);
        let run = move || (used.run(seed, rounds.min(ROUNDS_MAX)), used);
        let Ok((come, used)) = spawn_blocking(run).await else {
            break;
        };
        (answer, *chain) = (Some(come), used);
    }
    answer.is_some()
}
