//! Which address shows what, and to whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use Answer::{Everybody, Members, Owner};
use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::{Path, Query, State};
use axum::http::Uri;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::get;

use super::answer::{not_found, unavailable};
use super::gate::{STYLE_PATH, gate};
use super::state::{Asked, Dashboard, Visitor};
use super::{files, help, live, metrics, pages, projector};
use crate::overview::pages::Selection;

/// Who is answered, and by what; others are told the same as at an address that there is not.
enum Answer {
    /// Everybody whom the gate lets in.
    Everybody(fn(&Arc<Dashboard>, &Asked) -> Response),
    /// The same, where there is a board: it tells how the course does.
    Members(fn(&Arc<Dashboard>, &Asked) -> Response),
    /// Whoever has come by a personal link, which the address begins with.
    Owner(fn(&Arc<Dashboard>, &Asked, &Visitor) -> Response),
}

/// Every address beside those of style and script. All are for GET, and HEAD, which the router
/// answers from it; the gate refuses every other method.
static ROUTES: [(&str, Answer); 21] = [
    ("/", Everybody(pages::board)),
    ("/projector", Members(projector::projector)),
    ("/students/{student}", Members(pages::student)),
    ("/problems/{problem}", Everybody(pages::problem)),
    ("/problems/{problem}/statement.pdf", Everybody(pages::pdf)),
    ("/reports/{file}", Everybody(files::report)),
    ("/reports/{folder}/{file}", Everybody(files::report)),
    (
        "/reports/{student}/{problem}/{file}",
        Everybody(files::report),
    ),
    ("/events", Members(live::board)),
    ("/metrics", Members(metrics::metrics)),
    ("/healthz", Everybody(metrics::health)),
    ("/help", Everybody(help::first)),
    ("/help/", Everybody(help::page)),
    ("/help/{*path}", Everybody(help::page)),
    ("/me/{token}", Owner(pages::own_page)),
    ("/me/{token}/", Owner(pages::own_page)),
    // Where a report leads back to.
    ("/me/{token}/reports/index.html", Owner(pages::own_page)),
    ("/me/{token}/problems/{problem}", Owner(pages::own_problem)),
    (
        "/me/{token}/problems/{problem}/statement.pdf",
        Owner(pages::own_pdf),
    ),
    (
        "/me/{token}/reports/{problem}/{file}",
        Owner(pages::own_report),
    ),
    ("/me/{token}/events", Owner(live::own)),
];

/// The router of a view.
pub fn router(dashboard: Arc<Dashboard>) -> Router {
    let add = |router: Router<_>, (path, answer): &'static (&str, Answer)| {
        let handle = move |State(dashboard), Path(names), Query(query), uri: Uri| {
            respond(dashboard, answer, names, query, uri)
        };
        router.route(path, get(handle))
    };
    ROUTES
        .iter()
        .fold(Router::new(), add)
        // In memory for as long as the daemon runs: they wait for no page, and are not counted.
        .route(STYLE_PATH, get(async || pages::style()))
        .route("/live.js", get(async || pages::script()))
        .fallback(async || not_found())
        .with_state(Arc::clone(&dashboard))
        .layer(from_fn_with_state(dashboard, gate))
}

/// Answers on a thread that may wait for the store; the body is counted there, so that no more
/// pages are uncounted than there are such threads.
async fn respond(
    dashboard: Arc<Dashboard>,
    answer: &'static Answer,
    names: Vec<(String, String)>,
    mut query: BTreeMap<String, String>,
    uri: Uri,
) -> Response {
    let page = query.get("page").and_then(|page| page.parse().ok());
    let mut asked = Asked {
        names: names.into_iter().map(|(_, name)| name).collect(),
        selection: Selection {
            // What is no number is the first page, as what is too large is the last one.
            page: page.unwrap_or(1),
            section: query.remove("section"),
        },
        path: uri.path().to_owned(),
    };
    let counted = move || {
        let response = match answer {
            Members(_) if !dashboard.has_board() => not_found(),
            Everybody(answer) | Members(answer) => answer(&dashboard, &asked),
            Owner(answer) => match dashboard.visitor(asked.names.remove(0)) {
                Some(visitor) => answer(&dashboard, &asked, &visitor),
                None => not_found(),
            },
        };
        // A file and a stream are never held as a whole.
        let whole = response.body().size_hint().exact().unwrap_or(0);
        dashboard.bodies.hold(response, whole)
    };
    match tokio::task::spawn_blocking(counted).await {
        Ok(response) => response,
        // A bug; the panic's own message tells of it.
        Err(error) => unavailable(&error),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header::CONTENT_LENGTH;

    use super::{Answer, ROUTES, router};
    use crate::overview::Scoreboard;
    use crate::report::Audience;
    use crate::web::answer::{TEXT, answer};
    use crate::web::tests::sample::{Sample, get};

    #[test]
    fn what_is_below_a_personal_link_is_its_owners() {
        for (path, answer) in &ROUTES {
            let is_personal = path.split('/').nth(2) == Some("{token}");
            assert_eq!(matches!(answer, Answer::Owner(_)), is_personal, "{path}");
        }
    }

    #[tokio::test]
    async fn style_and_script_are_there_while_pages_have_to_wait() {
        let sample = Sample::new(Scoreboard::default());
        let students = sample.dashboard(Audience::Student);
        let mut large = answer(axum::http::StatusCode::OK, TEXT, "x");
        let length = HeaderValue::from(u64::MAX);
        large.headers_mut().insert(CONTENT_LENGTH, length);
        let _all = students.bodies.hold(large, u64::MAX);
        let router = router(students);
        for (target, status) in [("/", 503), ("/style.css", 200), ("/live.js", 200)] {
            assert_eq!(get(&router, target).await.status(), status, "{target}");
        }
    }
}
