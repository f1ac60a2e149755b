//! The matrix of students and problems for a projector: all of it on one screen, as large as that
//! allows.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::response::Response;

use super::answer::shown;
use super::state::{Asked, Dashboard};
use crate::domain::Verdict;
use crate::overview::pages::{CellView, Frame, Matrix, Name, Part, Row, rendered};
use crate::report::html::VerdictView;

/// The heights that a row may have, in pixels of a screen of 1920 × 1080; the style has a class for
/// each.
const SIZES: [usize; 12] = [56, 48, 40, 36, 32, 30, 28, 26, 24, 22, 19, 16];
/// What the rows have of that screen's height, beside the heads of page and table.
const HEIGHT: usize = 860;
/// What the tables have of its width.
const WIDTH: usize = 1_880;
/// Between two tables that stand side by side.
const GAP: usize = 28;
/// Tables that stand side by side.
const BLOCKS_MAX: usize = 6;
/// Widths in hundredths of a row's height: of a cell, and of a name with what is around it.
const CELL: usize = 115;
const NAME: usize = 630;

/// Characters that are certain to be seen of a student's name, and of a problem's.
const STUDENT_SEEN: usize = 14;
const PROBLEM_SEEN: usize = 10;
/// Characters that are kept of a name's end, where its beginning does not tell it from another one.
const END: usize = 5;

/// Names of which only so much can be seen: where two begin alike, their ends are kept instead of
/// what is between.
fn told_apart<'n>(names: impl Iterator<Item = &'n mut Name>, seen: usize) {
    let names: Vec<&mut Name> = names.collect();
    let head = |name: &str, length| name.chars().take(length).collect::<String>();
    let mut heads: BTreeMap<String, usize> = BTreeMap::new();
    for name in &names {
        *heads.entry(head(&name.shown, seen)).or_default() += 1;
    }
    for name in names {
        let length = name.shown.chars().count();
        let is_shared = heads.get(&head(&name.shown, seen)) > Some(&1);
        if length <= seen || !is_shared {
            continue;
        }
        let end: String = name.shown.chars().skip(length - END).collect();
        let cut = format!("{}…{end}", head(&name.shown, seen - END - 1));
        let full = std::mem::replace(&mut name.shown, cut);
        name.title.get_or_insert(full);
    }
}

/// How the rows are laid out.
struct Layout {
    /// Their height.
    size: usize,
    /// Rows of one table.
    rows: usize,
}

impl Layout {
    /// The largest one that fits on the screen; what is too much even for the smallest is scrolled.
    fn of(students: usize, problems: usize) -> Self {
        let fits = |height: usize, blocks: usize| {
            let width = (WIDTH + GAP) / blocks - GAP;
            let rows = students.div_ceil(blocks).max(1);
            rows * height <= HEIGHT && (problems * CELL + NAME) * height <= width * 100
        };
        let layouts = SIZES.into_iter().flat_map(|size| {
            let blocks = (1..=BLOCKS_MAX).filter(move |blocks| fits(size, *blocks));
            blocks.map(move |blocks| Self {
                size,
                rows: students.div_ceil(blocks).max(1),
            })
        });
        let smallest = Self {
            size: 16,
            rows: HEIGHT / 16,
        };
        { layouts }.next().unwrap_or(smallest)
    }
}

#[derive(Template)]
#[template(path = "web/projector.html")]
struct Page<'a> {
    frame: Frame<'a>,
    matrix: Matrix,
    part: Part,
    layout: Layout,
    /// The verdicts that are on it.
    legend: Vec<VerdictView>,
    has_part: bool,
    has_waiting: bool,
}

impl Page<'_> {
    fn tables(&self) -> impl Iterator<Item = &[Row]> {
        self.matrix.rows.chunks(self.layout.rows)
    }
}

/// The page.
pub fn projector(dashboard: &Arc<Dashboard>, asked: &Asked) -> Response {
    shown(dashboard.page(asked, |view| {
        let (mut matrix, part) = Matrix::of(view, false);
        told_apart(
            matrix.rows.iter_mut().map(|row| &mut row.student),
            STUDENT_SEEN,
        );
        let columns = matrix.problems.iter_mut();
        told_apart(columns.map(|column| &mut column.problem), PROBLEM_SEEN);
        let cells = || matrix.rows.iter().flat_map(|row| &row.cells);
        let is_there = |verdict: &Verdict| {
            let code = verdict.code();
            let is_this = |cell: &CellView| {
                cell.part.is_none() && cell.said.as_ref().is_some_and(|said| said.code == code)
            };
            cells().any(is_this)
        };
        let heading = "Students and problems".to_owned();
        Ok(Some(rendered(&Page {
            legend: Verdict::ALL
                .into_iter()
                .filter(is_there)
                .map(VerdictView::of)
                .collect(),
            has_part: cells().any(|cell| cell.part.is_some()),
            has_waiting: cells().any(|cell| cell.is_waiting),
            layout: Layout::of(matrix.rows.len(), matrix.problems.len()),
            frame: view.frame(heading, [].into_iter()),
            matrix,
            part,
        })))
    }))
}

#[cfg(test)]
mod tests {
    use super::{Layout, told_apart};
    use crate::overview::pages::Name;

    #[test]
    fn names_that_begin_alike_are_told_apart_by_their_ends() {
        let name = |name: &str| Name {
            shown: name.to_owned(),
            title: None,
            href: None,
        };
        let names = "2026-algo-team-01 2026-algo-team-02 2026-algo zoe-long-name";
        let mut names: Vec<Name> = names.split(' ').map(name).collect();
        told_apart(names.iter_mut(), 12);
        let shown: Vec<&str> = names.iter().map(|name| &*name.shown).collect();
        let wanted = "2026-a…am-01 2026-a…am-02 2026-algo zoe-long-name";
        assert_eq!(shown.join(" "), wanted);
        assert_eq!(names[0].title.as_deref(), Some("2026-algo-team-01"));
    }

    #[test]
    fn a_course_is_as_large_as_the_screen_allows() {
        for (students, problems, size, rows) in [
            (1, 1, 56, 1),
            (15, 3, 56, 15),
            (30, 6, 56, 15),
            (60, 6, 40, 20),
            (80, 12, 30, 27),
            (200, 12, 16, 50),
            (200, 60, 16, 53),
        ] {
            let layout = Layout::of(students, problems);
            let found = (layout.size, layout.rows);
            assert_eq!(found, (size, rows), "{students} × {problems}");
        }
    }
}
