//! Live updates: a stream of server-sent events that says no more than that something has changed.
//! The page then fetches itself again, if it shows that.
//!
//! The first thing that a stream says is that something may have changed. So nothing is missed
//! between a page and its stream, or while a stream was cut.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt as _};
use tokio::time::sleep;

use super::answer::{TEXT, answer, later};
use super::news::{Mark, News};
use super::pages;
use super::serve::told_to_stop;
use super::state::{Asked, BEAT, Dashboard, Visitor};
use crate::store::StoreError;

/// A silent stream says this often that it is there, so that nobody on the way takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How soon the browser tries again.
const RETRY: Duration = Duration::from_secs(2);
/// The time between two looks at a personal page, which is made for its owner alone.
const OWN_BEAT: Duration = Duration::from_secs(1);

/// Every page may be another one.
const CHANGED: &str = "changed";
/// The section "Now" is another one, and nothing else.
const NOW: &str = "now";

/// What a look at the pages finds.
enum Look {
    Same,
    Changed(Event),
    /// There is nothing to look at any more.
    Gone,
}

/// The next look may find more.
fn unreadable(error: &StoreError) -> Look {
    tracing::warn!(%error, "the dashboard cannot read the store");
    Look::Same
}

fn event(kind: &'static str) -> Event {
    Event::default().event(kind).data(kind)
}

/// The kind of these news for somebody who has heard those before.
fn kind_of(before: Option<News>, news: News) -> Option<&'static str> {
    match before {
        Some(before) if before == news => None,
        Some(before) if before.pages == news.pages => Some(NOW),
        _ => Some(CHANGED),
    }
}

/// Tells whenever a page that everybody sees may be another one. An event has the number of the
/// last event of the store that the pages show.
pub fn board(dashboard: &Arc<Dashboard>, _: &Asked) -> Response {
    let mut told = None;
    tell(dashboard, BEAT, move |dashboard| {
        let news = match dashboard.news() {
            Ok(news) => news,
            Err(error) => return unreadable(&error),
        };
        let Some(kind) = kind_of(told.replace(news), news) else {
            return Look::Same;
        };
        let reached = dashboard.state.board().reached();
        Look::Changed(event(kind).id(reached.to_string()))
    })
}

/// Tells whenever the student's own page is another one, and nothing else: the numbers of events
/// would tell how much others do. It ends when the link is revoked.
pub fn own(dashboard: &Arc<Dashboard>, _: &Asked, visitor: &Visitor) -> Response {
    let visitor = visitor.clone();
    let mut seen = None;
    let mut told = None;
    tell(dashboard, OWN_BEAT, move |dashboard| {
        if dashboard.visitor(visitor.token.clone()).is_none() {
            return Look::Gone;
        }
        let mark = Mark::of(&dashboard.state.board());
        if seen.as_ref() == Some(&mark) {
            return Look::Same;
        }
        let page = match pages::own_html(dashboard, &visitor) {
            Ok(Some(html)) => blake3::hash(html.as_bytes()),
            Ok(None) => return Look::Gone,
            Err(error) => return unreadable(&error),
        };
        seen = Some(mark);
        if told.replace(page) == Some(page) {
            return Look::Same;
        }
        Look::Changed(event(CHANGED))
    })
}

/// A stream of what these looks find, one in a beat, until the dashboard stops.
fn tell(
    dashboard: &Arc<Dashboard>,
    beat: Duration,
    look: impl FnMut(&Dashboard) -> Look + Send + 'static,
) -> Response {
    let Some(place) = dashboard.stream_place() else {
        let words = "too many live connections; try again later\n";
        return later(answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, words));
    };
    let listener = (Arc::clone(dashboard), look, Duration::ZERO, place);
    let changes = stream::unfold(
        listener,
        move |(mut dashboard, mut look, mut pause, place)| {
            async move {
                loop {
                    sleep(pause).await;
                    pause = beat;
                    let looked = tokio::task::spawn_blocking(move || {
                        let found = look(&dashboard);
                        (dashboard, look, found)
                    });
                    let found;
                    // A bug ends the stream; the browser opens another one.
                    (dashboard, look, found) = looked.await.ok()?;
                    match found {
                        Look::Same => {}
                        Look::Gone => return None,
                        Look::Changed(event) => {
                            return Some((event, (dashboard, look, pause, place)));
                        }
                    }
                }
            }
        },
    );
    let events = stream::iter([Event::default().retry(RETRY)])
        .chain(changes)
        .map(Ok::<_, Infallible>)
        .take_until(told_to_stop(dashboard.state.stop.clone()));
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE).text("here");
    let response = Sse::new(events).keep_alive(keep_alive).into_response();
    // nginx keeps what it is sent until a buffer is full, unless it is told not to.
    let headers = [("cache-control", "no-store"), ("x-accel-buffering", "no")];
    (headers, response).into_response()
}
