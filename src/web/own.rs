//! What a personal link leads to: one student's attempts, reports and rejected files, and the
//! statements. Whoever has another address is told the same as at any address that there is not.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream::{self, StreamExt as _};
use tokio::sync::watch;
use tokio::time::sleep;

use super::answer::{HTML, TEXT, answer, later, not_found, unavailable};
use super::state::{Dashboard, StreamPlace};
use super::stop::told_to_stop;
use super::stream::{RETRY, as_response};
use crate::config::Public;
use crate::domain::{ProblemSlug, Student};
use crate::overview::pages::{self, Own, View};
use crate::overview::{Directory, Grading, Scoreboard};
use crate::report::folder_name;
use crate::store::StoreError;

/// The time between two looks at whether a page has changed.
const BEAT: Duration = Duration::from_secs(1);

/// The secret part of the address that was asked for. It has no `Debug`, so that no log has it.
#[derive(Clone)]
pub struct Asked(pub String);

/// Whose link this is.
fn owner(dashboard: &Dashboard, asked: &Asked) -> Option<Student> {
    let links = dashboard.links.as_ref()?;
    links.student(&asked.0, &dashboard.state.board())
}

/// Whether this is somebody's link.
pub fn is_known(dashboard: &Dashboard, asked: &Asked) -> bool {
    owner(dashboard, asked).is_some()
}

/// A page for a student who has come by a link; `None` where it is nobody's.
fn look(
    dashboard: &Dashboard,
    asked: &Asked,
    make: impl FnOnce(&View<'_>, &Student) -> Result<Option<String>, StoreError>,
) -> Result<Option<String>, StoreError> {
    let Some(student) = owner(dashboard, asked) else {
        return Ok(None);
    };
    let own = Own {
        base: format!("/me/{}", asked.0),
        on_board: match dashboard.public {
            Public::Nothing => None,
            Public::Reports | Public::Names => Some(student.to_string()),
            Public::Pseudonyms => dashboard.pseudonyms.as_ref().map(|all| all.of(&student)),
        },
    };
    dashboard.look_for(&own, |view| make(view, &student))
}

fn shown(page: Result<Option<String>, StoreError>) -> Response {
    match page {
        Ok(Some(html)) => answer(StatusCode::OK, HTML, html),
        Ok(None) => not_found(),
        Err(error) => unavailable(&error),
    }
}

/// The student's own page.
pub fn page(dashboard: &Dashboard, asked: &Asked) -> Response {
    shown(look(dashboard, asked, pages::student))
}

/// What a problem asks.
pub fn problem(dashboard: &Dashboard, asked: &Asked, problem: &ProblemSlug) -> Response {
    let make = |view: &View<'_>, _: &Student| Ok(pages::statement(view, problem));
    shown(look(dashboard, asked, make))
}

/// The names of the file of a report, from the students' folder on.
pub fn report(
    dashboard: &Dashboard,
    asked: &Asked,
    problem: &ProblemSlug,
    file: String,
) -> Option<Vec<String>> {
    let student = owner(dashboard, asked)?;
    if dashboard.state.board().grading().hides(problem) {
        return None;
    }
    let folders = [student.as_str(), problem.as_str()].map(folder_name);
    Some(folders.into_iter().chain([file]).collect())
}

/// What a page is made from, as far as it costs nothing to look at. What is replaced as a whole is
/// held, so that nothing else takes its address.
struct LookedAt {
    reached: i64,
    rejections: u64,
    directory: Arc<Directory>,
    grading: Arc<Grading>,
}

impl LookedAt {
    fn of(board: &Scoreboard) -> Self {
        Self {
            reached: board.reached(),
            rejections: board.rejections_changed(),
            directory: Arc::clone(board.directory()),
            grading: Arc::clone(board.grading()),
        }
    }

    fn is(&self, other: &Self) -> bool {
        (self.reached, self.rejections) == (other.reached, other.rejections)
            && Arc::ptr_eq(&self.directory, &other.directory)
            && Arc::ptr_eq(&self.grading, &other.grading)
    }
}

/// What the page was at the last look; the address, and a place among the listeners.
struct Listener {
    dashboard: Arc<Dashboard>,
    asked: Asked,
    seen: Option<blake3::Hash>,
    looked_at: Option<LookedAt>,
    _place: StreamPlace,
}

/// Tells whenever the student's page is another one, and nothing else. It ends when the link is
/// revoked.
pub fn events(dashboard: Arc<Dashboard>, asked: Asked, stop: watch::Receiver<bool>) -> Response {
    let Some(place) = dashboard.stream_place() else {
        let words = "too many listen; come back a while\n";
        return later(answer(StatusCode::SERVICE_UNAVAILABLE, TEXT, words));
    };
    let listener = Listener {
        dashboard,
        asked,
        seen: None,
        looked_at: None,
        _place: place,
    };
    let events = stream::unfold(listener, |mut listener| async {
        loop {
            let looked = tokio::task::spawn_blocking(move || {
                let look = listener.look();
                (listener, look)
            });
            // A bug ends the stream; the browser opens another one.
            let (next, look) = looked.await.ok()?;
            listener = next;
            match look {
                Look::Same => sleep(BEAT).await,
                Look::Gone => return None,
                Look::Changed => {
                    return Some((Event::default().event("own").data("changed"), listener));
                }
            }
        }
    });
    // The first look may be followed by another one at once, which finds nothing.
    let begin = stream::iter([Event::default().retry(RETRY)]);
    let events = begin.chain(events).map(Ok::<_, Infallible>);
    as_response(events.take_until(told_to_stop(stop)))
}

enum Look {
    Same,
    Changed,
    /// There is no such link any more.
    Gone,
}

impl Listener {
    fn look(&mut self) -> Look {
        let at = LookedAt::of(&self.dashboard.state.board());
        if owner(&self.dashboard, &self.asked).is_none() {
            return Look::Gone;
        }
        if self.looked_at.as_ref().is_some_and(|then| then.is(&at)) {
            return Look::Same;
        }
        let page = match look(&self.dashboard, &self.asked, pages::student) {
            Ok(Some(page)) => blake3::hash(page.as_bytes()),
            Ok(None) => return Look::Gone,
            Err(error) => {
                tracing::warn!(%error, "the dashboard cannot read the store");
                return Look::Same;
            }
        };
        self.looked_at = Some(at);
        if self.seen.replace(page) == Some(page) {
            return Look::Same;
        }
        Look::Changed
    }
}
