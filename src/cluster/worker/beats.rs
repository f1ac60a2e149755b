//! Tells each course every few seconds that the worker is there and what it does, and hears how the
//! course looks at it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::courses::Heard;
use super::link::Link;
use super::machine::About;
use super::notice::Notice;
use crate::cluster::subjects::{Kind, Name};
use crate::cluster::wire::{self, Beat, News, SHAPE, Standing};
use crate::util::sync::lock;

/// The pause between two beats.
const PAUSE: Duration = Duration::from_secs(2);
/// The pause between two lines about what was done.
const TALLY_PAUSE: Duration = Duration::from_secs(30);

/// The beats of a worker.
pub struct Beats {
    link: Arc<Link>,
    about: Arc<About>,
    last: Option<Instant>,
    tallied: Instant,
    /// Courses that were there at the last look.
    there: BTreeSet<Name>,
}

impl Beats {
    /// Begins.
    pub fn new(link: Arc<Link>, about: Arc<About>) -> Self {
        Self {
            link,
            about,
            last: None,
            tallied: Instant::now(),
            there: BTreeSet::new(),
        }
    }

    /// News of a course have come.
    pub fn heard(&mut self, course: &Name, news: &News) {
        let heard = lock(&self.link.courses).heard(course, news, Instant::now());
        match heard {
            Heard::New => self.beat(course),
            Heard::Restarted => {
                restarted(&self.link, course);
                self.beat(course);
            }
            Heard::OtherVersion => (self.link.say)(Notice::Refused(
                course.clone(),
                vec!["its daemon is another version of verdictd: install the same version on both machines".to_owned()],
            )),
            Heard::Same | Heard::Ignored => {}
        }
    }

    /// Time has passed.
    pub fn tick(&mut self) {
        let now = Instant::now();
        let there: BTreeSet<Name> = lock(&self.link.courses).there(now).into_iter().collect();
        for gone in self.there.difference(&there) {
            (self.link.say)(Notice::Gone(gone.clone()));
        }
        if self.last.is_none_or(|last| now >= last + PAUSE) {
            self.last = Some(now);
            there.iter().for_each(|course| self.beat(course));
        }
        self.there = there;
        if now >= self.tallied + TALLY_PAUSE {
            self.say_tallies();
        }
    }

    /// Says what was done.
    pub fn say_tallies(&mut self) {
        self.tallied = Instant::now();
        let done = std::mem::take(&mut *lock(&self.link.tally));
        for (course, tally) in done {
            (self.link.say)(Notice::Did(course, tally));
        }
    }

    fn beat(&self, course: &Name) {
        let (link, about, course) = (
            Arc::clone(&self.link),
            Arc::clone(&self.about),
            course.clone(),
        );
        tokio::spawn(async move {
            // Where the daemon does not know what the worker is, it is told at once.
            for _ in 0..2 {
                if !beat(&link, &about, &course).await {
                    break;
                }
            }
        });
    }
}

/// One beat; whether another one has to say what the worker is.
async fn beat(link: &Link, about: &About, course: &Name) -> bool {
    let (words, version) = about.now();
    let tells = lock(&link.courses).has_to_tell(course, version);
    let beat = Beat {
        shape: SHAPE,
        worker: link.life.clone(),
        about: tells.then(|| Box::new(words)),
        doing: link.doing(course),
    };
    let beat = match wire::write(&beat, &[]) {
        Ok(beat) => beat,
        Err(error) => {
            tracing::warn!(%error, "what this worker is");
            return false;
        }
    };
    let Some(standing) = link
        .once::<Standing>(course, Kind::Here, &beat, PAUSE)
        .await
    else {
        return false;
    };
    let dropped: BTreeSet<_> = standing.drop.iter().cloned().collect();
    link.drop_where(|out| out.course == *course && dropped.contains(&out.id));
    let (is_unknown, daemon) = (standing.is_unknown, standing.daemon.clone());
    let told = tells.then_some(version);
    let now = Instant::now();
    let (news, is_restarted) = lock(&link.courses).stands(course, standing, told, now);
    if is_restarted {
        restarted(link, course);
    }
    if let Some(news) = news {
        (link.say)(if news.languages == 0 {
            Notice::Refused(course.clone(), news.why_not)
        } else {
            Notice::Joined(course.clone(), news.languages, news.why_not)
        });
        link.wake();
    }
    tracing::debug!(%course, daemon = %daemon.0, is_unknown, "a beat");
    is_unknown && !tells
}

/// Another daemon has forgotten all orders.
fn restarted(link: &Link, course: &Name) {
    (link.say)(Notice::Restarted(course.clone()));
    let courses = lock(&link.courses);
    link.drop_where(|out| out.course == *course && !courses.is_daemon(course, &out.daemon));
}
