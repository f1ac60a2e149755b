//! What a hack did: which earlier accepted submissions fell, and which stood. Read from the store, at any time.
//!
//! That a hack is one of the tests is the package's to say; that submissions are judged on it is planning like any other.

use std::path::Path;

use crate::domain::Verdict;
use crate::package::result_file;
use crate::report::{Document, Fallen, HACK_LISTED_MAX, HackReport};
use crate::store::{HackRow, HackedRow, Reader, StoreError};
use crate::util::files::replace;

/// Why a hack's result cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum HackError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A report in the store is not what this version writes.
    #[error("a report in the store cannot be read: {0}")]
    Document(#[from] serde_json::Error),
}

/// What a hack did so far. `waiting` is how many earlier submissions are not judged on it yet.
pub fn report(reader: &Reader, row: &HackRow, waiting: usize) -> Result<HackReport, HackError> {
    let mut report = HackReport {
        problem: row.problem.to_string(),
        name: row.name.clone(),
        file_name: row.file_name.clone(),
        note: row.note.clone(),
        refused: row.refused.clone(),
        seen_ms: row.seen_ms,
        took_ms: row
            .finished_ms
            .map(|finished| u64::try_from(finished - row.seen_ms).unwrap_or(0)),
        waiting,
        fell: Vec::new(),
        fell_count: 0,
        stood: Vec::new(),
        stood_count: 0,
    };
    if row.refused.is_some() {
        return Ok(report);
    }
    for before in reader.judged_on_hack(row)? {
        if before.verdict == Verdict::Accepted {
            report.stood_count += 1;
            if report.stood.len() < HACK_LISTED_MAX {
                report.stood.push((before.student, before.attempt));
            }
        } else {
            report.fell_count += 1;
            if report.fell.len() < HACK_LISTED_MAX {
                report.fell.push(fallen(reader, row, before)?);
            }
        }
    }
    Ok(report)
}

fn fallen(reader: &Reader, hack: &HackRow, row: HackedRow) -> Result<Fallen, HackError> {
    let failing = row.first_failing_test.as_deref();
    let mut how = row.verdict.words().to_owned();
    if let Some((_, text)) = reader.document(row.submission)? {
        let document = Document::from_json(&text)?;
        let test = document
            .tests
            .iter()
            .find(|test| Some(test.name.as_str()) == failing);
        if let Some(difference) = test.and_then(|test| test.difference.as_ref()) {
            how = format!(
                "line {}, column {}: expected {}, got {}",
                difference.line, difference.column, difference.expected, difference.got
            );
        } else if let Some(words) = test.and_then(|test| test.checker.clone()) {
            how = format!("the checker says: {words}");
        } else if let Some(words) = document.cause_words {
            how = words;
        }
    }
    Ok(Fallen {
        on: failing.filter(|name| *name != hack.name).map(str::to_owned),
        student: row.student,
        attempt: row.attempt,
        verdict: row.verdict,
        how,
    })
}

/// Writes the result beside the hack's file.
pub fn write_result(file: &Path, report: &HackReport) -> std::io::Result<()> {
    replace(&result_file(file), report.to_text().as_bytes())
}

/// Takes the result away, where there is one.
pub fn remove_result(file: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(result_file(file)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
