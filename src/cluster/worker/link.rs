//! What the places of a worker and its connection share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::{Client, Message, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::cache::Cache;
use super::courses::{Courses, Heard};
use super::note::{Note, Tell};
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{
    self, About, Answer, Doing, Given, Head, HeartbeatReply, Id, News, OrderMessage, Said, Take,
};
use crate::domain::{Digest, Fault};
use crate::judge::order::{Ended, Progress};
use crate::sandbox::Cancel;
use crate::util::calibrate::Chain;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::sync::lock;

/// How long an answer may take, beyond what was asked to wait for.
const ANSWER: Duration = Duration::from_secs(10);
/// How long a place looks at nothing where no course can be asked.
const LOOK: Duration = Duration::from_secs(1);
/// How long the end of an order is said again: the daemon has given it to somebody else long before.
const GIVEN_UP: Duration = Duration::from_mins(1);
/// Pause after a request that nobody answered at once.
const PAUSE: Duration = Duration::from_millis(300);
/// Reasons of a course that are told.
const REASONS_MAX: usize = 100;

/// What was asked or said brought nothing: the other end asks and says it again, or does without.
fn unanswered(reason: &dyn ToString) -> Fault {
    Fault::new("speak with a daemon", reason.to_string())
}

/// What an answer says.
fn answered<T: DeserializeOwned>(answer: &Message) -> Result<T, Fault> {
    let read = wire::read(&answer.payload).map_err(|wrong| unanswered(&wrong))?;
    Ok(read.0)
}

/// An order that this worker has taken.
pub struct Taken {
    /// Which issue of which order.
    pub id: Id,
    /// Whose.
    pub course: Name,
    /// The life of the course's daemon that gave it.
    daemon: Id,
    /// Where it can wait: says that others do.
    pub cancel: Option<Cancel>,
    progress: Mutex<Option<Progress>>,
    is_dropped: AtomicBool,
}

impl Taken {
    /// Nobody takes its facts any more.
    pub fn give_up(&self) {
        self.is_dropped.store(true, Ordering::Relaxed);
        self.make_way();
    }

    /// Where it can wait, what it runs is ended now.
    fn make_way(&self) {
        if let Some(cancel) = &self.cancel {
            cancel.cancel();
        }
    }

    /// Whether nobody takes its facts any more.
    pub fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Relaxed)
    }

    /// It has come a step further.
    pub fn is_at(&self, progress: Progress) {
        *lock(&self.progress) = Some(progress);
    }
}

/// The worker.
pub struct Link {
    /// Its name on the server.
    pub name: Name,
    /// This process.
    pub life: Id,
    /// Its connection.
    pub client: Client,
    /// The runtime of the thread that talks to the server.
    pub handle: Handle,
    /// Bytes on its disk.
    pub cache: Option<Cache>,
    /// Where notes go.
    pub tell: Tell,
    about: Mutex<Arc<About>>,
    courses: Mutex<Courses>,
    /// Changes with whatever a place that waits may have to look at.
    news: watch::Sender<()>,
    taken: Mutex<BTreeMap<Id, Arc<Taken>>>,
    is_stopping: AtomicBool,
    /// What proves its speed: one course at a time, so that they do not slow each other.
    pub(super) chain: tokio::sync::Mutex<Chain>,
}

impl Link {
    /// Nothing was heard and nothing taken yet.
    pub fn new(
        (name, client, handle): (Name, Client, Handle),
        life: Id,
        about: About,
        cache: Option<Cache>,
        tell: Tell,
    ) -> Self {
        Self {
            name,
            life,
            client,
            handle,
            cache,
            tell,
            about: Mutex::new(Arc::new(about)),
            courses: Mutex::default(),
            news: watch::Sender::default(),
            taken: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            chain: tokio::sync::Mutex::default(),
        }
    }

    /// Something is not as it should be.
    pub fn trouble(&self, reason: impl Into<String>) {
        let reason = reason.into();
        (self.tell)(&Note::Trouble { reason });
    }

    /// What it is.
    pub fn about(&self) -> Arc<About> {
        Arc::clone(&lock(&self.about))
    }

