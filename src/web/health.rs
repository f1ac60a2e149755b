//! Whether the daemon is well, for whatever watches over it.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;

use super::answer::{TEXT, answer, later};
use super::hall::Hall;

/// A dispatcher that was not seen for this long does not work any more: it looks at the clock every second.
const SILENCE_MAX: Duration = Duration::from_mins(1);

/// `ok`, or what is wrong.
pub fn health(hall: &Hall) -> Response {
    match trouble(hall) {
        None => answer(StatusCode::OK, TEXT, "ok\n"),
        Some(reason) => later(answer(
            StatusCode::SERVICE_UNAVAILABLE,
            TEXT,
            format!("{reason}\n"),
        )),
    }
}

fn trouble(hall: &Hall) -> Option<String> {
    if let Err(error) = hall.read(crate::store::Reader::last_event) {
        tracing::warn!(%error, "the store, for /healthz");
        return Some("the store cannot be read".to_owned());
    }
    let silence = hall.view.activity.silence();
    (silence > SILENCE_MAX).then(|| {
        format!(
            "nothing was given out for {} s: the dispatcher does not answer",
            silence.as_secs()
        )
    })
}
