//! The dashboard's pages: the board that one leaves open, and one page for each student and each
//! problem. All are complete without a script.

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use super::answer::{HTML, answer, not_found, unavailable};
use super::rows::{Now, VerdictRow};
use super::state::Dashboard;
use crate::domain::{ProblemSlug, Student};
use crate::overview::Cells;
use crate::overview::pages::{self, Selection, View, rendered};
use crate::store::StoreError;

/// The latest verdicts that the board shows.
const LATEST_MAX: u32 = 30;

/// A page that is made from the board and the store.
pub fn made(
    dashboard: &Dashboard,
    selection: &Selection,
    make: impl FnOnce(&View<'_>) -> Result<Option<String>, StoreError>,
) -> Response {
    match dashboard.look(selection, make) {
        Ok(Some(html)) => answer(StatusCode::OK, HTML, html),
        Ok(None) => not_found(),
        Err(error) => unavailable(&error),
    }
}

#[derive(Template)]
#[template(path = "web/top.html")]
struct Top {
    now: Now,
    latest: Vec<VerdictRow>,
    is_staff: bool,
}

/// The board.
pub fn board(dashboard: &Dashboard, selection: &Selection) -> Response {
    made(dashboard, selection, |view| {
        let rows = view.reader.latest_verdicts(LATEST_MAX)?;
        let reached = view.board.reached();
        // What the board does not know yet is told again by its event.
        let known = rows.iter().filter(|row| row.event <= reached);
        let known = known.filter(|row| view.tells(&row.submission));
        let top = rendered(&Top {
            now: Now::of(view, &dashboard.state.view.activity),
            latest: known.map(|row| VerdictRow::of(view, row)).collect(),
            is_staff: view.is_staff(),
        });
        pages::course(view, &top).map(Some)
    })
}

/// The page of a student, by what students are called here.
pub fn student(dashboard: &Dashboard, name: &str) -> Response {
    made(dashboard, &Selection::default(), |view| {
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
    })
}

/// The page of a problem; what it asks is for everybody, and who has solved it for those who see
/// the board.
pub fn problem(dashboard: &Dashboard, problem: &ProblemSlug, selection: &Selection) -> Response {
    made(dashboard, selection, |view| {
        if dashboard.has_board() {
            pages::problem(view, problem)
        } else {
            Ok(pages::statement(view, problem))
        }
    })
}
