//! The files that are no submissions, as every page shows them: on the student's, and for the staff
//! those of everybody.

use super::pieces::{Moment, Name};
use super::view::View;
use crate::domain::Student;
use crate::store::{Outstanding, StoreError};
use crate::util::excerpt::visible_line;

/// Students whose rejected files are counted on the page of the course.
const STUDENTS_SHOWN_MAX: usize = 200;

/// The rejected files of a student, or those that are nobody's.
#[derive(Default)]
pub(super) struct Rejected {
    /// All of them, with those that are not among the rows.
    pub count: usize,
    pub rows: Vec<Row>,
    /// How many are not among the rows.
    pub more: usize,
}

pub(super) struct Row {
    pub path: String,
    pub reason: String,
    pub seen: Moment,
}

impl Rejected {
    pub fn of(view: &View<'_>, student: Option<&Student>) -> Result<Self, StoreError> {
        let Outstanding { named, more } = view.reader.outstanding(student)?;
        Ok(Self {
            count: named.len() + more,
            rows: named
                .iter()
                .map(|one| Row {
                    path: visible_line(&one.path),
                    reason: visible_line(&one.reason),
                    seen: view.moment(one.seen_ms),
                })
                .collect(),
            more,
        })
    }
}

/// The rejected files of everybody.
pub(super) struct AllRejected {
    /// All of them, with those of students who are left out.
    pub count: usize,
    /// Who has some, and how many.
    pub students: Vec<(Name, usize)>,
    /// Students that are not among them.
    pub students_left_out: usize,
    pub nobodys: Rejected,
}

impl AllRejected {
    pub fn of(view: &View<'_>) -> Result<Self, StoreError> {
        let students = || {
            let all = view.board.rejected();
            all.filter_map(|(student, count)| Some((student?, count)))
        };
        let named = students().map(|(student, count)| (view.student(student), count));
        Ok(Self {
            count: view.board.rejected().map(|(_, count)| count).sum(),
            students: named.take(STUDENTS_SHOWN_MAX).collect(),
            students_left_out: students().count().saturating_sub(STUDENTS_SHOWN_MAX),
            nobodys: Rejected::of(view, None)?,
        })
    }
}
