//! The page of a problem that shows its statement and nobody's attempts: where a student comes by a
//! personal link, and where there is no board for everybody.

use std::sync::Arc;

use askama::Template;
use jiff::Timestamp;

use super::view::{Frame, Moment, View, rendered};
use crate::domain::ProblemSlug;
use crate::overview::Broken;

/// What a problem asks, as far as the readers of a page may know it.
pub(super) struct Statement {
    pub html: Option<Arc<str>>,
    /// When students may read it, where that is later.
    pub opens: Option<Moment>,
}

impl Statement {
    pub fn of(view: &View<'_>, slug: &ProblemSlug) -> Self {
        let html = view.board.directory().statement(slug).cloned();
        let terms = &view.grading().rules.terms;
        let opens = terms.opens(slug);
        let is_later = |opens: &Timestamp| opens.as_millisecond() > view.now_ms;
        let is_told = view.is_staff() || view.is_file() || html.is_none();
        let opens = opens.filter(is_later).filter(|_| !is_told);
        let is_hidden = opens.is_some() || (terms.is_unread && !is_told);
        Self {
            html: html.filter(|_| !is_hidden),
            opens: opens.map(|opens| view.moment_at(opens)),
        }
    }

    /// Whether there is nothing to show, now or later.
    pub fn is_missing(&self) -> bool {
        self.html.is_none() && self.opens.is_none()
    }
}

#[derive(Template)]
#[template(path = "overview/pages/statement_page.html")]
struct Page<'a> {
    frame: Frame<'a>,
    is_staff: bool,
    /// Where the reader's own attempts are.
    attempts: Option<String>,
    broken: Vec<Broken>,
    statement: Statement,
}

/// The page; `None` if the course has no such problem.
pub fn statement(view: &View<'_>, slug: &ProblemSlug) -> Option<String> {
    let board = view.board;
    let directory = board.directory();
    if !directory.has_problem(slug) {
        return None;
    }
    let attempts = |own: &super::Own| format!("{}/#problem-{slug}", own.base);
    Some(rendered(&Page {
        frame: view.frame(directory.problem(slug), format!("/{slug}"), [].into_iter()),
        is_staff: false,
        attempts: view.own().map(attempts),
        broken: Broken::of(board, slug).collect(),
        statement: Statement::of(view, slug),
    }))
}
