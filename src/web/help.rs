//! The book that comes with the program, as `make book` builds it; where there is none, how to get
//! it.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse as _, Response};

use super::answer::{HTML, TEXT, message, not_found, shown};
use super::files;
use super::pages::kept;
use super::state::{Asked, Dashboard};
use crate::overview::pages::{Frame, Name, rendered};

/// The page that every book has, and its first one.
const FIRST: &str = "index.html";
/// Problems that are named where there is no book.
const PROBLEMS_MAX: usize = 100;
/// Endings of the book's files, and what they are; nothing else in its folder is shown.
const TYPES: [(&str, &str); 6] = [
    ("html", HTML),
    ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("toml", TEXT),
];

/// The book's own address, from which its links lead on.
pub fn first(_: &Arc<Dashboard>, _: &Asked) -> Response {
    let response = message(StatusCode::PERMANENT_REDIRECT, "Help", "It is at /help/.");
    ([(LOCATION, "/help/")], response).into_response()
}

/// A file of the book.
pub fn page(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    let mut books = dashboard.books.iter();
    let Some(book) = books.find(|book| book.join(FIRST).is_file()) else {
        return without_book(dashboard, asked);
    };
    let path = asked.names.first().map_or(FIRST, String::as_str);
    let found = wanted(path);
    let found = found.and_then(|(names, kind)| files::plain(dashboard, book, &names, kind));
    found.map_or_else(not_found, kept)
}

/// The names of a path, each checked to be no more than a name, and the type of the file; none
/// where it can be no file of a book.
fn wanted(path: &str) -> Option<(Vec<String>, &'static str)> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_.".contains(one);
    let is_name =
        |name: &str| !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain);
    let names: Vec<String> = path.split('/').map(str::to_owned).collect();
    let (_, ending) = names.last()?.rsplit_once('.')?;
    let (_, content_type) = TYPES.iter().find(|(known, _)| *known == ending)?;
    let is_good = names.iter().all(|name| is_name(name));
    is_good.then_some((names, content_type))
}

#[derive(Template)]
#[template(path = "web/no_book.html")]
struct NoBook<'a> {
    frame: Frame<'a>,
    problems: Vec<Name>,
}

fn without_book(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    shown(dashboard.look(&asked.selection, |view| {
        let problems = view.board.directory().problems();
        let problems = problems.filter(|problem| !view.hides(problem));
        Ok(Some(rendered(&NoBook {
            frame: view.frame("Help".to_owned(), [].into_iter()),
            problems: problems
                .take(PROBLEMS_MAX)
                .map(|problem| view.problem(problem))
                .collect(),
        })))
    }))
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn only_plain_paths_lead_into_the_book() {
        for (path, kind) in [
            ("index.html", "text/html"),
            ("docs/internals/daemon.html", "text/html"),
            ("searchindex.js", "text/javascript"),
            ("docs/problem.toml", "text/plain"),
        ] {
            let (names, found) = wanted(path).unwrap();
            assert_eq!(names.join("/"), path);
            assert!(found.starts_with(kind), "{path}: {found}");
        }
        let others = "|docs|docs/|.html|../index.html|docs/../index.html|docs//index.html|\
                      /etc/x.html|docs/.x.html|docs\\x.html|x.html\0|x.sh|x.exe.|a b.html|é.html";
        for path in others.split('|') {
            assert_eq!(wanted(path), None, "{path}");
        }
    }
}
