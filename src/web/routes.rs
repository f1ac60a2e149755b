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

use super::answer::{EVENTS, answer, no_board, not_found, unavailable};
use super::gate::{REPORT_POLICY, STYLE_PATH, gate};
use super::state::Dashboard;
use super::{address, files, health, metrics, own, pages, projector, stream};
use crate::domain::ProblemSlug;
use crate::overview::pages::{OWN_STYLE, Selection};
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
        .route("/projector", get(on_projector))
        .route("/students/{student}", get(student))
        .route("/problems/{problem}", get(problem))
        .route("/reports/{a}", get(file))
        .route("/reports/{a}/{b}", get(file))
        .route("/reports/{a}/{b}/{c}", get(file))
        .route("/events", get(events))
        .route("/me/{token}", get(own_page))
        .route("/me/{token}/", get(own_page))
        // Where a report leads back to.
        .route("/me/{token}/reports/index.html", get(own_page))
        .route("/me/{token}/problems/{problem}", get(own_problem))
        .route("/me/{token}/reports/{problem}/{file}", get(own_report))
        .route("/me/{token}/events", get(own_events))
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

fn selection_of(mut asked: Asked) -> Selection {
    let page = asked.get("page");
    Selection {
        page: page.and_then(|page| page.parse().ok()).unwrap_or(1),
        section: asked.0.remove("section"),
    }
}

async fn board(State(handler): State<Handler>, asked: Asked) -> Response {
    if !handler.dashboard.has_board() {
        return no_board();
    }
    let selection = selection_of(asked);
    made(handler, move |dashboard| {
        pages::board(dashboard, &selection)
    })
    .await
}

async fn on_projector(State(handler): State<Handler>, asked: Asked) -> Response {
    if !handler.dashboard.has_board() {
        return not_found();
    }
    let selection = selection_of(asked);
    made(handler, move |dashboard| {
        projector::projector(dashboard, &selection)
    })
    .await
}

async fn student(State(handler): State<Handler>, Path(name): Path<String>) -> Response {
    if !handler.dashboard.has_board() {
        return not_found();
    }
    made(handler, move |dashboard| pages::student(dashboard, &name)).await
}

async fn problem(
    State(handler): State<Handler>,
    Path(name): Path<String>,
    asked: Asked,
) -> Response {
    let Ok(problem) = ProblemSlug::new(&name) else {
        return not_found();
    };
    let selection = selection_of(asked);
    made(handler, move |dashboard| {
        pages::problem(dashboard, &problem, &selection)
    })
    .await
}

async fn own_page(State(handler): State<Handler>, names: Names) -> Response {
    let asked = asked_for(&names);
    made(handler, move |dashboard| own::page(dashboard, &asked)).await
}

async fn own_problem(State(handler): State<Handler>, names: Names) -> Response {
    let asked = asked_for(&names);
    let Some(problem) = name(&names, "problem").and_then(|name| ProblemSlug::new(name).ok()) else {
        return not_found();
    };
    made(handler, move |dashboard| {
        own::problem(dashboard, &asked, &problem)
    })
    .await
}

async fn own_report(State(handler): State<Handler>, names: Names) -> Response {
    let asked = asked_for(&names);
    let problem = name(&names, "problem").and_then(|name| ProblemSlug::new(name).ok());
    let file = name(&names, "file").map(str::to_owned);
    let (Some(problem), Some(file)) = (problem, file) else {
        return not_found();
    };
    let dashboard = Arc::clone(&handler.dashboard);
    let named =
        tokio::task::spawn_blocking(move || own::report(&dashboard, &asked, &problem, file));
    match named.await {
        Ok(Some(names)) => below(&handler.dashboard, &handler.dashboard.reports, names).await,
        Ok(None) | Err(_) => not_found(),
    }
}

async fn own_events(State(handler): State<Handler>, method: Method, names: Names) -> Response {
    let asked = asked_for(&names);
    let dashboard = Arc::clone(&handler.dashboard);
    let whose = asked.clone();
    let is_known = tokio::task::spawn_blocking(move || own::is_known(&dashboard, &whose));
    if !is_known.await.unwrap_or(false) {
        return not_found();
    }
    if method == Method::HEAD {
        return answer(StatusCode::OK, EVENTS, "");
    }
    own::events(handler.dashboard, asked, handler.stop)
}

/// The names of a path, which the router has decoded one by one.
type Names = Path<Vec<(String, String)>>;

fn name<'n>(names: &'n Names, wanted: &str) -> Option<&'n str> {
    let mut names = names.iter();
    names.find_map(|(known, name)| (known == wanted).then_some(name.as_str()))
}

fn asked_for(names: &Names) -> own::Asked {
    own::Asked(name(names, "token").unwrap_or_default().to_owned())
}

/// A file of the view's folder.
async fn file(State(handler): State<Handler>, Path(names): Names) -> Response {
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    let dashboard = handler.dashboard;
    match &dashboard.folder {
        Some(_) if dashboard.hides(&names) => not_found(),
        Some(folder) => below(&dashboard, folder, names).await,
        None => not_found(),
    }
}

/// A file below a folder of reports.
async fn below(dashboard: &Dashboard, folder: &std::path::Path, names: Vec<String>) -> Response {
    let Some(wanted) = address::file(names) else {
        return not_found();
    };
    let folder = folder.to_owned();
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
    if !handler.dashboard.has_board() {
        return not_found();
    }
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
    // The figures tell how the course does.
    if !handler.dashboard.has_board() {
        return not_found();
    }
    made(handler, |dashboard| {
        metrics::metrics(&dashboard.state, dashboard.is_staff())
    })
    .await
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