    /// It has changed. The courses hear of it with the next heartbeats.
    pub fn set_about(&self, about: About) {
        *lock(&self.about) = Arc::new(about);
    }

    /// Takes in the news of a course, and wakes free places.
    pub fn heard(&self, course: &Name, news: &News) -> Heard {
        let heard = lock(&self.courses).heard(course, news, Instant::now());
        if heard == Heard::Begins {
            // Another daemon has forgotten what it gave out before.
            for taken in lock(&self.taken).values() {
                if taken.course == *course && taken.daemon != news.daemon {
                    taken.give_up();
                }
            }
        }
        if news.waiting > 0 && heard != Heard::Ignored {
            lock(&self.taken)
                .values()
                .for_each(|taken| taken.make_way());
        }
        self.news.send_replace(());
        heard
    }

    /// Whether a course gives this worker no orders.
    pub fn is_refused(&self) -> bool {
        lock(&self.courses).is_refused()
    }

    /// A course has not answered.
    pub fn unanswered(&self, course: &Name) {
        if lock(&self.courses).unanswered(course, Instant::now()) {
            (self.tell)(&Note::Unanswered {
                course: course.clone(),
            });
        }
    }

    /// Takes in what a course says of this worker.
    pub fn stands(&self, course: &Name, standing: &HeartbeatReply) {
        if lock(&self.courses).answered(course, Instant::now()) {
            (self.tell)(&Note::Joined {
                course: course.clone(),
            });
        }
        let is_other = lock(&self.courses).stands(course, standing);
        if is_other {
            let reasons = standing.why_not.iter().take(REASONS_MAX);
            let reasons = reasons.map(|why| visible_line(why)).collect();
            let course = course.clone();
            (self.tell)(&Note::WhyNot { course, reasons });
        }
        let taken = lock(&self.taken);
        for id in &standing.drop {
            if let Some(taken) = taken.get(id).filter(|taken| taken.course == *course) {
                taken.give_up();
            }
        }
        self.news.send_replace(());
    }

    /// Courses that are heard; tells of those that have become silent.
    pub fn courses(&self) -> Vec<Name> {
        let (there, silent) = lock(&self.courses).there(Instant::now());
        for course in silent {
            (self.tell)(&Note::Silent { course });
        }
        there
    }

    /// The orders that this worker does for a course.
    pub fn doing(&self, course: &Name) -> Vec<Doing> {
        let taken = lock(&self.taken);
        let of_course = taken.values().filter(|taken| taken.course == *course);
        of_course
            .filter(|taken| !taken.is_dropped())
            .map(|taken| Doing {
                order: taken.id.clone(),
                progress: *lock(&taken.progress),
            })
            .collect()
    }

    /// Keeps bytes on the disk that a later order may name.
    pub fn keep(&self, digest: &Digest, bytes: &[u8]) {
        let cache = self.cache.as_ref();
        if let Some(error) = cache.and_then(|cache| cache.put(digest, bytes)) {
            self.trouble(format!(
                "the worker's cache takes nothing: {error}; all bytes are fetched"
            ));
        }
    }

    /// What is being measured may not be what this worker has said that it is: nobody takes it.
    pub fn give_all_up(&self) {
        lock(&self.taken).values().for_each(|taken| taken.give_up());
    }

