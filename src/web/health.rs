//! Whether the daemon is well, for whatever watches over it.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;

use super::answer::{TEXT, answer, later};
use super::state::AppState;
use crate::domain::ProblemSlug;
use crate::util::words::listed;

/// A dispatcher that was not seen for this long does not work any more: it looks at the clock every
/// second.
const SILENCE_MAX: Duration = Duration::from_mins(1);
/// Broken packages that are named.
const BROKEN_NAMED_MAX: usize = 20;

/// `ok`, or what is wrong. A broken package is its instructor's to fix: the daemon is well all the
/// same, and a restart would not help.
pub fn health(state: &AppState) -> Response {
    match trouble(state) {
        None => answer(StatusCode::OK, TEXT, format!("ok\n{}", broken_words(state))),
        Some(reason) => later(answer(
            StatusCode::SERVICE_UNAVAILABLE,
            TEXT,
            format!("{reason}\n"),
        )),
    }
}

fn broken_words(state: &AppState) -> String {
    let board = state.board();
    let broken: Vec<&str> = board.broken().keys().map(ProblemSlug::as_str).collect();
    if broken.is_empty() {
        return String::new();
    }
    let named = listed(broken.iter().copied(), BROKEN_NAMED_MAX);
    format!("nobody is graded on broken packages: {named}; `verdictd status` says why\n")
}

fn trouble(state: &AppState) -> Option<String> {
    if let Err(error) = state.read(crate::store::Reader::last_event) {
        tracing::warn!(%error, "the store, for /healthz");
        return Some("the store cannot be read".to_owned());
    }
    let silence = state.view.activity.silence();
    if silence > SILENCE_MAX {
        return Some(format!(
            "nothing was given out for {} s: the dispatcher does not answer",
            silence.as_secs()
        ));
    }
    state.view.activity.standstill()
}
