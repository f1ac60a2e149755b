//! The page of a problem that shows its statement and nobody's attempts: where a student comes by a
//! personal link, and where there is no board for everybody.

use std::sync::Arc;

use askama::Template;

use super::view::{Frame, View, rendered};
use crate::domain::ProblemSlug;
use crate::overview::Broken;

#[derive(Template)]
#[template(path = "overview/pages/statement_page.html")]
struct Page<'a> {
    frame: Frame<'a>,
    is_staff: bool,
    /// Where the reader's own attempts are.
    attempts: Option<String>,
    broken: Vec<Broken>,
    /// What it asks, as HTML.
    statement: Option<Arc<str>>,
}

/// The page; `None` if the course has no such problem, or it opens later.
pub fn statement(view: &View<'_>, slug: &ProblemSlug) -> Option<String> {
    let directory = view.board.directory();
    if !directory.has_problem(slug) || view.hides(slug) {
        return None;
    }
    let attempts = |own: &super::Own| format!("{}/#problem-{slug}", own.base);
    Some(rendered(&Page {
        frame: view.frame(directory.problem(slug), [].into_iter()),
        is_staff: false,
        attempts: view.own().map(attempts),
        broken: view.broken_of(slug),
        statement: directory.statement(slug).cloned(),
    }))
}
