//! What those who listen are told. It is made once, a few times a second at most, however many listen; while nobody does, nothing is made.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use askama::Template;
use axum::body::Bytes;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::hall::Site;
use super::pages::{Fragment, Now};
use super::told_to_stop;
use super::views::{CellView, VerdictRow};
use crate::overview::Broken;
use crate::store::{Reader, StoreError};

/// The time between two pieces of news.
const BEAT: Duration = Duration::from_millis(250);
/// Pieces of news that a slow listener may be behind; one that is further behind reads the store.
const BEHIND_MAX: usize = 16;
/// Events read from the store at a time.
const EVENTS_MAX: u32 = 200;

/// Some news: the verdicts after one event up to another, and what goes on now.
#[derive(Debug, Clone)]
pub struct News {
    pub after: i64,
    pub reached: i64,
    pub verdicts: Bytes,
    pub now: Bytes,
}

/// What a view tells those who listen.
pub struct Live {
    sender: broadcast::Sender<News>,
    /// What went on at the last look, for those who come new.
    now: Mutex<Bytes>,
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
    pub fn listen(&self) -> broadcast::Receiver<News> {
        let receiver = self.sender.subscribe();
        self.somebody.notify_one();
        receiver
    }

    /// What goes on, as it was last told; empty where the next look tells it.
    pub fn now(&self) -> Bytes {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.clone()
    }

    /// Notes what goes on; false where that was known.
    pub fn set_now(&self, fresh: Bytes) -> bool {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = *now != fresh;
        *now = fresh;
        is_new
    }

    /// Tells those who listen; that nobody does any more is no matter.
    pub fn tell(&self, news: News) {
        let _ = self.sender.send(news);
    }

    /// A beginning at which nothing is known: what goes on is told anew, even where it has not changed.
    fn begin(&self) -> Teller {
        self.set_now(Bytes::new());
        Teller::default()
    }
}

/// The verdicts after an event, as a stream tells them.
#[derive(Debug, Default)]
pub struct Told {
    pub text: String,
    /// The event up to which everything is told.
    pub reached: i64,
    /// Whether there may be more.
    pub is_full: bool,
}

/// Reads the next verdicts after an event, up to what the board knows.
pub fn verdicts_after(site: &Site, reader: &Reader, after: i64) -> Result<Told, StoreError> {
    let reached = site.hall.board().reached();
    let mut told = Told {
        reached: reached.max(after),
        ..Told::default()
    };
    if reached <= after {
        return Ok(told);
    }
    let events = reader.log_events_after(after, EVENTS_MAX)?;
    if events.len() >= EVENTS_MAX as usize {
        told.is_full = true;
        told.reached = events.last().map_or(reached, |last| last.id.min(reached));
    }
    let board = site.hall.board();
    for event in events.iter().filter(|event| event.id <= reached) {
        let Some((row, student, problem)) = VerdictRow::of(site, event) else {
            continue;
        };
        let cell = board.cell(&student, &problem);
        let fragment = Fragment {
            row,
            cell: CellView::of(site, &student, &problem, cell),
        };
        push_event(&mut told.text, "verdict", Some(event.id), &fragment);
    }
    Ok(told)
}

/// Writes an event as a stream has it.
fn push_event(text: &mut String, kind: &str, id: Option<i64>, template: &impl Template) {
    let html = match template.render() {
        Ok(html) => html,
        // Writing to a String fails only where a part of the template does, and none can.
        Err(error) => return tracing::error!(%error, "a piece of news"),
    };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "event: {kind}");
    if let Some(id) = id {
        let _ = writeln!(text, "id: {id}");
    }
    for line in html.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        let _ = writeln!(text, "data: {line}");
    }
    text.push('\n');
}

/// Tells the news for as long as somebody listens; waits while nobody does.
pub async fn keep(site: Arc<Site>, stop: watch::Receiver<bool>) {
    let mut beats = interval(BEAT);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut teller = Teller::default();
    loop {
        let somebody = async {
            let is_first = site.live.sender.receiver_count() == 0;
            if is_first {
                // Whoever comes now is not told what went on long ago.
                site.live.set_now(Bytes::new());
                site.live.somebody.notified().await;
            }
            beats.tick().await;
            is_first
        };
        tokio::select! {
            is_first = somebody => if is_first {
                // What has happened while nobody listened is read by those who come.
                teller = site.live.begin();
            },
            () = told_to_stop(stop.clone()) => return,
        }
        let looker = Arc::clone(&site);
        let looked = tokio::task::spawn_blocking(move || {
            let news = teller.look(&looker);
            (teller, news)
        });
        match looked.await {
            Ok((next, news)) => {
                teller = next;
                if let Some(news) = news {
                    site.live.tell(news);
                }
            }
            // A bug that the panic's own message tells of: it begins anew, and listeners read what they miss from the store.
            Err(_) => teller = site.live.begin(),
        }
    }
}

/// What was told last.
#[derive(Debug, Default)]
struct Teller {
    /// None before the first look.
    reached: Option<i64>,
    changes: Option<u64>,
    /// The broken problems, which change without anything being judged.
    broken: Vec<Broken>,
}

impl Teller {
    /// What is new since the last look; none where nothing is.
    fn look(&mut self, site: &Site) -> Option<News> {
        let hall = &site.hall;
        let after = *self.reached.get_or_insert_with(|| hall.board().reached());
        let told = match hall.read(|reader| verdicts_after(site, reader, after)) {
            Ok(told) => told,
            Err(error) => {
                tracing::warn!(%error, "the dashboard cannot read the store");
                return None;
            }
        };
        self.reached = Some(told.reached);
        let now = self.now(site);
        if now.is_empty() && told.reached == after {
            return None;
        }
        Some(News {
            after,
            reached: told.reached,
            verdicts: Bytes::from(told.text),
            now,
        })
    }

    /// What goes on, where that has changed.
    fn now(&mut self, site: &Site) -> Bytes {
        let changes = site.hall.view.activity.changes();
        let broken: Vec<Broken> = Broken::all_of(&site.hall.board()).collect();
        if self.changes == Some(changes) && self.broken == broken {
            return Bytes::new();
        }
        self.changes = Some(changes);
        self.broken = broken;
        let mut text = String::new();
        push_event(&mut text, "now", None, &Now::of(site));
        let told = Bytes::from(text);
        if site.live.set_now(told.clone()) {
            told
        } else {
            Bytes::new()
        }
    }
}
