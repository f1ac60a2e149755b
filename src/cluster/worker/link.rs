//! What the places of a worker and its connection share.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::{Client, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;

use super::cache::Cache;
use super::courses::{Courses, Heard};
use super::note::{Note, Tell};
use crate::cluster::subjects::{self, Kind, Name};
use crate::cluster::wire::{self, About, Ask, Doing, Envelope, Id, News, Standing};
use crate::domain::Digest;
use crate::judge::order::Progress;
use crate::sandbox::Cancel;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::sync::lock;

/// How long an answer may take before the request is sent again. A daemon answers late while its
/// planner has too much to do.
pub const ANSWER: Duration = Duration::from_secs(10);
/// The same for what a daemon answers at once; it knows what it has taken already.
const ANSWER_SOON: Duration = Duration::from_secs(3);
/// How long a free place waits for news before it looks again by itself.
const LOOK: Duration = Duration::from_secs(1);

/// Reasons of a course that are told.
const REASONS_MAX: usize = 100;

/// Why a request brought nothing.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// Nobody answered in time.
    #[error("no answer: {0}")]
    Nobody(String),
    /// What came, or was to be sent, is not what this version knows.
    #[error(transparent)]
    Wire(#[from] wire::WireError),
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

    /// Whether it is given up when others wait.
    pub fn can_wait(&self) -> bool {
        self.cancel.is_some()
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

    /// How far it is.
    pub fn progress(&self) -> Option<Progress> {
        *lock(&self.progress)
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
    about: Mutex<(Arc<About>, u64)>,
    courses: Mutex<Courses>,
    news: Condvar,
    taken: Mutex<BTreeMap<Id, Arc<Taken>>>,
    is_stopping: AtomicBool,
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
            about: Mutex::new((Arc::new(about), 0)),
            courses: Mutex::default(),
            news: Condvar::new(),
            taken: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// What it is.
    pub fn about(&self) -> Arc<About> {
        Arc::clone(&lock(&self.about).0)
    }

    /// It has changed. The courses hear of it with the next beats.
    pub fn set_about(&self, about: About) {
        let mut held = lock(&self.about);
        *held = (Arc::new(about), held.1 + 1);
    }

    /// What a course is still to hear of what it is; none where it has heard that.
    pub fn unsaid(&self, course: &Name) -> Option<Box<About>> {
        let held = lock(&self.about);
        let is_said = lock(&self.courses).is_said(course, held.1);
        (!is_said).then(|| Box::new(About::clone(&held.0)))
    }

    /// A course may not have heard what this worker is.
    pub fn unsay(&self, course: &Name) {
        lock(&self.courses).unsay(course);
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
        if news.waiting > 0 || news.idle > 0 || heard == Heard::Begins {
            self.news.notify_all();
        }
        heard
    }

    /// Whether a course gives this worker no orders.
    pub fn is_refused(&self) -> bool {
        lock(&self.courses).is_refused()
    }

    /// A course has not answered.
    pub fn unanswered(&self, course: &Name) {
        self.unsay(course);
        if lock(&self.courses).unanswered(course, Instant::now()) {
            (self.tell)(&Note::Unanswered(course.clone()));
        }
    }

    /// Takes in what a course says of this worker.
    pub fn stands(&self, course: &Name, standing: &Standing) {
        if lock(&self.courses).answered(course, Instant::now()) {
            (self.tell)(&Note::Joined(course.clone()));
        }
        let is_other = lock(&self.courses).stands(course, standing);
        if is_other {
            let reasons = standing.why_not.iter().take(REASONS_MAX);
            let reasons = reasons.map(|why| visible_line(why)).collect();
            (self.tell)(&Note::WhyNot(course.clone(), reasons));
        }
        let taken = lock(&self.taken);
        for id in &standing.drop {
            if let Some(taken) = taken.get(id).filter(|taken| taken.course == *course) {
                taken.give_up();
            }
        }
        self.news.notify_all();
    }

    /// Courses that are heard; tells of those that have become silent.
    pub fn courses(&self) -> Vec<Name> {
        let (there, silent) = lock(&self.courses).there(Instant::now());
        for course in silent {
            (self.tell)(&Note::Silent(course));
        }
        there
    }

    /// Orders that a course is told of: those that are done, and those that were taken.
    pub fn doing(&self, course: &Name) -> Vec<Doing> {
        let taken = lock(&self.taken);
        let of_course = taken.values().filter(|taken| taken.course == *course);
        of_course
            .filter(|taken| !taken.is_dropped())
            .map(|taken| Doing {
                order: taken.id.clone(),
                progress: taken.progress(),
            })
            .collect()
    }

    /// An order is taken.
    pub fn take(&self, id: Id, course: &Name, daemon: &Id, cancel: Option<Cancel>) -> Arc<Taken> {
        let taken = Arc::new(Taken {
            id: id.clone(),
            course: course.clone(),
            daemon: daemon.clone(),
            cancel,
            progress: Mutex::default(),
            is_dropped: AtomicBool::new(false),
        });
        lock(&self.taken).insert(id, Arc::clone(&taken));
        // News that came after this was asked for and before it was there have ended nothing.
        if lock(&self.courses).have_work(Instant::now()) {
            taken.make_way();
        }
        point("order taken");
        taken
    }

    /// Keeps bytes on the disk that a later order may name.
    pub fn keep(&self, digest: &Digest, bytes: &[u8]) {
        let cache = self.cache.as_ref();
        if let Some(error) = cache.and_then(|cache| cache.put(digest, bytes)) {
            let what = format!("the worker's cache takes nothing: {error}; all bytes are fetched");
            (self.tell)(&Note::Trouble(what));
        }
    }

    /// An order has come to its end.
    pub fn forget(&self, taken: &Taken) {
        lock(&self.taken).remove(&taken.id);
    }

    /// What is being measured may not be what this worker has said that it is: nobody takes it.
    pub fn give_all_up(&self) {
        lock(&self.taken).values().for_each(|taken| taken.give_up());
    }

    /// Takes nothing new.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        self.news.notify_all();
    }

    /// Whether nothing new is taken.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Asks the courses in turn for orders for a place that is free since `free`; none where none
    /// has any that suits, after a pause.
    pub fn ask(&self, free: Instant) -> Option<(Name, Envelope)> {
        let mut courses = lock(&self.courses);
        let now = Instant::now();
        let Some((course, takes_idle)) = courses.next(free, now) else {
            if !self.is_stopping() {
                let pause = courses.pause(now).map_or(LOOK, |pause| pause.min(LOOK));
                let waited = self.news.wait_timeout(courses, pause);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            return None;
        };
        drop(courses);
        let ask = Ask {
            worker: self.life.clone(),
            takes_idle,
        };
        let answer = self.block(self.request::<Envelope>(&course, Kind::Ask, &ask, &[]));
        match answer {
            Ok(envelope) if !envelope.orders.is_empty() => {
                lock(&self.courses).asked_well(&course);
                Some((course, envelope))
            }
            Ok(_) => {
                lock(&self.courses).asked_in_vain(&course, Instant::now());
                None
            }
            Err(error) => {
                tracing::debug!(%course, %error, "asked in vain");
                lock(&self.courses).asked_in_vain(&course, Instant::now());
                None
            }
        }
    }

    /// Waits for something that the connection's thread does, in a thread of a place.
    pub fn block<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// Sends a request once.
    pub async fn request<T: DeserializeOwned>(
        &self,
        course: &Name,
        kind: Kind,
        message: &impl Serialize,
        bytes: &[&[u8]],
    ) -> Result<T, Unanswered> {
        let written = wire::write(message, bytes)?;
        let subject = subjects::request(&self.name, course, kind);
        let patience = match kind {
            // These are sent again at no cost, and something waits for them.
            Kind::Here | Kind::Facts | Kind::Part => ANSWER_SOON,
            Kind::Ask | Kind::Want | Kind::Question => ANSWER,
        };
        let request = Request::new()
            .payload(written.into())
            .timeout(Some(patience));
        let answer = self.client.send_request(subject, request).await;
        let answer = answer.map_err(|error| Unanswered::Nobody(error.to_string()))?;
        let (read, _) = wire::read(&answer.payload)?;
        Ok(read)
    }
}
