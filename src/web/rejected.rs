//! Rejected files on the dashboard: a student's on the page of the student, and for staff
//! everybody's on the board.

use super::hall::Site;
use super::views::{Moment, Name};
use crate::domain::Student;
use crate::store::{Outstanding, StoreError};
use crate::util::excerpt::visible_line;

/// Students whose rejected files are counted on the board.
const STUDENTS_MAX: usize = 200;

/// The rejected files of a student, or those that are nobody's.
pub struct Rejected {
    /// All of them.
    pub count: usize,
    pub rows: Vec<Row>,
    /// How many are not among the rows.
    pub more: usize,
}

/// A rejected file.
pub struct Row {
    pub path: String,
    pub reason: String,
    pub seen: Moment,
}

impl Rejected {
    pub fn of(site: &Site, student: Option<&Student>) -> Result<Self, StoreError> {
        let Outstanding { named, more } = site.hall.read(|reader| reader.outstanding(student))?;
        Ok(Self {
            count: named.len() + more,
            rows: named
                .iter()
                .map(|one| Row {
                    path: visible_line(&one.path),
                    reason: visible_line(&one.reason),
                    seen: Moment::of(one.seen_ms),
                })
                .collect(),
            more,
        })
    }
}

/// The rejected files of everybody.
pub struct AllRejected {
    /// All of them.
    pub count: usize,
    /// Who has some, and how many.
    pub students: Vec<(Name, usize)>,
    /// Students that are not among them.
    pub students_left_out: usize,
    pub nobodys: Rejected,
}

impl AllRejected {
    /// For staff only: students are not told of others' files.
    pub fn of(site: &Site) -> Result<Option<Self>, StoreError> {
        if !site.is_staff() {
            return Ok(None);
        }
        let nobodys = Rejected::of(site, None)?;
        let board = site.hall.board();
        let students = || {
            let all = board.rejected();
            all.filter_map(|(student, count)| Some((student?, count)))
        };
        let named = students()
            .map(|(student, count)| (Name::of_student(site, board.directory(), student), count));
        Ok(Some(Self {
            count: board.rejected().map(|(_, count)| count).sum(),
            students: named.take(STUDENTS_MAX).collect(),
            students_left_out: students().count().saturating_sub(STUDENTS_MAX),
            nobodys,
        }))
    }
}
