//! Which address shows what.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::get;
use tokio::sync::watch;

use super::address::{self, Wanted};
use super::answer::{EVENTS, answer, not_found, unavailable};
use super::gate::{REPORT_POLICY, STYLE_PATH, gate};
use super::hall::Site;
use super::{files, health, metrics, pages, stream};
use crate::report;

/// Our own script: it puts what the stream tells into the page.
const SCRIPT: &str = include_str!("live.js");
/// What the pages of the dashboard have beside the style of all pages.
const STYLE: &str = include_str!("web.css");

/// What the handlers have at hand.
#[derive(Clone)]
struct Handler {
    site: Arc<Site>,
    stop: watch::Receiver<bool>,
}

/// Every address of a view.
pub fn router(site: Arc<Site>, stop: watch::Receiver<bool>) -> Router {
    let handler = Handler {
        site: Arc::clone(&site),
        stop,
    };
    Router::new()
        .route("/", get(board))
        .route("/matrix", get(matrix))
        .route("/students/{*student}", get(student))
        .route("/problems/{*problem}", get(problem))
        .route("/reports/{*file}", get(file))
        .route("/events", get(events))
        .route("/metrics", get(measured))
        .route("/healthz", get(healthy))
        .route(STYLE_PATH, get(style))
        .route("/live.js", get(script))
        .fallback(async || not_found())
        .with_state(handler)
        .layer(from_fn_with_state(site, gate))
}

/// Makes a page on a thread that may wait for the store; it is counted there, so that no more pages are uncounted than there are such threads.
async fn made(site: &Arc<Site>, make: impl FnOnce(&Site) -> Response + Send + 'static) -> Response {
    let site = Arc::clone(site);
    let counted = move || site.room.hold(make(&site), u64::MAX);
    match tokio::task::spawn_blocking(counted).await {
        Ok(response) => response,
        // A bug; the panic's own message tells of it.
        Err(error) => unavailable(&error),
    }
}

fn page_of(uri: &Uri) -> usize {
    let page = address::query(uri.query(), "page");
    page.and_then(|page| page.parse().ok()).unwrap_or(1)
}

async fn board(State(handler): State<Handler>, uri: Uri) -> Response {
    let page = page_of(&uri);
    made(&handler.site, move |site| pages::board(site, page)).await
}

async fn matrix(State(handler): State<Handler>, uri: Uri) -> Response {
    let page = page_of(&uri);
    made(&handler.site, move |site| pages::matrix(site, page)).await
}

async fn student(State(handler): State<Handler>, uri: Uri) -> Response {
    let name = uri.path().strip_prefix("/students/");
    match name.and_then(address::student) {
        Some(student) => made(&handler.site, move |site| pages::student(site, &student)).await,
        None => not_found(),
    }
}

async fn problem(State(handler): State<Handler>, uri: Uri) -> Response {
    let name = uri.path().strip_prefix("/problems/");
    let page = page_of(&uri);
    match name.and_then(address::problem) {
        Some(problem) => {
            made(&handler.site, move |site| {
                pages::problem(site, &problem, page)
            })
            .await
        }
        None => not_found(),
    }
}

async fn file(State(handler): State<Handler>, uri: Uri, method: Method) -> Response {
    let wanted = uri.path().strip_prefix("/reports/").and_then(address::file);
    let (Some(wanted), Some(folder)) = (wanted, handler.site.folder.clone()) else {
        return not_found();
    };
    let Wanted {
        names,
        content_type,
    } = wanted;
    let opened = tokio::task::spawn_blocking(move || files::open_below(&folder, &names).ok()).await;
    let Ok(Some((file, length))) = opened else {
        return not_found();
    };
    // For HEAD nothing is read.
    let body = if method == Method::HEAD {
        drop(file);
        super::body::pieces(Some(length)).1
    } else {
        files::body(file, length)
    };
    let mut response = answer(StatusCode::OK, content_type, body);
    let policy = HeaderValue::from_static(REPORT_POLICY);
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, policy);
    handler.site.room.hold(response, files::HELD_BYTES_MAX)
}

async fn events(State(handler): State<Handler>, request: Request) -> Response {
    if request.method() == Method::HEAD {
        return answer(StatusCode::OK, EVENTS, "");
    }
    // A browser that comes back says so in a header; the first time the page says where it is.
    let after = last_event(request.headers())
        .or_else(|| address::query(request.uri().query(), "after")?.parse().ok())
        .filter(|after| *after >= 0);
    stream::stream(handler.site, after, handler.stop)
}

fn last_event(headers: &HeaderMap) -> Option<i64> {
    let name = HeaderName::from_static("last-event-id");
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

async fn measured(State(handler): State<Handler>) -> Response {
    made(&handler.site, |site| metrics::metrics(&site.hall)).await
}

async fn healthy(State(handler): State<Handler>) -> Response {
    made(&handler.site, |site| health::health(&site.hall)).await
}

async fn style() -> Response {
    let text = format!("{}\n{STYLE}", report::STYLE);
    kept(answer(StatusCode::OK, "text/css; charset=utf-8", text))
}

async fn script() -> Response {
    kept(answer(
        StatusCode::OK,
        "text/javascript; charset=utf-8",
        SCRIPT,
    ))
}

/// What is the same for as long as the daemon runs is not asked for on every page.
fn kept(mut response: Response) -> Response {
    let value = HeaderValue::from_static("private, max-age=60");
    response.headers_mut().insert(CACHE_CONTROL, value);
    response
}
