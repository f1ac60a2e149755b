//! What a hack did: which earlier accepted submissions fell, and which stood. Read from the store,
//! at any time.
//!
//! That a hack is one of the tests is the package's to say; that submissions are judged on it is
//! planning like any other.

use std::path::Path;

use jiff::tz::TimeZone;

use crate::domain::{Fault, Verdict};
use crate::package::result_file;
use crate::report::{Document, Fallen, HackReport, TestReport};
use crate::store::{Entry, HackRow, Reader};
use crate::util::files::{is_same, remove, replace, sync_name};

/// What a hack did so far, by the reports of those who were accepted before it.
pub fn report(reader: &Reader, row: &HackRow) -> Result<HackReport, Fault> {
    let mut report = HackReport {
        problem: row.problem.to_string(),
        name: row.name.clone(),
        file_name: row.file_name.clone(),
        note: row.note.clone(),
        refused: row.refused.clone(),
        held_back: row.held_back,
        seen_ms: row.seen_ms,
        took_ms: row
            .finished_ms
            .map(|finished| u64::try_from(finished - row.seen_ms).unwrap_or(0)),
        ..HackReport::default()
    };
    if row.refused.is_some() || row.withdrawn_ms.is_some() {
        return Ok(report);
    }
    for before in reader.judged_on_hack(row)? {
        add(reader, row, before, &mut report)?;
    }
    Ok(report)
}

/// How a submission did that was accepted before: what its report says of this very test counts,
/// and nothing else.
fn add(
    reader: &Reader,
    hack: &HackRow,
    entry: Entry,
    report: &mut HackReport,
) -> Result<(), Fault> {
    let Some((_, text)) = reader.document(entry.submission.id)? else {
        // After an upgrade, until it has been judged again.
        report.waiting += 1;
        return Ok(());
    };
    let document = Document::from_json(&text)
        .map_err(|error| Fault::new("read a report in the store", error))?;
    let test = document.tests.iter().find(|test| test.name == hack.name);
    match test.map(|test| test.verdict) {
        // It is not judged on it yet.
        None => report.waiting += 1,
        Some(Verdict::Accepted) => report.stood.push(entry.submission),
        Some(Verdict::Skipped) => {
            let failing = entry.first_failing_test();
            let mut tests = document.tests.iter();
            let first = tests.find(|test| Some(test.name.as_str()) == failing);
            let name = failing.unwrap_or("another test");
            let how = format!("on {name}: {}", how(first, &document));
            report.before_it.push(fallen(entry, document.verdict, how));
        }
        Some(verdict) => report
            .fell
            .push(fallen(entry, verdict, how(test, &document))),
    }
    Ok(())
}

fn fallen(entry: Entry, verdict: Verdict, how: String) -> Fallen {
    Fallen {
        submission: entry.submission,
        verdict,
        how,
    }
}

/// The first difference, or the cause, in words.
fn how(test: Option<&TestReport>, document: &Document) -> String {
    if let Some(difference) = test.and_then(|test| test.difference.as_ref()) {
        return difference.words();
    }
    if let Some(words) = test.and_then(|test| test.checker.as_ref()) {
        return words.clone();
    }
    let first = test.is_some_and(|test| document.first_failing_test.as_ref() == Some(&test.name));
    match &document.cause_words {
        Some(words) if first => words.clone(),
        _ => test.map_or_else(String::new, |test| test.verdict.words().to_owned()),
    }
}

/// Writes the result beside the hack's file, unless it is there.
pub fn write_result(file: &Path, report: &HackReport, zone: &TimeZone) -> std::io::Result<()> {
    let (result, text) = (result_file(file), report.to_text(zone));
    if is_same(&result, text.as_bytes()) {
        return Ok(());
    }
    replace(&result, text.as_bytes())
}

/// Takes the result away, if there is one. When this returns, neither it nor the hack's file, if
/// that is gone, comes back after a power cut: verdicts depend on it.
pub fn remove_result(file: &Path) -> std::io::Result<()> {
    remove(&result_file(file))?;
    // The whole folder may be gone.
    match sync_name(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
