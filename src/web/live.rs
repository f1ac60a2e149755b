//! What those who listen are told. It is made once, a few times a second at most, however many
//! listen; while nobody does, nothing is made.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::response::sse::Event;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::rows::{Fragment, Now, VerdictRow};
use super::state::Dashboard;
use super::told_to_stop;
use crate::domain::Submission;
use crate::overview::Broken;
use crate::overview::pages::{CellView, View, rendered};
use crate::store::StoreError;
use crate::util::sync::lock;

/// The time between two updates.
const BEAT: Duration = Duration::from_millis(250);
/// Updates that a slow listener may be behind; one that is further behind reads the store.
const BEHIND_MAX: usize = 16;
/// Events read from the store at a time.
const EVENTS_MAX: u32 = 200;

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
    /// What went on at the last look, for those who come new; none where the next look tells it.
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

    /// A beginning at which nothing is known: what goes on is told anew, even where it has not
    /// changed.
    fn begin(&self) -> Notifier {
        self.set_now(None);
        Notifier::default()
    }
}

fn now_event(html: &str) -> Event {
    Event::default().event("now").data(html)
}

/// The verdicts after an event, as a stream tells them.
pub struct Verdicts {
    pub events: Arc<[Event]>,
    /// The event up to which everything is told.
    pub reached: i64,
    /// Whether there may be more.
    pub is_full: bool,
}

/// Reads the next verdicts after an event, up to what the scoreboard knows.
pub fn verdicts_after(view: &View<'_>, after: i64) -> Result<Verdicts, StoreError> {
    let known = view.board.reached();
    if known <= after {
        return Ok(Verdicts {
            events: Arc::new([]),
            reached: after,
            is_full: false,
        });
    }
    let rows = view.reader.verdicts_after(after, EVENTS_MAX)?;
    let is_full = rows.len() >= EVENTS_MAX as usize;
    let last = rows.last().filter(|_| is_full);
    let rows = rows.iter().filter(|row| row.event <= known);
    let events = rows.map(|change| {
        let Submission {
            student, problem, ..
        } = &change.submission;
        let cell = view.board.cell(student, problem);
        let html = rendered(&Fragment {
            row: VerdictRow::of(view, change),
            cell: CellView::of(view, student, problem, cell),
        });
        let id = change.event.to_string();
        Event::default().event("verdict").id(id).data(html)
    });
    Ok(Verdicts {
        events: events.collect(),
        reached: last.map_or(known, |last| last.event.min(known)),
        is_full,
    })
}

/// Tells the updates for as long as somebody listens; waits while nobody does.
pub async fn keep(dashboard: Arc<Dashboard>, stop: watch::Receiver<bool>) {
    let live = &dashboard.live;
    let mut beats = interval(BEAT);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut notifier = Notifier::default();
    loop {
        let somebody = async {
            let is_first = live.sender.receiver_count() == 0;
            if is_first {
                // Whoever comes now is not told what went on long ago.
                live.set_now(None);
                live.somebody.notified().await;
            }
            beats.tick().await;
            is_first
        };
        tokio::select! {
            is_first = somebody => if is_first {
                // What has happened while nobody listened is read by those who come.
                notifier = live.begin();
            },
            () = told_to_stop(stop.clone()) => return,
        }
        let looker = Arc::clone(&dashboard);
        let looked = tokio::task::spawn_blocking(move || {
            let update = looker.look(1, |view| notifier.look(&looker, view));
            (notifier, update)
        });
        match looked.await {
            Ok((next, update)) => {
                notifier = next;
                match update {
                    Ok(update) => update.into_iter().for_each(|update| live.tell(update)),
                    Err(error) => tracing::warn!(%error, "the dashboard cannot read the store"),
                }
            }
            // A bug that the panic's own message tells of: it begins anew, and listeners read what
            // they miss from the store.
            Err(_) => notifier = live.begin(),
        }
    }
}

/// What was told last.
#[derive(Debug, Default)]
struct Notifier {
    /// None before the first look.
    reached: Option<i64>,
    changes: Option<u64>,
    /// The broken problems, which change without anything being judged.
    broken: Vec<Broken>,
}

impl Notifier {
    /// What is new since the last look; none where nothing is.
    fn look(
        &mut self,
        dashboard: &Dashboard,
        view: &View<'_>,
    ) -> Result<Option<Update>, StoreError> {
        let after = *self.reached.get_or_insert(view.board.reached());
        let verdicts = verdicts_after(view, after)?;
        self.reached = Some(verdicts.reached);
        let now = self.now(dashboard, view);
        let is_new = now.is_some() || verdicts.reached != after;
        Ok(is_new.then_some(Update {
            after,
            reached: verdicts.reached,
            verdicts: verdicts.events,
            now,
        }))
    }

    /// What goes on, where that has changed.
    fn now(&mut self, dashboard: &Dashboard, view: &View<'_>) -> Option<Event> {
        let activity = &dashboard.state.view.activity;
        let changes = activity.changes();
        let broken: Vec<Broken> = Broken::all_of(view.board).collect();
        if self.changes == Some(changes) && self.broken == broken {
            return None;
        }
        self.changes = Some(changes);
        self.broken = broken;
        let html = rendered(&Now::of(view, activity));
        let event = now_event(&html);
        dashboard.live.set_now(Some(html)).then_some(event)
    }
}