    /// Takes nothing new.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.news.send_replace(());
    }

    /// Whether nothing new is taken.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// An order for which a place has waited at the course whose turn it was; none where that brought
    /// nothing.
    pub fn take(&self) -> Option<(Arc<Taken>, Box<OrderMessage>)> {
        let mut news = self.news.subscribe();
        let turn = lock(&self.courses).next(Instant::now());
        let Some(turn) = turn.filter(|_| !self.is_stopping()) else {
            // Whether it was news or the time does not matter.
            let _ = self.block(async { timeout(LOOK, news.changed()).await });
            return None;
        };
        let take = Take {
            worker: self.life.clone(),
            wait_ms: u64::try_from(turn.wait.as_millis()).unwrap_or(u64::MAX),
            takes_idle: turn.takes_idle,
        };
        let asked = self.request(&turn.course, Kind::Take, &take, turn.wait + ANSWER);
        let given: Result<Given, Fault> = self.block(asked);
        match given {
            Ok(Given {
                daemon,
                order: Some(sent),
            }) => return Some((self.taken(&turn.course, daemon, &sent), sent)),
            Ok(Given { order: None, .. }) => {}
            Err(fault) => {
                tracing::debug!(course = %turn.course, %fault, "cannot ask a daemon for an order");
                self.block(async { sleep(PAUSE).await });
            }
        }
        lock(&self.courses).asked_in_vain(&turn.course);
        None
    }

    fn taken(&self, course: &Name, daemon: Id, sent: &OrderMessage) -> Arc<Taken> {
        // Without a word that ends it, it is done like any other.
        let cancel = sent.can_wait.then(Cancel::new).and_then(Result::ok);
        let taken = Arc::new(Taken {
            id: sent.id.clone(),
            course: course.clone(),
            daemon,
            cancel,
            progress: Mutex::default(),
            is_dropped: AtomicBool::new(false),
        });
        lock(&self.taken).insert(sent.id.clone(), Arc::clone(&taken));
        // News that came after it was asked for and before it was there have ended nothing.
        if lock(&self.courses).have_work(Instant::now()) {
            taken.make_way();
        }
        point("order taken");
        taken
    }

    /// Waits for something that the connection's thread does, in a thread of a place.
    pub fn block<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// Says something about an order that nobody answers.
    pub async fn publish(&self, taken: &Taken, said: &Said, bytes: &[&[u8]]) -> Result<(), Fault> {
        let subject = subjects::request(&self.name, &taken.course, Kind::Order);
        let message = self.about_order(taken, said, bytes)?;
        let sent = self.client.publish(subject, message.into()).await;
        sent.map_err(|error| unanswered(&error))
    }

    /// Says something about an order, and waits for the answer.
    pub async fn say(&self, taken: &Taken, said: &Said, bytes: &[&[u8]]) -> Result<Answer, Fault> {
        let message = self.about_order(taken, said, bytes)?;
        let asked = self.ask(&taken.course, Kind::Order, message, ANSWER);
        let answer = answered(&asked.await?)?;
        if answer == Answer::Stop {
            taken.give_up();
        }
        Ok(answer)
    }

    /// Says how an order ended, until that is answered, whatever the answer, or nobody waits for it
    /// any more. Where it cannot be said, the daemon misses the order among those that this worker
    /// does.
    pub async fn end(&self, taken: &Taken, facts: u64, ended: Result<Ended, Fault>) {
        match self.about_order(taken, &Said::Ended(facts, ended), &[]) {
            Ok(message) => {
                let began = Instant::now();
                let ask = || self.ask(&taken.course, Kind::Order, message.clone(), ANSWER);
                while ask().await.is_err() && !taken.is_dropped() && began.elapsed() <= GIVEN_UP {
                    sleep(PAUSE).await;
                }
            }
            Err(fault) => self.trouble(format!("cannot say how an order ended: {fault}")),
        }
        lock(&self.taken).remove(&taken.id);
    }

    fn about_order(&self, taken: &Taken, said: &Said, bytes: &[&[u8]]) -> Result<Vec<u8>, Fault> {
        let head = Head {
            worker: self.life.clone(),
            order: taken.id.clone(),
        };
        let said = wire::write(said, bytes).map_err(|wrong| unanswered(&wrong))?;
        wire::write(&head, &[&said]).map_err(|wrong| unanswered(&wrong))
    }

    /// Sends a request once.
    pub async fn request<T: DeserializeOwned>(
        &self,
        course: &Name,
        kind: Kind,
        message: &impl Serialize,
        patience: Duration,
    ) -> Result<T, Fault> {
        let message = wire::write(message, &[]).map_err(|wrong| unanswered(&wrong))?;
        answered(&self.ask(course, kind, message, patience).await?)
    }

    async fn ask(
        &self,
        course: &Name,
        kind: Kind,
        message: Vec<u8>,
        patience: Duration,
    ) -> Result<Message, Fault> {
        let subject = subjects::request(&self.name, course, kind);
        let request = Request::new()
            .payload(message.into())
            .timeout(Some(patience));
        let answer = self.client.send_request(subject, request).await;
        answer.map_err(|error| unanswered(&error))
    }
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
