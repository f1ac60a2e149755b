//! Which address shows what.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::get;
use tokio::sync::watch;

use super::answer::{EVENTS, answer, not_found, unavailable};
use super::gate::{REPORT_POLICY, STYLE_PATH, gate};
use super::state::Dashboard;
use super::{address, files, health, metrics, pages, stream};
use crate::domain::{ProblemSlug, Student};
use crate::overview::pages::OWN_STYLE;
use crate::report;

/// Our own script: it puts what the stream tells into the page.
const SCRIPT: &str = include_str!("live.js");

/// What the handlers have at hand.
#[derive(Clone)]
struct Handler {
    dashboard: Arc<Dashboard>,
    stop: watch::Receiver<bool>,
}

/// Every address of a view.
pub fn router(dashboard: Arc<Dashboard>, stop: watch::Receiver<bool>) -> Router {
    let handler = Handler {
        dashboard: Arc::clone(&dashboard),
        stop,
    };
    Router::new()
        .route("/", get(board))
        .route("/matrix", get(matrix))
        .route("/students/{student}", get(student))
        .route("/problems/{problem}", get(problem))
        .route("/reports/{a}", get(file))
        .route("/reports/{a}/{b}", get(file))
        .route("/reports/{a}/{b}/{c}", get(file))
        .route("/events", get(events))
        .route("/metrics", get(measured))
        .route("/healthz", get(healthy))
        .route(STYLE_PATH, get(style))
        .route("/live.js", get(script))
        .fallback(async || not_found())
        .with_state(handler)
        .layer(from_fn_with_state(dashboard, gate))
}

/// Makes a page on a thread that may wait for the store; it is counted there, so that no more pages
/// are uncounted than there are such threads.
async fn made(
    handler: Handler,
    make: impl FnOnce(&Dashboard) -> Response + Send + 'static,
) -> Response {
    let dashboard = handler.dashboard;
    let counted = move || dashboard.bodies.hold(make(&dashboard), u64::MAX);
    match tokio::task::spawn_blocking(counted).await {
        Ok(response) => response,
        // A bug; the panic's own message tells of it.
        Err(error) => unavailable(&error),
    }
}

/// What stands behind the question mark of an address.
type Asked = Query<BTreeMap<String, String>>;

fn page_of(asked: &Asked) -> usize {
    let page = asked.get("page");
    page.and_then(|page| page.parse().ok()).unwrap_or(1)
}

async fn board(State(handler): State<Handler>, asked: Asked) -> Response {
    let page = page_of(&asked);
    made(handler, move |dashboard| pages::board(dashboard, page)).await
}

async fn matrix(State(handler): State<Handler>, asked: Asked) -> Response {
    let page = page_of(&asked);
    made(handler, move |dashboard| pages::matrix(dashboard, page)).await
}

async fn student(State(handler): State<Handler>, Path(name): Path<String>) -> Response {
    let Ok(student) = Student::new(&name) else {
        return not_found();
    };
    made(handler, move |dashboard| {
        pages::student(dashboard, &student)
    })
    .await
}

async fn problem(
    State(handler): State<Handler>,
    Path(name): Path<String>,
    asked: Asked,
) -> Response {
    let Ok(problem) = ProblemSlug::new(&name) else {
        return not_found();
    };
    let page = page_of(&asked);
    made(handler, move |dashboard| {
        pages::problem(dashboard, &problem, page)
    })
    .await
}

/// A file of the view's folder, by the names of its path, which the router has decoded one by one.
async fn file(
    State(handler): State<Handler>,
    Path(names): Path<Vec<(String, String)>>,
) -> Response {
    let names = names.into_iter().map(|(_, name)| name).collect();
    let dashboard = handler.dashboard;
    let (Some(wanted), Some(folder)) = (address::file(names), dashboard.folder.clone()) else {
        return not_found();
    };
    let opened = move || files::open_below(&folder, &wanted.names).ok();
    let Ok(Some((file, length))) = tokio::task::spawn_blocking(opened).await else {
        return not_found();
    };
    let mut response = answer(
        StatusCode::OK,
        wanted.content_type,
        files::body(file, length),
    );
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, length.into());
    let policy = HeaderValue::from_static(REPORT_POLICY);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    dashboard.bodies.hold(response, files::HELD_BYTES_MAX)
}

async fn events(
    State(handler): State<Handler>,
    method: Method,
    headers: HeaderMap,
    asked: Asked,
) -> Response {
    if method == Method::HEAD {
        return answer(StatusCode::OK, EVENTS, "");
    }
    // A browser that comes back says so in a header; the first time the page says where it is.
    let after = last_event(&headers)
        .or_else(|| asked.get("after")?.parse().ok())
        .filter(|after| *after >= 0);
    stream::stream(handler.dashboard, after, handler.stop)
}

fn last_event(headers: &HeaderMap) -> Option<i64> {
    let name = HeaderName::from_static("last-event-id");
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

async fn measured(State(handler): State<Handler>) -> Response {
    made(handler, |dashboard| metrics::metrics(&dashboard.state)).await
}

async fn healthy(State(handler): State<Handler>) -> Response {
    made(handler, |dashboard| health::health(&dashboard.state)).await
}

async fn style() -> Response {
    let text = format!("{}\n{OWN_STYLE}", report::STYLE);
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
