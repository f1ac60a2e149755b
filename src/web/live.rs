//! What those who listen are told. It is made once, a few times a second at most, however many
//! listen; while nobody does, nothing is made.

use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::Event;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::channel::{Live, Update, now_event};
use super::rows::{Fragment, Now, VerdictRow};
use super::state::Dashboard;
use super::stop::told_to_stop;
use crate::domain::Submission;
use crate::overview::Broken;
use crate::overview::pages::Selection;
use crate::overview::pages::{CellView, View, rendered};
use crate::store::StoreError;

/// The time between two updates.
const BEAT: Duration = Duration::from_millis(250);
/// Events read from the store at a time.
const EVENTS_MAX: u32 = 200;

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
    let rows = rows.filter(|row| view.tells(&row.submission));
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
            let is_first = !live.is_heard();
            if is_first {
                // Whoever comes now is not told what went on long ago.
                live.set_now(None);
                live.somebody().await;
            }
            beats.tick().await;
            is_first
        };
        tokio::select! {
            is_first = somebody => if is_first {
                // What has happened while nobody listened is read by those who come.
                notifier = begin(live);
            },
            () = told_to_stop(stop.clone()) => return,
        }
        let looker = Arc::clone(&dashboard);
        let looked = tokio::task::spawn_blocking(move || {
            let update = looker.look(&Selection::default(), |view| notifier.look(&looker, view));
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
            Err(_) => notifier = begin(live),
        }
    }
}

/// A beginning at which nothing is known: what goes on is told anew, even where it has not
/// changed.
fn begin(live: &Live) -> Notifier {
    live.set_now(None);
    Notifier::default()
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
    /// What is new since the last look; `None` if nothing is.
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
        let broken: Vec<Broken> = view.broken().collect();
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
