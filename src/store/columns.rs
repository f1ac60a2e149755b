//! How the domain's nouns are spelled in columns.

use std::time::Duration;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Value, ValueRef};

use super::events::EventKind;
use super::proposals::ProposalState;
use crate::domain::{
    Cause, Digest, LanguageId, ProblemSlug, RejectionKind, Student, SubmissionId, Verdict,
};

/// A duration as a column; a longer one than 292,000 years is cut.
pub(super) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// A size as a column.
pub(super) fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A size or a number from a column.
pub(super) fn unsigned(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

#[derive(Debug, thiserror::Error)]
#[error("{value:?} is not {what}")]
struct Unreadable {
    what: &'static str,
    value: String,
}

fn unreadable(what: &'static str, value: &str) -> FromSqlError {
    FromSqlError::Other(Box::new(Unreadable {
        what,
        value: value.chars().take(40).collect(),
    }))
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

macro_rules! text_columns {
    ($($noun:ty, $what:literal, $write:expr, $read:expr;)*) => {$(
        impl ToSql for $noun {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                let write: fn(&Self) -> &str = $write;
                Ok(ToSqlOutput::Borrowed(ValueRef::Text(write(self).as_bytes())))
            }
        }
        text_columns!(@read $noun, $what, $read);
    )*};
    (@read $noun:ty, $what:literal, $read:expr) => {
        impl FromSql for $noun {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let text = value.as_str()?;
                let read: fn(&str) -> Option<Self> = $read;
                read(text).ok_or_else(|| unreadable($what, text))
            }
        }
    };
}

text_columns! {
    Student, "a student's name", Student::as_str, |text| Student::new(text).ok();
    ProblemSlug, "a problem's name", ProblemSlug::as_str, |text| ProblemSlug::new(text).ok();
    LanguageId, "a language", LanguageId::as_str, |text| LanguageId::new(text).ok();
    Verdict, "a verdict", |verdict| verdict.code(), Verdict::from_code;
    ProposalState, "a decision", |state| state.word(), ProposalState::of_word;
    RejectionKind, "a reason to reject a file", |kind| kind.word(), RejectionKind::of_word;
    EventKind, "a kind of event", |kind| kind.word(),
        |word| EventKind::ALL.into_iter().find(|kind| kind.word() == word);
}
text_columns!(@read Cause, "a cause", Cause::from_code);
