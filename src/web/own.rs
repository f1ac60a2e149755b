//! What a personal link leads to: one student's attempts, reports and rejected files, and the
//! statements. Whoever has another address is told the same as at any address that there is not.

use std::sync::Arc;

use axum::response::Response;

use super::answer::{not_found, shown};
use super::files;
use super::state::{Asked, Dashboard, Visitor};
use crate::domain::ProblemSlug;
use crate::overview::pages;
use crate::report::folder_name;
use crate::store::StoreError;

/// The student's own page.
pub fn page(dashboard: &Arc<Dashboard>, _: &Asked, visitor: &Visitor) -> Response {
    shown(html(dashboard, visitor))
}

/// The same as HTML.
pub fn html(dashboard: &Dashboard, visitor: &Visitor) -> Result<Option<String>, StoreError> {
    dashboard.look_for(visitor, |view| pages::student(view, &visitor.student))
}

/// What a problem asks.
pub fn problem(dashboard: &Arc<Dashboard>, asked: &Asked, visitor: &Visitor) -> Response {
    let Ok(problem) = ProblemSlug::new(asked.name(0)) else {
        return not_found();
    };
    shown(dashboard.look_for(visitor, |view| Ok(pages::statement(view, &problem))))
}

/// A file of a report.
pub fn report(dashboard: &Arc<Dashboard>, asked: &Asked, visitor: &Visitor) -> Response {
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
