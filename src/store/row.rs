//! How values become rows, and rows values again: each list of columns is said once, by [`row!`]
//! for what is read and by [`put`] for what is written.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Row};

use crate::domain::{
    Cause, Change, Counterexample, Digest, Fault, GroupPoints, LanguageId, ProblemSlug, Published,
    Rejection, RejectionKind, Score, Student, Submission, SubmissionId, Verdict,
};

/// What can be read from some columns of a row.
pub(super) trait FromRow: Sized {
    /// How many columns.
    const WIDTH: usize;

    /// Adds the columns to the list of a SELECT.
    fn list(columns: &mut Vec<&'static str>);

    /// Reads them; each cell is the next one.
    fn read(cells: &mut Cells<'_>) -> rusqlite::Result<Self>;
}

/// The columns of a type, as a SELECT lists them.
pub(super) fn columns<T: FromRow>() -> String {
    let mut columns = Vec::with_capacity(T::WIDTH);
    T::list(&mut columns);
    columns.join(", ")
}

/// Reads a row that begins with the columns of a type.
pub(super) fn read<T: FromRow>(row: &Row<'_>) -> rusqlite::Result<T> {
    T::read(&mut Cells::of(row))
}

/// The cells of a row, one after the other.
pub(super) struct Cells<'r> {
    row: &'r Row<'r>,
    next: usize,
}

impl<'r> Cells<'r> {
    pub fn of(row: &'r Row<'r>) -> Self {
        Self { row, next: 0 }
    }

    /// The next cell.
    pub fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }
}

/// All cells are NULL where there is none, as in a LEFT JOIN; the first one tells.
impl<T: FromRow> FromRow for Option<T> {
    const WIDTH: usize = T::WIDTH;

    fn list(columns: &mut Vec<&'static str>) {
        T::list(columns);
    }

    fn read(cells: &mut Cells<'_>) -> rusqlite::Result<Self> {
        if cells.row.get_ref(cells.next)? == ValueRef::Null {
            cells.next += T::WIDTH;
            return Ok(None);
        }
        T::read(cells).map(Some)
    }
}

/// Says which columns a struct is read from: a field alone is the column of its name, `field =
/// "expression"` another one, and `field: Type` the columns of that type.
macro_rules! row {
    ($name:ty { $($field:ident $(= $column:literal)? $(: $nested:ty)?),+ $(,)? }) => {
        impl $crate::store::row::FromRow for $name {
            const WIDTH: usize = 0 $(+ $crate::store::row::row!(@width $($nested)?))+;

            fn list(columns: &mut Vec<&'static str>) {
                $($crate::store::row::row!(@list columns $field $($column)? $($nested)?);)+
            }

            fn read(cells: &mut $crate::store::row::Cells<'_>) -> rusqlite::Result<Self> {
                Ok(Self {
                    $($field: $crate::store::row::row!(@read cells $($nested)?),)+
                })
            }
        }
    };
    (@width) => { 1 };
    (@width $nested:ty) => { <$nested as $crate::store::row::FromRow>::WIDTH };
    (@list $columns:ident $field:ident) => { $columns.push(stringify!($field)) };
    (@list $columns:ident $field:ident $column:literal) => { $columns.push($column) };
    (@list $columns:ident $field:ident $nested:ty) => {
        <$nested as $crate::store::row::FromRow>::list($columns)
    };
    (@read $cells:ident) => { $cells.take()? };
    (@read $cells:ident $nested:ty) => {
        <$nested as $crate::store::row::FromRow>::read($cells)?
    };
}

pub(super) use row;

row! { Submission {
    id = "submissions.id", student, problem = "submissions.problem", language, attempt, received_ms,
} }

row! { Score { got = "score_got", of = "score_of" } }

row! { Published {
    verdict, cause, score: Score, first_failing_test, judged_ms, groups = "group_points",
} }

row! { Change { published: Published, because } }

row! { Rejection { student, path, kind, reason, seen_ms } }

/// Of the fault of a piece of work only its words are remembered.
impl FromRow for Fault {
    const WIDTH: usize = 2;

