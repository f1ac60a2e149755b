//! Filling a column of a platform's file, whatever platform it is.

use std::collections::HashMap;

use super::claim::Who;
use super::columns::{LISTED_MAX, Row, Wanted};
use super::marks::Marks;
use super::people::Found;
use super::platform::Platform;
use crate::domain::{Complaint, Student};
use crate::util::excerpt::visible_line;
use crate::util::table::Table;

/// A file that was filled.
#[derive(Debug, Default)]
pub struct Filled {
    /// The file as it goes back.
    pub bytes: Vec<u8>,
    /// Who got a grade, and who it is to the platform.
    pub graded: Vec<(Student, Who)>,
    /// Students in it who have nothing judged.
    pub unjudged: Vec<Student>,
    /// Rows of nobody whom the course knows: the line, and the name in it.
    pub strangers: Vec<(usize, String)>,
    /// Students with a grade for whom the file has no row.
    pub left_out: Vec<Student>,
}

/// Fills a platform's file.
pub fn fill(
    platform: &Platform,
    mut table: Table,
    wanted: &Wanted<'_>,
    marks: &Marks,
) -> Result<Filled, Complaint> {
    let layout = (platform.layout)(&table, wanted)?;
    let mut lines: HashMap<&Student, usize> = HashMap::new();
    let mut filled = Filled::default();
    for row in &layout.rows {
        let found =
            found(row, marks).map_err(|(reason, help)| table.wrong(row.line, reason, help))?;
        let marked = found.as_ref().and_then(|student| marks.of_student(student));
        let Some((student, mark)) = marked else {
            match found {
                Some(student) => filled.unjudged.push(student),
                None => filled.strangers.push((row.line, shown(&row.who))),
            }
            if layout.leaves_out {
                table.sheet.leave_out(row.index);
            }
            continue;
        };
        if let Some(first) = lines.insert(student, row.line) {
            let reason = format!("this is {student}, and so is line {first}");
            let help = "say with the roster's columns who is who";
            return Err(table.wrong(row.line, reason, help));
        }
        let points = mark.points;
        if let Some(maximum) = row.maximum.filter(|maximum| points > *maximum) {
            let reason =
                format!("{student} has {points} points, and the maximum here is {maximum}");
            let help = "raise the maximum on the platform, or change the points in course.toml";
            return Err(table.wrong(row.line, reason, help));
        }
        let grade = layout.numbers.write(points);
        let beside = layout.beside.iter().filter(|((at, _), _)| *at == row.index);
        let beside = beside.map(|((_, column), text)| (*column, text.as_str()));
        let comment = layout
            .comments
            .map(|column| (column, mark.comment.as_str()));
        let cells = [(layout.grade, grade.as_str())].into_iter().chain(comment);
        for (column, text) in cells.chain(beside) {
            if !table.sheet.fill(row.index, column, text) {
                let reason = format!("the row has fewer than {} columns", column + 1);
                return Err(table.wrong(row.line, reason, "export the file again"));
            }
        }
        filled.graded.push((student.clone(), row.who.clone()));
    }
    for row in &layout.nobody {
        table.sheet.leave_out(*row);
    }
    if !layout.columns.is_empty() {
        table.sheet.keep_columns(layout.columns.iter().copied());
    }
    filled.bytes = table.sheet.to_bytes();
    let missing = marks.students().filter(|one| !lines.contains_key(one));
    filled.left_out = missing.cloned().collect();
    Ok(filled)
}

/// Whose a row is. A row that may be several students' is a mistake as soon as one of them has a
/// grade.
fn found(row: &Row, marks: &Marks) -> Result<Option<Student>, (String, &'static str)> {
    match marks.people.find(&row.who) {
        Found::One(student) => Ok(Some(student)),
        Found::Nobody | Found::Team(_) => Ok(None),
        Found::Several(students) => {
            if students
                .iter()
                .all(|student| marks.of_student(student).is_none())
            {
                return Ok(None);
            }
            let names: Vec<&str> = students
                .iter()
                .take(LISTED_MAX)
                .map(Student::as_str)
                .collect();
            Err((
                format!("{} may be any of {}", shown(&row.who), names.join(", ")),
                "write the platform's key of each into a column of the roster",
            ))
        }
    }
}

fn shown(who: &Who) -> String {
    let key = who.keys.first().map(|(_, value)| value.as_str());
    let name = who.name.as_deref().or(key).unwrap_or("?");
    visible_line(name)
}
