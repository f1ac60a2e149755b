//! A stream of server-sent events: every verdict after the one that the listener has last heard of,
//! once and in order, and what goes on now.
//! The number of an event is its row in the store, so a stream that was cut goes on where it was.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, HeaderName};
use axum::http::{HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream, StreamExt as _};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;
use tokio::time::sleep;

use super::answer::{TEXT, answer, later};
use super::channel::Update;
use super::live::verdicts_after;
use super::state::{Dashboard, StreamPlace};
use super::stop::told_to_stop;
use crate::overview::pages::Selection;

/// A silent stream says this often that it is there, so that nobody on the way takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How soon the browser tries again.
pub const RETRY: Duration = Duration::from_secs(2);
/// The pause after the store could not be read.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// A stream that begins after this event; without one, at what comes next.
pub fn stream(
    dashboard: Arc<Dashboard>,
    after: Option<i64>,
    stop: watch::Receiver<bool>,
) -> Response {
    let Some(place) = dashboard.stream_place() else {
        let words = "too many listen; come back a while\n";
        return later(answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, words));
    };
    // Before the first look at the store: what comes meanwhile is heard.
    let updates = dashboard.live.listen();
    let reached = dashboard.state.board().reached();
    let listener = Listener {
        updates,
        reached: after.unwrap_or(reached).min(reached),
        reads_store: true,
        dashboard,
        _place: place,
    };
    let batches = stream::unfold(listener, |mut listener| async {
        let batch = listener.next().await?;
        Some((stream::iter(batch.events()), listener))
    });
    let begin = stream::iter([Event::default().retry(RETRY)]);
    let events = begin
        .chain(batches.flatten())
        .map(Ok::<_, Infallible>)
        .take_until(told_to_stop(stop));
    as_response(events)
}

/// A stream of events as a response that nobody keeps.
pub fn as_response(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE).text("here");
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx keeps what it is sent until a buffer is full, unless it is told not to.
    let unbuffered = HeaderName::from_static("x-accel-buffering");
    headers.insert(unbuffered, HeaderValue::from_static("no"));
    response
}

struct Listener {
    dashboard: Arc<Dashboard>,
    updates: Receiver<Update>,
    /// The event up to which everything has been told.
    reached: i64,
    /// Whether the updates do not continue what was told.
    reads_store: bool,
    _place: StreamPlace,
}

/// Events that follow each other.
#[derive(Default)]
struct Batch {
    /// All listeners share them.
    verdicts: Arc<[Event]>,
    last: Option<Event>,
}

impl Batch {
    fn events(self) -> impl Iterator<Item = Event> {
        let verdicts = self.verdicts;
        let shared = (0..verdicts.len()).map(move |at| verdicts[at].clone());
        shared.chain(self.last)
    }
}

impl Listener {
    /// What is told next; none when the dashboard has ended.
    async fn next(&mut self) -> Option<Batch> {
        loop {
            if self.reads_store {
                return Some(self.read_store().await);
            }
            match self.updates.recv().await {
                Ok(update) => {
                    let is_known = update.reached <= self.reached;
                    if !is_known && update.after != self.reached {
                        // It continues something else than what this listener has heard.
                        self.reads_store = true;
                        continue;
                    }
                    self.reached = self.reached.max(update.reached);
                    let mut batch = Batch {
                        last: update.now,
                        ..Batch::default()
                    };
                    if !is_known {
                        batch.verdicts = update.verdicts;
                    }
                    return Some(batch);
                }
                Err(RecvError::Lagged(_)) => self.reads_store = true,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// What the store has and the listener has not heard, a part of it.
    async fn read_store(&mut self) -> Batch {
        let (dashboard, after) = (Arc::clone(&self.dashboard), self.reached);
        let look =
            move || dashboard.look(&Selection::default(), |view| verdicts_after(view, after));
        match tokio::task::spawn_blocking(look).await {
            Ok(Ok(verdicts)) => {
                self.reached = verdicts.reached;
                self.reads_store = verdicts.is_full;
                // What goes on may have been told by an update that was missed or passed over.
                let now = self.dashboard.live.now().filter(|_| !verdicts.is_full);
                Batch {
                    verdicts: verdicts.events,
                    last: now,
                }
            }
            failed => {
                if let Ok(Err(error)) = failed {
                    tracing::warn!(%error, "the dashboard cannot read the store");
                }
                sleep(STORE_PAUSE).await;
                Batch {
                    last: Some(Event::default().comment("wait")),
                    ..Batch::default()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::time::Duration;

    use axum::body::{Body, HttpBody};
    use tokio::sync::watch;
    use tokio::time::timeout;

    use super::stream;
    use crate::overview::Scoreboard;
    use crate::report::Audience;
    use crate::web::channel::Update;
    use crate::web::tests::sample::Sample;

    /// How long something may take that comes at once.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// Reads until this is told.
    async fn heard(body: &mut Body, wanted: &str) {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            let frame = timeout(PATIENCE, frame).await.unwrap();
            let frame = frame.expect("the stream goes on").unwrap();
            let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
            if text.contains(wanted) {
                return;
            }
        }
    }

    #[tokio::test]
    async fn whoever_misses_an_update_is_told_what_goes_on() {
        let sample = Sample::new(Scoreboard::default());
        let dashboard = sample.dashboard(Audience::Student);
        let (_stop, stopped) = watch::channel(false);
        dashboard.live.set_now(Some("first".to_owned()));
        let response = stream(Arc::clone(&dashboard), None, stopped);
        let mut body = response.into_body();
        heard(&mut body, "first").await;
        // An update of verdicts that does not continue what it has heard: they are read from the
        // store, and the rest is not lost.
        dashboard.live.set_now(Some("second".to_owned()));
        dashboard.live.tell(Update {
            after: 100,
            reached: 101,
            verdicts: Arc::new([]),
            now: None,
        });
        heard(&mut body, "second").await;
    }
}