    fn list(columns: &mut Vec<&'static str>) {
        columns.extend(["step", "reason"]);
    }

    fn read(cells: &mut Cells<'_>) -> rusqlite::Result<Self> {
        let step: String = cells.take()?;
        Ok(Self::new(step, cells.take::<String>()?))
    }
}

/// A column and what is written there.
pub(super) type Cell<'a> = (&'static str, &'a dyn ToSql);

/// Writes a row: `into` is `INSERT INTO table` or `INSERT OR REPLACE INTO table`. Returns its
/// number.
pub(super) fn put(
    connection: &Connection,
    into: &str,
    cells: &[Cell<'_>],
) -> rusqlite::Result<i64> {
    let columns: Vec<&str> = cells.iter().map(|(column, _)| *column).collect();
    let places: Vec<String> = (1..=cells.len()).map(|place| format!("?{place}")).collect();
    let (columns, places) = (columns.join(", "), places.join(", "));
    let values: Vec<&dyn ToSql> = cells.iter().map(|(_, value)| *value).collect();
    connection
        .prepare_cached(&format!("{into} ({columns}) VALUES ({places})"))?
        .insert(&*values)
}

/// The cells of a verdict.
pub(super) fn verdict_cells(published: &Published) -> [Cell<'_>; 7] {
    [
        ("verdict", &published.verdict),
        ("cause", &published.cause),
        ("score_got", &published.score.got),
        ("score_of", &published.score.of),
        ("first_failing_test", &published.first_failing_test),
        ("judged_ms", &published.judged_ms),
        ("group_points", &published.groups),
    ]
}

pub(super) fn unreadable(what: &str, value: &str) -> FromSqlError {
    let value: String = value.chars().take(40).collect();
    FromSqlError::Other(format!("{value:?} is not {what}").into())
}

impl ToSql for Digest {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Digest {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 32]>::column_result(value).map(Self)
    }
}

impl ToSql for SubmissionId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(Value::Integer(self.0)))
    }
}

impl FromSql for SubmissionId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

impl ToSql for Cause {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(Value::Text(self.code())))
    }
}

impl FromSql for Cause {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = value.as_str()?;
        Self::from_code(code).ok_or_else(|| unreadable("a cause", code))
    }
}

/// Columns that hold JSON.
macro_rules! json_columns {
    ($($noun:ty),+) => {$(
        impl ToSql for $noun {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                let json = serde_json::to_string(self);
                let failed = |error: serde_json::Error| {
                    rusqlite::Error::ToSqlConversionFailure(error.into())
                };
                Ok(ToSqlOutput::Owned(Value::Text(json.map_err(failed)?)))
            }
        }

        impl FromSql for $noun {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let read = serde_json::from_str(value.as_str()?);
                read.map_err(|error| FromSqlError::Other(error.into()))
            }
        }
    )+};
}

json_columns! { Counterexample, GroupPoints }

/// Columns whose texts are written by the first function and read by the second.
macro_rules! text_columns {
    ($($noun:ty, $what:literal, $write:expr, $read:expr;)+) => {$(
        impl rusqlite::types::ToSql for $noun {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                let write: fn(&Self) -> &str = $write;
                Ok(write(self).into())
            }
        }

        impl rusqlite::types::FromSql for $noun {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                let text = value.as_str()?;
                let read: fn(&str) -> Option<Self> = $read;
                read(text).ok_or_else(|| $crate::store::row::unreadable($what, text))
            }
        }
    )+};
}

pub(super) use text_columns;

text_columns! {
    Student, "a student's name", Student::as_str, |text| Student::new(text).ok();
    ProblemSlug, "a problem's name", ProblemSlug::as_str, |text| ProblemSlug::new(text).ok();
    LanguageId, "a language", LanguageId::as_str, |text| LanguageId::new(text).ok();
    Verdict, "a verdict", |verdict| verdict.code(), |code| code.parse().ok();
    RejectionKind, "a reason to reject a file", |kind| kind.word(), |word| word.parse().ok();
}
