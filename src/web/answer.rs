//! Responses, each with its type; and what is said when there is nothing to show.

use askama::Template;
use axum::body::{Body, HttpBody as _};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse as _, Response};

use crate::overview::pages::rendered;
use crate::store::StoreError;

/// The type of a page.
pub const HTML: &str = "text/html; charset=utf-8";
/// The type of plain text.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// The type of a stream of events.
pub const EVENTS: &str = "text/event-stream";

/// A response of this type.
pub fn answer(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> Response {
    (status, [(CONTENT_TYPE, content_type)], body.into()).into_response()
}

/// The bytes of a response's body, as far as they are known.
pub fn length(response: &Response) -> u64 {
    let told = response.headers().get(CONTENT_LENGTH);
    let told = told.and_then(|value| value.to_str().ok()?.parse().ok());
    told.unwrap_or_else(|| response.body().size_hint().lower())
}

/// A page, where there is one and the store can be read.
pub fn shown(page: Result<Option<impl Into<Body>>, StoreError>) -> Response {
    match page {
        Ok(Some(html)) => answer(StatusCode::OK, HTML, html),
        Ok(None) => not_found(),
        Err(error) => unavailable(&error),
    }
}

/// What is said instead of a page.
#[derive(Template)]
#[template(path = "web/message.html")]
struct Message<'a> {
    title: &'a str,
    words: &'a str,
    asks_token: bool,
    /// Whether it is not the first page itself, and leads there.
    has_first: bool,
}

/// A page that says only this.
pub fn message(status: StatusCode, title: &str, words: &str) -> Response {
    say(status, title, words, false)
}

fn say(status: StatusCode, title: &str, words: &str, asks_token: bool) -> Response {
    let message = Message {
        title,
        words,
        asks_token,
        has_first: status != StatusCode::OK,
    };
    answer(status, HTML, rendered(&message))
}

/// There is no such page.
pub fn not_found() -> Response {
    message(
        StatusCode::NOT_FOUND,
        "There is nothing here",
        "The address is not one of this dashboard’s, or what it showed is gone. A report appears a moment after its verdict, a little later while many wait.",
    )
}

/// The students' view of a course without a board.
pub fn no_board() -> Response {
    message(
        StatusCode::OK,
        "There is no board here",
        "The public scoreboard is turned off. Your own page is at your personal link; your instructor can send it to you again.",
    )
}

/// Whoever asks has to show the token.
pub fn asks_token(status: StatusCode, words: &str) -> Response {
    let response = say(status, "This view is for staff", words, true);
    if status != StatusCode::UNAUTHORIZED {
        return response;
    }
    let scheme = "Bearer realm=\"verdictd staff\"";
    ([(WWW_AUTHENTICATE, scheme)], response).into_response()
}

/// The store cannot be read now, or the page was not made because of a bug of ours. Why is the
/// operator's to know.
pub fn unavailable(error: &dyn std::fmt::Display) -> Response {
    tracing::warn!(%error, "the dashboard could not show a page");
    later(message(
        StatusCode::SERVICE_UNAVAILABLE,
        "Temporarily unavailable",
        "What is to be shown cannot be read at this moment. Try again in a few seconds.",
    ))
}

/// Has the other side try again in a while.
pub fn later(response: Response) -> Response {
    ([(RETRY_AFTER, "10")], response).into_response()
}
