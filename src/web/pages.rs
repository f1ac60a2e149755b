//! The dashboard's pages: the board that one leaves open, and one page for each student and each
//! problem, all complete without a script; their style, and the script that fetches them again.
//!
//! A personal link leads to one student's attempts, reports and rejected files, and the statements.
//! Whoever has another address is told the same as at any address that there is not.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use askama::Template;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse as _, Response};

use super::answer::{answer, no_board, not_found, shown, unavailable};
use super::files;
use super::now::{Now, VerdictRow};
use super::state::{Asked, Dashboard, Visitor};
use crate::domain::{ProblemSlug, Student};
use crate::overview::Cells;
use crate::overview::pages::{self, OWN_STYLE, rendered};
use crate::report::{self, folder_name};
use crate::store::StoreError;

/// The latest verdicts that the board shows.
const LATEST_MAX: usize = 30;
/// How far back those of one section are looked for.
const LATEST_OF_ALL_MAX: usize = 600;

/// For how long a browser keeps what is no news.
const KEPT: &str = "private, max-age=60";

/// Our own script.
const SCRIPT: &str = include_str!("live.js");
/// The style of all pages.
static STYLE: LazyLock<Bytes> =
    LazyLock::new(|| Bytes::from(format!("{}\n{OWN_STYLE}", report::STYLE)));

#[derive(Template)]
#[template(path = "web/top.html")]
struct Top {
    now: Now,
    latest: Vec<VerdictRow>,
    is_staff: bool,
}

/// The board.
pub fn board(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    if !dashboard.has_board() {
        return no_board();
    }
    shown(dashboard.page(asked, |view| {
        let read = view.section().map_or(LATEST_MAX, |_| LATEST_OF_ALL_MAX);
        let rows = view.reader.latest_verdicts(read)?;
        let reached = view.board.reached();
        // What the board does not know yet is told by the next change.
        let known = rows.iter().filter(|row| row.event <= reached);
        let known = known.filter(|row| view.tells(&row.submission));
        let known = known.filter(|row| view.is_chosen(&row.submission.student));
        let known = known.take(LATEST_MAX);
        let top = rendered(&Top {
            now: Now::of(view, &dashboard.state.view.activity),
            latest: known.map(|row| VerdictRow::of(view, row)).collect(),
            is_staff: view.is_staff(),
        });
        pages::course(view, &top).map(Some)
    }))
}

/// The page of a student, by what students are called here.
pub fn student(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    let name = asked.name(0);
    shown(dashboard.page(asked, |view| {
        let student = match view.pseudonyms {
            None => Student::new(name).ok(),
            Some(pseudonyms) => {
                let nothing = Cells::default();
                let mut students = view.board.everybody(&nothing);
                let found = students.find(|(student, _)| pseudonyms.of(student) == name);
                found.map(|(student, _)| student.clone())
            }
        };
        student.map_or(Ok(None), |student| pages::student(view, &student))
    }))
}

/// The page of a problem; what it asks is for everybody, and who has solved it for those who see
/// the board.
pub fn problem(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    let Ok(problem) = ProblemSlug::new(asked.name(0)) else {
        return not_found();
    };
    shown(dashboard.page(asked, |view| {
        if dashboard.has_board() {
            pages::problem(view, &problem)
        } else {
            Ok(pages::statement(view, &problem))
        }
    }))
}

/// The statement of a problem as a PDF.
pub fn pdf(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    let look = |slug: &_| dashboard.look(&asked.selection, |view| Ok(pages::pdf(view, slug)));
    download(dashboard, asked, look)
}

/// The same for the owner of a personal link.
pub fn own_pdf(dashboard: &Arc<Dashboard>, asked: &Asked, visitor: &Visitor) -> Response {
    let look = |slug: &_| dashboard.look_for(visitor, |view| Ok(pages::pdf(view, slug)));
    download(dashboard, asked, look)
}

fn download(
    dashboard: &Dashboard,
    asked: &Asked,
    look: impl FnOnce(&ProblemSlug) -> Result<Option<PathBuf>, StoreError>,
) -> Response {
    let Ok(slug) = ProblemSlug::new(asked.name(0)) else {
        return not_found();
    };
    match look(&slug) {
        Ok(Some(file)) => files::download(dashboard, &file, &format!("{slug}.pdf")),
        Ok(None) => not_found(),
        Err(error) => unavailable(&error),
    }
}

/// The style of all pages.
pub fn style() -> Response {
    let text = STYLE.clone();
    kept(answer(StatusCode::OK, "text/css; charset=utf-8", text))
}

/// The script of all pages.
pub fn script() -> Response {
    let kind = "text/javascript; charset=utf-8";
    kept(answer(StatusCode::OK, kind, SCRIPT))
}

/// What is the same for as long as the daemon runs is not asked for on every page.
pub fn kept(response: Response) -> Response {
    ([(CACHE_CONTROL, KEPT)], response).into_response()
}

/// The student's own page.
pub fn own_page(dashboard: &Arc<Dashboard>, _: &Asked, visitor: &Visitor) -> Response {
    shown(own_html(dashboard, visitor))
}

/// The same as HTML.
pub fn own_html(dashboard: &Dashboard, visitor: &Visitor) -> Result<Option<String>, StoreError> {
    dashboard.look_for(visitor, |view| pages::student(view, &visitor.student))
}

/// What a problem asks.
pub fn own_problem(dashboard: &Arc<Dashboard>, asked: &Asked, visitor: &Visitor) -> Response {
    let Ok(problem) = ProblemSlug::new(asked.name(0)) else {
        return not_found();
    };
    shown(dashboard.look_for(visitor, |view| Ok(pages::statement(view, &problem))))
}

/// A file of a report.
pub fn own_report(dashboard: &Arc<Dashboard>, asked: &Asked, visitor: &Visitor) -> Response {
    let Ok(problem) = ProblemSlug::new(asked.name(0)) else {
        return not_found();
    };
    if dashboard.state.board().grading().hides(&problem) {
        return not_found();
    }
    let folders = [visitor.student.as_str(), problem.as_str()].map(folder_name);
    let names = folders.into_iter().chain([asked.name(1).to_owned()]);
    files::file(dashboard, &dashboard.reports, names.collect())
}
